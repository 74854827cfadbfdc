"""The contents of a topics report: topics with evidence, their links, and counts of pages."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from weft.core.arrays import Floats
from weft.graph.baseset.baseset import GIVEN, LINKED_FROM, LINKS_TO, ROOT
from weft.groups.evidence import Evidence, EvidenceCollector, group_overlaps
from weft.groups.group import Group, Groups
from weft.store.collection import Collection
from weft.store.numbering import PAGE_KINDS

MAX_DRAWN_PAGES = 8
ORIGIN_LABELS = {
    ROOT: "search results",
    GIVEN: "given pages",
    LINKED_FROM: "linked from these",
    LINKS_TO: "linking to these",
}


@dataclass(frozen=True, slots=True)
class TopicPageEntry:
    """A page of a topic with its evidence, a snippet, and whether it was captured."""

    evidence: Evidence
    snippet: str
    captured: bool


@dataclass(frozen=True, slots=True, eq=False)
class HubAuthorityLinks:
    """The best hubs and authorities of a topic, and the links between them.

    `weights` has a row per hub and a column per authority: the product of their
    scores as a share of the largest, zero where there is no link.
    """

    hubs: Sequence[Evidence]
    authorities: Sequence[Evidence]
    weights: Floats


@dataclass(frozen=True, slots=True, eq=False)
class TopicSection:
    """A topic of the report, with its best pages."""

    number: int
    topic: Group
    authorities: Sequence[TopicPageEntry]
    hubs: Sequence[TopicPageEntry]
    uncaptured: Sequence[str]
    hub_authority_links: HubAuthorityLinks


@dataclass(frozen=True, slots=True)
class PageShare:
    """A part of the base set; `topic_number` is 0 if it is not a topic."""

    label: str
    page_count: int
    topic_number: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class TopicsReport:
    """Everything in a topics report.

    `topics` are all topics, `sections` those that are shown, and `overlaps` the
    pairs of these with common pages, largest share first. `origin_shares` count
    the pages of the base set by how they came in, `topic_shares` by topic; a
    page of several topics counts for the first.
    """

    topics: Groups
    sections: Sequence[TopicSection]
    overlaps: Sequence[dict[str, Any]]
    origin_shares: Sequence[PageShare]
    topic_shares: Sequence[PageShare]
    collection_name: str
    collection_size: int
    history: Sequence[dict[str, Any]]
    top: int
    max_topics: int

    @property
    def base_set_size(self) -> int:
        """The number of pages in the base set."""
        return len(self.topics.base)

    @property
    def level(self) -> str:
        """What the topics consist of: pages, hosts or domains."""
        return self.topics.base.level


def build_topics_report(
    collection: Collection, topics: Groups, top: int, max_topics: int
) -> TopicsReport:
    """Collect the contents of the report on some topics."""
    shown = replace(topics, groups=topics.groups[:max_topics])
    evidence = EvidenceCollector(shown).for_groups(max(top, MAX_DRAWN_PAGES))
    listed = {
        item.page_number
        for roles in evidence.values()
        for items in roles.values()
        for item in items[:top]
    }
    numbers = np.array(sorted(listed), np.int32)
    snippets = dict(zip(numbers.tolist(), topics.base.snippets(numbers), strict=True))
    uncaptured = _uncaptured_pages(collection, topics)

    def make_entries(items: Sequence[Evidence]) -> list[TopicPageEntry]:
        return [
            TopicPageEntry(item, snippets[item.page_number], item.page not in uncaptured)
            for item in items[:top]
        ]

    sections = [
        TopicSection(
            number,
            shown[number - 1],
            make_entries(roles["authority"]),
            make_entries(roles["hub"]),
            topics.base.page_names(shown[number - 1].uncaptured[:top]),
            weigh_hub_authority_links(
                topics, roles["hub"][:MAX_DRAWN_PAGES], roles["authority"][:MAX_DRAWN_PAGES]
            ),
        )
        for number, roles in evidence.items()
    ]
    return TopicsReport(
        topics,
        sections,
        sorted(group_overlaps(shown), key=lambda row: -row["share"]),
        count_by_origin(topics),
        count_by_topic(topics, max_topics),
        collection.folder.resolve().name,
        collection.manifest.counts["captured"] + collection.manifest.counts["listed"],
        collection.manifest.history,
        top,
        max_topics,
    )


def _uncaptured_pages(collection: Collection, topics: Groups) -> set[str]:
    """The pages of the base set that are linked, not captured."""
    if topics.base.level != "page":
        return set()
    kinds = collection.pages["kind"].to_numpy()[topics.base.page_numbers]
    return {
        topics.base.pages[k] for k in np.flatnonzero(kinds == PAGE_KINDS["uncaptured"]).tolist()
    }


def weigh_hub_authority_links(
    topics: Groups, hubs: Sequence[Evidence], authorities: Sequence[Evidence]
) -> HubAuthorityLinks:
    """Weigh the links from some hubs to some authorities."""
    graph = topics.base.graph
    sources, targets = (
        [graph.page_number(item.page) for item in items] for items in (hubs, authorities)
    )
    weights = np.outer([item.score for item in hubs], [item.score for item in authorities])
    rows = graph.outlinks
    for position, source in enumerate(sources):
        linked = rows.ids[rows.starts[source] : rows.starts[source + 1]]
        weights[position] *= np.isin(targets, linked)
    largest = max(weights.max(initial=0), np.finfo(float).tiny)
    return HubAuthorityLinks(hubs, authorities, weights / largest)


def count_by_origin(topics: Groups) -> list[PageShare]:
    """Count the pages of the base set by how they came into it."""
    counts = np.bincount(topics.base.origin, minlength=len(ORIGIN_LABELS))
    return [
        PageShare(label, int(counts[code])) for code, label in ORIGIN_LABELS.items() if counts[code]
    ]


def count_by_topic(topics: Groups, max_topics: int) -> list[PageShare]:
    """Count the pages of the base set by topic; the others as further, set aside, or in none."""
    further, aside, none = max_topics + 1, max_topics + 2, max_topics + 3
    codes = np.full(len(topics.base), none)
    for topic in topics.set_aside:
        codes[topic.members] = aside
    # from the last topic to the first, so that a page of several counts for the first
    for number, topic in reversed(list(enumerate(topics, start=1))):
        codes[topic.members] = min(number, further)
    counts = np.bincount(codes, minlength=none + 1)
    shares = [
        PageShare(topic.name or "(no label)", int(counts[number]), number)
        for number, topic in enumerate(topics[:max_topics], start=1)
    ]
    others = {further: "in further topics", aside: "set aside", none: "in no topic"}
    shares += [PageShare(label, int(counts[code])) for code, label in others.items()]
    return [share for share in shares if share.page_count]
