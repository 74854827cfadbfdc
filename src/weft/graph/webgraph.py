"""The web graph: pages, and links both ways, as compressed rows."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any, Self, TypeVar, cast, overload

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import (
    HEAVIEST,
    LIGHTEST,
    Flags,
    Floats,
    Ids,
    Offsets,
    Rows,
    Weights,
    lower,
    narrowed,
    stacked,
    upper,
)
from weft.core.errors import BadParameter, UnknownName
from weft.core.wording import count, shortened
from weft.engine import Flow
from weft.engine.choose import LARGE, Links, machine, ready
from weft.graph.options import Level

T = TypeVar("T")
LINK = "a link is two names, or two names and a number"
HOLDERS = "give pairs of names, a NetworkX graph, a SciPy matrix, or a table with source and target"


class Names(Sequence[str]):
    """Names of pages that stay where Arrow keeps them until one is asked for."""

    def __init__(self, array: pa.Array) -> None:
        self.array = array

    def __len__(self) -> int:
        return len(self.array)

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> list[str]: ...
    def __getitem__(self, at: int | slice) -> str | list[str]:
        found: str | list[str] = (
            self.array[at].to_pylist() if isinstance(at, slice) else self.array[int(at)].as_py()
        )
        return found

    def __iter__(self) -> Iterator[str]:
        for start in range(0, len(self), 1 << 16):
            yield from self.array.slice(start, 1 << 16).to_pylist()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]


class LaterNames(Names):
    """So many names, which are made when one of them is first asked for."""

    def __init__(self, size: int, make: Callable[[], pa.Array]) -> None:
        self.size, self.make = size, cache(make)

    def __len__(self) -> int:
        return self.size

    @property
    def array(self) -> pa.Array:
        """The names as one Arrow array."""
        return self.make()


class Numbers(Sequence[str]):
    """Pages without names of their own, called by their numbers."""

    def __init__(self, size: int) -> None:
        self.size = size

    def __len__(self) -> int:
        return self.size

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> list[str]: ...
    def __getitem__(self, at: int | slice) -> str | list[str]:
        chosen = range(self.size)[at]
        return str(chosen) if isinstance(chosen, int) else [str(i) for i in chosen]


class LaterRows:
    """Rows that are made when they are first looked at."""

    def __init__(self, make: Callable[[], Rows]) -> None:
        self.make = cache(make)

    @property
    def starts(self) -> Offsets:
        """Where each row begins."""
        return self.make().starts

    @property
    def ids(self) -> Ids:
        """The neighbours."""
        return self.make().ids

    @property
    def weights(self) -> Weights | None:
        """The weights, if there are any."""
        return self.make().weights

    def row(self, page: int) -> Ids:
        """The neighbours of one page."""
        return self.make().row(page)

    def owners(self) -> Ids:
        """Whose neighbour each is."""
        return self.make().owners()


@dataclass(frozen=True, slots=True, eq=False)
class WebGraph:
    """A directed graph of pages, hosts or domains; immutable, so it can be shared and cached.

    Links to oneself are dropped, unless `self_links` keeps them, and parallel
    links count as one; their number is the link's weight, which only methods
    that want weights look at. `seen` marks pages that were linked to and never
    fetched, where that is known.
    """

    pages: Sequence[str]
    outlinks: Rows
    inlinks: Rows
    level: Level = "page"
    _ends: tuple[Ids, Ids] | None = field(default=None, repr=False)
    _flows: dict[tuple[bool, str], Flow] = field(default_factory=dict, repr=False)
    seen: Flags | None = field(default=None, repr=False)
    _kept: dict[str, object] = field(init=False, default_factory=dict, repr=False)

    @classmethod
    def of(cls, links: Any) -> "WebGraph":
        """From whatever holds links: a web graph, a NetworkX graph, a matrix, a table, pairs."""
        if isinstance(links, WebGraph):
            return links
        if hasattr(links, "tocoo"):
            return cls.from_scipy(links)
        if hasattr(links, "is_directed"):
            return cls.from_networkx(links)
        if hasattr(links, "__arrow_c_stream__"):
            return cls.from_arrow(pa.table(links))
        return cls.from_links(links)

    @classmethod
    def from_links(
        cls,
        links: Iterable[tuple[str, str] | tuple[str, str, float]],
        *,
        self_links: bool = False,
    ) -> Self:
        """Number pages in order of appearance; a third item of a link is its weight.

        With `self_links`, links of pages to themselves count too, as the
        transitions of a Markov chain do.
        Names are taken as they are: `http://a` and `http://a/` are two pages here,
        whereas `weft add` makes one of them.

        Examples
        --------
        >>> WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "b")])
        <WebGraph: 3 pages, 2 links>
        >>> WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "b")], self_links=True)
        <WebGraph: 3 pages, 3 links>
        """
        return cls.from_arrays(*_numbered(links), self_links=self_links)

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
        """From the ends of each link as page numbers; `pages` may be how many there are.

        Parallel links count as one, which weighs as much as they do together.
        Many links without weights are kept as they are, and sorted into rows
        only when a method looks at rows.
        """
        if isinstance(pages, int) and pages < 0:
            raise BadParameter(f"a graph cannot have {pages} pages", hint="0 or more")
        names = Numbers(pages) if isinstance(pages, int) else pages
        n = len(names)
        ends = _checked(source, n), _checked(target, n)
        if len(ends[0]) != len(ends[1]):
            raise BadParameter(f"{len(ends[0]):,} sources do not fit {len(ends[1]):,} targets")
        if weight is None and len(ends[0]) >= LARGE and not self_links:
            rows = [LaterRows(partial(_many_rows, *way, n)) for way in (ends, ends[::-1])]
            return cls(names, cast(Rows, rows[0]), cast(Rows, rows[1]), "page", ends)
        weights = None if weight is None else _checked_weights(weight, names, *ends)
        out = compress(*ends, weights, n, self_links=self_links)
        return cls(names, out, reverse(out, n))

    @classmethod
    def from_scipy(
        cls, matrix: Any, pages: Sequence[str] | None = None, *, self_links: bool = False
    ) -> Self:
        """From a sparse matrix whose entry (i, j) is the weight of the link from i to j."""
        from scipy.sparse import coo_array  # noqa: PLC0415  slow to load

        cells = coo_array(_numeric(matrix, "entries of a link matrix"))
        if len(set(cells.shape)) != 1 or len(cells.shape) != 2:
            raise BadParameter(f"a link matrix is square, this one has shape {cells.shape}")
        n = cells.shape[0]
        if pages is not None and len(pages) != n:
            raise BadParameter(f"{len(pages):,} names do not fit a matrix of {n:,} rows")
        names = pages if pages is not None else [str(i) for i in range(n)]
        present = cells.data != 0
        ends = [np.asarray(end)[present].astype(np.int32) for end in (cells.row, cells.col)]
        return cls.from_arrays(names, ends[0], ends[1], cells.data[present], self_links=self_links)

    @classmethod
    def from_networkx(cls, graph: Any, *, self_links: bool = False) -> Self:
        """From a NetworkX graph, node names kept; an undirected edge is two links."""
        number = {node: i for i, node in enumerate(graph.nodes)}
        edges = list((graph if graph.is_directed() else graph.to_directed()).edges(data="weight"))
        ends = np.array([(number[s], number[t]) for s, t, _ in edges], np.int32).reshape(-1, 2).T
        weights = [1.0 if w is None else w for _, _, w in edges]
        names = [str(node) for node in number]
        return cls.from_arrays(names, ends[0], ends[1], weights, self_links=self_links)

    @classmethod
    def from_arrow(cls, table: pa.Table, *, self_links: bool = False) -> Self:
        """From a table with the columns source and target, and weight if there is one."""
        missing = {"source", "target"} - set(table.column_names)
        if missing:
            raise BadParameter(
                f"the table has no column {' and '.join(sorted(missing))}",
                hint=f"its columns: {', '.join(table.column_names)}",
            )
        both = [_names_in(table, side) for side in ("source", "target")]
        if nameless := sum(column.null_count for column in both):
            raise BadParameter(
                f"{count(nameless, 'end')} of links without a name", hint="drop them"
            )
        codes = pa.chunked_array(both).dictionary_encode()
        ends = [chunk.indices.to_numpy().astype(np.int32) for chunk in codes.chunks]
        if len(ends) < 2:
            ends = [np.zeros(0, np.int32)] * 2
        weight = table["weight"].to_numpy() if "weight" in table.column_names else None
        names = codes.chunk(0).dictionary if codes.num_chunks else pa.array([], pa.string())
        return cls.from_arrays(Names(names), ends[0], ends[1], weight, self_links=self_links)

    def to_arrow(self) -> pa.Table:
        """The links as a table of names: source, target, weight."""
        names = self.names
        sources = self.outlinks.owners()
        return pa.table(
            {
                "source": names.take(pa.array(sources)),
                "target": names.take(pa.array(self.outlinks.ids)),
                "weight": pa.array(link_weights(self.outlinks)),
            }
        )

    @property
    def names(self) -> pa.Array:
        """The names of the pages as one Arrow array."""
        return as_names(self.pages)

    @property
    def link_count(self) -> int:
        """How many links there are, parallel ones counted once."""
        return self.flow().links if self._ends else len(self.outlinks.ids)

    def flow(self, *, weighted: bool = False) -> Flow:
        """The links made ready for summing, once."""
        weighted = weighted and self.outlinks.weights is not None
        key = (weighted, machine(len(self._ends[0] if self._ends else self.outlinks.ids)))
        if key not in self._flows:
            links = Links(self.outlinks, self.inlinks, self._ends, len(self))
            self._flows[key] = ready(links, weighted=weighted)
        return self._flows[key]

    def once(self, name: str, make: Callable[[], T]) -> T:
        """What follows from the graph alone, made when it is first asked for, and kept with it."""
        if name not in self._kept:
            self._kept[name] = make()
        return cast("T", self._kept[name])

    def indegrees(self, *, weighted: bool = False) -> Floats:
        """How many links lead to each page, or what they weigh."""
        if self._ends and not weighted:
            return self.flow().forward(np.ones(len(self)))
        return totals(self.inlinks, weighted=weighted)

    def outdegrees(self, *, weighted: bool = False) -> Floats:
        """How many links each page has, or what they weigh."""
        if self._ends and not weighted:
            return self.flow().backward(np.ones(len(self)))
        return totals(self.outlinks, weighted=weighted)

    def numbers(self, pages: Iterable[str]) -> Ids:
        """The numbers of pages by their names; a name that is not there is an error."""
        names = self.names
        asked = pa.array(list(pages), names.type)
        at = pc.indices_nonzero(pc.is_in(names, asked))
        found = pc.index_in(asked, names.take(at))
        if found.null_count:
            page = asked.filter(pc.is_null(found))[0].as_py()
            raise UnknownName("page", page, (), hint="names are as the graph has them")
        return np.asarray(at.take(found), np.int32)

    def number(self, page: str) -> int:
        """The number of a page by its name, -1 where there is none."""
        return int(pc.index(self.names, page).as_py())

    def __len__(self) -> int:
        return len(self.pages)

    def __repr__(self) -> str:
        sizes = count(len(self), self.level), count(self.link_count, "link")
        return f"<WebGraph: {', '.join(sizes)}>"


def as_names(pages: Sequence[str]) -> pa.Array:
    """Names as one Arrow array."""
    if isinstance(pages, Numbers):
        return pa.array(np.arange(len(pages), dtype=np.int32)).cast(pa.string())
    return pages.array if isinstance(pages, Names) else pa.array(pages, pa.string())


def spelled(names: pa.Array) -> tuple[Offsets, npt.NDArray[np.uint8]]:
    """Where each name begins and the last ends among the letters of all of them."""
    texts = names.cast(pa.large_string())
    _, ends, letters = texts.buffers()
    starts = np.frombuffer(ends or bytes(8), np.int64)[texts.offset : texts.offset + len(texts) + 1]
    return starts, np.frombuffer(letters or b"", np.uint8)


def totals(rows: Rows, *, weighted: bool = False) -> Floats:
    """How many links each row has, or what they weigh."""
    counts = np.diff(rows.starts)
    if not weighted or rows.weights is None:
        return counts.astype(np.float64)
    places = np.repeat(np.arange(len(counts)), counts)
    return np.bincount(places, rows.weights, len(counts)).astype(np.float64)


def _numbered(links: Any) -> tuple[list[str], Ids, Ids, Floats]:
    """The names of pages in order of appearance, and of each link both ends and the weight."""
    if not isinstance(links, Iterable) or isinstance(links, str | bytes):
        raise BadParameter(f"{shortened(repr(links), 200)} holds no links", hint=HOLDERS)
    number, source, target, weight = dict[str, int](), list[int](), list[int](), list[float]()
    for at, link in enumerate(links, start=1):
        if not _is_link(link):
            told = shortened(repr(link), 200)
            raise BadParameter(f"link {at:,} is {told}", hint=LINK)
        source.append(number.setdefault(link[0], len(number)))
        target.append(number.setdefault(link[1], len(number)))
        weight.append(link[2] if len(link) > 2 else 1.0)
    ends = np.array(source, np.int32), np.array(target, np.int32)
    try:
        return list(number), *ends, np.array(weight, np.float64)
    except OverflowError:
        raise BadParameter("the weight of a link is too large for a float", hint=LINK) from None


def _is_link(link: Any) -> bool:
    """Whether it is two names, or two names and a number."""
    return (
        isinstance(link, tuple | list | np.ndarray)
        and 2 <= len(link) <= 3
        and isinstance(link[0], str)
        and isinstance(link[1], str)
        and (len(link) == 2 or isinstance(link[2], float | int | np.number))
    )


def _names_in(table: pa.Table, column: str) -> pa.Array:
    """A column of names as text."""
    try:
        return table[column].cast(pa.string()).combine_chunks()
    except pa.ArrowException:
        kind = table[column].type
        raise BadParameter(
            f"the column {column} holds {kind}, not names", hint="give text or numbers"
        ) from None


def _numeric(values: Any, what: str) -> Any:
    """Numbers as they are needed; text, dates and other things are none."""
    found = values if hasattr(values, "dtype") else np.asarray(values)
    if found.dtype.kind not in "biuf" and found.size:
        raise BadParameter(f"{what} are numbers, not {found.dtype}")
    return found if found.size else found.astype(float)


def _checked(ends: Any, n: int) -> Ids:
    """Page numbers as they are needed, having seen that each is a page's."""
    found = np.asarray(ends)
    if len(found) and found.dtype.kind not in "iu":
        raise BadParameter(
            f"page numbers are integers, not {found.dtype}", hint="pages are numbered from 0"
        )
    if len(found) and not 0 <= int(found.min()) <= int(found.max()) < n:
        wrong = int(found.min()) if found.min() < 0 else int(found.max())
        raise BadParameter(f"no page has the number {wrong}", hint=f"there are {n:,} pages, from 0")
    return np.ascontiguousarray(found, np.int32)


def compress(source: Ids, target: Ids, weight: Any, n: int, *, self_links: bool = False) -> Rows:
    """Sort links into rows, and add up the weights of parallel ones, each one where not given.

    Links that weigh nothing are left out, and without `self_links` those to oneself.
    """
    weights = None if weight is None else np.asarray(weight, float)
    kept = (source != target) | self_links
    if weights is not None:
        kept &= weights > 0
    key = stacked(source[kept], target[kept])
    if weights is None:
        key.sort()
        first = np.flatnonzero(np.diff(key, prepend=-1))
        return rows_of(key[first], np.diff(first, append=len(key)), n)
    order = np.argsort(key, kind="stable")
    key = key[order]
    first = np.flatnonzero(np.diff(key, prepend=-1))
    sums = np.add.reduceat(weights[kept][order], first) if len(first) else None
    return rows_of(key[first], sums, n)


def _many_rows(source: Ids, target: Ids, n: int) -> Rows:
    from weft.engine.sorted import sorted_rows  # noqa: PLC0415  a compiler is slow to load

    return sorted_rows(source, target, n)


def _checked_weights(given: Any, names: Sequence[str], source: Ids, target: Ids) -> Floats:
    """The weights of links, having seen that each is one; the first that is not is named."""
    weights: Floats = np.asarray(_numeric(given, "weights"), float)
    if weights.shape != source.shape:
        raise BadParameter(f"{weights.size:,} weights do not fit {len(source):,} links")
    bad = ~((weights == 0) | (weights >= LIGHTEST) & (weights <= HEAVIEST))
    if bad.any():
        row = int(np.argmax(bad))
        link = f"link {row + 1:,}, from {names[source[row]]!r} to {names[target[row]]!r}"
        cure = f"a weight is 0, or a number from {LIGHTEST:g} to {HEAVIEST:g}"
        raise BadParameter(f"{link}, has the weight {weights[row]:g}", hint=cure)
    return weights


def rows_of(key: Offsets, weights: Any, n: int) -> Rows:
    """Rows from sorted keys, a source above a target each; weights all one are not kept."""
    starts = np.zeros(n + 1, np.int64)
    np.cumsum(np.bincount(upper(key), minlength=n), out=starts[1:])
    ids = lower(key).astype(np.int32)
    plain = weights is None or bool((weights == 1).all())
    return Rows(starts, ids, None if plain else narrowed(weights))


def reverse(rows: Rows, n: int) -> Rows:
    """The same links from the other end; weights all one are not kept."""
    from scipy.sparse import csr_array  # noqa: PLC0415  slow to load

    plain = rows.weights is None or bool((rows.weights == 1).all())
    values: Any = np.ones(len(rows.ids), np.int8) if plain else narrowed(link_weights(rows))
    narrow = np.int32 if len(rows.ids) <= np.iinfo(np.int32).max else np.int64
    cells = values, np.asarray(rows.ids), np.asarray(rows.starts, narrow)
    turned: Any = csr_array(cells, shape=(n, n)).tocsc()
    starts, ids = turned.indptr.astype(np.int64), turned.indices.astype(np.int32, copy=False)
    return Rows(starts, ids, None if plain else turned.data)


def link_weights(rows: Rows) -> Weights:
    """The weight of every link, one where none was kept."""
    return np.ones(len(rows.ids), np.float32) if rows.weights is None else rows.weights
