"""Pages that are tied through others: linked from the same, linking to the same, two clicks apart.

A pattern is a way of two steps: from a page to its witnesses, and on to the
pages that they speak for. Co-citation: to the pages that link to it, and on to
what else these link to.
"""

from typing import Literal, NamedTuple

import numpy as np
import pyarrow as pa

from weft.core.arrays import Floats, Ids, Offsets, Rows, stacked
from weft.core.params import Strength, Vote
from weft.engine.strength import MEASURES, Measure, Paths, strength, summed
from weft.graph.owners import owners
from weft.graph.webgraph import WebGraph, reverse, rows_of

Pattern = Literal["co-citation", "coupling", "indirect", "indirect from"]
SYMMETRIC: tuple[Pattern, ...] = ("co-citation", "coupling")
CAP = 1_000
MOST_LINKS = 2_000_000


class Tied(NamedTuple):
    """What the pages tied to one by a pattern have in common with it.

    `pages` ascend; `sums` say how many witnesses they share, or what these
    are worth. `left_out` witnesses had too many links to be asked.
    """

    pages: Ids
    sums: Floats
    strength: Floats
    left_out: int


class Steps(NamedTuple):
    """The two steps of a pattern, before it is said what a witness counts.

    `passing` is how many paths lead through each witness.
    """

    first: Rows
    second: Rows
    here: Floats
    there: Floats
    passing: Floats
    chance: float


def steps_of(graph: WebGraph, pattern: Pattern, vote: Vote = "page") -> Steps:
    """The two steps of a pattern; with a vote per site, by way of sites instead of pages."""
    first, second = _steps(graph, pattern)
    chance = float(max(len(graph) - 1, 1))
    here, there = np.diff(first.starts), _ends_at(graph, pattern)
    if vote == "site":
        first, second, sites = by_site(first, graph)
        here = there = np.diff(first.starts)
        chance = float(max(sites, 1))
    leaving = np.diff(second.starts).astype(np.float64)
    coming = leaving if pattern in SYMMETRIC else np.diff(_back(graph, pattern).starts)
    degrees = here.astype(np.float64), there.astype(np.float64)
    return Steps(first, second, *degrees, leaving * coming, chance)


def weighed(steps: Steps, how: Strength = "cosine", cap: int = CAP) -> Paths:
    """The same, with what each witness counts.

    A witness through which more than `cap` times `cap` paths lead counts
    nothing: it ties all to all.
    """
    leaving = np.diff(steps.second.starts).astype(np.float64)
    worth = np.ones(len(leaving))
    if how == "out-normalised":
        np.divide(1.0, leaving, out=worth, where=leaving > 0)
    worth[(leaving == 0) | (steps.passing > float(cap) ** 2)] = 0.0
    return Paths(steps.first, steps.second, worth, steps.here, steps.there, steps.chance)


def measure_of(how: Strength) -> Measure:
    """What the engine makes of sums: witnesses say what they are worth in them."""
    return "sum" if how == "count" or how == "out-normalised" else how  # noqa: PLR1714  for types


def _steps(graph: WebGraph, pattern: Pattern) -> tuple[Rows, Rows]:
    into, out = graph.inlinks, graph.outlinks
    return {
        "co-citation": (into, out),
        "coupling": (out, into),
        "indirect": (out, out),
        "indirect from": (into, into),
    }[pattern]


def _back(graph: WebGraph, pattern: Pattern) -> Rows:
    """The rows in which a witness finds the pages that led to it."""
    return graph.inlinks if pattern == "indirect" else graph.outlinks


def _ends_at(graph: WebGraph, pattern: Pattern) -> Offsets:
    """The degrees of partners: links of the kind that their witnesses tie them by."""
    rows = graph.outlinks if pattern in ("coupling", "indirect from") else graph.inlinks
    return np.diff(rows.starts)


def by_site(rows: Rows, graph: WebGraph) -> tuple[Rows, Rows, int]:
    """Rows with the sites of neighbours in place of these, the same turned round, and how many."""
    n = len(graph)
    site, names = owners(graph.names)
    key = np.unique(stacked(rows.owners(), site[np.asarray(rows.ids)]))
    first = rows_of(key, None, n)
    return first, reverse(first, n), len(names)


def tied(paths: Paths, page: int, how: Strength) -> Tied:
    """The pages tied to a page, and how strongly.

    Should the witnesses lead to more than two million pages together, those
    with fewest links are asked, and the others left out.
    """
    own = paths.first.row(page)
    asked = own[paths.worth[own] > 0]
    links = np.asarray(paths.second.starts)[asked + 1] - np.asarray(paths.second.starts)[asked]
    if links.sum() > MOST_LINKS:
        order = np.lexsort((asked, links))
        asked = np.sort(asked[order[np.cumsum(links[order]) <= MOST_LINKS]])
    sums = summed(paths, page, asked)
    found = np.flatnonzero(sums).astype(np.int32)
    code = MEASURES.index(measure_of(how))
    made = strength(code, sums[found], paths.here[page], paths.there[found], paths.chance)
    return Tied(found, sums[found], made, len(own) - len(asked))


def witnesses(paths: Paths, back: Rows, page: int, other: int) -> Ids:
    """The witnesses that tie two pages, those with fewest links first.

    `back` are the rows in which a partner finds the witnesses that speak for
    it: the first steps themselves where a pattern is symmetric.
    """
    both = np.intersect1d(paths.first.row(page), back.row(other), assume_unique=True)
    both = both[paths.worth[both] > 0]
    links = np.asarray(paths.second.starts)[both + 1] - np.asarray(paths.second.starts)[both]
    return both[np.argsort(links, kind="stable")]


def best_of(scores: Floats, k: int) -> Offsets:
    """The places of the k best scores above zero, to twelve digits; equal ones keep their order."""
    found = np.flatnonzero(scores > 0)
    if len(found) > 4 * k:
        bar = np.partition(scores[found], len(found) - k)[len(found) - k]
        found = found[scores[found] >= bar * (1 - 1e-9)]
    largest = scores[found].max(initial=0.0) or 1.0
    order = np.argsort(-(scores[found] / largest).round(12), kind="stable")
    return found[order[:k]]


def partners(
    graph: WebGraph,
    pattern: Pattern = "co-citation",
    k: int = 10,
    *,
    how: Strength = "cosine",
    vote: Vote = "page",
    cap: int = CAP,
) -> pa.Table:
    """The k strongest partners of every page at once: page, partner, strength, by page numbers.

    Examples
    --------
    >>> web = WebGraph.from_links([("a", "x"), ("a", "y"), ("b", "x"), ("b", "y"), ("b", "z")])
    >>> partners(web, k=1).to_pylist()[0]
    {'page': 1, 'partner': 2, 'strength': 1.0}
    """
    from weft.engine.partners import top_partners  # noqa: PLC0415  a compiler is slow to load

    paths = weighed(steps_of(graph, pattern, vote), how, cap)
    starts, ids, found = top_partners(paths, k, measure_of(how))
    page = np.repeat(np.arange(len(graph), dtype=np.int32), np.diff(starts))
    return pa.table({"page": page, "partner": ids, "strength": found})
