"""Whether numbers of a power law would lie as far from it as these do."""

import numpy as np

from weft.core.progress import track
from weft.structure.powerlaw import Counted, PowerLaw, Search

HEAD = 2048


def goodness(numbers: Counted, law: PowerLaw, search: Search, sets: int, seed: int) -> float:
    """The share of drawn sets that lie no closer to their own best law than these numbers.

    A set is as large as the numbers. Each of it is drawn from the law with the
    chance of being in the tail, and else from the numbers below. Where its
    tail starts is sought anew. Small shares speak against the law.
    """
    from weft.engine.tails import comes_closer  # noqa: PLC0415  compiled

    worse = 0
    for k in track(range(sets), "sets drawn from the law", sets):
        drawn = draw_set(numbers, law, np.random.default_rng([seed, k]))
        starts = search.starts(drawn)
        worse += not comes_closer(drawn.values, drawn.above, drawn.logs, starts, law.misfit)
    return worse / sets


def draw_set(numbers: Counted, law: PowerLaw, draw: np.random.Generator) -> Counted:
    """As many numbers anew: the body as it is, the tail from the law."""
    whole, below = len(numbers), numbers.values < law.start
    inside = int(draw.binomial(whole, law.size / whole))
    tail = draw_law(law, inside, draw)
    if not below.any():
        return tail
    often = numbers.counts[below]
    body = draw.multinomial(whole - inside, often / often.sum())
    values = np.concatenate([numbers.values[below][body > 0], tail.values])
    return Counted(values, np.concatenate([body[body > 0], tail.counts]))


def draw_law(law: PowerLaw, size: int, draw: np.random.Generator) -> Counted:
    """Numbers of a power law.

    How many there are of each of the first values is drawn at once, so that
    millions of numbers cost little; what goes beyond is drawn one by one.
    """
    from weft.engine.tails import draw_beyond  # noqa: PLC0415  compiled

    first = law.start + np.arange(HEAD + 1.0)
    reach = law.at_least(first)
    often = draw.multinomial(size, np.append(-np.diff(reach), reach[-1]))
    far = draw_beyond(law.exponent, first[-1], 1 - draw.random(int(often[-1])))
    values, counts = np.unique(far, return_counts=True)
    some = np.flatnonzero(often[:-1])
    return Counted(
        np.concatenate([first[some], values]),
        np.concatenate([often[some], counts]).astype(np.int64),
    )
