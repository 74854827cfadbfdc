"""Handlers for the structure of the graph: facts, tables, pictures, regions, two sites."""

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Annotated, Any, cast

import numpy as np
import pyarrow as pa
from pydantic import Field

from weft.core.errors import UnknownName
from weft.core.fact_sheet import FactSheet
from weft.core.json import JsonObject
from weft.core.text import join_with_and
from weft.graph.selection import Level
from weft.report.plots import draw_plots
from weft.report.plots.svg import Frame
from weft.server.downloads import Download, table_download
from weft.server.params import (
    EMPTY_LIST,
    MAX_PATTERNS,
    MAX_ROWS,
    Offset,
    Params,
    PatternText,
    PictureTitled,
    PictureWidth,
    RegionName,
    StructureParams,
    TableFormat,
    TableName,
    Top,
    Url,
    ViewParams,
)
from weft.server.schemas.responses import ApiResponse, Cell, Exclusion, PageRef, Schema
from weft.server.session import Session, options_key
from weft.structure import BowTie, Shape
from weft.structure.bowtie import REGIONS

ExpectedTerms = Annotated[
    list[PatternText],
    Field(max_length=MAX_PATTERNS, description="words and addresses that are expected"),
]
SiteKeywords = Annotated[
    list[PatternText], Field(max_length=10, description="keywords to search for on their site")
]
SiteName = Annotated[
    str, Field(min_length=1, max_length=4000, description="a host, a domain, or a folder of one")
]


class PictureParams(ViewParams):
    """A picture of a structure analysis."""

    picture: Annotated[
        str, Field(max_length=50, description="name of the picture; default: the first")
    ] = ""
    width: PictureWidth = 640
    titled: PictureTitled = True


class PageRegionParams(ViewParams):
    """The page whose region is explained."""

    url: Url


class RegionPagesParams(ViewParams):
    """A slice of a region of the bow-tie."""

    region: Annotated[RegionName, Field(description="region of the bow-tie")] = "core"
    offset: Offset = 0
    top: Top = 50
    format: TableFormat = "json"


class CompareSitesParams(Params):
    """The two sites to compare, and what is expected on theirs."""

    mine: SiteName
    theirs: SiteName
    known: ExpectedTerms = EMPTY_LIST
    keywords: SiteKeywords = EMPTY_LIST
    top: Annotated[int, Field(ge=1, le=MAX_ROWS, description="number of rows of each table")] = 20
    threshold: Annotated[
        float,
        Field(
            ge=0,
            le=1,
            allow_inf_nan=False,
            description="minimum cosine similarity of matching pages",
        ),
    ] = 0.2
    min_terms: Annotated[
        int, Field(ge=1, le=10**6, description="minimum terms of an unexpected page")
    ] = 20
    table: TableName = ""
    format: TableFormat = "json"


MAX_RESOLVED_PAGES = 1000
COMPARISON_OPTIONS = ("known", "keywords", "top", "threshold", "min_terms")
NOT_IN_GRAPH_NOTE = "the page is not in the graph; an uncaptured page needs uncaptured=keep"
PAGE_COLUMNS = frozenset(
    {
        "page",
        "pages",
        "other",
        "first page",
        "path",
        "mine",
        "theirs",
        "nearest",
        "example",
        "source",
        "target",
        "linked from",
        "link to",
        "strongest link",
    }
)


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


def get_structure(session: Session, params: StructureParams) -> ShapeResponse | Download:
    """Describe the graph: facts, and the first rows of the tables behind them."""
    shape = compute_shape(session, params)
    if params.format != "json":
        return shape_download(session, shape, params.table, params.format)
    document = shape.to_document(params.table, offset=params.offset, top=params.top)
    return respond_with_shape(session, document, list(draw_plots(shape)))


def respond_with_shape(
    session: Session, document: JsonObject, pictures: Sequence[str] = ()
) -> ShapeResponse:
    """The document of a shape with the titles of the pages in its rows."""
    pages = dict.fromkeys(chain.from_iterable(map(_pages_in_rows, document["tables"].values())))
    shown = islice(pages, MAX_RESOLVED_PAGES) if document["level"] == "page" else ()
    names = {ref.pop("url"): ref for ref in session.page_refs_by_name(shown)}
    return session.respond(ShapeResponse, document, names=names, pictures=pictures)


def compute_shape(
    session: Session, params: StructureParams | PictureParams | PageRegionParams | RegionPagesParams
) -> Shape:
    """The result of a structure method on a view, cached; without a method the overview."""
    method, selection, options = params.method_name, params.selection, params.option_values
    return session.get_or_compute(
        ("structure", method, selection, options_key(options)),
        lambda: session.workspace.structure(method, selection, **options),
    )


def shape_download(session: Session, shape: FactSheet, table: str, file_format: str) -> Download:
    """A table of the result as a file; without a name the first."""
    name = table or next(iter(shape.tables))
    return table_download(
        shape.to_table(table), session.temp_path(file_format), f"{shape.method}-{name}"
    )


def _pages_in_rows(table: JsonObject) -> Iterator[str]:
    """The pages in the rows, single or as the steps of a path."""
    columns = [k for k, name in enumerate(table["columns"]) if name in PAGE_COLUMNS]
    for cell in (row[k] for row in table["rows"] for k in columns):
        if isinstance(cell, str | list):
            yield from filter(None, [cell] if isinstance(cell, str) else cell)


def get_plot_svg(session: Session, params: PictureParams) -> Download:
    """A picture of the result as SVG."""
    plots = draw_plots(compute_shape(session, params), Frame(params.width, params.titled))
    name = params.picture or next(iter(plots))
    if name not in plots:
        raise UnknownName("picture", name, plots, hint=f"there is {join_with_and(list(plots))}")
    path = session.temp_path("svg")
    path.write_text(str(plots[name]), "utf-8")
    return Download(path, f"{name}.svg")


def explain_region(session: Session, params: PageRegionParams) -> PageRegionResponse:
    """The region of a page in the bow-tie, and a path that proves it."""
    bow_tie = cast("BowTie", compute_shape(session, params))
    page = session.resolve_name(params.url, params.level)
    common: dict[str, Any] = {
        "snapshot": session.snapshot_number,
        "page": page,
        "level": params.level,
    }
    if bow_tie.graph.page_number(page) < 0:
        return PageRegionResponse(
            **common, region="", meaning="", path=[], undirected=False, note=NOT_IN_GRAPH_NOTE
        )
    explanation = bow_tie.explain(page)
    return PageRegionResponse(
        **common,
        region=explanation.region,
        meaning=REGIONS[explanation.region],
        path=[PageRef(**ref) for ref in session.page_refs_by_name(explanation.path, params.level)],
        undirected=explanation.undirected,
        note="",
    )


def get_region_pages(session: Session, params: RegionPagesParams) -> RegionPagesResponse | Download:
    """The pages of a region of the bow-tie, in descending order of in-links."""
    bow_tie = cast("BowTie", compute_shape(session, params))
    graph = bow_tie.graph
    inlinks, outlinks = (
        np.diff(np.asarray(links.starts)) for links in (graph.inlinks, graph.outlinks)
    )
    pages = np.flatnonzero(bow_tie.page_regions == list(REGIONS).index(params.region))
    pages = pages[np.argsort(-inlinks[pages], kind="stable")]
    columns = {"inlinks": inlinks[pages], "outlinks": outlinks[pages]}
    table = pa.table({"page": graph.names.take(pa.array(pages)), **columns})
    if params.format != "json":
        return table_download(
            table, session.temp_path(params.format), f"bow-tie-{params.region.replace(' ', '-')}"
        )
    rows = table.slice(params.offset, params.top).to_pylist()
    refs = session.page_refs_by_name([row.pop("page") for row in rows], params.level)
    return RegionPagesResponse(
        snapshot=session.snapshot_number,
        region=params.region,
        meaning=REGIONS[params.region],
        level=params.level,
        total=len(table),
        offset=params.offset,
        rows=[RegionPage(**{**row, **ref}) for row, ref in zip(rows, refs, strict=True)],
    )


def compare_sites(session: Session, params: CompareSitesParams) -> ShapeResponse | Download:
    """Compare two sites: terms, pages, concepts and links that mine lacks, and matches."""
    options = {name: getattr(params, name) for name in COMPARISON_OPTIONS}
    key = ("sites", params.mine, params.theirs, options_key(options))
    shape = session.get_or_compute(
        key, lambda: session.workspace.compare_sites(params.mine, params.theirs, **options)
    )
    if params.format != "json":
        return shape_download(session, shape, params.table, params.format)
    max_rows = params.top * max(len(params.keywords), 1)
    return respond_with_shape(session, shape.to_document(params.table, top=max_rows))
