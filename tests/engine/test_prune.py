"""Pruning: what is left has links enough, and nothing with links enough was left out."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from weft.engine.prune import sides
from weft.graph.webgraph import WebGraph

Links = list[tuple[int, int]]
webs = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=60)


def made(links: Links) -> WebGraph:
    ends = np.array([(s, 10 + t) for s, t in links], np.int32).reshape(-1, 2).T
    return WebGraph.from_arrays(20, ends[0], ends[1])


def by_hand(links: Links, fans: int, centres: int) -> tuple[set[int], set[int]]:
    """Look at all links again and again."""
    kept = {(s, 10 + t) for s, t in links}
    while True:
        out = {s for s, _ in kept if sum(a == s for a, _ in kept) >= centres}
        into = {t for _, t in kept if sum(b == t for _, b in kept) >= fans}
        fewer = {(s, t) for s, t in kept if s in out and t in into}
        if fewer == kept:
            return out, into
        kept = fewer


@given(webs, st.integers(1, 3), st.integers(1, 3))
def test_as_by_hand(links: Links, fans: int, centres: int) -> None:
    graph = made(links)
    left = sides(graph.outlinks, graph.inlinks, (fans, centres))
    out, into = by_hand(links, fans, centres)
    assert set(np.flatnonzero(left.fans >= 0).tolist()) == out
    assert set(np.flatnonzero(left.centres >= 0).tolist()) == into


@given(webs)
def test_what_is_left_knows_its_links(links: Links) -> None:
    graph = made(links)
    left = sides(graph.outlinks, graph.inlinks, (2, 2))
    for page in np.flatnonzero(left.fans >= 0):
        row = graph.outlinks.ids[graph.outlinks.starts[page] : graph.outlinks.starts[page + 1]]
        assert left.fans[page] == np.count_nonzero(left.centres[row] >= 0)


def test_a_chain_falls_link_by_link() -> None:
    zigzag = [(0, 0), (1, 0), (1, 1), (2, 1), (2, 2), (3, 2), (3, 3)]
    left = sides(made(zigzag).outlinks, made(zigzag).inlinks, (2, 2))
    assert (left.fans < 0).all()
    assert (left.centres < 0).all()
