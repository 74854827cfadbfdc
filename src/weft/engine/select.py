"""Select the backend of a link operator: by graph size, or with `use_backend("numba")`."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from typing import NamedTuple

from weft.core.arrays import CSR, Ids
from weft.core.errors import UnknownName
from weft.engine.operator import LinkOperator

BACKENDS = ("scipy", "numba")
MIN_NUMBA_LINKS = 2_000_000

_forced_backend: ContextVar[str] = ContextVar("backend", default="")


class Adjacency(NamedTuple):
    """The links of a graph as CSR in both directions; made from `edge_list` where that is given."""

    outlinks: CSR
    inlinks: CSR
    edge_list: tuple[Ids, Ids] | None
    n: int


def operator_from_csr(outlinks: CSR, inlinks: CSR, *, weighted: bool = False) -> LinkOperator:
    """Build the link operator of out-links and in-links."""
    return build_operator(
        Adjacency(outlinks, inlinks, None, len(outlinks.starts) - 1), weighted=weighted
    )


def build_operator(adjacency: Adjacency, *, weighted: bool = False) -> LinkOperator:
    """Build the link operator on the selected backend, which is imported here."""
    link_count = len(adjacency.edge_list[0] if adjacency.edge_list else adjacency.outlinks.ids)
    module = import_module(f"weft.engine.backends.{select_backend(link_count)}")
    operator: LinkOperator = module.build_operator(adjacency, weighted=weighted)
    return operator


def select_backend(link_count: int) -> str:
    """The name of the backend: the one forced, or the one for that many links."""
    return _forced_backend.get() or ("scipy" if link_count < MIN_NUMBA_LINKS else "numba")


@contextmanager
def use_backend(name: str) -> Iterator[None]:
    """Use one backend for all operators built in the block."""
    if name not in BACKENDS:
        raise UnknownName("backend", name, BACKENDS)
    token = _forced_backend.set(name)
    try:
        yield
    finally:
        _forced_backend.reset(token)
