"""Choose among the links to a page by a hash of where they come from."""

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from weft.core.arrays import Ids
from weft.graph.among import places
from weft.graph.webgraph import WebGraph

Hashes = npt.NDArray[np.uint64]
BASE = np.uint64(0x9E3779B97F4A7C15)
BLOCK = 1 << 11
INVERSE = np.uint64(pow(int(BASE), -1, 1 << 64))


def sample(graph: WebGraph, pages: Ids, most: int, seed: int) -> tuple[Ids, Ids, Ids]:
    """For each page up to `most` of those that link to it, the page beside each, and those left.

    Pages with the smallest hashes of their URLs are taken, the same for every
    page they link to. So the choice depends on nothing but the URLs that link
    to a page and the seed, and pages that are linked together stay so.
    """
    at, through = places(graph.inlinks, pages)
    ids, taken = np.asarray(graph.inlinks.ids[at]), np.ones(len(at), bool)
    counts = np.asarray(graph.inlinks.starts[pages + 1]) - graph.inlinks.starts[pages]
    ends = np.cumsum(counts)
    many = np.repeat(counts > most, counts)
    known, place = np.unique(ids[many], return_inverse=True)
    hashes = np.zeros(len(ids), np.uint64)
    hashes[many] = hashed(graph.names.take(pa.array(known)), seed)[place]
    for k in np.flatnonzero(counts > most):
        own = slice(int(ends[k] - counts[k]), int(ends[k]))
        taken[own] = False
        taken[own.start + np.argsort(hashes[own], kind="stable")[:most]] = True
    return ids[taken], through[taken], ids[~taken]


def hashed(names: pa.Array, seed: int) -> Hashes:
    """A number for each name that looks random, and is the same wherever the name stands.

    Examples
    --------
    >>> bool(hashed(pa.array(["a", "b"]), 0)[1] == hashed(pa.array(["b"]), 0)[0])
    True
    """
    texts = names.cast(pa.large_string())
    blocks = [texts.slice(at, BLOCK) for at in range(0, len(texts), BLOCK)]
    return np.concatenate([np.zeros(0, np.uint64), *(_hashed(block, seed) for block in blocks)])


def _hashed(texts: pa.Array, seed: int) -> Hashes:
    _, ends, letters = texts.buffers()
    starts = np.frombuffer(ends, np.int64)[texts.offset : texts.offset + len(texts) + 1]
    signs = np.frombuffer(letters or b"", np.uint8)[starts[0] : starts[-1]].astype(np.uint64)
    starts = starts - starts[0]
    sums = np.zeros(len(signs) + 1, np.uint64)
    np.cumsum((signs + np.uint64(1)) * _powers(BASE, len(signs)), out=sums[1:])
    whole = (sums[starts[1:]] - sums[starts[:-1]]) * _powers(INVERSE, len(sums))[starts[:-1]]
    return _stirred(_stirred(np.full(1, seed, np.uint64)) ^ whole)


def _powers(base: np.uint64, n: int) -> Hashes:
    """One, the base, its square and so on, wrapping around."""
    powers = np.full(n, base, np.uint64)
    powers[:1] = 1
    return np.multiply.accumulate(powers, dtype=np.uint64)


def _stirred(values: Hashes) -> Hashes:
    """The finish of SplitMix64: every bit of the result hangs on every bit of the value."""
    values = values + BASE
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))
