"""Responses about pages: search results, a page, its links, the terms it is known for."""

from pydantic import Field

from weft.graph.baseset.options import LinkDirection
from weft.server.schemas.responses import ApiResponse, PageRef, Schema


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
