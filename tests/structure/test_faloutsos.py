"""Slopes of exact laws, and graphs whose exponents are known."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.graph.webgraph import WebGraph
from weft.structure import faloutsos
from weft.structure.faloutsos import fit_log_log_line


@given(st.floats(-5, 5).filter(lambda k: abs(k) > 0.01), st.floats(0.01, 100))
def test_an_exact_law_has_its_slope_and_full_correlation(k: float, c: float) -> None:
    x = np.arange(1.0, 30)
    line = fit_log_log_line(x, c * x**k)
    assert line.exponent == pytest.approx(k, rel=1e-6)
    assert line.correlation == pytest.approx(np.sign(k))


def test_only_the_first_points_count() -> None:
    x = np.array([1.0, 2.0, 4.0, 8.0])
    assert fit_log_log_line(x, np.array([1.0, 2.0, 4.0, 1.0]), 3).exponent == pytest.approx(1)


def test_a_ring_has_one_dimension_and_a_grid_two() -> None:
    ring = nx.cycle_graph(500)
    assert faloutsos(ring, eigenvalues=2)["hop-plot exponent"] == pytest.approx(1, abs=0.05)
    grid = nx.grid_2d_graph(60, 60, periodic=True)
    found = faloutsos(grid, sources=50, eigenvalues=2)
    assert found["hop-plot exponent"] == pytest.approx(2, abs=0.2)


def test_hops_of_a_star() -> None:
    """Within one hop 1 + 2k pairs beside the selves, within two all."""
    star = nx.star_graph(9)
    points = faloutsos(star).to_table("points").to_pandas()
    hops = points[points["law"] == "hop-plot"]
    assert hops["y"].tolist() == [10 + 18, 100]


def test_out_degrees_with_and_without_their_rarest() -> None:
    """Of 100 pages with links 90 have one link, nine have two, and one has ten."""
    links = [(f"a{k}", "x") for k in range(90)]
    links += [(f"b{k}", to) for k in range(9) for to in ("x", "y")]
    links += [("c", f"t{k}") for k in range(10)]
    found = faloutsos(links, fit_share=0.98)
    assert found["out-degree exponent"] == pytest.approx(np.log2(9 / 90))
    assert faloutsos(links, fit_share=1.0)["out-degree exponent"] != found["out-degree exponent"]
    points = found.to_table("points").to_pandas()
    law = points[points["law"] == "out-degree"]
    assert law["fitted"].tolist() == [True, True, False]


def test_eigenvalues_are_those_of_numpy() -> None:
    graph = nx.barabasi_albert_graph(300, 2, seed=1)
    points = faloutsos(graph, eigenvalues=10).to_table("points").to_pandas()
    found = points[points["law"] == "eigenvalue"]["y"]
    known = np.linalg.eigvalsh(nx.to_numpy_array(graph))[::-1][:10]
    np.testing.assert_allclose(found, known, rtol=1e-9)


def test_effective_diameter() -> None:
    graph = nx.barabasi_albert_graph(200, 2, seed=1)
    found = faloutsos(graph)
    n, m, h = 200, graph.number_of_edges(), found["hop-plot exponent"]
    assert found["edges"] == m
    assert found["effective diameter"] == pytest.approx((n * n / (n + 2 * m)) ** (1 / h))


def test_a_sample_of_sources_is_said() -> None:
    graph = nx.barabasi_albert_graph(400, 3, seed=1)
    few, every = faloutsos(graph, sources=100), faloutsos(graph)
    assert "sample of 100 pages of 400" in few.notes[0]
    assert not every.notes
    assert "256 pages of 1,200" in faloutsos(nx.cycle_graph(1200)).notes[0]
    assert few["hop-plot exponent"] == pytest.approx(every["hop-plot exponent"], rel=0.1)
    assert few["hop-plot exponent"] != faloutsos(graph, sources=100, seed=1)["hop-plot exponent"]


def test_uncaptured_pages_are_dropped() -> None:
    web = WebGraph.from_links([("a", "b"), ("b", "c"), ("a", "x"), ("c", "x")])
    web = replace(web, uncaptured=np.array([page == "x" for page in web.pages]))
    assert faloutsos(web)["edges"] == 2
    assert faloutsos(web, uncaptured="keep")["edges"] == 4


def test_no_links() -> None:
    found = faloutsos(WebGraph.from_links([("a", "a")]))
    assert found["rank exponent"] is None
    assert found["effective diameter"] is None
    assert len(found.to_table()) == 4
