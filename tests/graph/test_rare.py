"""The rarest links: the right fifth, whatever the blocks, and read back as written."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.gather.page import Link, Page
from weft.graph import rare as module
from weft.graph.levels import load
from weft.graph.rare import rare_links, rarest
from weft.graph.webgraph import WebGraph
from weft.run.workspace import Workspace

Keep = Callable[..., Workspace]
links = st.lists(st.tuples(st.integers(0, 14), st.integers(0, 14)), max_size=120)


@given(links)
def test_the_rarest_fifth_and_one_more(pairs: list[tuple[int, int]]) -> None:
    graph = WebGraph.from_arrays(15, *np.array(pairs, np.int32).reshape(-1, 2).T)
    often = np.diff(graph.inlinks.starts)
    rows = rarest(graph.outlinks, graph.inlinks)
    for page in range(15):
        own = graph.outlinks.row(page).tolist()
        found = rows.row(page).tolist()
        size = len(own) - 4 * len(own) // 5 if len(own) >= 5 else 0
        assert found == sorted(own, key=lambda link: (often[link], link))[:size]


def test_blocks_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = np.array([(s, t) for s in range(9) for t in range(9) if (s * t) % 5], np.int32).T
    graph = WebGraph.from_arrays(9, *pairs)
    whole = rarest(graph.outlinks, graph.inlinks)
    monkeypatch.setattr(module, "BLOCK", 3)
    again = rarest(graph.outlinks, graph.inlinks)
    assert again.ids.tolist() == whole.ids.tolist() != []
    assert again.starts.tolist() == whole.starts.tolist()


def test_they_are_kept_with_a_snapshot(keep: Keep) -> None:
    targets = [Link(f"http://b.com/{k}") for k in range(7)]
    pages = [Page(f"http://a.com/{k}", links=tuple(targets[:k])) for k in range(8)]
    collection = keep(*pages).collection
    graph, kept = load(collection), rare_links(collection)
    made = rarest(graph.outlinks, graph.inlinks)
    assert kept.ids.tolist() == made.ids.tolist() != []
    assert kept.starts.tolist() == made.starts.tolist()
