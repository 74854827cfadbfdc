"""How alike two orders of the same things are, in numbers."""

from dataclasses import dataclass

import numpy as np

from weft.core.arrays import Floats, Ids, Offsets, lower, stacked
from weft.core.errors import BadParameter

TINY = np.nextafter(0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Pairs:
    """All pairs of things, by what two scores say of their order.

    Alike or opposite where both scores tell the two apart; tied in one score
    alone, or in both.
    """

    alike: int
    opposite: int
    tied_first: int
    tied_second: int
    tied_both: int

    @property
    def total(self) -> int:
        """How many pairs there are."""
        return self.alike + self.opposite + self.tied_first + self.tied_second + self.tied_both

    @property
    def tau(self) -> float:
        """Kendall's tau-b: 1 for the same order, -1 for the reverse, not a number without any."""
        told = self.alike + self.opposite
        scale = np.sqrt(float(told + self.tied_first) * float(told + self.tied_second))
        return float((self.alike - self.opposite) / scale) if scale else np.nan

    def distance(self, penalty: float = 0.0) -> float:
        """The share of opposite pairs, with `penalty` for each that is tied in one score alone.

        0 is the weak rank distance, 1 the strict one (Fagin's K with penalty p).
        """
        if not 0 <= penalty <= 1:
            raise BadParameter(f"a penalty lies between 0 and 1, not at {penalty}")
        apart = self.opposite + penalty * (self.tied_first + self.tied_second)
        return apart / self.total if self.total else 0.0


def count_pairs(first: Floats, second: Floats) -> Pairs:
    """Compare two scores of the same things pair by pair, in n log n steps.

    Scores are compared as they are: round them first, where noise would tell
    apart what is equal.

    Examples
    --------
    >>> pairs = count_pairs(np.array([1.0, 2, 2, 3]), np.array([1.0, 2, 3, 3]))
    >>> pairs.tau, pairs.distance(), pairs.distance(1)
    (0.8, 0.0, 0.3333333333333333)
    """
    x, y = (np.unique(scores, return_inverse=True)[1] for scores in (first, second))
    return pairs_of(x, y)


def pairs_of(first: Ids | Offsets, second: Ids | Offsets) -> Pairs:
    """Compare two scores that are whole numbers from zero up, each less than there are things."""
    n = len(first)
    both = np.sort(stacked(first, second))
    opposite = inversions(lower(both).astype(np.int32))
    sizes = np.diff(np.flatnonzero(np.diff(both, prepend=-1)), append=n)
    in_first, in_second, in_both = *map(_tied, map(np.bincount, (first, second))), _tied(sizes)
    alike = n * (n - 1) // 2 - opposite - in_first - in_second + in_both
    return Pairs(alike, opposite, in_first - in_both, in_second - in_both, in_both)


def inversions(ranks: Ids | Offsets) -> int:
    """How many pairs of whole numbers stand with the larger before the smaller.

    Numbers are told apart by their highest bit, then each half by the next:
    a sort from the top, in which every pair is counted where it parts.

    Examples
    --------
    >>> inversions(np.array([2, 0, 1, 1]))
    3
    """
    bits = int(ranks.max(initial=0)).bit_length()
    below = np.zeros((1 << bits) + 1, ranks.dtype)
    np.cumsum(np.bincount(ranks, minlength=1 << bits), out=below[1:])
    places, total = np.arange(len(ranks), dtype=ranks.dtype), 0
    for bit in reversed(range(bits)):
        high = ranks >> bit & 1
        ahead = np.cumsum(high, out=np.empty_like(high)) - high
        start = below[ranks >> bit + 1 << bit + 1]
        ahead -= ahead[start]
        total += int(ahead[high == 0].sum(dtype=np.int64))
        to = below[ranks >> bit << bit] + np.where(high == 1, ahead, places - start - ahead)
        parted = np.empty_like(ranks)
        parted[to] = ranks
        ranks = parted
    return total


def _tied(sizes: Offsets) -> int:
    """How many pairs there are in groups of equals of these sizes."""
    return int((sizes * (sizes - 1) // 2).sum())


def geometric(first: Floats, second: Floats) -> float:
    """Borodin's d1: the least sum of differences once either score may be scaled up.

    The scale of the other score is the weighted median of the ratios, at
    least one, for the sum bends only at ratios and is convex between them.
    Not a number where a score is infinite.

    Examples
    --------
    >>> geometric(np.array([1.0, 2.0]), np.array([2.0, 4.0]))
    0.0
    """
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        return np.nan
    return min(_scaled_up(first, second), _scaled_up(second, first))


def _scaled_up(scores: Floats, others: Floats) -> float:
    """The least sum of `|g * scores - others|` over all g from one up."""
    live = scores != 0
    ratios, weights = others[live] / scores[live], np.abs(scores[live])
    above = ratios > 1
    half, low = weights.sum() / 2, weights[~above].sum()
    scale = 1.0
    if low < half:
        ratios, weights = ratios[above], weights[above]
        order = np.argsort(ratios, kind="stable")
        heap = low + np.cumsum(weights[order])
        scale = float(ratios[order][min(np.searchsorted(heap, half), len(heap) - 1)])
    return float(np.abs(scale * scores - others).sum())


@dataclass(frozen=True, slots=True)
class Overlap:
    """What the heads of two orders have in common.

    `cut_tie` is true where a head ends among equals: which of them are inside
    is then decided by their names alone.
    """

    k: int
    share: float
    jaccard: float
    cut_tie: bool = False


def overlap(first: Ids, second: Ids, k: int) -> Overlap:
    """How many of the first k are the same, as a share of k and of all that are in either.

    Examples
    --------
    >>> overlap(np.array([3, 4, 5]), np.array([4, 5, 6]), 2)
    Overlap(k=2, share=0.5, jaccard=0.3333333333333333, cut_tie=False)
    """
    if k < 1:
        raise BadParameter(f"a head has one place or more, not {k}")
    heads = first[:k], second[:k]
    places = max(len(head) for head in heads)
    same = len(np.intersect1d(*heads))
    either = len(heads[0]) + len(heads[1]) - same
    return Overlap(places, same / places if places else 1.0, same / either if either else 1.0)


@dataclass(frozen=True, slots=True)
class Rbo:
    """Rank-biased overlap: extrapolated, and what is certain whatever comes below."""

    ext: float
    min: float


def rbo(first: Ids, second: Ids, p: float = 0.9) -> Rbo:
    """How alike two orders are to a reader who goes on to the next place with probability p.

    The orders may be of different lengths and of different things; nothing
    stands twice in one of them.

    Examples
    --------
    >>> a, b, c, d, e = range(5)
    >>> round(rbo(np.array([a, b, c, d, e]), np.array([b, c, d, a, e])).ext, 3)
    0.828
    """
    if not 0 < p < 1:
        raise BadParameter(f"p lies between 0 and 1, not at {p}")
    short, long = sorted((len(first), len(second)))
    if not short:
        return Rbo(float(long == 0), 0.0)
    at_short, at_end = _common(first[:short], second[:short]), _common(first, second)
    read = min(long, int(np.log(TINY) / np.log(p)))  # further down no place has a weight
    heads = first[:read], second[:read]
    _, here, there = np.intersect1d(*heads, assume_unique=True, return_indices=True)
    common = np.cumsum(np.bincount(np.maximum(here, there), minlength=read)).astype(np.float64)
    depth = np.arange(1, read + 1)
    weight = p**depth / depth
    tail = slice(short, read)
    guessed = at_short / short * ((depth - short) * weight)[tail].sum()
    factor = (1 - p) / p
    ext = factor * ((common * weight).sum() + guessed)
    ext += ((at_end - at_short) / long + at_short / short) * p**long
    least = factor * (((common - at_end) * weight).sum() - at_end * np.log(1 - p))
    return Rbo(float(ext), float(max(least, 0.0)))


def _common(first: Ids, second: Ids) -> int:
    """How many things stand in both orders."""
    times = np.bincount(np.concatenate([first, second]))
    return int(np.count_nonzero(times == 2))
