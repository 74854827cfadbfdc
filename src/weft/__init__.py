"""Find what matters in a web of pages by how they link."""

import os
import resource
from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY:
    # Arrow's own allocator reserves a gigabyte of addresses; it is chosen at import.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")

if TYPE_CHECKING:
    from weft import rank, topics
    from weft.run.workspace import open  # noqa: A004

__all__ = ["__version__", "open", "rank", "topics"]


def __getattr__(name: str) -> Any:
    """Import what the library offers when it is first asked for."""
    if name == "open":
        return import_module("weft.run.workspace").open
    if name in {"rank", "topics"}:
        return import_module(f"weft.{name}")
    raise AttributeError(f"module 'weft' has no attribute {name!r}")


def __dir__() -> list[str]:
    """What the library offers, for those who ask with the tabulator."""
    return __all__
