"""Focused flow communities: pages near the seeds, and more seeds in each iteration."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.communities import flow, focused_flow
from weft.communities.flow import STEPS_FACT, most_linked_members, neighbourhood_of_seeds
from weft.graph.webgraph import WebGraph
from weft.groups.groups import Groups

Links = list[tuple[str, str]]
webs = st.lists(
    st.tuples(st.sampled_from("abcdefgh"), st.sampled_from("abcdefgh")), min_size=1, max_size=30
)
TWO = [*combinations("abcde", 2), ("e", "v"), *combinations("vwxyz", 2)]
CHAIN = list(zip("abcdefg", "bcdefgh", strict=True))


def named(found: Groups) -> str:
    return "".join(sorted(found.base.pages[page] for page in found[0].members.tolist()))


@pytest.mark.parametrize("depth", [0, 1, 2, 3])
def test_the_neighbourhood_reaches_depth_links_in_both_directions(depth: int) -> None:
    graph = WebGraph.from_links(CHAIN)
    near = neighbourhood_of_seeds(
        graph, np.array([3], np.int32), depth, np.arange(8, dtype=np.int32)
    )
    assert near.pages.tolist() == list(range(3 - depth, 4 + depth))
    boundary = {0: [2], 1: [1, 0, 1], 2: [1, 0, 0, 0, 1], 3: [0] * 6 + [1]}[depth]
    assert near.outside_neighbours.tolist() == boundary


def test_links_inside_a_site_are_ignored() -> None:
    pages = ["http://a.org/1", "http://a.org/2", "http://b.org/", "http://c.org/"]
    links = [(0, 1), (0, 2), (1, 3), (2, 3)]
    graph = WebGraph.from_links([(pages[s], pages[t]) for s, t in links])
    near = neighbourhood_of_seeds(graph, np.array([0], np.int32), 1, np.array([0, 0, 1, 2]))
    assert [graph.pages[page] for page in near.pages] == [pages[0], pages[2]]
    assert len(near.links.outlinks.ids) == 1
    found = [focused_flow(graph, seeds=[pages[0]], k=9, site=site) for site in ("domain", "page")]
    assert [each.facts[STEPS_FACT][0][1] for each in found] == [3, 4]


def test_most_linked_members_are_no_seeds() -> None:
    links = [("s", "x"), ("p", "x"), ("p", "y"), ("q", "y"), ("p", "s"), ("o", "z"), ("q", "z")]
    graph = WebGraph.from_links(links)
    side = np.ones(len(graph), bool)
    side[graph.page_number("o")] = False
    near = neighbourhood_of_seeds(
        graph, graph.page_numbers("s"), 9, np.arange(len(graph), dtype=np.int32)
    )
    found = most_linked_members(near, side, graph.page_numbers("s"))
    assert sorted(graph.pages[page] for page in found) == ["p", "x", "y"]


def test_two_cliques_are_cut_at_the_bridge() -> None:
    found = focused_flow(TWO, seeds=["a", "b"])
    assert named(found) == "abcde"
    assert found[0].evidence["cut"].tolist() == [[4, 5]]
    steps = found.facts[STEPS_FACT]
    assert [step[0] for step in steps] == sorted({step[0] for step in steps})
    assert found.facts["seeds"] == steps[-1][0]
    assert found.notes == (f"2 seeds became {steps[-1][0]} in {len(steps)} iterations",)


def test_an_open_boundary_lets_the_neighbourhood_in() -> None:
    star = [("s", "a"), ("s", "b"), ("t", "a"), ("t", "b")]
    outside = [(hub, f"{hub}{k}") for hub in "ab" for k in range(5)]
    web = [*star, *outside]
    closed = focused_flow(web, seeds=["s", "t"], depth=1, iterations=1)
    opened = focused_flow(web, seeds=["s", "t"], depth=1, iterations=1, boundary="open")
    assert named(closed) == "st"
    assert named(opened) == "abst"


@given(webs, st.integers(1, 4))
def test_far_enough_it_is_the_exact_community(links: Links, k: int) -> None:
    seeds = [links[0][0]]
    near = focused_flow(links, seeds=seeds, k=k, depth=8, iterations=1)
    assert named(near) == named(flow(links, seeds=seeds, k=k))


@given(webs, st.integers(1, 4))
def test_members_have_more_links_inside_than_to_all_the_rest(links: Links, k: int) -> None:
    found = focused_flow(links, seeds=[links[0][0]], k=k, depth=1, iterations=2)
    members = set(named(found))
    seeds = {found.base.pages[page] for page in found[0].evidence["seeds"].tolist()}
    pairs = {frozenset(link) for link in links if len(set(link)) == 2}
    for page in members - seeds:
        own = [pair for pair in pairs if page in pair]
        inside = sum(pair <= members for pair in own)
        assert k * inside > k * (len(own) - inside) + 1


@given(webs)
def test_seeds_only_grow(links: Links) -> None:
    found = focused_flow(links, seeds=[links[0][0]], k=3)
    steps = found.facts[STEPS_FACT]
    assert len(steps) <= 4
    assert all(step[0] < following[0] for step, following in pairwise(steps))
    assert links[0][0] in named(found)


def test_without_seeds_there_is_none() -> None:
    found = focused_flow(TWO)
    assert len(found) == 0
    assert found.notes == ("no seeds: name the pages to find the community of",)
