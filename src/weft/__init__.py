"""Find the topics in a hyperlinked collection, and for each its authorities and hubs.

`weft.open(folder)` opens a collection. The kinds of methods are packages:
`weft.rank`, `weft.topics`, `weft.communities`, `weft.structure` and
`weft.similar` run on any graph, without a collection. What is listed in
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
    from weft import communities, rank, similar, structure, topics
    from weft.core.errors import (
        BadParameter,
        CollectionBusy,
        DamagedFile,
        MalformedFile,
        UnknownName,
        WeftError,
    )
    from weft.engine.select import use_backend
    from weft.gather.html import ParseOptions
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
    "MalformedFile",
    "ParseOptions",
    "Selection",
    "UnknownName",
    "UrlPolicy",
    "WebGraph",
    "WeftError",
    "Workspace",
    "__version__",
    "communities",
    "open",
    "rank",
    "similar",
    "structure",
    "topics",
    "use_backend",
]
_HOMES = {
    "weft.core.errors": (
        "BadParameter CollectionBusy DamagedFile MalformedFile UnknownName WeftError"
    ),
    "weft.engine.select": "use_backend",
    "weft.gather.html": "ParseOptions",
    "weft.gather.url": "UrlPolicy",
    "weft.graph.selection": "Selection",
    "weft.graph.webgraph": "WebGraph",
    "weft.store.collection": "Collection",
    "weft.workspace.workspace": "Workspace open",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that `import weft` stays quick."""
    if name in {"communities", "rank", "similar", "structure", "topics"}:
        return import_module(f"weft.{name}")
    for module, names in _HOMES.items():
        if name in names.split():
            return getattr(import_module(module), name)
    raise AttributeError(f"module 'weft' has no attribute {name!r}")


def __dir__() -> list[str]:
    """The public names, for tab completion."""
    return __all__
