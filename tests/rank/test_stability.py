"""Rankings under small losses: by the published changes, by bounds, by seeds."""

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
def test_published_changes_when_the_first_link_goes(name: str, spec: Spec) -> None:
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
def test_published_gap(name: str, spec: Spec) -> None:
    graph, values = spec(name)
    found = stability(graph, indegree, trials=1)
    assert found.gap == pytest.approx(values["hits"]["eigengap"], abs=1e-8)
    assert found.ratio == pytest.approx(values["hits"]["ratio"], abs=1e-8)


@given(webs)
def test_no_pagerank_moves_more_than_the_pages_that_changed(links: list[tuple[str, str]]) -> None:
    """The bound of Ng, Zheng and Jordan for a page whose links change."""
    graph = WebGraph.from_links(links)
    ends = graph.numbers([page for link in links[1:] for page in link]).reshape(-1, 2).T
    less = WebGraph.from_arrays(graph.pages, ends[0], ends[1])
    before = pagerank(graph).scores["score"]
    change = np.abs(before - pagerank(less).scores["score"]).sum()
    assert change <= 2 / 0.15 * before[graph.number(links[0][0])] + 1e-9


def test_nothing_dropped_is_nothing_changed(spec: Spec) -> None:
    found = stability(spec("G3_own10")[0], hits, trials=2, drop=0)
    assert (found.row["tau_b_min"], found.row["overlap_min"]) == (1, 1)
    assert found.row["rbo_min"] == pytest.approx(1)


def test_another_score_is_compared(spec: Spec) -> None:
    graph = spec("G3_own10")[0]
    hubs = stability(graph, hits, trials=5, drop=0.3, by="hub").row
    turned = stability(graph, lambda g: _by_hubs(hits(g)), trials=5, drop=0.3).row
    assert hubs == turned != stability(graph, hits, trials=5, drop=0.3).row
    assert stability(graph, hits, trials=1, top=3).trials[0].overlap.k == 3


def _by_hubs(found: Ranking) -> Ranking:
    return replace(found, scores={"hub": found.scores["hub"]})


def test_a_seed_repeats_and_another_does_not(spec: Spec) -> None:
    graph = spec("G3_own10")[0]
    rows = [stability(graph, indegree, trials=5, drop=0.3, seed=s).row for s in (1, 1, 2)]
    assert rows[0] == rows[1] != rows[2]
    assert rows[0]["tau_b_min"] <= rows[0]["tau_b_mean"] < 1


def test_pages_can_be_dropped_and_survivors_are_compared() -> None:
    links = [(a, b) for a, b in permutations("abcdefgh", 2) if a < b]
    found = stability(links, indegree, trials=10, drop=0.3, dropping="pages")
    assert found.row["tau_b_min"] == 1, "who is linked from more of the rest stays so"
    assert "30% of pages dropped 10 times" in repr(found)
    assert found.to_table().to_pylist() == [found.row]


def test_two_equal_topics_have_no_gap() -> None:
    found = stability([("a", "x"), ("b", "y")], hits, trials=1)
    assert found.gap == pytest.approx(0, abs=1e-9)
    assert found.ratio == pytest.approx(1)
    assert np.isnan(stability([("a", "a")], indegree, trials=1).ratio)


@pytest.mark.parametrize("options", [{"trials": 0}, {"drop": 1.0}, {"drop": -0.1}])
def test_senseless_trials_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(BadParameter):
        stability([("a", "b")], indegree, **options)
