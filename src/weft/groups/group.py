"""`Group`: a topic or a community, and how its pages spread over sites."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from weft.core.arrays import Floats, Ids, argsort_descending, round_significant
from weft.core.html import titled_table
from weft.core.text import pluralise
from weft.graph.baseset.baseset import BaseSet
from weft.graph.levels import encode_domains

MIN_PAGES = 5
MIN_EFFECTIVE_SITES = 3.0
MAX_TOP_SITE_SHARE = 0.5
MIN_SITES_PER_PAGE = 0.2
TOLERANCE = 1e-9
MAX_SAMPLE_PAGES = 500


@dataclass(frozen=True, slots=True)
class SiteDiversity:
    """The distribution of pages over sites, and their reciprocity.

    `count` is the number of sites, `share` their share of all sites of the base
    set where that is known, `top` the site with most pages and `top_share` its
    share of them. `effective` is exp(H) with the entropy H of the shares of the
    sites: the number of equal sites with the same entropy. `reciprocity` is the
    share of the links among the pages that are reciprocal. `tightly_knit` says
    why the pages are called so; empty if they are not.
    """

    count: int
    top: str
    top_share: float
    effective: float
    reciprocity: float
    share: float | None = None
    tightly_knit: str = ""

    def tightly_knit_reason(self, page_count: int) -> str:
        """Why that number of pages on these sites is tightly knit; empty if it is not."""
        if page_count < MIN_PAGES:
            return ""
        if self.top_share > MAX_TOP_SITE_SHARE:
            return f"{self.top_share:.0%} of the pages are on {self.top}"
        if self.effective < MIN_EFFECTIVE_SITES - TOLERANCE:
            return f"as diverse as {self.effective:.1f} equal sites"
        if self.count / page_count < MIN_SITES_PER_PAGE:
            return f"all {page_count} pages are on {self.count} sites"
        return ""


@dataclass(frozen=True, slots=True, eq=False)
class SiteLookup:
    """The sites of pages of a base set, looked up once for several topics."""

    base: BaseSet
    site_ids: Ids
    site_names: Sequence[str]

    @classmethod
    def for_pages(cls, base: BaseSet, pages: Ids) -> "SiteLookup":
        """Look up the sites of some pages; other pages get -1."""
        site_ids = np.full(len(base), -1, np.int32)
        codes, names = encode_domains(base.graph.names.take(pa.array(pages)))
        site_ids[pages] = codes
        return cls(base, site_ids, names)

    def diversity(self, members: Ids) -> SiteDiversity:
        """The site diversity of some of these pages.

        Examples
        --------
        >>> base = BaseSet.from_any(
        ...     [("http://a.org/1", "http://b.org/"), ("http://a.org/2", "http://b.org/")]
        ... )
        >>> found = SiteLookup.for_pages(base, np.arange(3)).diversity(np.arange(3))
        >>> found.count, found.top, round(found.effective, 2), found.reciprocity
        (2, 'a.org', 1.89, 0.0)
        """
        counts = np.bincount(self.site_ids[members], minlength=len(self.site_names))
        shares = counts[counts > 0] / max(len(members), 1)
        return SiteDiversity(
            len(shares),
            self.site_names[int(counts.argmax())] if len(members) else "",
            float(shares.max(initial=0)),
            float(np.exp(-(shares * np.log(shares)).sum())) if len(shares) else 0.0,
            self.reciprocity(members),
        )

    def reciprocity(self, members: Ids) -> float:
        """The share of the links among some pages that are reciprocal."""
        from weft.kernels.csr import count_induced_links  # noqa: PLC0415  loads the compiler

        outlinks, inlinks = self.base.graph.outlinks, self.base.graph.inlinks
        links, reciprocal = count_induced_links(
            (np.asarray(outlinks.starts), np.asarray(outlinks.ids)),
            (np.asarray(inlinks.starts), np.asarray(inlinks.ids)),
            members,
            len(self.base),
        )
        return reciprocal / links if links else 0.0


def measure_site_diversity(base: BaseSet, page_sets: Sequence[Ids]) -> list[SiteDiversity]:
    """The site diversity of each set of pages, and why one is tightly knit.

    If the base set itself is on few sites, by an even sample of its pages, no
    set is called tightly knit.
    """
    if not page_sets:
        return []
    sample = np.unique(
        np.linspace(0, len(base) - 1, min(len(base), MAX_SAMPLE_PAGES)).astype(np.int32)
    )
    is_needed = np.zeros(len(base), bool)
    for pages in (sample, *page_sets):
        is_needed[pages] = True
    lookup = SiteLookup.for_pages(base, np.flatnonzero(is_needed).astype(np.int32))
    base_is_tightly_knit = bool(lookup.diversity(sample).tightly_knit_reason(len(sample)))
    measured = [(len(pages), lookup.diversity(pages)) for pages in page_sets]
    if base_is_tightly_knit:
        return [diversity for _, diversity in measured]
    return [
        replace(diversity, tightly_knit=diversity.tightly_knit_reason(size))
        for size, diversity in measured
    ]


Role = Literal["authority", "hub"]
ROLES: tuple[Role, ...] = ("authority", "hub")
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
