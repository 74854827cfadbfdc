"""Array types, CSR adjacency, packed pairs of ids, SplitMix64 hashes, and orders of scores."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Weights = npt.NDArray[np.floating[Any]]
Ids = npt.NDArray[np.int32]
Offsets = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Hashes = npt.NDArray[np.uint64]

LOW_32_BITS = 0xFFFFFFFF
GOLDEN_GAMMA = np.uint64(0x9E3779B97F4A7C15)
# Beyond these, products of weights, as in the co-citation matrix, overflow or underflow a float.
MIN_LINK_WEIGHT, MAX_LINK_WEIGHT = np.float64(1e-70), np.float64(1e70)


MAX_LOOKUP_RATIO = 64


class CSR(NamedTuple):
    """Adjacency in compressed sparse rows: page i's neighbours are `ids[starts[i]:starts[i + 1]]`.

    `weights` is parallel to `ids`; None means that every link weighs one.
    Weights are float32 where that represents all of them exactly, else float64.

    Examples
    --------
    >>> CSR(np.array([0, 1, 3]), np.array([2, 0, 1], np.int32)).row(1).tolist()
    [0, 1]
    """

    starts: Offsets
    ids: Ids
    weights: Weights | None = None

    def row(self, page: int) -> Ids:
        """The neighbours of one page."""
        return np.asarray(self.ids[self.starts[page] : self.starts[page + 1]])

    def row_ids(self) -> Ids:
        """The row of each entry of `ids`: with it the links as an edge list."""
        return np.repeat(np.arange(len(self.starts) - 1, dtype=np.int32), np.diff(self.starts))


def pack_pairs(high: npt.ArrayLike, low: npt.ArrayLike) -> Offsets:
    """Pack two ids into one integer, so that integers sort by the first id, then the second.

    Examples
    --------
    >>> unpack_pairs(np.unique(pack_pairs([7, 3, 7], [0, 5, 0])))
    (array([3, 7], dtype=int32), array([5, 0], dtype=int32))
    """
    key: Offsets = np.array(high, np.int64)
    key <<= 32
    key |= np.asarray(low)
    return key


def unpack_first_ids(keys: Offsets) -> Offsets:
    """The first id of each packed pair."""
    return keys >> 32


def unpack_second_ids(keys: Offsets) -> Offsets:
    """The second id of each packed pair."""
    return keys & LOW_32_BITS


def unpack_pairs(keys: Offsets) -> tuple[Ids, Ids]:
    """Both ids of each packed pair."""
    return unpack_first_ids(keys).astype(np.int32), unpack_second_ids(keys).astype(np.int32)


def sort_unique(keys: Offsets) -> Offsets:
    """Sort keys in place and drop duplicates; faster than `np.unique` on millions of keys."""
    keys.sort()
    is_first = np.ones(len(keys), bool)
    np.not_equal(keys[1:], keys[:-1], out=is_first[1:])
    return keys[is_first]


def to_float32_if_exact(values: npt.ArrayLike) -> Weights:
    """Convert to float32 if that represents every value exactly, else to float64.

    Examples
    --------
    >>> to_float32_if_exact([0.5, 2**24]).dtype, to_float32_if_exact([0.5, 0.1]).dtype
    (dtype('float32'), dtype('float64'))
    """
    if isinstance(values, np.ndarray) and values.dtype == np.float32:
        return values
    double = np.asarray(values, np.float64)
    with np.errstate(over="ignore", under="ignore"):
        single = double.astype(np.float32)
    return single if np.array_equal(single, double) else double


def splitmix64(values: npt.NDArray[Any]) -> Hashes:
    """Hash each value by one step of SplitMix64: every output bit depends on every input bit.

    Examples
    --------
    >>> splitmix64(np.array([0, 1])).tolist()
    [16294208416658607535, 10451216379200822465]
    """
    z = values.astype(np.uint64) + GOLDEN_GAMMA
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def argsort_descending(values: Floats) -> Ids:
    """Indices from the largest value to the smallest; equal values keep their order."""
    return np.argsort(-values, kind="stable").astype(np.int32)


def top_k_indices(values: Floats, k: int) -> Ids:
    """Indices of the `k` largest values, largest first, without sorting all.

    Examples
    --------
    >>> top_k_indices(np.array([1.0, 3.0, 2.0, 3.0]), 3).tolist()
    [1, 3, 2]
    """
    if len(values) <= k:
        return argsort_descending(values)
    # all values that tie with the k-th, so that the stable sort decides among them
    candidates = np.flatnonzero(values >= np.partition(values, -k)[-k]).astype(np.int32)
    return candidates[argsort_descending(values[candidates])[:k]]


def top_k_scores(scores: Floats, k: int, largest: float | None = None) -> tuple[Ids, Floats]:
    """Page numbers and rounded values of the `k` best scores, without rounding or sorting all.

    `largest` is the largest magnitude of all scores, where these are some of them: it
    decides which scores tie.

    Examples
    --------
    >>> order, values = top_k_scores(np.array([0.5, 2.0, 1 / 3, 2.0 + 1e-15]), 3)
    >>> order.tolist(), values.tolist()
    ([1, 3, 0], [2.0, 2.0, 0.5])
    """
    largest = largest_magnitude(scores) if largest is None else largest
    candidates = np.arange(len(scores), dtype=np.int32)
    if k < len(scores):
        kth = float(np.partition(scores, -k)[-k])
        candidates = candidates[scores >= kth - _tie_tolerance(kth, largest)]
    rounded = round_significant(scores[candidates], largest)
    order = argsort_descending(rounded)[:k]
    return candidates[order], rounded[order]


def count_better(scores: Floats, page_id: int) -> int:
    """How many scores are greater than that of one page, once rounded."""
    own, largest = float(scores[page_id]), largest_magnitude(scores)
    slack = _tie_tolerance(own, largest)
    near = scores[(scores >= own - slack) & (scores <= own + slack)]
    rounded = round_significant(np.append(near, own), largest)
    return int((scores > own + slack).sum() + (rounded > rounded[-1]).sum())


def largest_magnitude(scores: Floats) -> float:
    """The largest finite score, without its sign; zero of none."""
    return float(np.abs(scores[np.isfinite(scores)]).max(initial=0))


def _tie_tolerance(score: float, largest: float) -> float:
    """A bound of how far scores are apart that `round_significant` makes equal."""
    return 0.0 if np.isinf(score) else 2e-11 * abs(score) + 2e-12 * largest


def round_significant(values: Floats, largest: float | None = None) -> Floats:
    """Round scores to 12 significant digits, so that rounding errors break no ties.

    Values below 1e-12 of the largest, by default that of `values`, become zero.

    Examples
    --------
    >>> round_significant(np.array([3.0, 1 / 3, 1e-13, np.inf])).tolist()
    [3.0, 0.333333333333, 0.0, inf]
    """
    magnitude = np.where(np.isfinite(values), np.abs(values), 0.0)
    nonzero = magnitude > 1e-12 * (magnitude.max(initial=0) if largest is None else largest)
    # the power of ten that moves twelve digits before the point; 1e308 is the largest float
    scale = 10.0 ** np.minimum(11 - np.floor(np.log10(np.where(nonzero, magnitude, 1.0))), 300)
    digits = np.round(np.where(nonzero, values, 0.0) * scale) / scale
    return np.where(np.isfinite(values), digits, values)


def csr_from_keys(keys: Offsets, weights: Any, n: int) -> CSR:
    """Build a CSR matrix from sorted packed pairs of source and target.

    Weights that are all one are not stored.
    """
    starts = np.zeros(n + 1, np.int64)
    np.cumsum(np.bincount(unpack_first_ids(keys), minlength=n), out=starts[1:])
    ids = unpack_second_ids(keys).astype(np.int32)
    unweighted = weights is None or bool((weights == 1).all())
    return CSR(starts, ids, None if unweighted else to_float32_if_exact(weights))


def concatenate_ranges(first: Offsets | Ids, counts: Offsets | Ids) -> Offsets:
    """The integers of ranges, one range after the other; each has its first and its length.

    Examples
    --------
    >>> concatenate_ranges(np.array([7, 2]), np.array([3, 2])).tolist()
    [7, 8, 9, 2, 3]
    """
    ends = np.cumsum(counts, dtype=np.int64)
    shift = np.repeat(first - (ends - counts), counts)
    positions: Offsets = np.arange(len(shift)) + shift
    return positions


def link_positions(rows: CSR, pages: Ids) -> tuple[Offsets, Ids]:
    """The positions in `rows.ids` of the links of some pages, and the page of each link."""
    first = np.asarray(rows.starts[pages])
    counts = np.asarray(rows.starts[pages + 1]) - first
    return concatenate_ranges(first, counts), np.repeat(pages, counts)


def take_rows(rows: CSR, pages: Ids) -> CSR:
    """The CSR rows of some pages, in the order given."""
    at, _ = link_positions(rows, pages)
    starts = np.concatenate([[0], np.cumsum(np.diff(rows.starts)[pages])])
    return CSR(starts, rows.ids[at], None if rows.weights is None else rows.weights[at])


def link_keys(rows: CSR) -> Offsets:
    """The links of a CSR as packed pairs of row and id, sorted."""
    return pack_pairs(rows.row_ids(), rows.ids)


def subset_positions(rows: CSR, pages: Ids) -> Ids:
    """A lookup table from page to position in `pages`, -1 for others.

    Empty where the graph is far larger than the links to look up: then binary
    search in `pages` is cheaper.
    """
    n, links = len(rows.starts) - 1, (rows.starts[pages + 1] - rows.starts[pages]).sum()
    position = np.full(0 if n > MAX_LOOKUP_RATIO * links else n, -1, np.int32)
    if len(position):
        position[pages] = np.arange(len(pages), dtype=np.int32)
    return position
