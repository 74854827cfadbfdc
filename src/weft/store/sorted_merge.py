"""Merge sorted lists on disk into one without duplicates, such as the URLs of all segments."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import Ids, Offsets
from weft.core.progress import track
from weft.store import segment as segments
from weft.store.arrow_files import ScratchTable

RANGE_BYTES, SAMPLES_PER_RANGE = 1 << 23, 64
URL_SCHEMA = pa.schema({"key": pa.large_string(), "url": pa.large_string()})
URL_BATCH_ROWS = 1 << 17


def merge_distinct_rows(
    sorted_lists: ScratchTable, starts: Offsets, merged: ScratchTable
) -> list[Ids]:
    """Append each distinct row to `merged`, sorted; return the new positions of each list's rows.

    The lists are stored one after the other, from `starts` on, each sorted by
    its first column, the key. Of rows with equal keys the first is taken. The
    keys are merged range by range, each range in memory at once.
    """
    key = sorted_lists.schema.names[0]
    positions = np.empty(sorted_lists.row_count, np.int32)
    for begin, end in pairwise(_range_bounds(sorted_lists.to_table()[key].chunk(0), starts)):
        rows = np.concatenate([np.zeros(0, int), *map(np.arange, begin, end)])
        keys = sorted_lists.take(pa.array(rows), [key])[key].combine_chunks().dictionary_encode()
        order = pc.array_sort_indices(keys.dictionary).to_numpy()
        rank = np.empty(len(order), np.int32)
        rank[order] = np.arange(merged.row_count, merged.row_count + len(order), dtype=np.int32)
        codes = keys.indices.to_numpy()
        positions[rows] = rank[codes]
        # Codes count up as keys appear: a code above all before it is the first of its key.
        first = np.flatnonzero(np.diff(np.maximum.accumulate(codes), prepend=-1))
        merged.append(sorted_lists.take(pa.array(rows[first[order]]), sorted_lists.schema.names))
    with ScratchTable(merged.folder, pa.schema({"position": pa.int32()})) as scratch:
        scratch.append({"position": positions})
        mapped = scratch.to_table()["position"].chunk(0).to_numpy()
    return [mapped[start:end] for start, end in pairwise(starts)]


def _range_bounds(keys: pa.Array, starts: Offsets) -> Offsets:
    """Where ranges of keys begin and end in each list: row r is the start of range r.

    The bounds are quantiles of keys sampled at equal distances in bytes, so that
    each range holds about `RANGE_BYTES` of keys.
    """
    byte_offsets = np.frombuffer(keys.buffers()[1], np.int64)
    step = RANGE_BYTES // SAMPLES_PER_RANGE
    sample_bytes = np.arange(step, byte_offsets[-1], step)
    sampled = np.searchsorted(byte_offsets, sample_bytes, side="right") - 1
    bounds = sorted(keys.take(pa.array(sampled)).to_pylist())[SAMPLES_PER_RANGE::SAMPLES_PER_RANGE]
    cuts = np.empty((len(bounds) + 2, len(starts) - 1), np.int64)
    cuts[0], cuts[-1] = starts[:-1], starts[1:]
    for k, (start, end) in enumerate(pairwise(starts)):
        own_keys = keys.slice(start, end - start)
        cuts[1:-1, k] = pc.search_sorted(own_keys, pa.array(bounds, keys.type)).to_numpy()
    cuts[1:-1] += starts[:-1]
    return cuts


def merge_segment_urls(folders: Sequence[Path], merged: ScratchTable) -> list[Ids]:
    """Append each distinct URL to `merged`, sorted by key; return each segment's URLs as ids.

    Of URLs with equal keys that of the first segment is taken.
    """
    with ScratchTable(merged.folder, URL_SCHEMA) as all_urls:
        starts = [0]
        for folder in track(folders, "urls", len(folders)):
            for batch in segments.iter_batches(
                folder, "urls.parquet", URL_SCHEMA.names, URL_BATCH_ROWS
            ):
                all_urls.append(batch)
            starts.append(all_urls.row_count)
        return merge_distinct_rows(all_urls, np.array(starts), merged)
