"""Why a page is an authority or a hub of its topic: who points to it, or where it points."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, combinations
from typing import Any

import numpy as np
import pyarrow as pa

from weft.core.arrays import Ids
from weft.graph.baseset import BaseSet
from weft.topics.linked import Linked
from weft.topics.spoken import Role, Side
from weft.topics.topic import Topic, Topics

ROLES: tuple[Role, ...] = ("authority", "hub")
FEW = 5


@dataclass(frozen=True, slots=True)
class Support:
    """A page at the other end of a link, what the link says, and what it brought.

    The amounts of all pages at the other end add up to the score: each brings
    as much of it as it scores itself.
    """

    page: str
    amount: float
    anchors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for a page of a topic.

    For an authority `links` are the hubs that point to it, for a hub the
    authorities it points to, the strongest first; `count` is how many there
    are, on `sites` different sites, and `said` what the links say, the most
    telling first. `also` are the other topics that the page is in; a page that
    is `seen` was met in links, but not fetched.
    """

    topic: int
    role: Role
    place: int
    page: str
    title: str
    score: float
    count: int
    sites: int
    said: tuple[str, ...]
    links: tuple[Support, ...]
    also: tuple[int, ...]
    seen: bool = False


@dataclass(frozen=True)
class Case:
    """The evidence in topics, for as many pages as one asks."""

    topics: Topics

    @property
    def base(self) -> BaseSet:
        """The pages and links that the topics were found in."""
        return self.topics.base

    def of(self, number: int, role: Role, top: int = 10, few: int = FEW) -> list[Evidence]:
        """The best authorities or hubs of a topic, counted from one, each with its evidence.

        Of the pages at the other end a `few` are named, and as many anchors.
        """
        return self._shown([number], [role], top, few)[number][role]

    def shown(self, top: int = 10, few: int = FEW, numbers: Sequence[int] = ()) -> "Shown":
        """The same for every topic, or some, in both roles; faster than one after the other."""
        every = numbers or range(1, len(self.topics) + 1)
        return self._shown(every, ROLES, top, few)

    def about(self, number: int, topic: Topic, role: Role, page: int) -> list[Evidence]:
        """The evidence for one page in a role of a topic, which has that number; or none."""
        every = topic.authorities(len(topic)) if role == "authority" else topic.hubs(len(topic))
        places = np.flatnonzero(every == page)
        [found] = self._evidence([number], [Side(topic, role, every[places])], FEW)
        return [replace(one, place=at + 1) for one, at in zip(found, places.tolist(), strict=True)]

    def _shown(self, numbers: Sequence[int], roles: Sequence[Role], top: int, few: int) -> "Shown":
        sides = []
        for number in numbers:
            topic = self.topics[number - 1]
            best = {"authority": topic.authorities, "hub": topic.hubs}
            sides += [Side(topic, role, best[role](top)) for role in roles]
        found = iter(self._evidence([n for n in numbers for _ in roles], sides, few))
        return {number: {role: next(found) for role in roles} for number in numbers}

    def _evidence(
        self, numbers: Sequence[int], sides: Sequence[Side], few: int
    ) -> list[list[Evidence]]:
        """The evidence for the pages of sides of topics, which have these numbers."""
        linked, titles = Linked.of(self.base, sides), self.base.titles
        seen = self.base.graph.seen
        counts = zip(linked.scores, linked.counts, linked.sites(), strict=True)
        told = zip(counts, linked.said(few), linked.first(few), strict=True)
        return [
            [
                Evidence(
                    number,
                    side.role,
                    place,
                    self.base.pages[page],
                    titles[page] if len(titles) else "",
                    *own,
                    said,
                    tuple(Support(*link) for link in links),
                    tuple(k for k in self.holding(page) if k != number),
                    seen is not None and bool(seen[page]),
                )
                for place, (page, (own, said, links)) in enumerate(
                    zip(side.pages.tolist(), told, strict=False), start=1
                )
            ]
            for number, side in zip(numbers, sides, strict=True)
        ]

    @cached_property
    def scoring(self) -> tuple[Ids, Ids]:
        """Pages and the topics, from one, that they score in; by page, then topic."""
        some = [t.members[(t.authority > 0) | (t.hub > 0)] for t in self.topics]
        page = np.concatenate([np.zeros(0, np.int32), *some])
        numbers = np.arange(1, len(some) + 1, dtype=np.int32)
        topic = np.repeat(numbers, [len(own) for own in some])
        order = np.lexsort((topic, page))
        return page[order], topic[order]

    def holding(self, page: int) -> Sequence[int]:
        """The numbers, from one, of the topics that a page of the base set scores in."""
        pages, topics = self.scoring
        first, last = np.searchsorted(pages, [page, page + 1])
        found: list[int] = topics[first:last].tolist()
        return found

    def to_table(self, top: int = 10) -> pa.Table:
        """One row per page and role, by topic, with who or what speaks for it."""
        rows = [
            row(found, self.topics[number - 1].name)
            for number, both in self.shown(top).items()
            for found in chain(*both.values())
        ]
        return pa.Table.from_pylist(rows, schema=COLUMNS)


def row(found: Evidence, label: str) -> dict[str, Any]:
    """Evidence as a row of a table."""
    return {
        "topic": found.topic,
        "label": label,
        "role": found.role,
        "place": found.place,
        "page": found.page,
        "title": found.title,
        "score": found.score,
        "links": found.count,
        "sites": found.sites,
        "said": " | ".join(found.said),
        "also": list(found.also),
        "seen": found.seen,
    }


Shown = dict[int, dict[Role, list[Evidence]]]
COLUMNS = pa.schema(
    {
        "topic": pa.int32(),
        "label": pa.string(),
        "role": pa.string(),
        "place": pa.int32(),
        "page": pa.string(),
        "title": pa.string(),
        "score": pa.float64(),
        "links": pa.int32(),
        "sites": pa.int32(),
        "said": pa.string(),
        "also": pa.list_(pa.int32()),
        "seen": pa.bool_(),
    }
)


def overlap(topics: Topics) -> pa.Table:
    """The pairs of topics that have pages in common: how many, and as a share of the smaller."""
    rows = []
    for (one, first), (two, second) in combinations(enumerate(topics, start=1), 2):
        common = len(np.intersect1d(first.members, second.members))
        if common:
            share = common / min(len(first), len(second))
            rows.append({"topic": one, "other": two, "pages": common, "share": share})
    return pa.Table.from_pylist(rows, schema=OVERLAP)


OVERLAP = pa.schema(
    {"topic": pa.int32(), "other": pa.int32(), "pages": pa.int32(), "share": pa.float64()}
)
