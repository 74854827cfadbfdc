"""BFS: published values, by hand, and against a search level by level."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from tests.webs import Links, webs

from weft.graph.webgraph import WebGraph
from weft.rank import bfs


@pytest.mark.parametrize("name", ["G1_seed002_hits7", "G2_seed002_pr5", "G3_own10"])
def test_published_values(spec: Any, name: str) -> None:
    graph, values = spec(name)
    found = bfs(graph).scores["authority"]
    np.testing.assert_allclose(found, values["BFS_weight_half_per_level"], atol=1e-12)


def test_levels_by_hand() -> None:
    """From y: hub b, then authority x, then hub a."""
    links = [("a", "x"), ("b", "x"), ("b", "y")]
    assert [
        bfs(WebGraph.from_links(links), depth=depth).scores["authority"][3]
        for depth in (1, 2, 3, 4, 0)
    ] == [
        1,
        1.5,
        1.75,
        1.75,
        1.75,
    ]


def test_the_first_level_is_explained_by_links() -> None:
    breakdown = bfs(WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y")])).explain("y")
    assert breakdown.neighbours == ["b"]
    assert breakdown.amounts.tolist() == [1]
    assert breakdown.other_sources == {"further levels": 0.75}


def test_more_pages_than_bits_in_a_word() -> None:
    """One hub with 200 links: from each page the search reaches the hub, then 199 pages."""
    found = bfs(WebGraph.from_links([("hub", f"p{i}") for i in range(200)])).scores["authority"]
    assert found.tolist() == [0] + [1 + 199 / 2] * 200


@given(webs)
def test_every_visited_page_counts_once(links: Links) -> None:
    graph = WebGraph.from_links(links)
    scores = dict(zip(graph.pages, bfs(graph).scores["authority"], strict=True))
    for page in {t for _, t in links}:
        visited: dict[bool, set[str]] = {True: set(), False: {page}}  # hubs, authorities
        frontier, backward, level, score = {page}, True, 0, 0.0
        while frontier:
            if backward:
                neighbours = {s for s, t in links if t in frontier}
            else:
                neighbours = {t for s, t in links if s in frontier}
            frontier = neighbours - visited[backward]
            visited[backward] |= frontier
            score, level, backward = score + 0.5**level * len(frontier), level + 1, not backward
        assert scores[page] == pytest.approx(score)
