"""Responses about the collection as a whole: counts, history, hosts, links."""

from pydantic import Field

from weft.graph.baseset.options import Level
from weft.server.schemas.responses import ApiResponse, Schema


class CollectionFact(Schema):
    """A fact about the collection as text."""

    name: str
    value: str


class IngestProblem(Schema):
    """Records skipped or damaged while adding: reason, count and some of the places."""

    reason: str
    count: int
    damage: bool
    places: list[str]


class Commit(Schema):
    """A commit of the collection: its time, its inputs, the pages it added."""

    time: str
    inputs: list[str]
    pages: int


class DefaultMethods(Schema):
    """The default method of each kind; `compare` lists those compared by default."""

    topics: str
    rank: str
    compare: list[str]
    communities: str
    similar: str
    suggest: str


class CollectionSummaryResponse(ApiResponse):
    """The collection as its manifest describes it."""

    name: str
    weft_version: str = Field(description="the version of Weft that the server runs")
    counts: dict[str, int]
    problems: list[IngestProblem]
    history: list[Commit]
    defaults: DefaultMethods


class HostRow(Schema):
    """A host: its pages, its uncaptured pages, and the other hosts linked with it."""

    host: str
    pages: int
    uncaptured: int
    inlinks: int
    outlinks: int


class CollectionResponse(CollectionSummaryResponse):
    """The summary with facts and the largest hosts."""

    facts: list[CollectionFact]
    hosts: list[HostRow] = Field(description="the hosts with most pages")


class HostsResponse(ApiResponse):
    """Hosts in descending order of pages, or of uncaptured pages."""

    total: int
    offset: int
    rows: list[HostRow]


class GraphCountsResponse(ApiResponse):
    """Size of the graph at a level, uncaptured pages included, and nodes without links."""

    level: Level
    nodes: int
    links: int
    unlinked: int = Field(description="nodes without in-links")
    dangling: int = Field(description="nodes without out-links")
    isolated: int = Field(description="nodes without any link")
