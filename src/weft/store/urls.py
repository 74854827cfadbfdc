"""The URLs of many segments as one list, in the order of reversed host and path."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import Ids, Offsets
from weft.core.progress import track
from weft.store import segment as segments
from weft.store.mapped import Scratch

URLS = pa.schema({"key": pa.large_string(), "url": pa.large_string()})
PLACES = pa.schema({"place": pa.int32()})
BATCH = 1 << 17
RANGE, SAMPLES = 1 << 23, 64


def all_urls(folders: Sequence[Path], urls: Scratch) -> list[Ids]:
    """Add every URL once in the order of keys; each segment's URLs as places among them.

    A URL is taken as the first segment has it. Those of all segments are copied
    to one table on disk, to be looked at in one range of keys after the other.
    """
    with Scratch(urls.folder, URLS) as every:
        starts = _copy(folders, every)
        places = np.empty(every.rows, np.int32)
        for begin, end in pairwise(_cuts(every.table()["key"].chunk(0), starts)):
            rows = np.concatenate([np.zeros(0, int), *map(np.arange, begin, end)])
            keys = every.take(pa.array(rows), ["key"])["key"].combine_chunks().dictionary_encode()
            order = pc.array_sort_indices(keys.dictionary).to_numpy()
            rank = np.empty(len(order), np.int32)
            rank[order] = np.arange(urls.rows, urls.rows + len(order), dtype=np.int32)
            codes = keys.indices.to_numpy()
            places[rows] = rank[codes]
            # Keys are numbered as they appear: a code above all before it is new.
            first = np.flatnonzero(np.diff(np.maximum.accumulate(codes), prepend=-1))
            urls.add(every.take(pa.array(rows[first[order]]), URLS.names))
    with Scratch(urls.folder, PLACES) as kept:
        kept.add({"place": places})
        mapped = kept.table()["place"].chunk(0).to_numpy()
    return [mapped[start:end] for start, end in pairwise(starts)]


def _copy(folders: Sequence[Path], every: Scratch) -> Offsets:
    """Add the URLs of one segment after the other, each in the order of keys; where they begin."""
    starts = [0]
    for folder in track(folders, "urls", len(folders)):
        for batch in segments.batches(folder, "urls.parquet", URLS.names, BATCH):
            every.add(batch)
        starts.append(every.rows)
    return np.array(starts)


def _cuts(keys: pa.Array, starts: Offsets) -> Offsets:
    """Where ranges of keys, with about as many letters in each, begin and end in each segment."""
    letters = np.frombuffer(keys.buffers()[1], np.int64)
    step = RANGE // SAMPLES
    sampled = np.searchsorted(letters, np.arange(step, letters[-1], step), side="right") - 1
    bounds = sorted(keys.take(pa.array(sampled)).to_pylist())[SAMPLES::SAMPLES]
    cuts = np.empty((len(bounds) + 2, len(starts) - 1), np.int64)
    cuts[0], cuts[-1] = starts[:-1], starts[1:]
    for s, (start, end) in enumerate(pairwise(starts)):
        own = keys.slice(start, end - start)
        cuts[1:-1, s] = pc.search_sorted(own, pa.array(bounds, keys.type)).to_numpy()
    cuts[1:-1] += starts[:-1]
    return cuts
