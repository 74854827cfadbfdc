"""Hubs and authorities of many groups of pages at once, each by itself."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from weft.core.arrays import Floats, Ids, Offsets, Rows, stacked
from weft.engine import Components, Flow, Pair, Trace, flow, length, principal
from weft.engine.components import sums
from weft.graph.webgraph import WebGraph, rows_of

PLAIN = 6
STEPS = 10
TOGETHER = 5 * (PLAIN + STEPS)
NOTHING = 1e-10
TIE = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Settling:
    """Every component by itself: its vectors of length one, its value, and what changed last."""

    parts: Components
    source: Floats
    target: Floats
    value: Floats
    change: Floats
    rounds: int


def hits_inside(graph: WebGraph, groups: Sequence[Ids], tolerance: float, limit: int) -> list[Pair]:
    """The principal pair of each group of pages, on the links inside it.

    Groups share no page. Most settle in few rounds, which they go together;
    those that take longer are then left to themselves.
    """
    out, starts = rows_inside(graph.outlinks, groups)
    into, _ = rows_inside(graph.inlinks, groups)
    found = settle(flow(out, into), tolerance, min(limit, TOGETHER))
    made = []
    for at, end in pairwise(starts.tolist()):
        own = np.unique(found.parts.source[at:end])
        own = own[own >= 0]
        pair = strongest(found, at, end, own, tolerance)
        if not pair.trace.converged and found.rounds < limit:
            alone = flow(part(out, at, end), part(into, at, end))
            pair = principal(alone, np.ones(end - at), tolerance, limit, "hits")
        made.append(pair)
    return made


def rows_inside(rows: Rows, groups: Sequence[Ids]) -> tuple[Rows, Offsets]:
    """The links inside groups, with pages numbered group by group, and where each group starts."""
    n = len(rows.starts) - 1
    starts = np.cumsum([0, *map(len, groups)], dtype=np.int64)
    # small numbers are sorted in one pass
    home, place = np.full(n, -1, np.min_scalar_type(-1 - len(groups))), np.zeros(n, np.int64)
    for number, group in enumerate(groups):
        home[group] = number
        place[group] = np.arange(starts[number], starts[number + 1])
    owner = rows.owners()
    inside = np.flatnonzero((home[owner] >= 0) & (home[owner] == home[rows.ids]))
    inside = inside[np.argsort(home[owner[inside]], kind="stable")]
    key = stacked(place[owner[inside]], place[rows.ids[inside]])
    return rows_of(key, None, int(starts[-1])), starts


def part(rows: Rows, at: int, end: int) -> Rows:
    """The rows of one group, whose links stay inside it."""
    starts = rows.starts[at : end + 1]
    return Rows(starts - starts[0], rows.ids[starts[0] : starts[-1]] - np.int32(at))


def settle(links: Flow, tolerance: float, limit: int) -> Settling:
    """Go on from equal hubs until every component has settled, or to the limit.

    Where some have not after a few rounds, steps of Lanczos bring all on.
    """
    parts = links.components()
    source, target = np.ones(links.n), np.zeros(links.n)
    change, value = np.full(parts.count, np.inf), np.zeros(parts.count)
    rounds = 0
    while parts.count and rounds < limit and change.max() >= tolerance:
        arrived, _ = scaled(links.forward(source), parts.target, parts.count)
        led, value = scaled(links.backward(arrived), parts.source, parts.count)
        change = changed(arrived, target, parts.target, parts.count)
        change += changed(led, source, parts.source, parts.count)
        source, target, rounds = led, arrived, rounds + 1
        if rounds % (PLAIN + STEPS) == PLAIN and change.max() >= tolerance:
            source, rounds = lanczos(links, parts, source), rounds + STEPS
    return Settling(parts, source, target, value, change, rounds)


def lanczos(links: Flow, parts: Components, start: Floats) -> Floats:
    """The best hubs of each component among the first powers of its links applied to a start."""
    labels, count = parts.source, parts.count
    basis = [scaled(start, labels, count)[0]]
    small = np.zeros((count, STEPS, STEPS))
    rest, norm = start, np.zeros(count)
    for k in range(STEPS):
        if k:
            live = norm > NOTHING * small[:, k - 1, k - 1]
            small[:, k - 1, k] = small[:, k, k - 1] = np.where(live, norm, 0.0)
            each = np.where(live, 1 / np.where(live, norm, 1.0), 0.0)
            basis.append(rest * np.append(each, 0.0)[labels])
        image = links.backward(links.forward(basis[k]))
        small[:, k, k] = sums(image * basis[k], labels, count)
        rest = image - np.append(small[:, k, k], 0.0)[labels] * basis[k]
        if k:
            rest -= np.append(small[:, k, k - 1], 0.0)[labels] * basis[k - 1]
        norm = np.sqrt(sums(np.square(rest), labels, count))
    weights = np.linalg.eigh(small)[1][:, :, -1]
    best = np.zeros(links.n)
    for k, vector in enumerate(basis):
        best += np.append(weights[:, k], 0.0)[labels] * vector
    best *= np.append(np.sign(sums(best, labels, count)), 0.0)[labels]
    return np.maximum(best, 0.0)


def scaled(values: Floats, labels: Ids, count: int) -> tuple[Floats, Floats]:
    """Values brought to length one in each component, and what the lengths were."""
    norms = np.sqrt(sums(np.square(values), labels, count))
    return values * np.append(1 / norms, 0.0)[labels], norms


def changed(new: Floats, old: Floats, labels: Ids, count: int) -> Floats:
    """How much the values of each component changed, as a share of their sum."""
    return sums(np.abs(new - old), labels, count) / sums(new, labels, count)


def strongest(found: Settling, at: int, end: int, own: Ids, tolerance: float) -> Pair:
    """The pair of one group: that of its strongest component, or the blend of those that tie."""
    value = float(found.value[own].max(initial=0))
    won = own[found.value[own] >= value * (1 - TIE)]
    change = float(found.change[own].max(initial=0))
    trace = Trace(
        found.rounds, change, change < tolerance, "settled" if change < tolerance else "limit"
    )
    mine = [labels[at:end] for labels in (found.parts.source, found.parts.target)]
    # a start of equal hubs meets each component by the sum of its hubs
    weight = np.zeros(found.parts.count + 1)
    weight[won] = sums(found.source[at:end], mine[0], found.parts.count)[won]
    source, target = (
        length(values[at:end] * weight[labels])
        for values, labels in zip((found.source, found.target), mine, strict=True)
    )
    return Pair(source, target, value, trace, len(own), len(won))
