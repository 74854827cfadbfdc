"""CLEVER: query terms in anchor texts count; without any it is HITS."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rank.contributions import check_contributions
from tests.webs import Links, webs

from weft.graph.baseset.baseset import ANCHOR_SCHEMA, BaseSet
from weft.graph.baseset.expand import build_query_base_set
from weft.graph.webgraph import WebGraph
from weft.rank import clever, hits
from weft.rank.clever import count_query_mentions
from weft.workspace.workspace import Workspace

Window = tuple[str, str, str, str, str]


def base_with_anchors(graph: WebGraph, windows: list[Window], query: str = "jaguar") -> BaseSet:
    """A base set from (source, target, before, anchor, after)."""
    rows = [
        {
            "source": graph.page_number(source),
            "target": graph.page_number(target),
            "before": before,
            "anchor": anchor,
            "after": after,
        }
        for source, target, before, anchor, after in windows
    ]
    table = pa.Table.from_pylist(rows, schema=ANCHOR_SCHEMA)
    return BaseSet.from_graph(graph, query=query, read_anchors=lambda: table)


def count_mentions(*windows: Window, query: str = "jaguar") -> list[float]:
    graph = WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y")])
    return list(count_query_mentions(base_with_anchors(graph, list(windows), query)))


@pytest.mark.parametrize("name", ["G1_seed002_hits7", "G2_seed002_pr5", "G3_own10"])
@pytest.mark.parametrize(("iterations", "state"), [(5, "5iter"), (0, "converged")])
def test_published_values(spec: Any, name: str, iterations: int, state: str) -> None:
    graph, values = spec(name)
    edges = np.array(values["edges"]) - values["base"]
    windows = [
        (graph.pages[s], graph.pages[t], "", "jaguar " * (k % 3), "")
        for k, (s, t) in enumerate(edges)
    ]
    ranking = clever(base_with_anchors(graph, windows), iterations=iterations)
    for side in ("authority", "hub"):
        wanted = values["arc"][f"{side}_L2_{state}"]
        np.testing.assert_allclose(ranking.scores[side], wanted, atol=1e-8)
    assert ranking.trace.converged == (iterations == 0)


def test_terms_are_counted_in_the_anchor_and_around_it() -> None:
    assert count_mentions(("a", "x", "jaguar and Jaguar", "JAGUAR", "a jaguar.")) == [4, 0, 0]


def test_anchors_of_links_outside_the_graph_are_ignored() -> None:
    assert count_mentions(("a", "y", "", "jaguar", ""), ("y", "a", "", "jaguar", "")) == [0, 0, 0]


def test_only_whole_words_count() -> None:
    assert count_mentions(("a", "x", "jaguars", "xjaguar", "jaguar2")) == [0, 0, 0]


def test_parallel_links_add_up() -> None:
    windows = [
        ("b", "y", "", "jaguar", ""),
        ("b", "x", "", "none", ""),
        ("b", "y", "", "jaguar", ""),
    ]
    assert count_mentions(*windows) == [0, 0, 2]


def test_words_and_phrases_of_the_query_count() -> None:
    window = ("a", "x", "the jaguar e-type", "type e", "E - Type")
    assert count_mentions(window, query='jaguar "e-type"') == [3, 0, 0]


def test_a_link_with_query_terms_weighs_more() -> None:
    """The link to x weighs two, that to y one."""
    graph = WebGraph.from_links([("a", "x"), ("a", "y")])
    base = base_with_anchors(graph, [("a", "x", "", "jaguar", "")])
    scores = clever(base, norm="L1").scores["authority"]
    assert scores.tolist() == pytest.approx([0, 2 / 3, 1 / 3])


@given(webs)
def test_without_query_terms_in_anchors_it_is_hits(links: Links) -> None:
    graph = WebGraph.from_links(links)
    base = base_with_anchors(graph, [(s, t, "", "here", "") for s, t in links])
    for side in ("authority", "hub"):
        wanted = hits(graph).scores[side]
        np.testing.assert_allclose(clever(base).scores[side], wanted, atol=1e-7)
        np.testing.assert_allclose(clever(BaseSet.from_any(links)).scores[side], wanted, atol=1e-7)


def test_certainty_is_that_of_hits_for_equal_weights() -> None:
    links = [("a", "x"), ("b", "x"), ("b", "y")]
    assert clever(links).certainty == hits(links).certainty
    assert clever(links).certainty.gap == pytest.approx(1 - ((5**0.5 - 1) / 2) ** 4)
    assert np.isnan(clever(links, iterations=2).certainty.gap)


@given(webs, st.integers(0, 6))
def test_contributions_add_up(links: Links, iterations: int) -> None:
    graph = WebGraph.from_links(links)
    base = base_with_anchors(graph, [(*links[0], "", "jaguar", "")])
    ranking = clever(base, iterations=iterations)
    check_contributions(ranking, within=1e-8)


def test_no_links() -> None:
    ranking = clever(BaseSet.from_any([("a", "a")]), iterations=5)
    assert ranking.scores["authority"].tolist() == [0]
    assert ranking.trace.converged


def test_on_a_collection(demo: Workspace) -> None:
    base = build_query_base_set(demo.collection, "jaguar", steps=2)
    mentions = count_query_mentions(base)
    assert len(mentions) == base.graph.link_count
    assert mentions.max() > 0
    authority = clever(base).scores["authority"]
    assert np.abs(authority - hits(base.graph).scores["authority"]).max() > 1e-3
