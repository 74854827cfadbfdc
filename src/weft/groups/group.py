"""`Group` and `Groups`: the result of every method that finds topics or communities."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, SupportsIndex, overload

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from weft.core.arrays import Floats, Ids, Offsets
from weft.core.errors import UnknownName
from weft.core.html import page_links, titled_table
from weft.core.tables import MAX_PREVIEW_ROWS, Tabular
from weft.core.text import pluralise
from weft.engine import Trace
from weft.graph.baseset.baseset import ROOT, BaseSet
from weft.graph.webgraph import WebGraph, to_name_array
from weft.groups.page_sets import count_links_between, links_from_to
from weft.groups.site_diversity import SiteDiversity, measure_site_diversity
from weft.rank.ranking import argsort_descending, round_significant, top_k_indices

if TYPE_CHECKING:
    from weft.groups.membership import Membership

GroupKind = Literal["topics", "communities"]
Role = Literal["authority", "hub"]
Snippets = Literal["first", "all", "none"]
NOUNS: dict[GroupKind, str] = {"topics": "topic", "communities": "community"}
ROLES: tuple[Role, ...] = ("authority", "hub")
MAX_MATRIX_GROUPS = 50
MIN_SUPPORT = 3
MIN_STABLE_SHARE, MIN_FAIRLY_STABLE_SHARE = 0.8, 0.6
NO_IDS = np.zeros(0, np.int32)
NO_VALUES = np.zeros(0)


@dataclass(frozen=True, slots=True)
class LinkCounts:
    """Numbers of links among the members, to other pages, and from other pages."""

    internal: int
    outgoing: int
    incoming: int


@dataclass(frozen=True, slots=True)
class VoteStability:
    """The voters for the top ten authorities of a group, and the stability of these.

    `support` is the number of voters. `retained_share` is the share of the top
    ten that stay there when a fifth of all voters is dropped, averaged over
    eight resamples.
    """

    top_count: int
    support: int
    retained_share: float

    @property
    def description(self) -> str:
        """The stability in words."""
        if self.support < MIN_SUPPORT:
            return f"weak: {self.support} {'site votes' if self.support == 1 else 'sites vote'}"
        retained = round(self.retained_share * self.top_count)
        share = f"{retained} of the top {self.top_count} stay without a fifth of the voters"
        if retained >= MIN_STABLE_SHARE * self.top_count:
            return "stable"
        return (
            f"fairly stable: {share}"
            if retained >= MIN_FAIRLY_STABLE_SHARE * self.top_count
            else f"unstable: {share}"
        )


@dataclass(frozen=True, slots=True)
class MicroHub:
    """A block of a page whose links belong together.

    `score` is the sum of the authority of its targets. `targets` and `anchors`
    are those of its first fifty links, in page order; `count` is the number of
    all. `fragment` is the block as HTML, rebuilt from what a collection keeps:
    the elements around these links, without attributes, the links, and the text
    beside each.
    """

    page: str
    path: str
    score: float
    count: int
    targets: tuple[str, ...]
    anchors: tuple[str, ...]
    fragment: str


@dataclass(frozen=True, slots=True)
class BridgePage:
    """A page between groups: which of them link to it, from which archive pages."""

    page: int
    groups: tuple[int, ...]
    archive_pages: tuple[int, ...]
    inlinks: int
    pagerank: float


@dataclass(frozen=True, eq=False)
class Group:
    """Pages that belong together, by subject or by links: a topic or a community.

    `members` are page numbers in the base set, ascending, each with its
    `authority` and `hub` score. `strength` orders groups. `reason` says why a
    group was set aside; pages that are in no group are set aside as a
    remainder. The leading pages of a group may mention the query only
    `in_passing`. `links` counts the links of the members, `sites` says how they
    are spread over sites, `stability` how firmly the authorities stand.
    `facts` are further values to show, and `evidence` holds page numbers, or
    links as pairs of them, by name.

    `trust` is what each member contributes to an authority that it links to, if
    that is not its hub score; `vote_score` the part of the authority score that
    votes give, if that is not all of it. `uncaptured` are pages that the group
    links to and that were not captured, most votes first: worth fetching.
    `subgroups` divide the members, where they were asked for.
    """

    members: Ids
    authority: Floats
    hub: Floats
    strength: float
    label: tuple[str, ...] = ()
    title: str = ""
    note: str = ""
    reason: str = ""
    is_remainder: bool = False
    in_passing: bool = False
    links: LinkCounts | None = None
    sites: SiteDiversity | None = None
    stability: VoteStability | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    evidence: Mapping[str, npt.NDArray[np.int32]] = field(default_factory=dict)
    micro_hubs: tuple[MicroHub, ...] = ()
    trust: Floats | None = None
    vote_score: Floats | None = None
    uncaptured: Ids = field(default_factory=lambda: NO_IDS)
    uncaptured_votes: Floats = field(default_factory=lambda: NO_VALUES)
    subgroups: tuple["Group", ...] = ()

    def authorities(self, k: int = 10) -> Ids:
        """The k best authorities with a positive score, as page numbers in the base set."""
        return self._authorities_by_score[:k]

    def hubs(self, k: int = 10) -> Ids:
        """The k best hubs with a positive score, as page numbers in the base set."""
        return self._hubs_by_score[:k]

    def leaders(self, role: Role, k: int = 10) -> Ids:
        """The k best authorities, or the k best hubs."""
        return self.authorities(k) if role == "authority" else self.hubs(k)

    @cached_property
    def _authorities_by_score(self) -> Ids:
        return self._rank_members(self.authority)

    @cached_property
    def _hubs_by_score(self) -> Ids:
        return self._rank_members(self.hub)

    def _rank_members(self, scores: Floats) -> Ids:
        order = argsort_descending(round_significant(scores))
        return self.members[order[scores[order] > 0]]

    def members_by_score(self, role: Role = "authority") -> Ids:
        """All members in descending order of a score, then of the other one."""
        first, second = (self.authority, self.hub)[:: 1 if role == "authority" else -1]
        first = round_significant(first)
        return self.members[np.lexsort((-round_significant(second), -first))]

    def scores_of(self, role: Role, pages: Ids) -> Floats:
        """The scores of pages as authorities or hubs; zero for those that are no members."""
        return self.look_up(self.authority if role == "authority" else self.hub, pages)

    def score(self, role: Role, page: int) -> float:
        """The score of one page as an authority or hub; zero if it is no member."""
        return float(self.scores_of(role, np.array([page], np.int32))[0])

    def look_up(self, values: Floats, pages: Ids) -> Floats:
        """The values, one per member, of some pages; zero for those that are no members."""
        at = np.minimum(np.searchsorted(self.members, pages), max(len(self.members) - 1, 0))
        if not len(self.members):
            return np.zeros(len(pages))
        return np.where(self.members[at] == pages, values[at], 0.0)

    @property
    def name(self) -> str:
        """The label in one line, or the title if there is no label."""
        return " · ".join(self.label) or self.title

    def to_document(self) -> dict[str, Any]:
        """The group as JSON, without its pages: label, size and facts."""
        sites, stability = self.sites, self.stability
        return {
            "label": self.name,
            "terms": list(self.label),
            "title": self.title,
            "pages": len(self),
            "strength": self.strength,
            "note": self.note,
            "reason": self.reason,
            "in_passing": self.in_passing,
            "links": asdict(self.links) if self.links else None,
            "sites": asdict(sites) if sites else None,
            "stability": {**asdict(stability), "description": stability.description}
            if stability
            else None,
            "facts": dict(self.facts),
        }

    def __contains__(self, page: int) -> bool:
        at = int(np.searchsorted(self.members, page))
        return at < len(self.members) and int(self.members[at]) == page

    def __len__(self) -> int:
        return len(self.members)

    def __repr__(self) -> str:
        name = f" {self.name!r}" if self.name else ""
        links = f", {pluralise(self.links.internal, 'internal link')}" if self.links else ""
        return f"<Group{name}: {pluralise(len(self), 'page')}{links}>"

    def _repr_html_(self) -> str:
        shown = self.to_document() | dict(self.facts)
        if self.links:
            shown |= {f"{name} links": count for name, count in asdict(self.links).items()}
        if self.sites:
            shown["sites"] = self.sites.count
        rows = [
            (name, value)
            for name, value in shown.items()
            if isinstance(value, str | int | float) and value and name not in ("label", "pages")
        ]
        return titled_table(repr(self).strip("<>"), ["fact", ""], rows)


def add_site_diversity(base: BaseSet, groups: Sequence[Group]) -> tuple[Group, ...]:
    """Add to each group how its pages are spread over sites."""
    measured = measure_site_diversity(base, [group.members for group in groups])
    return tuple(replace(g, sites=sites) for g, sites in zip(groups, measured, strict=True))


@dataclass(frozen=True, slots=True, eq=False)
class Groups(Tabular):
    """The topics or communities of a base set, strongest first, and those set aside.

    A sequence: it iterates, indexes and slices over the groups, which may
    overlap and need not cover all pages. `facts` are single values about all of
    them, such as the modularity; `notes` are sentences on what was found,
    limited or left out. `bridge_pages` are pages that several groups link to,
    if the method looks for them.

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

        None without a search.
        """
        base = self.base
        found = np.flatnonzero(base.origin == ROOT).astype(np.int32)
        if base.graph.uncaptured is not None:
            found = found[~np.asarray(base.graph.uncaptured)[found]]
        return found[top_k_indices(round_significant(base.text_score[found]), k)]

    @property
    def group_of_page(self) -> Ids:
        """The group of each page, from zero; -1 for none, the first one of several."""
        group_of_page = np.full(len(self.base), -1, np.int32)
        for number in range(len(self) - 1, -1, -1):
            group_of_page[self.groups[number].members] = number
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

    def explain(self, page: str) -> "Membership":
        """The groups of a page, its role and neighbours in each, or why it has none."""
        # imported here, because that file imports this one
        from weft.groups.membership import find_membership  # noqa: PLC0415

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
        # imported here, because that file imports this one
        from weft.groups.document import groups_document  # noqa: PLC0415

        return groups_document(self, top, max_groups, snippets, max_evidence)

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
                page_links(self.base.page_names(group.authorities(3))),
                page_links(self.base.page_names(group.hubs(3))),
            )
            for number, group in enumerate(self[:MAX_PREVIEW_ROWS], start=1)
        ]
        columns = ["", self.noun, f"{self.base.level}s", "authorities", "hubs"]
        return titled_table(repr(self).strip("<>"), columns, rows)


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
    if base.absent and not len(base):
        excluded = pluralise(len(base.absent), "page")
        return f"no {noun}: all {excluded} of the base set were excluded", "exclude fewer pages"
    if not len(base):
        reason = f"no page matches {base.query}" if base.query else "there are no pages"
        return reason, "try fewer or other words" if base.query else "add pages with weft add"
    if not base.graph.link_count:
        reason = f"no {noun}: the pages have no links between them that count"
        return reason, "--between page counts links inside a site too"
    reason = f"no {noun}: no group of pages is large and dense enough for {groups.method}"
    return reason, f"see `weft methods {groups.method}` for its options"
