"""HITS by hand, by published values, against other libraries, and where these fail."""

from random import Random
from typing import Any

import igraph
import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given
from tests.webs import Links, webs

from weft.graph.webgraph import WebGraph
from weft.rank import Ranking, hits

SMALL = [("a", "x"), ("b", "x"), ("b", "y")]
TWINS = [(s, t) for hubs, pages in (("ab", "xy"), ("cd", "uv")) for s in hubs for t in pages]


def scores_by_name(ranking: Ranking, score: str = "authority") -> dict[str, float]:
    return dict(zip(ranking.pages, ranking.scores[score].tolist(), strict=True))


def run(links: Links, **options: Any) -> Ranking:
    return hits(WebGraph.from_links(links), **options)


def test_golden_ratio() -> None:
    """The authority matrix of SMALL is [[2, 1], [1, 1]]: eigenvector (golden ratio, 1)."""
    scores = scores_by_name(run(SMALL))
    assert scores["x"] / scores["y"] == pytest.approx((1 + 5**0.5) / 2)


@pytest.mark.parametrize("name", ["G1_seed002_hits7", "G2_seed002_pr5", "G3_own10"])
@pytest.mark.parametrize("norm", ["L1", "L2"])
def test_published_values(spec: Any, name: str, norm: Any) -> None:
    graph, values = spec(name)
    ranking = hits(graph, norm=norm)
    for side in ("authority", "hub"):
        wanted = values["hits"][f"{side}_{norm}"]
        np.testing.assert_allclose(ranking.scores[side], wanted, atol=1e-8)
    assert ranking.certainty.multiplicity == values["hits"]["multiplicity"]
    assert 1 - ranking.certainty.gap == pytest.approx(values["hits"]["ratio"], abs=1e-8)
    strongest = values["hits"]["eigenvalues_AtA"][0]
    assert ranking.details["singular value"] ** 2 == pytest.approx(strongest, abs=1e-8)


def test_the_lecture_example() -> None:
    """Gemulla and Miettinen (2013): the vectors of their HITS example."""
    links = {"1": "567", "2": "57", "3": "467", "4": "7"}
    ranking = run([(page, target) for page, targets in links.items() for target in targets])
    authority, hub = scores_by_name(ranking), scores_by_name(ranking, "hub")
    assert [round(hub[page], 2) for page in "1234567"] == [0.63, 0.46, 0.55, 0.29, 0, 0, 0]
    assert [round(authority[page], 2) for page in "1234567"] == [0, 0, 0, 0.21, 0.42, 0.46, 0.75]


def test_only_the_dominant_component_scores() -> None:
    ranking = run([*SMALL, ("p", "q")])
    assert ranking.certainty.unique
    assert ranking.certainty.components == 2
    assert scores_by_name(ranking)["q"] == pytest.approx(0, abs=1e-8)


def test_average_case_of_a_random_graph_with_given_degrees() -> None:
    """Ding: diag(h) + d d'/(n-1) has the eigenvector d/(l-h), and the order of d.

    One hub with links d/sqrt(n-1) to all and one hub for each page with a link
    sqrt(h) make exactly that matrix; weights are kept to seven digits.
    """
    degrees = np.array([1, 2, 2, 3, 5, 8, 11, 13], float)
    others = 30
    diagonal = degrees - degrees**2 / others
    links = [("all", f"p{i}", d / others**0.5) for i, d in enumerate(degrees)]
    links += [(f"h{i}", f"p{i}", h**0.5) for i, h in enumerate(diagonal)]
    ranking = hits(WebGraph.from_links(links), weighted=True)
    found = np.array([scores_by_name(ranking)[f"p{i}"] for i in range(len(degrees))])
    strongest = ranking.details["singular value"] ** 2
    assert (degrees**2 / (strongest - diagonal)).sum() == pytest.approx(others, rel=1e-5)
    expected = degrees / (strongest - diagonal)
    np.testing.assert_allclose(found / found.max(), expected / expected.max(), rtol=1e-5)
    assert (np.diff(found) >= -1e-9).all()


def test_weights_count() -> None:
    doubled = [("a", "x"), ("a", "x"), ("b", "y"), ("a", "y")]
    assert scores_by_name(run(doubled))["y"] > scores_by_name(run(doubled))["x"]
    assert (
        scores_by_name(run(doubled, weighted=True))["x"]
        > scores_by_name(run(doubled, weighted=True))["y"]
    )


def test_early_stop_is_reported_and_explained() -> None:
    ranking = run([*SMALL, ("c", "y"), ("c", "z")], max_iter=1)
    assert not ranking.trace.converged
    breakdown = ranking.explain("y", "authority")
    assert "not converged" in breakdown.other_sources
    total = breakdown.amounts.sum() + sum(breakdown.other_sources.values())
    assert total == pytest.approx(breakdown.score)


def test_a_loose_tolerance_stops_sooner() -> None:
    web = [(f"h{i}", f"a{i + k}") for i in range(30) for k in (0, 1, 3)]
    assert run(web, tol=1e-2).trace.iterations < run(web).trace.iterations


def test_no_links_score_zero() -> None:
    ranking = run([("a", "a")])
    assert scores_by_name(ranking) == {"a": 0}
    assert ranking.trace.converged
    assert "no links" in ranking.certainty.note


def test_equal_components_always_get_the_same_scores() -> None:
    """Where the largest singular value is double, others depend on their start."""
    ranking = run(TWINS)
    assert ranking.certainty.multiplicity == 2
    assert not ranking.certainty.unique
    assert "2 components tie" in ranking.certainty.note
    assert ranking.certainty.gap == 0
    for seed in range(5):
        again = scores_by_name(run(Random(seed).sample(TWINS, len(TWINS))))
        assert again == pytest.approx(dict.fromkeys("abcd", 0) | dict.fromkeys("xyuv", 0.5))
    graph = nx.DiGraph(TWINS)
    leans = [{page: 1.0 if page in side else 0.5 for page in graph} for side in ("abxy", "cduv")]
    first, second = (nx.hits(graph, nstart=start)[1] for start in leans)
    assert abs(first["x"] - second["x"]) > 0.01


def test_a_near_tie_is_noted() -> None:
    heavy = [(s, t, 1.0) for s, t in TWINS[:4]] + [(s, t, 1 + 2**-23) for s, t in TWINS[4:]]
    certainty = hits(WebGraph.from_links(heavy), weighted=True).certainty
    assert certainty.unique
    assert "near tie" in certainty.note


@given(webs)
def test_agrees_with_igraph_and_networkx(links: Links) -> None:
    ranking = run(links)
    assume(ranking.certainty.gap > 0.01)
    graph = igraph.Graph.TupleList(sorted(set(links)), directed=True)
    for side, found in (("authority", graph.authority_score()), ("hub", graph.hub_score())):
        scores = scores_by_name(ranking, side)
        top = max(scores.values())
        wanted = dict(zip(graph.vs["name"], found, strict=True))
        assert {page: s / top for page, s in scores.items()} == pytest.approx(wanted, abs=1e-6)
    assume(len(graph.vs) > 2)
    hubs, authorities = nx.hits(nx.DiGraph(links))
    small = run(links, norm="L1")
    assert scores_by_name(small) == pytest.approx(authorities, abs=1e-6)
    assert scores_by_name(small, "hub") == pytest.approx(hubs, abs=1e-6)


@given(webs)
def test_authority_is_the_sum_of_its_hubs(links: Links) -> None:
    ranking = run(links, norm="L1")
    hub = scores_by_name(ranking, "hub")
    sums = {page: sum(hub[s] for s, t in set(links) if t == page) for page in hub}
    total = sum(sums.values())
    assert scores_by_name(ranking) == pytest.approx(
        {p: s / total for p, s in sums.items()}, abs=1e-8
    )


@given(webs)
def test_reversed_links_exchange_hubs_and_authorities(links: Links) -> None:
    ranking = run(links)
    assume(ranking.certainty.gap > 0.01)
    reverse = run([(t, s) for s, t in links])
    assert scores_by_name(ranking) == pytest.approx(scores_by_name(reverse, "hub"), abs=1e-8)
