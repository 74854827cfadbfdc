"""Sample the inlinks of a page by hashes of the linking pages' names."""

from pathlib import Path

import numpy as np
import pyarrow as pa

from weft.core.arrays import GOLDEN_GAMMA, Flags, Hashes, Ids, splitmix64
from weft.graph.baseset.options import Sampling
from weft.graph.views import link_positions
from weft.graph.webgraph import WebGraph, string_buffers
from weft.store.arrow_files import map_array
from weft.store.collection import Collection

NAMES_PER_BLOCK = 1 << 11
NAME_HASH_FILE = "name_hashes.npy"
INVERSE_GOLDEN = np.uint64(pow(int(GOLDEN_GAMMA), -1, 1 << 64))


def sample_inlinks(
    graph: WebGraph,
    pages: Ids,
    max_inlinks: int,
    seed: int,
    name_hashes: Hashes,
    sampling: Sampling = "shared",
) -> tuple[Ids, Ids, Ids]:
    """Take at most `max_inlinks` of the pages that link to each page.

    Returns the linking pages, beside each the page it links to, and the linking
    pages left out. Those with the smallest hashes of their names are taken. In a
    `shared` sample a page has one hash for all pages it links to, so that pages
    cited together stay so; in a `random` one it has a hash for each. Samples
    depend on names and the seed alone. `first` takes the smallest page numbers.
    `name_hashes` are those of `hash_names`, for every page.
    """
    at, target = link_positions(graph.inlinks, pages)
    ids, taken = np.asarray(graph.inlinks.ids[at]), np.ones(len(at), bool)
    counts = np.asarray(graph.inlinks.starts[pages + 1]) - graph.inlinks.starts[pages]
    ends = np.cumsum(counts)
    for k in np.flatnonzero(counts > max_inlinks):
        links = slice(int(ends[k] - counts[k]), int(ends[k]))
        if sampling == "first":
            taken[links.start + max_inlinks : links.stop] = False
            continue
        hashes = mix_hashes_with_seed(np.asarray(name_hashes[ids[links]]), seed)
        if sampling == "random":
            hashes = splitmix64(hashes ^ name_hashes[pages[k]])
        taken[links] = _smallest_hashes(hashes, max_inlinks)
    return ids[taken], target[taken], ids[~taken]


def _smallest_hashes(hashes: Hashes, k: int) -> Flags:
    """Mark the k smallest of more than k hashes; of equal ones the first."""
    if not k:
        return np.zeros(len(hashes), bool)
    kth = np.partition(hashes, k - 1)[k - 1]
    smallest: Flags = hashes < kth
    smallest[np.flatnonzero(hashes == kth)[: k - np.count_nonzero(smallest)]] = True
    return smallest


def mix_hashes_with_seed(name_hashes: Hashes, seed: int) -> Hashes:
    """Mix hashes of names with a seed, by SplitMix64.

    Examples
    --------
    >>> both, one = (
    ...     mix_hashes_with_seed(hash_names(pa.array(names)), 0) for names in (["a", "b"], ["b"])
    ... )
    >>> bool(both[1] == one[0])
    True
    """
    return splitmix64(splitmix64(np.full(1, seed, np.uint64)) ^ name_hashes)


def hash_names(names: pa.Array) -> Hashes:
    """The polynomial hash of each name: sum of (byte + 1) · g^position, modulo 2^64."""
    texts = names.cast(pa.large_string())
    blocks = [texts.slice(at, NAMES_PER_BLOCK) for at in range(0, len(texts), NAMES_PER_BLOCK)]
    return np.concatenate([np.zeros(0, np.uint64), *map(_hash_block, blocks)])


def write_name_hashes(names: pa.ChunkedArray, folder: Path) -> None:
    """Write the hashes of all page names of a new snapshot beside its graph."""
    parts = [hash_names(chunk) for chunk in names.chunks]
    hashes = np.concatenate([np.zeros(0, np.uint64), *parts])
    np.save(folder / NAME_HASH_FILE, hashes, allow_pickle=False)


def read_name_hashes(collection: Collection) -> Hashes:
    """Map the hashes of all page names of a snapshot."""
    path, n = collection.checked_snapshot_path("graph") / NAME_HASH_FILE, len(collection)
    return collection.memoize("name hashes", lambda: map_array(path, "<u8", length=n))


def _hash_block(texts: pa.Array) -> Hashes:
    """Hash the names of a block through prefix sums over all of their bytes.

    The prefix sums count powers of g from the start of the block; a power of
    the inverse of g shifts each difference back to the start of its name.
    """
    starts, buffer = string_buffers(texts)
    text = buffer[starts[0] : starts[-1]].astype(np.uint64)
    starts = starts - starts[0]
    sums = np.zeros(len(text) + 1, np.uint64)
    np.cumsum((text + np.uint64(1)) * _powers(GOLDEN_GAMMA, len(text)), out=sums[1:])
    shift = _powers(INVERSE_GOLDEN, len(sums))[starts[:-1]]
    hashes: Hashes = (sums[starts[1:]] - sums[starts[:-1]]) * shift
    return hashes


def _powers(base: np.uint64, n: int) -> Hashes:
    """The powers base^0 to base^(n-1), modulo 2^64."""
    powers = np.full(n, base, np.uint64)
    powers[:1] = 1
    return np.multiply.accumulate(powers, dtype=np.uint64)
