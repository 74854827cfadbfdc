"""Building communities: links are counted right, however sets overlap."""

from itertools import permutations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from weft.communities.build import build_communities
from weft.core.arrays import Ids
from weft.graph.baseset.baseset import BaseSet
from weft.graph.webgraph import WebGraph
from weft.groups.group import LinkCounts
from weft.groups.page_sets import PageSets, count_links_between, links_from_to

pairs = st.lists(st.sampled_from(list(permutations(range(7), 2))), max_size=25)
members = st.lists(st.sets(st.integers(0, 6), min_size=1), min_size=1, max_size=5)


def graph_of(links: list[tuple[int, int]]) -> WebGraph:
    ends = np.array(links, np.int32).reshape(-1, 2).T
    return WebGraph.from_arrays(7, *ends)


def arrays(sets: list[set[int]]) -> list[Ids]:
    return [np.array(sorted(each), np.int32) for each in sets]


@given(pairs, members)
def test_links_are_counted_one_by_one(links: list[tuple[int, int]], sets: list[set[int]]) -> None:
    base, once = BaseSet.from_any(graph_of(links)), set(links)
    found = build_communities(base, arrays(sets), strength=[-float(k) for k in range(len(sets))])
    for community, own in zip(found, sets, strict=True):
        assert community.members.tolist() == sorted(own)
        assert community.links == LinkCounts(
            internal=sum(s in own and t in own for s, t in once),
            outgoing=sum(s in own and t not in own for s, t in once),
            incoming=sum(s not in own and t in own for s, t in once),
        )
        for page, indegree, outdegree in zip(
            community.members.tolist(), community.authority, community.hub, strict=True
        ):
            assert indegree == sum(t == page and s in own for s, t in once)
            assert outdegree == sum(s == page and t in own for s, t in once)


@given(pairs, members)
def test_the_matrix_is_counted_one_by_one(
    links: list[tuple[int, int]], sets: list[set[int]]
) -> None:
    cells = count_links_between(graph_of(links), arrays(sets))
    for i, own in enumerate(sets):
        for j, other in enumerate(sets):
            assert cells[i, j] == sum(s in own and t in other for s, t in set(links))


@given(pairs, members)
def test_a_cell_has_its_links(links: list[tuple[int, int]], sets: list[set[int]]) -> None:
    graph, held = graph_of(links), arrays(sets)
    cells = count_links_between(graph, held)
    for i, own in enumerate(sets):
        source, target = links_from_to(graph, held[0], held[i])
        found = list(zip(source.tolist(), target.tolist(), strict=True))
        assert len(found) == cells[0, i]
        assert sorted(found) == sorted((s, t) for s, t in set(links) if s in sets[0] and t in own)
        often = [target.tolist().count(page) for page in target.tolist()]
        assert often == sorted(often, reverse=True)


def test_a_site_has_one_vote() -> None:
    links = [(f"http://a.org/{k}", "http://x.org/") for k in range(5)]
    links += [("http://b.org/", "http://y.org/"), ("http://c.org/", "http://y.org/")]
    base = BaseSet.from_any(links)
    [found] = build_communities(base, [np.arange(len(base), dtype=np.int32)])
    assert [base.pages[page] for page in found.authorities()] == ["http://y.org/", "http://x.org/"]


def test_the_strongest_comes_first_and_equals_keep_their_order() -> None:
    base = BaseSet.from_any([("a", "b"), ("c", "d"), ("e", "f")])
    sets = arrays([{0, 1}, {2, 3}, {4, 5}])
    found = build_communities(base, sets, strength=[1.0, 2.0, 1.0])
    assert [community.members.tolist() for community in found] == [[2, 3], [0, 1], [4, 5]]
    assert build_communities(base, []) == ()


def test_pages_are_found_in_sets() -> None:
    for sets in ([{1, 3}, {2}], [{1, 3}, {2, 3}]):
        held = PageSets.from_sets(arrays(sets), 7)
        asked = np.array([0, 1, 1, 0], np.int32), np.array([3, 2, 6, 2], np.int32)
        assert held.find_positions(*asked).tolist() == [1, 2, -1, -1]
