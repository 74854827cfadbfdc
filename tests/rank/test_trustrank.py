"""TrustRank: published values, reach, and proposed seeds."""

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.webs import GRAPHS, Links, Spec, webs

from weft.core.errors import BadParameter
from weft.core.params import Dangling
from weft.graph.webgraph import WebGraph
from weft.rank import trustrank
from weft.rank.trustrank import propose_seeds

web = WebGraph.from_links
PORTAL = [("p", "a"), ("p", "b"), ("p", "c"), ("spam", "a"), ("spam", "b"), ("a", "d")]


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize(("key", "rule"), [("leaky", "leak"), ("dangling_v", "teleport")])
def test_published_values(spec: Spec, name: str, key: str, rule: Dangling) -> None:
    graph, values = spec(name)
    found = trustrank(graph, seeds=list(graph.pages[1:3]), dangling=rule).scores["score"]
    np.testing.assert_allclose(found, values["trustrank_seeds_1_2_a0.85"][key], atol=1e-8)


@pytest.mark.parametrize("name", GRAPHS)
def test_published_order_of_candidates(spec: Spec, name: str) -> None:
    graph, values = spec(name)
    inverse = np.array(values["trustrank_seeds_1_2_a0.85"]["inverse_pagerank_seed_selection"])
    assert propose_seeds(graph, 4).tolist() == np.argsort(-inverse, kind="stable")[:4].tolist()


@given(webs)
def test_only_pages_reached_from_seeds_have_trust(links: Links) -> None:
    seed = links[0][0]
    reached = {seed}
    for _ in range(6):
        reached |= {t for s, t in links if s in reached}
    ranking = trustrank(web(links), seeds=[seed])
    positive = {p for p, s in zip(ranking.pages, ranking.scores["score"], strict=True) if s}
    assert positive == reached


@given(webs, st.booleans())
def test_contributions_add_up(links: Links, seeded: bool) -> None:  # noqa: FBT001
    ranking = trustrank(web(links), seeds=[links[0][0]] if seeded else [])
    for page, score in zip(ranking.pages, ranking.scores["score"], strict=True):
        breakdown = ranking.explain(page)
        assert breakdown.amounts.sum() + sum(breakdown.other_sources.values()) == pytest.approx(
            score, abs=1e-9
        )


def test_proposed_seeds_and_bad_pages() -> None:
    proposed = trustrank(web(PORTAL), candidates=2)
    assert proposed.details == {"seeds": 2, "candidates": ["p", "spam"]}
    assert "unchecked" in proposed.certainty.note
    without_spam = trustrank(web(PORTAL), candidates=2, bad=["spam"])
    assert without_spam.details["seeds"] == 1
    seeded = trustrank(web(PORTAL), seeds=["p"])
    assert seeded.certainty.note == ""
    assert seeded.scores["score"].tolist() == without_spam.scores["score"].tolist()
    assert seeded["spam"].score == 0


def test_twenty_iterations_as_in_the_paper() -> None:
    ring = [("a", "b"), ("b", "c"), ("c", "a")]
    early = trustrank(web(ring), seeds=["a"], max_iter=20)
    assert not early.trace.converged
    assert early.scores["score"].sum() == pytest.approx(1 - 0.85**21)


def test_weights_count() -> None:
    found = trustrank(
        web([("a", "x", 3.0), ("a", "y", 1.0)]), seeds=["a"], weighted=True, damping=0.5
    )
    assert found.scores["score"].tolist() == pytest.approx([1 / 2, 3 / 16, 1 / 16])


def test_no_seed_left_is_an_error() -> None:
    with pytest.raises(BadParameter, match="listed as bad"):
        trustrank(web(PORTAL), seeds=["p"], bad=["p"])
    assert len(trustrank(web([]))) == 0


def hubs(names: str, pages: int = 3) -> Links:
    """Pages that each link to the same number of pages of their own."""
    return [(hub, f"{hub}{k}") for hub in names for k in range(pages)]


def test_ties_of_the_last_candidate_are_included() -> None:
    links = [*hubs("p", 5), *hubs("abcd"), *hubs("z", 1)]
    assert trustrank(web(links), candidates=1).details["candidates"] == ["p"]
    assert trustrank(web(links), candidates=2).details["candidates"] == list("pabcd")
    assert trustrank(web(links), candidates=5).details["candidates"] == list("pabcd")
    assert trustrank(web(links), candidates=6).details["candidates"] == list("pabcdz")


def test_pages_without_links_are_not_proposed() -> None:
    """They pass no trust on; in a graph without links all pages are proposed."""
    assert trustrank(web(PORTAL), candidates=20).details["candidates"] == ["p", "spam", "a"]
    bare = WebGraph.from_arrays(list("abc"), [], [])
    assert trustrank(bare, candidates=1).details["candidates"] == list("abc")
    assert trustrank(bare, candidates=1).scores["score"] == pytest.approx([0.05] * 3)


@given(webs, st.integers(1, 4), st.randoms())
def test_candidates_do_not_depend_on_numbering(links: Links, k: int, random: Random) -> None:
    pages = sorted({page for link in links for page in link})
    results = []
    for order in (pages, random.sample(pages, len(pages))):
        number = {page: i for i, page in enumerate(order)}
        ends = [[number[page] for page in side] for side in zip(*links, strict=True)]
        ranking = trustrank(WebGraph.from_arrays(order, *ends), candidates=k)
        scores = dict(zip(order, ranking.scores["score"].tolist(), strict=True))
        results.append((set(ranking.details["candidates"]), scores))
    (first, ours), (second, theirs) = results
    assert first == second
    assert ours == pytest.approx(theirs, abs=1e-9)
