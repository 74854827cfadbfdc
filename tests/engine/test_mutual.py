"""Answered links, counted one by one."""

from hypothesis import given
from hypothesis import strategies as st

from weft.engine.mutual import answered
from weft.graph.webgraph import WebGraph

pages = st.sampled_from("abcdefg")


@given(st.lists(st.tuples(pages, pages), max_size=40))
def test_a_link_is_answered_by_its_reverse(links: list[tuple[str, str]]) -> None:
    graph = WebGraph.from_links(links)
    there = {(one, two) for one, two in links if one != two}
    wanted = [sum((two, one) in there for one, two in there if one == page) for page in graph.pages]
    assert answered(graph.outlinks, graph.inlinks).tolist() == wanted
