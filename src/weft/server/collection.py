"""Handlers for the collection as a whole: summary, hosts, graph counts, exports."""

from collections.abc import Callable
from inspect import signature
from pathlib import PurePath
from typing import Annotated, Literal, cast, get_args

import numpy as np
from pydantic import Field

from weft import __version__
from weft.core.arrays import CSR, Ids, Offsets
from weft.core.memoize import memoize
from weft.core.register import methods_of
from weft.graph.levels import group_pages, uncaptured_pages
from weft.graph.selection import EXPORT_HELP, ExportKind, GroupKindOrNone, Level
from weft.graph.selection import GraphFormat as GraphFileFormat
from weft.graph.selection import TableFormat as TableFileFormat
from weft.graph.webgraph import WebGraph
from weft.server.downloads import Download
from weft.server.params import (
    EMPTY_LIST,
    NoParams,
    Offset,
    Params,
    QueryText,
    RankMethod,
    Top,
    ViewParams,
)
from weft.server.schemas.responses import ApiResponse, Schema
from weft.server.session import Session
from weft.store.collection import Collection
from weft.workspace.facts import collection_facts, format_non_numeric_facts
from weft.workspace.workspace import DEFAULT_METHODS, Workspace


class HostsParams(Params):
    """Order and slice of the hosts."""

    by: Annotated[
        Literal["pages", "uncaptured"],
        Field(description="order by pages, or by pages linked but not captured"),
    ] = "pages"
    offset: Offset = 0
    top: Top = 50


class ExportParams(ViewParams):
    """Selection and format of exported rows, and further columns."""

    rank: Annotated[
        list[RankMethod], Field(max_length=len(methods_of("rank")), description=EXPORT_HELP["rank"])
    ] = EMPTY_LIST
    group: Annotated[GroupKindOrNone, Field(description=EXPORT_HELP["group"])] = "auto"
    search: Annotated[QueryText, Field(description=EXPORT_HELP["search"])] = ""


class ExportTableParams(ExportParams):
    """Selection and format of exported rows."""

    format: Annotated[TableFileFormat, Field(description="file format")] = "csv"


class ExportEdgesParams(ExportParams):
    """Selection and format of exported links."""

    format: Annotated[GraphFileFormat, Field(description="file format")] = "csv"


LARGEST_HOSTS, LAST_COMMITS = 10, 20


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
    classify: str
    usage: str


class CollectionSummaryResponse(ApiResponse):
    """The collection as its manifest describes it."""

    name: str
    weft_version: str = Field(description="the version of Weft that the server runs")
    counts: dict[str, int]
    problems: list[IngestProblem]
    history: list[Commit]
    facets: dict[str, list[str]] = Field(description="the values of each facet of tags")
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


def get_collection_summary(session: Session, _params: NoParams) -> CollectionSummaryResponse:
    """Counts, history and ingest problems of the collection."""
    workspace = session.workspace
    return CollectionSummaryResponse(
        snapshot=session.snapshot_number,
        name=workspace.folder.resolve().name,
        weft_version=__version__,
        counts=workspace.counts,
        problems=[IngestProblem(**row) for note in workspace.history for row in note["problems"]],
        history=[
            Commit(
                time=note["time"],
                inputs=[PurePath(path).name for path in note["inputs"]],
                pages=note["pages"],
            )
            for note in workspace.history[-LAST_COMMITS:]
        ],
        facets=workspace.tags.facets(),
        defaults=default_methods(),
    )


def get_collection(session: Session, params: NoParams) -> CollectionResponse:
    """The collection in numbers, with its largest hosts."""
    facts = format_non_numeric_facts(collection_facts(session.workspace))
    return CollectionResponse(
        **dict(get_collection_summary(session, params)),
        facts=[CollectionFact(name=name, value=value) for name, value in facts.items()],
        hosts=get_hosts(session, HostsParams(top=LARGEST_HOSTS)).rows,
    )


def default_methods() -> DefaultMethods:
    """The default method of each analysis, as declared by `Workspace`."""
    analyses = (
        Workspace.rank,
        Workspace.topics,
        Workspace.communities,
        Workspace.similar,
        Workspace.suggest,
        Workspace.classify,
        Workspace.usage,
    )
    defaults = {f.__name__: signature(f).parameters["method"].default for f in analyses}
    return DefaultMethods(compare=list(DEFAULT_METHODS), **defaults)


def get_hosts(session: Session, params: HostsParams) -> HostsResponse:
    """Hosts in descending order of pages, or of uncaptured pages."""
    pages, uncaptured = _count_pages_per_host(session.collection)
    by_pages = params.by == "pages"
    order = np.lexsort((-uncaptured, -pages) if by_pages else (-pages, -uncaptured))
    host_of_page, names = group_pages(session.collection, "host")
    graph = session.graph("page")
    return HostsResponse(
        snapshot=session.snapshot_number,
        total=len(names),
        offset=params.offset,
        rows=[
            HostRow(
                host=names[host].as_py(),
                pages=int(pages[host]),
                uncaptured=int(uncaptured[host]),
                inlinks=_count_linked_hosts(graph.inlinks, host_of_page, host),
                outlinks=_count_linked_hosts(graph.outlinks, host_of_page, host),
            )
            for host in order[params.offset : params.offset + params.top].tolist()
        ],
    )


@memoize
def _count_pages_per_host(collection: Collection) -> tuple[Offsets, Offsets]:
    """Numbers of pages of each host, and of pages that are linked but not captured."""
    host_of_page, names = group_pages(collection, "host")
    uncaptured = uncaptured_pages(collection)
    return (
        np.bincount(host_of_page[~uncaptured], minlength=len(names)),
        np.bincount(host_of_page[uncaptured], minlength=len(names)),
    )


def _count_linked_hosts(links: CSR, host_of_page: Ids, host: int) -> int:
    """Number of other hosts at the other end of a host's links."""
    # Pages are sorted by host, so those of a host are rows first to last of the CSR.
    first, last = np.searchsorted(host_of_page, [host, host + 1])
    linked = np.zeros(int(host_of_page[-1]) + 1, bool)
    linked[host_of_page[links.ids[links.starts[first] : links.starts[last]]]] = True
    linked[host] = False
    return int(linked.sum())


def get_graph_counts(session: Session, params: ViewParams) -> GraphCountsResponse:
    """Numbers of nodes and links of a selection, and of nodes without links."""
    graph = cast("WebGraph", session.workspace.load(WebGraph, params.selection))
    unlinked, dangling = graph.indegrees() == 0, graph.outdegrees() == 0
    return GraphCountsResponse(
        snapshot=session.snapshot_number,
        level=params.level,
        nodes=len(graph),
        links=graph.link_count,
        unlinked=int(unlinked.sum()),
        dangling=int(dangling.sum()),
        isolated=int((unlinked & dangling).sum()),
    )


def export_handler(what: ExportKind) -> Callable[..., Download]:
    """The handler of one kind of export."""
    if what == "edges":

        def export_edges(session: Session, params: ExportEdgesParams) -> Download:
            return _export(session, what, params, params.format)

        handler: Callable[..., Download] = export_edges
    else:

        def export_rows(session: Session, params: ExportTableParams) -> Download:
            return _export(session, what, params, params.format)

        handler = export_rows
    handler.__doc__ = f"Rows of kind {what} as a file, like `weft export`."
    return handler


def _export(session: Session, what: ExportKind, params: ExportParams, suffix: str) -> Download:
    path, level = session.temp_path(suffix), params.level
    session.workspace.export(
        path,
        what,
        params.selection,
        rank=tuple(params.rank),
        group=params.group,
        search=params.search,
    )
    level_names = {"pages": "entities" if level == "entity" else f"{level}s"}
    name = f"{level}-links" if what == "edges" else level_names.get(what, what)
    return Download(path, f"{name}{path.suffix}")


EXPORT_HANDLERS = {f"export/{what}": export_handler(what) for what in get_args(ExportKind)}
