"""The topics of one page: its role and neighbours in each, or why it has none."""

from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa

from weft.core.tables import Tabular
from weft.core.text import pluralise, strip_scheme
from weft.gather.url import candidate_urls
from weft.graph.baseset.baseset import Origin
from weft.topics.evidence import EVIDENCE_SCHEMA, ROLES, Evidence, EvidenceCollector, evidence_row
from weft.topics.topic import Topic, Topics

MAX_ANCHORS_SHOWN = 2


@dataclass(frozen=True, slots=True, eq=False)
class TopicMembership(Tabular):
    """The roles of one page in topics, with their evidence.

    `origin` says how the page entered the base set; it is None if the page is
    not in it, and `absence_reason` says why. `evidence` has one item per topic
    and role, `set_aside_evidence` the same for topics that were set aside,
    which are numbered after the others. `unassigned_reason` says why a page of
    the base set is in no topic.
    """

    page: str
    topics: Topics
    origin: Origin | None
    absence_reason: str
    evidence: tuple[Evidence, ...]
    set_aside_evidence: tuple[Evidence, ...]
    unassigned_reason: str = ""

    def lines(self) -> Iterator[str]:
        """The membership as text, line by line."""
        yield str(self.origin) if self.origin else f"{self.page}: {self.absence_reason}"
        if self.unassigned_reason:
            yield self.unassigned_reason
        for evidence in (*self.evidence, *self.set_aside_evidence):
            yield self._describe_role(evidence)
            sign = "←" if evidence.role == "authority" else "→"
            for link in evidence.links:
                anchors = ", ".join(f'"{text}"' for text in link.anchors[:MAX_ANCHORS_SHOWN])
                line = f"  {sign} {strip_scheme(link.page)} {link.contribution:.3g} {anchors}"
                yield line.rstrip()

    def _describe_role(self, evidence: Evidence) -> str:
        """Describe one role in one topic: place, score and number of links."""
        topic = self._topic_of(evidence)
        number = f"topic {evidence.topic}"
        where = number if evidence in self.evidence else f"set aside, {topic.reason}"
        name = f" ({topic.name})" if topic.name else ""
        role = f"{evidence.role}, place {evidence.place:,}, {evidence.score:.3g}"
        word = "from" if evidence.role == "authority" else "to"
        links = f"{word} {pluralise(evidence.count, 'page')} on {pluralise(evidence.sites, 'site')}"
        return f"{where}{name}: {role}; {links}"

    def to_table(self) -> pa.Table:
        """One row per topic and role of the page, with the linked pages and anchor texts."""
        rows = [
            evidence_row(evidence, self._topic_of(evidence).name)
            for evidence in (*self.evidence, *self.set_aside_evidence)
        ]
        links = [
            " | ".join(link.page for link in evidence.links)
            for evidence in (*self.evidence, *self.set_aside_evidence)
        ]
        table = pa.Table.from_pylist(rows, schema=EVIDENCE_SCHEMA)
        return table.append_column("linked_pages", pa.array(links, pa.string()))

    def _topic_of(self, evidence: Evidence) -> Topic:
        return (*self.topics.topics, *self.topics.set_aside)[evidence.topic - 1]

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def __repr__(self) -> str:
        roles = ", ".join(f"{e.role} {e.place:,} of topic {e.topic}" for e in self.evidence)
        reason = self.absence_reason or self.unassigned_reason or "set aside"
        return f"<{self.page}: {roles or reason}>"


def find_topic_membership(topics: Topics, page: str) -> TopicMembership:
    """Find the topics of a page by its name; scheme, `www.` and final slash are optional."""
    base = topics.base
    spellings = [
        f"{spelling}{end}" for spelling in (page, *candidate_urls(page)) for end in ("", "/")
    ]
    names = [spelling for spelling in spellings if base.graph.page_number(spelling) >= 0]
    if not names:
        absent = [spelling for spelling in spellings if spelling in base.absent]
        return TopicMembership(
            (absent or [page])[0], topics, None, _why_not_in_base_set(topics, spellings), (), ()
        )
    number = base.graph.page_number(names[0])
    collector, topic_count = EvidenceCollector(topics), len(topics)
    evidence = [
        item
        for k, topic in enumerate((*topics.topics, *topics.set_aside), start=1)
        for role in ROLES
        for item in collector.for_page(k, topic, role, number)
    ]
    own = tuple(item for item in evidence if item.topic <= topic_count)
    set_aside = tuple(item for item in evidence if item.topic > topic_count)
    reason = "" if evidence else _unassigned_reason(topics, number)
    return TopicMembership(names[0], topics, base.origin_of(names[0]), "", own, set_aside, reason)


def _unassigned_reason(topics: Topics, page_id: int) -> str:
    """Why a page of the base set is in no topic."""
    uncaptured = topics.base.graph.uncaptured
    if uncaptured is not None and uncaptured[page_id]:
        return "in no topic: it was not captured"
    directions = topics.base.graph.inlinks, topics.base.graph.outlinks
    if any(rows.starts[page_id + 1] > rows.starts[page_id] for rows in directions):
        return f"in no topic: {topics.method} puts no linked page in a topic with it"
    return "in no topic: it has no links that count"


def _why_not_in_base_set(topics: Topics, page_spellings: list[str]) -> str:
    """Why a page is not in the base set."""
    for spelling in page_spellings:
        if spelling in topics.base.absent:
            return f"not in the base set: {topics.base.absent[spelling]}"
    if topics.base.query and not topics.base.search_total:
        return "not in the base set: the search finds no page"
    return "not in the base set: not found by the search, nor linked with a page that is"
