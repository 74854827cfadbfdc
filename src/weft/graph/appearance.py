"""How the nodes of a graph are drawn by other programs: size, colour and position."""

import numpy as np
import pyarrow as pa

from weft.core.arrays import Flags, Floats, Ids
from weft.graph.views import undirected_edges
from weft.graph.webgraph import WebGraph

# Twelve hues that differ in lightness too, so that they stay apart for colour-blind readers.
PALETTE = (
    *("#2f6f9f", "#e08a3c", "#2c8a6d", "#a14d8f", "#c9b037", "#b2362f"),
    *("#7cc0e3", "#7a5c45", "#94c36b", "#5a4fa3", "#e79bb5", "#3d6b3d"),
)
OTHER_GROUP_COLOR, UNCAPTURED_COLOR = "#8d949b", "#d5d9dd"
MIN_SIZE, MAX_SIZE = 4.0, 40.0
MAX_FORCE_DIRECTED_NODES = 1_200
SPACING = 60.0  # the distance of neighbouring nodes, where Gephi draws them 10 wide
GOLDEN_ANGLE = np.pi * (3 - 5**0.5)


def appearance_columns(graph: WebGraph, score: Floats, group: Ids) -> dict[str, pa.Array]:
    """Columns `size`, `color`, `x` and `y`, in the units of Gephi.

    The area of a node grows with its score. Groups count from 1, the first
    twelve have colours of their own; 0 is none.
    """
    is_uncaptured = None if graph.uncaptured is None else np.asarray(graph.uncaptured)
    x, y = layout_nodes(graph).T
    return {
        "size": pa.array(node_sizes(score)),
        "color": pa.array(node_colors(group, is_uncaptured)),
        "x": pa.array(np.round(x, 2)),
        "y": pa.array(np.round(y, 2)),
    }


def node_sizes(score: Floats) -> Floats:
    """The width of each node, whose area grows with its score."""
    highest = max(float(np.max(score, initial=0)), 1e-300)
    share = np.sqrt(np.clip(np.nan_to_num(score), 0, None) / highest)
    sizes: Floats = np.round(MIN_SIZE + (MAX_SIZE - MIN_SIZE) * share, 2)
    return sizes


def node_colors(group: Ids, is_uncaptured: Flags | None = None) -> list[str]:
    """The colour of each node by its group, from 1; 0 is none.

    Nodes that were not captured and have no group are pale.

    Examples
    --------
    >>> node_colors(np.array([1, 2, 0, 99]))
    ['#2f6f9f', '#e08a3c', '#8d949b', '#8d949b']
    """
    known = len(PALETTE)
    none = OTHER_GROUP_COLOR if group.any() else PALETTE[0]
    colors = [none, *PALETTE, OTHER_GROUP_COLOR, UNCAPTURED_COLOR]
    code = np.minimum(group, known + 1)
    if is_uncaptured is not None:
        code = np.where(is_uncaptured & (group == 0), known + 2, code)
    return [colors[k] for k in code.tolist()]


def layout_nodes(graph: WebGraph) -> Floats:
    """Coordinates of the nodes: force-directed, or of a large graph by its communities.

    The communities of a large graph lie apart, linked ones close to each
    other; the nodes of one fill a disc, those with most links in the middle.
    """
    from weft.kernels.layout import force_directed_layout  # noqa: PLC0415  slow to load

    n = len(graph)
    if n <= MAX_FORCE_DIRECTED_NODES:
        source, target = graph.outlinks.row_ids(), graph.outlinks.ids
        places = force_directed_layout(n, np.asarray(source), np.asarray(target))
        scaled: Floats = places * SPACING * max(n, 1) ** 0.5
        return scaled
    return _layout_by_community(graph)


def _layout_by_community(graph: WebGraph) -> Floats:
    from weft.kernels.layout import force_directed_layout  # noqa: PLC0415  slow to load
    from weft.kernels.leiden import leiden  # noqa: PLC0415  loads the compiler

    edges = undirected_edges(graph, weighted=True)
    labels = leiden(edges)
    sizes = np.bincount(labels)
    shown = min(len(sizes), MAX_FORCE_DIRECTED_NODES)
    ends = labels[np.repeat(np.arange(len(graph)), np.diff(edges.starts))], labels[edges.ids]
    among = (ends[0] < shown) & (ends[1] < shown)
    centres = force_directed_layout(shown, ends[0][among], ends[1][among])
    # small communities beyond those that are laid out lie around the others
    rest = np.arange(len(sizes) - shown)
    ring = 1.2 + 0.4 * np.sqrt((rest + 1) / max(len(rest), 1))
    angle = rest * GOLDEN_ANGLE
    outside = np.column_stack([np.cos(angle), np.sin(angle)]) * ring[:, None]
    radius = np.sqrt(sizes) * SPACING / 2
    extent = 3 * float(np.sqrt(np.square(radius).sum()))
    centres = np.vstack([centres, outside]) * extent
    degree = np.diff(edges.starts)
    order = np.lexsort((-degree, labels))
    place = np.empty(len(graph))
    place[order] = np.arange(len(graph)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    turn = place * GOLDEN_ANGLE
    inside = np.column_stack([np.cos(turn), np.sin(turn)]) * np.sqrt(place)[:, None] * SPACING / 2
    coordinates: Floats = centres[labels] + inside
    return coordinates
