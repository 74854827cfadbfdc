"""Groups that reach each other, against NetworkX."""

from itertools import permutations

import networkx as nx
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from weft.core.arrays import Rows
from weft.engine.cycles import cycles
from weft.graph.webgraph import WebGraph

webs = st.lists(st.sampled_from(list(permutations("abcdefg", 2))), max_size=20)


@given(webs)
def test_as_networkx_has_them(links: list[tuple[str, str]]) -> None:
    graph = WebGraph.from_links(links)
    found = cycles(graph.outlinks)
    groups = {
        frozenset(graph.pages[int(i)] for i in np.flatnonzero(found == k))
        for k in range(max(found, default=-1) + 1)
    }
    wanted = nx.strongly_connected_components(nx.DiGraph(links))
    assert groups == {frozenset(part) for part in wanted if len(part) > 1}


def test_numbered_by_first_page() -> None:
    starts, ids = np.array([0, 1, 2, 3, 4, 4]), np.array([3, 2, 1, 0], np.int32)
    assert cycles(Rows(starts, ids)).tolist() == [0, 1, 1, 0, -1]
