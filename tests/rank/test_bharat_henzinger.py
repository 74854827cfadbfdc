"""Bharat and Henzinger: one vote per host, votes by relevance, and HITS where neither counts."""

from dataclasses import replace
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rank.parts import check_parts
from tests.webs import GRAPHS, Links, webs

from weft.graph.baseset import LINKED, ROOT, BaseSet
from weft.graph.expand import expand
from weft.graph.webgraph import WebGraph
from weft.rank import bharat_henzinger, hits
from weft.rank.bharat_henzinger import host_votes, relevance
from weft.rank.mutual import judged, settle
from weft.run.workspace import Workspace

PAGES = ["a.com/1", "a.com/2", "b.com/1", "b.com/2", "c.com/1", "d.com/1"]
hosted = st.lists(st.sampled_from(list(permutations(PAGES, 2))), min_size=1, max_size=20)


def named(links: Links, score: str = "authority", **options: Any) -> dict[str, float]:
    ranking = bharat_henzinger(BaseSet.of(links), **options)
    return dict(zip(ranking.pages, ranking.scores[score].tolist(), strict=True))


def written(links: Links, texts: dict[str, str], roots: str, query: str = "jaguar") -> BaseSet:
    graph = WebGraph.from_links(links)
    base = BaseSet.whole(
        graph, query=query, read_texts=lambda: [texts.get(page, "") for page in graph.pages]
    )
    origin = [ROOT if page in roots.split() else LINKED for page in graph.pages]
    return replace(base, origin=np.array(origin, np.int32))


@pytest.mark.parametrize("name", GRAPHS)
def test_published_values(spec: Any, name: str) -> None:
    graph, values = spec(name)
    wanted = values["bharat_henzinger"]
    ranking = bharat_henzinger(BaseSet.of(graph))
    for side in ("authority", "hub"):
        np.testing.assert_allclose(ranking.scores[side], wanted[f"{side}_L2"], atol=1e-8)
    assert ranking.details["eigenvalue"] == pytest.approx(wanted["lam"], abs=1e-8)


@pytest.mark.parametrize("name", GRAPHS)
def test_published_weights(spec: Any, name: str) -> None:
    graph, values = spec(name)
    votes = host_votes(graph, np.ones(len(graph)))
    unit = np.eye(len(graph))
    authority = np.array([votes.forward(row) for row in unit])
    hub = np.array([votes.backward(row) for row in unit]).T
    np.testing.assert_allclose(authority, values["bharat_henzinger"]["auth_wt"], atol=1e-12)
    np.testing.assert_allclose(hub, values["bharat_henzinger"]["hub_wt"], atol=1e-12)


@pytest.mark.parametrize("name", GRAPHS)
def test_published_values_with_relevance(spec: Any, name: str) -> None:
    graph, values = spec(name)
    wanted = values["bharat_henzinger_relevance"]
    votes = host_votes(graph, np.array(wanted["W"]))
    scores = judged("x", graph.pages, votes, settle(votes, 1e-10, 1000, "x"), "L2").scores
    for side in ("authority", "hub"):
        np.testing.assert_allclose(scores[side], wanted[f"{side}_L2"], atol=1e-8)


@given(webs)
def test_pages_on_hosts_of_their_own_are_ranked_by_hits(links: Links) -> None:
    graph = WebGraph.from_links(links)
    ours, plain = bharat_henzinger(BaseSet.of(graph)), hits(graph)
    for side in ("authority", "hub"):
        np.testing.assert_allclose(ours.scores[side], plain.scores[side], atol=1e-6)


@given(hosted)
def test_a_host_has_one_vote_for_a_page(links: Links) -> None:
    graph = WebGraph.from_links(links)
    votes = host_votes(graph, np.ones(len(graph)))
    for host in "abcd":
        pages = np.array([page.startswith(host) for page in graph.pages], float)
        assert {round(vote, 9) for vote in votes.forward(pages)} <= {0, 1}
        assert {round(vote, 9) for vote in votes.backward(pages)} <= {0, 1}


def test_many_pages_of_a_host_say_no_more_than_one() -> None:
    """Links of one host count one together, like the link of b.com, which leads to y as well."""
    crowd = [(f"a.com/{k}", "x.org") for k in range(9)]
    alone = [("a.com/1", "x.org"), ("b.com", "x.org"), ("b.com", "y.org")]
    crowded = named([*crowd, *alone[1:]])
    assert crowded["x.org"] / crowded["y.org"] == pytest.approx((1 + 5**0.5) / 2)
    assert named(alone) == pytest.approx(
        {"b.com": 0, "a.com/1": 0} | {page: crowded[page] for page in ("x.org", "y.org")}
    )


def test_links_inside_a_host_count_for_nothing() -> None:
    ranking = bharat_henzinger(BaseSet.of([("a.com/1", "a.com/2"), ("a.com/2", "a.com/1")]))
    assert not ranking.scores["authority"].any()
    assert ranking.certainty.note == "no links that count: every score is zero"


TEXTS = {
    "root.com": "jaguar cat wild",
    "cats.com": "wild cat and jaguar",
    "cars.com": "engine and wheel",
    "x.org": "jaguar cat",
    "y.org": "engine",
}
BOTH = [("root.com", "x.org"), ("cats.com", "x.org"), ("cars.com", "y.org"), ("root.com", "y.org")]


def test_relevance_is_likeness_to_the_roots() -> None:
    base = written(BOTH, TEXTS, "root.com")
    found = dict(zip(base.pages, relevance(base), strict=True))
    assert found["root.com"] == pytest.approx(1)
    assert found["cars.com"] == found["y.org"] == 0
    assert 0 < found["cats.com"] < 1


def test_cosine_by_hand() -> None:
    """Of two pages `b` has the one word alone, so it weighs log 2 and `a` weighs nothing."""
    base = written([("r", "s")], {"r": "a b b", "s": "a"}, "r")
    assert relevance(base).tolist() == [1, 0]
    base = written([("r", "s"), ("s", "t")], {"r": "a b", "s": "a c", "t": "c"}, "r")
    rare, common = np.log(3), np.log(3 / 2)
    wanted = common**2 / (np.hypot(rare, common) * np.hypot(common, common))
    np.testing.assert_allclose(relevance(base), [1, wanted, 0])


def test_only_opening_words_of_roots_ask() -> None:
    texts = {"r": "a b", "s": "b", "t": "c"}
    links = [("r", "s"), ("s", "t")]
    assert relevance(written(links, texts, "r"), 2)[1] > 0
    assert relevance(written(links, texts, "r"), 1)[1] == 0
    base = written(links, {**texts, "r": "a " * 3 + "b"}, "r")
    assert bharat_henzinger(base, opening=1).scores["hub"][1] == 0


def test_pages_never_fetched_count_as_the_median_page() -> None:
    texts = {"r": "a b", "s": "a c", "t": "c"}
    base = written([("r", "s"), ("s", "t"), ("u", "t")], texts, "r")
    found = dict(zip(base.pages, relevance(base), strict=True))
    assert found["u"] == found["s"]


def test_opinions_of_pages_off_the_topic_count_less() -> None:
    base = written(BOTH, TEXTS, "root.com")
    plain = bharat_henzinger(base, regulated=False).scores["authority"]
    ours = bharat_henzinger(base).scores["authority"]
    x, y = base.graph.numbers(["x.org", "y.org"])
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
def test_pages_below_a_threshold_are_left_out(prune: Any, links: int) -> None:
    base = written([*BOTH, ("root.com", "cats.com")], TEXTS, "root.com")
    ranking = bharat_henzinger(base, prune=prune, regulated=False)
    assert len(ranking.parts["authority"].rows.ids) == links


def test_without_texts_or_query_all_pages_count_alike() -> None:
    assert relevance(written(BOTH, {}, "root.com")).tolist() == [1.0] * 5
    assert relevance(written(BOTH, TEXTS, "root.com", query="")).tolist() == [1.0] * 5


def test_norm_and_early_stop() -> None:
    assert sum(named(BOTH, norm="L1").values()) == pytest.approx(1)
    early = bharat_henzinger(BaseSet.of([*BOTH, ("z.com", "x.org")]), limit=2)
    assert not early.trace.converged
    why = early.why("root.com", "hub")
    assert why.amounts.sum() + sum(why.rest.values()) == pytest.approx(why.score)


def test_two_equal_components_tie() -> None:
    sure = bharat_henzinger(BaseSet.of([("a.com", "x.org"), ("b.com", "y.org")])).certainty
    assert (sure.unique, sure.multiplicity, sure.components) == (False, 2, 2)


@given(hosted)
def test_parts_add_up(links: Links) -> None:
    ranking = bharat_henzinger(BaseSet.of(links))
    check_parts(ranking, within=1e-8)


def test_on_a_collection(demo: Workspace) -> None:
    base = expand(demo.collection, "jaguar")
    found = relevance(base)
    roots = base.roots
    others = np.setdiff1d(np.arange(len(base)), roots)
    fetched = [k for k in others if base.texts[k]]
    assert np.median(found[roots]) > np.median(found[fetched])
    ranking = bharat_henzinger(base)
    assert ranking.trace.converged
    assert ranking.scores["authority"].max() > 0
