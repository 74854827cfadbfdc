"""Prestige as published, by its definition, and where it is not defined."""

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
    assert found.details["growth"] == pytest.approx(values["prestige"]["spectral_radius"], abs=1e-8)


def test_published_plain_values(spec: Spec) -> None:
    """Among the three graphs only the second has prestige: its growth is the golden ratio."""
    first, second, third = (prestige(spec(name)[0]) for name in GRAPHS)
    values = spec(GRAPHS[1])[1]["prestige"]
    np.testing.assert_allclose(second.scores["score"], values["eigen_L1"], atol=1e-8)
    assert second.details["growth"] == pytest.approx((1 + 5**0.5) / 2)
    assert [r.details["form"] for r in (first, second, third)] == [
        "damped",
        "eigenvector",
        "damped",
    ]
    assert "no cycle" in first.certainty.note
    assert second.certainty.note == ""
    assert "2 groups" in third.certainty.note


@given(webs)
def test_each_score_sums_those_that_link_to_it(links: Links) -> None:
    ranking = prestige(web(links))
    found = dict(zip(ranking.pages, ranking.scores["score"].tolist(), strict=True))
    ingoing = {p: sum(found[s] for s, t in set(links) if t == p) for p in found}
    if ranking.details["form"] == "eigenvector":
        wanted = {p: value / ranking.details["growth"] for p, value in ingoing.items()}
        assert sum(found.values()) == pytest.approx(1)
    else:
        wanted = {p: 1 + ranking.details["beta"] * value for p, value in ingoing.items()}
    assert found == pytest.approx(wanted, abs=1e-8)


@given(webs, st.booleans())
def test_parts_add_up(links: Links, damped: bool) -> None:  # noqa: FBT001
    ranking = prestige(web(links), damped=damped)
    for page, score in zip(ranking.pages, ranking.scores["score"], strict=True):
        why = ranking.why(page)
        assert why.amounts.sum() + sum(why.rest.values()) == pytest.approx(score, abs=1e-9)


def test_a_swinging_cycle_settles() -> None:
    """Power iteration on a cycle of four pages and a branch would swing forever."""
    links = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a"), ("a", "x")]
    found = prestige(web(links))
    assert found.trace.converged
    assert found.scores["score"].tolist() == pytest.approx([1 / 5] * 5)


def test_cycles_in_a_row_tie_though_one_answer_remains() -> None:
    """The growth of both is one: a double eigenvalue, to which power iteration hardly converges."""
    row = prestige(web([*RING, ("c", "d"), *PAIR]))
    assert row.details["form"] == "damped"
    assert (row.certainty.components, row.certainty.multiplicity) == (2, 2)


def test_pages_before_the_leading_group_have_no_prestige() -> None:
    faster = [(s, t) for s in "abc" for t in "abc" if s != t]
    ranking = prestige(web([*PAIR, ("e", "a"), *faster]))
    found = dict(zip(ranking.pages, ranking.scores["score"], strict=True))
    assert found["d"] == found["e"] == 0
    assert found["a"] == pytest.approx(1 / 3)
    assert ranking.certainty.gap == pytest.approx(1 / 2)


def test_beta_is_kept_below_half_of_what_growth_allows() -> None:
    everyone = [(s, t) for s in range(11) for t in range(11) if s != t]
    links = [(f"{s}", f"{t}") for s, t in everyone]
    assert prestige(web(links), damped=True).details["beta"] == pytest.approx(0.05)
    assert prestige(web(links), damped=True, beta=0.01).details["beta"] == 0.01


def test_weights_count() -> None:
    links = [("a", "b", 4.0), ("b", "a", 1.0), ("b", "c", 2.0)]
    found = prestige(web(links), weighted=True)
    assert found.details["growth"] == pytest.approx(2)
    assert found.scores["score"].tolist() == pytest.approx([1 / 5, 2 / 5, 2 / 5])


def test_degenerate_graphs() -> None:
    assert len(prestige(web([]))) == 0
    assert prestige(web([("a", "a")])).scores["score"].tolist() == [1]
    near = [("a", "b"), ("b", "a"), ("b", "c"), ("c", "a"), ("c", "b")]
    assert not prestige(web(near), limit=2).trace.converged
    assert prestige(web(near), tolerance=0.1).trace.rounds <= prestige(web(near)).trace.rounds
