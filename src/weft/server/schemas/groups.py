"""Responses about topics and communities: their pages and evidence, and the groups of a page."""

from typing import Annotated, Any, Literal

from pydantic import Field

from weft.graph.selection import Level
from weft.server.schemas.responses import (
    ApiResponse,
    BaseSetSize,
    Cell,
    Exclusion,
    PageRef,
    Schema,
    TraceSchema,
)
from weft.store.group_edits import MAX_LABEL_CHARS, MAX_PAGES, Action

Role = Literal["authority", "hub"]


class SupportingLink(PageRef):
    """A page at the other end of a link, its anchor texts and its contribution."""

    contribution: float
    anchors: list[str]


class GroupEvidence(PageRef):
    """An authority or hub of a group with the links that support it.

    `count` pages on `sites` sites link to an authority, or are linked from a
    hub; `links` are the strongest of them.
    """

    place: int
    score: float
    count: int
    sites: int
    anchors: list[str]
    links: list[SupportingLink]
    other_groups: list[int] = Field(description="the other groups of the page")


class LeadingPage(GroupEvidence):
    """An authority or hub with its evidence and a snippet."""

    snippet: str


class LinkCountsSchema(Schema):
    """Numbers of links among the pages of a group, to other pages, and from other pages."""

    internal: int
    outgoing: int
    incoming: int


class SitesSchema(Schema):
    """How the pages of a group are spread over sites."""

    count: int
    top: str = Field(description="the site with most of the pages")
    top_share: float
    effective: float = Field(description="the number of equal sites that are as diverse")
    reciprocity: float
    share: float | None = Field(description="share of all sites of the base set")
    tightly_knit: str = Field(description="why the group is tightly knit; empty if it is not")


class StabilitySchema(Schema):
    """How firmly the authorities of a group stand."""

    top_count: int
    support: int = Field(description="number of sites that vote for them")
    retained_share: float
    description: str


class GroupSummary(Schema):
    """Label, size and facts of a topic or community."""

    label: str
    terms: list[str]
    title: str
    pages: int
    strength: float | None
    note: str
    reason: str = Field(description="why it was set aside; empty otherwise")
    in_passing: bool = Field(description="its leading pages mention the query in passing")
    links: LinkCountsSchema | None
    sites: SitesSchema | None
    stability: StabilitySchema | None
    facts: dict[str, Cell | list[Any]]


class UncapturedPage(PageRef):
    """A page that a group links to and that was not captured, with its votes."""

    votes: float


class MicroHubSchema(Schema):
    """A block of a page whose links belong together, with the block as HTML."""

    page: str
    path: str
    score: float
    count: int
    targets: list[str]
    anchors: list[str]
    fragment: str


class EvidenceRows(Schema):
    """Evidence for a group: rows of pages, such as the two ends of a link or a core."""

    name: str
    total: int
    rows: list[list[PageRef]]


class GroupDetails(GroupSummary):
    """A topic or community with its best authorities and hubs.

    `uncaptured` are pages worth fetching, most votes first; `subgroups` divide
    the group, where the whole collection is looked at.
    """

    number: int
    authorities: list[LeadingPage]
    hubs: list[LeadingPage]
    uncaptured: list[UncapturedPage]
    subgroups: list[GroupSummary]
    micro_hubs: list[MicroHubSchema]
    evidence: list[EvidenceRows]


class SearchResult(PageRef):
    """One of the first search results, and the number of its group; 0 if it has none."""

    score: float
    group: int


class GroupOverlap(Schema):
    """Pages that two groups share, and their share of the smaller group."""

    number: int
    other: int
    pages: int
    share: float


class BaseSetDetails(BaseSetSize):
    """The base set: its size, notes on how it was built, exclusions."""

    notes: list[str]
    left_out: list[Exclusion]


class BridgePageSchema(PageRef):
    """A page linked from several communities, `through` some of their pages."""

    communities: list[int]
    through: list[PageRef]
    inlinks: int
    pagerank: float


class GroupsResponse(ApiResponse):
    """The topics or communities of a selection; `total` counts all of them.

    `results` are the best search results, whatever their group; `also_found` are
    the next ones that are in no list. With `results_first` the groups tell
    little about the query, and `results` is all that an answer lists.
    """

    query: str
    method: str
    level: Level
    options: dict[str, Any]
    facts: dict[str, Any]
    notes: list[str]
    base: BaseSetDetails
    total: int
    results_first: bool
    results: list[SearchResult]
    also_found: list[SearchResult]
    overlap: list[GroupOverlap]
    set_aside: list[GroupSummary]
    bridge_pages: list[BridgePageSchema] = Field(
        description="pages between groups, if the method looks for them"
    )
    trace: TraceSchema
    provenance: dict[str, Any]


class TopicsResponse(GroupsResponse):
    """The topics of a query, or of the whole collection."""

    topics: list[GroupDetails]


class LinkMatrix(Schema):
    """Numbers of links from each of the first groups (row) to each (column)."""

    numbers: list[int]
    labels: list[str]
    cells: list[list[int]]


class CommunitiesResponse(GroupsResponse):
    """Communities, the most important first, and the links between them."""

    communities: list[GroupDetails]
    matrix: LinkMatrix
    assigned_pages: int = Field(description="number of pages in a community")
    overlapping: bool


class LinkedGroup(Schema):
    """Numbers of links to another group and from it."""

    number: int
    label: str
    links_to: int
    links_from: int


class GroupResponse(ApiResponse):
    """One topic or community, and the groups that it is linked with."""

    group: GroupDetails
    linked_groups: list[LinkedGroup]


class GroupMember(PageRef):
    """A page of a group: its place in the requested order, and both scores."""

    place: int
    authority: float
    hub: float


class GroupMembersResponse(ApiResponse):
    """A slice of the pages of a group."""

    number: int
    label: str
    by: Role
    total: int
    offset: int
    rows: list[GroupMember]


class GroupSite(Schema):
    """A site of a group: how many of its pages belong to it, and the best one."""

    site: str
    pages: int
    best: PageRef


class GroupSitesResponse(ApiResponse):
    """A slice of the sites of a group, in descending order of pages."""

    number: int
    label: str
    pages: int
    total: int
    offset: int
    rows: list[GroupSite]


class GroupLink(Schema):
    """A link with its anchor texts."""

    source: PageRef
    target: PageRef
    anchors: list[str]


class GroupLinksResponse(ApiResponse):
    """The links from one group to another, those to the most linked page first."""

    number: int
    label: str
    other: int
    other_label: str
    total: int
    offset: int
    rows: list[GroupLink]


class AgreementResponse(ApiResponse):
    """How far the partitions of two methods agree."""

    method: str
    other: str
    communities: int
    other_communities: int
    nmi: float = Field(description="normalized mutual information")
    ari: float = Field(description="adjusted Rand index")
    purity: float = Field(description="share of pages in the majority class of their community")
    compared_pages: int = Field(description="pages that both methods assign")
    total_pages: int = Field(description="pages in the graph")


class GroupRole(GroupEvidence):
    """The role of a page in a group, with its evidence; `reason` why it was set aside."""

    number: int
    label: str
    role: Role
    reason: str


class LinksElsewhere(Schema):
    """Links between a page and a group that it is not in."""

    number: int
    label: str
    links: int


class GroupPairSchema(Schema):
    """A group of the first method and the one of the other that it matches; 0: none."""

    number: int
    other: int
    label: str
    other_label: str
    pages: int
    other_pages: int
    shared: int
    jaccard: float = Field(description="share of their pages that both have")


class GroupsComparisonResponse(ApiResponse):
    """The groups of two methods side by side, and the pages that only one has in a group."""

    method: str
    other: str
    level: Level
    both: int
    only_first: int
    only_other: int
    pairs: list[GroupPairSchema]


Urls = list[Annotated[str, Field(min_length=1, max_length=4000)]]


class GroupEditWords(Schema):
    """A change of a topic or community, which is known by its leading pages."""

    kind: Literal["topics", "communities"] = "topics"
    query: str = Field("", max_length=2000)
    level: Level = "page"
    action: Action
    pages: Annotated[Urls, Field(min_length=1, max_length=MAX_PAGES)]
    label: str = Field("", max_length=MAX_LABEL_CHARS)
    into: Annotated[Urls, Field(max_length=MAX_PAGES)] = Field(default_factory=list)
    by: str = Field("", max_length=200)


class UndoGroupEditWords(Schema):
    """The topics or communities whose last change is undone."""

    kind: Literal["topics", "communities"] = "topics"
    query: str = Field("", max_length=2000)
    level: Level = "page"


class GroupEditNumber(Schema):
    """The number of a change."""

    number: int


class GroupEditSchema(Schema):
    """A change of a topic or community."""

    number: int
    action: Action
    pages: list[str]
    label: str
    into: list[str]
    by: str
    time: int


class GroupEditsResponse(ApiResponse):
    """The changes of the topics or communities of a query, in the order of their making."""

    rows: list[GroupEditSchema]


class MembershipResponse(ApiResponse):
    """The groups of a page, and its roles there.

    `origin` says how the page entered the base set, or why it did not;
    `unassigned_reason` why a page of the base set is in no group. Groups that
    were set aside are numbered after the others.
    """

    page: str
    level: Level
    computed: bool = Field(
        description="false if cached_only=true and nothing is cached: the other fields are empty"
    )
    origin: str
    numbers: list[int]
    roles: list[GroupRole]
    set_aside: list[GroupRole]
    unassigned_reason: str
    links_in: int
    links_out: int
    links_elsewhere: list[LinksElsewhere]

    @property
    def cacheable(self) -> bool:
        """Only computed groups stay the same until the next commit."""
        return self.computed
