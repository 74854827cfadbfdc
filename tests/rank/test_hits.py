"""HITS by hand, by the published values, beside other libraries, and where those fail."""

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


def named(ranking: Ranking, score: str = "authority") -> dict[str, float]:
    return dict(zip(ranking.pages, ranking.scores[score].tolist(), strict=True))


def run(links: Links, **options: Any) -> Ranking:
    return hits(WebGraph.from_links(links), **options)


def test_golden_ratio() -> None:
    """The authority matrix of SMALL is [[2, 1], [1, 1]]: eigenvector (golden ratio, 1)."""
    scores = named(run(SMALL))
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


def test_the_slide_that_prints_hubs_and_authorities() -> None:
    """Gemulla and Miettinen 2013, the vectors of their HITS example as printed."""
    links = {"1": "567", "2": "57", "3": "467", "4": "7"}
    ranking = run([(page, target) for page, targets in links.items() for target in targets])
    authority, hub = named(ranking), named(ranking, "hub")
    assert [round(hub[page], 2) for page in "1234567"] == [0.63, 0.46, 0.55, 0.29, 0, 0, 0]
    assert [round(authority[page], 2) for page in "1234567"] == [0, 0, 0, 0.21, 0.42, 0.46, 0.75]


def test_only_the_strongest_component_scores() -> None:
    ranking = run([*SMALL, ("p", "q")])
    assert ranking.certainty.unique
    assert ranking.certainty.components == 2
    assert named(ranking)["q"] == pytest.approx(0, abs=1e-8)


def test_average_case_of_a_random_graph_with_given_degrees() -> None:
    """Ding: diag(h) + d d'/(n-1) has the eigenvector d/(l-h), and the order of d.

    One hub with links d/sqrt(n-1) to all and one hub for each page with a link
    sqrt(h) make exactly that matrix; weights are kept to seven digits.
    """
    degrees = np.array([1, 2, 2, 3, 5, 8, 11, 13], float)
    others = 30
    own = degrees - degrees**2 / others
    links = [("all", f"p{i}", d / others**0.5) for i, d in enumerate(degrees)]
    links += [(f"h{i}", f"p{i}", h**0.5) for i, h in enumerate(own)]
    ranking = hits(WebGraph.from_links(links), weighted=True)
    found = np.array([named(ranking)[f"p{i}"] for i in range(len(degrees))])
    strongest = ranking.details["singular value"] ** 2
    assert (degrees**2 / (strongest - own)).sum() == pytest.approx(others, rel=1e-5)
    expected = degrees / (strongest - own)
    np.testing.assert_allclose(found / found.max(), expected / expected.max(), rtol=1e-5)
    assert (np.diff(found) >= -1e-9).all()


def test_weights_count_when_asked() -> None:
    doubled = [("a", "x"), ("a", "x"), ("b", "y"), ("a", "y")]
    assert named(run(doubled))["y"] > named(run(doubled))["x"]
    assert named(run(doubled, weighted=True))["x"] > named(run(doubled, weighted=True))["y"]


def test_early_stop_is_told_and_still_explained() -> None:
    ranking = run([*SMALL, ("c", "y"), ("c", "z")], limit=1)
    assert not ranking.trace.converged
    why = ranking.why("y", "authority")
    assert "not settled" in why.rest
    assert why.amounts.sum() + sum(why.rest.values()) == pytest.approx(why.score)


def test_a_loose_tolerance_stops_sooner() -> None:
    web = [(f"h{i}", f"a{i + k}") for i in range(30) for k in (0, 1, 3)]
    assert run(web, tolerance=1e-2).trace.rounds < run(web).trace.rounds


def test_no_links_are_no_evidence() -> None:
    ranking = run([("a", "a")])
    assert named(ranking) == {"a": 0}
    assert ranking.trace.converged
    assert "no links" in ranking.certainty.note


def test_two_equal_topics_get_the_same_answer_every_time() -> None:
    """Where the principal value is double, others answer by their start or at random."""
    ranking = run(TWINS)
    assert ranking.certainty.multiplicity == 2
    assert not ranking.certainty.unique
    assert "2 components tie" in ranking.certainty.note
    assert ranking.certainty.gap == 0
    for seed in range(5):
        again = named(run(Random(seed).sample(TWINS, len(TWINS))))
        assert again == pytest.approx(dict.fromkeys("abcd", 0) | dict.fromkeys("xyuv", 0.5))
    graph = nx.DiGraph(TWINS)
    leans = [{page: 1.0 if page in side else 0.5 for page in graph} for side in ("abxy", "cduv")]
    first, second = (nx.hits(graph, nstart=start)[1] for start in leans)
    assert abs(first["x"] - second["x"]) > 0.01


def test_a_near_tie_is_told() -> None:
    heavy = [(s, t, 1.0) for s, t in TWINS[:4]] + [(s, t, 1 + 2**-23) for s, t in TWINS[4:]]
    certainty = hits(WebGraph.from_links(heavy), weighted=True).certainty
    assert certainty.unique
    assert "near tie" in certainty.note


@given(webs)
def test_as_igraph_and_networkx_where_the_answer_is_clear(links: Links) -> None:
    ranking = run(links)
    assume(ranking.certainty.gap > 0.01)
    graph = igraph.Graph.TupleList(sorted(set(links)), directed=True)
    for side, found in (("authority", graph.authority_score()), ("hub", graph.hub_score())):
        scores = named(ranking, side)
        top = max(scores.values())
        wanted = dict(zip(graph.vs["name"], found, strict=True))
        assert {page: s / top for page, s in scores.items()} == pytest.approx(wanted, abs=1e-6)
    assume(len(graph.vs) > 2)
    hubs, authorities = nx.hits(nx.DiGraph(links))
    small = run(links, norm="L1")
    assert named(small) == pytest.approx(authorities, abs=1e-6)
    assert named(small, "hub") == pytest.approx(hubs, abs=1e-6)


@given(webs)
def test_authority_sums_the_hubs_that_point_to_it(links: Links) -> None:
    ranking = run(links, norm="L1")
    hub = named(ranking, "hub")
    sums = {page: sum(hub[s] for s, t in set(links) if t == page) for page in hub}
    whole = sum(sums.values())
    assert named(ranking) == pytest.approx({p: s / whole for p, s in sums.items()}, abs=1e-8)


@given(webs)
def test_reversed_links_exchange_hubs_and_authorities(links: Links) -> None:
    ranking = run(links)
    assume(ranking.certainty.gap > 0.01)
    turned = run([(t, s) for s, t in links])
    assert named(ranking) == pytest.approx(named(turned, "hub"), abs=1e-8)
