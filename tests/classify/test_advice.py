"""Shares corrected for error, what to tag next, and the learning curve."""

import numpy as np
import pytest

from weft.classify import LabelledPages, linear, naive_bayes
from weft.classify.advice import (
    choose_next_to_tag,
    describe_imbalance,
    describe_shift,
    estimate_shares,
    measure_drift,
    thin_examples,
)
from weft.core.errors import BadParameter


def test_shares_are_corrected_by_hand() -> None:
    """Of class x, 9 of 10 are found; of y, 8 of 10. 55 of 100 pages are put into x.

    0.9 p + 0.2 (1 - p) = 0.55, so p is one half.
    """
    truth = np.array([0] * 10 + [1] * 10, np.int32)
    found = np.array([0] * 9 + [1] + [1] * 8 + [0] * 2, np.int32)
    predicted = np.array([0] * 55 + [1] * 45, np.int32)
    x, y = estimate_shares(("x", "y"), predicted, truth, found)
    assert x.predicted == pytest.approx(0.55)
    assert (x.share, y.share) == pytest.approx((0.5, 0.5))
    assert x.low < 0.5 < x.high
    assert y.low + x.high == pytest.approx(1)


def test_more_examples_narrow_the_interval() -> None:
    def width(times: int) -> float:
        truth = np.repeat([0, 1], 10 * times).astype(np.int32)
        found = np.tile([0] * 9 + [1], times).tolist() + np.tile([1] * 9 + [0], times).tolist()
        predicted = np.array([0, 1] * 500, np.int32)
        share = estimate_shares(("x", "y"), predicted, truth, np.array(found, np.int32))[0]
        return share.high - share.low

    assert width(20) < width(1) / 2


def test_uncertain_and_different_pages_come_first() -> None:
    """Two copies are the most uncertain: only one of them is among the first two."""
    pages = LabelledPages.from_lists(
        ["a", "b", "c", "d"], ["oak elm", "oak elm", "sea wave", "sun"], ["", "", "", ""]
    )
    probabilities = np.array([[0.5, 0.5], [0.5, 0.5], [0.6, 0.4], [0.99, 0.01]])
    assert choose_next_to_tag(pages, probabilities, 2).tolist() == [0, 2]
    assert sorted(choose_next_to_tag(pages, probabilities, 9).tolist()) == [0, 1, 2, 3]


def test_a_result_gives_advice() -> None:
    words = {"sport": ["ball", "goal", "team"], "money": ["bank", "loan", "rate"]}
    rows = [
        (f"{name}{k}", f"{own[k % 3]} {own[(k + 1) % 3]}", name)
        for name, own in words.items()
        for k in range(8)
    ]
    pages = [*rows, ("x", "goal", ""), ("y", "goal loan", ""), ("z", "bank rate", "")]
    found = linear(pages)
    assert found.next_to_tag(1)[0].page == "y"
    assert sum(share.share for share in found.shares()) == pytest.approx(1)
    curve = found.learning_curve()
    assert [point.examples for point in curve] == [4, 8, 12, 16]
    assert curve[-1].accuracy == found.estimate.accuracy if found.estimate else False


def test_too_few_examples_have_no_shares_and_no_curve() -> None:
    found = naive_bayes([("a", "ball", "sport"), ("b", "bank", "money"), ("c", "ball", "")])
    assert found.shares() == []
    assert found.learning_curve() == []


def test_fewer_examples_keep_two_of_each_class() -> None:
    classes = ["x"] * 20 + ["y"] * 3
    pages = LabelledPages.from_lists([str(k) for k in range(23)], ["t"] * 23, classes)
    assert thin_examples(pages, 0.25).class_sizes == {"x": 5, "y": 2}


def test_imbalance_is_described() -> None:
    notes = describe_imbalance({"x": 40, "y": 4, "z": 1}, {"x": 39, "y": 0})
    assert notes == [
        "classes are imbalanced: 40 examples of x, 1 of z; rare classes are found less often",
        "no held-out example of y was recognised; tag more of them",
    ]
    assert describe_imbalance({"x": 40, "y": 5}, {"x": 39, "y": 1}) == []


def test_a_shift_of_classes_is_described() -> None:
    shifted = describe_shift({"x": 10, "y": 10}, {"x": 0.75, "y": 0.25})
    assert shifted == [
        "classes are distributed differently: x is 50% of the examples, and 75% of the other pages"
    ]
    assert describe_shift({"x": 10, "y": 10}, {"x": 0.6, "y": 0.4}) == []


def test_drift_is_how_well_words_tell_examples_from_other_pages() -> None:
    random = np.random.default_rng(0)
    words = ["oak", "elm", "sea", "sun", "sky", "ash"]

    def text() -> str:
        return " ".join(random.choice(words, 4))

    classes = ["x", "y"] * 30 + [""] * 60
    pages = [str(k) for k in range(120)]
    alike = LabelledPages.from_lists(pages, [text() for _ in pages], classes)
    assert 0.3 < measure_drift(alike) < 0.7
    other = [f"{text()} {'new' if k >= 60 else 'old'}" for k in range(120)]
    drifted = LabelledPages.from_lists(pages, other, classes)
    assert measure_drift(drifted) == 1.0
    assert any("other words than the examples" in note for note in linear(drifted).warnings)
    assert measure_drift(drifted.select(np.arange(120) % 10 == 0)) == 0.5


def test_the_summary_has_recall_and_precision() -> None:
    rows = [(f"{k}", "ball" if k % 2 else "bank", "x" if k % 2 else "y") for k in range(20)]
    found = linear([*rows, ("a", "ball", ""), ("b", "ball", "")])
    x, y = found.summary_table().to_pylist()
    assert (x["recall"], x["precision"], x["pages"], y["pages"]) == (1.0, 1.0, 2, 0)
    assert x["share"] == pytest.approx(1)
    assert "classes are distributed differently" in found.warnings[0]


def test_too_many_classes_are_refused() -> None:
    rows = [(str(k), f"word{k}", f"class{k}") for k in range(2000)]
    with pytest.raises(BadParameter, match="2,000 classes, more than 1,000"):
        linear(rows)
