"""Hub averaging, max, norm and thresholds: published values, by hand, and limiting cases."""

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.webs import GRAPHS, Links, webs

from weft.graph.webgraph import WebGraph
from weft.rank import (
    Ranking,
    authority_threshold,
    full_threshold,
    hits,
    hub_averaging,
    hub_threshold,
    max_hits,
    norm_hits,
)
from weft.rank.hits_variants import LinkRows


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize(
    ("key", "method", "options"),
    [
        ("AT1_MAX", authority_threshold, {"k": 1}),
        ("AT2", authority_threshold, {"k": 2}),
        ("AT_global_K3_2001", authority_threshold, {"k": 3, "scope": "all"}),
        ("HT_2001", hub_threshold, {}),
        ("FT_global_K3_2001", full_threshold, {"k": 3}),
    ],
)
def test_published_values(
    spec: Any, name: str, key: str, method: Any, options: dict[str, Any]
) -> None:
    graph, values = spec(name)
    ranking: Ranking = method(graph, **options)
    for side in ("authority", "hub"):
        wanted = values[key][f"{side}_Linf"]
        np.testing.assert_allclose(ranking.scores[side], wanted, atol=1e-8)
    assert ranking.trace.converged == values[key]["converged"]


def test_only_the_k_best_links_of_a_hub_count() -> None:
    """Hubs a and b link to the same two leaders, and b to three pages more."""
    links = [(s, t) for s in "abcd" for t in "xy"] + [("b", t) for t in "uvw"]
    hubs = authority_threshold(WebGraph.from_links(links), k=2).scores["hub"]
    assert hubs[0] == hubs[3] == 1
    assert authority_threshold(WebGraph.from_links(links), k=3).scores["hub"][0] < 1


def test_ties_with_the_kth_count() -> None:
    links = [("a", "x"), ("b", "x"), ("a", "y"), ("c", "z")]
    ranking = authority_threshold(WebGraph.from_links(links), k=2, scope="all", max_iter=1)
    hub = dict(zip(ranking.pages, ranking.scores["hub"], strict=True))
    assert hub == {"a": 1, "b": 0.5, "x": 0, "y": 0, "c": 0.5, "z": 0}


def test_hubs_below_the_average_do_not_count() -> None:
    links = [("a", "x"), ("a", "y"), ("a", "z"), ("b", "x"), ("c", "x")]
    breakdown = hub_threshold(WebGraph.from_links(links)).explain("x")
    assert dict(zip(breakdown.neighbours, breakdown.amounts.tolist(), strict=True)) == {
        "a": 1,
        "b": 0,
        "c": 0,
    }


def test_threshold_options() -> None:
    links = [("a", "x"), ("a", "y"), ("b", "y"), ("b", "z"), ("c", "z"), ("c", "x"), ("d", "x")]
    for method in (authority_threshold, hub_threshold, full_threshold):
        assert not method(WebGraph.from_links(links), max_iter=1).trace.converged
        assert (
            method(WebGraph.from_links(links), tol=0.5).trace.iterations
            <= method(WebGraph.from_links(links)).trace.iterations
        )
    assert not full_threshold(
        WebGraph.from_links(links), k=1, scope="hub", max_iter=1
    ).trace.converged


@given(webs)
def test_between_max_and_hits(links: Links) -> None:
    graph = WebGraph.from_links(links)
    top_one, best = authority_threshold(graph, k=1), max_hits(graph)
    for side in ("authority", "hub"):
        np.testing.assert_allclose(top_one.scores[side], best.scores[side], atol=1e-9)
    single = hits(graph)
    assume(single.certainty.gap > 0.05)
    for scope in ("hub", "all"):
        found = authority_threshold(graph, k=6, scope=scope)
        for side in ("authority", "hub"):
            wanted = single.scores[side] / single.scores[side].max()
            np.testing.assert_allclose(found.scores[side], wanted, atol=1e-7)


@given(webs, st.integers(1, 3))
def test_hubs_sum_their_k_best(links: Links, k: int) -> None:
    graph = WebGraph.from_links(links)
    ranking = authority_threshold(graph, k=k)
    assume(ranking.trace.converged)
    authority = dict(zip(graph.pages, ranking.scores["authority"], strict=True))
    hubs = [
        sum(sorted((authority[t] for s, t in set(links) if s == page), reverse=True)[:k])
        for page in graph.pages
    ]
    np.testing.assert_allclose(ranking.scores["hub"], np.array(hubs) / max(hubs), atol=1e-8)


CYCLE_OF_FOUR = [
    ("a", "c"),
    ("f", "b"),
    ("d", "e"),
    ("b", "f"),
    ("a", "f"),
    ("f", "e"),
    ("f", "c"),
    ("b", "e"),
]


def test_a_cycle_gives_its_mean() -> None:
    """Iterations 60 to 63, within the cycle, have different scores."""
    graph = WebGraph.from_links(CYCLE_OF_FOUR)
    ranking = hub_threshold(graph)
    assert (ranking.trace.stopped, ranking.trace.period) == ("cycle", 4)
    assert ranking.certainty.note == "cycle of period 4: the scores are its mean"
    assert not ranking.certainty.unique
    for side in ("authority", "hub"):
        cycle = [hub_threshold(graph, max_iter=k, tol=1e-300).scores[side] for k in range(60, 64)]
        assert len({values.round(9).tobytes() for values in cycle}) > 1
        mean = np.mean(cycle, axis=0)
        np.testing.assert_allclose(ranking.scores[side], mean / mean.max(), atol=1e-9)
        breakdown = ranking.explain("b", side)
        total = breakdown.amounts.sum() + sum(breakdown.other_sources.values())
        assert total == pytest.approx(breakdown.score)


@given(webs)
def test_all_converge_or_cycle(links: Links) -> None:
    for method in (hub_threshold, full_threshold):
        ranking = method(WebGraph.from_links(links))
        assert ranking.trace.stopped in {"converged", "cycle"}
        assert ranking.scores["authority"].max() == 1


@pytest.mark.parametrize("name", GRAPHS)
def test_published_values_of_hub_averaging(spec: Any, name: str) -> None:
    graph, values = spec(name)
    ranking = hub_averaging(graph)
    np.testing.assert_allclose(ranking.scores["authority"], values["HubAvg_Linf"], atol=1e-8)
    for side in ("authority", "hub"):
        found = ranking.scores[side] / np.linalg.norm(ranking.scores[side])
        np.testing.assert_allclose(found, values["hub_averaging"][f"{side}_L2"], atol=1e-8)


@pytest.mark.parametrize("name", GRAPHS)
def test_published_values_of_max(spec: Any, name: str) -> None:
    graph, values = spec(name)
    ranking = max_hits(graph)
    for side in ("authority", "hub"):
        wanted = values["AT1_MAX"][f"{side}_Linf"]
        np.testing.assert_allclose(ranking.scores[side], wanted, atol=1e-8)
    assert ranking.trace.converged == values["AT1_MAX"]["converged"]


def test_a_poor_link_lowers_a_hub() -> None:
    ranking = hub_averaging(WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y")]))
    hubs = dict(zip(ranking.pages, ranking.scores["hub"], strict=True))
    assert hubs["a"] == 1
    assert hubs["b"] == pytest.approx((1 + 2**0.5 - 1) / 2)


def test_empty_rows_reduce_to_zero() -> None:
    graph = WebGraph.from_links([("q", "q"), ("a", "x"), ("r", "r"), ("b", "x"), ("z", "z")])
    rows = LinkRows.from_csr(graph.inlinks)
    assert rows.row_sums(np.array([2.0, 3.0])).tolist() == [0, 0, 5, 0, 0, 0]
    assert rows.row_maxima(np.array([2.0, 3.0])).tolist() == [0, 0, 3, 0, 0, 0]


def test_tied_best_links_share_a_hub_score() -> None:
    ranking = max_hits(
        WebGraph.from_links([("a", "x"), ("a", "y"), ("a", "z"), ("b", "x"), ("b", "y")])
    )
    breakdown = ranking.explain("a", "hub")
    assert dict(zip(breakdown.neighbours, breakdown.amounts.tolist(), strict=True)) == {
        "x": 0.5,
        "y": 0.5,
        "z": 0,
    }


def test_averaging_max_and_norm_options() -> None:
    links = [("a", "x", 3.0), ("a", "y", 1.0), ("b", "y", 1.0), ("b", "z", 1.0), ("c", "z", 1.0)]
    plain, heavy = (
        hub_averaging(WebGraph.from_links(links)),
        hub_averaging(WebGraph.from_links(links), weighted=True),
    )
    assert heavy.scores["authority"][1] > plain.scores["authority"][1]
    slow = [
        (s, t)
        for s, ends in {"0": "345", "1": "340", "2": "35", "3": "4", "5": "0"}.items()
        for t in ends
    ]
    for method in (hub_averaging, max_hits, norm_hits):
        assert not method(WebGraph.from_links(slow), max_iter=1).trace.converged
        assert (
            method(WebGraph.from_links(slow), tol=0.1).trace.iterations
            < method(WebGraph.from_links(slow)).trace.iterations
        )


def test_the_start_is_noted() -> None:
    certainty = max_hits(WebGraph.from_links([("a", "x")])).certainty
    assert not certainty.unique
    assert "equal authorities" in certainty.note
    assert "no links" in max_hits(WebGraph.from_links([("a", "a")])).certainty.note


@given(webs)
def test_max_seeds_have_score_one(links: Links) -> None:
    graph = WebGraph.from_links(links)
    ranking = max_hits(graph)
    into = graph.indegrees()
    seeds = into == into.max()
    np.testing.assert_allclose(ranking.scores["authority"][seeds], 1)
    linking = np.array(
        [any((p, q) in links for q in np.array(graph.pages)[seeds]) for p in graph.pages]
    )
    np.testing.assert_allclose(ranking.scores["hub"][linking], 1)


@given(webs)
def test_norm_is_between_hits_and_max(links: Links) -> None:
    graph = WebGraph.from_links(links)
    single, best = hits(graph), max_hits(graph)
    assume(single.certainty.gap > 0.05)
    for side in ("authority", "hub"):
        found = single.scores[side] / single.scores[side].max()
        np.testing.assert_allclose(norm_hits(graph, power=1).scores[side], found, atol=1e-7)
    high = norm_hits(graph, power=1000)
    if high.trace.converged and best.trace.converged:
        np.testing.assert_allclose(high.scores["authority"], best.scores["authority"], atol=0.01)


@given(webs, st.floats(1, 8))
def test_norm_is_a_fixed_point_of_its_definition(links: Links, power: float) -> None:
    graph = WebGraph.from_links(links)
    ranking = norm_hits(graph, power=power)
    assume(ranking.trace.converged)
    authority = dict(zip(graph.pages, ranking.scores["authority"], strict=True))
    hubs = [
        sum(authority[t] ** power for s, t in set(links) if s == page) ** (1 / power)
        for page in graph.pages
    ]
    np.testing.assert_allclose(ranking.scores["hub"], np.array(hubs) / max(hubs), atol=1e-7)
