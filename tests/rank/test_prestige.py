"""Prestige: published values, its equation, and where it is not defined."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.webs import GRAPHS, Links, Spec, webs

from weft.graph.webgraph import WebGraph
from weft.rank import prestige

web = WebGraph.from_links
RING = [("a", "b"), ("b", "c"), ("c", "a")]
PAIR = [("d", "e"), ("e", "d")]


@pytest.mark.parametrize("name", GRAPHS)
def test_published_damped_values(spec: Spec, name: str) -> None:
    graph, values = spec(name)
    found = prestige(graph, damped=True)
    np.testing.assert_allclose(found.scores["score"], values["prestige"]["katz_beta0.1"], atol=1e-8)
    radius = values["prestige"]["spectral_radius"]
    assert found.details["spectral radius"] == pytest.approx(radius, abs=1e-8)


def test_published_plain_values(spec: Spec) -> None:
    """Only the second graph has plain prestige: its spectral radius is the golden ratio."""
    first, second, third = (prestige(spec(name)[0]) for name in GRAPHS)
    values = spec(GRAPHS[1])[1]["prestige"]
    np.testing.assert_allclose(second.scores["score"], values["eigen_L1"], atol=1e-8)
    assert second.details["spectral radius"] == pytest.approx((1 + 5**0.5) / 2)
    assert [r.details["variant"] for r in (first, second, third)] == [
        "damped",
        "eigenvector",
        "damped",
    ]
    assert "no cycle" in first.certainty.note
    assert second.certainty.note == ""
    assert "2 components" in third.certainty.note


@given(webs)
def test_satisfies_its_equation(links: Links) -> None:
    ranking = prestige(web(links))
    scores = dict(zip(ranking.pages, ranking.scores["score"].tolist(), strict=True))
    sums = {p: sum(scores[s] for s, t in set(links) if t == p) for p in scores}
    if ranking.details["variant"] == "eigenvector":
        wanted = {p: value / ranking.details["spectral radius"] for p, value in sums.items()}
        assert sum(scores.values()) == pytest.approx(1)
    else:
        wanted = {p: 1 + ranking.details["beta"] * value for p, value in sums.items()}
    assert scores == pytest.approx(wanted, abs=1e-8)


@given(webs, st.booleans())
def test_contributions_add_up(links: Links, damped: bool) -> None:  # noqa: FBT001
    ranking = prestige(web(links), damped=damped)
    for page, score in zip(ranking.pages, ranking.scores["score"], strict=True):
        breakdown = ranking.explain(page)
        assert breakdown.amounts.sum() + sum(breakdown.other_sources.values()) == pytest.approx(
            score, abs=1e-9
        )


def test_a_periodic_cycle_converges() -> None:
    """Plain power iteration on a cycle of four pages and a branch would oscillate forever."""
    links = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a"), ("a", "x")]
    found = prestige(web(links))
    assert found.trace.converged
    assert found.scores["score"].tolist() == pytest.approx([1 / 5] * 5)


def test_connected_cycles_tie() -> None:
    """Both have spectral radius one: with a double eigenvalue, iteration hardly converges."""
    chained = prestige(web([*RING, ("c", "d"), *PAIR]))
    assert chained.details["variant"] == "damped"
    assert (chained.certainty.components, chained.certainty.multiplicity) == (2, 2)


def test_pages_upstream_of_the_dominant_component_score_zero() -> None:
    faster = [(s, t) for s in "abc" for t in "abc" if s != t]
    ranking = prestige(web([*PAIR, ("e", "a"), *faster]))
    found = dict(zip(ranking.pages, ranking.scores["score"], strict=True))
    assert found["d"] == found["e"] == 0
    assert found["a"] == pytest.approx(1 / 3)
    assert ranking.certainty.gap == pytest.approx(1 / 2)


def test_beta_is_limited_by_the_spectral_radius() -> None:
    everyone = [(s, t) for s in range(11) for t in range(11) if s != t]
    links = [(f"{s}", f"{t}") for s, t in everyone]
    assert prestige(web(links), damped=True).details["beta"] == pytest.approx(0.05)
    assert prestige(web(links), damped=True, beta=0.01).details["beta"] == 0.01


def test_weights_count() -> None:
    links = [("a", "b", 4.0), ("b", "a", 1.0), ("b", "c", 2.0)]
    found = prestige(web(links), weighted=True)
    assert found.details["spectral radius"] == pytest.approx(2)
    assert found.scores["score"].tolist() == pytest.approx([1 / 5, 2 / 5, 2 / 5])


def test_degenerate_graphs() -> None:
    assert len(prestige(web([]))) == 0
    assert prestige(web([("a", "a")])).scores["score"].tolist() == [1]
    near = [("a", "b"), ("b", "a"), ("b", "c"), ("c", "a"), ("c", "b")]
    assert not prestige(web(near), max_iter=2).trace.converged
    assert prestige(web(near), tol=0.1).trace.iterations <= prestige(web(near)).trace.iterations
