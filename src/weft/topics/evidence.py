"""Why a page is an authority or a hub of its topic: who points to it, or where it points."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from weft.core.arrays import Floats, Ids
from weft.graph.baseset import BaseSet
from weft.graph.filters import OWNERS
from weft.topics.spoken import Ends, Role, spoken
from weft.topics.topic import Topic, Topics

ROLES: tuple[Role, ...] = ("authority", "hub")
FEW, MOST_HEARD = 5, 100
SITE = OWNERS["site"]


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
    telling first. `also` are the other topics that the page is in.
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
        topic = self.topics[number - 1]
        best = topic.authorities(top) if role == "authority" else topic.hubs(top)
        return [
            self._evidence(number, topic, role, place, linked, few)
            for place, linked in enumerate(self._linked(topic, role, best), start=1)
        ]

    def about(self, number: int, topic: Topic, role: Role, page: int) -> list[Evidence]:
        """The evidence for one page in a role of a topic, which has that number; or none."""
        every = topic.authorities(len(topic)) if role == "authority" else topic.hubs(len(topic))
        places = np.flatnonzero(every == page)
        return [
            self._evidence(number, topic, role, place + 1, linked, FEW)
            for place in places.tolist()
            for linked in self._linked(topic, role, every[places])
        ]

    def _evidence(
        self, number: int, topic: Topic, role: Role, place: int, linked: "Linked", few: int
    ) -> Evidence:
        base, titles, (page, ends, scores, said) = self.base, self.base.titles, linked
        score = topic.score(role, page)
        amounts = score * scores / max(scores.sum(), np.finfo(float).tiny)
        return Evidence(
            number,
            role,
            place,
            base.pages[page],
            titles[page] if len(titles) else "",
            score,
            len(ends),
            len({SITE(base.pages[other]) for other in ends.tolist()}),
            _most_said(said, amounts)[:few],
            tuple(
                Support(base.pages[int(ends[k])], float(amounts[k]), said[k])
                for k in range(min(few, len(ends)))
            ),
            tuple(k for k in self.holding(page) if k != number),
        )

    def holding(self, page: int) -> Sequence[int]:
        """The numbers, from one, of the topics that a page of the base set scores in."""
        return [
            k
            for k, topic in enumerate(self.topics, start=1)
            if topic.score("authority", page) or topic.score("hub", page)
        ]

    def _linked(self, topic: Topic, role: Role, best: Ids) -> "list[Linked]":
        """Pages of a topic with those at the other ends of their links."""
        leading = Ends(self.base, topic, role)
        ends = [leading.of(page) for page in best.tolist()]
        few = [far[:MOST_HEARD] for far, _ in ends]
        near, far = np.repeat(best, [len(own) for own in few]), np.concatenate([best[:0], *few])
        pairs = (far, near) if role == "authority" else (near, far)
        words = iter(spoken(self.base, *pairs))
        return [
            Linked(page, *linked, [next(words) for _ in own])
            for page, linked, own in zip(best.tolist(), ends, few, strict=True)
        ]

    def to_table(self, top: int = 10) -> pa.Table:
        """One row per page and role, by topic, with who or what speaks for it."""
        rows = [
            row(found, self.topics[number - 1].name)
            for number in range(1, len(self.topics) + 1)
            for role in ROLES
            for found in self.of(number, role, top)
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
        "also": ", ".join(map(str, found.also)),
    }


class Linked(NamedTuple):
    """A page, those at the other ends of its links with their scores, and what the first say."""

    page: int
    ends: Ids
    scores: Floats
    said: Sequence[tuple[str, ...]]


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
        "also": pa.string(),
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


def _most_said(said: Sequence[tuple[str, ...]], amounts: Floats) -> tuple[str, ...]:
    """What is said, by how much the pages bring that say it."""
    weight = defaultdict[str, float](float)
    for words, amount in zip(said, amounts.tolist(), strict=False):
        for anchor in words:
            weight[anchor] += amount / len(words)
    return tuple(sorted(weight, key=lambda anchor: (-weight[anchor], anchor)))
