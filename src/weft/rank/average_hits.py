"""Average-case HITS: its expected scores on random graphs with the same degrees."""

from typing import Any

import numpy as np

from weft.core.arrays import Floats
from weft.engine import CLOSED_FORM
from weft.graph.webgraph import WebGraph
from weft.rank.ranking import Ranking


def average_hits(graph: Any) -> Ranking:
    """Score pages by HITS in the average case over random graphs of the same degrees.

    There two pages with in-degrees d(i) and d(j) are co-cited d(i) d(j) / (n-1)
    times on average, so that the authorities are the principal eigenvector of
    diag(h) + d d' / (n-1), with h = d - d^2 / (n-1). In closed form it is
    d / (lambda - h). Hubs use out-degrees instead. The order is that of the
    degrees if no two of them add up to n-1 (Ding et al. 2002): where `hits`
    differs from this baseline, it does so because of who links to whom.

    Examples
    --------
    >>> from weft.rank import compare, hits
    >>> links = [("a", "x"), ("b", "x"), ("b", "y")]
    >>> average_hits(links)
    <Ranking of 4 pages by hits on average, led by x>
    >>> compare([hits(links), average_hits(links)]).tau_matrix().to_pylist()[0]
    {'method': 'hits', 'hits': 1.0, 'hits on average': 1.0}
    """
    web = WebGraph.from_any(graph)
    scores = {
        "authority": average_cocitation_eigenvector(web.indegrees()),
        "hub": average_cocitation_eigenvector(web.outdegrees()),
    }
    return Ranking(
        "hits on average", web.pages, scores, CLOSED_FORM, provenance={"level": web.level}
    )


def average_cocitation_eigenvector(degrees: Floats) -> Floats:
    """The principal eigenvector of the average co-citation matrix, of length one.

    The eigenvalue is the largest root of the secular equation
    sum d^2 / (lambda - h) = n-1, found by Brent's method in lambda - max(h).
    The sum decreases beyond max(h). It is too large at half the distance where
    the term of that page alone is n-1, and too small at twice the distance
    where all terms with that h would add up to n-1.
    """
    from scipy.optimize import brentq  # noqa: PLC0415  slow to load

    others = len(degrees) - 1
    if others < 1 or not degrees.any():
        return np.zeros(len(degrees))
    shared = degrees**2 / others  # d^2 / (n-1)
    h = degrees - shared
    linked = degrees > 0
    largest = int(np.argmax(np.where(linked, h, -np.inf)))

    def secular_function(offset: float) -> float:
        return float(np.sum(shared[linked] / (offset + h[largest] - h[linked]))) - 1

    bracket = shared[largest] / 2, 2 * shared.sum()
    offset = brentq(secular_function, *bracket, xtol=1e-300, rtol=1e-14)
    vector: Floats = degrees / (offset + h[largest] - h)
    return vector / np.linalg.norm(vector)
