"""Handlers for drawings: parts of the graph with coordinates for each node."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
import pyarrow as pa
from pydantic import Field

from weft.core.arrays import CSR, Flags, Floats, Ids, Offsets, argsort_descending, round_significant
from weft.core.errors import BadParameter
from weft.core.text import pluralise
from weft.gather.url import domain, domain_of_host
from weft.graph.appearance import SPACING, node_colors, node_sizes
from weft.graph.attributes import ATTRIBUTES, page_attribute
from weft.graph.baseset.baseset import BaseSet
from weft.graph.baseset.filters import LinkArrays, induced_link_arrays
from weft.graph.levels import tag_values, uncaptured_pages
from weft.graph.selection import Level
from weft.graph.webgraph import WebGraph
from weft.groups import Group, Groups
from weft.kernels.layout import force_directed_layout, region_layout
from weft.server.downloads import Download, graph_download
from weft.server.params import MAX_NODES, GraphFormat, GroupsParams, LevelParam, PageParams, Params
from weft.server.schemas.responses import ApiResponse, PageRef, Schema
from weft.server.session import Session, compute_groups
from weft.store.tags import PageValues

MaxNodes = Annotated[int, Field(ge=1, le=MAX_NODES, description="maximum number of nodes")]
Aspect = Annotated[
    float, Field(ge=0.4, le=4, allow_inf_nan=False, description="width by height, for regions")
]


class NeighbourhoodDrawingParams(PageParams):
    """A page and the size of the drawing around it."""

    nodes: MaxNodes = 150
    format: GraphFormat = "json"


class LevelDrawingParams(Params):
    """Level and size of a drawing of the whole graph."""

    level: LevelParam = "host"
    nodes: MaxNodes = 300
    group: Annotated[
        str, Field(max_length=60, description="attribute whose values are regions; empty: none")
    ] = ""
    aspect: Aspect = 1.0
    format: GraphFormat = "json"


class GroupDrawingParams(GroupsParams):
    """The group to draw, or all of them."""

    number: Annotated[
        int, Field(ge=0, le=10**6, description="number of the group; 0: all of them")
    ] = 0
    nodes: MaxNodes = 300
    aspect: Aspect = 1.0
    format: GraphFormat = "json"


MAX_DRAWN_LINKS = 6_000
MAX_DRAWN_GROUPS = 30
SCORE_DIGITS = 6


class DrawingNode(PageRef):
    """A node: its coordinates from -1 to 1, its scores from 0 to 1, its group, its attributes."""

    x: float
    y: float
    authority: float
    hub: float
    group: str
    inlinks: int
    outlinks: int
    tags: dict[str, str] = Field(description="values by facet")
    attributes: dict[str, str] = Field(description="site, language, year and others by name")


class DrawingLink(Schema):
    """A link; source and target are indices into the nodes."""

    source: int
    target: int
    weight: float


class DrawingGroup(Schema):
    """A group of nodes: its label, and how many of its nodes are drawn.

    Where groups are regions, each is a circle around its nodes.
    """

    group: str
    label: str
    nodes: int
    pages: int = Field(description="size of the group; 0: not known")
    x: float
    y: float
    radius: float = Field(description="0: the group is no region")


class DrawingResponse(ApiResponse):
    """Nodes with coordinates, links and groups; the caption says what was left out."""

    level: Level
    caption: str
    nodes: list[DrawingNode]
    links: list[DrawingLink]
    groups: list[DrawingGroup]
    facets: dict[str, list[str]] = Field(description="all values of each facet of tags")
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
    group_sizes: dict[str, int] = field(default_factory=dict)
    has_regions: bool = False


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
    labels = {"page": "the page", "in": "links to it", "out": "linked from it", "both": "both"}
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
    if params.group:
        return _draw_regions(session, params, graph)
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


def _draw_regions(
    session: Session, params: LevelDrawingParams, graph: WebGraph
) -> DrawingResponse | Download:
    """Draw the captured pages with most in-links, a region for each value of an attribute."""
    if params.level != "page":
        raise BadParameter(f"regions divide pages, not {params.level}s", hint="level=page")
    attribute = page_attribute(session.collection, params.group)
    indegrees = graph.indegrees()
    captured = ~uncaptured_pages(session.collection)
    counted = attribute.codes[captured & (attribute.codes >= 0)]
    counts = np.bincount(counted, minlength=len(attribute.values))
    largest = np.argsort(-counts, kind="stable")[:MAX_DRAWN_GROUPS]
    drawable = captured & np.isin(attribute.codes, largest[counts[largest] > 0])
    drawable_nodes = np.flatnonzero(drawable)
    most_linked = drawable_nodes[argsort_descending(indegrees[drawable_nodes])[: params.nodes]]
    nodes: Ids = np.sort(most_linked).astype(np.int32)
    spec = DrawingSpec(
        graph,
        nodes,
        page_numbers=nodes,
        authority=_scale_to_max(indegrees[nodes]),
        hub=_scale_to_max(graph.outdegrees()[nodes]),
        groups=[attribute.of(node) for node in nodes.tolist()],
        title=f"the pages with most in-links by {params.group.removeprefix('tag:')}",
        total_nodes=int(captured.sum()),
        group_sizes={attribute.values[k]: int(counts[k]) for k in largest.tolist()},
        has_regions=True,
    )
    return lay_out_drawing(session, spec, params.format, params.aspect)


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
    return lay_out_drawing(session, spec, params.format, params.aspect)


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
        {str(number): len(topic) for number, topic in enumerate(found, start=1)},
        has_regions=True,
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
        {str(number): len(community) for number, community in enumerate(shown, start=1)},
        has_regions=True,
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
    session: Session, spec: DrawingSpec, file_format: str, aspect: float = 1.0
) -> DrawingResponse | Download:
    """Lay out nodes and links, with a caption; or write them to a file."""
    graph, nodes = spec.graph, spec.nodes
    links = induced_link_arrays(graph.outlinks, nodes)
    drawn = links[_select_heaviest_links(links)]
    names = [name for name, _ in Counter(spec.groups).most_common()]
    if spec.has_regions:
        place = {name: number for number, name in enumerate(names)}
        region = np.array([place[name] for name in spec.groups], np.int32)
        positions, circles = region_layout(region, drawn.source, drawn.target, aspect)
    else:
        positions = force_directed_layout(len(nodes), drawn.source, drawn.target)
        circles = np.zeros((len(names), 3))
    if graph.level == "page":
        refs = session.collection.page_refs(spec.page_numbers)
    else:
        hosts = [graph.pages[node] for node in nodes.tolist()]
        refs = [
            {**ref, "title": _home_title(session, ref["url"])}
            for ref in session.page_refs_by_name(hosts, graph.level)
        ]
    inlinks, outlinks = (_degrees(each, nodes).tolist() for each in (graph.inlinks, graph.outlinks))
    attributes = _attributes_of_nodes(session, spec)
    facets = session.workspace.tags.facets()
    values = {
        facet: tag_values(session.collection, graph.level, facet).take(spec.page_numbers)
        for facet in facets
    }
    if file_format != "json":
        subgraph = links.to_graph(graph.names.take(pa.array(nodes)), graph.level)
        table = _node_table(spec, refs, positions, values)
        return graph_download(subgraph, session.temp_path(file_format), "map", table)
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
                inlinks=inlinks[k],
                outlinks=outlinks[k],
                tags={name: tag.of(k) for name, tag in values.items() if tag.of(k)},
                attributes={name: each.of(k) for name, each in attributes.items() if each.of(k)},
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
            DrawingGroup(
                group=name,
                label=spec.group_labels.get(name, name),
                nodes=count,
                pages=spec.group_sizes.get(name, 0),
                x=x,
                y=y,
                radius=radius,
            )
            for (name, count), (x, y, radius) in zip(
                Counter(spec.groups).most_common(), circles.tolist(), strict=True
            )
        ],
        facets=facets,
        total_nodes=spec.total_nodes,
        total_links=len(links),
    )


def _home_title(session: Session, name: str) -> str:
    """The title of the home page of a host or domain, if it has one."""
    number = session.collection.page_number(f"{name}/")
    return str(session.collection.pages["title"][number]) if number >= 0 else ""


def _attributes_of_nodes(session: Session, spec: DrawingSpec) -> dict[str, PageValues]:
    """The attributes of pages that have more than one value among the nodes."""
    if spec.graph.level != "page":
        return {}
    found = {
        name: page_attribute(session.collection, name).take(spec.page_numbers)
        for name in ATTRIBUTES
    }
    return {name: each for name, each in found.items() if len(np.unique(each.codes)) > 1}


def _node_table(
    spec: DrawingSpec,
    page_refs: list[dict[str, str]],
    positions: Floats,
    values: Mapping[str, PageValues],
) -> pa.Table:
    """Attributes of the nodes and how they are drawn, for other programs."""
    numbers = {name: k for k, (name, _) in enumerate(Counter(spec.groups).most_common(), start=1)}
    scale = SPACING * max(len(spec.nodes), 1) ** 0.5
    return pa.table(
        {
            "label": [ref["title"] or ref["url"] for ref in page_refs],
            "url": [ref["url"] for ref in page_refs],
            "title": [ref["title"] for ref in page_refs],
            "kind": [ref["kind"] for ref in page_refs],
            "group": [spec.group_labels.get(group, group) for group in spec.groups],
            "authority": spec.authority,
            "hub": spec.hub,
            "size": node_sizes(np.maximum(spec.authority, spec.hub)),
            "color": node_colors(np.array([numbers[group] for group in spec.groups], np.int32)),
            "x": np.round(positions[:, 0] * scale, 2),
            "y": np.round(positions[:, 1] * scale, 2),
            **{f"tag:{facet}": tag.to_array() for facet, tag in values.items()},
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
