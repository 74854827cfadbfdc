"""Votes of groups, against counting them one by one."""

from collections import Counter
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from weft.engine.votes import crowding, repeated, staying

N = 8
Pairs = list[tuple[int, int]]
pairs = st.lists(st.tuples(st.integers(0, N - 1), st.integers(0, N - 1)), max_size=40).map(sorted)
groups = st.lists(st.integers(0, 3), min_size=N, max_size=N)
turns = st.permutations(range(N))


def arrays(links: Pairs, group: list[int], turn: list[int]) -> tuple[Any, np.ndarray, np.ndarray]:
    ends = np.array(links, np.int32).reshape(-1, 2).T
    order = np.lexsort((turn, group))
    return tuple(map(np.ascontiguousarray, ends)), order, np.array(group, np.int32)


@given(pairs, groups, turns, st.integers(0, 4))
def test_what_most_carry_counts_on_the_first_page(
    links: Pairs, group: list[int], turn: list[int], bar: int
) -> None:
    ends, order, owner = arrays(links, group, turn)
    carried = Counter((group[s], t) for s, t in links)
    first = {
        (own, t): min(turn[s] for s, to in links if (group[s], to) == (own, t))
        for own, t in carried
    }
    bars = np.where(owner < 3, bar, -1).astype(np.int64)
    wanted = [
        group[s] < 3 and carried[group[s], t] > bar and turn[s] > first[group[s], t]
        for s, t in links
    ]
    assert repeated(ends, order, owner, bars).tolist() == wanted


@given(pairs, groups, turns, st.integers(1, 3), st.randoms())
def test_crowds_are_counted_among_the_links_left(
    links: Pairs, group: list[int], turn: list[int], most: int, random: object
) -> None:
    ends, order, owner = arrays(links, group, turn)
    left = [random.random() < 0.8 for _ in links]  # type: ignore[attr-defined]
    wanted, met = [False] * len(links), Counter[tuple[int, int]]()
    for k in sorted(range(len(links)), key=lambda k: (turn[links[k][0]], k)):
        s, t = links[k]
        if left[k] and group[s] != group[t]:
            met[group[s], t] += 1
            wanted[k] = met[group[s], t] > most
    assert crowding(ends, np.array(left, bool), order, owner, most).tolist() == wanted


@given(pairs, groups)
def test_links_inside_a_group(links: Pairs, group: list[int]) -> None:
    ends, _, owner = arrays(links, group, list(range(N)))
    left = np.arange(len(links)) % 3 > 0
    wanted = [k % 3 > 0 and group[s] == group[t] for k, (s, t) in enumerate(links)]
    assert staying(ends, left, owner).tolist() == wanted
