"""Links found by their ends, against looking at every link."""

from itertools import permutations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from weft.engine.inner import counted, inner, spans

N, LAST = 7, 3
Pairs = list[tuple[int, int]]
webs = st.lists(st.sampled_from(list(permutations(range(N), 2))), max_size=25, unique=True)
some_pages = st.sets(st.integers(0, N - 1))
reasons = st.lists(st.integers(1, LAST), min_size=N, max_size=N)


def rows(links: Pairs) -> tuple[np.ndarray, np.ndarray]:
    ordered = sorted(links)
    starts = np.searchsorted([s for s, _ in ordered], np.arange(N + 1))
    return starts, np.array([t for _, t in ordered], np.int32)


def table(pages: np.ndarray) -> np.ndarray:
    place = np.full(N, -1, np.int32)
    place[pages] = np.arange(len(pages))
    return place


@given(webs, some_pages)
def test_links_among_some_pages_by_table_and_by_search(links: Pairs, some: set[int]) -> None:
    pages = np.array(sorted(some), np.int32)
    wanted = [(at, s, t) for at, (s, t) in enumerate(sorted(links)) if s in some and t in some]
    for place in (table(pages), np.zeros(0, np.int32)):
        at, source, target = inner(*rows(links), pages, place)
        found = zip(at.tolist(), pages[source].tolist(), pages[target].tolist(), strict=True)
        assert list(found) == wanted


@given(webs, some_pages, reasons, reasons, st.sets(st.integers(0, 24)))
def test_of_several_reasons_the_first_is_told(
    links: Pairs, some: set[int], leaving: list[int], arriving: list[int], marked: set[int]
) -> None:
    pages = np.array(sorted(some), np.int32)
    number = 10 * np.arange(len(pages), dtype=np.int32)
    wanted, told = [], [0] * (LAST + 1)
    for at, (s, t) in enumerate(sorted(links)):
        if s in some and t in some:
            why = 0 if at in marked else min(leaving[s], arriving[t])
            told[why] += 1
            if why == LAST:
                wanted.append((10 * sorted(some).index(s), 10 * sorted(some).index(t), at + 2.0))
    weights = np.arange(2, 2 + len(links), dtype=np.float32)
    fate = np.array(leaving, np.int32)[pages], np.array(arriving, np.int32)[pages], number
    marks = np.array(sorted(marked), np.int64)
    for place in (table(pages), np.zeros(0, np.int32)):
        *found, lost = counted((*rows(links), weights), pages, place, marks, fate, LAST)
        assert list(zip(*(column.tolist() for column in found), strict=True)) == wanted
        assert lost.tolist() == told


def test_links_without_weights_weigh_one() -> None:
    every, none = np.arange(N, dtype=np.int32), np.zeros(0, np.int64)
    fate = np.full(N, LAST, np.int32), np.full(N, LAST, np.int32), every
    plain = (*rows([(0, 1), (1, 0)]), np.zeros(0, np.float32))
    assert counted(plain, every, every, none, fate, LAST)[2].tolist() == [1, 1]


@given(st.lists(st.tuples(st.integers(0, N - 1), st.integers(0, N - 1)), max_size=25), webs)
def test_spans_of_links_that_stand_several_times(links: Pairs, asked: Pairs) -> None:
    ends = np.array(asked, np.int32).reshape(-1, 2).T
    first, last = spans(*rows(links), np.ascontiguousarray(ends[0]), np.ascontiguousarray(ends[1]))
    assert (last - first).tolist() == [links.count(pair) for pair in asked]
    ordered = sorted(links)
    for begin, end, pair in zip(first.tolist(), last.tolist(), asked, strict=True):
        assert set(ordered[begin:end]) <= {pair}
