"""Centrality: published values, against shortest paths, and from samples."""

from importlib import import_module
from itertools import permutations
from typing import Literal

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.webs import GRAPHS, Links, Spec, webs

from weft.graph.webgraph import WebGraph
from weft.rank import centrality

Direction = Literal["out", "in", "both"]
web = WebGraph.from_links


@pytest.mark.parametrize("name", GRAPHS)
def test_published_values(spec: Spec, name: str) -> None:
    graph, values = spec(name)
    wanted, ranking = values["centrality"], centrality(graph)
    assert ranking.details["radius"].tolist() == [float(r) for r in wanted["radius_out"]]
    into = centrality(graph, direction="in").details["radius"]
    assert into.tolist() == [float(r) for r in wanted["radius_in"]]
    assert ranking.scores["reachable"].tolist() == pytest.approx(wanted["n_reachable"])
    np.testing.assert_allclose(ranking.scores["harmonic"], wanted["harmonic_out"], atol=1e-8)
    reachable = ranking.details["radius over reachable"]
    assert reachable.tolist() == wanted["radius_out_reachable_only"]
    assert ranking.details["diameter"] == wanted["diameter"]
    assert ranking.details["average distance"] == pytest.approx(wanted["avg_connected_distance"])


@given(webs, st.sampled_from(["out", "in"]))
def test_order_is_by_reach_then_radius_then_mean(links: Links, direction: Direction) -> None:
    graph = nx.DiGraph(links) if direction == "out" else nx.DiGraph(links).reverse()
    keys = {}
    for page, lengths in nx.all_pairs_shortest_path_length(graph):
        distances = [d for d in lengths.values() if d]
        mean = round(sum(distances) / max(len(distances), 1), 9)
        keys[page] = (-len(distances), max(distances, default=0), mean)
    ranking = centrality(web(links), direction=direction)
    order = [keys[row.page] for row in ranking]
    assert order == sorted(order)
    scores = dict(zip(ranking.pages, ranking.scores["score"], strict=True))
    for first, second in permutations(keys, 2):
        assert (keys[first] == keys[second]) == (scores[first] == scores[second])
    best = min(key[:2] for key in keys.values())
    assert sorted(ranking.details["centre"]) == sorted(p for p in keys if keys[p][:2] == best)


@given(webs)
def test_both_directions_take_the_larger_distance(links: Links) -> None:
    out, into, both = (centrality(web(links), direction=d) for d in ("out", "in", "both"))
    larger = np.maximum(out.details["radius"], into.details["radius"])
    assert both.details["radius"].tolist() == larger.tolist()
    reachable = out.scores["reachable"] + into.scores["reachable"]
    np.testing.assert_allclose(both.scores["reachable"], reachable)
    assert both.scores["harmonic"].max() <= 1 + 1e-12


def test_the_centre_of_a_wheel_is_its_hub() -> None:
    rim = [(str(i), str((i + 1) % 6)) for i in range(6)]
    spokes = [(a, b) for i in range(6) for a, b in (("hub", str(i)), (str(i), "hub"))]
    found = centrality(web(rim + spokes))
    assert list(found.details["centre"]) == ["hub"]
    assert found.scores["score"].max() == 1
    assert found.scores["harmonic"][found.pages.index("hub")] == 1


def test_block_size_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    large = nx.gnp_random_graph(30, 0.08, seed=2, directed=True)
    full = centrality(large)
    monkeypatch.setattr(import_module("weft.rank.centrality"), "MAX_BLOCK_CELLS", 90)
    blocked = centrality(large)
    for name in full.scores:
        assert blocked.scores[name].tolist() == pytest.approx(full.scores[name].tolist())


def test_a_sample_estimates() -> None:
    large = nx.gnp_random_graph(120, 0.04, seed=4, directed=True)
    exact, some, same, other = (
        centrality(large, sample=k, seed=seed) for k, seed in ((120, 0), (60, 0), (60, 0), (60, 1))
    )
    assert some.scores["harmonic"].tolist() == same.scores["harmonic"].tolist()
    assert some.scores["harmonic"].tolist() != other.scores["harmonic"].tolist()
    assert exact.certainty.unique
    assert "60 of 120 pages" in some.certainty.note
    np.testing.assert_allclose(some.scores["harmonic"], exact.scores["harmonic"], atol=0.12)
    mean = exact.scores["reachable"].mean()
    assert some.scores["reachable"].mean() == pytest.approx(mean, rel=0.1)
    assert (some.details["radius over reachable"] <= exact.details["radius over reachable"]).all()


@given(webs)
def test_contributions_add_up(links: Links) -> None:
    ranking = centrality(web(links))
    for name, scores in ranking.scores.items():
        breakdowns = [ranking.explain(page, name) for page in ranking.pages]
        assert [
            b.amounts.sum() + sum(b.other_sources.values()) for b in breakdowns
        ] == scores.tolist()


def test_degenerate_graphs() -> None:
    assert len(centrality(web([]))) == 0
    alone = centrality(web([("a", "a")]))
    assert alone.scores["score"].tolist() == [0]
    assert alone.details["radius"].tolist() == [0]
    apart = centrality(web([("a", "a"), ("b", "b")]), direction="both")
    assert apart.details["radius"].tolist() == [np.inf, np.inf]
    assert list(apart.details["centre"]) == ["a", "b"]
