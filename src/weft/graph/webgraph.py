"""`WebGraph`: page names, and links in both directions as CSR matrices."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from importlib import import_module
from types import ModuleType
from typing import Any, Self, cast, overload

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import (
    CSR,
    MAX_LINK_WEIGHT,
    MIN_LINK_WEIGHT,
    Flags,
    Floats,
    Ids,
    Offsets,
    Weights,
    csr_from_keys,
    pack_pairs,
    subset_positions,
    to_float32_if_exact,
)
from weft.core.errors import BadParameter, UnknownName, WeftError
from weft.core.text import pluralise, shorten
from weft.engine import LinkOperator
from weft.engine.operator import MIN_NUMBA_LINKS, Adjacency, build_operator, select_backend
from weft.graph.selection import Level

LINK_HINT = "a link is two names, or two names and a number"
INPUT_HINT = (
    "give pairs of names, a NetworkX or igraph graph, a SciPy matrix,"
    " or a table with source and target"
)


class ArrowNames(Sequence[str]):
    """Page names in an Arrow array; a name becomes a Python string when it is read."""

    def __init__(self, array: pa.Array) -> None:
        self.array = array

    def __len__(self) -> int:
        return len(self.array)

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> list[str]: ...
    def __getitem__(self, at: int | slice) -> str | list[str]:
        names: str | list[str] = (
            self.array[at].to_pylist() if isinstance(at, slice) else self.array[int(at)].as_py()
        )
        return names

    def __iter__(self) -> Iterator[str]:
        for start in range(0, len(self), 1 << 16):
            yield from self.array.slice(start, 1 << 16).to_pylist()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]


class LazyNames(ArrowNames):
    """A known number of names, computed when one of them is first read."""

    def __init__(self, size: int, make: Callable[[], pa.Array]) -> None:
        self.size, self.make = size, cache(make)

    def __len__(self) -> int:
        return self.size

    @property
    def array(self) -> pa.Array:
        """The names as one Arrow array."""
        return self.make()


class NumericNames(Sequence[str]):
    """The names of pages that have none: their numbers as text."""

    def __init__(self, size: int) -> None:
        self.size = size

    def __len__(self) -> int:
        return self.size

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> list[str]: ...
    def __getitem__(self, at: int | slice) -> str | list[str]:
        numbers = range(self.size)[at]
        return str(numbers) if isinstance(numbers, int) else [str(i) for i in numbers]


class LazyCSR:
    """A CSR matrix that is computed when it is first read."""

    def __init__(self, make: Callable[[], CSR]) -> None:
        self.make = cache(make)

    @property
    def starts(self) -> Offsets:
        """The offset of each row, and the end of the last."""
        return self.make().starts

    @property
    def ids(self) -> Ids:
        """The neighbours, row by row."""
        return self.make().ids

    @property
    def weights(self) -> Weights | None:
        """The weights beside `ids`; None where all are one."""
        return self.make().weights

    def row(self, page: int) -> Ids:
        """The neighbours of one page."""
        return self.make().row(page)

    def row_ids(self) -> Ids:
        """The row of each neighbour."""
        return self.make().row_ids()


@dataclass(frozen=True, eq=False)
class WebGraph:
    """A directed graph of pages, hosts or domains; immutable, so it can be shared and cached.

    Self-links are dropped, unless `self_links` keeps them, and parallel links
    are merged; their number is the weight of the link, which weighted methods
    use. `uncaptured` marks pages that are linked to but were not captured,
    where that is known.
    """

    pages: Sequence[str]
    outlinks: CSR
    inlinks: CSR
    level: Level = "page"
    _link_ends: tuple[Ids, Ids] | None = field(default=None, repr=False)
    _operators: dict[tuple[bool, str], LinkOperator] = field(default_factory=dict, repr=False)
    uncaptured: Flags | None = field(default=None, repr=False)

    @classmethod
    def from_any(cls, links: Any) -> "WebGraph":
        """From a web graph, a graph of NetworkX or igraph, a SciPy matrix, a table, or pairs."""
        if isinstance(links, WebGraph):
            return links
        if hasattr(links, "tocoo"):
            return cls.from_scipy(links)
        if hasattr(links, "get_edgelist"):
            return cls.from_igraph(links)
        if hasattr(links, "is_directed"):
            return cls.from_networkx(links)
        if hasattr(links, "__arrow_c_stream__"):
            return cls.from_arrow(pa.table(links))
        return cls.from_links(links)

    @classmethod
    def from_links(
        cls, links: Iterable[tuple[str, str] | tuple[str, str, float]], *, self_links: bool = False
    ) -> Self:
        """From pairs of names, or triples with a weight; pages are numbered as they appear.

        With `self_links`, self-links are kept, as in a Markov chain. Names are
        taken as they are: `http://a` and `http://a/` are two pages here, whereas
        `weft add` makes one of them.

        Examples
        --------
        >>> WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "b")])
        <WebGraph: 3 pages, 2 links>
        >>> WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "b")], self_links=True)
        <WebGraph: 3 pages, 3 links>
        """
        return cls.from_arrays(*_encode_links(links), self_links=self_links)

    @classmethod
    def from_arrays(
        cls,
        pages: Sequence[str] | int,
        source: Any,
        target: Any,
        weight: Any = None,
        *,
        self_links: bool = False,
    ) -> Self:
        """From the source and target of each link as page numbers.

        `pages` are the names, or the number of pages. The weights of parallel
        links are added up. Many links without weights are kept unsorted, and
        sorted into rows when a method first needs rows.
        """
        if isinstance(pages, int) and pages < 0:
            raise BadParameter(f"a graph cannot have {pages} pages", hint="0 or more")
        names = NumericNames(pages) if isinstance(pages, int) else pages
        n = len(names)
        ends = _check_page_numbers(source, n), _check_page_numbers(target, n)
        if len(ends[0]) != len(ends[1]):
            raise BadParameter(f"{len(ends[0]):,} sources do not fit {len(ends[1]):,} targets")
        if weight is None and len(ends[0]) >= MIN_NUMBA_LINKS and not self_links:
            out, back = (LazyCSR(partial(_sort_into_csr, *pair, n)) for pair in (ends, ends[::-1]))
            return cls(names, cast(CSR, out), cast(CSR, back), "page", ends)
        weights = None if weight is None else _check_weights(weight, names, *ends)
        outlinks = build_csr(*ends, weights, n, self_links=self_links)
        return cls(names, outlinks, transpose(outlinks, n))

    @classmethod
    def from_scipy(
        cls, matrix: Any, pages: Sequence[str] | None = None, *, self_links: bool = False
    ) -> Self:
        """From a sparse adjacency matrix: entry (i, j) is the weight of the link from i to j."""
        from scipy.sparse import coo_array  # noqa: PLC0415  slow to load

        entries = coo_array(_require_numeric(matrix, "entries of a link matrix"))
        if len(set(entries.shape)) != 1 or len(entries.shape) != 2:
            raise BadParameter(f"a link matrix is square, this one has shape {entries.shape}")
        n = entries.shape[0]
        if pages is not None and len(pages) != n:
            raise BadParameter(f"{len(pages):,} names do not fit a matrix of {n:,} rows")
        names = pages if pages is not None else [str(i) for i in range(n)]
        present = entries.data != 0
        source, target = (
            np.asarray(end)[present].astype(np.int32) for end in (entries.row, entries.col)
        )
        weight = entries.data[present]
        return cls.from_arrays(names, source, target, weight, self_links=self_links)

    @classmethod
    def from_networkx(cls, graph: Any, *, self_links: bool = False) -> Self:
        """From a NetworkX graph; an undirected edge becomes two links.

        The name of a page is the node as text, and an edge without the
        attribute `weight` weighs 1.

        Examples
        --------
        >>> import networkx as nx
        >>> WebGraph.from_networkx(nx.path_graph(3))
        <WebGraph: 3 pages, 4 links>
        """
        number = {node: i for i, node in enumerate(graph.nodes)}
        edges = list((graph if graph.is_directed() else graph.to_directed()).edges(data="weight"))
        ends = np.array([(number[s], number[t]) for s, t, _ in edges], np.int32).reshape(-1, 2).T
        weights = [1.0 if w is None else w for _, _, w in edges]
        names = [str(node) for node in number]
        _require_unique_names("nodes", number, names)
        return cls.from_arrays(names, ends[0], ends[1], weights, self_links=self_links)

    @classmethod
    def from_igraph(cls, graph: Any, *, self_links: bool = False) -> Self:
        """From an igraph graph; an undirected edge becomes two links.

        The name of a page is the vertex attribute `name`, or else the number
        of the vertex. An edge without the attribute `weight` weighs 1.

        Examples
        --------
        >>> import igraph
        >>> WebGraph.from_igraph(igraph.Graph.Ring(3, directed=True))
        <WebGraph: 3 pages, 3 links>
        """
        ends = np.array(graph.get_edgelist(), np.int32).reshape(-1, 2)
        edge_ids = np.arange(len(ends))
        if not graph.is_directed():
            reverse = np.flatnonzero(ends[:, 0] != ends[:, 1])  # a loop is a single link
            ends = np.concatenate([ends, ends[reverse, ::-1]])
            edge_ids = np.concatenate([edge_ids, reverse])
        weight = None
        if "weight" in graph.es.attributes():
            weights = [1.0 if w is None else w for w in graph.es["weight"]]
            weight = _require_numeric(weights, "weights")[edge_ids]
        return cls.from_arrays(
            _igraph_names(graph), ends[:, 0], ends[:, 1], weight, self_links=self_links
        )

    @classmethod
    def from_arrow(cls, table: pa.Table, *, self_links: bool = False) -> Self:
        """From a table with the columns source, target and, optionally, weight."""
        missing = {"source", "target"} - set(table.column_names)
        if missing:
            raise BadParameter(
                f"the table has no column {' and '.join(sorted(missing))}",
                hint=f"its columns: {', '.join(table.column_names)}",
            )
        columns = [_read_name_column(table, side) for side in ("source", "target")]
        if nameless := sum(column.null_count for column in columns):
            raise BadParameter(
                f"{pluralise(nameless, 'end')} of links without a name", hint="drop them"
            )
        codes = pa.chunked_array(columns).dictionary_encode()
        ends = [chunk.indices.to_numpy().astype(np.int32) for chunk in codes.chunks]
        if len(ends) < 2:
            ends = [np.zeros(0, np.int32)] * 2
        weight = table["weight"].to_numpy() if "weight" in table.column_names else None
        names = codes.chunk(0).dictionary if codes.num_chunks else pa.array([], pa.string())
        return cls.from_arrays(ArrowNames(names), ends[0], ends[1], weight, self_links=self_links)

    def to_arrow(self) -> pa.Table:
        """The links as a table of names: source, target, weight."""
        names = self.names
        sources = self.outlinks.row_ids()
        return pa.table(
            {
                "source": names.take(pa.array(sources)),
                "target": names.take(pa.array(self.outlinks.ids)),
                "weight": pa.array(link_weights(self.outlinks)),
            }
        )

    def to_networkx(self) -> Any:
        """The graph as a `networkx.DiGraph` whose nodes are the names of the pages.

        Edges have the attribute `weight`, unless all links weigh 1.

        Examples
        --------
        >>> graph = WebGraph.from_links([("a", "x"), ("b", "x", 2.0)])
        >>> list(graph.to_networkx().edges(data="weight"))
        [('a', 'x', 1.0), ('b', 'x', 2.0)]
        """
        names = list(self.pages)
        _require_unique_names("pages", range(len(names)), names)
        graph = _import_library("networkx").DiGraph()
        graph.add_nodes_from(names)
        ends = self.outlinks.row_ids().tolist(), self.outlinks.ids.tolist()
        source, target = ([names[page] for page in side] for side in ends)
        if self.outlinks.weights is None:
            graph.add_edges_from(zip(source, target, strict=True))
        else:
            weights = self.outlinks.weights.tolist()
            graph.add_weighted_edges_from(zip(source, target, weights, strict=True))
        return graph

    def to_igraph(self) -> Any:
        """The graph as a directed `igraph.Graph`, with the vertex attribute `name`.

        Vertices are in page order. Edges have the attribute `weight`, unless
        all links weigh 1.

        Examples
        --------
        >>> graph = WebGraph.from_links([("a", "x"), ("b", "x", 2.0)]).to_igraph()
        >>> graph.vs["name"], graph.get_edgelist(), graph.es["weight"]
        (['a', 'x', 'b'], [(0, 1), (2, 1)], [1.0, 2.0])
        """
        weights = self.outlinks.weights
        return _import_library("igraph").Graph(
            n=len(self),
            edges=np.column_stack([self.outlinks.row_ids(), self.outlinks.ids]).astype(np.int64),
            directed=True,
            vertex_attrs={"name": list(self.pages)},
            edge_attrs={} if weights is None else {"weight": weights.tolist()},
        )

    def to_scipy(self) -> Any:
        """The weights of the links as a `scipy.sparse.csr_array`, in page order.

        Entry (i, j) is the weight of the link from page i to page j.

        Examples
        --------
        >>> WebGraph.from_links([("a", "x"), ("b", "x", 2.0)]).to_scipy().toarray()
        array([[0., 1., 0.],
               [0., 0., 0.],
               [0., 2., 0.]])
        """
        weights = link_weights(self.outlinks).astype(np.float64)
        # A copy, because a matrix can be changed and a web graph cannot.
        return _to_scipy_csr(self.outlinks, weights, len(self)).copy()

    @property
    def names(self) -> pa.Array:
        """The names of the pages as one Arrow array."""
        return to_name_array(self.pages)

    @property
    def link_count(self) -> int:
        """The number of links, parallel ones counted once."""
        return self.operator().link_count if self._link_ends else len(self.outlinks.ids)

    def operator(self, *, weighted: bool = False) -> LinkOperator:
        """The link operator of the selected backend, built on first use."""
        weighted = weighted and self.outlinks.weights is not None
        link_count = len(self._link_ends[0] if self._link_ends else self.outlinks.ids)
        key = weighted, select_backend(link_count)
        if key not in self._operators:
            links = Adjacency(self.outlinks, self.inlinks, self._link_ends, len(self))
            self._operators[key] = build_operator(links, weighted=weighted)
        return self._operators[key]

    def indegrees(self, *, weighted: bool = False) -> Floats:
        """The in-degree of each page, or the sum of the weights."""
        if self._link_ends and not weighted:
            return self.operator().to_host(self.operator().indegrees())
        return row_sums(self.inlinks, weighted=weighted)

    def outdegrees(self, *, weighted: bool = False) -> Floats:
        """The out-degree of each page, or the sum of the weights."""
        if self._link_ends and not weighted:
            return self.operator().to_host(self.operator().outdegrees())
        return row_sums(self.outlinks, weighted=weighted)

    def page_numbers(self, pages: Iterable[str]) -> Ids:
        """The numbers of pages by their names; an unknown name is an error."""
        names = self.names
        wanted = pa.array(list(pages), names.type)
        # A lookup table of the wanted names only is much smaller than one of all.
        at = pc.indices_nonzero(pc.is_in(names, wanted))
        position = pc.index_in(wanted, names.take(at))
        if position.null_count:
            page = wanted.filter(pc.is_null(position))[0].as_py()
            raise UnknownName("page", page, (), hint="names must match those of the graph")
        return np.asarray(at.take(position), np.int32)

    def page_number(self, page: str) -> int:
        """The number of a page by its name, -1 for none."""
        return int(pc.index(self.names, page).as_py())

    def __len__(self) -> int:
        return len(self.pages)

    def __repr__(self) -> str:
        sizes = pluralise(len(self), self.level), pluralise(self.link_count, "link")
        return f"<WebGraph: {', '.join(sizes)}>"


def to_name_array(pages: Sequence[str]) -> pa.Array:
    """Page names as one Arrow array."""
    if isinstance(pages, NumericNames):
        return pa.array(np.arange(len(pages), dtype=np.int32)).cast(pa.string())
    return pages.array if isinstance(pages, ArrowNames) else pa.array(pages, pa.string())


def row_sums(rows: CSR, *, weighted: bool = False) -> Floats:
    """The number of links of each row, or the sum of their weights."""
    counts = np.diff(rows.starts)
    if not weighted or rows.weights is None:
        return counts.astype(np.float64)
    row = np.repeat(np.arange(len(counts)), counts)
    return np.bincount(row, rows.weights, len(counts)).astype(np.float64)


def _encode_links(links: Any) -> tuple[list[str], Ids, Ids, Floats]:
    """Page names in order of appearance, and source, target and weight of each link."""
    if not isinstance(links, Iterable) or isinstance(links, str | bytes):
        raise BadParameter(f"{shorten(repr(links), 200)} holds no links", hint=INPUT_HINT)
    number, source, target, weight = dict[str, int](), list[int](), list[int](), list[float]()
    for at, link in enumerate(links, start=1):
        if not _is_link(link):
            raise BadParameter(f"link {at:,} is {shorten(repr(link), 200)}", hint=LINK_HINT)
        source.append(number.setdefault(link[0], len(number)))
        target.append(number.setdefault(link[1], len(number)))
        weight.append(link[2] if len(link) > 2 else 1.0)
    ends = np.array(source, np.int32), np.array(target, np.int32)
    try:
        return list(number), *ends, np.array(weight, np.float64)
    except OverflowError:
        raise BadParameter(
            "the weight of a link is too large for a float", hint=LINK_HINT
        ) from None


def _is_link(link: Any) -> bool:
    """Whether it is two names, or two names and a number."""
    return (
        isinstance(link, tuple | list | np.ndarray)
        and 2 <= len(link) <= 3
        and isinstance(link[0], str)
        and isinstance(link[1], str)
        and (len(link) == 2 or isinstance(link[2], float | int | np.number))
    )


def _igraph_names(graph: Any) -> Sequence[str] | int:
    """The names of the vertices of an igraph graph; their number where they have none."""
    if "name" not in graph.vs.attributes():
        return int(graph.vcount())
    names = [str(at if name is None else name) for at, name in enumerate(graph.vs["name"])]
    _require_unique_names("vertices", range(len(names)), names)
    return names


def _require_unique_names(kind: str, nodes: Iterable[object], names: Iterable[str]) -> None:
    """Refuse two nodes of one name, and name both."""
    first = dict[str, object]()
    for node, name in zip(nodes, names, strict=True):
        if name in first:
            both = " and ".join(shorten(repr(other), 200) for other in (first[name], node))
            raise BadParameter(
                f"the {kind} {both} have the same name {shorten(repr(name), 200)}",
                hint="give each a name of its own",
            )
        first[name] = node


def _import_library(name: str) -> ModuleType:
    """Import a library that Weft does not require."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise WeftError(f"{name} is not installed", hint=f"pip install {name}") from None


def _read_name_column(table: pa.Table, column: str) -> pa.Array:
    """A column of names as strings."""
    try:
        return table[column].cast(pa.string()).combine_chunks()
    except pa.ArrowException:
        data_type = table[column].type
        raise BadParameter(
            f"the column {column} holds {data_type}, not names", hint="give text or numbers"
        ) from None


def _require_numeric(values: Any, what: str) -> Any:
    """The values as an array of numbers; refuse text, dates and other types."""
    array = values if hasattr(values, "dtype") else np.asarray(values)
    if array.dtype.kind not in "biuf" and array.size:
        raise BadParameter(f"{what} are numbers, not {array.dtype}")
    return array if array.size else array.astype(float)


def _check_page_numbers(numbers: Any, n: int) -> Ids:
    """Page numbers as an int32 array; refuse numbers that no page has."""
    ids = np.asarray(numbers)
    if len(ids) and ids.dtype.kind not in "iu":
        raise BadParameter(
            f"page numbers are integers, not {ids.dtype}", hint="pages are numbered from 0"
        )
    if len(ids) and not 0 <= int(ids.min()) <= int(ids.max()) < n:
        wrong = int(ids.min()) if ids.min() < 0 else int(ids.max())
        raise BadParameter(f"no page has the number {wrong}", hint=f"there are {n:,} pages, from 0")
    return np.ascontiguousarray(ids, np.int32)


def build_csr(source: Ids, target: Ids, weight: Any, n: int, *, self_links: bool = False) -> CSR:
    """Build a CSR matrix from links; the weights of parallel links are added up.

    Without weights each link weighs one. Links of weight 0 are dropped, and
    self-links unless `self_links` is set.
    """
    weights = None if weight is None else np.asarray(weight, float)
    kept = (source != target) | self_links
    if weights is not None:
        kept &= weights > 0
    key = pack_pairs(source[kept], target[kept])
    if weights is None:
        key.sort()
        first = np.flatnonzero(np.diff(key, prepend=-1))
        return csr_from_keys(key[first], np.diff(first, append=len(key)), n)
    order = np.argsort(key, kind="stable")
    key = key[order]
    first = np.flatnonzero(np.diff(key, prepend=-1))
    sums = np.add.reduceat(weights[kept][order], first) if len(first) else None
    return csr_from_keys(key[first], sums, n)


def _sort_into_csr(source: Ids, target: Ids, n: int) -> CSR:
    """Build a CSR matrix from links without weights, by a compiled counting sort."""
    from weft.kernels.csr import csr_from_edges  # noqa: PLC0415  a compiler is slow to load

    return csr_from_edges(source, target, n)


def _check_weights(weight: Any, names: Sequence[str], source: Ids, target: Ids) -> Floats:
    """The weights of links as floats; refuse invalid ones and name the first such link."""
    weights: Floats = np.asarray(_require_numeric(weight, "weights"), float)
    if weights.shape != source.shape:
        raise BadParameter(f"{weights.size:,} weights do not fit {len(source):,} links")
    bad = ~((weights == 0) | (weights >= MIN_LINK_WEIGHT) & (weights <= MAX_LINK_WEIGHT))
    if bad.any():
        row = int(np.argmax(bad))
        link = f"link {row + 1:,}, from {names[source[row]]!r} to {names[target[row]]!r}"
        cure = f"a weight is 0, or a number from {MIN_LINK_WEIGHT:g} to {MAX_LINK_WEIGHT:g}"
        raise BadParameter(f"{link}, has the weight {weights[row]:g}", hint=cure)
    return weights


def transpose(rows: CSR, n: int) -> CSR:
    """Transpose a CSR matrix of n rows and columns; weights that are all one are not stored."""
    unweighted = rows.weights is None or bool((rows.weights == 1).all())
    values: Any = (
        np.ones(len(rows.ids), np.int8) if unweighted else to_float32_if_exact(link_weights(rows))
    )
    # The CSC form of a matrix is the CSR form of its transpose.
    turned = _to_scipy_csr(rows, values, n).tocsc()
    starts, ids = turned.indptr.astype(np.int64), turned.indices.astype(np.int32, copy=False)
    return CSR(starts, ids, None if unweighted else turned.data)


def _to_scipy_csr(rows: CSR, values: Any, n: int) -> Any:
    """The SciPy matrix of n rows and columns with these values; it shares the arrays."""
    from scipy.sparse import csr_array  # noqa: PLC0415  slow to load

    # SciPy wants offsets of the same width as the ids, wherever these are enough.
    offset_dtype = np.int32 if len(rows.ids) <= np.iinfo(np.int32).max else np.int64
    arrays = values, np.asarray(rows.ids), np.asarray(rows.starts, offset_dtype)
    return csr_array(arrays, shape=(n, n))


def csr_to_scipy(rows: CSR, columns: int, *, with_weights: bool = True) -> Any:
    """CSR rows as a SciPy matrix; all values are one without weights."""
    from scipy.sparse import csr_array  # noqa: PLC0415  slow to load

    weights = rows.weights if with_weights and rows.weights is not None else np.ones(len(rows.ids))
    arrays = np.asarray(weights, float), np.asarray(rows.ids), np.asarray(rows.starts)
    return csr_array(arrays, (len(rows.starts) - 1, columns))


def link_weights(rows: CSR) -> Weights:
    """The weight of each link; ones where the matrix stores none."""
    return np.ones(len(rows.ids), np.float32) if rows.weights is None else rows.weights


def induced_links(rows: CSR, pages: Ids) -> tuple[Offsets, Ids, Ids]:
    """The links among some pages, which ascend.

    Gives their positions in `rows.ids`, and their ends as positions in `pages`.
    """
    from weft.kernels import csr as kernels  # noqa: PLC0415  which loads a compiler

    starts, ids = np.asarray(rows.starts), np.asarray(rows.ids)
    at, source, target = kernels.find_induced_links(
        starts, ids, pages, subset_positions(rows, pages)
    )
    return at, source, target
