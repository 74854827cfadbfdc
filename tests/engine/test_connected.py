"""Components by hand."""

import numpy as np
import pytest

from weft.engine.connected import strong, weak
from weft.graph.webgraph import WebGraph

TWO_RINGS = [("a", "b"), ("b", "a"), ("b", "c"), ("d", "e"), ("e", "d")]


def test_weak_parts_ignore_directions() -> None:
    parts = weak(WebGraph.from_links(TWO_RINGS).outlinks)
    assert parts.label.tolist() == [0, 0, 0, 1, 1]
    assert parts.sizes.tolist() == [3, 2]


def test_in_strong_parts_every_node_leads_back() -> None:
    parts = strong(WebGraph.from_links(TWO_RINGS).outlinks)
    assert parts.label.tolist() == [0, 0, 1, 2, 2]
    assert parts.sizes.tolist() == [2, 1, 2]


@pytest.mark.parametrize("find", [weak, strong])
def test_of_nothing_there_are_no_parts(find: type) -> None:
    parts = find(WebGraph.from_links([]).outlinks)
    assert len(parts.sizes) == len(parts.label) == 0
    alone = find(WebGraph.from_arrays(3, np.zeros(0, int), np.zeros(0, int)).outlinks)
    assert alone.sizes.tolist() == [1, 1, 1]
