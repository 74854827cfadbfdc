"""Handlers for the collection as a whole: summary, hosts, graph counts, exports."""

from inspect import signature
from pathlib import PurePath

import numpy as np

from weft import __version__
from weft.core.arrays import CSR, Ids, Offsets
from weft.graph.levels import group_pages, uncaptured_pages
from weft.server.downloads import Download
from weft.server.params import (
    ExportEdgesParams,
    ExportPagesParams,
    HostsParams,
    LevelParams,
    NoParams,
)
from weft.server.schemas.collection import (
    CollectionFact,
    CollectionResponse,
    CollectionSummaryResponse,
    Commit,
    DefaultMethods,
    GraphCountsResponse,
    HostRow,
    HostsResponse,
    IngestProblem,
)
from weft.server.session import Session
from weft.workspace.facts import collection_facts, format_non_numeric_facts
from weft.workspace.workspace import DEFAULT_METHODS, Workspace

LARGEST_HOSTS, LAST_COMMITS = 10, 20


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
    )
    defaults = {f.__name__: signature(f).parameters["method"].default for f in analyses}
    return DefaultMethods(compare=list(DEFAULT_METHODS), **defaults)


def get_hosts(session: Session, params: HostsParams) -> HostsResponse:
    """Hosts in descending order of pages, or of uncaptured pages."""
    pages, uncaptured = session.get_or_compute("hosts", lambda: _count_pages_per_host(session))
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


def _count_pages_per_host(session: Session) -> tuple[Offsets, Offsets]:
    """Numbers of pages of each host, and of pages that are linked but not captured."""
    host_of_page, names = group_pages(session.collection, "host")
    uncaptured = uncaptured_pages(session.collection)
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


def get_graph_counts(session: Session, params: LevelParams) -> GraphCountsResponse:
    """Numbers of nodes and links at a level, and of nodes without links."""
    graph = session.graph(params.level)
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


def export_edges(session: Session, params: ExportEdgesParams) -> Download:
    """All links as a file, like `weft export`."""
    path = session.temp_path(params.format)
    session.workspace.export(path, "edges", params.level, since=params.since, until=params.until)
    return Download(path, f"{params.level}-links{path.suffix}")


def export_pages(session: Session, params: ExportPagesParams) -> Download:
    """All pages as a file, like `weft export`."""
    path = session.temp_path(params.format)
    session.workspace.export(path, "pages", since=params.since, until=params.until)
    return Download(path, f"pages{path.suffix}")
