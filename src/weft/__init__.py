"""Find the topics in a hyperlinked collection, and for each its authorities and hubs.

`weft.open(folder)` opens a collection. The kinds of methods are packages:
`weft.rank`, `weft.topics`, `weft.communities`, `weft.structure` and
`weft.similar` run on any graph, `weft.classify` on any texts, `weft.usage` on
any sessions, `weft.crawl` on anything that fetches pages. What is listed in
`__all__`, and in the `__all__` of the kinds, is the public interface; anything
else may change between versions.
"""

import os
import resource
from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY:
    # Arrow's own allocator reserves a gigabyte of addresses; it is chosen at import.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")

if TYPE_CHECKING:
    from weft import classify, communities, crawl, rank, similar, structure, topics, usage
    from weft.core.errors import (
        BadParameter,
        CollectionBusy,
        DamagedFile,
        MalformedFile,
        UnknownName,
        WeftError,
    )
    from weft.engine.operator import use
    from weft.gather.html import ParseOptions
    from weft.gather.logs.options import LogOptions
    from weft.gather.url import UrlPolicy
    from weft.graph.selection import Selection
    from weft.graph.webgraph import WebGraph
    from weft.store.collection import Collection
    from weft.workspace.workspace import Workspace, open  # noqa: A004

__all__ = [
    "BadParameter",
    "Collection",
    "CollectionBusy",
    "DamagedFile",
    "LogOptions",
    "MalformedFile",
    "ParseOptions",
    "Selection",
    "UnknownName",
    "UrlPolicy",
    "WebGraph",
    "WeftError",
    "Workspace",
    "__version__",
    "classify",
    "communities",
    "crawl",
    "open",
    "rank",
    "similar",
    "structure",
    "topics",
    "usage",
    "use",
]
_KINDS = {"classify", "communities", "crawl", "rank", "similar", "structure", "topics", "usage"}
_HOMES = {
    "weft.core.errors": (
        "BadParameter CollectionBusy DamagedFile MalformedFile UnknownName WeftError"
    ),
    "weft.engine.operator": "use",
    "weft.gather.html": "ParseOptions",
    "weft.gather.logs.options": "LogOptions",
    "weft.gather.url": "UrlPolicy",
    "weft.graph.selection": "Selection",
    "weft.graph.webgraph": "WebGraph",
    "weft.store.collection": "Collection",
    "weft.workspace.workspace": "Workspace open",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that `import weft` stays quick."""
    if name in _KINDS:
        return import_module(f"weft.{name}")
    for module, names in _HOMES.items():
        if name in names.split():
            return getattr(import_module(module), name)
    raise AttributeError(f"module 'weft' has no attribute {name!r}")


def __dir__() -> list[str]:
    """The public names, for tab completion."""
    return __all__
