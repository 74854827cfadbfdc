"""Responses with node-link drawings of a part of the graph."""

from weft.graph.baseset.options import Level
from weft.server.schemas.responses import ApiResponse, PageRef, Schema


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
