"""PageRank by hand, by published values, by its identities, and against other libraries."""

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
from weft.rank import Ranking, pagerank, personalised_pagerank
from weft.rank.pagerank import RandomSurfer, solve_pagerank, uniform_distribution

RULES: list[Dangling] = ["teleport", "uniform", "self", "leak"]
web = WebGraph.from_links
dampings = st.floats(0.05, 0.95)
rules = st.sampled_from(RULES)
FAN = [("a", "x"), ("b", "x"), ("b", "y")]


def scores(links: Any, **options: Any) -> dict[str, float]:
    ranking = pagerank(links, **options)
    return dict(zip(ranking.pages, ranking.scores["score"].tolist(), strict=True))


def sums(ranking: Ranking, name: str = "score") -> list[float]:
    breakdowns = [ranking.explain(page, name) for page in ranking.pages]
    return [
        float(breakdown.amounts.sum()) + sum(breakdown.other_sources.values())
        for breakdown in breakdowns
    ]


def test_by_hand() -> None:
    """Each page has (1-d)/n = 1/8; x gets d of a's and half of d of b's."""
    found = scores(FAN, damping=0.5, dangling="leak")
    assert found == pytest.approx({"a": 1 / 8, "b": 1 / 8, "x": 7 / 32, "y": 5 / 32})


def test_a_cycle_is_uniform() -> None:
    ring = [("a", "b"), ("b", "c"), ("c", "a")]
    assert list(scores(ring).values()) == pytest.approx([1 / 3] * 3)


def test_lecture_example(spec: Spec) -> None:
    found = pagerank(spec("G2_seed002_pr5")[0], damping=0.9).scores["score"]
    assert np.round(found, 2).tolist() == [0.15, 0.36, 0.24, 0.20, 0.05]


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize(
    ("key", "options"),
    [
        ("pagerank_follow0.85_dangling_uniform", {}),
        ("pagerank_follow0.85_dangling_uniform", {"dangling": "uniform"}),
        ("pagerank_follow0.90_dangling_uniform", {"damping": 0.9}),
        ("pagerank_follow0.85_dangling_self", {"dangling": "self"}),
        ("pagerank_seed000_d0.85_leaky", {"normalization": "classic"}),
    ],
)
def test_published_values(spec: Spec, name: str, key: str, options: dict[str, Any]) -> None:
    graph, values = spec(name)
    found = pagerank(graph, **options).scores["score"]
    np.testing.assert_allclose(found, values[key], atol=1e-8)


@given(webs, dampings, rules)
def test_scores_are_stationary(links: Links, damping: float, rule: Dangling) -> None:
    graph = WebGraph.from_links(links)
    x = pagerank(graph, damping=damping, dangling=rule).scores["score"]
    out = {page: [t for s, t in set(links) if s == page] for page in graph.pages}
    y = dict.fromkeys(graph.pages, (1 - damping) / len(graph))
    for page, value in zip(graph.pages, x, strict=True):
        targets = out[page]
        if not targets and rule != "leak":
            targets = [page] if rule == "self" else list(graph.pages)
        for target in targets:
            y[target] += damping * float(value) / len(targets)
    np.testing.assert_allclose(x, list(y.values()), atol=1e-8)


@given(webs, dampings, st.sampled_from(["teleport", "uniform", "self"]))
def test_scores_sum_to_one(links: Links, damping: float, rule: Dangling) -> None:
    found = pagerank(web(links), damping=damping, dangling=rule, max_iter=3).scores["score"]
    assert found.sum() == pytest.approx(1, abs=1e-12)
    assert found.min() > 0


@given(webs, dampings)
def test_classic_normalization_only_scales(links: Links, damping: float) -> None:
    classic = pagerank(web(links), damping=damping, normalization="classic").scores["score"]
    even = pagerank(web(links), damping=damping).scores["score"]
    np.testing.assert_allclose(classic / classic.sum(), even, atol=1e-8)


@given(webs)
def test_pages_without_inlinks_score_lowest(links: Links) -> None:
    found = scores(links)
    for page in set(found) - {target for _, target in links}:
        assert found[page] == pytest.approx(min(found.values()), abs=1e-12)


@given(webs, st.data())
def test_few_changed_links_change_scores_little(links: Links, data: st.DataObject) -> None:
    """Ng, Zheng and Jordan: the L1 change is at most 2 / (1-d) times the changed pages' scores."""
    changed = data.draw(st.sets(st.sampled_from("abcdef"), min_size=1, max_size=3))
    others = data.draw(webs)
    kept = [link for link in links if link[0] not in changed]
    fresh = [link for link in others if link[0] in changed]
    everyone = [(page, page) for page in "abcdef"]
    before, after = scores(everyone + links), scores(everyone + kept + fresh)
    moved = sum(abs(before[page] - after[page]) for page in before)
    assert moved <= 2 / 0.15 * sum(before[page] for page in changed) + 1e-9


@given(webs, dampings, rules, st.integers(1, 30))
def test_the_error_bound_holds(links: Links, damping: float, rule: Dangling, max_iter: int) -> None:
    graph = WebGraph.from_links(links)
    teleport = np.arange(1.0, len(graph) + 1)
    teleport /= teleport.sum()
    early, _, trace = solve_pagerank(graph, teleport, damping, rule, max_iter=max_iter)
    late, _, _ = solve_pagerank(graph, teleport, damping, rule, tol=1e-15)
    assert np.abs(early - late).sum() <= trace.error + 1e-12


@given(webs, rules, st.sampled_from(["sum", "classic"]))
def test_contributions_add_up(
    links: Links, rule: Dangling, normalization: Literal["sum", "classic"]
) -> None:
    ranking = pagerank(web(links), dangling=rule, normalization=normalization)
    assert sums(ranking) == pytest.approx(ranking.scores["score"].tolist(), abs=1e-9)


@given(webs, rules)
def test_several_teleport_vectors_at_once(links: Links, rule: Dangling) -> None:
    graph = WebGraph.from_links(links)
    teleports = np.column_stack([uniform_distribution(len(graph)), np.eye(len(graph))[0]])
    both, _ = RandomSurfer.from_graph(graph, 0.8, rule, weighted=False).stationary_distribution(
        teleports, 1e-12, 1000
    )
    for k in range(2):
        single, _, _ = solve_pagerank(graph, teleports[:, k], 0.8, rule, tol=1e-12)
        np.testing.assert_allclose(both[:, k], single, atol=1e-10)


def test_weights_split_the_score_of_a_page() -> None:
    links = [("a", "x", 3.0), ("a", "y", 1.0)]
    found = scores(links, weighted=True, dangling="leak", damping=0.5)
    assert found["x"] - found["a"] == pytest.approx(3 * (found["y"] - found["a"]))
    assert scores(links)["x"] == pytest.approx(scores(links)["y"])


def test_an_early_stop_is_reported() -> None:
    ring = [("a", "b"), ("b", "a"), ("c", "a")]
    trace = pagerank(web(ring), max_iter=2).trace
    assert not trace.converged
    assert trace.stopped == "max_iter"
    larger = web([*ring, ("b", "c"), ("c", "d"), ("d", "b"), ("a", "e"), ("e", "d")])
    assert pagerank(larger, tol=0.01).trace.iterations < pagerank(larger).trace.iterations


@pytest.mark.parametrize("rule", RULES)
def test_without_links_scores_are_equal(rule: Dangling) -> None:
    ranking = pagerank(web([("a", "a"), ("b", "b")]), dangling=rule)
    total = 0.15 if rule == "leak" else 1.0
    assert ranking.scores["score"].tolist() == pytest.approx([total / 2] * 2)
    assert "no links" in ranking.certainty.note
    assert len(pagerank(web([]), dangling=rule)) == 0


@pytest.mark.parametrize("seed", range(3))
def test_agrees_with_networkx(seed: int) -> None:
    graph = nx.gnp_random_graph(40, 0.05, seed=seed, directed=True)
    wanted = nx.pagerank(graph, alpha=0.9, tol=1e-13, max_iter=1000)
    assert scores(graph, damping=0.9) == pytest.approx(
        {str(node): value for node, value in wanted.items()}, abs=1e-9
    )
    theirs = nx.pagerank(graph, personalization={0: 3.0, 5: 1.0}, tol=1e-13, max_iter=1000)
    ours = personalised_pagerank(graph, seeds=["0", "5"], seed_weights=[3.0, 1.0]).scores["score"]
    np.testing.assert_allclose(ours, list(theirs.values()), atol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_agrees_with_igraph(seed: int) -> None:
    graph = nx.gnp_random_graph(40, 0.05, seed=seed, directed=True)
    other = igraph.Graph(40, list(graph.edges), directed=True)
    np.testing.assert_allclose(pagerank(graph).scores["score"], other.pagerank(), atol=1e-9)
    ours = personalised_pagerank(graph, seeds=["3", "7"], damping=0.7).scores["score"]
    theirs = other.personalized_pagerank(reset_vertices=[3, 7], damping=0.7)
    np.testing.assert_allclose(ours, theirs, atol=1e-9)


def test_agrees_with_scikit_network() -> None:
    """Of its solvers (0.33), only RH and `diteration` let surfers jump from dangling pages.

    With `piteration`, the default, `lanczos` and `bicgstab` such pages score
    too high; `diteration` is not reproducible.
    """
    ranking = pytest.importorskip("sknetwork.ranking")
    graph = nx.gnp_random_graph(40, 0.05, seed=1, directed=True)
    solver = ranking.PageRank(solver="RH", n_iter=1000)
    theirs = solver.fit_predict(nx.to_numpy_array(graph))
    np.testing.assert_allclose(pagerank(graph).scores["score"], theirs, atol=1e-8)
