"""Ends of singular vectors: which pages stand together, and what is said where none can be told."""

import numpy as np

from weft.graph.webgraph import WebGraph
from weft.rank.ends import End, ends
from weft.rank.singular import leading

BLOCKS = [(a, b) for a in "abc" for b in "xyz"] + [(a, b) for a in "de" for b in "uv"]


def ends_of(links: list[tuple[str, str]], vectors: int) -> tuple[WebGraph, list[End]]:
    graph = WebGraph.from_links(links)
    return graph, list(ends(graph, leading(graph.flow(), vectors), weighted=False))


def test_each_pair_lives_on_one_block() -> None:
    graph, found = ends_of(BLOCKS, 2)
    there = [
        {graph.pages[page] for page in np.flatnonzero(end.authority > 1e-9).tolist()}
        for end in found
    ]
    assert there == [set("xyz"), set("uv")]
    assert [round(end.value, 9) for end in found] == [3.0, 2.0]


def test_the_foremost_score_as_what_they_are_best_at() -> None:
    end = End("1", 1.0, np.array([0.0, 0.1, 0.9, 0.9]), np.array([0.5, 0.2, 0.1, 0.0]))
    members, authority, hub = end.foremost(2)
    assert members.tolist() == [0, 1, 2, 3]
    assert authority.tolist() == [0.0, 0.0, 0.9, 0.9]
    assert hub.tolist() == [0.5, 0.2, 0.0, 0.0]
    assert End("1", 1.0, np.zeros(4), np.zeros(4)).foremost(2)[0].tolist() == []


def test_equal_blocks_cannot_be_told_apart() -> None:
    _, found = ends_of([(a, b) for a, b in BLOCKS if b in "uv"] + [("f", "p"), ("g", "p")], 3)
    assert [end.name for end in found] == ["1", "2+"]
    _, found = ends_of([("a", "x"), ("b", "y")], 2)
    assert [end.facts()["pair"] for end in found] == ["1-2"]
    assert "one value" in found[0].facts()["note"]
