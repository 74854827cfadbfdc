"""The web graph: pages, and links both ways, as compressed rows."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self, overload

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import Ids, Offsets, Rows, Weights
from weft.core.errors import BadParameter

Level = Literal["page", "host", "domain"]


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


@dataclass(frozen=True, slots=True, eq=False)
class WebGraph:
    """A directed graph of pages, hosts or domains; immutable, so it can be shared and cached.

    Links to oneself are dropped and parallel links count as one; their number
    is the link's weight, which only methods that want weights look at.
    """

    pages: Sequence[str]
    outlinks: Rows
    inlinks: Rows
    level: Level = "page"

    @classmethod
    def from_links(cls, links: Iterable[tuple[str, str] | tuple[str, str, float]]) -> Self:
        """Number pages in order of appearance; a third item of a link is its weight.

        Examples
        --------
        >>> WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "b")])
        <WebGraph: 3 pages, 2 links>
        """
        number: dict[str, int] = {}
        rows = [
            (number.setdefault(s, len(number)), number.setdefault(t, len(number)), *weight)
            for s, t, *weight in links
        ]
        table = np.array([(s, t, w[0] if w else 1.0) for s, t, *w in rows]).reshape(-1, 3)
        ids = table[:, :2].astype(np.int32).T
        return cls.from_arrays(list(number), ids[0], ids[1], table[:, 2])

    @classmethod
    def from_arrays(
        cls, pages: Sequence[str], source: Ids, target: Ids, weight: Any = None
    ) -> Self:
        """From the ends of each link as page numbers."""
        kept = source != target
        weights = np.ones(len(source)) if weight is None else np.asarray(weight, float)
        if len(weights) and not (np.isfinite(weights).all() and weights.min() >= 0):
            raise BadParameter("weights must be finite and not negative")
        n = len(pages)
        out = compress(source[kept], target[kept], weights[kept], n)
        return cls(pages, out, reverse(out, n))

    @classmethod
    def from_scipy(cls, matrix: Any, pages: Sequence[str] | None = None) -> Self:
        """From a sparse matrix whose entry (i, j) is the weight of the link from i to j."""
        cells = matrix.tocoo()
        if cells.shape[0] != cells.shape[1]:
            raise BadParameter(f"a link matrix is square, this one has shape {cells.shape}")
        names = pages if pages is not None else [str(i) for i in range(cells.shape[0])]
        present = cells.data != 0
        ends = [np.asarray(end)[present].astype(np.int32) for end in (cells.row, cells.col)]
        return cls.from_arrays(names, ends[0], ends[1], cells.data[present])

    @classmethod
    def from_networkx(cls, graph: Any) -> Self:
        """From a NetworkX graph, node names kept; an undirected edge is two links."""
        number = {node: i for i, node in enumerate(graph.nodes)}
        edges = list((graph if graph.is_directed() else graph.to_directed()).edges(data="weight"))
        ends = np.array([(number[s], number[t]) for s, t, _ in edges], np.int32).reshape(-1, 2).T
        weights = [1.0 if w is None else float(w) for _, _, w in edges]
        return cls.from_arrays([str(node) for node in number], ends[0], ends[1], weights)

    @classmethod
    def from_arrow(cls, table: pa.Table) -> Self:
        """From a table with the columns source and target, and weight if there is one."""
        missing = {"source", "target"} - set(table.column_names)
        if missing:
            raise BadParameter(f"the table has no column {' and '.join(sorted(missing))}")
        both = [table[side].cast(pa.string()).combine_chunks() for side in ("source", "target")]
        codes = pa.chunked_array(both).dictionary_encode()
        ends = [chunk.indices.to_numpy().astype(np.int32) for chunk in codes.chunks]
        if len(ends) < 2:
            ends = [np.zeros(0, np.int32)] * 2
        weight = table["weight"].to_numpy() if "weight" in table.column_names else None
        names = codes.chunk(0).dictionary if codes.num_chunks else pa.array([], pa.string())
        return cls.from_arrays(Names(names), ends[0], ends[1], weight)

    def to_arrow(self) -> pa.Table:
        """The links as a table of names: source, target, weight."""
        names = self.names
        sources = np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.outlinks.starts))
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
        return (
            self.pages.array if isinstance(self.pages, Names) else pa.array(self.pages, pa.string())
        )

    @property
    def link_count(self) -> int:
        """How many links there are, parallel ones counted once."""
        return len(self.outlinks.ids)

    def number(self, page: str) -> int:
        """The number of a page by its name, -1 where there is none."""
        return int(pc.index(self.names, page).as_py())

    def __len__(self) -> int:
        return len(self.pages)

    def __repr__(self) -> str:
        things = {"page": "pages", "host": "hosts", "domain": "domains"}[self.level]
        return f"<WebGraph: {len(self):,} {things}, {self.link_count:,} links>"


def compress(source: Ids, target: Ids, weight: Any, n: int) -> Rows:
    """Sort links into rows, and add up the weights of parallel ones."""
    key = source.astype(np.int64) << 32 | target
    order = np.argsort(key, kind="stable")
    key = key[order]
    first = np.flatnonzero(np.diff(key, prepend=-1))
    weights = np.add.reduceat(np.asarray(weight, np.float64)[order], first) if len(first) else None
    return rows_of(key[first], weights, n)


def rows_of(key: Offsets, weights: Any, n: int) -> Rows:
    """Rows from sorted keys, a source above a target each; weights all one are not kept."""
    starts = np.zeros(n + 1, np.int64)
    np.cumsum(np.bincount(key >> 32, minlength=n), out=starts[1:])
    ids = (key & 0xFFFFFFFF).astype(np.int32)
    plain = weights is None or bool((weights == 1).all())
    return Rows(starts, ids, None if plain else np.asarray(weights, np.float32))


def reverse(rows: Rows, n: int) -> Rows:
    """The same links from the other end."""
    source = np.repeat(np.arange(n, dtype=np.int64), np.diff(rows.starts))
    key = rows.ids.astype(np.int64) << 32 | source
    order = np.argsort(key, kind="stable")
    return rows_of(key[order], None if rows.weights is None else rows.weights[order], n)


def link_weights(rows: Rows) -> Weights:
    """The weight of every link, one where none was kept."""
    return np.ones(len(rows.ids), np.float32) if rows.weights is None else rows.weights
