"""Choose among the links to a page by a hash of where they come from."""

from pathlib import Path

import numpy as np
import pyarrow as pa

from weft.core.arrays import Flags, Ids
from weft.core.hashes import GOLDEN, Hashes, mixed
from weft.graph.among import places
from weft.graph.options import Sampling
from weft.graph.webgraph import WebGraph, spelled
from weft.store.collection import Collection
from weft.store.mapped import map_array

BLOCK = 1 << 11
FILE = "rolls.npy"
INVERSE = np.uint64(pow(int(GOLDEN), -1, 1 << 64))


def sample(
    graph: WebGraph,
    pages: Ids,
    most: int,
    seed: int,
    rolls: Hashes,
    sampling: Sampling = "shared",
) -> tuple[Ids, Ids, Ids]:
    """For each page up to `most` of those that link to it, the page beside each, and those left.

    Pages with the smallest hashes of their URLs are taken. In a `shared`
    sample a hash is the same for every page that is linked to, so that pages
    that are linked together stay so; in a `random` one it is another for each.
    The choice depends on nothing but URLs and the seed. The `first` are those
    of the smallest numbers. `rolls` has what `rolled` makes of every page's name.
    """
    at, through = places(graph.inlinks, pages)
    ids, taken = np.asarray(graph.inlinks.ids[at]), np.ones(len(at), bool)
    counts = np.asarray(graph.inlinks.starts[pages + 1]) - graph.inlinks.starts[pages]
    ends = np.cumsum(counts)
    for k in np.flatnonzero(counts > most):
        own = slice(int(ends[k] - counts[k]), int(ends[k]))
        if sampling == "first":
            taken[own.start + most : own.stop] = False
            continue
        hashes = seeded(np.asarray(rolls[ids[own]]), seed)
        if sampling == "random":
            hashes = mixed(hashes ^ rolls[pages[k]])
        taken[own] = _smallest(hashes, most)
    return ids[taken], through[taken], ids[~taken]


def _smallest(hashes: Hashes, most: int) -> Flags:
    """The smallest hashes, of which there are more; of equal ones the first."""
    if not most:
        return np.zeros(len(hashes), bool)
    low = np.partition(hashes, most - 1)[most - 1]
    chosen: Flags = hashes < low
    chosen[np.flatnonzero(hashes == low)[: most - np.count_nonzero(chosen)]] = True
    return chosen


def seeded(rolls: Hashes, seed: int) -> Hashes:
    """A number for each name that looks random, from what `rolled` makes of the name.

    Examples
    --------
    >>> both, one = (seeded(rolled(pa.array(names)), 0) for names in (["a", "b"], ["b"]))
    >>> bool(both[1] == one[0])
    True
    """
    return mixed(mixed(np.full(1, seed, np.uint64)) ^ rolls)


def rolled(names: pa.Array) -> Hashes:
    """The part of a name's hash that does not hang on a seed: a sum over its letters."""
    texts = names.cast(pa.large_string())
    blocks = [texts.slice(at, BLOCK) for at in range(0, len(texts), BLOCK)]
    return np.concatenate([np.zeros(0, np.uint64), *map(_rolled, blocks)])


def write_rolls(names: pa.ChunkedArray, folder: Path) -> None:
    """Write what is rolled of the names of all pages of a new snapshot beside its graph."""
    parts = [rolled(chunk) for chunk in names.chunks]
    np.save(folder / FILE, np.concatenate([np.zeros(0, np.uint64), *parts]), allow_pickle=False)


def read_rolls(collection: Collection) -> Hashes:
    """What is rolled of the names of all pages of a snapshot."""
    path, n = collection.path("graph") / FILE, len(collection)
    return collection.once("rolls", lambda: map_array(path, "<u8", length=n))


def _rolled(texts: pa.Array) -> Hashes:
    starts, letters = spelled(texts)
    signs = letters[starts[0] : starts[-1]].astype(np.uint64)
    starts = starts - starts[0]
    sums = np.zeros(len(signs) + 1, np.uint64)
    np.cumsum((signs + np.uint64(1)) * _powers(GOLDEN, len(signs)), out=sums[1:])
    whole: Hashes = (sums[starts[1:]] - sums[starts[:-1]]) * _powers(INVERSE, len(sums))[
        starts[:-1]
    ]
    return whole


def _powers(base: np.uint64, n: int) -> Hashes:
    """One, the base, its square and so on, wrapping around."""
    powers = np.full(n, base, np.uint64)
    powers[:1] = 1
    return np.multiply.accumulate(powers, dtype=np.uint64)
