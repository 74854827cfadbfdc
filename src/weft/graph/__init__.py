"""Turn a collection into a graph of links, and select parts of it."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from weft.graph.webgraph import WebGraph

__all__ = ["WebGraph"]


def __getattr__(name: str) -> Any:
    """Import `WebGraph` on first use, so that reading options loads no numeric library."""
    if name == "WebGraph":
        return import_module("weft.graph.webgraph").WebGraph
    raise AttributeError(f"module 'weft.graph' has no attribute {name!r}")
