"""Stability under dropped links and pages: published changes, bounds, and seeds."""

from dataclasses import replace
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.webs import GRAPHS, Spec

from weft.core.errors import BadParameter
from weft.graph.webgraph import WebGraph
from weft.rank import Ranking, hits, indegree, pagerank, stability

every_graph = pytest.mark.parametrize("name", GRAPHS)
webs = st.lists(
    st.sampled_from(list(permutations("abcdef", 2))), min_size=2, max_size=20, unique=True
)


def without_first(graph: WebGraph, values: dict[str, Any]) -> WebGraph:
    ends = np.array(values["edges"][1:], np.int32).T - values["base"]
    return WebGraph.from_arrays(graph.pages, ends[0], ends[1])


@every_graph
def test_published_changes_without_the_first_link(name: str, spec: Spec) -> None:
    graph, values = spec(name)
    wanted, less = values["perturb_delete_first_edge"], without_first(graph, values)
    authority = hits(graph).scores["authority"] - hits(less).scores["authority"]
    assert np.sqrt(np.square(authority).sum()) == pytest.approx(wanted["hits_L2_change"], abs=1e-8)
    before = pagerank(graph).scores["score"]
    change = np.abs(before - pagerank(less).scores["score"]).sum()
    assert change == pytest.approx(wanted["pr_L1_change"], abs=1e-8)
    source = values["edges"][0][0] - values["base"]
    bound = 2 / 0.15 * before[source]
    assert bound == pytest.approx(wanted["pr_bound_NgZhengJordan_2_over_eps_sum"], abs=1e-7)
    assert change <= bound


@every_graph
def test_published_eigengap(name: str, spec: Spec) -> None:
    graph, values = spec(name)
    found = stability(graph, indegree, trials=1)
    assert found.eigengap == pytest.approx(values["hits"]["eigengap"], abs=1e-8)
    assert found.eigenvalue_ratio == pytest.approx(values["hits"]["ratio"], abs=1e-8)


@given(webs)
def test_pagerank_bound_for_changed_pages(links: list[tuple[str, str]]) -> None:
    """Ng, Zheng and Jordan, for one page whose links change."""
    graph = WebGraph.from_links(links)
    ends = graph.page_numbers([page for link in links[1:] for page in link]).reshape(-1, 2).T
    less = WebGraph.from_arrays(graph.pages, ends[0], ends[1])
    before = pagerank(graph).scores["score"]
    change = np.abs(before - pagerank(less).scores["score"]).sum()
    assert change <= 2 / 0.15 * before[graph.page_number(links[0][0])] + 1e-9


def test_dropping_nothing_changes_nothing(spec: Spec) -> None:
    found = stability(spec("G3_own10")[0], hits, trials=2, drop=0)
    assert (found.row["tau_b_min"], found.row["overlap_min"]) == (1, 1)
    assert found.row["rbo_min"] == pytest.approx(1)


def test_another_score_is_compared(spec: Spec) -> None:
    graph = spec("G3_own10")[0]
    hubs = stability(graph, hits, trials=5, drop=0.3, by="hub").row
    only_hubs = stability(graph, lambda g: _by_hubs(hits(g)), trials=5, drop=0.3).row
    assert hubs == only_hubs != stability(graph, hits, trials=5, drop=0.3).row
    assert stability(graph, hits, trials=1, top=3).trials[0].overlap.k == 3


def _by_hubs(found: Ranking) -> Ranking:
    return replace(found, scores={"hub": found.scores["hub"]})


def test_same_seed_same_trials(spec: Spec) -> None:
    graph = spec("G3_own10")[0]
    rows = [stability(graph, indegree, trials=5, drop=0.3, seed=s).row for s in (1, 1, 2)]
    assert rows[0] == rows[1] != rows[2]
    assert rows[0]["tau_b_min"] <= rows[0]["tau_b_mean"] < 1


def test_dropping_pages() -> None:
    links = [(a, b) for a, b in permutations("abcdefgh", 2) if a < b]
    found = stability(links, indegree, trials=10, drop=0.3, dropping="pages")
    assert found.row["tau_b_min"] == 1, "the in-degrees of the remaining pages keep their order"
    assert "30% of pages dropped in 10 trials" in repr(found)
    assert found.to_table().to_pylist() == [found.row]


def test_equal_components_have_no_eigengap() -> None:
    found = stability([("a", "x"), ("b", "y")], hits, trials=1)
    assert found.eigengap == pytest.approx(0, abs=1e-9)
    assert found.eigenvalue_ratio == pytest.approx(1)
    assert np.isnan(stability([("a", "a")], indegree, trials=1).eigenvalue_ratio)


@pytest.mark.parametrize("options", [{"trials": 0}, {"drop": 1.0}, {"drop": -0.1}])
def test_invalid_options(options: dict[str, Any]) -> None:
    with pytest.raises(BadParameter):
        stability([("a", "b")], indegree, **options)
