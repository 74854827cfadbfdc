"""Responses about communities: members, links between them, agreement of methods."""

from typing import Any

from pydantic import Field

from weft.graph.baseset.options import Level
from weft.server.schemas.responses import ApiResponse, BaseSetSize, Exclusion, PageRef, Schema


class CommunityMember(PageRef):
    """A page of a community with its scores as authority (centre) and hub."""

    authority: float
    hub: float


class CommunityEvidence(Schema):
    """Evidence for a community: rows of pages, such as the two ends of a link or a core."""

    name: str
    total: int
    rows: list[list[PageRef]]


class CommunitySchema(Schema):
    """A community: label, size, links, best pages and evidence."""

    community: int
    label: str
    terms: list[str]
    title: str
    pages: int
    internal_links: int = Field(description="links among its pages")
    outgoing_links: int = Field(description="links to other pages")
    incoming_links: int = Field(description="links from other pages")
    strength: float | None
    facts: dict[str, Any]
    centres: list[CommunityMember]
    hubs: list[CommunityMember]
    evidence: list[CommunityEvidence]


class CommunityMatrix(Schema):
    """Numbers of links from each of the first communities (row) to each (column)."""

    communities: list[int]
    labels: list[str]
    cells: list[list[int]]


class BridgePage(PageRef):
    """A page linked from several communities, `through` some of their pages."""

    communities: list[int]
    through: list[PageRef]
    inlinks: int
    pagerank: float


class CommunitiesResponse(ApiResponse):
    """Communities, the most important first; `total` counts all of them."""

    method: str
    level: Level
    query: str
    options: dict[str, Any]
    facts: dict[str, Any]
    notes: list[str]
    base: BaseSetSize
    left_out: list[Exclusion]
    total: int
    assigned_pages: int = Field(description="number of pages in a community")
    overlapping: bool
    communities: list[CommunitySchema]
    matrix: CommunityMatrix
    bridge_pages: list[BridgePage] = Field(
        description="pages between communities, if the method looks for them"
    )
    provenance: dict[str, Any]


class LinkedCommunity(Schema):
    """Numbers of links to another community and from it."""

    community: int
    label: str
    links_to: int
    links_from: int


class CommunityResponse(ApiResponse):
    """One community with a slice of its members, centres first, and linked communities."""

    community: CommunitySchema
    linked_communities: list[LinkedCommunity]
    total: int
    offset: int
    rows: list[CommunityMember]


class CommunityLink(Schema):
    """A link with its anchor texts."""

    source: PageRef
    target: PageRef
    anchors: list[str]


class CommunityLinksResponse(ApiResponse):
    """The links from one community to another, those to the most linked page first."""

    community: int
    label: str
    other: int
    other_label: str
    total: int
    offset: int
    rows: list[CommunityLink]


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


class CommunityRoleSchema(Schema):
    """The role of a page in a community: its places as centre and hub, its links there."""

    community: int
    label: str
    centre: int = Field(description="its place among the centres; 0: none")
    hub: int = Field(description="its place among the hubs; 0: none")
    inside_in: int = Field(description="links from pages of the community")
    inside_out: int = Field(description="links to pages of the community")
    linked_from: list[PageRef]
    links_to: list[PageRef]


class OutsideLinks(Schema):
    """Links between a page and a community that it is not in."""

    community: int
    label: str
    links: int


class PageCommunitiesResponse(ApiResponse):
    """The communities of a page; `unassigned_reason` says why there are none."""

    page: str
    level: Level
    computed: bool = Field(
        description="false if cached_only=true and nothing is cached: the other fields are empty"
    )
    links_in: int
    links_out: int
    rows: list[CommunityRoleSchema]
    other_communities: list[OutsideLinks]
    unassigned_reason: str

    @property
    def cacheable(self) -> bool:
        """Only computed communities stay the same until the next commit."""
        return self.computed
