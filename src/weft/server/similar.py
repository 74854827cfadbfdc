"""Handlers for similar pages and suggested links."""

from weft.server.downloads import Download, table_download
from weft.server.params import SimilarPagesParams, SuggestedLinksParams
from weft.server.schemas.similar import SimilarPagesResponse, SuggestedLinksResponse
from weft.server.session import Session


def find_similar_pages(
    session: Session, params: SimilarPagesParams
) -> SimilarPagesResponse | Download:
    """The most similar pages, with the witnesses linked with both."""
    found = session.workspace.similar(
        params.url, params.method_name, level=params.level, top=params.top, **params.option_values
    )
    if params.format != "json":
        return table_download(found.to_table(), session.temp_path(params.format), "similar")
    return session.respond(SimilarPagesResponse, found.to_document())


def suggest_links(
    session: Session, params: SuggestedLinksParams
) -> SuggestedLinksResponse | Download:
    """Links that a page lacks, to others and from others, each with a reason."""
    found = session.workspace.suggest(
        params.url, params.method_name, level=params.level, top=params.top, **params.option_values
    )
    if params.format != "json":
        return table_download(found.to_table(), session.temp_path(params.format), "suggest")
    return session.respond(SuggestedLinksResponse, found.to_document())
