"""PageRank by clicks: worked values, its equation, and PageRank without clicks."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.webs import Links, webs

from weft.graph.transitions import Sessions, Transitions
from weft.graph.webgraph import WebGraph
from weft.rank import pagerank, usage_pagerank

VALUES = json.loads((Path(__file__).parents[1] / "data" / "mining-values.json").read_text())
WORKED = VALUES["usage_pagerank"]
paths = st.lists(st.lists(st.sampled_from("abcdef"), max_size=8), max_size=8)


def worked_sessions() -> Sessions:
    """A session of one click for each, and the links that were clicked."""
    clicks = [link.split("->") for link, count in WORKED["counts"].items() for _ in range(count)]
    return Sessions.from_paths(clicks, links=[tuple(link.split("->")) for link in WORKED["counts"]])


def scores(data: Any, **options: Any) -> dict[str, float]:
    ranking = usage_pagerank(data, **options)
    return dict(zip(ranking.pages, ranking.scores["score"].tolist(), strict=True))


def test_worked_values() -> None:
    found = scores(worked_sessions(), pseudo_clicks=0, teleport="uniform")
    assert found == pytest.approx(WORKED["usage_weighted"], abs=1e-9)
    plain = pagerank(worked_sessions().graph).scores["score"]
    wanted = [WORKED["plain"][page] for page in worked_sessions().graph.pages]
    np.testing.assert_allclose(plain, wanted, atol=1e-9)


@given(webs)
def test_without_clicks_it_is_pagerank(links: Links) -> None:
    found = scores(Sessions.from_paths([], links=links))
    graph = WebGraph.from_links(links)
    plain = dict(zip(graph.pages, pagerank(graph).scores["score"].tolist(), strict=True))
    assert found == pytest.approx(plain, abs=1e-9)


@given(paths, webs, st.sampled_from([0.0, 0.1, 1.0, 3.0]), st.floats(0.1, 0.95))
def test_scores_are_stationary(
    sessions_of: list[list[str]], links: Links, eps: float, damping: float
) -> None:
    sessions = Sessions.from_paths(sessions_of, links=links)
    n, number = len(sessions.graph), {p: k for k, p in enumerate(sessions.graph.pages)}
    weight = np.zeros((n, n))
    for source, target in set(links):
        weight[number[source], number[target]] += eps
    for path in sessions:
        np.add.at(weight, (path[:-1], path[1:]), 1)
    np.fill_diagonal(weight, 0)
    jump = sessions.transitions.entries + 1.0
    jump /= jump.sum()
    out = weight.sum(axis=1)
    chain = np.where(out[:, None] > 0, weight / np.maximum(out, 1e-300)[:, None], jump)
    x = np.array(list(scores(sessions, pseudo_clicks=eps, damping=damping, tol=1e-12).values()))
    np.testing.assert_allclose(x, (1 - damping) * jump + damping * x @ chain, atol=1e-8)
    assert x.sum() == pytest.approx(1, abs=1e-12)


def test_measured_damping_is_the_share_of_views_that_go_on() -> None:
    ranking = usage_pagerank(["abc", "ab", "a"], measured_damping=True)
    assert ranking.details["damping"] == pytest.approx(3 / 6)
    assert usage_pagerank(["a"], measured_damping=True).details["damping"] == pytest.approx(0.001)
    assert usage_pagerank([], measured_damping=True).details["damping"] == 0.85


def test_clicks_count_and_reloads_do_not() -> None:
    found = scores(["ab", "ab", "ac"], teleport="uniform")
    assert found["b"] - found["a"] == pytest.approx(2 * (found["c"] - found["a"]))
    assert scores(["ab", "ab", "ac", "aa"], teleport="uniform") == pytest.approx(found)


def test_pages_that_nobody_found_are_not_lost() -> None:
    sessions = Sessions.from_paths(["ab"], links=[("a", "b"), ("a", "x")])
    assert scores(sessions)["x"] > scores(sessions, pseudo_clicks=0)["x"] > 0


def test_contributions_name_the_clicks() -> None:
    ranking = usage_pagerank(["ab", "ab", "cb"])
    table = ranking.explain("b").to_table()
    assert table["from"].to_pylist()[0] == "a"
    assert sum(table["amount"].to_pylist()) == pytest.approx(ranking["b"].score)


def test_transitions_are_taken_as_they_are() -> None:
    transitions = Transitions.from_any(["ab", "cb"])
    assert scores(transitions) == pytest.approx(scores(["ab", "cb"]))
