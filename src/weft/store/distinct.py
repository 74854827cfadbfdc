"""Many sorted lists of words as one, in memory that does not grow with the words."""

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import Ids, Offsets
from weft.store.mapped import Scratch

RANGE, SAMPLES = 1 << 23, 64


def distinct(lists: Scratch, starts: Offsets, into: Scratch) -> list[Ids]:
    """Add every row once, in the order of the first column; where the rows of each list stand.

    The lists lie one after the other, and begin at `starts`; each is sorted by
    the first column. Of rows where this is the same the first is taken. One
    range of words after the other is looked at in all lists together.
    """
    name = lists.schema.names[0]
    places = np.empty(lists.rows, np.int32)
    for begin, end in pairwise(_cuts(lists.table()[name].chunk(0), starts)):
        rows = np.concatenate([np.zeros(0, int), *map(np.arange, begin, end)])
        words = lists.take(pa.array(rows), [name])[name].combine_chunks().dictionary_encode()
        order = pc.array_sort_indices(words.dictionary).to_numpy()
        rank = np.empty(len(order), np.int32)
        rank[order] = np.arange(into.rows, into.rows + len(order), dtype=np.int32)
        codes = words.indices.to_numpy()
        places[rows] = rank[codes]
        # Words are numbered as they appear: a code above all before it is new.
        first = np.flatnonzero(np.diff(np.maximum.accumulate(codes), prepend=-1))
        into.add(lists.take(pa.array(rows[first[order]]), lists.schema.names))
    with Scratch(into.folder, pa.schema({"place": pa.int32()})) as kept:
        kept.add({"place": places})
        mapped = kept.table()["place"].chunk(0).to_numpy()
    return [mapped[start:end] for start, end in pairwise(starts)]


def _cuts(words: pa.Array, starts: Offsets) -> Offsets:
    """Where ranges of words, with about as many letters in each, begin and end in each list."""
    letters = np.frombuffer(words.buffers()[1], np.int64)
    step = RANGE // SAMPLES
    sampled = np.searchsorted(letters, np.arange(step, letters[-1], step), side="right") - 1
    bounds = sorted(words.take(pa.array(sampled)).to_pylist())[SAMPLES::SAMPLES]
    cuts = np.empty((len(bounds) + 2, len(starts) - 1), np.int64)
    cuts[0], cuts[-1] = starts[:-1], starts[1:]
    for k, (start, end) in enumerate(pairwise(starts)):
        own = words.slice(start, end - start)
        cuts[1:-1, k] = pc.search_sorted(own, pa.array(bounds, words.type)).to_numpy()
    cuts[1:-1] += starts[:-1]
    return cuts
