"""Build the graph of one segment whose links are sorted: only its transpose needs a sort."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from weft.core.arrays import (
    Ids,
    Offsets,
    Weights,
    pack_pairs,
    to_float32_if_exact,
    unpack_first_ids,
    unpack_second_ids,
)
from weft.core.errors import MalformedFile
from weft.core.progress import track
from weft.store import segment as segments
from weft.store.arrow_files import NpyWriter
from weft.store.numbering import Numbering

LINKS_PER_BUCKET, MAX_BUCKETS, BATCH_LINKS = 1 << 22, 256, 1 << 20


@dataclass(frozen=True, slots=True, eq=False)
class OutLinks:
    """The out-links of all pages on disk, and the number of links of and to each page."""

    path_prefix: Path
    outdegrees: Ids
    indegrees: Ids
    has_weights: bool

    def iter_blocks(self) -> Iterator[tuple[Offsets, Weights]]:
        """Yield links packed as target and source, and their weights, in the order of sources."""
        ids, weights = (
            np.load(f"{self.path_prefix}_{name}.npy", mmap_mode="r") if is_there else np.zeros(0)
            for name, is_there in (("ids", True), ("weights", self.has_weights))
        )
        ends = np.cumsum(self.outdegrees, dtype=np.int64)
        for start in range(0, len(ids), BATCH_LINKS):
            end = min(start + BATCH_LINKS, len(ids))
            first, last = np.searchsorted(ends, [start, end - 1], side="right")
            own_ends: Offsets = np.clip(ends[first : last + 1], start, end)
            counts = own_ends - np.concatenate([[start], own_ends[:-1]])
            source = np.repeat(np.arange(first, last + 1), counts)
            yield pack_pairs(ids[start:end], source), np.asarray(weights[start:end])


def write_sorted_graph(folder: Path, numbering: Numbering, into: Path) -> int:
    """Write the links of the only segment in both directions; return their number.

    Links are grouped into buckets of targets on disk, each of which is sorted
    by counting, on all cores.
    """
    out = _write_outlinks(folder, numbering, into)
    _write_starts(out.outdegrees, into / "out_starts.npy")
    _write_starts(out.indegrees, into / "in_starts.npy")
    starts = np.concatenate([[0], np.cumsum(out.indegrees, dtype=np.int64)])
    count = min(MAX_BUCKETS, int(starts[-1]) // LINKS_PER_BUCKET + 1)
    bounds = np.searchsorted(starts, np.arange(1, count) * starts[-1] // count)
    bounds = np.concatenate([[0], bounds, [len(out.indegrees)]])
    with ExitStack() as stack:
        enter = stack.enter_context
        pairs = ([TemporaryFile(dir=into) for _ in range(2)] for _ in range(count))  # noqa: SIM115
        files = [(enter(keys), enter(weights)) for keys, weights in pairs]
        _fill_buckets(out, bounds, files)
        _write_inlinks(out, bounds, files, into)
    return int(starts[-1])


def _write_outlinks(folder: Path, numbering: Numbering, into: Path) -> OutLinks:
    """Write the out-links, and apart from them the self-links."""
    from weft.kernels.link_order import count_ids  # noqa: PLC0415  loads the compiler

    n, last, weighted = len(numbering.pages), -1, False
    degrees, indegrees = np.zeros(n, np.int32), np.zeros(n, np.int32)
    self_links, self_weights = [np.zeros(0, np.int64)], list[Weights]([np.zeros(0, np.float32)])
    with (
        NpyWriter(into / "out_ids.npy", "<i4") as ids,
        NpyWriter(into / "out_weights.npy", "<f4") as weights,
    ):
        for key, weight in track(_iter_live_links(folder, numbering), "links"):
            if len(key) and (key[0] <= last or (key[1:] <= key[:-1]).any()):
                raise MalformedFile(folder / "links.parquet", "links are not in order, each once")
            last = int(key[-1]) if len(key) else last
            row, target = unpack_first_ids(key), unpack_second_ids(key)
            is_self = row == target
            self_links.append(row[is_self])
            self_weights.append(weight[is_self])
            other = weight[~is_self]
            ids.append(target[~is_self])
            weights.append(to_float32_if_exact(other))
            weighted |= bool((other != 1).any())
            count_ids(row[~is_self], degrees)
            count_ids(target[~is_self], indegrees)
    if not weighted:
        (into / "out_weights.npy").unlink()
    np.save(into / "self_link_ids.npy", np.concatenate(self_links).astype(np.int32))
    np.save(into / "self_link_weights.npy", to_float32_if_exact(np.concatenate(self_weights)))
    return OutLinks(into / "out", degrees, indegrees, weighted)


def _iter_live_links(folder: Path, numbering: Numbering) -> Iterator[tuple[Offsets, Weights]]:
    """Yield the packed links of live pages, and their weights."""
    columns = ["page", "target", "weight"]
    for batch in segments.iter_batches(folder, "links.parquet", columns, BATCH_LINKS):
        row = numbering.page_of_row[0][batch["page"].to_numpy()]
        target = numbering.page_of_url[0][batch["target"].to_numpy()]
        live = row >= 0
        yield pack_pairs(row[live], target[live]), batch["weight"].to_numpy()[live]


def _fill_buckets(
    out: OutLinks, bounds: Offsets, files: Sequence[tuple[IO[bytes], IO[bytes]]]
) -> None:
    """Write the links and weights to the buckets of their targets."""
    from weft.kernels.link_order import group_into_buckets  # noqa: PLC0415  loads the compiler
    from weft.kernels.threads import map_in_threads  # noqa: PLC0415  as above

    bucket_of_page = np.repeat(np.arange(len(files), dtype=np.uint8), np.diff(bounds))

    def group(block: tuple[Offsets, Weights]) -> tuple[Offsets, Weights, Offsets]:
        return group_into_buckets(*block, bucket_of_page, len(files))

    for keys, weights, starts in map_in_threads(group, out.iter_blocks()):
        for (key_file, weight_file), (start, end) in zip(files, pairwise(starts), strict=True):
            key_file.write(keys[start:end].data)
            weight_file.write(weights[start:end].data)


def _write_inlinks(
    out: OutLinks, bounds: Offsets, files: Sequence[tuple[IO[bytes], IO[bytes]]], into: Path
) -> None:
    """Sort the buckets, and write them as the in-links of their pages."""
    from weft.kernels.link_order import sort_by_row  # noqa: PLC0415  loads the compiler
    from weft.kernels.threads import map_in_threads  # noqa: PLC0415  as above

    dtype: npt.DTypeLike = np.float32
    if out.has_weights:
        dtype = np.load(f"{out.path_prefix}_weights.npy", mmap_mode="r").dtype

    def sort(bucket: tuple[tuple[IO[bytes], IO[bytes]], tuple[Any, Any]]) -> tuple[Ids, Weights]:
        (key_file, weight_file), rows = bucket
        key_file.seek(0)
        weight_file.seek(0)
        keys, weights = np.fromfile(key_file, np.int64), np.fromfile(weight_file, dtype)
        return sort_by_row(keys, weights, range(*map(int, rows)))

    with (
        NpyWriter(into / "in_ids.npy", "<i4") as id_writer,
        NpyWriter(into / "in_weights.npy", "<f4") as weight_writer,
    ):
        buckets = zip(files, pairwise(bounds), strict=True)
        for ids, weights in track(map_in_threads(sort, buckets), "links to pages", len(files)):
            id_writer.append(ids)
            weight_writer.append(weights)
    if not out.has_weights:
        (into / "in_weights.npy").unlink()


def _write_starts(counts: Ids, path: Path) -> None:
    np.save(path, np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]), allow_pickle=False)
