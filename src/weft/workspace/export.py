"""Write parts of a collection to files for other programs."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import Flags, Floats, Ids
from weft.core.errors import BadParameter
from weft.core.progress import track
from weft.graph.appearance import appearance_columns
from weft.graph.baseset.baseset import BaseSet
from weft.graph.baseset.stoplist import restrict_base_set
from weft.graph.formats import (
    GRAPH_WRITERS,
    resolve_format,
    write_edges,
    write_table,
)
from weft.graph.levels import group_pages, load_graph, tag_columns
from weft.graph.published_scores import read_published_scores
from weft.graph.selection import (
    ExportKind,
    GraphFormat,
    GroupKindOrNone,
    Level,
    Selection,
    TableFormat,
)
from weft.store.captures import TIME, iter_capture_links, iter_captures, to_times
from weft.store.collection import Collection
from weft.workspace.analyse import complete_selection, load_selection
from weft.workspace.archives_unleashed import (
    DERIVATIVES,
    in_time,
    main_contents,
    read_batches,
)

if TYPE_CHECKING:
    from weft.workspace.workspace import Workspace

NODE_LEVELS: dict[ExportKind, Level] = {"hosts": "host", "domains": "domain"}
TEXT = pa.schema(
    {
        "url": pa.string(),
        "title": pa.string(),
        "language": pa.string(),
        "time": TIME,
        "http_status": pa.int16(),
        "text": pa.string(),
        "main_content": pa.string(),
    }
)
ANCHORS = pa.schema(
    {
        **dict.fromkeys(("source", "target", "anchor", "before", "after"), pa.string()),
        "rel": pa.string(),
        "element": pa.string(),
        "weight": pa.float64(),
        "time": TIME,
    }
)
CAPTURES = pa.schema(
    {
        "url": pa.string(),
        "page": pa.string(),
        "time": TIME,
        "kind": pa.string(),
        "http_status": pa.int16(),
        "mime": pa.string(),
        "title": pa.string(),
        "language": pa.string(),
        **dict.fromkeys(("robots", "canonical", "redirect", "reason", "original"), pa.string()),
        "truncated": pa.bool_(),
        "live": pa.bool_(),
        "digest": pa.string(),
    }
)


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """What to write: a kind of rows, of which pages, with which further columns.

    `rank` names ranking methods, whose scores become columns; `group` says
    whether topics or communities do; `search` keeps the pages that a search
    finds.
    """

    what: ExportKind
    selection: Selection
    rank: tuple[str, ...] = ()
    group: GroupKindOrNone = "auto"
    search: str = ""

    def checked(self, file_format: str) -> "ExportRequest":
        """The request with its level and group filled in; words without effect are refused."""
        level = NODE_LEVELS.get(self.what, self.selection.level)
        if self.selection.level not in ("page", level):
            raise BadParameter(
                f"{self.what} are not at level {self.selection.level}", hint="omit the level"
            )
        has_nodes = self.what in ("pages", "edges", *NODE_LEVELS)
        if level != "page" and not has_nodes:
            raise BadParameter(f"{self.what} are of pages, not {level}s", hint="omit the level")
        is_drawn = file_format in GRAPH_WRITERS
        if (self.rank or self.group not in ("auto", "none")) and (
            not has_nodes or (self.what == "edges" and not is_drawn)
        ):
            raise BadParameter(
                f"{self.what} have no columns for ranks and groups",
                hint="export pages, hosts or domains, or edges as gexf or graphml",
            )
        if self.search and self.what == "topics":
            raise BadParameter("topics are those of a query", hint="give query instead of search")
        automatic: GroupKindOrNone = "communities" if is_drawn else "none"
        selection = self.selection.with_changes(level=level)
        group = automatic if self.group == "auto" else self.group
        return replace(self, selection=selection, group=group)


def write_export(
    workspace: "Workspace", path: Path, request: ExportRequest, file_format: str = ""
) -> int:
    """Write rows in the format of the suffix or a named one; their number."""
    is_graph = request.what == "edges"
    name = resolve_format(path, file_format, get_args(GraphFormat if is_graph else TableFormat))
    request = request.checked(name)
    if is_graph:
        return _write_links(workspace, path, request, name)
    return write_table(ROWS[request.what](workspace, request), path, name)


def _write_links(workspace: "Workspace", path: Path, request: ExportRequest, name: str) -> int:
    selection = request.selection
    if selection.level == "page" and selection.between == "auto" and not selection.has_base_set:
        selection = selection.with_changes(between="any")
    base = _load_base_set(workspace.collection, selection, request.search)
    if name not in GRAPH_WRITERS:
        return write_edges(base.graph, path, None, name)
    return write_edges(base.graph, path, _drawn_nodes(workspace, request, base), name)


def _drawn_nodes(workspace: "Workspace", request: ExportRequest, base: BaseSet) -> pa.Table:
    """The table of the nodes with how they are drawn; titles are the labels of pages."""
    level, table = request.selection.level, _node_rows(workspace, request, base.page_numbers)
    name = "url" if level == "page" else level
    label = table[name]
    if level == "page":
        label = pc.if_else(pc.equal(table["title"], ""), label, table["title"])
    score: Floats = base.graph.indegrees().astype(np.float64)
    if request.rank:
        first = next(c for c in table.column_names if c.partition(":")[0] == request.rank[0])
        score = table[first].to_numpy()
    group = np.zeros(len(table), np.int32)
    if "group" in table.column_names:
        group = pc.fill_null(table["group"], 0).to_numpy()
    drawn = {"label": label, **appearance_columns(base.graph, score, group)}
    return pa.table({**{c: table[c] for c in table.column_names}, **drawn})


def _load_base_set(collection: Collection, selection: Selection, search: str) -> BaseSet:
    complete = complete_selection("export", selection)
    base: BaseSet = load_selection(collection, complete, "export", BaseSet).data
    if not search:
        return base
    found = _nodes_found(collection, selection.level, search)
    return restrict_base_set(base, found[base.page_numbers], "not found by the search")


def _nodes_found(collection: Collection, level: Level, search: str) -> Flags:
    """The pages that a search finds, or the hosts, domains or entities of these."""
    found = collection.matching_pages(search)
    if level == "page":
        return found
    group, names = group_pages(collection, level)
    return np.bincount(group[found], minlength=len(names)) > 0


def _node_table(workspace: "Workspace", request: ExportRequest) -> pa.Table:
    """A row per page, host, domain or entity of the selection."""
    selection, level = request.selection, request.selection.level
    if selection == Selection(level=level) and not request.search:
        count = len(load_graph(workspace.collection, level))
        return _node_rows(workspace, request, np.arange(count, dtype=np.int32))
    base = _load_base_set(workspace.collection, selection, request.search)
    return _node_rows(workspace, request, base.page_numbers)


def _node_rows(workspace: "Workspace", request: ExportRequest, nodes: Ids) -> pa.Table:
    """What is known of nodes, with ranks, groups and a column for each facet of tags."""
    level = request.selection.level
    known = workspace.page_table(level).take(pa.array(nodes))
    columns = {name: known[name] for name in known.column_names}
    if level == "page":
        columns |= {
            f"published:{name}": pa.array(values[nodes], from_pandas=True)
            for name, values in read_published_scores(workspace.collection).items()
        }
    columns |= _rank_columns(workspace, request, nodes)
    columns |= _group_columns(workspace, request, nodes)
    return pa.table({**columns, **tag_columns(workspace.collection, level, nodes)})


def _rank_columns(
    workspace: "Workspace", request: ExportRequest, nodes: Ids
) -> dict[str, pa.Array]:
    """The scores of each method: `pagerank`, or `hits:authority` where it gives several."""
    columns: dict[str, pa.Array] = {}
    if not request.rank:
        return columns
    complete = complete_selection("rank", request.selection)
    base: BaseSet = load_selection(workspace.collection, complete, "rank", BaseSet).data
    place = np.searchsorted(base.page_numbers, nodes)
    for method in track(request.rank, "rank", len(request.rank)):
        ranking = workspace.rank(method, request.selection)
        for score, values in ranking.scores.items():
            name = method if len(ranking.scores) == 1 else f"{method}:{score}"
            columns[name] = pa.array(np.asarray(values, np.float64)[place])
    return columns


def _group_columns(
    workspace: "Workspace", request: ExportRequest, nodes: Ids
) -> dict[str, pa.Array]:
    """The number of the topic or community of each node, from 1, and its label."""
    if request.group == "none":
        return {}
    find = workspace.topics if request.group == "topics" else workspace.communities
    found = find(selection=request.selection)
    numbers = np.zeros(len(load_graph(workspace.collection, request.selection.level)), np.int32)
    numbers[found.base.page_numbers] = found.group_of_page + 1
    own = numbers[nodes]
    names = pa.array(["", *(group.name for group in found)], pa.string())
    return {
        "group": pa.array(own, mask=own == 0),
        "group_label": names.take(pa.array(own)),
    }


def _selected_pages(workspace: "Workspace", request: ExportRequest) -> Flags | None:
    """The pages that a selection and a search leave; None for all."""
    collection, selection = workspace.collection, request.selection
    if selection == Selection() and not request.search:
        return None
    pages = np.zeros(len(collection), bool)
    pages[_load_base_set(collection, selection, request.search).page_numbers] = True
    return pages


def _texts(workspace: "Workspace", request: ExportRequest) -> pa.RecordBatchReader:
    """The text of each captured page, and its main content."""
    collection, span = workspace.collection, request.selection.time_range
    pages = _selected_pages(workspace, request)
    columns = ["kind", "time", "status", "title", "language", "text", "main"]

    def rows() -> Iterator[pa.Table]:
        for captures in track(iter_captures(collection, columns, pages), "captures"):
            is_page = pc.equal(captures["kind"].cast(pa.string()), "captured")
            own = in_time(captures.filter(pc.and_(captures["live"], is_page)), span)
            yield pa.table(
                {
                    "url": collection.pages["url"].take(own["page"]),
                    "title": own["title"],
                    "language": own["language"],
                    "time": to_times(own["time"]),
                    "http_status": own["status"],
                    "text": own["text"],
                    "main_content": pa.array(main_contents(own), pa.string()),
                }
            )

    return read_batches(TEXT, rows())


def _anchors(workspace: "Workspace", request: ExportRequest) -> pa.RecordBatchReader:
    """Every link of the pages as they are now, with its anchor text and the text around it."""
    span, pages = request.selection.time_range, _selected_pages(workspace, request)
    names = [name for name in ANCHORS.names if name not in ("source", "target", "time")]

    def rows() -> Iterator[pa.Table]:
        for links in track(iter_capture_links(workspace.collection, names, pages), "links"):
            own = in_time(links, span)
            columns = {name: own[name] for name in ANCHORS.names}
            yield pa.table({**columns, "time": to_times(own["time"])})

    return read_batches(ANCHORS, rows())


def _captures(workspace: "Workspace", request: ExportRequest) -> pa.RecordBatchReader:
    """Every capture, redirects and errors too, with the page that it counts for."""
    collection, span = workspace.collection, request.selection.time_range
    pages = _selected_pages(workspace, request)
    computed = ("url", "page", "http_status", "live", "digest")
    columns = ["status", "capture", *(n for n in CAPTURES.names if n not in computed)]

    def rows() -> Iterator[pa.Table]:
        for captures in track(iter_captures(collection, columns, pages), "captures"):
            own = in_time(captures, span)
            digests = [f"{digest:016x}" for digest in own["capture"].to_pylist()]
            values: dict[str, Any] = {name: own[name] for name in columns}
            values |= {
                "url": own["url"],
                "page": collection.pages["url"].take(own["page"]),
                "time": to_times(own["time"]),
                "http_status": own["status"],
                "live": own["live"],
                "digest": pa.array(digests, pa.string()),
            }
            yield pa.table({name: values[name] for name in CAPTURES.names})

    return read_batches(CAPTURES, rows())


def _topics(workspace: "Workspace", request: ExportRequest) -> pa.Table:
    """Every page of each topic with its label, place, title and scores."""
    found = workspace.topics(selection=request.selection)
    members = found.to_table("members")
    labels = pa.array([topic.name for topic in found], pa.string())
    at = members.column_names.index("page")
    label = labels.take(pc.subtract(members["topic"], 1))
    number = [workspace.collection.page_number(page) for page in members["page"].to_pylist()]
    title = workspace.collection.pages["title"].take(pa.array(number, pa.int64()))
    return members.add_column(at + 1, "title", title).add_column(1, "label", label)


def _derivative(workspace: "Workspace", request: ExportRequest) -> pa.RecordBatchReader:
    pages = _selected_pages(workspace, request)
    span = request.selection.time_range
    return DERIVATIVES[request.what](workspace.collection, pages, span)


ROWS: dict[str, Callable[["Workspace", ExportRequest], pa.Table | pa.RecordBatchReader]] = {
    "pages": _node_table,
    "hosts": _node_table,
    "domains": _node_table,
    "text": _texts,
    "anchors": _anchors,
    "captures": _captures,
    "topics": _topics,
    **dict.fromkeys(DERIVATIVES, _derivative),
}
