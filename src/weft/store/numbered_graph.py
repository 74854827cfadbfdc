"""Store a graph whose nodes are numbers as one segment: names once, links as integers.

Links wait in a temporary file until all nodes are known. They are then sorted
in buckets of rows, on all cores, and written bucket by bucket, so that memory
follows the number of nodes, not that of links.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import (
    Floats,
    Ids,
    Offsets,
    Weights,
    pack_pairs,
    sort_unique,
    to_float32_if_exact,
    unpack_pairs,
)
from weft.core.progress import track
from weft.gather.page import NodeScores, NumberedLinks
from weft.gather.url import sort_keys
from weft.store import segment as segments
from weft.store.arrow_files import ScratchTable, merge_distinct_rows, positions_of_keys
from weft.store.manifest import Segment

LINKS_PER_BUCKET, MAX_BUCKETS = 1 << 22, 256
SAMPLED_LINKS = 64  # one of so many, for the bounds of buckets
NAMES_PER_BLOCK = 1 << 17
DENSE_NUMBERS, DENSE_NUMBERS_PER_LINK = 1 << 24, 2
URL_SCHEMA = pa.schema({"key": pa.string(), "url": pa.string()})
SCRATCH_SCHEMA = pa.schema({"key": pa.large_string(), "url": pa.large_string()})
PAGE_SCHEMA = pa.schema({"url": pa.int32(), "kind": pa.string(), "title": pa.string()})


@dataclass(frozen=True, slots=True, eq=False)
class NodeRows:
    """The row of each node of a graph: by number where these are dense, else by their order."""

    numbers: Offsets
    rows: Ids

    def of(self, numbers: npt.NDArray[Any]) -> Ids:
        """The rows of some nodes."""
        return self.rows[np.searchsorted(self.numbers, numbers) if len(self.numbers) else numbers]


class NodeNumbers:
    """The distinct numbers of nodes; memory follows how many they are, not how large."""

    def __init__(self) -> None:
        self.flags, self.large, self.seen = np.zeros(1 << 16, bool), [np.zeros(0, np.int64)], 0

    @property
    def dense_limit(self) -> int:
        """Numbers below this are looked up in an array."""
        return DENSE_NUMBERS + DENSE_NUMBERS_PER_LINK * self.seen

    def add(self, numbers: npt.NDArray[Any]) -> None:
        """Add the ends of links."""
        numbers = numbers.astype(np.int64, copy=False)
        self.seen += len(numbers) // 2
        top = int(numbers.max(initial=-1))
        if top >= self.dense_limit:
            is_large = numbers >= self.dense_limit
            self.large.append(np.unique(numbers[is_large]))
            if len(self.large[-1]) + sum(map(len, self.large[1:])) > 2 * len(self.large[0]):
                self.large = [np.unique(np.concatenate(self.large))]
            numbers = numbers[~is_large]
            top = int(numbers.max(initial=-1))
        if top >= len(self.flags):
            flags = np.zeros(max(2 * len(self.flags), top + 1), bool)
            flags[: len(self.flags)] = self.flags
            self.flags = flags
        self.flags[numbers] = True

    def to_array(self) -> Offsets:
        """The numbers, ascending."""
        small, large = np.flatnonzero(self.flags), np.concatenate(self.large)
        return sort_unique(np.concatenate([small, large])) if len(large) else small

    def lay_out(self, numbers: Offsets, rows: Ids) -> NodeRows:
        """Look-ups of the rows of `numbers`, which ascend."""
        top = int(numbers.max(initial=-1))
        if top >= self.dense_limit:
            return NodeRows(numbers, rows)
        by_number = np.zeros(top + 1, np.int32)
        by_number[numbers] = rows
        return NodeRows(np.zeros(0, np.int64), by_number)


class NumberedGraph:
    """Links between numbers in a temporary file, which become a segment."""

    def __init__(self, folder: Path, input_digest: str) -> None:
        self.folder, self.input_digest = folder, input_digest
        self.nodes, self.link_count, self.node_count = NodeNumbers(), 0, 0
        self.names: pa.Array | None = None
        self.scores: ScratchTable | None = None
        self.unknown_scores = 0  # of names that the graph does not have, once it is written
        self.blocks: list[tuple[int, str]] = []
        self.sample = list[npt.NDArray[Any]]([np.zeros(0, np.int64)])

    def __enter__(self) -> Self:
        self.files = ExitStack()
        return self

    def __exit__(self, *_: object) -> None:
        self.files.close()

    @property
    def is_empty(self) -> bool:
        """Whether there are neither nodes nor links."""
        return not (self.link_count or self.node_count)

    def append(self, links: NumberedLinks) -> None:
        """Add a batch of links."""
        if self.is_empty:
            self.folder.mkdir(parents=True, exist_ok=True)
            self.spool = self.files.enter_context(
                TemporaryFile(dir=self.folder)  # noqa: SIM115  the stack closes it
            )
        self.names, ends = links.names, np.concatenate([links.source, links.target])
        if self.names is None:
            self.nodes.add(ends)
            self.nodes.add(links.nodes)
        dtype = "<i4" if ends.max(initial=0) < 1 << 31 else "<i8"
        self.spool.write(ends.astype(dtype, copy=False).data)
        self.blocks.append((len(links.source), dtype))
        self.sample.append(links.source[::SAMPLED_LINKS].copy())
        self.link_count += len(links.source)
        self.node_count += len(links.nodes if links.names is None else links.names)

    def append_scores(self, batch: NodeScores) -> None:
        """Add scores of nodes."""
        if self.scores is None:
            schema = pa.schema(
                {"key": pa.large_string(), **dict.fromkeys(batch.scores, pa.float64())}
            )
            self.scores = self.files.enter_context(ScratchTable(self.folder, schema))
        self.scores.append({"key": sort_keys(batch.names), **batch.scores})

    def write(self, name: str, part: int) -> Segment:
        """Write the segment: a listed page for every node, and the links."""
        with segments.new_segment_folder(self.folder, name) as temporary:
            with segments.table_writer(temporary, "urls.parquet", URL_SCHEMA) as urls:
                rows, keys = self._write_names(urls)
            self._write_pages(temporary / "pages.parquet", keys)
            links = self._write_links(temporary / "links.parquet", rows, len(keys))
        segment = Segment(name, len(keys), links, self.input_digest, part)
        return segments.describe_segment(self.folder, segment)

    def _write_names(self, urls: Any) -> tuple[NodeRows, Any]:
        """Write the names in the order of their keys, each once; the row of each node.

        Also the keys; of nodes that are named by their numbers, these in their order.
        """
        if self.names is None:
            numbers = self.nodes.to_array()
            order = _order_as_text(numbers)
            for table in _name_numbers(numbers[order]):
                urls.write_table(table, segments.URL_GROUP_ROWS)
            rows = np.empty(len(numbers), np.int32)
            rows[order] = np.arange(len(numbers), dtype=np.int32)
            return self.nodes.lay_out(numbers, rows), order
        merged = self.files.enter_context(ScratchTable(self.folder, SCRATCH_SCHEMA))
        rows = _merge_names(self.names, merged)
        table = merged.to_table()
        for start in range(0, len(table), NAMES_PER_BLOCK):
            urls.write_table(table.slice(start, NAMES_PER_BLOCK).cast(URL_SCHEMA))
        return NodeRows(np.zeros(0, np.int64), rows), table["key"]

    def _write_pages(self, path: Path, keys: Any) -> None:
        """Write a listed page for every name, with its scores."""
        n, scores = len(keys), dict[str, Floats]()
        published = None if self.scores is None else self.scores.to_table()
        if published is not None:
            scores = {name: np.full(n, np.nan) for name in published.column_names[1:]}
            for start in range(0, len(published), NAMES_PER_BLOCK):
                block = published.slice(start, NAMES_PER_BLOCK).sort_by("key")
                rows = positions_of_keys(keys, block["key"].combine_chunks())
                self.unknown_scores += int(np.count_nonzero(rows < 0))
                for column, values in scores.items():
                    values[rows[rows >= 0]] = block[column].to_numpy()[rows >= 0]
        schema = pa.schema([*PAGE_SCHEMA, *((column, pa.float64()) for column in scores)])
        with segments.table_writer(path.parent, path.name, schema) as writer:
            for start in range(0, n, NAMES_PER_BLOCK):
                end = min(start + NAMES_PER_BLOCK, n)
                numbers = np.arange(start, end, dtype=np.int32)
                listed = [numbers, pa.repeat("listed", end - start), pa.repeat("", end - start)]
                own_scores = [values[start:end] for values in scores.values()]
                table = pa.table([*listed, *own_scores], schema)
                writer.write_table(table, segments.GRAPH_PAGE_GROUP_ROWS)

    def _write_links(self, path: Path, rows: NodeRows, page_count: int) -> int:
        """Write the links by page and target, parallel ones added up; return their number."""
        from weft.kernels.threads import map_in_threads  # noqa: PLC0415  loads the compiler

        bucket_of_page = self._balance_buckets(rows, page_count)
        with ExitStack() as stack:
            files = self._fill_buckets(stack, rows, bucket_of_page)
            for dtype in (np.float32, np.float64):
                count, is_exact = 0, True
                schema = pa.schema(
                    {"page": pa.int32(), "target": pa.int32(), "weight": pa.from_numpy_dtype(dtype)}
                )
                with segments.table_writer(path.parent, path.name, schema) as writer:
                    tables = map_in_threads(_sort_bucket, files)
                    for page, target, weight in track(tables, "sort", len(files)):
                        is_exact &= weight.dtype == np.float32
                        arrays = [page, target, weight.astype(dtype)]
                        writer.write_table(pa.table(arrays, schema), segments.LINK_GROUP_ROWS)
                        count += len(page)
                if is_exact:
                    break
        return count

    def _balance_buckets(self, rows: NodeRows, page_count: int) -> npt.NDArray[np.uint8]:
        """The bucket of each page; buckets are ranges of pages with about as many links."""
        sources = np.sort(rows.of(np.concatenate(self.sample)))
        count = min(MAX_BUCKETS, self.link_count // LINKS_PER_BUCKET + 1)
        quantiles = np.arange(1, count) * len(sources) // count
        bounds = np.concatenate([[0], sources[quantiles], [page_count]])
        return np.repeat(np.arange(count, dtype=np.uint8), np.diff(bounds))

    def _fill_buckets(
        self, stack: ExitStack, rows: NodeRows, bucket_of_page: npt.NDArray[np.uint8]
    ) -> list[Any]:
        """Files of packed links, by buckets of pages."""
        from weft.kernels.link_order import group_into_buckets  # noqa: PLC0415  loads the compiler
        from weft.kernels.threads import map_in_threads  # noqa: PLC0415  as above

        count = int(bucket_of_page.max(initial=0)) + 1
        files = [
            stack.enter_context(TemporaryFile(dir=self.folder))  # noqa: SIM115  the stack closes it
            for _ in range(count)
        ]

        def group(ends: npt.NDArray[Any]) -> tuple[Offsets, Weights, Offsets]:
            keys = pack_pairs(*rows.of(ends).reshape(2, -1))
            return group_into_buckets(keys, np.zeros(0, np.float32), bucket_of_page, count)

        grouped = map_in_threads(group, self._read_spool())
        for keys, _, starts in track(grouped, "group", len(self.blocks)):
            for file, (start, end) in zip(files, pairwise(starts), strict=True):
                file.write(keys[start:end].data)
        return files

    def _read_spool(self) -> Iterator[npt.NDArray[Any]]:
        """The sources and targets of each block, the ones after the others."""
        self.spool.seek(0)
        for size, dtype in self.blocks:
            yield np.fromfile(self.spool, dtype, 2 * size)


def _order_as_text(numbers: Offsets) -> Offsets:
    """The order of numbers by their digits: 1, 10, 100, 2.

    Examples
    --------
    >>> numbers = np.array([0, 1, 2, 10, 21, 100])
    >>> numbers[_order_as_text(numbers)].tolist()
    [0, 1, 10, 100, 2, 21]
    """
    digits = np.ones(len(numbers), np.int64)
    width = len(str(int(numbers.max(initial=0))))
    for power in range(1, width):
        digits += numbers >= 10**power
    # Filled up with zeros to the same width; of equal ones the shorter is the smaller number.
    return np.argsort(numbers * 10 ** (width - digits), kind="stable")


def _name_numbers(numbers: Offsets) -> Iterator[pa.Table]:
    """Tables of key and URL of numbers, which are in the order of their keys."""
    from weft.kernels.threads import map_in_threads  # noqa: PLC0415  loads the compiler

    def name(start: int) -> pa.Table:
        urls = pa.array(numbers[start : start + NAMES_PER_BLOCK]).cast(pa.string())
        return pa.table([sort_keys(urls), urls], URL_SCHEMA.names)

    return map_in_threads(name, range(0, len(numbers), NAMES_PER_BLOCK))


def _merge_names(names: pa.Array, merged: ScratchTable) -> Ids:
    """Append key and URL of each distinct name to `merged`, sorted; the row of each name."""
    from weft.kernels.threads import map_in_threads  # noqa: PLC0415  loads the compiler

    def sort(start: int) -> tuple[pa.Table, Any]:
        urls = names.slice(start, NAMES_PER_BLOCK)
        keys = sort_keys(urls.cast(pa.string()))
        order = pc.array_sort_indices(keys)
        return pa.table([keys.take(order), urls.take(order)], URL_SCHEMA.names), order

    with ScratchTable(merged.folder, SCRATCH_SCHEMA) as blocks:
        starts, orders = [0], []
        for table, order in map_in_threads(sort, range(0, len(names), NAMES_PER_BLOCK)):
            blocks.append(table.cast(SCRATCH_SCHEMA))
            orders.append(order.to_numpy().astype(np.int64) + starts[-1])
            starts.append(blocks.row_count)
        positions = merge_distinct_rows(blocks, np.array(starts), merged)
    rows = np.empty(len(names), np.int32)
    for order, position in zip(orders, positions, strict=True):
        rows[order] = position
    return rows


def _sort_bucket(file: Any) -> tuple[Ids, Ids, Weights]:
    """The distinct links of a bucket, sorted, and how often each occurs."""
    file.seek(0)
    keys = np.fromfile(file, np.int64)
    keys.sort()
    first = np.flatnonzero(np.diff(keys, prepend=-1))
    weight = to_float32_if_exact(np.diff(first, append=len(keys)))
    return *unpack_pairs(keys[first]), weight
