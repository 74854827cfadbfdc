"""Affinity by links and terms, against dense matrices."""

from itertools import pairwise
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.core.arrays import Floats, Ids, Offsets, Weights
from weft.kernels.affinity import build_affinity, similarity_to_group, sum_affinity_by_group

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
    dense = np.zeros((len(starts) - 1, len(starts) - 1))
    dense[np.repeat(np.arange(len(dense)), np.diff(starts)), ids] = weights
    return dense


@given(links, said, st.randoms())
def test_affinity_sums_links_in_both_directions_and_terms(
    pairs: set[tuple[int, int]], words: dict[tuple[int, int], float], random: Random
) -> None:
    out, into = rows(sorted(pairs), PAGES), rows(sorted((b, a) for a, b in pairs), PAGES)
    order = sorted(words, key=lambda at: (at[0], random.random()))
    weights = np.array([words[at] for at in order])
    starts, ids, found = build_affinity(out, into, (*rows(order, PAGES), weights), WORDS)
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
def test_sums_by_group_are_a_matrix_product(pairs: set[tuple[int, int]], groups: list[int]) -> None:
    out, into = rows(sorted(pairs), PAGES), rows(sorted((b, a) for a, b in pairs), PAGES)
    nothing = np.zeros(PAGES + 1, np.int64), np.zeros(0, np.int32), np.zeros(0)
    affinity = build_affinity(out, into, nothing, 0)
    home = np.array(groups, np.int32)
    at = np.eye(4)[home]
    points, among = sum_affinity_by_group(*affinity, home, 3)
    assert (points == table(*affinity) @ at).all()
    assert (among == at.T @ points).all()


@pytest.mark.parametrize("seed", range(4))
def test_similarity_is_a_product_with_the_sum_of_the_group(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 4, (7, 9)) * (rng.random((7, 9)) < 0.5)
    row, item = np.nonzero(table)
    starts = np.searchsorted(row, np.arange(8))
    even = table / np.maximum(np.sqrt(np.square(table).sum(axis=1, keepdims=True)), 1e-12)
    members, ends = np.array([0, 2, 3, 6, 1, 2, 5], np.int32), np.array([0, 4, 4, 7])
    expected = [
        even[m] @ even[members[a:b]].sum(axis=0) for a, b in pairwise(ends) for m in members[a:b]
    ]
    weights = table[row, item].astype(np.float32)
    found = similarity_to_group(starts, item.astype(np.int32), weights, members, ends, 9)
    assert found == pytest.approx(np.array(expected))
