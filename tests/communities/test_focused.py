"""Focused flow communities: near the seeds alone, and with more seeds each round."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.communities import flow, focused_flow
from weft.communities.community import Communities
from weft.communities.focused import around, leaders
from weft.graph.webgraph import WebGraph

Links = list[tuple[str, str]]
webs = st.lists(
    st.tuples(st.sampled_from("abcdefgh"), st.sampled_from("abcdefgh")), min_size=1, max_size=30
)
TWO = [*combinations("abcde", 2), ("e", "v"), *combinations("vwxyz", 2)]
CHAIN = list(zip("abcdefg", "bcdefgh", strict=True))


def named(found: Communities) -> str:
    return "".join(sorted(found.base.pages[page] for page in found[0].members.tolist()))


@pytest.mark.parametrize("depth", [0, 1, 2, 3])
def test_around_goes_as_far_as_it_is_told_both_ways(depth: int) -> None:
    graph = WebGraph.from_links(CHAIN)
    near = around(graph, np.array([3], np.int32), depth, np.arange(8, dtype=np.int32))
    assert near.pages.tolist() == list(range(3 - depth, 4 + depth))
    rim = {0: [2], 1: [1, 0, 1], 2: [1, 0, 0, 0, 1], 3: [0] * 6 + [1]}[depth]
    assert near.beyond.tolist() == rim


def test_links_inside_a_site_are_ignored() -> None:
    pages = ["http://a.org/1", "http://a.org/2", "http://b.org/", "http://c.org/"]
    links = [(0, 1), (0, 2), (1, 3), (2, 3)]
    graph = WebGraph.from_links([(pages[s], pages[t]) for s, t in links])
    near = around(graph, np.array([0], np.int32), 1, np.array([0, 0, 1, 2]))
    assert [graph.pages[page] for page in near.pages] == [pages[0], pages[2]]
    assert len(near.outlinks.ids) == 1
    found = [focused_flow(graph, seeds=[pages[0]], k=9, site=site) for site in ("domain", "page")]
    assert found[0].facts["seeds, pages near, members by round"][0][1] == 3
    assert found[1].facts["seeds, pages near, members by round"][0][1] == 4


def test_leaders_are_the_most_linked_that_are_no_seeds() -> None:
    links = [("s", "x"), ("p", "x"), ("p", "y"), ("q", "y"), ("p", "s"), ("o", "z"), ("q", "z")]
    graph = WebGraph.from_links(links)
    side = np.ones(len(graph), bool)
    side[graph.number("o")] = False
    near = around(graph, graph.numbers("s"), 9, np.arange(len(graph), dtype=np.int32))
    found = leaders(near, side, graph.numbers("s"))
    assert sorted(graph.pages[page] for page in found) == ["p", "x", "y"]


def test_two_cliques_part_at_the_bridge() -> None:
    found = focused_flow(TWO, seeds=["a", "b"])
    assert named(found) == "abcde"
    assert found[0].evidence["cut"].tolist() == [[4, 5]]
    rounds = found.facts["seeds, pages near, members by round"]
    assert [row[0] for row in rounds] == sorted({row[0] for row in rounds})
    assert found.facts["seeds"] == rounds[-1][0]
    assert found.notes == (f"2 seeds became {rounds[-1][0]} in {len(rounds)} rounds",)


def test_an_open_rim_lets_the_neighbourhood_in() -> None:
    star = [("s", "a"), ("s", "b"), ("t", "a"), ("t", "b")]
    outside = [(hub, f"{hub}{k}") for hub in "ab" for k in range(5)]
    web = [*star, *outside]
    closed = focused_flow(web, seeds=["s", "t"], depth=1, rounds=1)
    opened = focused_flow(web, seeds=["s", "t"], depth=1, rounds=1, rim="open")
    assert named(closed) == "st"
    assert named(opened) == "abst"


@given(webs, st.integers(1, 4))
def test_far_enough_it_is_the_exact_community(links: Links, k: int) -> None:
    seeds = [links[0][0]]
    near = focused_flow(links, seeds=seeds, k=k, depth=8, rounds=1)
    assert named(near) == named(flow(links, seeds=seeds, k=k))


@given(webs, st.integers(1, 4))
def test_members_have_more_links_inside_than_to_all_the_rest(links: Links, k: int) -> None:
    found = focused_flow(links, seeds=[links[0][0]], k=k, depth=1, rounds=2)
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
    rounds = found.facts["seeds, pages near, members by round"]
    assert len(rounds) <= 4
    assert all(one[0] < two[0] for one, two in pairwise(rounds))
    assert links[0][0] in named(found)


def test_without_seeds_there_is_none() -> None:
    found = focused_flow(TWO)
    assert len(found) == 0
    assert found.notes == ("no seeds: name pages that the community is to be around",)
