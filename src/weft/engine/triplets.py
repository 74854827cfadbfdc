"""The leading singular triplets of a flow."""

from dataclasses import dataclass

import numpy as np

from weft.core.arrays import Floats
from weft.engine.flow import Flow

DENSE = 200
DIGITS = 9


@dataclass(frozen=True, slots=True, eq=False)
class Triplets:
    """Singular values, largest first, with their vectors at the sources and at the targets.

    The signs of a pair belong together; the largest entry at the targets is positive.
    """

    values: Floats
    source: Floats
    target: Floats


def triplets(flow: Flow, k: int) -> Triplets:
    """The k leading triplets, fewer where the graph has fewer positive values.

    The start is fixed, so that a run twice gives the same answer; a slight ramp
    keeps it from being orthogonal to vectors that are odd under a symmetry.
    """
    n = flow.n
    if n == 0:
        return Triplets(np.zeros(0), np.zeros((0, 0)), np.zeros((0, 0)))
    if n <= DENSE or k >= n - 1:
        u, s, vt = np.linalg.svd(flow.forward(np.eye(n)).T)
    else:
        u, s, vt = _few(flow, k)
    return _settled(s, u, vt.T, k)


def _few(flow: Flow, k: int) -> tuple[Floats, Floats, Floats]:
    from scipy.sparse.linalg import LinearOperator, svds  # noqa: PLC0415  slow to load

    forward, backward, n = flow.forward, flow.backward, flow.n
    links = LinearOperator(
        (n, n), matvec=backward, rmatvec=forward, matmat=backward, rmatmat=forward
    )
    ramp = 1 + np.linspace(0, 1e-3, n)
    found: tuple[Floats, Floats, Floats]
    found = svds(links, k=k, v0=ramp / np.linalg.norm(ramp), solver="arpack")  # type: ignore[assignment, arg-type]
    return found


def _settled(s: Floats, u: Floats, v: Floats, k: int) -> Triplets:
    order = np.argsort(-s, kind="stable")
    order = order[s[order] > 1e-9 * max(float(s.max(initial=0)), 1e-300)][:k]
    u, v = u[:, order], v[:, order]
    lead = np.argmax(np.round(np.abs(v), DIGITS), axis=0)
    signs = np.sign(v[lead, np.arange(v.shape[1])])
    return Triplets(s[order], u * signs, v * signs)
