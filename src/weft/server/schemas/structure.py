"""Responses about the structure of the graph, and comparisons of two sites."""

from typing import Any

from pydantic import Field

from weft.graph.baseset.options import Level
from weft.server.schemas.responses import ApiResponse, Cell, Exclusion, PageRef, Schema


class TableSlice(Schema):
    """Rows of a table from `offset` on, of `total` rows."""

    columns: list[str]
    total: int
    offset: int
    rows: list[list[Cell]]


class TitleAndKind(Schema):
    """Title and kind of a page."""

    title: str
    kind: str


class ShapeResponse(ApiResponse):
    """The structure of the graph, or a comparison of two sites: facts, tables, notes."""

    method: str
    level: Level
    query: str
    options: dict[str, Any]
    facts: dict[str, Cell] = Field(description="single values, the most important first")
    tables: dict[str, TableSlice] = Field(description="by name, the main one first")
    notes: list[str] = Field(description="what was sampled, limited or not found")
    names: dict[str, TitleAndKind] = Field(description="the pages in the rows, at most 1,000")
    pictures: list[str] = Field(description="names for /picture, where that route exists")
    left_out: list[Exclusion]
    provenance: dict[str, Any]


class PageRegionResponse(ApiResponse):
    """A page's region of the bow-tie and a path that proves it; else a note."""

    page: str
    level: Level
    region: str = Field(description="empty if the page is not in the graph")
    meaning: str
    path: list[PageRef] = Field(description="a path of links from the page or to it")
    undirected: bool = Field(description="whether the path ignores the direction of links")
    note: str


class RegionPage(PageRef):
    """A page of a region with its degrees."""

    inlinks: int
    outlinks: int


class RegionPagesResponse(ApiResponse):
    """A slice of the pages of a region of the bow-tie, in descending order of in-links."""

    region: str
    meaning: str
    level: Level
    total: int
    offset: int
    rows: list[RegionPage]
