"""Links that a base set drops, against counting them one by one."""

from collections import Counter
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.kernels.csr import (
    intra_group_links,
    links_over_group_limit,
    links_over_site_threshold,
    repeated_group_links,
)

N = 8
Pairs = list[tuple[int, int]]
pairs = st.lists(st.tuples(st.integers(0, N - 1), st.integers(0, N - 1)), max_size=40).map(sorted)
groups = st.lists(st.integers(0, 3), min_size=N, max_size=N)
turns = st.permutations(range(N))


def arrays(
    links: Pairs, group: list[int], precedence: list[int]
) -> tuple[Any, np.ndarray, np.ndarray]:
    ends = np.array(links, np.int32).reshape(-1, 2).T
    order = np.lexsort((precedence, group))
    return tuple(map(np.ascontiguousarray, ends)), order, np.array(group, np.int32)


@given(pairs, groups, turns)
def test_links_that_repeat_one_of_an_earlier_page_of_the_group(
    links: Pairs, group: list[int], precedence: list[int]
) -> None:
    ends, order, owner = arrays(links, group, precedence)
    first = dict[tuple[int, int], int]()
    for s, t in sorted(links, key=lambda link: precedence[link[0]]):
        first.setdefault((group[s], t), s)
    wanted = [first[group[s], t] != s for s, t in links]
    assert repeated_group_links(ends, order, owner).tolist() == wanted


@pytest.mark.slow
@given(pairs, groups, st.integers(0, 4), st.randoms())
def test_site_wide_links_of_the_whole_graph(
    web: Pairs, group: list[int], bar: int, random: Random
) -> None:
    """The links of every other page are candidates; all pages of the graph are counted."""
    web = sorted(set(web))
    inlinks = sorted((t, s) for s, t in web)
    starts = np.searchsorted([t for t, _ in inlinks], np.arange(N + 1))
    rows = starts, np.array([s for _, s in inlinks], np.int32)
    own = [[page for page in range(N) if group[page] == g] or [0] for g in range(4)]
    span = np.array([min(pages) for pages in own]), np.array([max(pages) for pages in own])
    number = np.arange(0, N, 2, dtype=np.int32)
    links = [(s // 2, t // 2) for s, t in web if not s % 2 and not t % 2]
    chosen = [random.random() < 0.8 for _ in links]
    votes = Counter((group[s], t) for s, t in web)
    wanted = [
        some and votes[group[2 * s], 2 * t] > bar
        for some, (s, t) in zip(chosen, links, strict=True)
    ]
    ends = arrays(links, group, list(range(N)))[0]
    sites, bars = np.array(group, np.int32) + np.int32(1), np.full(4, bar)
    found = links_over_site_threshold(
        ends, np.array(chosen, bool), number, rows, sites, (*span, bars)
    )
    assert found.tolist() == wanted


@given(pairs, groups, turns, st.integers(1, 3), st.randoms())
def test_the_limit_counts_active_links(
    links: Pairs, group: list[int], precedence: list[int], most: int, random: object
) -> None:
    ends, order, owner = arrays(links, group, precedence)
    left = [random.random() < 0.8 for _ in links]  # type: ignore[attr-defined]
    wanted, met = [False] * len(links), Counter[tuple[int, int]]()
    for k in sorted(range(len(links)), key=lambda k: (precedence[links[k][0]], k)):
        s, t = links[k]
        if left[k] and group[s] != group[t]:
            met[group[s], t] += 1
            wanted[k] = met[group[s], t] > most
    assert links_over_group_limit(ends, np.array(left, bool), order, owner, most).tolist() == wanted


@given(pairs, groups)
def test_links_inside_a_group(links: Pairs, group: list[int]) -> None:
    ends, _, owner = arrays(links, group, list(range(N)))
    left = np.arange(len(links)) % 3 > 0
    wanted = [k % 3 > 0 and group[s] == group[t] for k, (s, t) in enumerate(links)]
    assert intra_group_links(ends, left, owner).tolist() == wanted
