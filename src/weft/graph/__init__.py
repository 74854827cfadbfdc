"""Turn a collection into a graph of links, and cut views of it."""

from weft.graph.webgraph import WebGraph

__all__ = ["WebGraph"]
