"""Handlers for similar pages and suggested links."""

from typing import Any

from pydantic import ConfigDict, Field

from weft.graph.selection import Level
from weft.server.downloads import Download, table_download
from weft.server.params import SimilarPagesParams, SuggestedLinksParams
from weft.server.schemas.responses import ApiResponse, PageRef
from weft.server.session import Session


class WitnessSchema(PageRef):
    """A page or site linked with both pages, and the anchor texts of its links.

    `page_anchor` belongs to its link with the requested page, `other_anchor`
    to its link with the page found.
    """

    pattern: str
    page_anchor: str
    other_anchor: str


class SimilarPage(PageRef):
    """A similar page: its score, the contributions to it, and some of the witnesses."""

    place: int
    score: float
    contributions: dict[str, float]
    witness_counts: dict[str, int] = Field(description="number of witnesses of each pattern")
    witnesses: list[WitnessSchema]
    shared_words: list[str] = Field(description="stems that occur on both pages")


class SimilarPagesResponse(ApiResponse):
    """The most similar pages, best first; a score is the sum of its contributions."""

    page: str
    method: str
    level: Level
    options: dict[str, Any]
    contribution_names: list[str]
    notes: list[str]
    rows: list[SimilarPage]
    provenance: dict[str, Any]


class SuggestedLink(PageRef):
    """A suggested link: the page at its other end, the reason, a proposed anchor text.

    Intermediate pages lie on a path of two links between the pages; peers link
    like the source, and to the target.
    """

    place: int
    direction: str = Field(description="to: the page lacks a link to it; from: it lacks one")
    score: float
    scores: dict[str, float] = Field(description="by method")
    intermediate_count: int
    peer_count: int
    reason: str
    witnesses: list[WitnessSchema]
    shared_words: list[str] = Field(description="keywords of both pages")
    anchor: str
    anchor_source: str = Field(description="where the anchor comes from: links, title, or empty")


class SuggestedLinksResponse(ApiResponse):
    """Links that a page lacks: `to` other pages and `from` other pages, best first."""

    model_config = ConfigDict(serialize_by_alias=True)

    page: str
    method: str
    level: Level
    options: dict[str, Any]
    to: list[SuggestedLink]
    from_: list[SuggestedLink] = Field(alias="from")
    notes: list[str]
    provenance: dict[str, Any]


def find_similar_pages(
    session: Session, params: SimilarPagesParams
) -> SimilarPagesResponse | Download:
    """The most similar pages, with the witnesses linked with both."""
    found = session.workspace.similar(
        params.url, params.method_name, params.selection, top=params.top, **params.option_values
    )
    if params.format != "json":
        return table_download(found.to_table(), session.temp_path(params.format), "similar")
    return session.respond(SimilarPagesResponse, found.to_document())


def suggest_links(
    session: Session, params: SuggestedLinksParams
) -> SuggestedLinksResponse | Download:
    """Links that a page lacks, to others and from others, each with a reason."""
    found = session.workspace.suggest(
        params.url, params.method_name, params.selection, top=params.top, **params.option_values
    )
    if params.format != "json":
        return table_download(found.to_table(), session.temp_path(params.format), "suggest")
    return session.respond(SuggestedLinksResponse, found.to_document())
