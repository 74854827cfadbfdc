"""Rare links: by definition, whatever the blocks, and read back as written."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.gather.page import Link, Page
from weft.graph import link_facts
from weft.graph.levels import load_graph
from weft.graph.link_facts import read_rare_links, select_rare_links
from weft.graph.webgraph import WebGraph
from weft.workspace.workspace import Workspace

Keep = Callable[..., Workspace]
links = st.lists(st.tuples(st.integers(0, 14), st.integers(0, 14)), max_size=120)


@given(links)
def test_the_rarest_links_by_definition(pairs: list[tuple[int, int]]) -> None:
    graph = WebGraph.from_arrays(15, *np.array(pairs, np.int32).reshape(-1, 2).T)
    indegrees = np.diff(graph.inlinks.starts)
    rows = select_rare_links(graph.outlinks, graph.inlinks)
    for page in range(15):
        own = graph.outlinks.row(page).tolist()
        found = rows.row(page).tolist()
        size = len(own) - 4 * len(own) // 5 if len(own) >= 5 else 0
        assert found == sorted(own, key=lambda link: (indegrees[link], link))[:size]


def test_blocks_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = np.array([(s, t) for s in range(9) for t in range(9) if (s * t) % 5], np.int32).T
    graph = WebGraph.from_arrays(9, *pairs)
    expected = select_rare_links(graph.outlinks, graph.inlinks)
    monkeypatch.setattr(link_facts, "LINKS_PER_BLOCK", 3)
    again = select_rare_links(graph.outlinks, graph.inlinks)
    assert again.ids.tolist() == expected.ids.tolist() != []
    assert again.starts.tolist() == expected.starts.tolist()


def test_they_are_stored_with_a_snapshot(keep: Keep) -> None:
    targets = [Link(f"http://b.com/{k}") for k in range(7)]
    pages = [Page(f"http://a.com/{k}", links=tuple(targets[:k])) for k in range(8)]
    collection = keep(*pages).collection
    graph, stored = load_graph(collection), read_rare_links(collection)
    computed = select_rare_links(graph.outlinks, graph.inlinks)
    assert stored.ids.tolist() == computed.ids.tolist() != []
    assert stored.starts.tolist() == computed.starts.tolist()
