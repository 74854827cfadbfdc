"""Centrality as published, against shortest paths, and sampled."""

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

Way = Literal["out", "in", "both"]
web = WebGraph.from_links


@pytest.mark.parametrize("name", GRAPHS)
def test_published_values(spec: Spec, name: str) -> None:
    graph, values = spec(name)
    known, found = values["centrality"], centrality(graph)
    assert found.details["radius"].tolist() == [float(r) for r in known["radius_out"]]
    inward = centrality(graph, direction="in").details["radius"]
    assert inward.tolist() == [float(r) for r in known["radius_in"]]
    assert found.scores["reachable"].tolist() == pytest.approx(known["n_reachable"])
    np.testing.assert_allclose(found.scores["harmonic"], known["harmonic_out"], atol=1e-8)
    reachable = found.details["radius over reachable"]
    assert reachable.tolist() == known["radius_out_reachable_only"]
    assert found.details["diameter"] == known["diameter"]
    assert found.details["average distance"] == pytest.approx(known["avg_connected_distance"])


@given(webs, st.sampled_from(["out", "in"]))
def test_order_is_by_reach_then_radius_then_mean(links: Links, way: Way) -> None:
    there = nx.DiGraph(links) if way == "out" else nx.DiGraph(links).reverse()
    keys = {}
    for page, ways in nx.all_pairs_shortest_path_length(there):
        far = sorted(d for d in ways.values() if d)
        keys[page] = (-len(far), max(far, default=0), round(sum(far) / max(len(far), 1), 9))
    found = centrality(web(links), direction=way)
    order = [keys[found.pages[i]] for i in found.order()]
    assert order == sorted(order)
    score = dict(zip(found.pages, found.scores["score"], strict=True))
    for one, two in permutations(keys, 2):
        assert (keys[one] == keys[two]) == (score[one] == score[two])
    best = min(key[:2] for key in keys.values())
    assert sorted(found.details["centre"]) == sorted(p for p in keys if keys[p][:2] == best)


@given(webs)
def test_both_ways_take_the_farther(links: Links) -> None:
    out, back, both = (centrality(web(links), direction=way) for way in ("out", "in", "both"))
    farther = np.maximum(out.details["radius"], back.details["radius"])
    assert both.details["radius"].tolist() == farther.tolist()
    together = out.scores["reachable"] + back.scores["reachable"]
    np.testing.assert_allclose(both.scores["reachable"], together)
    assert both.scores["harmonic"].max() <= 1 + 1e-12


def test_the_centre_of_a_wheel_is_its_hub() -> None:
    rim = [(str(i), str((i + 1) % 6)) for i in range(6)]
    spokes = [(a, b) for i in range(6) for a, b in (("hub", str(i)), (str(i), "hub"))]
    found = centrality(web(rim + spokes))
    assert list(found.details["centre"]) == ["hub"]
    assert found.scores["score"].max() == 1
    assert found.scores["harmonic"][found.pages.index("hub")] == 1


def test_blocks_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    large = nx.gnp_random_graph(30, 0.08, seed=2, directed=True)
    whole = centrality(large)
    monkeypatch.setattr(import_module("weft.rank.centrality"), "CELLS", 90)
    parted = centrality(large)
    for name in whole.scores:
        assert parted.scores[name].tolist() == pytest.approx(whole.scores[name].tolist())


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
def test_parts_add_up(links: Links) -> None:
    ranking = centrality(web(links))
    for name, scores in ranking.scores.items():
        whys = [ranking.why(page, name) for page in ranking.pages]
        assert [w.amounts.sum() + sum(w.rest.values()) for w in whys] == scores.tolist()


def test_degenerate_graphs() -> None:
    assert len(centrality(web([]))) == 0
    alone = centrality(web([("a", "a")]))
    assert alone.scores["score"].tolist() == [0]
    assert alone.details["radius"].tolist() == [0]
    apart = centrality(web([("a", "a"), ("b", "b")]), direction="both")
    assert apart.details["radius"].tolist() == [np.inf, np.inf]
    assert list(apart.details["centre"]) == ["a", "b"]
