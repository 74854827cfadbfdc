"""What all variants of HITS have in common: contributions that add up, and few links."""

from collections.abc import Callable
from functools import partial
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.graph.webgraph import WebGraph
from weft.rank import (
    Ranking,
    authority_threshold,
    bayesian,
    bayesian_simple,
    bfs,
    full_threshold,
    hits,
    hits_vectors,
    hub_averaging,
    hub_threshold,
    inorm,
    max_hits,
    norm_hits,
    onorm,
    randomized_hits,
    salsa,
    snorm,
    subspace_hits,
    unified_hits,
)

Links = list[tuple[str, str, float]]
FAMILY: dict[str, Callable[[WebGraph], Ranking]] = {
    "hits": hits,
    "hits L1 weighted": partial(hits, norm="L1", weighted=True),
    "hits cut short": partial(hits, max_iter=2),
    "hits-vectors": partial(hits_vectors, weighted=True),
    "salsa": partial(salsa, weighted=True),
    "salsa walk": partial(salsa, solver="walk", max_iter=5, weighted=True),
    "randomized": partial(randomized_hits, weighted=True),
    "randomized cut short": partial(randomized_hits, max_iter=1),
    "subspace": partial(subspace_hits, vectors=2, weighted=True),
    "subspace all": partial(subspace_hits, vectors=0, weighted=True),
    "subspace power 1": partial(subspace_hits, vectors=0, power=1, weighted=True),
    "subspace power 0": partial(subspace_hits, vectors=0, power=0),
    "subspace power 1.5": partial(subspace_hits, vectors=0, power=1.5, weighted=True),
    "unified": partial(unified_hits, p=0.25, q=0.75, weighted=True),
    "unified surfing": partial(unified_hits, p=0.25, scheme="surfing", weighted=True),
    "onorm": onorm,
    "inorm": partial(inorm, max_iter=2),
    "snorm": partial(snorm, weighted=True),
    "snorm power": partial(snorm, scheme="power", weighted=True),
    "hub-averaging": partial(hub_averaging, weighted=True),
    "authority-threshold": partial(authority_threshold, k=2),
    "authority-threshold of all": partial(authority_threshold, k=2, scope="all", max_iter=50),
    "hub-threshold": partial(hub_threshold, max_iter=50),
    "full-threshold": partial(full_threshold, k=1, max_iter=50),
    "max": partial(max_hits, max_iter=50),
    "norm": partial(norm_hits, power=3, max_iter=50),
    "bfs": bfs,
    "bayesian": partial(bayesian, samples=100),
    "bayesian-simple": partial(bayesian_simple, samples=100),
}
webs = st.lists(
    st.sampled_from([(*ends, w) for ends in permutations("abcdef", 2) for w in (1.0, 3.0)]),
    min_size=1,
    max_size=20,
)


@pytest.mark.parametrize("name", [name for name in FAMILY if not name.startswith("bayesian")])
@settings(max_examples=20)
@given(webs)
def test_contributions_add_up(name: str, links: Links) -> None:
    ranking = FAMILY[name](WebGraph.from_links(links))
    assert set(ranking.contributions) == set(ranking.scores)
    for score, values in ranking.scores.items():
        for page, value in zip(ranking.pages, values.tolist(), strict=True):
            breakdown = ranking.explain(page, score)
            total = breakdown.amounts.sum() + sum(breakdown.other_sources.values())
            assert total == pytest.approx(value, abs=1e-9 * max(1.0, values.max()))


@pytest.mark.parametrize("name", FAMILY)
@pytest.mark.parametrize(
    "links",
    [
        [],
        [("a", "a")],
        [("a", "a"), ("b", "b")],
        [("a", "b")],
        [("a", "b"), ("b", "a")],
        [("a", "b"), ("c", "d"), ("e", "e")],
    ],
)
def test_few_links(name: str, links: list[tuple[str, str]]) -> None:
    graph = WebGraph.from_links(links)
    ranking = FAMILY[name](graph)
    for values in ranking.scores.values():
        assert len(values) == len(graph)
        assert np.isfinite(values).all()
        assert (values >= 0).all()
    assert len(ranking.to_table()) == len(graph)
    if not graph.link_count:
        assert ranking.trace.converged or not len(graph)
        assert "no links" in ranking.certainty.note
        assert all(len(set(values.tolist())) <= 1 for values in ranking.scores.values())
