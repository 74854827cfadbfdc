"""Weighted methods against SciPy in double precision, on both machines and from a collection."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import coo_array

from weft.core.arrays import HEAVIEST, LIGHTEST, Floats
from weft.core.methods import METHODS, Method
from weft.engine import use
from weft.engine.choose import MACHINES
from weft.graph.webgraph import WebGraph
from weft.rank import hits, pagerank
from weft.run.workspace import Workspace

N, LINKS = 60, 400


@pytest.fixture
def matrix() -> Any:
    """A random web whose weights are tenths, of which none but halves and wholes are binary."""
    rng = np.random.default_rng(5)
    ends = rng.integers(0, N, (2, LINKS))
    cells = coo_array((rng.integers(1, 30, LINKS) / 10, ends), shape=(N, N)).tocsr()
    cells.setdiag(0)
    cells.eliminate_zeros()
    return cells


def singular(matrix: Any) -> tuple[Floats, Floats]:
    """Hubs and authorities as the principal singular vectors of the dense matrix."""
    left, _, right = np.linalg.svd(matrix.toarray())
    return np.abs(left[:, 0]), np.abs(right[0])


def visits(matrix: Any, follow: float = 0.85) -> Floats:
    """PageRank as the solution of its linear equations."""
    dense = matrix.toarray()
    out = dense.sum(axis=1)
    steps = np.where(out[:, None] > 0, dense / np.where(out, out, 1)[:, None], 1 / N)
    found: Floats = np.linalg.solve(np.eye(N) - follow * steps.T, np.full(N, (1 - follow) / N))
    return found


@pytest.mark.parametrize("machine", MACHINES)
def test_weighted_scores_are_those_of_double_precision(matrix: Any, machine: str) -> None:
    graph = WebGraph.from_scipy(matrix)
    with use(machine):
        found = hits(graph, weighted=True, tolerance=1e-15).scores
        read = pagerank(graph, weighted=True, tolerance=1e-15).scores["score"]
    hub, authority = singular(matrix)
    np.testing.assert_allclose(found["hub"], hub, rtol=0, atol=1e-12)
    np.testing.assert_allclose(found["authority"], authority, rtol=0, atol=1e-12)
    np.testing.assert_allclose(read, visits(matrix), rtol=0, atol=1e-12)


def test_so_they_are_from_a_collection(matrix: Any, tmp_path: Path) -> None:
    cells = matrix.tocoo()
    rows = [
        f"{s},{t},{w!r}" for s, t, w in zip(cells.row, cells.col, cells.data.tolist(), strict=True)
    ]
    (tmp_path / "web.csv").write_text("\n".join(["source,target,weight", *rows]))
    workspace = Workspace(tmp_path / "web.weft")
    workspace.add(tmp_path / "web.csv")
    graph = workspace.graph()
    scores = pagerank(graph, weighted=True, tolerance=1e-15).scores["score"]
    numbers = [int(page) for page in graph.pages]
    np.testing.assert_allclose(scores, visits(matrix)[numbers], rtol=0, atol=1e-12)


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("weight", [1e39, 1e-46])
def test_very_large_and_small_weights_count(machine: str, weight: float) -> None:
    graph = WebGraph.from_links([("a", "x", weight), ("b", "x", weight), ("b", "y", weight)])
    with use(machine):
        scores = hits(graph, weighted=True).scores["authority"]
    assert scores[1] / scores[3] == pytest.approx((1 + 5**0.5) / 2)


WEIGHTED = [m for m in METHODS.values() if m.kind == "rank" and "weighted" in m.options]


@pytest.mark.parametrize("weights", [(HEAVIEST,), (LIGHTEST,), (LIGHTEST, HEAVIEST, 1.0)], ids=str)
@pytest.mark.parametrize("method", WEIGHTED, ids=lambda m: m.name)
def test_no_weight_that_is_accepted_is_too_much(method: Method, weights: tuple[float, ...]) -> None:
    ends = ["ab", "ac", "bc", "ca", "bd", "de", "ed", "ad", "cd"]
    links = [(e[0], e[1], float(weights[k % len(weights)])) for k, e in enumerate(ends)]
    found: Any = method(WebGraph.from_links(links), weighted=True)
    for name, scores in found.scores.items():
        assert np.isfinite(scores).all(), name
