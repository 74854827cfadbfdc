"""`Groups`: the result of every method that finds topics or communities, and its one JSON."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, SupportsIndex, overload

import numpy as np
import pyarrow as pa

from weft.core.arrays import Flags, Floats, Ids, Offsets, round_significant, top_k_indices
from weft.core.errors import UnknownName
from weft.core.html import page_links, titled_table
from weft.core.json import to_json_value
from weft.core.tables import MAX_PREVIEW_ROWS, Tabular
from weft.core.text import pluralise
from weft.engine import Trace
from weft.graph.baseset.baseset import ROOT, BaseSet
from weft.graph.webgraph import WebGraph, to_name_array
from weft.groups.evidence import Evidence, EvidenceCollector, PageRefs, group_overlaps
from weft.groups.group import (
    NO_IDS,
    NO_VALUES,
    ROLES,
    BridgePage,
    Group,
    LinkCounts,
    Role,
    add_site_diversity,
)
from weft.groups.membership import Membership, find_membership
from weft.groups.page_sets import count_links_between, links_from_to
from weft.groups.titles import is_index_title

GroupKind = Literal["topics", "communities"]
Snippets = Literal["first", "all", "none"]
NOUNS: dict[GroupKind, str] = {"topics": "topic", "communities": "community"}
MAX_MATRIX_GROUPS = 50
MIN_SHARE_OF_FIRST, MIN_LISTED = 0.5, 3
SEEN_PER_RESULT = 3


@dataclass(frozen=True, slots=True, eq=False)
class Groups(Tabular):
    """The topics or communities of a base set, strongest first, and those set aside.

    A sequence: it iterates, indexes and slices over the groups, which may
    overlap and need not cover all pages. `facts` are single values about all of
    them, such as the modularity; `notes` are sentences on what was found,
    limited or left out. `bridge_pages` are pages that several groups link to,
    if the method looks for them. `results_first` says that the groups tell
    little about the query, so that an answer is the list of search results, and
    each group one line of it.

    Examples
    --------
    >>> from weft.topics import eigen
    >>> found = eigen([("a", "x"), ("a", "y"), ("b", "x"), ("b", "y"), ("c", "z")])
    >>> found, len(found)
    (<2 topics by eigen>, 2)
    >>> found[0]
    <Group: 4 pages>
    >>> [len(topic) for topic in found], found[:1] == [found[0]]
    ([4, 2], True)
    """

    kind: GroupKind
    method: str
    base: BaseSet
    groups: tuple[Group, ...]
    trace: Trace
    set_aside: tuple[Group, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    bridge_pages: tuple[BridgePage, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)
    results_first: bool = False

    @property
    def graph(self) -> WebGraph:
        """The pages of the base set and the links among them."""
        return self.base.graph

    @property
    def noun(self) -> str:
        """What one group is called: topic or community."""
        return NOUNS[self.kind]

    def best_results(self, k: int = 5) -> Ids:
        """The k best captured search results, whatever their group, as page numbers.

        None without a search. Indexes and tables of contents come after other pages.
        """
        base = self.base
        found = np.flatnonzero(base.origin == ROOT).astype(np.int32)
        if base.graph.uncaptured is not None:
            found = found[~np.asarray(base.graph.uncaptured)[found]]
        ranked = found[top_k_indices(round_significant(base.text_score[found]), len(found))]
        titles = base.titles
        is_index = [bool(len(titles)) and is_index_title(titles[p] or "") for p in ranked.tolist()]
        best: Ids = ranked[np.argsort(is_index, kind="stable")][:k]
        return best

    def leading_results(self, count: int) -> Ids:
        """The search results that lead an answer: `count` of them.

        Where groups tell little, three times as many: all that an answer lists.
        """
        return self.best_results(count * (SEEN_PER_RESULT if self.results_first else 1))

    def listed_authorities(self, number: int, k: int, results: int) -> Ids:
        """Authorities of a group, best first, to be listed below the leading `results`.

        They are the first one and, up to k, those that are not among these and
        have at least half its score. Where fewer than three pages of the group
        would be listed, with those of `also_found`, others fill the list.
        """
        group = self.find(number)
        ranked = group.authorities(len(group))
        scores = group.authority[np.searchsorted(group.members, ranked)]
        seen, leading = self.best_results(SEEN_PER_RESULT * results), self.leading_results(results)
        is_new = ~np.isin(ranked, leading)
        is_good = is_new & (scores >= MIN_SHARE_OF_FIRST * scores[:1].sum())
        is_good[:1] = True
        others = np.concatenate(
            [np.flatnonzero(is_new & ~is_good), np.flatnonzero(~is_new & ~is_good)]
        )
        good = np.flatnonzero(is_good)[:k]
        count = len(np.union1d(ranked[good], np.intersect1d(seen[len(leading) :], group.members)))
        missing = max(min(MIN_LISTED, k) - count, 0) if results else k - len(good)
        listed: Ids = ranked[np.sort(np.concatenate([good, others[:missing]]))]
        return listed

    def also_found(self, k: int, results: int) -> dict[int, Ids]:
        """Search results after the leading `results` that are not listed, by group number.

        These are the next two for each of the best ones, none where all of them
        lead. With up to k listed
        authorities of each group, every one of the first results has its place.
        Results of no group, and of groups that mention the query in passing, are
        those of group 0; those that are neither in a group nor set aside, as of
        other topics than the one that sub-topics divide, are left out.
        """
        numbers = [n for n, group in enumerate(self, start=1) if not group.in_passing]
        listed = [self.listed_authorities(number, k, results) for number in numbers]
        pages = self.best_results(SEEN_PER_RESULT * results)
        pages = pages[len(self.leading_results(results)) :]
        pages = pages[~np.isin(pages, np.concatenate([NO_IDS, *listed]))]
        placed = [group.members for group in (*self, *self.set_aside)]
        pages = pages[np.isin(pages, np.concatenate([NO_IDS, *placed]))]
        group = self.group_of_page[pages] + 1
        group[~np.isin(group, numbers)] = 0
        return {number: pages[group == number] for number in (0, *numbers)}

    @property
    def group_of_page(self) -> Ids:
        """The group of each page, from zero; -1 for none.

        Of several it is the first one with the page as an authority, else the first one.
        """
        group_of_page = np.full(len(self.base), -1, np.int32)
        for number in range(len(self) - 1, -1, -1):
            group_of_page[self.groups[number].members] = number
        for number in range(len(self) - 1, -1, -1):
            group = self.groups[number]
            group_of_page[group.members[group.authority > 0]] = number
        return group_of_page

    @property
    def is_overlapping(self) -> bool:
        """Whether some page is in several groups."""
        return int(np.count_nonzero(self.group_of_page >= 0)) < sum(map(len, self.groups))

    def group_numbers(self, page: str) -> Sequence[int]:
        """The numbers, from one, of the groups of a page."""
        number = self.base.graph.page_number(page)
        return [k for k, group in enumerate(self.groups, start=1) if number in group]

    def find(self, number: int) -> Group:
        """A group by its number, from one."""
        if not 1 <= number <= len(self):
            hint = f"there are {len(self)}" if len(self) else "there are none"
            raise UnknownName(self.noun, str(number), (), hint=hint)
        return self.groups[number - 1]

    def explain(self, page: str) -> Membership:
        """The groups of a page, its role and neighbours in each, or why it has none."""
        return find_membership(self, page)

    def link_matrix(self, top: int = MAX_MATRIX_GROUPS) -> Offsets:
        """Number of links from each of the first groups (row) to each (column)."""
        return count_links_between(self.base.graph, [g.members for g in self.groups[:top]])

    def links_between(self, source: int, target: int) -> tuple[Ids, Ids]:
        """The sources and targets of the links from one group to another.

        Groups are given by their numbers, from one. Links to the most linked
        target come first; ties in order of page numbers.
        """
        source_pages, target_pages = self.find(source).members, self.find(target).members
        return links_from_to(self.base.graph, source_pages, target_pages)

    @property
    def default_table(self) -> str:
        """The table that is written where none is named."""
        if self.kind == "topics":
            return "pages"
        return "bridge_pages" if self.method == "agora" else "groups"

    def to_table(self, name: str = "", top: int = 10) -> pa.Table:
        """One row per leading page (`pages`), group, member, or pair of groups (`matrix`).

        `pages` has the first `top` authorities and hubs of each group. The
        default is `pages` for topics, `groups` for communities, and
        `bridge_pages` where the method looks for these.
        """
        name = name or self.default_table
        if name not in ("pages", *TABLE_BUILDERS):
            raise UnknownName("table", name, ("pages", *TABLE_BUILDERS))
        return _pages_table(self, top) if name == "pages" else TABLE_BUILDERS[name](self)

    def members_table(self, number: int, role: Role = "authority") -> pa.Table:
        """One row per page of a group in descending order of a score: title and both scores."""
        group, titles = self.find(number), self.base.titles
        pages = group.members_by_score(role)
        return pa.table(
            {
                "page": self.base.graph.names.take(pa.array(pages)),
                "title": [titles[p] for p in pages.tolist()] if titles else [""] * len(pages),
                **dict[str, Floats]((each, group.scores_of(each, pages)) for each in ROLES),
            }
        )

    def to_document(
        self,
        top: int = 10,
        max_groups: int | None = None,
        snippets: Snippets = "all",
        max_evidence: int | None = None,
    ) -> dict[str, Any]:
        """The result as one JSON document: command, API and report share it.

        Of the first `max_groups` groups it has the `top` authorities and hubs
        with their evidence. `snippets` says which groups' pages get one;
        `max_evidence` limits the rows of each kind of a group's own evidence.
        """
        return _groups_document(self, top, max_groups, snippets, max_evidence)

    @overload
    def __getitem__(self, key: SupportsIndex) -> Group: ...
    @overload
    def __getitem__(self, key: slice) -> list[Group]: ...
    def __getitem__(self, key: SupportsIndex | slice) -> Group | list[Group]:
        return list(self.groups[key]) if isinstance(key, slice) else self.groups[key]

    def __iter__(self) -> Iterator[Group]:
        return iter(self.groups)

    def __len__(self) -> int:
        return len(self.groups)

    def __repr__(self) -> str:
        query = f" of {self.base.query!r}" if self.base.query else ""
        first = f", first {self.groups[0].name!r}" if self.groups and self.groups[0].name else ""
        aside = f", {len(self.set_aside)} set aside" if self.set_aside else ""
        bridges = pluralise(len(self.bridge_pages), "page") if self.bridge_pages else ""
        between = f", {bridges} between them" if bridges else ""
        state = "" if self.trace.converged else ", not converged"
        size = pluralise(len(self), self.noun)
        return f"<{size}{query} by {self.method}{first}{between}{aside}{state}>"

    def _repr_html_(self) -> str:
        rows = [
            (
                number,
                group.name,
                len(group),
                self._links_to(group.authorities(3)),
                self._links_to(group.hubs(3)),
            )
            for number, group in enumerate(self[:MAX_PREVIEW_ROWS], start=1)
        ]
        columns = ["", self.noun, f"{self.base.level}s", "authorities", "hubs"]
        return titled_table(repr(self).strip("<>"), columns, rows)

    def _links_to(self, pages: Ids) -> str:
        """Links to pages by their titles, where these are known."""
        titles = self.base.titles
        own = [titles[page] for page in pages.tolist()] if len(titles) else []
        return page_links(self.base.page_names(pages), own)


def _pages_table(result: Groups, top: int) -> pa.Table:
    """One row per group, role and page, the best pages first."""
    rows = [
        (number, group.name, role, place, page, score)
        for number, group in enumerate(result, start=1)
        for role in ROLES
        for place, (page, score) in enumerate(_names_and_scores(result, group, role, top), start=1)
    ]
    kinds = {
        result.noun: pa.int32(),
        "label": pa.string(),
        "role": pa.string(),
        "place": pa.int32(),
        "page": pa.string(),
        "score": pa.float64(),
    }
    columns = list(zip(*rows, strict=True)) or [()] * len(kinds)
    return pa.table(
        {n: pa.array(c, kind) for (n, kind), c in zip(kinds.items(), columns, strict=True)}
    )


def _names_and_scores(
    result: Groups, group: Group, role: Role, top: int
) -> Iterator[tuple[str, float]]:
    pages = group.leaders(role, top)
    return zip(result.base.page_names(pages), group.scores_of(role, pages).tolist(), strict=True)


def _groups_table(result: Groups) -> pa.Table:
    """One row per group, with its best authority and its best hub."""
    groups, pages = result.groups, result.base.pages

    def first_page(best: Ids) -> str:
        return pages[int(best[0])] if len(best) else ""

    links = [group.links for group in groups]
    return pa.table(
        {
            result.noun: pa.array(range(1, len(groups) + 1), pa.int32()),
            "label": pa.array([g.name for g in groups], pa.string()),
            "pages": pa.array([len(g) for g in groups], pa.int64()),
            **{
                f"{name}_links": pa.array([getattr(c, name, None) for c in links], pa.int64())
                for name in ("internal", "outgoing", "incoming")
            },
            "strength": pa.array([g.strength for g in groups], pa.float64()),
            "authority": pa.array([first_page(g.authorities(1)) for g in groups], pa.string()),
            "hub": pa.array([first_page(g.hubs(1)) for g in groups], pa.string()),
        }
    )


def _members_table(result: Groups) -> pa.Table:
    """One row per member of each group, best first, with its two scores."""
    orders = [group.members_by_score() for group in result]
    sizes = [len(order) for order in orders]
    pages = np.concatenate([NO_IDS, *orders])
    places = np.concatenate([NO_VALUES, *(np.arange(1, size + 1) for size in sizes)])
    scores = {
        role: np.concatenate(
            [NO_VALUES, *(g.scores_of(role, own) for g, own in zip(result, orders, strict=True))]
        )
        for role in ROLES
    }
    return pa.table(
        {
            result.noun: pa.array(np.repeat(np.arange(1, len(sizes) + 1), sizes), pa.int32()),
            "place": pa.array(places.astype(np.int32)),
            "page": to_name_array(result.base.pages).take(pa.array(pages)),
            "authority": pa.array(scores["authority"]),
            "hub": pa.array(scores["hub"]),
        }
    )


def _matrix_table(result: Groups) -> pa.Table:
    """One row per ordered pair of groups with links from one to the other."""
    cells = result.link_matrix()
    source, target = np.nonzero(cells)
    return pa.table(
        {
            "source": pa.array(source + 1, pa.int32()),
            "target": pa.array(target + 1, pa.int32()),
            "links": pa.array(cells[source, target], pa.int64()),
        }
    )


def _bridge_pages_table(result: Groups) -> pa.Table:
    """One row per page between groups, with the groups and pages that link to it."""
    names, bridges = result.base.pages, result.bridge_pages
    archive_names = [[names[page] for page in b.archive_pages] for b in bridges]
    return pa.table(
        {
            "page": pa.array([names[b.page] for b in bridges], pa.string()),
            result.kind: pa.array([list(b.groups) for b in bridges], pa.list_(pa.int32())),
            "archive_pages": pa.array(archive_names, pa.list_(pa.string())),
            "inlinks": pa.array([b.inlinks for b in bridges], pa.int64()),
            "pagerank": pa.array([b.pagerank for b in bridges], pa.float64()),
        }
    )


TABLE_BUILDERS: dict[str, Callable[[Groups], pa.Table]] = {
    "groups": _groups_table,
    "members": _members_table,
    "matrix": _matrix_table,
    "bridge_pages": _bridge_pages_table,
}


def explain_no_groups(groups: Groups) -> tuple[str, str]:
    """Why no topic or community was found, and a hint."""
    base, noun = groups.base, groups.noun
    selection = groups.provenance.get("selection", {})
    has_dates = bool(selection.get("since") or selection.get("until"))
    if base.absent and not len(base):
        excluded = pluralise(len(base.absent), "page")
        return f"no {noun}: all {excluded} of the base set were excluded", "exclude fewer pages"
    if not len(base):
        reason = f"no page matches {base.query}" if base.query else "there are no pages"
        if has_dates:
            return f"{reason} in this time", "allow earlier or later captures: since, until"
        return reason, "try fewer or other words" if base.query else "add pages with weft add"
    if not base.graph.link_count:
        reason = f"no {noun}: the pages have no links between them that count"
        return reason, "between=page counts links inside a site too"
    reason = f"no {noun}: no group of pages is large and dense enough for {groups.method}"
    return reason, f"see `weft methods {groups.method}` for its options"


def _groups_document(
    result: Groups,
    top: int,
    max_groups: int | None,
    snippets: Snippets,
    max_evidence: int | None,
) -> dict[str, Any]:
    """The result as one JSON document; the groups are listed under their kind."""
    base, shown = result.base, replace(result, groups=result.groups[:max_groups])
    numbers = range(1, len(shown) + 1)
    document = {
        "query": base.query,
        "method": result.method,
        "level": base.level,
        "options": dict(result.options),
        "facts": dict(result.facts),
        "notes": [*result.notes, *([] if len(result) else [explain_no_groups(result)[0]])],
        "base": _base_document(result),
        "total": len(result),
        "results_first": result.results_first,
        **_results(result, top),
        result.kind: group_documents(
            EvidenceCollector(shown), numbers, top, snippets, max_evidence
        ),
        "overlap": group_overlaps(shown) if result.kind == "topics" else [],
        "set_aside": [group.to_document() for group in result.set_aside],
        "bridge_pages": _bridge_pages(result, max_groups),
        "trace": result.trace.to_document(),
        "provenance": dict(result.provenance),
    }
    return to_json_value(document)  # type: ignore[no-any-return]


def _base_document(result: Groups) -> dict[str, Any]:
    """The base set: its size, how it was built, and what was left out."""
    base = result.base
    return {
        **base.counts(),
        "notes": list(base.notes()),
        "left_out": [asdict(dropped) for dropped in base.dropped],
    }


def group_documents(
    collector: EvidenceCollector,
    numbers: Sequence[int],
    top: int,
    snippets: Snippets,
    max_evidence: int | None = None,
) -> list[dict[str, Any]]:
    """Some groups with their best pages; titles and snippets are looked up at once."""
    by_role = collector.for_groups(top, numbers=numbers) if numbers else {}
    by_group = {k: [e for pages in by_role[k].values() for e in pages] for k in numbers}
    refs = collector.page_refs([e for k in numbers for e in by_group[k]])
    with_snippets = {"all": numbers, "first": numbers[:1], "none": numbers[:0]}[snippets]
    texts = _snippets(collector, [e for k in with_snippets for e in by_group[k]])

    def page_documents(pages: list[Evidence]) -> list[dict[str, Any]]:
        return [
            {**page.to_document(refs), "snippet": texts.get(page.page_number, "")} for page in pages
        ]

    return [
        {
            "number": k,
            **group.to_document(),
            "authorities": page_documents(by_role[k]["authority"]),
            "hubs": page_documents(by_role[k]["hub"]),
            "uncaptured": _uncaptured_pages(collector.groups, group),
            "subgroups": [part.to_document() for part in group.subgroups],
            "micro_hubs": [asdict(hub) for hub in group.micro_hubs],
            "evidence": _evidence_rows(collector.groups, group, max_evidence),
        }
        for k, group in ((k, collector.groups[k - 1]) for k in numbers)
    ]


def _snippets(collector: EvidenceCollector, evidence: Sequence[Evidence]) -> dict[int, str]:
    numbers = list(dict.fromkeys(item.page_number for item in evidence))
    texts = collector.base.snippets(np.array(numbers, np.int32))
    return dict(zip(numbers, texts, strict=True))


def _results(result: Groups, top: int) -> dict[str, list[dict[str, Any]]]:
    """The best search results, and the next ones that no group lists, each with its group."""
    count = 2 * top
    also_found = np.concatenate([NO_IDS, *result.also_found(top, count).values()])
    authorities = np.concatenate([NO_IDS, *(group.authorities(top) for group in result)])
    first = result.best_results(SEEN_PER_RESULT * count)
    is_new = np.isin(first, also_found) & ~np.isin(first, authorities)
    pages = {"results": result.leading_results(count), "also_found": first[is_new]}
    group_of_page = result.group_of_page + 1
    return {
        name: [
            {**ref, "score": score, "group": group}
            for ref, score, group in zip(
                result.base.page_refs(found),
                result.base.text_score[found].tolist(),
                group_of_page[found].tolist(),
                strict=True,
            )
        ]
        for name, found in pages.items()
    }


def _uncaptured_pages(result: Groups, group: Group) -> list[dict[str, Any]]:
    """The pages that a group links to and that were not captured."""
    refs, votes = result.base.page_refs(group.uncaptured), group.uncaptured_votes.tolist()
    return [{**ref, "votes": vote} for ref, vote in zip(refs, votes, strict=True)]


def _evidence_rows(result: Groups, group: Group, max_rows: int | None) -> list[dict[str, Any]]:
    """The evidence of a group by name: rows of pages, such as the two ends of a link."""
    found = []
    for name, rows in group.evidence.items():
        shown = rows[:max_rows]
        numbers = np.unique(shown)
        refs: PageRefs = dict(zip(numbers.tolist(), result.base.page_refs(numbers), strict=True))
        pages = [[refs[page] for page in np.atleast_1d(row).tolist()] for row in shown]
        found.append({"name": name, "total": len(rows), "rows": pages})
    return found


def _bridge_pages(result: Groups, max_pages: int | None) -> list[dict[str, Any]]:
    """The pages between groups, with the pages that link to them."""
    shown = result.bridge_pages[:max_pages]
    numbers = sorted({page for bridge in shown for page in (bridge.page, *bridge.archive_pages)})
    refs = result.base.page_refs(np.array(numbers, np.int32))
    ref_of = dict(zip(numbers, refs, strict=True))
    return [
        {
            **ref_of[bridge.page],
            result.kind: list(bridge.groups),
            "through": [ref_of[page] for page in bridge.archive_pages],
            "inlinks": bridge.inlinks,
            "pagerank": bridge.pagerank,
        }
        for bridge in shown
    ]


MAX_WORTH_FETCHING = 20


def drop_uncaptured(groups: Groups) -> Groups:
    """Groups of captured pages; the best of the others are listed as worth fetching.

    Groups without a captured page are left out; the order stays. Links of
    uncaptured pages have counted in the scores of the others, and leave the
    group.
    """
    uncaptured = groups.base.graph.uncaptured
    if uncaptured is None or not np.any(uncaptured):
        return groups
    captured = ~np.asarray(uncaptured)
    kept, set_aside = (
        [_captured_members(group, captured, groups.base.graph) for group in own]
        for own in (groups.groups, groups.set_aside)
    )
    left_out = sum(not len(group) for group in kept)
    count = pluralise(left_out, groups.noun)
    note = [f"{count} of pages that were not captured left out"] if left_out else []
    return replace(
        groups,
        groups=_recount_sites(groups, kept),
        set_aside=_recount_sites(groups, set_aside),
        notes=(*groups.notes, *note),
    )


def _recount_sites(groups: Groups, captured: list[Group]) -> tuple[Group, ...]:
    """The groups that have pages; sites are counted again, reasons to be tightly knit stay."""
    remaining = [group for group in captured if len(group)]
    counted = iter(add_site_diversity(groups.base, [g for g in remaining if g.sites]))
    made = list[Group]()
    for group in remaining:
        if group.sites and (sites := next(counted).sites):
            made.append(replace(group, sites=replace(sites, tightly_knit=group.sites.tightly_knit)))
        else:
            made.append(group)
    return tuple(made)


def _captured_members(group: Group, captured: Flags, graph: WebGraph) -> Group:
    kept = captured[group.members]
    if kept.all():
        return group
    others, votes = group.members[~kept], group.authority[~kept]
    best = np.argsort(-np.round(votes, 12), kind="stable")[:MAX_WORTH_FETCHING]
    best = best[votes[best] > 0]
    members = group.members[kept]
    return replace(
        group,
        members=members,
        authority=group.authority[kept],
        hub=group.hub[kept],
        links=count_links(graph, members) if group.links else None,
        trust=None if group.trust is None else group.trust[kept],
        vote_score=None if group.vote_score is None else group.vote_score[kept],
        uncaptured=others[best],
        uncaptured_votes=votes[best],
    )


def count_links(graph: WebGraph, members: Ids) -> LinkCounts:
    """The links among some pages, to others and from others."""
    from weft.kernels.csr import count_induced_links  # noqa: PLC0415  loads the compiler

    outlinks, inlinks = graph.outlinks, graph.inlinks
    internal, _ = count_induced_links(
        (np.asarray(outlinks.starts), np.asarray(outlinks.ids)),
        (np.asarray(inlinks.starts), np.asarray(inlinks.ids)),
        members,
        len(graph),
    )
    return LinkCounts(
        int(internal),
        int(graph.outdegrees()[members].sum()) - int(internal),
        int(graph.indegrees()[members].sum()) - int(internal),
    )
