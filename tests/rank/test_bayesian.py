"""The Bayesian rankings: sampled values, the order of in-degree, and repeatability."""

from random import Random
from typing import Any

import numpy as np
import pytest

from weft.core.errors import BadParameter
from weft.graph.webgraph import WebGraph
from weft.rank import bayesian, bayesian_simple

SMALL = [("a", "x"), ("b", "x"), ("b", "y"), ("c", "z"), ("c", "x")]


@pytest.mark.parametrize("name", ["G1_seed002_hits7", "G3_own10"])
@pytest.mark.parametrize(
    ("method", "key"),
    [
        (bayesian_simple, "bayesian_simplified_MCMC"),
        (bayesian, "bayesian_full_mu-5_sigma0.1_MCMC"),
    ],
)
def test_sampled_values(spec: Any, name: str, method: Any, key: str) -> None:
    graph, values = spec(name)
    ranking, wanted = method(graph, samples=80_000), values[key]
    for side, pages in (("authority", "auth_nodes"), ("hub", "hub_nodes")):
        found = ranking.scores[side][wanted[pages]]
        np.testing.assert_allclose(found, wanted[f"{side}_posterior_mean"], atol=0.02)
        outside = np.delete(ranking.scores[side], wanted[pages])
        assert not outside.any()
    if method is bayesian:
        tendency = ranking.details["tendency"][wanted["hub_nodes"]]
        np.testing.assert_allclose(tendency, wanted["e_posterior_mean"], atol=0.01)


def test_the_simple_order_is_that_of_the_in_degree() -> None:
    random = Random(4)
    links = [(f"h{random.randrange(20)}", f"p{int(random.random() ** 2 * 15)}") for _ in range(120)]
    graph = WebGraph.from_links(links)
    scores, into = bayesian_simple(graph, samples=4000).scores["authority"], graph.indegrees()
    for degree in np.unique(into):
        assert np.ptp(scores[into == degree]) == 0
    steps = [scores[into == degree][0] for degree in np.unique(into)]
    assert (np.diff(steps) > 0).all()


def test_a_seed_repeats_and_numbering_does_not_matter() -> None:
    first = bayesian(WebGraph.from_links(SMALL), samples=500, seed=7)
    again = bayesian(WebGraph.from_links(SMALL[::-1]), samples=500, seed=7)
    other = bayesian(WebGraph.from_links(SMALL), samples=500, seed=8)
    scores = [
        dict(zip(run.pages, run.scores["authority"].tolist(), strict=True))
        for run in (first, again, other)
    ]
    assert scores[0] == pytest.approx(scores[1], rel=1e-9)
    assert scores[0] != pytest.approx(scores[2], rel=1e-9)
    simple = [
        bayesian_simple(WebGraph.from_links(SMALL), samples=500, seed=seed).scores["hub"]
        for seed in (0, 0, 1)
    ]
    assert simple[0].tolist() == simple[1].tolist() != simple[2].tolist()


def test_priors_are_read() -> None:
    usual = bayesian(WebGraph.from_links(SMALL), samples=2000)
    eager = bayesian(WebGraph.from_links(SMALL), samples=2000, mean=0.0)
    loose = bayesian(WebGraph.from_links(SMALL), samples=2000, mean=0.0, spread=10.0)
    assert eager.scores["authority"].sum() < usual.scores["authority"].sum()
    assert np.ptp(loose.details["tendency"]) > np.ptp(eager.details["tendency"]) + 0.5


def test_more_samples_are_surer() -> None:
    assert (
        bayesian(WebGraph.from_links(SMALL), samples=20_000).trace.error
        < bayesian(WebGraph.from_links(SMALL), samples=500).trace.error
    )
    assert "give or take" in bayesian(WebGraph.from_links(SMALL), samples=500).certainty.note


def test_too_many_pairs_are_refused_with_a_cure() -> None:
    large = WebGraph.from_links([(f"h{i}", f"p{i}") for i in range(1001)])
    for method in (bayesian, bayesian_simple):
        with pytest.raises(BadParameter, match="1,002,001 pairs") as refusal:
            method(large)
        assert "around a query" in refusal.value.hint


def test_no_links_no_evidence() -> None:
    for method in (bayesian, bayesian_simple):
        ranking = method(WebGraph.from_links([("a", "a")]))
        assert ranking.scores["authority"].tolist() == [0]
        assert "no links" in ranking.certainty.note
