"""Handlers for drawings: parts of the graph with coordinates for each node."""

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from weft.core.arrays import CSR, Flags, Floats, Ids, Offsets
from weft.core.text import pluralise
from weft.gather.url import domain, domain_of_host
from weft.graph.baseset.baseset import BaseSet
from weft.graph.baseset.filters import LinkArrays, induced_link_arrays
from weft.graph.selection import Level
from weft.graph.webgraph import WebGraph
from weft.groups import Group, Groups
from weft.kernels.layout import force_directed_layout
from weft.rank.ranking import argsort_descending, round_significant
from weft.server.downloads import Download, graph_download
from weft.server.groups import compute_groups
from weft.server.params import (
    GroupDrawingParams,
    LevelDrawingParams,
    NeighbourhoodDrawingParams,
)
from weft.server.schemas.responses import ApiResponse, PageRef, Schema
from weft.server.session import Session

MAX_DRAWN_LINKS = 6_000
MAX_DRAWN_GROUPS = 30
SCORE_DIGITS = 6


class DrawingNode(PageRef):
    """A node: its coordinates from -1 to 1, its scores from 0 to 1, its group."""

    x: float
    y: float
    authority: float
    hub: float
    group: str


class DrawingLink(Schema):
    """A link; source and target are indices into the nodes."""

    source: int
    target: int
    weight: float


class DrawingGroup(Schema):
    """A group of nodes: its label, and how many of its nodes are drawn."""

    group: str
    label: str
    nodes: int


class DrawingResponse(ApiResponse):
    """Nodes with coordinates, links and groups; the caption says what was left out."""

    level: Level
    caption: str
    nodes: list[DrawingNode]
    links: list[DrawingLink]
    groups: list[DrawingGroup]
    total_nodes: int
    total_links: int


@dataclass(frozen=True, slots=True, eq=False)
class DrawingSpec:
    """What to draw: nodes of a graph with their scores and groups, and a title.

    `page_numbers` are the numbers of the nodes in the collection.
    """

    graph: WebGraph
    nodes: Ids
    page_numbers: Ids
    authority: Floats
    hub: Floats
    groups: list[str]
    title: str
    total_nodes: int
    group_labels: dict[str, str] = field(default_factory=dict)


def draw_neighbourhood(
    session: Session, params: NeighbourhoodDrawingParams
) -> DrawingResponse | Download:
    """Draw a page with the pages that link to it and those it links to."""
    graph = session.graph("page")
    number = session.collection.find_page(params.url)
    sources, targets = (
        np.asarray(links.ids[links.starts[number] : links.starts[number + 1]])
        for links in (graph.inlinks, graph.outlinks)
    )
    neighbours = np.union1d(sources, targets)
    # Reciprocal neighbours come first, then those with most in-links.
    reciprocal = np.isin(neighbours, sources) & np.isin(neighbours, targets)
    indegrees = _degrees(graph.inlinks, neighbours).astype(np.float64)
    priority = np.where(reciprocal, 1e9, 0.0) + indegrees
    kept = neighbours[argsort_descending(priority)][: params.nodes - 1]
    nodes = np.sort(np.append(kept, number)).astype(np.int32)
    groups = [
        "page" if node == number else _link_direction(node, sources, targets)
        for node in nodes.tolist()
    ]
    labels = {
        "page": "the page",
        "in": "links to it",
        "out": "linked from it",
        "both": "both",
    }
    spec = DrawingSpec(
        graph,
        nodes,
        page_numbers=nodes,
        authority=_scale_to_max(_degrees(graph.inlinks, nodes)),
        hub=_scale_to_max(_degrees(graph.outlinks, nodes)),
        groups=groups,
        title="the page and its neighbours",
        total_nodes=len(neighbours) + 1,
        group_labels=labels,
    )
    return lay_out_drawing(session, spec, params.format)


def _degrees(links: CSR, nodes: Ids) -> Offsets:
    """Numbers of links of some nodes."""
    counts: Offsets = links.starts[nodes + 1] - links.starts[nodes]
    return counts


def _link_direction(node: int, inlinks: Ids, outlinks: Ids) -> str:
    directions = [name for name, ids in (("in", inlinks), ("out", outlinks)) if node in ids]
    return directions[0] if len(directions) == 1 else "both"


def draw_most_linked_nodes(
    session: Session, params: LevelDrawingParams
) -> DrawingResponse | Download:
    """Draw the nodes with most links of the whole graph at a level."""
    graph = session.graph(params.level)
    indegrees, outdegrees = graph.indegrees(), graph.outdegrees()
    degrees = indegrees if params.level == "page" else np.add(indegrees, outdegrees)
    nodes = np.sort(argsort_descending(degrees)[: params.nodes])
    spec = DrawingSpec(
        graph,
        nodes,
        page_numbers=nodes,
        authority=_scale_to_max(indegrees[nodes]),
        hub=_scale_to_max(outdegrees[nodes]),
        groups=_node_domains(graph, nodes),
        title=f"the {params.level}s with most links",
        total_nodes=len(graph),
    )
    return lay_out_drawing(session, spec, params.format)


def _node_domains(graph: WebGraph, nodes: Ids) -> list[str]:
    """The domain of each node, which gives it its colour."""
    names = [graph.pages[node] for node in nodes.tolist()]
    if graph.level == "domain":
        return names
    return [domain(name) if graph.level == "page" else domain_of_host(name) for name in names]


def draw_group(session: Session, params: GroupDrawingParams) -> DrawingResponse | Download:
    """Draw the authorities and hubs of a topic or community, or of all of them."""
    found = compute_groups(session, params)
    if params.number:
        group = found.find(params.number)
        title = f"{found.noun} {params.number}, {group.name or 'without a label'}"
        spec = _spec_of_group(found.base, group, params.nodes, title)
    elif found.kind == "topics":
        spec = _spec_of_all_topics(found, params.nodes)
    else:
        spec = _spec_of_all_communities(found, params.nodes)
    return lay_out_drawing(session, spec, params.format)


def _spec_of_group(base: BaseSet, group: Group, max_nodes: int, title: str) -> DrawingSpec:
    """The best authorities and hubs of a topic or community."""
    authority, hub = _scaled_scores(group)
    nodes = np.sort(_alternate_authorities_and_hubs(authority, hub, max_nodes))
    return DrawingSpec(
        base.graph,
        group.members[nodes],
        base.page_numbers[group.members[nodes]],
        authority[nodes],
        hub[nodes],
        [
            "authority" if a >= h else "hub"
            for a, h in zip(authority[nodes], hub[nodes], strict=True)
        ],
        title,
        len(group),
        {"authority": "authorities", "hub": "hubs"},
    )


def _spec_of_all_topics(found: Groups, max_nodes: int) -> DrawingSpec:
    """An equal share of the nodes for each topic; a page is drawn in its best one."""
    n = len(found.base)
    authority, hub, topic_of_page = np.zeros(n), np.zeros(n), np.zeros(n, np.int32)
    share = max(2, max_nodes // max(len(found), 1))
    for number, topic in enumerate(found.groups[: max_nodes // 2], start=1):
        scores = _scaled_scores(topic)
        best = _alternate_authorities_and_hubs(*scores, share)
        pages = topic.members[best]
        better = np.maximum(*scores)[best] > np.maximum(authority, hub)[pages]
        topic_of_page[pages[better]] = number
        authority[pages[better]] = scores[0][best][better]
        hub[pages[better]] = scores[1][best][better]
    nodes = np.flatnonzero(topic_of_page).astype(np.int32)
    members = [topic.members for topic in found]
    return DrawingSpec(
        found.base.graph,
        nodes,
        found.base.page_numbers[nodes],
        authority[nodes],
        hub[nodes],
        [str(number) for number in topic_of_page[nodes].tolist()],
        "all topics",
        len(np.unique(np.concatenate(members))) if members else 0,
        {str(number): topic.name for number, topic in enumerate(found, start=1)},
    )


def _spec_of_all_communities(found: Groups, max_nodes: int) -> DrawingSpec:
    """Nodes of the first communities, in proportion to the square root of their sizes.

    A page is drawn in its first community.
    """
    n, shown = len(found.base), found.groups[:MAX_DRAWN_GROUPS]
    authority, hub, community_of_page = np.zeros(n), np.zeros(n), np.zeros(n, np.int32)
    weights = np.sqrt([len(community) for community in shown])
    shares = np.maximum(max_nodes * weights / max(weights.sum(), 1.0), 2).astype(np.int64)
    for number, (community, share) in enumerate(zip(shown, shares.tolist(), strict=True), start=1):
        scores = _scaled_scores(community)
        best = _alternate_authorities_and_hubs(*scores, len(community))
        undrawn = best[community_of_page[community.members[best]] == 0]
        best = undrawn[: min(share, max_nodes - np.count_nonzero(community_of_page))]
        pages = community.members[best]
        community_of_page[pages] = number
        authority[pages], hub[pages] = scores[0][best], scores[1][best]
    nodes = np.flatnonzero(community_of_page).astype(np.int32)
    part = f"the first {len(shown)} of {len(found):,}" if len(shown) < len(found) else "all"
    return DrawingSpec(
        found.base.graph,
        nodes,
        found.base.page_numbers[nodes],
        authority[nodes],
        hub[nodes],
        [str(number) for number in community_of_page[nodes].tolist()],
        f"{part} communities",
        int(np.count_nonzero(found.group_of_page >= 0)),
        {str(number): community.name for number, community in enumerate(shown, start=1)},
    )


def _scaled_scores(group: Group) -> tuple[Floats, Floats]:
    """Authority and hub scores of the members, each divided by its maximum."""
    return (
        _scale_to_max(round_significant(group.authority)),
        _scale_to_max(round_significant(group.hub)),
    )


def _alternate_authorities_and_hubs(authority: Floats, hub: Floats, k: int) -> Ids:
    """The best authority, the best hub, the second authority, and so on; without repeats."""
    orders = np.column_stack([argsort_descending(authority), argsort_descending(hub)])
    positive = np.column_stack([authority[orders[:, 0]] > 0, hub[orders[:, 1]] > 0])
    alternating = orders[positive]
    _, first = np.unique(alternating, return_index=True)
    return alternating[np.sort(first)][:k].astype(np.int32)


def _scale_to_max(values: Floats | Ids | Offsets) -> Floats:
    """Values divided by their maximum."""
    return np.asarray(values, np.float64) / max(float(np.max(values, initial=0)), 1e-300)


def lay_out_drawing(
    session: Session, spec: DrawingSpec, file_format: str
) -> DrawingResponse | Download:
    """Lay out nodes and links, with a caption; or write them to a file."""
    graph, nodes = spec.graph, spec.nodes
    links = induced_link_arrays(graph.outlinks, nodes)
    drawn = links[_select_heaviest_links(links)]
    positions = force_directed_layout(len(nodes), drawn.source, drawn.target)
    if graph.level == "page":
        refs = session.collection.page_refs(spec.page_numbers)
    else:
        refs = session.page_refs_by_name(
            [graph.pages[node] for node in nodes.tolist()], graph.level
        )
    if file_format != "json":
        subgraph = links.to_graph(graph.names.take(pa.array(nodes)), graph.level)
        return graph_download(
            subgraph, session.temp_path(file_format), "map", _node_table(spec, refs, positions)
        )
    rows = zip(refs, positions.tolist(), spec.groups, strict=True)
    return DrawingResponse(
        snapshot=session.snapshot_number,
        level=graph.level,
        caption=write_caption(spec, len(links), len(drawn)),
        nodes=[
            DrawingNode(
                **ref,
                x=x,
                y=y,
                authority=round(float(spec.authority[k]), SCORE_DIGITS),
                hub=round(float(spec.hub[k]), SCORE_DIGITS),
                group=group,
            )
            for k, (ref, (x, y), group) in enumerate(rows)
        ],
        links=[
            DrawingLink(source=s, target=t, weight=w)
            for s, t, w in zip(
                drawn.source.tolist(), drawn.target.tolist(), drawn.weight.tolist(), strict=True
            )
        ],
        groups=[
            DrawingGroup(group=name, label=spec.group_labels.get(name, name), nodes=count)
            for name, count in Counter(spec.groups).most_common()
        ],
        total_nodes=spec.total_nodes,
        total_links=len(links),
    )


def _node_table(spec: DrawingSpec, page_refs: list[dict[str, str]], positions: Floats) -> pa.Table:
    """Attributes of the nodes, for other programs."""
    return pa.table(
        {
            "title": [ref["title"] for ref in page_refs],
            "kind": [ref["kind"] for ref in page_refs],
            "group": [spec.group_labels.get(group, group) for group in spec.groups],
            "authority": spec.authority,
            "hub": spec.hub,
            "x": positions[:, 0],
            "y": positions[:, 1],
        }
    )


def _select_heaviest_links(links: LinkArrays) -> Flags:
    """Flag the links to draw: at most `MAX_DRAWN_LINKS`, the heaviest, ties in order."""
    kept = np.zeros(len(links), bool)
    kept[argsort_descending(links.weight.astype(np.float64))[:MAX_DRAWN_LINKS]] = True
    return kept


def write_caption(spec: DrawingSpec, link_count: int, drawn_links: int) -> str:
    """The title, and how many of the nodes and links are drawn."""
    nodes = pluralise(len(spec.nodes), spec.graph.level)
    if spec.total_nodes > len(spec.nodes):
        nodes = f"{nodes} of {spec.total_nodes:,}"
    links = (
        f"{drawn_links:,} of {link_count:,} links"
        if drawn_links < link_count
        else pluralise(link_count, "link")
    )
    return f"{spec.title}: {nodes}, and {links} among them"
