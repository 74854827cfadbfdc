"""Ends of singular vectors: their pages, and notes about ties."""

import numpy as np

from weft.graph.webgraph import WebGraph
from weft.rank.hits_vectors import leading_triplets
from weft.rank.vector_ends import VectorEnd, iter_vector_ends

BLOCKS = [(a, b) for a in "abc" for b in "xyz"] + [(a, b) for a in "de" for b in "uv"]


def ends_of(links: list[tuple[str, str]], vectors: int) -> tuple[WebGraph, list[VectorEnd]]:
    graph = WebGraph.from_links(links)
    return graph, list(
        iter_vector_ends(graph, leading_triplets(graph.operator(), vectors), weighted=False)
    )


def test_each_pair_lives_on_one_block() -> None:
    graph, ends = ends_of(BLOCKS, 2)
    authorities = [
        {graph.pages[page] for page in np.flatnonzero(end.authority > 1e-9).tolist()}
        for end in ends
    ]
    assert authorities == [set("xyz"), set("uv")]
    assert [round(end.singular_value, 9) for end in ends] == [3.0, 2.0]


def test_top_members_score_by_their_best_side() -> None:
    end = VectorEnd("1", 1.0, np.array([0.0, 0.1, 0.9, 0.9]), np.array([0.5, 0.2, 0.1, 0.0]))
    members, authority, hub = end.top_members(2)
    assert members.tolist() == [0, 1, 2, 3]
    assert authority.tolist() == [0.0, 0.0, 0.9, 0.9]
    assert hub.tolist() == [0.5, 0.2, 0.0, 0.0]
    assert VectorEnd("1", 1.0, np.zeros(4), np.zeros(4)).top_members(2)[0].tolist() == []


def test_equal_blocks_share_one_end() -> None:
    _, ends = ends_of([(a, b) for a, b in BLOCKS if b in "uv"] + [("f", "p"), ("g", "p")], 3)
    assert [end.name for end in ends] == ["1", "2+"]
    _, ends = ends_of([("a", "x"), ("b", "y")], 2)
    assert [end.facts()["pair"] for end in ends] == ["1-2"]
    assert ends[0].note == "pairs 1-2 tie: only their span is unique"
