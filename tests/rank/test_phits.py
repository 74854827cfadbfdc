"""PHITS: separate communities, in-degree with one factor, contributions that add up."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.rank.contributions import check_contributions

from weft.graph.webgraph import WebGraph
from weft.rank import Ranking, indegree, phits
from weft.rank.hits import NO_LINKS_ZERO_NOTE

Links = list[tuple[str, str]]
TWO = [(s, t) for hubs, pages in (("abc", "xyz"), ("de", "uv")) for s in hubs for t in pages]
webs = st.lists(st.sampled_from(list(permutations("abcdef", 2))), min_size=1, max_size=20)


def positive_scores(ranking: Ranking, score: str) -> dict[str, float]:
    pairs = zip(ranking.pages, ranking.scores[score].tolist(), strict=True)
    return {page: value for page, value in pairs if value > 1e-6}


def test_two_communities_are_separated() -> None:
    """Complete bipartite communities: the block solution is the global optimum."""
    ranking = phits(WebGraph.from_links(TWO), factors=2)
    assert positive_scores(ranking, "authority 1") == pytest.approx(
        dict.fromkeys("xyz", 1 / 3), abs=1e-5
    )
    assert positive_scores(ranking, "authority 2") == pytest.approx(
        dict.fromkeys("uv", 1 / 2), abs=1e-5
    )
    assert positive_scores(ranking, "hub 2") == pytest.approx(dict.fromkeys("de", 1 / 2), abs=1e-5)
    assert positive_scores(ranking, "authority") == pytest.approx(
        dict.fromkeys("xyz", 1 / 3) | dict.fromkeys("uv", 1 / 2), abs=1e-5
    )
    best = 9 * np.log(1 / 13) + 4 * np.log(1 / 13)
    assert ranking.details["likelihood"] == pytest.approx(best, rel=1e-6)


@given(webs)
def test_one_factor_is_indegree(links: Links) -> None:
    graph = WebGraph.from_links(links)
    ranking = phits(graph, factors=1)
    wanted = next(iter(indegree(graph).scores.values()))
    np.testing.assert_allclose(ranking.scores["authority"], wanted, atol=1e-12)
    assert ranking.certainty.unique


def test_a_shared_page_is_characteristic_of_neither_community() -> None:
    links = [*TWO, ("c", "m"), ("d", "m")]
    ranking = phits(WebGraph.from_links(links), factors=2, restarts=10)
    m = ranking.scores["authority"][list(ranking.pages).index("m")]
    assert m < min(positive_scores(ranking, "authority")[page] for page in "xyzuv")


def test_local_optima_are_noted() -> None:
    note = phits(WebGraph.from_links(TWO), factors=2).certainty.note
    assert note.startswith("local optimum, reached by ")
    assert note.endswith(" of 5 random starts")
    single = phits(WebGraph.from_links(TWO), factors=2, restarts=1).certainty.note
    assert single == "local optimum from one random start; another may differ"
    assert phits(WebGraph.from_links([("a", "a")])).certainty.note == NO_LINKS_ZERO_NOTE


def test_seed_tempering_and_weights_change_the_scores() -> None:
    links = [("a", "x"), ("a", "x"), ("b", "x"), ("b", "y"), ("c", "y"), ("c", "z"), ("d", "z")]
    graph = WebGraph.from_links(links)
    plain = phits(graph, restarts=1)
    for options in ({"seed": 5}, {"tempering": 0.5}, {"weighted": True}):
        other = phits(graph, **{"restarts": 1, **options})  # type: ignore[arg-type]
        assert np.abs(other.scores["authority"] - plain.scores["authority"]).max() > 1e-4
    more = phits(graph, factors=2, restarts=20)
    assert more.details["likelihood"] >= phits(graph, factors=2, restarts=1).details["likelihood"]


@settings(max_examples=15)
@given(webs, st.integers(1, 3))
def test_contributions_add_up(links: Links, factors: int) -> None:
    check_contributions(phits(WebGraph.from_links(links), factors=factors, restarts=1, max_iter=20))
