"""Measures of crawls by hand."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.core.errors import BadParameter
from weft.crawl.evaluation import (
    CrawlComparison,
    Overlap,
    average_cosine,
    crawl_overlap,
    harvest_curve,
    order_correlation,
    recall_curve,
)

VALUES: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "data" / "mining-values.json").read_text()
)["crawl_metrics"]
RELEVANCE = [1, 1, 0, 1, 0, 0, 1, 1, 0, 1]
TARGETS = {"p0", "p1", "p3", "p6", "x", "y"}


def test_harvest_rate_of_the_specification() -> None:
    np.testing.assert_allclose(harvest_curve(RELEVANCE), VALUES["harvest_curve"], atol=1e-10)
    assert harvest_curve(RELEVANCE)[-1] == pytest.approx(VALUES["harvest_rate"])


def test_harvest_in_a_window() -> None:
    """Of the last three pages: 1, 11, 110, 101, 010, 100, 001, 011, 110, 101."""
    thirds = np.array([3, 3, 2, 2, 1, 1, 1, 2, 2, 2]) / 3
    np.testing.assert_allclose(harvest_curve(RELEVANCE, window=3), thirds)
    np.testing.assert_allclose(harvest_curve(RELEVANCE, window=10), VALUES["harvest_curve"])


def test_harvest_takes_probabilities() -> None:
    np.testing.assert_allclose(harvest_curve([0.5, 0.25]), [0.5, 0.375])
    assert harvest_curve([]).size == 0


def test_target_recall_of_the_specification() -> None:
    curve = recall_curve([f"p{k}" for k in range(10)], TARGETS)
    np.testing.assert_allclose(curve, np.array([1, 2, 2, 3, 3, 3, 4, 4, 4, 4]) / 6)
    assert curve[-1] == pytest.approx(VALUES["target_recall"])


def test_recall_without_targets_or_pages() -> None:
    assert recall_curve(["a", "b"], set()).tolist() == [0, 0]
    assert recall_curve([], TARGETS).size == 0


@given(st.lists(st.sampled_from("abcdef"), unique=True), st.sets(st.sampled_from("abcdefgh")))
def test_recall_rises_to_at_most_one(urls: list[str], targets: set[str]) -> None:
    curve = recall_curve(urls, targets)
    assert (np.diff(curve, prepend=0) >= 0).all()
    assert curve.max(initial=0) <= 1


def test_average_cosine_by_hand() -> None:
    """Three pages: term 0 is on two, 1 and 2 on one each; idf = ln(4 / (1 + pages)) + 1."""
    common, rare = math.log(4 / 3) + 1, math.log(4 / 2) + 1
    first, second = average_cosine([0, 1], [[[0, 1], [2]], [[0, 0]]])
    assert first == pytest.approx((1 + 0) / 2)
    assert second == pytest.approx(common / math.hypot(common, rare))


def test_average_cosine_of_nothing() -> None:
    assert average_cosine([0], [[], [[]]]).tolist() == [0, 0]
    assert average_cosine([], [[[0]]]).tolist() == [0]


def test_repeating_a_page_does_not_change_its_length() -> None:
    """A cosine depends on the shares of terms alone, if IDF stays the same."""
    once, twice = average_cosine([0, 1], [[[0, 2]], [[0, 2, 0, 2]]])
    assert once == pytest.approx(twice)


def test_order_correlation_by_hand() -> None:
    """Six pairs; b before a is discordant: (5 - 1) / 6."""
    scores = {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}
    assert order_correlation(list("bacd"), scores) == pytest.approx(4 / 6)
    assert order_correlation(list("abcd"), scores) == 1
    assert order_correlation(list("dcba"), scores) == -1


def test_pages_that_were_not_retrieved_are_tied() -> None:
    """The pair c, d is tied in one order: 5 concordant of sqrt(6 * 5)."""
    assert order_correlation(list("abcd"), {"a": 2.0, "b": 1.0}) == pytest.approx(5 / 30**0.5)
    assert math.isnan(order_correlation(list("abcd"), {}))
    assert math.isnan(order_correlation(["a"], {"a": 1.0}))


@given(st.permutations(range(7)))
def test_order_correlation_is_that_of_scipy(order: list[int]) -> None:
    from scipy.stats import kendalltau  # noqa: PLC0415  slow to import

    urls = [str(k) for k in order]
    scores = {str(k): float(k // 2) for k in range(1, 7)}
    expected = kendalltau([-k for k in range(7)], [scores.get(url, 0.0) for url in urls])
    assert order_correlation(urls, scores) == pytest.approx(expected.statistic)


def test_overlap_by_hand() -> None:
    first = ["http://a.org/1", "http://a.org/2", "http://b.org/"]
    second = ["http://a.org/2", "http://c.org/"]
    assert crawl_overlap(first, second) == Overlap(1 / 2, 1 / 2)
    assert crawl_overlap(first, first) == Overlap(1, 1)
    assert crawl_overlap(first, []) == Overlap(0, 0)


def comparison() -> CrawlComparison:
    curves = {
        "greedy": [np.array([0.0, 0.2, 0.4]), np.array([0.2, 0.4, 0.8]), np.array([0.1, 0.3])],
        "random": [np.array([0.0, 0.1, 0.1]), np.array([0.2, 0.2, 0.9]), np.array([0.0, 0.1])],
    }
    return CrawlComparison.from_curves("recall", curves, 3, baseline="random")


def test_a_curve_that_ends_early_keeps_its_last_value() -> None:
    np.testing.assert_allclose(comparison().curves["greedy"][2], [0.1, 0.3, 0.3])
    cut = CrawlComparison.from_curves("recall", {"a": [np.array([0.1, 0.2])]}, 1)
    assert cut.curves["a"].tolist() == [[0.1]]
    empty = CrawlComparison.from_curves("recall", {"a": [np.zeros(0)]}, 2)
    assert empty.curves["a"].tolist() == [[0, 0]]


def test_means_and_standard_errors_by_hand() -> None:
    """At two pages .2 .4 .3: mean .3, deviations -.1 .1 0, variance .02 / 2, over 3 cases."""
    found = comparison()
    np.testing.assert_allclose(found.mean("greedy"), [0.1, 0.3, 0.5])
    assert found.standard_error("greedy")[1] == pytest.approx(math.sqrt(0.01 / 3))


def test_paired_differences_by_hand() -> None:
    """At three pages .4 .8 .3 against .1 .9 .1: .3 -.1 .2, mean .4 / 3, ahead twice."""
    rows = comparison().to_table([2, 3, 4]).to_pylist()
    assert [(row["strategy"], row["pages"]) for row in rows] == [
        (name, pages) for name in ("greedy", "random") for pages in (2, 3)
    ]
    row = rows[1]
    assert row["recall"] == pytest.approx(0.5)
    assert row["difference"] == pytest.approx(0.4 / 3)
    variance = ((0.3 - 0.4 / 3) ** 2 + (0.1 + 0.4 / 3) ** 2 + (0.2 - 0.4 / 3) ** 2) / 2
    assert row["difference_error"] == pytest.approx(math.sqrt(variance / 3))
    assert row["ahead"] == 2
    assert rows[3]["difference"] == rows[3]["difference_error"] == rows[3]["ahead"] == 0


def test_strategies_need_the_same_cases() -> None:
    curve = np.array([0.5])
    with pytest.raises(BadParameter, match="a curve for every case"):
        CrawlComparison.from_curves("recall", {"a": [curve], "b": [curve, curve]}, 1)


def test_a_comparison_has_a_one_line_repr() -> None:
    assert repr(comparison()) == "<CrawlComparison of 2 strategies on 3 cases>"
