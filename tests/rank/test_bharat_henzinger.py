"""Bharat and Henzinger: one vote per host, weights by relevance, and HITS without either."""

from dataclasses import replace
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rank.contributions import check_contributions
from tests.webs import GRAPHS, Links, webs

from weft.graph.baseset.baseset import LINKED_FROM, ROOT, BaseSet
from weft.graph.baseset.expand import build_query_base_set
from weft.graph.webgraph import WebGraph
from weft.rank import bharat_henzinger, hits
from weft.rank.bharat_henzinger import text_relevance, weigh_links_by_host
from weft.rank.weighted_hits import ranking_from_pair, solve_weighted_hits
from weft.workspace.workspace import Workspace

PAGES = ["a.com/1", "a.com/2", "b.com/1", "b.com/2", "c.com/1", "d.com/1"]
hosted = st.lists(st.sampled_from(list(permutations(PAGES, 2))), min_size=1, max_size=20)


def scores_by_name(links: Links, score: str = "authority", **options: Any) -> dict[str, float]:
    ranking = bharat_henzinger(BaseSet.from_any(links), **options)
    return dict(zip(ranking.pages, ranking.scores[score].tolist(), strict=True))


def base_with_texts(
    links: Links, texts: dict[str, str], roots: str, query: str = "jaguar"
) -> BaseSet:
    graph = WebGraph.from_links(links)
    base = BaseSet.from_graph(
        graph, query=query, read_texts=lambda: [texts.get(page, "") for page in graph.pages]
    )
    origin = [ROOT if page in roots.split() else LINKED_FROM for page in graph.pages]
    return replace(base, origin=np.array(origin, np.int32))


@pytest.mark.parametrize("name", GRAPHS)
def test_published_values(spec: Any, name: str) -> None:
    graph, values = spec(name)
    wanted = values["bharat_henzinger"]
    ranking = bharat_henzinger(BaseSet.from_any(graph))
    for side in ("authority", "hub"):
        np.testing.assert_allclose(ranking.scores[side], wanted[f"{side}_L2"], atol=1e-8)
    assert ranking.details["eigenvalue"] == pytest.approx(wanted["lam"], abs=1e-8)


@pytest.mark.parametrize("name", GRAPHS)
def test_published_weights(spec: Any, name: str) -> None:
    graph, values = spec(name)
    links = weigh_links_by_host(graph, np.ones(len(graph)))
    unit = np.eye(len(graph))
    authority = np.array([links.rmatvec(row) for row in unit])
    hub = np.array([links.matvec(row) for row in unit]).T
    np.testing.assert_allclose(authority, values["bharat_henzinger"]["auth_wt"], atol=1e-12)
    np.testing.assert_allclose(hub, values["bharat_henzinger"]["hub_wt"], atol=1e-12)


@pytest.mark.parametrize("name", GRAPHS)
def test_published_values_with_relevance(spec: Any, name: str) -> None:
    graph, values = spec(name)
    wanted = values["bharat_henzinger_relevance"]
    links = weigh_links_by_host(graph, np.array(wanted["W"]))
    scores = ranking_from_pair(
        "x", graph.pages, links, solve_weighted_hits(links, 1e-10, 1000, "x"), "L2"
    ).scores
    for side in ("authority", "hub"):
        np.testing.assert_allclose(scores[side], wanted[f"{side}_L2"], atol=1e-8)


@given(webs)
def test_one_page_per_host_is_hits(links: Links) -> None:
    graph = WebGraph.from_links(links)
    ours, plain = bharat_henzinger(BaseSet.from_any(graph)), hits(graph)
    for side in ("authority", "hub"):
        np.testing.assert_allclose(ours.scores[side], plain.scores[side], atol=1e-6)


@given(hosted)
def test_a_host_has_one_vote_for_a_page(links: Links) -> None:
    graph = WebGraph.from_links(links)
    weighted = weigh_links_by_host(graph, np.ones(len(graph)))
    for host in "abcd":
        pages = np.array([page.startswith(host) for page in graph.pages], float)
        assert {round(vote, 9) for vote in weighted.rmatvec(pages)} <= {0, 1}
        assert {round(vote, 9) for vote in weighted.matvec(pages)} <= {0, 1}


def test_many_pages_of_a_host_count_as_one() -> None:
    """The links of one host count as one link, like that of b.com, which links to y too."""
    crowd = [(f"a.com/{k}", "x.org") for k in range(9)]
    alone = [("a.com/1", "x.org"), ("b.com", "x.org"), ("b.com", "y.org")]
    crowded = scores_by_name([*crowd, *alone[1:]])
    assert crowded["x.org"] / crowded["y.org"] == pytest.approx((1 + 5**0.5) / 2)
    assert scores_by_name(alone) == pytest.approx(
        {"b.com": 0, "a.com/1": 0} | {page: crowded[page] for page in ("x.org", "y.org")}
    )


def test_links_within_a_host_are_ignored() -> None:
    ranking = bharat_henzinger(BaseSet.from_any([("a.com/1", "a.com/2"), ("a.com/2", "a.com/1")]))
    assert not ranking.scores["authority"].any()
    assert ranking.certainty.note == "no links that count: all scores are zero"


TEXTS = {
    "root.com": "jaguar cat wild",
    "cats.com": "wild cat and jaguar",
    "cars.com": "engine and wheel",
    "x.org": "jaguar cat",
    "y.org": "engine",
}
BOTH = [("root.com", "x.org"), ("cats.com", "x.org"), ("cars.com", "y.org"), ("root.com", "y.org")]


def test_relevance_is_similarity_to_the_roots() -> None:
    base = base_with_texts(BOTH, TEXTS, "root.com")
    relevance = dict(zip(base.pages, text_relevance(base), strict=True))
    assert relevance["root.com"] == pytest.approx(1)
    assert relevance["cars.com"] == relevance["y.org"] == 0
    assert 0 < relevance["cats.com"] < 1


def test_cosine_by_hand() -> None:
    """`b` is on one of two pages, with idf log 2; `a` is on both, with idf zero."""
    base = base_with_texts([("r", "s")], {"r": "a b b", "s": "a"}, "r")
    assert text_relevance(base).tolist() == [1, 0]
    base = base_with_texts([("r", "s"), ("s", "t")], {"r": "a b", "s": "a c", "t": "c"}, "r")
    rare, common = np.log(3), np.log(3 / 2)
    wanted = common**2 / (np.hypot(rare, common) * np.hypot(common, common))
    np.testing.assert_allclose(text_relevance(base), [1, wanted, 0])


def test_only_the_first_words_of_roots_form_the_query() -> None:
    texts = {"r": "a b", "s": "b", "t": "c"}
    links = [("r", "s"), ("s", "t")]
    assert text_relevance(base_with_texts(links, texts, "r"), 2)[1] > 0
    assert text_relevance(base_with_texts(links, texts, "r"), 1)[1] == 0
    base = base_with_texts(links, {**texts, "r": "a " * 3 + "b"}, "r")
    assert bharat_henzinger(base, query_words=1).scores["hub"][1] == 0


def test_uncaptured_pages_have_the_median_relevance() -> None:
    texts = {"r": "a b", "s": "a c", "t": "c"}
    base = base_with_texts([("r", "s"), ("s", "t"), ("u", "t")], texts, "r")
    relevance = dict(zip(base.pages, text_relevance(base), strict=True))
    assert relevance["u"] == relevance["s"]


def test_off_topic_pages_count_less() -> None:
    base = base_with_texts(BOTH, TEXTS, "root.com")
    plain = bharat_henzinger(base, weigh_by_relevance=False).scores["authority"]
    ours = bharat_henzinger(base).scores["authority"]
    x, y = base.graph.page_numbers(["x.org", "y.org"])
    assert plain[x] == pytest.approx(plain[y])
    assert ours[x] > 1.1 * ours[y]


@pytest.mark.parametrize(
    ("prune", "links"),
    [
        ("none", 5),
        ("median", 3),  # cars.com and y.org are below, with their links
        ("root-median", 0),  # root.com alone is as relevant as itself
        ("tenth", 3),
    ],
)
def test_pages_below_the_threshold_are_pruned(prune: Any, links: int) -> None:
    base = base_with_texts([*BOTH, ("root.com", "cats.com")], TEXTS, "root.com")
    ranking = bharat_henzinger(base, prune=prune, weigh_by_relevance=False)
    assert len(ranking.contributions["authority"].links.ids) == links


def test_without_texts_or_query_all_weights_are_one() -> None:
    assert text_relevance(base_with_texts(BOTH, {}, "root.com")).tolist() == [1.0] * 5
    assert text_relevance(base_with_texts(BOTH, TEXTS, "root.com", query="")).tolist() == [1.0] * 5


def test_norm_and_early_stop() -> None:
    assert sum(scores_by_name(BOTH, norm="L1").values()) == pytest.approx(1)
    early = bharat_henzinger(BaseSet.from_any([*BOTH, ("z.com", "x.org")]), max_iter=2)
    assert not early.trace.converged
    breakdown = early.explain("root.com", "hub")
    assert breakdown.amounts.sum() + sum(breakdown.other_sources.values()) == pytest.approx(
        breakdown.score
    )


def test_two_equal_components_tie() -> None:
    certainty = bharat_henzinger(
        BaseSet.from_any([("a.com", "x.org"), ("b.com", "y.org")])
    ).certainty
    assert (certainty.unique, certainty.multiplicity, certainty.components) == (False, 2, 2)


@given(hosted)
def test_contributions_add_up(links: Links) -> None:
    ranking = bharat_henzinger(BaseSet.from_any(links))
    check_contributions(ranking, within=1e-8)


def test_on_a_collection(demo: Workspace) -> None:
    base = build_query_base_set(demo.collection, "jaguar")
    relevance = text_relevance(base)
    others = np.setdiff1d(np.arange(len(base)), base.roots)
    with_text = [k for k in others if base.texts[k]]
    assert np.median(relevance[base.roots]) > np.median(relevance[with_text])
    ranking = bharat_henzinger(base)
    assert ranking.trace.converged
    assert ranking.scores["authority"].max() > 0
