"""The links of an edge table in blocks of pages, as files that Python reads on executors.

Pages are cut into ranges of equal size. For both directions, block j has the links of
the pages of its range in rows: of in-links (`in`) or out-links (`out`). The pages at
the other ends are numbered within the block, in the order of their numbers: these are
the `neighbours` whose values a sum over the rows of a block needs, each of them once.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa

from weft.core.arrays import CSR, Floats, Ids, Offsets, to_float32_if_exact
from weft.engine.operator import LinkOperator, sum_rows
from weft.kernels.bipartite_components import BipartiteComponents
from weft.spark.array_folder import ArrayFolder
from weft.spark.cluster import Cluster, map_batches
from weft.spark.edge_table import look_up_numbers

if TYPE_CHECKING:
    from weft.spark.edge_table import EdgeTable

Direction = Literal["in", "out"]
ENDS: dict[Direction, tuple[str, str]] = {"in": ("target", "source"), "out": ("source", "target")}
MAX_BLOCK_LINKS = 50_000_000
# The links that a task sends to all blocks at a time.
MIN_SPLIT_LINKS = 1_000_000
# Up to here, a table of all pages is a faster way to number neighbours than to sort them.
MAX_PAGES_PER_LINK = 8
T = TypeVar("T")


class Block(NamedTuple):
    """The links of a range of pages in one direction: rows of positions in `neighbours`."""

    first_page: int
    rows: CSR
    neighbours: Offsets

    @property
    def page_count(self) -> int:
        """The number of pages, each with a row."""
        return len(self.rows.starts) - 1

    def totals(self, *, weighted: bool) -> Floats:
        """The degree of each page, or the sum of the weights of its links."""
        ones = np.ones(len(self.neighbours))
        return sum_rows(self.rows, ones, weighted=weighted)


@dataclass(frozen=True, slots=True, eq=False)
class LinkBlocks:
    """The links of `page_count` pages in `count` blocks, and how tasks get at them."""

    cluster: Cluster
    files: "BlockFiles"
    link_count: int
    notes: tuple[str, ...] = ()

    @property
    def page_count(self) -> int:
        """The number of pages."""
        return self.files.page_count

    def map(self, function: Callable[["BlockFiles", int], T], label: str = "") -> list[T]:
        """Call a function for each block, on the executors; results in the order of blocks."""
        return self.cluster.run(partial(function, self.files), range(self.files.count), label)

    def degrees(self, direction: Direction, *, weighted: bool = False) -> Floats:
        """The in-degrees or out-degrees of all pages."""
        parts = self.map(partial(_row_totals, direction=direction, weighted=weighted), "degrees")
        return np.concatenate([np.zeros(0), *parts])

    def save_degrees(self) -> dict[str, ArrayFolder]:
        """Files with a column of degrees for each direction, with and without weights."""
        columns = {}
        for direction in ENDS:
            for weighted in (False, True):
                name = f"{'weighted ' if weighted else ''}{direction}-degree"
                folder = columns[name] = self.cluster.folder(name.replace(" ", "-"))
                save = partial(_save_totals, to=folder, direction=direction, weighted=weighted)
                self.map(save, "degrees")
        return columns

    def save_columns(self, columns: dict[str, Floats]) -> dict[str, ArrayFolder]:
        """Files with the values of each page, block by block."""
        folders = {}
        for name, values in columns.items():
            folders[name] = self.cluster.folder(f"scores-{name}")
            for block in range(self.files.count):
                folders[name].save(f"{block:05d}", values[self.files.page_slice(block)])
        return folders


@dataclass(frozen=True, slots=True)
class BlockFiles:
    """Where the files of blocks are, and how pages are cut into them; tasks carry it."""

    folder: ArrayFolder
    page_count: int
    count: int
    threads: int = 1

    @property
    def block_size(self) -> int:
        """The number of pages in a block; the last ones may have fewer."""
        return max(1, -(-self.page_count // self.count))

    def page_slice(self, block: int) -> slice:
        """The pages of a block."""
        bounds = (min(at * self.block_size, self.page_count) for at in (block, block + 1))
        return slice(*bounds)

    def load(self, direction: Direction, block: int) -> Block:
        """Map the files of a block."""
        os.environ["WEFT_THREADS"] = str(self.threads)
        name = f"{direction}-{block:05d}"
        starts, ids, neighbours, weights = (
            self.folder.load_kept(f"{name}-{part}")
            for part in ("starts", "ids", "neighbours", "weights")
        )
        rows = CSR(starts, ids, weights if len(weights) else None)
        return Block(self.page_slice(block).start, rows, neighbours)

    def save(self, direction: Direction, block: int, own: Block) -> None:
        """Write the files of a block."""
        name, weights = f"{direction}-{block:05d}", own.rows.weights
        self.folder.save(f"{name}-starts", own.rows.starts)
        self.folder.save(f"{name}-ids", own.rows.ids)
        self.folder.save(f"{name}-neighbours", own.neighbours)
        self.folder.save(f"{name}-weights", np.zeros(0, np.float32) if weights is None else weights)


def build_blocks(table: "EdgeTable") -> LinkBlocks:
    """Write the links of a table in blocks: one an executor, more if they are large.

    Spark hands each link to Python once; what it sends to the writers of blocks are arrays.
    """
    from pyspark.sql import functions as f  # noqa: PLC0415  an extra

    cluster, pages = table.cluster, table.names.count
    count = max(cluster.executors, -(-table.row_counts[1] // MAX_BLOCK_LINKS))
    folder = cluster.folder(f"{table.level}-blocks")
    files = BlockFiles(folder, pages, max(1, min(count, pages)), cluster.threads)
    rows, codes = table.coded_links
    split = partial(split_links, files=files, codes=codes)
    parts = map_batches(
        rows.where("source != target"), split, "place int, keys binary, weights binary"
    )
    sent = parts.repartitionById(len(ENDS) * files.count, f.col("place"))
    with cluster.watch("blocks"):
        written = map_batches(sent, partial(write_block, files=files), "place int, links long")
        links = {row.place: row.links for row in written.collect()}
    for place in {*range(len(ENDS) * files.count)} - {*links}:
        _save_links(files, place, [], [])
    return LinkBlocks(cluster, files, sum(links.values()) // len(ENDS), table.notes)


def split_links(
    batches: Iterable[pa.RecordBatch], files: BlockFiles, codes: ArrayFolder | None
) -> Iterator[pa.RecordBatch]:
    """The links of a partition in parts: arrays for each block and direction.

    The key of a link is its row in the block, times the number of pages, plus the other end.
    A place is a block and direction: `place % 2` is the direction, in the order of `ENDS`.
    """
    for batch in _join_batches(batches):
        ends = {name: batch[name].to_numpy() for name in ("source", "target")}
        if codes is not None:
            ends = {name: look_up_numbers(codes, values) for name, values in ends.items()}
        weights = batch["weight"].to_numpy() if "weight" in batch.schema.names else None
        for direction, (row, other) in enumerate(ENDS.values()):
            block, row_in_block = np.divmod(ends[row], files.block_size)
            keys = row_in_block * files.page_count + ends[other]
            order = np.argsort(block.astype(np.min_scalar_type(files.count)), kind="stable")
            cuts = np.cumsum(np.bincount(block, minlength=files.count))
            for number, chosen in enumerate(np.split(order, cuts[:-1])):
                if len(chosen):
                    place = pa.array([len(ENDS) * number + direction], pa.int32())
                    part = keys[chosen], np.zeros(0) if weights is None else weights[chosen]
                    cells = (pa.array([values.tobytes()], pa.binary()) for values in part)
                    yield pa.record_batch([place, *cells], ["place", "keys", "weights"])


def _join_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The rows of some batches in larger ones."""
    waiting: list[pa.RecordBatch] = []
    for batch in batches:
        waiting.append(batch)
        if sum(map(len, waiting)) >= MIN_SPLIT_LINKS:
            yield pa.concat_batches(waiting)
            waiting = []
    if waiting:
        yield pa.concat_batches(waiting)


def write_block(batches: Iterable[pa.RecordBatch], files: BlockFiles) -> Iterator[pa.RecordBatch]:
    """Write the block whose parts a partition has, or several if Spark joined partitions."""
    parts: dict[int, tuple[list[Offsets], list[Floats]]] = {}
    for batch in batches:
        for place, keys, weights in zip(*batch.columns, strict=True):
            own = parts.setdefault(place.as_py(), ([], []))
            own[0].append(np.frombuffer(keys.as_buffer(), np.int64))
            own[1].append(np.frombuffer(weights.as_buffer(), np.float64))
    for place in sorted(parts):
        links = _save_links(files, place, *parts.pop(place))
        yield pa.record_batch({"place": pa.array([place], pa.int32()), "links": pa.array([links])})


def _save_links(
    files: BlockFiles, place: int, keys: Sequence[Offsets], weights: Sequence[Floats]
) -> int:
    """Sort links into rows, merge parallel ones, and write their block; returns how many remain."""
    block, direction = divmod(place, len(ENDS))
    key = np.concatenate([np.zeros(0, np.int64), *keys])
    weight = np.concatenate([np.zeros(0), *weights])
    if len(weight):
        # By weight too, so that the order in which links arrive changes no sum.
        order = np.lexsort((weight, key))
        key = key[order]
        first = np.flatnonzero(np.diff(key, prepend=-1))
        merged = np.add.reduceat(weight[order], first)
    else:
        key.sort()
        first = np.flatnonzero(np.diff(key, prepend=-1))
        merged = np.diff(first, append=len(key)).astype(np.float64)
    row, other = np.divmod(key[first], max(files.page_count, 1))
    files.save([*ENDS][direction], block, _sort_block(files, block, row, other, merged))
    return len(row)


def _sort_block(
    files: BlockFiles, block: int, row: Offsets, other: Offsets, weights: Floats
) -> Block:
    """The block of some links, sorted by row in the block and by other end."""
    pages = files.page_slice(block)
    counts = np.bincount(row, minlength=pages.stop - pages.start)
    neighbours, ids = _number_neighbours(other, files.page_count)
    unweighted = bool((weights == 1).all())
    stored = None if unweighted else to_float32_if_exact(weights)
    return Block(pages.start, CSR(np.append(0, np.cumsum(counts)), ids, stored), neighbours)


def _number_neighbours(other: Offsets, page_count: int) -> tuple[Offsets, Ids]:
    """The pages at the other ends of links, ascending, and the position of each end in them."""
    if page_count > MAX_PAGES_PER_LINK * len(other):
        neighbours, ids = np.unique(other, return_inverse=True)
        return neighbours, ids.astype(np.int32)
    position = np.zeros(page_count, np.int32)
    position[other] = 1
    neighbours = np.flatnonzero(position)
    position[neighbours] = np.arange(len(neighbours), dtype=np.int32)
    return neighbours, position[other]


def _row_totals(files: BlockFiles, block: int, direction: Direction, *, weighted: bool) -> Floats:
    return files.load(direction, block).totals(weighted=weighted)


def _save_totals(
    files: BlockFiles, block: int, to: ArrayFolder, direction: Direction, *, weighted: bool
) -> None:
    to.save(f"{block:05d}", _row_totals(files, block, direction, weighted=weighted))


@dataclass(frozen=True, slots=True, eq=False)
class BroadcastOperator(LinkOperator):
    """A link operator whose vectors are here, and whose links are in blocks on executors.

    A product sends the vector to each executor once; each block sends back the sums
    over its rows. A row is summed by one thread from its first link to its last, so that
    neither the number of blocks nor a repeated task changes a bit.
    """

    blocks: LinkBlocks
    weighted: bool = False

    @property
    def n(self) -> int:
        """The number of pages."""
        return self.blocks.page_count

    @property
    def link_count(self) -> int:
        """The number of links."""
        return self.blocks.link_count

    @property
    def batches_columns(self) -> bool:
        """Each column is sent by itself."""
        return False

    def rmatvec(self, x: Floats) -> Floats:
        """A'x."""
        return self._sum_rows("in", x)

    def matvec(self, x: Floats) -> Floats:
        """A x."""
        return self._sum_rows("out", x)

    def _sum_rows(self, direction: Direction, x: Floats) -> Floats:
        if x.ndim > 1:
            columns = [self._sum_rows(direction, column) for column in x.T]
            return np.stack(columns, axis=1)
        with self.blocks.cluster.broadcast(np.ascontiguousarray(x)) as shared:
            add = partial(_sum_block, direction=direction, shared=shared, weighted=self.weighted)
            return np.concatenate([np.zeros(0), *self.blocks.map(add)])

    def hub_authority_components(self) -> BipartiteComponents:
        """The connected components of the bipartite graph of hubs and authorities."""
        from weft.spark.structure import bipartite_components  # noqa: PLC0415  loads a compiler

        return bipartite_components(self.blocks)


def _sum_block(
    files: BlockFiles, block: int, direction: Direction, shared: Any, *, weighted: bool
) -> Floats:
    own = files.load(direction, block)
    return sum_rows(own.rows, shared.value[own.neighbours], weighted=weighted)


def split_ends(files: BlockFiles, neighbours: Offsets) -> Offsets:
    """Where the neighbours of each block begin in a sorted list of them, and its end."""
    firsts = np.arange(files.count + 1, dtype=np.int64) * files.block_size
    ends: Offsets = np.searchsorted(neighbours, firsts).astype(np.int64)
    return ends
