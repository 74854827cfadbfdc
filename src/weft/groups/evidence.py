"""Evidence for the authorities and hubs of a group: the links behind their scores."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, combinations
from typing import Any

import numpy as np
import pyarrow as pa

from weft.core.arrays import Ids
from weft.core.text import pluralise
from weft.graph.baseset.baseset import BaseSet
from weft.groups.group import ROLES, Group, Groups, Role
from weft.groups.link_anchors import GroupSide
from weft.groups.linked_pages import LinkedPages

MAX_SUPPORTS = 5


PageRefs = Mapping[int, dict[str, str]]


@dataclass(frozen=True, slots=True)
class SupportingLink:
    """A page at the other end of a link, its contribution and the anchor texts.

    The contributions of all pages at the other end add up to the score; each is
    proportional to the score of that page. `page_number` is its number in the
    base set.
    """

    page: str
    page_number: int
    contribution: float
    anchors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Evidence:
    """The evidence for a page of a group.

    `links` are the hubs that link to an authority, or the authorities that a
    hub links to, strongest first; `count` is their number, `sites` the number
    of their sites. `anchors` are the anchor texts of highest weight,
    `other_groups` the numbers of the other groups of the page. An `uncaptured`
    page is linked, but not captured.
    """

    group: int
    role: Role
    place: int
    page: str
    page_number: int
    title: str
    score: float
    count: int
    sites: int
    anchors: tuple[str, ...]
    links: tuple[SupportingLink, ...]
    other_groups: tuple[int, ...]
    uncaptured: bool = False

    def to_row(self, noun: str, label: str) -> dict[str, Any]:
        """A row of a table, where groups are called by a noun."""
        return {
            noun: self.group,
            "label": label,
            "role": self.role,
            "place": self.place,
            "page": self.page,
            "title": self.title,
            "score": self.score,
            "links": self.count,
            "sites": self.sites,
            "anchors": " | ".join(self.anchors),
            f"other_{pluralise(2, noun).partition(' ')[2]}": list(self.other_groups),
            "uncaptured": self.uncaptured,
        }

    def to_document(self, page_refs: PageRefs) -> dict[str, Any]:
        """The evidence as JSON, with the URL, title and kind of each page."""
        return {
            **page_refs[self.page_number],
            "place": self.place,
            "score": self.score,
            "count": self.count,
            "sites": self.sites,
            "anchors": list(self.anchors),
            "links": [
                {
                    **page_refs[link.page_number],
                    "contribution": link.contribution,
                    "anchors": list(link.anchors),
                }
                for link in self.links
            ],
            "other_groups": list(self.other_groups),
        }


def evidence_schema(noun: str) -> pa.Schema:
    """The columns of tables of evidence, where groups are called by a noun."""
    return pa.schema(
        {
            noun: pa.int32(),
            "label": pa.string(),
            "role": pa.string(),
            "place": pa.int32(),
            "page": pa.string(),
            "title": pa.string(),
            "score": pa.float64(),
            "links": pa.int32(),
            "sites": pa.int32(),
            "anchors": pa.string(),
            f"other_{pluralise(2, noun).partition(' ')[2]}": pa.list_(pa.int32()),
            "uncaptured": pa.bool_(),
        }
    )


@dataclass(frozen=True)
class EvidenceCollector:
    """Collects the evidence for pages of groups."""

    groups: Groups

    @property
    def base(self) -> BaseSet:
        """The base set of the groups."""
        return self.groups.base

    def page_refs(self, evidence: Sequence[Evidence]) -> PageRefs:
        """URL, title and kind of all pages in some evidence, by page number."""
        linked = (link.page_number for item in evidence for link in item.links)
        numbers = list(dict.fromkeys([*(item.page_number for item in evidence), *linked]))
        refs = self.base.page_refs(np.array(numbers, np.int32))
        return dict(zip(numbers, refs, strict=True))

    def for_role(
        self, number: int, role: Role, top: int = 10, max_supports: int = MAX_SUPPORTS
    ) -> list[Evidence]:
        """The evidence for the best authorities or hubs of a group, numbered from one.

        At most `max_supports` links, and as many anchor texts, are listed for each page.
        """
        return self._for_groups_and_roles([number], [role], top, max_supports)[number][role]

    def for_groups(
        self, top: int = 10, max_supports: int = MAX_SUPPORTS, numbers: Sequence[int] = ()
    ) -> "EvidenceByGroup":
        """The evidence for all groups, or some, in both roles; faster than one by one."""
        selected = numbers or range(1, len(self.groups) + 1)
        return self._for_groups_and_roles(selected, ROLES, top, max_supports)

    def for_page(self, number: int, group: Group, role: Role, page: int) -> list[Evidence]:
        """The evidence for one page in a role of a group; empty if it has no score."""
        if page not in group:
            return []
        ranked = group.leaders(role, len(group))
        places = np.flatnonzero(ranked == page)
        [evidence] = self._collect_evidence(
            [number], [GroupSide(group, role, ranked[places])], MAX_SUPPORTS
        )
        return [
            replace(own, place=place + 1)
            for own, place in zip(evidence, places.tolist(), strict=True)
        ]

    def _for_groups_and_roles(
        self, numbers: Sequence[int], roles: Sequence[Role], top: int, max_supports: int
    ) -> "EvidenceByGroup":
        sides = []
        for number in numbers:
            group = self.groups[number - 1]
            sides += [GroupSide(group, role, group.leaders(role, top)) for role in roles]
        evidence = iter(
            self._collect_evidence([n for n in numbers for _ in roles], sides, max_supports)
        )
        return {number: {role: next(evidence) for role in roles} for number in numbers}

    def _collect_evidence(
        self, numbers: Sequence[int], sides: Sequence[GroupSide], max_supports: int
    ) -> list[list[Evidence]]:
        """The evidence for the pages of some sides, whose groups have these numbers."""
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
                    page,
                    titles[page] if len(titles) else "",
                    *score_and_counts,
                    anchors,
                    tuple(SupportingLink(*link) for link in links),
                    tuple(k for k in self.groups_of_page(page) if k != number),
                    uncaptured is not None and bool(uncaptured[page]),
                )
                for place, (page, (score_and_counts, anchors, links)) in enumerate(
                    zip(side.pages.tolist(), details, strict=False), start=1
                )
            ]
            for number, side in zip(numbers, sides, strict=True)
        ]

    @cached_property
    def page_group_pairs(self) -> tuple[Ids, Ids]:
        """Pages and the groups, from one, in which they have a score; by page, then group."""
        scoring = [t.members[(t.authority > 0) | (t.hub > 0)] for t in self.groups]
        page = np.concatenate([np.zeros(0, np.int32), *scoring])
        numbers = np.arange(1, len(scoring) + 1, dtype=np.int32)
        topic = np.repeat(numbers, [len(own) for own in scoring])
        order = np.lexsort((topic, page))
        return page[order], topic[order]

    def groups_of_page(self, page: int) -> Sequence[int]:
        """The numbers, from one, of the groups in which a page has a score."""
        pages, topics = self.page_group_pairs
        first, last = np.searchsorted(pages, [page, page + 1])
        numbers: list[int] = topics[first:last].tolist()
        return numbers

    def to_table(self, top: int = 10, max_groups: int | None = None) -> pa.Table:
        """One row per group, role and page, with its links and anchor texts."""
        numbers = range(1, len(self.groups) + 1)[:max_groups]
        noun = self.groups.noun
        rows = [
            evidence.to_row(noun, self.groups[number - 1].name)
            for number, by_role in self.for_groups(top, numbers=numbers).items()
            for evidence in chain(*by_role.values())
        ]
        return pa.Table.from_pylist(rows, schema=evidence_schema(noun))


EvidenceByGroup = dict[int, dict[Role, list[Evidence]]]


def group_overlaps(groups: Groups) -> list[dict[str, Any]]:
    """Pairs of groups that share pages: their number, and its share of the smaller group."""
    rows = []
    for (number, group), (other_number, other) in combinations(enumerate(groups, start=1), 2):
        common = len(np.intersect1d(group.members, other.members))
        if common:
            share = common / min(len(group), len(other))
            rows.append({"number": number, "other": other_number, "pages": common, "share": share})
    return rows
