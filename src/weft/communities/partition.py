"""Sets of pages made communities: who is in the middle of each, and how they are linked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from weft.communities.community import Community
from weft.core.arrays import Flags, Floats, Ids, Offsets, stacked, unstacked, upper
from weft.graph.among import places
from weft.graph.baseset import BaseSet
from weft.graph.owners import voters
from weft.graph.webgraph import WebGraph

NOTHING = np.zeros(0, np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class Sets:
    """Sets of pages one after the other: the pages, ascending in each, and whose they are."""

    page: Ids
    group: Ids
    count: int
    pages: int

    @classmethod
    def of(cls, sets: Sequence[Ids], pages: int) -> "Sets":
        """Put sets of the pages of a graph together."""
        group = np.repeat(np.arange(len(sets), dtype=np.int32), [len(each) for each in sets])
        page = np.concatenate([NOTHING, *sets]).astype(np.int32)
        key = np.unique(stacked(group, page))
        group, page = unstacked(key)
        return cls(page, group, len(sets), pages)

    @property
    def apart(self) -> bool:
        """Whether no page is in two of them."""
        return bool((np.bincount(self.page, minlength=1) <= 1).all())

    def find(self, group: Ids, page: Ids) -> Offsets:
        """Where a page stands in a set; -1 where it is not in it."""
        if self.apart:
            place = np.full(self.pages, -1, np.int64)
            place[self.page] = np.arange(len(self.page))
            at = place[page]
            return np.where(np.append(self.group, -1)[at] == group, at, -1)
        own, asked = stacked(self.group, self.page), stacked(group, page)
        at = np.minimum(np.searchsorted(own, asked), max(len(own) - 1, 0))
        return np.where(own[at] == asked, at, -1) if len(own) else at - 1

    def total(self, values: npt.NDArray[Any]) -> Offsets:
        """The sum over each set of a value of each page in it."""
        return np.bincount(self.group, values, self.count).astype(np.int64)

    def parts(self, values: npt.NDArray[Any]) -> list[npt.NDArray[Any]]:
        """Values of all pages in all sets, set by set."""
        return np.split(values, np.searchsorted(self.group, np.arange(1, self.count)))


def communities_of(
    base: BaseSet,
    sets: Sequence[Ids],
    *,
    strength: Sequence[float] = (),
    facts: Sequence[Mapping[str, Any]] = (),
    evidence: Sequence[Mapping[str, Ids]] = (),
    scores: Sequence[tuple[Floats, Floats]] = (),
) -> tuple[Community, ...]:
    """Sets of pages as communities, the strongest first; equals keep their order.

    Without a `strength` they stand by their size. A member scores as a centre
    by how many sites of the community link to it, and as a hub by how many it
    links to; by pages, where most links of the graph stay inside sites.
    `scores` beside the members of each set, ascending, take their place.
    """
    if not sets:
        return ()
    graph, held = base.graph, Sets.of(sets, len(base))
    inner = inside(graph, held)
    within = np.bincount(held.group[inner.source], minlength=held.count)
    leaving = held.total(np.diff(graph.outlinks.starts)[held.page]) - within
    arriving = held.total(np.diff(graph.inlinks.starts)[held.page]) - within
    members = held.parts(held.page)
    told = scores or list(zip(*map(held.parts, middle(graph, held, inner)), strict=True))
    size = strength or [float(len(each)) for each in members]
    made = [
        Community(
            members[k],
            *told[k],
            int(within[k]),
            int(leaving[k]),
            int(arriving[k]),
            float(size[k]),
            facts=facts[k] if facts else {},
            evidence=evidence[k] if evidence else {},
        )
        for k in range(held.count)
    ]
    return tuple(sorted(made, key=lambda community: -round(community.strength, 9)))


@dataclass(frozen=True, slots=True, eq=False)
class Inside:
    """The links inside sets, by where their ends stand in these."""

    source: Offsets
    target: Offsets


def inside(graph: WebGraph, sets: Sets) -> Inside:
    """The links that stay inside a set, once for each set they are in."""
    rows = graph.outlinks
    at, _ = places(rows, sets.page)
    source = np.repeat(np.arange(len(sets.page)), np.diff(rows.starts)[sets.page])
    target = sets.find(sets.group[source], np.asarray(rows.ids[at]))
    stays: Flags = target >= 0
    return Inside(source[stays], target[stays])


def middle(graph: WebGraph, sets: Sets, inner: Inside) -> tuple[Floats, Floats]:
    """How many link to each page inside its set, and how many it links to, one vote a site."""
    owner, n = voters(graph), len(sets.page)
    ways = ((inner.target, inner.source), (inner.source, inner.target))
    if (np.diff(owner) > 0).all():
        degrees = [np.bincount(own, minlength=n) for own, _ in ways]
    else:
        whose = owner[sets.page]
        votes = [_different(stacked(own, whose[other])) for own, other in ways]
        degrees = [np.bincount(upper(each), minlength=n) for each in votes]
    return degrees[0].astype(np.float64), degrees[1].astype(np.float64)


def _different(keys: Offsets) -> Offsets:
    """Keys without those that come again; of millions a sort finds these sooner than `unique`."""
    keys.sort()
    fresh = np.ones(len(keys), bool)
    np.not_equal(keys[1:], keys[:-1], out=fresh[1:])
    return keys[fresh]


def links_between(graph: WebGraph, sets: Sequence[Ids]) -> Offsets:
    """How many links lead from the pages of each set (row) to those of each (column)."""
    held = Sets.of(sets, len(graph))
    rows = graph.outlinks
    at, _ = places(rows, held.page)
    source = np.repeat(held.group, np.diff(rows.starts)[held.page])
    target = np.asarray(rows.ids[at])
    order = np.argsort(held.page, kind="stable")
    starts = np.searchsorted(held.page[order], np.arange(len(graph) + 1))
    many = np.diff(starts)[target]
    ends = np.cumsum(many)
    where = np.arange(int(many.sum())) + np.repeat(starts[target] - (ends - many), many)
    pair = np.repeat(source, many).astype(np.int64) * held.count + held.group[order[where]]
    cells: Offsets = np.bincount(pair, minlength=held.count**2).astype(np.int64)
    return cells.reshape(held.count, held.count)


def links_from(graph: WebGraph, one: Ids, other: Ids) -> tuple[Ids, Ids]:
    """The links from the pages of one set to those of another, what most lead to first."""
    inside = np.zeros(len(graph), bool)
    inside[other] = True
    at, source = places(graph.outlinks, one)
    target = np.asarray(graph.outlinks.ids[at])
    source, target = source[inside[target]], target[inside[target]]
    often = np.bincount(target, minlength=1)
    order = np.lexsort((source, target, -often[target]))
    return source[order].astype(np.int32), target[order]
