"""How many ordered pairs of pages are joined by a path."""

from typing import NamedTuple

import numpy as np

from weft.core.arrays import Flags, Ids, Offsets
from weft.engine.reach import WORD, counts
from weft.engine.strong import Condensed
from weft.graph.webgraph import WebGraph

WORK = 400_000_000


class Joined(NamedTuple):
    """The share of ordered pairs with a path from one to the other, and its standard error."""

    share: float
    error: float
    exact: bool
    sources: int


class Sides(NamedTuple):
    """The pages of the core, those that lead to it, and those that it leads to."""

    core: Flags
    into: Flags
    out: Flags


def joined(graph: WebGraph, parts: Condensed, sides: Sides, most: int, seed: int) -> Joined:
    """Count the pairs, or estimate them where that takes too long.

    A page of the core leads to all of the core and of *out*; a page of *in*
    too, and to others besides. Only these others, and what the remaining pages
    lead to, have to be found page by page: for all pages outside the core, or
    for a random sample of them, whose mean is then taken for all.
    """
    n, (core, into, out) = len(graph), sides
    if n < 2:
        return Joined(0.0, 0.0, exact=True, sources=0)
    beyond = np.flatnonzero(~core).astype(np.int32)
    links = int(np.diff(np.asarray(graph.outlinks.starts))[beyond].sum())
    exact = len(beyond) <= most or (len(beyond) / WORD + 1) * (links + len(beyond)) < WORK
    draw = np.random.default_rng(seed)
    chosen = beyond if exact else np.sort(draw.choice(beyond, most, replace=False))
    more = _more(graph, parts, chosen, core | out, into)
    through = int(core.sum()) + int(out.sum())
    known = int(core.sum()) * (through - 1) + int(into.sum()) * through
    pairs = n * (n - 1)
    if exact:
        return Joined((known + int(more.sum())) / pairs, 0.0, exact=True, sources=len(chosen))
    rest = len(beyond) * float(more.mean())
    unseen = 1 - len(chosen) / len(beyond)
    spread = float(more.std(ddof=1)) * np.sqrt(unseen / len(chosen)) * len(beyond)
    return Joined((known + rest) / pairs, float(spread / pairs), exact=False, sources=len(chosen))


def _more(graph: WebGraph, parts: Condensed, chosen: Ids, through: Flags, into: Flags) -> Offsets:
    """How many pages each leads to, those aside that pages of *in* reach through the core."""
    found = np.zeros(len(chosen), np.int64)
    leads = into[chosen]
    found[leads] = counts(graph.outlinks, parts, chosen[leads], through)
    found[~leads] = counts(graph.outlinks, parts, chosen[~leads], np.zeros_like(through))
    return found
