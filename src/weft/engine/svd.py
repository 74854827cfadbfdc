"""Leading singular triplets of a link operator, and the second eigenvalue of a linear step."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from weft.core.arrays import Floats
from weft.engine.fixed_point import normalize_l2
from weft.engine.operator import LinkOperator, Vectors

MAX_DENSE_PAGES = 200
SIGN_DIGITS = 9
MAX_ARNOLDI_STEPS = 20
MAX_ARNOLDI_FLOATS = 1 << 25


@dataclass(frozen=True, slots=True, eq=False)
class SingularTriplets:
    """Singular values, descending, with left (source) and right (target) vectors as columns.

    Signs are fixed: the largest entry of a right vector is positive.
    """

    values: Floats
    source: Floats
    target: Floats


def singular_triplets(operator: LinkOperator, k: int) -> SingularTriplets:
    """The k leading singular triplets; fewer if there are fewer positive values.

    The start vector is fixed, so that results repeat; a slight ramp keeps it
    from being orthogonal to vectors that are odd under a symmetry. The vectors
    are NumPy arrays: ARPACK runs on the host, and only products on a device.
    """
    n = operator.n
    if not operator.to_host(operator.indegrees()).any():  # no pages, or no links between them
        return SingularTriplets(np.zeros(0), np.zeros((n, 0)), np.zeros((n, 0)))
    if n <= MAX_DENSE_PAGES or k >= n - 1:
        u, s, vt = np.linalg.svd(operator.to_host(operator.rmatvec(np.eye(n))).T)
    else:
        u, s, vt = _truncated_svd(operator, k)
    return _sort_and_fix_signs(s, u, vt.T, k)


def _truncated_svd(operator: LinkOperator, k: int) -> tuple[Floats, Floats, Floats]:
    from scipy.sparse.linalg import LinearOperator, svds  # noqa: PLC0415  slow to load

    n = operator.n

    def matvec(x: Floats) -> Floats:
        return operator.to_host(operator.matvec(x))

    def rmatvec(x: Floats) -> Floats:
        return operator.to_host(operator.rmatvec(x))

    links = LinearOperator((n, n), matvec=matvec, rmatvec=rmatvec, matmat=matvec, rmatmat=rmatvec)
    ramp = 1 + np.linspace(0, 1e-3, n)
    triplets: tuple[Floats, Floats, Floats]
    triplets = svds(links, k=k, v0=ramp / np.linalg.norm(ramp), solver="arpack")  # type: ignore[assignment, arg-type]
    return triplets


def _sort_and_fix_signs(s: Floats, u: Floats, v: Floats, k: int) -> SingularTriplets:
    order = np.argsort(-s, kind="stable")
    order = order[s[order] > 1e-9 * max(float(s.max(initial=0)), 1e-300)][:k]
    u, v = u[:, order], v[:, order]
    lead = np.argmax(np.round(np.abs(v), SIGN_DIGITS), axis=0)
    signs = np.sign(v[lead, np.arange(v.shape[1])])
    return SingularTriplets(s[order], u * signs, v * signs)


def second_eigenvalue_modulus(
    vectors: Vectors, matvec: Callable[[Floats], Floats], first_vector: Floats
) -> float:
    """The modulus of the second eigenvalue of a linear step, by Arnoldi iteration.

    The known first eigenvector is projected out: the matrix then has its other
    eigenvalues, symmetric or not. They are exact on small graphs; on large
    ones, with fewer Arnoldi steps, the second may be slightly too small.
    """
    xp, n = vectors.xp, first_vector.shape[0]
    steps = min(MAX_ARNOLDI_STEPS, max(4, MAX_ARNOLDI_FLOATS // max(n, 1)))
    basis, hessenberg = vectors.zeros(steps + 1, n), np.zeros((steps + 1, steps + 1))
    basis[0, ...] = normalize_l2(first_vector)
    product = matvec(vectors.asarray(np.random.default_rng(0).random(n)))
    image = matvec(basis[0, ...])
    breakdown = 1e-12 * max(float(xp.max(xp.abs(x))) if n else 0.0 for x in (product, image))
    for step in range(1, steps + 1):
        known = basis[:step, :]
        for _ in range(2):  # Gram-Schmidt twice, for orthogonality to working precision
            product = product - xp.matmul(xp.matmul(known, product), known)
        if float(xp.max(xp.abs(product))) < breakdown:
            break
        basis[step, ...] = normalize_l2(product)
        hessenberg[step, step - 1] = float(xp.sum(basis[step, ...] * product))
        product = matvec(basis[step, ...])
        hessenberg[: step + 1, step] = vectors.to_host(xp.matmul(basis[: step + 1, :], product))
    return float(np.abs(np.linalg.eigvals(hessenberg[1:, 1:])).max())
