"""Clever: anchors that name the query count, and HITS where none does."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rank.parts import check_parts
from tests.webs import Links, webs

from weft.graph.baseset import ANCHORS, BaseSet
from weft.graph.expand import expand
from weft.graph.webgraph import WebGraph
from weft.rank import clever, hits
from weft.rank.clever import mentions
from weft.run.workspace import Workspace

Window = tuple[str, str, str, str, str]


def spoken(graph: WebGraph, windows: list[Window], query: str = "jaguar") -> BaseSet:
    """A base set from (source, target, before, anchor, after)."""
    rows = [
        {
            "source": graph.number(source),
            "target": graph.number(target),
            "before": before,
            "anchor": anchor,
            "after": after,
        }
        for source, target, before, anchor, after in windows
    ]
    table = pa.Table.from_pylist(rows, schema=ANCHORS)
    return BaseSet.whole(graph, query=query, read_anchors=lambda: table)


def counted(*windows: Window, query: str = "jaguar") -> list[float]:
    graph = WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y")])
    return list(mentions(spoken(graph, list(windows), query)))


@pytest.mark.parametrize("name", ["G1_seed002_hits7", "G2_seed002_pr5", "G3_own10"])
@pytest.mark.parametrize(("rounds", "state"), [(5, "5iter"), (0, "converged")])
def test_published_values(spec: Any, name: str, rounds: int, state: str) -> None:
    graph, values = spec(name)
    edges = np.array(values["edges"]) - values["base"]
    windows = [
        (graph.pages[s], graph.pages[t], "", "jaguar " * (k % 3), "")
        for k, (s, t) in enumerate(edges)
    ]
    ranking = clever(spoken(graph, windows), rounds=rounds)
    for side in ("authority", "hub"):
        wanted = values["arc"][f"{side}_L2_{state}"]
        np.testing.assert_allclose(ranking.scores[side], wanted, atol=1e-8)
    assert ranking.trace.converged == (rounds == 0)


def test_words_are_counted_in_the_anchor_and_on_both_sides() -> None:
    assert counted(("a", "x", "jaguar and Jaguar", "JAGUAR", "a jaguar.")) == [4, 0, 0]


def test_anchors_of_links_that_do_not_count_say_nothing() -> None:
    assert counted(("a", "y", "", "jaguar", ""), ("y", "a", "", "jaguar", "")) == [0, 0, 0]


def test_only_whole_words_count() -> None:
    assert counted(("a", "x", "jaguars", "xjaguar", "jaguar2")) == [0, 0, 0]


def test_parallel_links_add_up() -> None:
    windows = [
        ("b", "y", "", "jaguar", ""),
        ("b", "x", "", "none", ""),
        ("b", "y", "", "jaguar", ""),
    ]
    assert counted(*windows) == [0, 0, 2]


def test_every_word_and_phrase_of_the_query_counts() -> None:
    window = ("a", "x", "the jaguar e-type", "type e", "E - Type")
    assert counted(window, query='jaguar "e-type"') == [3, 0, 0]


def test_a_link_that_names_the_query_counts_more() -> None:
    """One link to x that weighs two is as good as two links to y."""
    graph = WebGraph.from_links([("a", "x"), ("a", "y")])
    base = spoken(graph, [("a", "x", "", "jaguar", "")])
    scores = clever(base, norm="L1").scores["authority"]
    assert scores.tolist() == pytest.approx([0, 2 / 3, 1 / 3])


@given(webs)
def test_where_no_link_names_the_query_it_is_hits(links: Links) -> None:
    graph = WebGraph.from_links(links)
    base = spoken(graph, [(s, t, "", "here", "") for s, t in links])
    for side in ("authority", "hub"):
        wanted = hits(graph).scores[side]
        np.testing.assert_allclose(clever(base).scores[side], wanted, atol=1e-7)
        np.testing.assert_allclose(clever(BaseSet.of(links)).scores[side], wanted, atol=1e-7)


def test_it_is_as_certain_as_hits_where_links_weigh_the_same() -> None:
    links = [("a", "x"), ("b", "x"), ("b", "y")]
    assert clever(links).certainty == hits(links).certainty
    assert clever(links).certainty.gap == pytest.approx(1 - ((5**0.5 - 1) / 2) ** 4)
    assert np.isnan(clever(links, rounds=2).certainty.gap)


@given(webs, st.integers(0, 6))
def test_parts_add_up(links: Links, rounds: int) -> None:
    graph = WebGraph.from_links(links)
    base = spoken(graph, [(*links[0], "", "jaguar", "")])
    ranking = clever(base, rounds=rounds)
    check_parts(ranking, within=1e-8)


def test_no_links() -> None:
    ranking = clever(BaseSet.of([("a", "a")]), rounds=5)
    assert ranking.scores["authority"].tolist() == [0]
    assert ranking.trace.converged


def test_on_a_collection(demo: Workspace) -> None:
    base = expand(demo.collection, "jaguar", steps=2)
    said = mentions(base)
    assert len(said) == base.graph.link_count
    assert said.max() > 0
    authority = clever(base).scores["authority"]
    assert np.abs(authority - hits(base.graph).scores["authority"]).max() > 1e-3
