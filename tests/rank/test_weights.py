"""Weighted methods against dense linear algebra, on all backends and from a collection."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import coo_array

from weft.core.arrays import MAX_LINK_WEIGHT, MIN_LINK_WEIGHT, Floats
from weft.core.register import METHODS, Method
from weft.engine import use
from weft.engine.operator import BACKENDS
from weft.graph.webgraph import WebGraph
from weft.rank import hits, pagerank
from weft.workspace.workspace import Workspace

N, LINKS = 60, 400
ON_CPU = [name for name in BACKENDS if name != "cupy"]  # tests/engine has the GPU


@pytest.fixture
def matrix() -> Any:
    """A random graph with weights in tenths, most of which are not exact in binary."""
    rng = np.random.default_rng(5)
    ends = rng.integers(0, N, (2, LINKS))
    cells = coo_array((rng.integers(1, 30, LINKS) / 10, ends), shape=(N, N)).tocsr()
    cells.setdiag(0)
    cells.eliminate_zeros()
    return cells


def dense_hits(matrix: Any) -> tuple[Floats, Floats]:
    """Hubs and authorities as the principal singular vectors of the dense matrix."""
    left, _, right = np.linalg.svd(matrix.toarray())
    return np.abs(left[:, 0]), np.abs(right[0])


def dense_pagerank(matrix: Any, damping: float = 0.85) -> Floats:
    """PageRank as the solution of its linear system."""
    dense = matrix.toarray()
    out = dense.sum(axis=1)
    transition = np.where(out[:, None] > 0, dense / np.where(out, out, 1)[:, None], 1 / N)
    scores: Floats = np.linalg.solve(
        np.eye(N) - damping * transition.T, np.full(N, (1 - damping) / N)
    )
    return scores


@pytest.mark.parametrize("backend", ON_CPU)
def test_weighted_scores_are_exact_to_double_precision(matrix: Any, backend: str) -> None:
    graph = WebGraph.from_scipy(matrix)
    with use(backend):
        hits_scores = hits(graph, weighted=True, tol=1e-15).scores
        pagerank_scores = pagerank(graph, weighted=True, tol=1e-15).scores["score"]
    hub, authority = dense_hits(matrix)
    np.testing.assert_allclose(hits_scores["hub"], hub, rtol=0, atol=1e-12)
    np.testing.assert_allclose(hits_scores["authority"], authority, rtol=0, atol=1e-12)
    np.testing.assert_allclose(pagerank_scores, dense_pagerank(matrix), rtol=0, atol=1e-12)


def test_weights_of_a_collection_are_exact(matrix: Any, tmp_path: Path) -> None:
    cells = matrix.tocoo()
    rows = [
        f"{s},{t},{w!r}" for s, t, w in zip(cells.row, cells.col, cells.data.tolist(), strict=True)
    ]
    (tmp_path / "web.csv").write_text("\n".join(["source,target,weight", *rows]))
    workspace = Workspace(tmp_path / "web.weft")
    workspace.add(tmp_path / "web.csv")
    graph = workspace.graph()
    scores = pagerank(graph, weighted=True, tol=1e-15).scores["score"]
    numbers = [int(page) for page in graph.pages]
    np.testing.assert_allclose(scores, dense_pagerank(matrix)[numbers], rtol=0, atol=1e-12)


@pytest.mark.parametrize("backend", ON_CPU)
@pytest.mark.parametrize("weight", [1e39, 1e-46])
def test_very_large_and_small_weights(backend: str, weight: float) -> None:
    graph = WebGraph.from_links([("a", "x", weight), ("b", "x", weight), ("b", "y", weight)])
    with use(backend):
        scores = hits(graph, weighted=True).scores["authority"]
    assert scores[1] / scores[3] == pytest.approx((1 + 5**0.5) / 2)


WEIGHTED = [m for m in METHODS.values() if m.kind == "rank" and "weighted" in m.options]


@pytest.mark.parametrize(
    "weights",
    [(MAX_LINK_WEIGHT,), (MIN_LINK_WEIGHT,), (MIN_LINK_WEIGHT, MAX_LINK_WEIGHT, 1.0)],
    ids=str,
)
@pytest.mark.parametrize("method", WEIGHTED, ids=lambda m: m.name)
def test_extreme_weights_give_finite_scores(method: Method, weights: tuple[float, ...]) -> None:
    ends = ["ab", "ac", "bc", "ca", "bd", "de", "ed", "ad", "cd"]
    links = [(e[0], e[1], float(weights[k % len(weights)])) for k, e in enumerate(ends)]
    found: Any = method(WebGraph.from_links(links), weighted=True)
    for name, scores in found.scores.items():
        assert np.isfinite(scores).all(), name
