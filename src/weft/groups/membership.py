"""Where a page belongs: its groups, its role and neighbours in each, or why it has none."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from weft.core.arrays import CSR, Ids
from weft.core.tables import Tabular
from weft.core.text import pluralise, strip_scheme
from weft.gather.url import candidate_urls, canonicalize_url
from weft.graph.baseset.baseset import Origin
from weft.groups.evidence import Evidence, EvidenceCollector, evidence_schema
from weft.groups.group import ROLES, Group

if TYPE_CHECKING:
    from weft.groups.groups import Groups

MAX_ANCHORS_SHOWN = 2
MAX_GROUPS_ELSEWHERE = 5


@dataclass(frozen=True, slots=True, eq=False)
class Membership(Tabular):
    """The groups of one page, with the evidence for its roles.

    `origin` says how the page entered the base set; it is None if the page is
    not in it, and `absence_reason` says why. `numbers` are those of its groups,
    from one. `evidence` has one item per group and role in which the page has a
    score, `set_aside_evidence` the same for groups that were set aside, which
    are numbered after the others. `unassigned_reason` says why a page of the
    base set is in no group. `links_in` and `links_out` count its links from and
    to all pages, `links_elsewhere` those with groups that it is not in, as
    pairs of a number and a count, most links first.
    """

    page: str
    groups: "Groups"
    origin: Origin | None
    absence_reason: str = ""
    numbers: tuple[int, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    set_aside_evidence: tuple[Evidence, ...] = ()
    unassigned_reason: str = ""
    links_in: int = 0
    links_out: int = 0
    links_elsewhere: tuple[tuple[int, int], ...] = ()

    @property
    def provenance(self) -> Mapping[str, Any]:
        """Where the groups come from."""
        return self.groups.provenance

    def lines(self) -> Iterator[str]:
        """The membership as text, line by line."""
        if self.origin is None:
            yield f"{self.page}: {self.absence_reason}"
            return
        counts = f"{pluralise(self.links_in, 'link')} in, {self.links_out:,} out"
        yield f"{self.origin}; {counts}"
        if self.unassigned_reason:
            yield self.unassigned_reason
        for evidence in (*self.evidence, *self.set_aside_evidence):
            yield self._describe_role(evidence)
            sign = "←" if evidence.role == "authority" else "→"
            for link in evidence.links:
                anchors = ", ".join(f'"{text}"' for text in link.anchors[:MAX_ANCHORS_SHOWN])
                line = f"  {sign} {strip_scheme(link.page)} {link.contribution:.3g} {anchors}"
                yield line.rstrip()
        scored = {evidence.group for evidence in self.evidence}
        for number in self.numbers:
            if number not in scored:
                yield f"{self._describe_group(number)}: member"
        for number, links in self.links_elsewhere[:MAX_GROUPS_ELSEWHERE]:
            yield f"also {pluralise(links, 'link')} with {self._describe_group(number)}"

    def _describe_role(self, evidence: Evidence) -> str:
        """Describe one role in one group: place, score and number of links."""
        where = self._describe_group(evidence.group)
        role = f"{evidence.role}, place {evidence.place:,}, score {evidence.score:.3g}"
        word = "from" if evidence.role == "authority" else "to"
        links = f"{word} {pluralise(evidence.count, 'page')} on {pluralise(evidence.sites, 'site')}"
        return f"{where}: {role}; {links}"

    def _describe_group(self, number: int) -> str:
        group = self.group(number)
        is_set_aside = number > len(self.groups)
        where = f"set aside, {group.reason}" if is_set_aside else f"{self.groups.noun} {number}"
        return f"{where} ({group.name})" if group.name else where

    def group(self, number: int) -> Group:
        """A group by its number; those that were set aside follow the others."""
        return (*self.groups.groups, *self.groups.set_aside)[number - 1]

    def to_table(self) -> pa.Table:
        """One row per group and role of the page, with the linked pages and anchor texts."""
        evidence = (*self.evidence, *self.set_aside_evidence)
        noun = self.groups.noun
        rows = [item.to_row(noun, self.group(item.group).name) for item in evidence]
        links = [" | ".join(link.page for link in item.links) for item in evidence]
        table = pa.Table.from_pylist(rows, schema=evidence_schema(noun))
        return table.append_column("linked_pages", pa.array(links, pa.string()))

    def to_document(self) -> dict[str, Any]:
        """The membership as JSON."""
        base, items = self.groups.base, (*self.evidence, *self.set_aside_evidence)
        refs = EvidenceCollector(self.groups).page_refs(items) if items else {}
        roles = [
            {
                "number": item.group,
                "label": self.group(item.group).name,
                "role": item.role,
                **item.to_document(refs),
                "reason": self.group(item.group).reason,
            }
            for item in items
        ]
        own = len(self.evidence)
        return {
            "page": self.page,
            "level": base.level,
            "origin": str(self.origin or self.absence_reason),
            "numbers": list(self.numbers),
            "roles": roles[:own],
            "set_aside": roles[own:],
            "unassigned_reason": self.unassigned_reason,
            "links_in": self.links_in,
            "links_out": self.links_out,
            "links_elsewhere": [
                {"number": number, "label": self.group(number).name, "links": links}
                for number, links in self.links_elsewhere
            ],
        }

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def __repr__(self) -> str:
        noun = self.groups.noun
        roles = ", ".join(f"{e.role} {e.place:,} of {noun} {e.group}" for e in self.evidence)
        member = ", ".join(f"member of {noun} {number}" for number in self.numbers)
        reason = self.absence_reason or self.unassigned_reason or "set aside"
        return f"<{self.page}: {roles or member or reason}>"


def find_membership(groups: "Groups", page: str) -> Membership:
    """Find the groups of a page by its name; scheme, `www.` and final slash are optional."""
    graph = groups.base.graph
    spellings = [f"{spelling}{end}" for spelling in name_variants(page) for end in ("", "/")]
    names = [spelling for spelling in spellings if graph.page_number(spelling) >= 0]
    if not names:
        absent = [spelling for spelling in spellings if spelling in groups.base.absent]
        reason = _why_not_in_base_set(groups, spellings)
        return Membership((absent or [page])[0], groups, None, reason)
    number = graph.page_number(names[0])
    collector, group_count = EvidenceCollector(groups), len(groups)
    evidence = [
        item
        for k, group in enumerate((*groups.groups, *groups.set_aside), start=1)
        for role in ROLES
        for item in collector.for_page(k, group, role, number)
    ]
    own = tuple(k for k, group in enumerate(groups, start=1) if number in group)
    sources, targets = (_neighbours(rows, number) for rows in (graph.inlinks, graph.outlinks))
    return Membership(
        names[0],
        groups,
        groups.base.origin_of(names[0]),
        numbers=own,
        evidence=tuple(item for item in evidence if item.group <= group_count),
        set_aside_evidence=tuple(item for item in evidence if item.group > group_count),
        unassigned_reason="" if own or evidence else _unassigned_reason(groups, number),
        links_in=len(sources),
        links_out=len(targets),
        links_elsewhere=_links_elsewhere(groups, np.concatenate([sources, targets]), own),
    )


def name_variants(page: str) -> list[str]:
    """Names that a page may have in a graph: as given, and canonical with each scheme."""
    urls = candidate_urls(page)
    return list(dict.fromkeys([page, *map(canonicalize_url, urls), *urls]))


def _neighbours(links: CSR, page_id: int) -> Ids:
    return np.asarray(links.ids[links.starts[page_id] : links.starts[page_id + 1]])


def _links_elsewhere(
    groups: "Groups", neighbours: Ids, own: tuple[int, ...]
) -> tuple[tuple[int, int], ...]:
    """The links with each other group, by the first group of the neighbour."""
    # page without a group: -1, which goes to bin 0
    links = np.bincount(groups.group_of_page[neighbours] + 1, minlength=len(groups) + 1)[1:]
    return tuple(
        (k + 1, int(links[k]))
        for k in np.argsort(-links, kind="stable").tolist()
        if links[k] and k + 1 not in own
    )


def _unassigned_reason(groups: "Groups", page_id: int) -> str:
    """Why a page of the base set is in no group."""
    graph, none = groups.base.graph, f"in no {groups.noun}"
    if graph.uncaptured is not None and graph.uncaptured[page_id]:
        return f"{none}: it was not captured"
    if any(r.starts[page_id + 1] > r.starts[page_id] for r in (graph.inlinks, graph.outlinks)):
        return f"{none}: {groups.method} puts no linked page in a {groups.noun} with it"
    return f"{none}: it has no links that count"


def _why_not_in_base_set(groups: "Groups", page_spellings: list[str]) -> str:
    """Why a page is not in the base set."""
    base = groups.base
    for spelling in page_spellings:
        if spelling in base.absent:
            return f"not in the base set: {base.absent[spelling]}"
    if base.query and not base.search_total:
        return "not in the base set: the search finds no page"
    if base.query:
        return "not in the base set: not found by the search, nor linked with a page that is"
    return "not in the graph"
