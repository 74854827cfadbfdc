"""Rank correlation: Kendall's tau, top-k overlap, rank-biased overlap, geometric distance."""

from dataclasses import dataclass

import numpy as np

from weft.core.arrays import Floats, Ids, Offsets, pack_pairs, unpack_second_ids
from weft.core.errors import BadParameter

SMALLEST_FLOAT = np.nextafter(0.0, 1.0)


@dataclass(frozen=True, slots=True)
class PairCounts:
    """All pairs of items, by how two scores order them.

    A pair is concordant or discordant if neither score ties it; else it is
    tied in the first score only, in the second only, or in both.
    """

    concordant: int
    discordant: int
    tied_first: int
    tied_second: int
    tied_both: int

    @property
    def total_pairs(self) -> int:
        """The number of pairs, n (n-1) / 2."""
        return (
            self.concordant + self.discordant + self.tied_first + self.tied_second + self.tied_both
        )

    @property
    def tau_b(self) -> float:
        """Kendall's tau-b: 1 for the same order, -1 for the reverse; NaN if all are tied."""
        untied = self.concordant + self.discordant
        scale = np.sqrt(float(untied + self.tied_first) * float(untied + self.tied_second))
        return float((self.concordant - self.discordant) / scale) if scale else np.nan

    def kendall_distance(self, penalty: float = 0.0) -> float:
        """The share of discordant pairs; a pair tied in one score only counts `penalty`.

        Fagin's K with penalty p: 0 is the weak rank distance, 1 the strict one.
        """
        if not 0 <= penalty <= 1:
            raise BadParameter(f"penalty must be between 0 and 1, not {penalty}")
        distance = self.discordant + penalty * (self.tied_first + self.tied_second)
        return distance / self.total_pairs if self.total_pairs else 0.0


def count_concordant_pairs(first: Floats, second: Floats) -> PairCounts:
    """Compare all pairs of items by two scores, in O(n log n).

    Scores are compared exactly: round them first if rounding errors could
    break ties.

    Examples
    --------
    >>> pairs = count_concordant_pairs(np.array([1.0, 2, 2, 3]), np.array([1.0, 2, 3, 3]))
    >>> pairs.tau_b, pairs.kendall_distance(), pairs.kendall_distance(1)
    (0.8, 0.0, 0.3333333333333333)
    """
    x, y = (np.unique(scores, return_inverse=True)[1] for scores in (first, second))
    return count_concordant_rank_pairs(x, y)


def count_concordant_rank_pairs(first: Ids | Offsets, second: Ids | Offsets) -> PairCounts:
    """Compare all pairs by two scores that are integers from 0 to n-1 (Knight's algorithm)."""
    n = len(first)
    # sorted by the first score, then the second: each inversion of the second is discordant
    pairs = np.sort(pack_pairs(first, second))
    discordant = count_inversions(unpack_second_ids(pairs).astype(np.int32))
    tied_first, tied_second = (_count_tied_pairs(np.bincount(ranks)) for ranks in (first, second))
    tied_both = _count_tied_pairs(np.diff(np.flatnonzero(np.diff(pairs, prepend=-1)), append=n))
    concordant = n * (n - 1) // 2 - discordant - tied_first - tied_second + tied_both
    return PairCounts(
        concordant, discordant, tied_first - tied_both, tied_second - tied_both, tied_both
    )


def count_inversions(ranks: Ids | Offsets) -> int:
    """The number of pairs of integers with the larger before the smaller.

    A radix sort from the highest bit down: two numbers are in one block until
    the first bit in which they differ, and are counted there.

    Examples
    --------
    >>> count_inversions(np.array([2, 0, 1, 1]))
    3
    """
    bits = int(ranks.max(initial=0)).bit_length()
    # smaller[r] is how many numbers are less than r: where those equal to r go when sorted
    smaller = np.zeros((1 << bits) + 1, ranks.dtype)
    np.cumsum(np.bincount(ranks, minlength=1 << bits), out=smaller[1:])
    positions, total = np.arange(len(ranks), dtype=ranks.dtype), 0
    for bit in reversed(range(bits)):
        high = ranks >> bit & 1
        # the numbers with this bit set that come before, within the block of equal higher bits
        ones_before = np.cumsum(high, out=np.empty_like(high)) - high
        block_start = smaller[ranks >> bit + 1 << bit + 1]
        ones_before -= ones_before[block_start]
        # each 0 after a 1 in a block is an inversion
        total += int(ones_before[high == 0].sum(dtype=np.int64))
        # split every block in two: the zeros, then the ones, both in their order
        zeros_before = positions - block_start - ones_before
        target = smaller[ranks >> bit << bit] + np.where(high == 1, ones_before, zeros_before)
        split = np.empty_like(ranks)
        split[target] = ranks
        ranks = split
    return total


def _count_tied_pairs(group_sizes: Offsets) -> int:
    """The number of pairs within groups of equal items of these sizes."""
    return int((group_sizes * (group_sizes - 1) // 2).sum())


def geometric_distance(first: Floats, second: Floats) -> float:
    """Borodin's geometric distance d1: the L1 distance, minimised over scales of one score.

    min over g >= 1 of |g x - y| and |x - g y|. NaN if a score is infinite.

    Examples
    --------
    >>> geometric_distance(np.array([1.0, 2.0]), np.array([2.0, 4.0]))
    0.0
    """
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        return np.nan
    return min(_min_scaled_difference(first, second), _min_scaled_difference(second, first))


def _min_scaled_difference(scores: Floats, others: Floats) -> float:
    """The minimum of sum |g x - y| over g >= 1, for scores x and others y.

    The sum is convex in g and piecewise linear with kinks at the ratios y/x,
    so that its minimum is at their median weighted by |x|, or at 1.
    """
    nonzero = scores != 0
    ratios, weights = others[nonzero] / scores[nonzero], np.abs(scores[nonzero])
    above = ratios > 1
    half, below_one = weights.sum() / 2, weights[~above].sum()
    scale = 1.0
    if below_one < half:
        ratios, weights = ratios[above], weights[above]
        order = np.argsort(ratios, kind="stable")
        cumulative = below_one + np.cumsum(weights[order])
        median = min(np.searchsorted(cumulative, half), len(cumulative) - 1)
        scale = float(ratios[order][median])
    return float(np.abs(scale * scores - others).sum())


@dataclass(frozen=True, slots=True)
class TopKOverlap:
    """What the top k of two orders have in common.

    With `cut_tie`, one of them ends among equal scores, so that page order
    alone decides which of these are in the top k.
    """

    k: int
    share: float
    jaccard: float
    cut_tie: bool = False


def top_k_overlap(first: Ids, second: Ids, k: int) -> TopKOverlap:
    """How many of the top k are the same, as a share of k and as their Jaccard index.

    Examples
    --------
    >>> top_k_overlap(np.array([3, 4, 5]), np.array([4, 5, 6]), 2)
    TopKOverlap(k=2, share=0.5, jaccard=0.3333333333333333, cut_tie=False)
    """
    if k < 1:
        raise BadParameter(f"k must be at least 1, not {k}")
    tops = first[:k], second[:k]
    size = max(len(top) for top in tops)
    common = len(np.intersect1d(*tops))
    union = len(tops[0]) + len(tops[1]) - common
    return TopKOverlap(size, common / size if size else 1.0, common / union if union else 1.0)


@dataclass(frozen=True, slots=True)
class RankBiasedOverlap:
    """Rank-biased overlap: extrapolated, and its lower bound whatever follows the lists."""

    extrapolated: float
    lower_bound: float


def rank_biased_overlap(first: Ids, second: Ids, p: float = 0.9) -> RankBiasedOverlap:
    """The similarity of two orders for a reader who goes on to the next place with probability p.

    Webber, Moffat and Zobel (2010). The orders may differ in length and in
    their items; no item is in one of them twice.

    Examples
    --------
    >>> a, b, c, d, e = range(5)
    >>> round(
    ...     rank_biased_overlap(np.array([a, b, c, d, e]), np.array([b, c, d, a, e])).extrapolated,
    ...     3,
    ... )
    0.828
    """
    if not 0 < p < 1:
        raise BadParameter(f"p must be between 0 and 1, not {p}")
    short, long = sorted((len(first), len(second)))  # s and l in the paper
    if not short:
        return RankBiasedOverlap(float(long == 0), 0.0)
    x_s, x_l = _count_common(first[:short], second[:short]), _count_common(first, second)
    max_depth = min(long, int(np.log(SMALLEST_FLOAT) / np.log(p)))  # p^d is zero below that
    tops = first[:max_depth], second[:max_depth]
    # X_d, the overlap at depth d: an item counts from the depth at which both lists have it
    _, in_first, in_second = np.intersect1d(*tops, assume_unique=True, return_indices=True)
    both_seen = np.bincount(np.maximum(in_first, in_second), minlength=max_depth)
    x_d = np.cumsum(both_seen).astype(np.float64)
    d = np.arange(1, max_depth + 1)
    weight = p**d / d
    # equation 32: beyond the shorter list its overlap is taken to go on at the rate X_s / s
    beyond = x_s / short * ((d - short) * weight)[short:].sum()
    extrapolated = (1 - p) / p * ((x_d * weight).sum() + beyond)
    extrapolated += ((x_l - x_s) / long + x_s / short) * p**long
    # equation 11: the lists have nothing more in common beyond their ends
    lower_bound = (1 - p) / p * (((x_d - x_l) * weight).sum() - x_l * np.log(1 - p))
    return RankBiasedOverlap(float(extrapolated), float(max(lower_bound, 0.0)))


def _count_common(first: Ids, second: Ids) -> int:
    """How many items are in both orders."""
    counts = np.bincount(np.concatenate([first, second]))
    return int(np.count_nonzero(counts == 2))
