"""Choose the machine that a graph's sums run on: by its size, or by `with use("large")`."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from typing import NamedTuple

from weft.core.arrays import Ids, Rows
from weft.core.errors import UnknownName
from weft.engine.flow import Flow

MACHINES = ("small", "large")
LARGE = 2_000_000

_chosen: ContextVar[str] = ContextVar("machine", default="")


class Links(NamedTuple):
    """A graph's links as rows both ways, or, where `ends` are given, to be made from those."""

    outlinks: Rows
    inlinks: Rows
    ends: tuple[Ids, Ids] | None
    n: int


def flow(outlinks: Rows, inlinks: Rows, *, weighted: bool = False) -> Flow:
    """Rows of links, by source and by target, made ready for summing."""
    return ready(Links(outlinks, inlinks, None, len(outlinks.starts) - 1), weighted=weighted)


def ready(links: Links, *, weighted: bool = False) -> Flow:
    """Links made ready for summing."""
    count = len(links.ends[0] if links.ends else links.outlinks.ids)
    module = import_module(f"weft.engine.{machine(count)}")
    made: Flow = module.make(links, weighted=weighted)
    return made


def machine(links: int) -> str:
    """Which machine is at work: the chosen one, or the one for that many links."""
    return _chosen.get() or ("small" if links < LARGE else MACHINES[-1])


@contextmanager
def use(name: str) -> Iterator[None]:
    """Run the block on the machine of that name."""
    if name not in MACHINES:
        raise UnknownName("engine", name, MACHINES)
    token = _chosen.set(name)
    try:
        yield
    finally:
        _chosen.reset(token)
