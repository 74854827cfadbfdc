"""Responses about topics: their evidence, members and sites, and the topics of a page."""

from typing import Any, Literal

from pydantic import Field

from weft.graph.baseset.options import Level
from weft.server.schemas.responses import (
    ApiResponse,
    BaseSetSize,
    Exclusion,
    PageRef,
    Schema,
    TraceSchema,
)

Role = Literal["authority", "hub"]


class SupportingLink(PageRef):
    """A page at the other end of a link, its anchor texts and its contribution."""

    contribution: float
    anchors: list[str]


class TopicEvidence(PageRef):
    """An authority or hub of a topic with the links that support it.

    `count` pages on `sites` sites link to an authority, or are linked from a
    hub; `links` are the strongest of them.
    """

    place: int
    score: float
    count: int
    sites: int
    anchors: list[str]
    links: list[SupportingLink]
    other_topics: list[int] = Field(description="the other topics of the page")
    snippet: str


class TopicSummary(Schema):
    """Label and size of a topic."""

    label: str
    terms: list[str]
    title: str
    pages: int
    strength: float | None
    facts: dict[str, Any]


class SearchResult(PageRef):
    """One of the best search results, whatever its topic."""

    score: float


class UncapturedPage(PageRef):
    """A page that a topic links to and that was not captured, with its votes."""

    votes: float


class TopicDetails(TopicSummary):
    """A topic with its best authorities and hubs.

    `uncaptured` are pages worth fetching, most votes first; `subtopics` divide
    the topic, where the whole collection is looked at.
    """

    topic: int
    authorities: list[TopicEvidence]
    hubs: list[TopicEvidence]
    uncaptured: list[UncapturedPage]
    subtopics: list[TopicSummary]


class SetAsideTopic(TopicSummary):
    """A topic that was set aside, and why."""

    reason: str


class TopicOverlap(Schema):
    """Pages that two topics share, and their share of the smaller topic."""

    topic: int
    other: int
    pages: int
    share: float


class BaseSetDetails(BaseSetSize):
    """The base set: its size, notes on how it was built, exclusions, options."""

    notes: list[str]
    left_out: list[Exclusion]
    options: dict[str, Any]


class TopicsResponse(ApiResponse):
    """The topics of a query; `total` counts all, of which the first are given.

    `results` are the best search results, whatever their topic.
    """

    query: str
    method: str
    level: Level
    options: dict[str, Any]
    base: BaseSetDetails
    total: int
    results: list[SearchResult]
    topics: list[TopicDetails]
    overlap: list[TopicOverlap]
    set_aside: list[SetAsideTopic]
    trace: TraceSchema
    note: str = Field(description="why no topic was found; empty otherwise")
    provenance: dict[str, Any]


class TopicResponse(ApiResponse):
    """One topic."""

    topic: TopicDetails


class TopicMember(PageRef):
    """A page of a topic: its place in the requested order, and both scores."""

    place: int
    authority: float
    hub: float


class TopicMembersResponse(ApiResponse):
    """A slice of the pages of a topic."""

    topic: int
    label: str
    by: Role
    total: int
    offset: int
    rows: list[TopicMember]


class TopicSite(Schema):
    """A site of a topic: how many of its pages belong to it, and the best one."""

    site: str
    pages: int
    best: PageRef


class TopicSitesResponse(ApiResponse):
    """A slice of the sites of a topic, in descending order of pages."""

    topic: int
    label: str
    pages: int
    total: int
    offset: int
    rows: list[TopicSite]


class TopicRole(Schema):
    """The role of a page in a topic.

    `count` and `sites` count the hubs that link to an authority, or the
    authorities that a hub links to.
    """

    topic: int
    label: str
    role: Role
    score: float
    place: int
    count: int
    sites: int


class SetAsideTopicRole(TopicRole):
    """A role in a topic that was set aside; these are numbered after the topics."""

    reason: str


class PageTopicsResponse(ApiResponse):
    """The topics of a query that contain a page.

    `origin` says how the page entered the base set, or why it did not;
    `unassigned_reason` why a page of the base set is in no topic.
    """

    page: str
    origin: str
    unassigned_reason: str
    rows: list[TopicRole]
    set_aside: list[SetAsideTopicRole]
