"""Evidence for the authorities and hubs of a topic: the links behind their scores."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, combinations
from typing import Any

import numpy as np
import pyarrow as pa

from weft.core.arrays import Ids
from weft.graph.baseset.baseset import BaseSet
from weft.store.collection import Collection
from weft.store.query import parse_query
from weft.store.snippet import make_snippets, query_stems
from weft.topics.link_anchors import Role, TopicSide
from weft.topics.linked_pages import LinkedPages
from weft.topics.topic import Topic, Topics

ROLES: tuple[Role, ...] = ("authority", "hub")
MAX_SUPPORTS = 5


@dataclass(frozen=True, slots=True)
class SupportingLink:
    """A page at the other end of a link, its contribution and the anchor texts.

    The contributions of all pages at the other end add up to the score; each is
    proportional to the score of that page.
    """

    page: str
    contribution: float
    anchors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Evidence:
    """The evidence for a page of a topic.

    `links` are the hubs that link to an authority, or the authorities that a
    hub links to, strongest first; `count` is their number, `sites` the number
    of their sites. `anchors` are the anchor texts of highest weight,
    `other_topics` the numbers of the other topics of the page. An `uncaptured`
    page is linked, but not captured.
    """

    topic: int
    role: Role
    place: int
    page: str
    title: str
    score: float
    count: int
    sites: int
    anchors: tuple[str, ...]
    links: tuple[SupportingLink, ...]
    other_topics: tuple[int, ...]
    uncaptured: bool = False


@dataclass(frozen=True)
class EvidenceCollector:
    """Collects the evidence for pages of topics."""

    topics: Topics

    @property
    def base(self) -> BaseSet:
        """The base set of the topics."""
        return self.topics.base

    def for_role(
        self, number: int, role: Role, top: int = 10, max_supports: int = MAX_SUPPORTS
    ) -> list[Evidence]:
        """The evidence for the best authorities or hubs of a topic, numbered from one.

        At most `max_supports` links, and as many anchor texts, are listed for each page.
        """
        return self._for_topics_and_roles([number], [role], top, max_supports)[number][role]

    def for_topics(
        self, top: int = 10, max_supports: int = MAX_SUPPORTS, numbers: Sequence[int] = ()
    ) -> "EvidenceByTopic":
        """The evidence for all topics, or some, in both roles; faster than one by one."""
        selected = numbers or range(1, len(self.topics) + 1)
        return self._for_topics_and_roles(selected, ROLES, top, max_supports)

    def for_page(self, number: int, topic: Topic, role: Role, page: int) -> list[Evidence]:
        """The evidence for one page in a role of a topic; empty if it has no score."""
        ranked = topic.authorities(len(topic)) if role == "authority" else topic.hubs(len(topic))
        places = np.flatnonzero(ranked == page)
        [evidence] = self._collect_evidence(
            [number], [TopicSide(topic, role, ranked[places])], MAX_SUPPORTS
        )
        return [
            replace(own, place=place + 1)
            for own, place in zip(evidence, places.tolist(), strict=True)
        ]

    def _for_topics_and_roles(
        self, numbers: Sequence[int], roles: Sequence[Role], top: int, max_supports: int
    ) -> "EvidenceByTopic":
        sides = []
        for number in numbers:
            topic = self.topics[number - 1]
            best = {"authority": topic.authorities, "hub": topic.hubs}
            sides += [TopicSide(topic, role, best[role](top)) for role in roles]
        evidence = iter(
            self._collect_evidence([n for n in numbers for _ in roles], sides, max_supports)
        )
        return {number: {role: next(evidence) for role in roles} for number in numbers}

    def _collect_evidence(
        self, numbers: Sequence[int], sides: Sequence[TopicSide], max_supports: int
    ) -> list[list[Evidence]]:
        """The evidence for the pages of some sides, whose topics have these numbers."""
        linked, titles = LinkedPages.from_sides(self.base, sides), self.base.titles
        uncaptured = self.base.graph.uncaptured
        counts = zip(linked.scores, linked.link_counts, linked.site_counts(), strict=True)
        details = zip(
            counts,
            linked.top_anchors(max_supports),
            linked.top_linked_pages(max_supports),
            strict=True,
        )
        return [
            [
                Evidence(
                    number,
                    side.role,
                    place,
                    self.base.pages[page],
                    titles[page] if len(titles) else "",
                    *score_and_counts,
                    anchors,
                    tuple(SupportingLink(*link) for link in links),
                    tuple(k for k in self.topics_of_page(page) if k != number),
                    uncaptured is not None and bool(uncaptured[page]),
                )
                for place, (page, (score_and_counts, anchors, links)) in enumerate(
                    zip(side.pages.tolist(), details, strict=False), start=1
                )
            ]
            for number, side in zip(numbers, sides, strict=True)
        ]

    @cached_property
    def page_topic_pairs(self) -> tuple[Ids, Ids]:
        """Pages and the topics, from one, in which they have a score; by page, then topic."""
        scoring = [t.members[(t.authority > 0) | (t.hub > 0)] for t in self.topics]
        page = np.concatenate([np.zeros(0, np.int32), *scoring])
        numbers = np.arange(1, len(scoring) + 1, dtype=np.int32)
        topic = np.repeat(numbers, [len(own) for own in scoring])
        order = np.lexsort((topic, page))
        return page[order], topic[order]

    def topics_of_page(self, page: int) -> Sequence[int]:
        """The numbers, from one, of the topics in which a page has a score."""
        pages, topics = self.page_topic_pairs
        first, last = np.searchsorted(pages, [page, page + 1])
        numbers: list[int] = topics[first:last].tolist()
        return numbers

    def to_table(self, top: int = 10) -> pa.Table:
        """One row per topic, role and page, with its links and anchor texts."""
        rows = [
            evidence_row(evidence, self.topics[number - 1].name)
            for number, by_role in self.for_topics(top).items()
            for evidence in chain(*by_role.values())
        ]
        return pa.Table.from_pylist(rows, schema=EVIDENCE_SCHEMA)


def evidence_row(evidence: Evidence, label: str) -> dict[str, Any]:
    """A table row of evidence."""
    return {
        "topic": evidence.topic,
        "label": label,
        "role": evidence.role,
        "place": evidence.place,
        "page": evidence.page,
        "title": evidence.title,
        "score": evidence.score,
        "links": evidence.count,
        "sites": evidence.sites,
        "anchors": " | ".join(evidence.anchors),
        "other_topics": list(evidence.other_topics),
        "uncaptured": evidence.uncaptured,
    }


EvidenceByTopic = dict[int, dict[Role, list[Evidence]]]
EVIDENCE_SCHEMA = pa.schema(
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
        "anchors": pa.string(),
        "other_topics": pa.list_(pa.int32()),
        "uncaptured": pa.bool_(),
    }
)


def topic_overlaps(topics: Topics) -> pa.Table:
    """Pairs of topics that share pages: their number, and its share of the smaller topic."""
    rows = []
    for (number, topic), (other_number, other) in combinations(enumerate(topics, start=1), 2):
        common = len(np.intersect1d(topic.members, other.members))
        if common:
            share = common / min(len(topic), len(other))
            rows.append({"topic": number, "other": other_number, "pages": common, "share": share})
    return pa.Table.from_pylist(rows, schema=OVERLAP_SCHEMA)


OVERLAP_SCHEMA = pa.schema(
    {"topic": pa.int32(), "other": pa.int32(), "pages": pa.int32(), "share": pa.float64()}
)


def page_snippets(collection: Collection, base: BaseSet, pages: Sequence[str]) -> list[str]:
    """A snippet for each page: the passage with most of the query, or the beginning."""
    numbers = base.page_numbers[base.graph.page_numbers(pages)].tolist()
    query = parse_query(base.query) if base.query else None
    stems = query_stems(query, collection.text_index) if query else frozenset[str]()
    languages = collection.pages["language"].take(pa.array(numbers, pa.int64())).to_pylist()
    snippets = make_snippets(collection.texts(numbers, main_content=True), languages, stems)
    return [snippet.text for snippet in snippets]
