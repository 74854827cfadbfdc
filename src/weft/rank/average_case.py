"""HITS in the average case: what it gives on random graphs with the same degrees."""

from typing import Any

import numpy as np

from weft.core.arrays import Floats
from weft.engine import CLOSED
from weft.graph.webgraph import WebGraph
from weft.rank.ranking import Ranking


def average_hits(graph: Any) -> Ranking:
    """The scores of HITS on average over random graphs whose pages have the same degrees.

    There two pages of in-degrees d(i) and d(j) are cited together d(i) d(j) /
    (n-1) times on average, so that the authorities are the principal
    eigenvector of diag(h) + d d' / (n-1), with h = d - d^2 / (n-1). Its closed
    form is d / (lambda - h). Hubs are the same of out-degrees. While no two
    degrees add up to n-1, the order is that of the degrees (Ding et al. 2002).
    So what `hits` says beyond this comes from who links to whom.

    Examples
    --------
    >>> from weft.rank import compare, hits
    >>> links = [("a", "x"), ("b", "x"), ("b", "y")]
    >>> average_hits(links)
    <Ranking of 4 pages by hits on average, led by x>
    >>> compare([hits(links), average_hits(links)]).matrix().to_pylist()[0]
    {'method': 'hits', 'hits': 1.0, 'hits on average': 1.0}
    """
    web = WebGraph.of(graph)
    scores = {"authority": eigenvector(web.indegrees()), "hub": eigenvector(web.outdegrees())}
    return Ranking("hits on average", web.pages, scores, CLOSED, provenance={"level": web.level})


def eigenvector(degrees: Floats) -> Floats:
    """The principal eigenvector of the average co-citation, of length one.

    The eigenvalue is the greatest root of sum of d^2 / (lambda - h) = n-1. The
    sum falls beyond the largest h: halfway to where the term of its page alone
    is n-1 it is too large, and too small where all terms, were their h as
    large, would add up to less.
    """
    from scipy.optimize import brentq  # noqa: PLC0415  slow to load

    others = len(degrees) - 1
    if others < 1 or not degrees.any():
        return np.zeros(len(degrees))
    shared = degrees**2 / others
    own = degrees - shared
    first, linked = int(np.argmax(np.where(degrees > 0, own, -np.inf))), degrees > 0

    def excess(above: float) -> float:
        return float(np.sum(shared[linked] / (above + own[first] - own[linked]))) - 1

    above = brentq(excess, shared[first] / 2, 2 * shared.sum(), xtol=1e-300, rtol=1e-14)
    found: Floats = degrees / (above + own[first] - own)
    return found / np.linalg.norm(found)
