"""Rank correlation by hand, by published values, and against slower definitions."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from weft.core.arrays import argsort_descending
from weft.core.errors import BadParameter
from weft.rank.rank_correlation import (
    TopKOverlap,
    count_concordant_pairs,
    count_concordant_rank_pairs,
    count_inversions,
    geometric_distance,
    rank_biased_overlap,
    top_k_overlap,
)

grades = st.integers(0, 6)
two_scores = st.lists(st.tuples(grades, grades), max_size=25).map(
    lambda rows: np.array(rows, float).reshape(-1, 2).T
)
orders = st.permutations(range(8)).map(np.array)


def letters(word: str) -> Any:
    return np.array([ord(letter) for letter in word])


def test_tau_with_ties_by_the_published_example(spec_values: dict[str, Any]) -> None:
    wanted = spec_values["measure_examples"]["tau_ties"]
    pairs = count_concordant_pairs(np.array([1.0, 2, 2, 3]), np.array([1.0, 2, 3, 3]))
    counts = (
        pairs.concordant,
        pairs.discordant,
        pairs.tied_first,
        pairs.tied_second,
        pairs.tied_both,
    )
    names = ("C", "D", "ties_x_only", "ties_y_only", "ties_both")
    assert counts == tuple(wanted[name] for name in names)
    assert pairs.tau_b == pytest.approx(wanted["tau_b"])
    assert pairs.kendall_distance() == pytest.approx(wanted["weak_rank_distance"])
    assert pairs.kendall_distance(1) == pytest.approx(wanted["strict_rank_distance"], abs=1e-9)
    assert pairs.kendall_distance(0.5) == pytest.approx(pairs.kendall_distance(1) / 2)


@pytest.mark.parametrize("name", ["G1_seed002_hits7", "G2_seed002_pr5", "G3_own10"])
def test_hits_and_pagerank_by_the_published_values(name: str, spec_values: dict[str, Any]) -> None:
    """The scores are those of the specification too, so that this tests only the measures."""
    values = spec_values[name]
    wanted = values["compare_hits_vs_pagerank"]
    hits = np.array(values["hits"]["authority_L1"])
    pagerank = np.array(values["pagerank_follow0.85_dangling_uniform"])
    pairs = count_concordant_pairs(hits, pagerank)
    assert pairs.tau_b == pytest.approx(wanted["tau_b"], abs=1e-9)
    assert (pairs.concordant, pairs.discordant) == (wanted["C"], wanted["D"])
    assert (pairs.tied_first, pairs.tied_second, pairs.tied_both) == tuple(
        wanted[f"ties_{which}"] for which in ("x_only", "y_only", "both")
    )
    assert pairs.kendall_distance(0) == pytest.approx(wanted["weak_rank_distance"], abs=1e-9)
    assert pairs.kendall_distance(1) == pytest.approx(wanted["strict_rank_distance"], abs=1e-9)
    first, second = (argsort_descending(scores) for scores in (hits, pagerank))
    assert first[:5].tolist() == wanted["top5_hits"]
    assert second[:5].tolist() == wanted["top5_pr"]
    overlap = top_k_overlap(first, second, 5)
    assert (overlap.share, overlap.jaccard) == (wanted["overlap_at5"], wanted["jaccard_at5"])
    for key, depth in (("rbo_p0p9", None), ("rbo_top5_p0p9", 5)):
        found = rank_biased_overlap(first[:depth], second[:depth])
        assert found.extrapolated == pytest.approx(wanted[key]["ext"], abs=1e-9)
        assert found.lower_bound == pytest.approx(wanted[key]["min"], abs=1e-9)
    assert geometric_distance(hits, pagerank) == pytest.approx(
        wanted["d1_geometric_L1normalised"], abs=1e-8
    )
    largest = hits / hits.max(), pagerank / pagerank.max()
    assert geometric_distance(*largest) == pytest.approx(wanted["d1_geometric_Linf"], abs=1e-7)


@pytest.mark.parametrize(
    ("key", "one", "other"),
    [
        ("rbo_abcde_bcdae_p0p9", "abcde", "bcdae"),
        ("rbo_identical_p0p9", "abc", "abc"),
        ("rbo_disjoint", "abc", "xyz"),
        ("rbo_uneven", "abc", "bacde"),
    ],
)
def test_rbo_by_the_published_examples(
    key: str, one: str, other: str, spec_values: dict[str, Any]
) -> None:
    wanted = spec_values["measure_examples"][key]
    for first, second in ((one, other), (other, one)):
        found = rank_biased_overlap(letters(first), letters(second))
        assert found.extrapolated == pytest.approx(wanted["ext"], abs=1e-9)
        assert found.lower_bound == pytest.approx(wanted["min"], abs=1e-9)


@given(two_scores)
def test_tau_agrees_with_scipy(scores: Any) -> None:
    ours = count_concordant_pairs(*scores).tau_b
    with np.errstate(invalid="ignore"):
        theirs = kendalltau(*scores, variant="b").statistic if scores.shape[1] > 1 else np.nan
    assert ours == pytest.approx(theirs, nan_ok=True)


@given(two_scores)
def test_every_pair_is_counted_once(scores: Any) -> None:
    signs = [
        tuple(np.sign(scores[:, i] - scores[:, j]))
        for i, j in combinations(range(len(scores[0])), 2)
    ]
    pairs = count_concordant_pairs(*scores)
    assert pairs.total_pairs == len(signs)
    assert pairs.discordant == sum(a * b < 0 for a, b in signs)
    assert pairs.tied_first == sum(a == 0 != b for a, b in signs)
    assert pairs.tied_second == sum(b == 0 != a for a, b in signs)


@given(st.lists(st.integers(0, 9), max_size=40))
def test_inversions_by_definition(numbers: list[int]) -> None:
    wanted = sum(a > b for a, b in combinations(numbers, 2))
    assert count_inversions(np.array(numbers, int)) == wanted


@given(two_scores, st.floats(1, 9))
def test_geometric_distance_ignores_scale(scores: Any, factor: float) -> None:
    first, second = scores
    assert geometric_distance(first, factor * first) == pytest.approx(0, abs=1e-9)
    assert geometric_distance(first, second) == pytest.approx(geometric_distance(second, first))
    tried = [np.abs(g * first - second).sum() for g in np.linspace(1, 10, 200)]
    tried += [np.abs(first - g * second).sum() for g in np.linspace(1, 10, 200)]
    assert geometric_distance(first, second) <= min(tried) + 1e-9


def test_geometric_distance_by_hand() -> None:
    """At any scale from 1 to 3 the L1 distance of (1, 1) and (1, 3) is 2."""
    assert geometric_distance(np.array([1.0, 1]), np.array([1.0, 3])) == pytest.approx(2)
    assert geometric_distance(np.array([4.0, 1]), np.array([2.0, 1])) == pytest.approx(1)
    assert geometric_distance(np.zeros(2), np.array([1.0, 3])) == 4
    assert np.isnan(geometric_distance(np.array([np.inf, 1]), np.ones(2)))


@given(orders, orders, st.floats(0.1, 0.95))
def test_rbo_by_definition(first: Any, second: Any, p: float) -> None:
    """(1-p) sum of p^(d-1) A_d, with agreement 1 below the ends of both orders."""
    depths = range(1, 3000)
    common = [set(first[:d].tolist()) & set(second[:d].tolist()) for d in range(1, 9)]
    agreement = [len(common[min(d, 8) - 1]) / d if d <= 8 else 1.0 for d in depths]
    series = (1 - p) * sum(a * p ** (d - 1) for a, d in zip(agreement, depths, strict=True))
    found = rank_biased_overlap(first, second, p)
    assert found.extrapolated == pytest.approx(series, abs=1e-9)
    assert 0 <= found.lower_bound <= found.extrapolated + 1e-12


def test_empty_orders() -> None:
    empty = np.zeros(0, int)
    assert rank_biased_overlap(empty, empty).extrapolated == 1
    assert rank_biased_overlap(empty, letters("ab")).extrapolated == 0
    assert top_k_overlap(empty, empty, 3) == TopKOverlap(0, 1.0, 1.0)
    assert count_concordant_pairs(np.zeros(0), np.zeros(0)).kendall_distance() == 0


def test_invalid_parameters() -> None:
    order = letters("ab")
    with pytest.raises(BadParameter):
        rank_biased_overlap(order, order, 1.0)
    with pytest.raises(BadParameter):
        top_k_overlap(order, order, 0)
    with pytest.raises(BadParameter):
        count_concordant_pairs(np.ones(2), np.ones(2)).kendall_distance(2)


@given(two_scores)
def test_pairs_of_ranks_are_those_of_scores(scores: Any) -> None:
    ranks = [np.unique(values, return_inverse=True)[1].astype(np.int32) for values in scores]
    assert count_concordant_rank_pairs(*ranks) == count_concordant_pairs(*scores)


def test_long_orders() -> None:
    """With p = 0.3 the weight of places below the 619th is zero; their overlap still counts."""
    order = np.arange(5000, dtype=np.int32)
    swapped = order.copy()
    swapped[[0, 1]] = 1, 0
    found = rank_biased_overlap(order, swapped, 0.3)
    assert found.extrapolated == pytest.approx(1 - 0.7)
    assert rank_biased_overlap(order, order, 0.3).lower_bound == pytest.approx(1)
    assert rank_biased_overlap(order[:700], order, 0.3).extrapolated == pytest.approx(1)
