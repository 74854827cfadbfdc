"""Handlers for pages: search, a page, its links, its terms, similar pages, missing links."""

from typing import Annotated, Any, Literal

import pyarrow as pa
from pydantic import ConfigDict, Field

from weft.gather.url import domain, host
from weft.graph.attributes import ATTRIBUTES, TAG_PREFIX, PageFilter
from weft.graph.levels import load_graph
from weft.graph.link_facts import neighbour_table
from weft.graph.selection import Level, LinkDirection
from weft.server.downloads import Download, table_download
from weft.server.params import (
    EMPTY_LIST,
    MAX_PATTERNS,
    MAX_ROWS,
    Date,
    Offset,
    PageParams,
    Params,
    PatternText,
    QueryText,
    SimilarPagesParams,
    SuggestedLinksParams,
    TableFormat,
    Top,
    UnfilteredViewParams,
    Url,
)
from weft.server.schemas.responses import ApiResponse, PageRef, Schema
from weft.server.session import Session
from weft.store.captures import captures_of_page
from weft.store.collection import MAX_SEARCH_RESULTS
from weft.store.search import TimeRange
from weft.store.snippet import make_snippets
from weft.store.tags import parse_facet_value
from weft.workspace.complete import complete
from weft.workspace.facets import count_facets

FacetValues = Annotated[
    list[PatternText],
    Field(max_length=MAX_PATTERNS, description="values that pages must have; alternatives"),
]


class SearchParams(Params):
    """Query, time range and slice of a search."""

    query: Annotated[QueryText, Field(min_length=1)]
    offset: Annotated[
        int, Field(ge=0, le=MAX_SEARCH_RESULTS - MAX_ROWS, description="number of hits to skip")
    ] = 0
    top: Top = 10
    since: Date = ""
    until: Date = ""
    site: FacetValues = EMPTY_LIST
    language: FacetValues = EMPTY_LIST
    year: FacetValues = EMPTY_LIST
    type: FacetValues = EMPTY_LIST
    status: FacetValues = EMPTY_LIST
    folder: FacetValues = EMPTY_LIST
    tag: Annotated[
        list[PatternText], Field(max_length=MAX_PATTERNS, description="FACET=VALUE of a tag")
    ] = EMPTY_LIST
    format: TableFormat = "json"

    @property
    def where(self) -> dict[str, list[str]]:
        """The values that pages must have, by attribute."""
        values = {name: list(getattr(self, name)) for name in ATTRIBUTES if getattr(self, name)}
        for tag in self.tag:
            facet, value = parse_facet_value(tag)
            values.setdefault(TAG_PREFIX + facet, []).append(value)
        return values


class FacetsParams(SearchParams):
    """A search, whose query may be empty, and how many values of each facet are counted."""

    query: QueryText = ""
    top: Annotated[int, Field(ge=1, le=MAX_ROWS, description="number of values of each")] = 10


class CompletionParams(Params):
    """What was typed."""

    text: Annotated[str, Field(max_length=200, description="the begin of a site, title or URL")]
    top: Annotated[int, Field(ge=1, le=50, description="number of sites and of pages")] = 6


class PageLinksParams(PageParams):
    """Direction and slice of the links of a page."""

    direction: Annotated[LinkDirection, Field(description="in-links or out-links")] = "in"
    offset: Offset = 0
    top: Top = 50
    format: TableFormat = "json"


class KnownForParams(UnfilteredViewParams):
    """A page, and the pages on which its terms are looked for."""

    url: Url
    min_pages: Annotated[
        int, Field(ge=1, le=10**6, description="minimum number of pages of a term")
    ] = 2
    top: Top = 20


MAX_ALIASES = 50
MAX_ANCHORS = 20
MAX_TEXT_CHARS = 200_000


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


class FacetValueSchema(Schema):
    """A value, and how many of the pages have it."""

    value: str
    pages: int


class FacetCounts(Schema):
    """The most frequent values of an attribute of pages, and how many more there are."""

    name: str
    values: list[FacetValueSchema]
    more_values: int


class PeriodCount(Schema):
    """A day, month or year, and how many captures are of it."""

    period: str
    captures: int


class CaptureHistogram(Schema):
    """Numbers of captures by period, without gaps, and of those without a time."""

    unit: Literal["day", "month", "year"]
    undated: int
    periods: list[PeriodCount]


class FacetsResponse(ApiResponse):
    """The values of the pages found; those of a facet are counted without its own filter."""

    query: str
    total: int
    facets: list[FacetCounts]
    captures: CaptureHistogram


class SiteCompletion(Schema):
    """A site and the number of its captured pages."""

    site: str
    pages: int


class CompletionsResponse(ApiResponse):
    """Sites and pages that a text may stand for."""

    text: str
    sites: list[SiteCompletion]
    pages: list[PageRef]


class CaptureSchema(Schema):
    """A capture of a page; `is_live` for the one that searches and rankings use."""

    time: int = Field(description="in seconds since 1970; 0: unknown")
    url: str
    status: int
    type: str
    language: str
    title: str
    characters: int = Field(description="length of the text")
    is_live: bool


class CapturesResponse(ApiResponse):
    """The captures of a page, latest first."""

    page: str
    rows: list[CaptureSchema]


class PageTextResponse(ApiResponse):
    """The stored text of a page, and its main content if that is not all of it."""

    page: str
    characters: int
    text: str
    main_content: str


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
        pages=PageFilter(params.where).mask(session.collection),
    )
    if params.format != "json":
        return table_download(hits.to_table(), session.temp_path(params.format), "search")
    return session.respond(SearchResponse, hits.to_document())


def get_facets(session: Session, params: FacetsParams) -> FacetsResponse | Download:
    """Sites, languages, years, types, HTTP statuses and tags of the pages found, and captures."""
    found = count_facets(
        session.collection,
        params.query,
        TimeRange.from_dates(params.since, params.until),
        PageFilter(params.where),
        params.top,
    )
    if params.format != "json":
        return table_download(found.to_table(), session.temp_path(params.format), "facets")
    return session.respond(FacetsResponse, found.to_document())


def complete_name(session: Session, params: CompletionParams) -> CompletionsResponse:
    """Sites and pages whose name begins with a text, or contains it."""
    found = complete(session.collection, params.text, params.top)
    return CompletionsResponse(
        snapshot=session.snapshot_number,
        text=params.text,
        sites=[SiteCompletion(site=name, pages=pages) for name, pages in found.hosts],
        pages=[PageRef(**ref) for ref in session.collection.page_refs(found.pages)],
    )


def get_captures(session: Session, params: PageParams) -> CapturesResponse:
    """The captures of a page, latest first."""
    number = session.collection.find_page(params.url)
    rows = captures_of_page(session.collection, number).to_pylist()
    return CapturesResponse(
        snapshot=session.snapshot_number,
        page=session.collection.pages["url"][number].as_py(),
        rows=[
            CaptureSchema(**{**row, "time": int(row["time"].timestamp()) if row["time"] else 0})
            for row in rows
        ],
    )


def get_page_text(session: Session, params: PageParams) -> PageTextResponse:
    """The text of a page as it is stored."""
    number = session.collection.find_page(params.url)
    [text], [main] = (
        session.collection.texts([number], main_content=only_main) for only_main in (False, True)
    )
    return PageTextResponse(
        snapshot=session.snapshot_number,
        page=session.collection.pages["url"][number].as_py(),
        characters=len(text),
        text=text[:MAX_TEXT_CHARS],
        main_content=main[:MAX_TEXT_CHARS] if main != text else "",
    )


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
    return session.respond(KnownForResponse, known_for.to_document(params.top))


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
