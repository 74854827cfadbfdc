"""Mirrors: pages that share over 4/5 of their links with one that stays."""

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from weft.graph.link_facts import PageTraits, find_mirrors, select_rare_links
from weft.graph.webgraph import WebGraph

Sets = list[set[int]]
sets = st.lists(st.sets(st.integers(0, 11), max_size=12), min_size=1, max_size=9)


def find(links: Sets, owner: list[int] | None = None, title: list[int] | None = None) -> list[int]:
    n = len(links)
    pairs = [(page, n + link) for page, own in enumerate(links) for link in sorted(own)]
    ends = np.array(pairs, np.int32).reshape(-1, 2).T
    graph = WebGraph.from_arrays(n + 100, ends[0], ends[1])
    traits = PageTraits(
        np.array(owner or range(n), np.int32), np.array(title or [-1] * n, np.int32)
    )
    rare = select_rare_links(graph.outlinks, graph.inlinks)
    found: list[int] = find_mirrors(
        graph.outlinks, rare, np.arange(n, dtype=np.int32), traits
    ).tolist()
    return found


TEN = set(range(10))


def test_over_four_fifths_of_the_larger() -> None:
    assert find([TEN, TEN]) == [-1, 0]
    assert find([TEN, TEN - {0}]) == [-1, 0]
    assert find([TEN, TEN - {0, 1}]) == [-1, -1]
    assert find([TEN, TEN | {10}]) == [-1, 0]
    assert find([TEN, TEN | {10, 11}]) == [-1, 0]
    assert find([TEN, TEN | {10, 11, 12}]) == [-1, -1]


def test_few_links_are_not_compared() -> None:
    assert find([{1, 2, 3, 4}, {1, 2, 3, 4}]) == [-1, -1]
    assert find([{1, 2, 3, 4, 5}, {1, 2, 3, 4, 5}]) == [-1, 0]
    assert find([set(), set()]) == [-1, -1]


def test_mirrors_do_not_chain() -> None:
    """The second is like the first, the third like the second alone: the third stays."""
    twenty = set(range(20))
    near, far = twenty - {0, 1} | {40, 41}, twenty - {0, 1, 2, 3} | {40, 41, 42, 43}
    assert find([twenty, near]) == [-1, 0]
    assert find([near, far]) == [-1, 0]
    assert find([twenty, near, far]) == [-1, 0, -1]


def test_pages_of_one_owner_share_its_menu() -> None:
    assert find([TEN, TEN], owner=[0, 0]) == [-1, -1]
    assert find([TEN, TEN], owner=[0, 0], title=[3, 4]) == [-1, -1]
    assert find([TEN, TEN], owner=[0, 0], title=[3, 3]) == [-1, 0]
    assert find([TEN, TEN], owner=[0, 1], title=[3, 4]) == [-1, 0]


@given(sets, st.lists(st.tuples(st.integers(0, 2), st.integers(-1, 1)), min_size=9, max_size=9))
def test_by_definition(links: Sets, traits: list[tuple[int, int]]) -> None:
    owner, title = [o for o, _ in traits][: len(links)], [t for _, t in traits][: len(links)]

    def mirror(one: int, two: int) -> bool:
        small, large = sorted((links[one], links[two]), key=len)
        apart = owner[one] != owner[two] or title[one] == title[two] >= 0
        return apart and len(small) >= 5 and len(small & large) / len(large) > 0.8

    found = find(links, owner, title)
    stayed = [page for page, other in enumerate(found) if other < 0]
    assert not [pair for pair in combinations(stayed, 2) if mirror(*pair)]
    for page, other in enumerate(found):
        if other >= 0:
            assert other == min(kept for kept in stayed if mirror(kept, page))
            assert other < page
