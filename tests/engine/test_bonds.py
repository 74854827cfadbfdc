"""Ties of links and words, against tables of them."""

from itertools import pairwise
from random import Random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from weft.core.arrays import Floats, Ids, Offsets, Weights
from weft.engine.bonds import bonds, leads

PAGES, WORDS = 5, 4
links = st.sets(
    st.tuples(st.integers(0, 4), st.integers(0, 4)).filter(lambda ends: len(set(ends)) > 1)
)
said = st.dictionaries(
    st.tuples(st.integers(0, PAGES - 1), st.integers(0, WORDS - 1)),
    st.sampled_from([0.0, 0.5, 2.0]),
)


def rows(pairs: list[tuple[int, int]], n: int) -> tuple[Offsets, Ids]:
    starts = np.searchsorted([a for a, _ in pairs], np.arange(n + 1))
    return starts, np.array([b for _, b in pairs], np.int32)


def table(starts: Offsets, ids: Ids, weights: Weights) -> Floats:
    whole = np.zeros((len(starts) - 1, len(starts) - 1))
    whole[np.repeat(np.arange(len(whole)), np.diff(starts)), ids] = weights
    return whole


@given(links, said, st.randoms())
def test_they_are_the_sum_of_links_both_ways_and_of_words(
    pairs: set[tuple[int, int]], words: dict[tuple[int, int], float], random: Random
) -> None:
    out, into = rows(sorted(pairs), PAGES), rows(sorted((b, a) for a, b in pairs), PAGES)
    order = sorted(words, key=lambda at: (at[0], random.random()))
    weights = np.array([words[at] for at in order])
    starts, ids, found = bonds(out, into, (*rows(order, PAGES), weights), WORDS)
    expected = np.zeros((PAGES + WORDS, PAGES + WORDS))
    for a, b in pairs:
        expected[a, b] += 1
        expected[b, a] += 1
    for (page, word), weight in words.items():
        expected[page, PAGES + word] = expected[PAGES + word, page] = weight
    assert (table(starts, ids, found) == expected).all()
    assert (found > 0).all()
    assert all((np.diff(ids[a:b]) > 0).all() for a, b in pairwise(starts))


@given(links, st.lists(st.integers(-1, 2), min_size=PAGES, max_size=PAGES))
def test_where_ties_lead_is_a_product_with_the_homes(
    pairs: set[tuple[int, int]], groups: list[int]
) -> None:
    out, into = rows(sorted(pairs), PAGES), rows(sorted((b, a) for a, b in pairs), PAGES)
    nothing = np.zeros(PAGES + 1, np.int64), np.zeros(0, np.int32), np.zeros(0)
    ties = bonds(out, into, nothing, 0)
    home = np.array(groups, np.int32)
    at = np.eye(4)[home]
    points, among = leads(*ties, home, 3)
    assert (points == table(*ties) @ at).all()
    assert (among == at.T @ points).all()
