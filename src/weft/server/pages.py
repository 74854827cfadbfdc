"""Handlers for pages: search, a page, its links, the terms it is known for."""

import pyarrow as pa
from pydantic import Field

from weft.core.json import to_json_value
from weft.gather.url import domain, host
from weft.graph.anchors import neighbour_table
from weft.graph.levels import load_graph
from weft.graph.selection import LinkDirection
from weft.server.downloads import Download, table_download
from weft.server.params import (
    KnownForParams,
    PageLinksParams,
    PageParams,
    SearchParams,
)
from weft.server.schemas.responses import ApiResponse, PageRef, Schema
from weft.server.session import Session
from weft.store.search import TimeRange
from weft.store.snippet import make_snippets

MAX_ALIASES = 50
MAX_ANCHORS = 20


class SearchHit(PageRef):
    """A search result; `highlights` are the spans of query words in the snippet."""

    place: int
    score: float
    language: str
    time: int = Field(description="capture time in seconds since 1970; 0: unknown")
    snippet: str
    highlights: list[tuple[int, int]]


class SearchResponse(ApiResponse):
    """The results of a search, best first."""

    query: str
    total: int
    offset: int
    rows: list[SearchHit]


class Alias(Schema):
    """Another URL of a page, and why it was merged with it."""

    url: str
    reason: str


class PageResponse(ApiResponse, PageRef):
    """A page: its metadata, the start of its text, its numbers of links."""

    host: str
    domain: str
    language: str
    time: int
    captures: int
    inlinks: int = Field(description="number of pages that link to it")
    outlinks: int = Field(description="number of pages it links to")
    aliases: list[Alias]
    opening_text: str


class LinkedPage(PageRef):
    """A page at the other end of links: their number and distinct anchor texts."""

    links: int
    anchors: list[str]


class PageLinksResponse(ApiResponse):
    """The pages that link to a page, or that it links to, ordered by URL."""

    page: str
    direction: LinkDirection
    total: int
    offset: int
    rows: list[LinkedPage]


class KnownForTerm(Schema):
    """A term for which a page has a reputation."""

    term: str
    reputation: float
    penetration: float
    focus: float
    pages: int


class KnownForResponse(ApiResponse):
    """The terms a page is known for, best first."""

    page: str
    rows: list[KnownForTerm]


def search_pages(session: Session, params: SearchParams) -> SearchResponse | Download:
    """Search pages by their words, each with a snippet."""
    hits = session.collection.search(
        params.query,
        params.top,
        skip=params.offset,
        time_range=TimeRange.from_dates(params.since, params.until),
    )
    if params.format != "json":
        return table_download(hits.to_table(), session.temp_path(params.format), "search")
    return session.respond(SearchResponse, hits.to_document())


def get_page(session: Session, params: PageParams) -> PageResponse:
    """A page: its metadata, the start of its text, its numbers of links."""
    collection = session.collection
    number = collection.find_page(params.url)
    row = collection.pages.slice(number, 1).to_pylist()[0]
    graph = load_graph(collection)
    inlinks, outlinks = (
        int(links.starts[number + 1] - links.starts[number])
        for links in (graph.inlinks, graph.outlinks)
    )
    text = collection.texts([number], main_content=True)
    [opening] = make_snippets(text, [row["language"]], frozenset())
    [ref] = session.collection.page_refs([number])
    return PageResponse(
        snapshot=session.snapshot_number,
        **ref,
        host=host(row["url"]),
        domain=domain(row["url"]),
        language=row["language"],
        time=row["time"],
        captures=row["captures"],
        inlinks=inlinks,
        outlinks=outlinks,
        aliases=_page_aliases(session, number),
        opening_text=opening.text,
    )


def _page_aliases(session: Session, number: int) -> list[Alias]:
    aliases = session.collection.aliases
    own = aliases.filter(pa.compute.equal(aliases["page"], number)).slice(0, MAX_ALIASES)
    return [Alias(url=row["url"], reason=str(row["reason"])) for row in own.to_pylist()]


def get_page_links(session: Session, params: PageLinksParams) -> PageLinksResponse | Download:
    """The pages that link to a page, or that it links to, with anchor texts."""
    collection = session.collection
    number = collection.find_page(params.url)
    table = neighbour_table(collection, number, params.direction)
    if params.format != "json":
        return table_download(table, session.temp_path(params.format), f"links-{params.direction}")
    by_page = table.group_by(["url", "title", "kind"], use_threads=False)
    pages = by_page.aggregate([("anchor", "list")])
    return PageLinksResponse(
        snapshot=session.snapshot_number,
        page=collection.pages["url"][number].as_py(),
        direction=params.direction,
        total=len(pages),
        offset=params.offset,
        rows=[_to_linked_page(**row) for row in pages.slice(params.offset, params.top).to_pylist()],
    )


def _to_linked_page(url: str, title: str, kind: str, anchor_list: list[str]) -> LinkedPage:
    """A row of the grouped table of links; anchors are distinct, with white space collapsed."""
    distinct = dict.fromkeys(filter(None, (" ".join(text.split()) for text in anchor_list)))
    anchors = list(distinct)[:MAX_ANCHORS]
    return LinkedPage(url=url, title=title, kind=kind, links=len(anchor_list), anchors=anchors)


def get_known_for(session: Session, params: KnownForParams) -> KnownForResponse:
    """The terms for which a page has the highest reputation."""
    known_for = session.workspace.known_for(
        params.url, params.selection, min_pages=params.min_pages
    )
    rows = known_for.to_table().slice(0, params.top).to_pylist()
    terms = [KnownForTerm(**to_json_value(row)) for row in rows]
    return KnownForResponse(snapshot=session.snapshot_number, page=known_for.page, rows=terms)
