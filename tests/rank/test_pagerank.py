"""PageRank by hand, as published, by its identities, and as other libraries have it."""

from typing import Any, Literal

import igraph
import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.webs import GRAPHS, Links, Spec, webs

from weft.core.params import Dangling
from weft.graph.webgraph import WebGraph
from weft.rank import Ranking, pagerank, personalised
from weft.rank.pagerank import Reader, evenly, surf

RULES: list[Dangling] = ["teleport", "uniform", "self", "leak"]
web = WebGraph.from_links
follows = st.floats(0.05, 0.95)
rules = st.sampled_from(RULES)
FAN = [("a", "x"), ("b", "x"), ("b", "y")]


def scores(links: Any, **options: Any) -> dict[str, float]:
    ranking = pagerank(links, **options)
    return dict(zip(ranking.pages, ranking.scores["score"].tolist(), strict=True))


def sums(ranking: Ranking, name: str = "score") -> list[float]:
    whys = [ranking.why(page, name) for page in ranking.pages]
    return [float(why.amounts.sum()) + sum(why.rest.values()) for why in whys]


def test_by_hand() -> None:
    """Walks from a quarter each: x gets half of it from a and a quarter from b."""
    found = scores(FAN, follow=0.5, dangling="leak")
    assert found == pytest.approx({"a": 1 / 8, "b": 1 / 8, "x": 7 / 32, "y": 5 / 32})


def test_a_ring_is_even() -> None:
    ring = [("a", "b"), ("b", "c"), ("c", "a")]
    assert list(scores(ring).values()) == pytest.approx([1 / 3] * 3)


def test_as_printed_in_the_lecture(spec: Spec) -> None:
    found = pagerank(spec("G2_seed002_pr5")[0], follow=0.9).scores["score"]
    assert np.round(found, 2).tolist() == [0.15, 0.36, 0.24, 0.20, 0.05]


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize(
    ("key", "options"),
    [
        ("pagerank_follow0.85_dangling_uniform", {}),
        ("pagerank_follow0.85_dangling_uniform", {"dangling": "uniform"}),
        ("pagerank_follow0.90_dangling_uniform", {"follow": 0.9}),
        ("pagerank_follow0.85_dangling_self", {"dangling": "self"}),
        ("pagerank_seed000_d0.85_leaky", {"form": "classic"}),
    ],
)
def test_published_values(spec: Spec, name: str, key: str, options: dict[str, Any]) -> None:
    graph, values = spec(name)
    found = pagerank(graph, **options).scores["score"]
    np.testing.assert_allclose(found, values[key], atol=1e-8)


@given(webs, follows, rules)
def test_scores_are_what_one_more_step_gives(links: Links, follow: float, rule: Dangling) -> None:
    graph = WebGraph.from_links(links)
    x = pagerank(graph, follow=follow, dangling=rule).scores["score"]
    out = {page: [t for s, t in set(links) if s == page] for page in graph.pages}
    y = dict.fromkeys(graph.pages, (1 - follow) / len(graph))
    for page, value in zip(graph.pages, x, strict=True):
        targets = out[page]
        if not targets and rule != "leak":
            targets = [page] if rule == "self" else list(graph.pages)
        for target in targets:
            y[target] += follow * float(value) / len(targets)
    np.testing.assert_allclose(x, list(y.values()), atol=1e-8)


@given(webs, follows, st.sampled_from(["teleport", "uniform", "self"]))
def test_scores_sum_to_one(links: Links, follow: float, rule: Dangling) -> None:
    found = pagerank(web(links), follow=follow, dangling=rule, limit=3).scores["score"]
    assert found.sum() == pytest.approx(1, abs=1e-12)
    assert found.min() > 0


@given(webs, follows)
def test_the_classic_form_is_the_same_on_another_scale(links: Links, follow: float) -> None:
    classic = pagerank(web(links), follow=follow, form="classic").scores["score"]
    even = pagerank(web(links), follow=follow).scores["score"]
    np.testing.assert_allclose(classic / classic.sum(), even, atol=1e-8)


@given(webs)
def test_pages_without_links_to_them_score_least(links: Links) -> None:
    found = scores(links)
    for page in set(found) - {target for _, target in links}:
        assert found[page] == pytest.approx(min(found.values()), abs=1e-12)


@given(webs, st.data())
def test_few_changed_links_change_little(links: Links, data: st.DataObject) -> None:
    """Ng, Zheng and Jordan: pages whose links change move at most so much of the whole."""
    changed = data.draw(st.sets(st.sampled_from("abcdef"), min_size=1, max_size=3))
    others = data.draw(webs)
    kept = [link for link in links if link[0] not in changed]
    fresh = [link for link in others if link[0] in changed]
    everyone = [(page, page) for page in "abcdef"]
    before, after = scores(everyone + links), scores(everyone + kept + fresh)
    moved = sum(abs(before[page] - after[page]) for page in before)
    assert moved <= 2 / 0.15 * sum(before[page] for page in changed) + 1e-9


@given(webs, follows, rules, st.integers(1, 30))
def test_the_error_is_bounded(links: Links, follow: float, rule: Dangling, limit: int) -> None:
    graph = WebGraph.from_links(links)
    jump = np.arange(1.0, len(graph) + 1)
    jump /= jump.sum()
    early, _, trace = surf(graph, jump, follow, rule, limit=limit)
    late, _, _ = surf(graph, jump, follow, rule, tolerance=1e-15)
    assert np.abs(early - late).sum() <= trace.error + 1e-12


@given(webs, rules, st.sampled_from(["sum", "classic"]))
def test_parts_add_up(links: Links, rule: Dangling, form: Literal["sum", "classic"]) -> None:
    ranking = pagerank(web(links), dangling=rule, form=form)
    assert sums(ranking) == pytest.approx(ranking.scores["score"].tolist(), abs=1e-9)


@given(webs, rules)
def test_several_at_once_are_each_alone(links: Links, rule: Dangling) -> None:
    graph = WebGraph.from_links(links)
    jumps = np.column_stack([evenly(len(graph)), np.eye(len(graph))[0]])
    both, _ = Reader.of(graph, 0.8, rule, weighted=False).read(jumps, 1e-12, 1000)
    for k in range(2):
        alone, _, _ = surf(graph, jumps[:, k], 0.8, rule, tolerance=1e-12)
        np.testing.assert_allclose(both[:, k], alone, atol=1e-10)


def test_weights_share_out_what_a_page_passes_on() -> None:
    links = [("a", "x", 3.0), ("a", "y", 1.0)]
    found = scores(links, weighted=True, dangling="leak", follow=0.5)
    assert found["x"] - found["a"] == pytest.approx(3 * (found["y"] - found["a"]))
    assert scores(links)["x"] == pytest.approx(scores(links)["y"])


def test_an_early_stop_is_told() -> None:
    ring = [("a", "b"), ("b", "a"), ("c", "a")]
    trace = pagerank(web(ring), limit=2).trace
    assert not trace.converged
    assert trace.stopped == "limit"
    round_ = web([*ring, ("b", "c"), ("c", "d"), ("d", "b"), ("a", "e"), ("e", "d")])
    assert pagerank(round_, tolerance=0.01).trace.rounds < pagerank(round_).trace.rounds


@pytest.mark.parametrize("rule", RULES)
def test_without_links_jumps_are_all(rule: Dangling) -> None:
    ranking = pagerank(web([("a", "a"), ("b", "b")]), dangling=rule)
    total = 0.15 if rule == "leak" else 1.0
    assert ranking.scores["score"].tolist() == pytest.approx([total / 2] * 2)
    assert "no links" in ranking.certainty.note
    assert len(pagerank(web([]), dangling=rule)) == 0


@pytest.mark.parametrize("seed", range(3))
def test_as_networkx_has_it(seed: int) -> None:
    graph = nx.gnp_random_graph(40, 0.05, seed=seed, directed=True)
    wanted = nx.pagerank(graph, alpha=0.9, tol=1e-13, max_iter=1000)
    assert scores(graph, follow=0.9) == pytest.approx(
        {str(node): value for node, value in wanted.items()}, abs=1e-9
    )
    some = {0: 3.0, 5: 1.0}
    biased = nx.pagerank(graph, personalization=some, tol=1e-13, max_iter=1000)
    mine = personalised(graph, seeds=["0", "5"], seed_weights=[3.0, 1.0]).scores["score"]
    np.testing.assert_allclose(mine, list(biased.values()), atol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_as_igraph_has_it(seed: int) -> None:
    graph = nx.gnp_random_graph(40, 0.05, seed=seed, directed=True)
    other = igraph.Graph(40, list(graph.edges), directed=True)
    np.testing.assert_allclose(pagerank(graph).scores["score"], other.pagerank(), atol=1e-9)
    mine = personalised(graph, seeds=["3", "7"], follow=0.7).scores["score"]
    theirs = other.personalized_pagerank(reset_vertices=[3, 7], damping=0.7)
    np.testing.assert_allclose(mine, theirs, atol=1e-9)


def test_as_scikit_network_has_it_where_it_is_right() -> None:
    """Of its solvers (0.33), this one and `diteration` let readers jump from pages without links.

    With `piteration`, the default, `lanczos` and `bicgstab` such pages score
    too much; `diteration` gives another answer on some runs.
    """
    ranking = pytest.importorskip("sknetwork.ranking")
    graph = nx.gnp_random_graph(40, 0.05, seed=1, directed=True)
    solver = ranking.PageRank(solver="RH", n_iter=1000)
    theirs = solver.fit_predict(nx.to_numpy_array(graph))
    np.testing.assert_allclose(pagerank(graph).scores["score"], theirs, atol=1e-8)
