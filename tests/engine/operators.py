"""Link operators of every backend, to be tested by the same suite."""

import importlib.util
import shutil
from collections.abc import Callable

from tests.engine.gpu import make_compiled, make_twin
from tests.engine.strict import StrictOperator

from weft.core.arrays import Ids
from weft.core.errors import WeftError
from weft.engine import LinkOperator
from weft.engine.backends import cupy as cupy_backend
from weft.engine.backends import numba as numba_backend
from weft.engine.backends import numba_rows
from weft.engine.backends import scipy as scipy_backend
from weft.engine.operator import Adjacency
from weft.graph.webgraph import build_csr, transpose

Make = Callable[..., LinkOperator]


def adjacency(source: Ids, target: Ids, n: int, weight: object = None) -> Adjacency:
    """The links as CSR in both directions."""
    out = build_csr(source, target, weight, n)
    return Adjacency(out, transpose(out, n), None, n)


def make_bins(links: Adjacency, *, weighted: bool) -> LinkOperator:
    """Links in bins, however few they are; these have no weights."""
    assert not weighted
    return numba_backend.operator_from_edges(links.outlinks.row_ids(), links.outlinks.ids, links.n)


def make_strict(links: Adjacency, *, weighted: bool) -> LinkOperator:
    """SciPy's products on arrays of the array API standard."""
    return StrictOperator(scipy_backend.build_operator(links, weighted=weighted))


def has_gpu() -> bool:
    """Whether there is a GPU for the real kernels."""
    if importlib.util.find_spec("cupy") is None:
        return False
    try:
        cupy_backend.cuda_device()
    except WeftError:
        return False
    return True


MAKERS: dict[str, Make] = {
    "scipy": scipy_backend.build_operator,
    "csr": numba_rows.build_csr_operator,
    "bins": make_bins,
    "strict": make_strict,
    "gpu-twin": make_twin,
    **({"gpu-compiled": make_compiled} if shutil.which("g++") else {}),
    **({"gpu": cupy_backend.build_operator} if has_gpu() else {}),
}
