"""Reciprocal links, counted one by one."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from weft.graph.webgraph import WebGraph
from weft.kernels.csr import count_induced_links, count_reciprocal_links

pages = st.sampled_from("abcdefg")


@given(st.lists(st.tuples(pages, pages), max_size=40))
def test_a_reciprocal_link_has_its_reverse(links: list[tuple[str, str]]) -> None:
    graph = WebGraph.from_links(links)
    there = {(one, two) for one, two in links if one != two}
    wanted = [sum((two, one) in there for one, two in there if one == page) for page in graph.pages]
    assert count_reciprocal_links(graph.outlinks, graph.inlinks).tolist() == wanted


@given(st.lists(st.tuples(pages, pages), max_size=40), st.sets(pages))
def test_links_among_some_nodes(links: list[tuple[str, str]], some: set[str]) -> None:
    graph = WebGraph.from_links(links)
    inside = {(a, b) for a, b in links if a != b and {a, b} <= some}
    chosen = np.array([k for k, page in enumerate(graph.pages) if page in some], np.int32)
    out, into = graph.outlinks, graph.inlinks
    found = count_induced_links((out.starts, out.ids), (into.starts, into.ids), chosen, len(graph))
    assert found == (len(inside), sum((b, a) in inside for a, b in inside))
