"""Evaluation by judgements: by hand, against SciPy, and from CSV files."""

from collections.abc import Callable
from math import isnan, log2
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from weft.core.errors import BadParameter
from weft.engine import CLOSED_FORM
from weft.rank import Judgements, Ranking, compare, evaluate, read_ratings

grades = st.lists(st.integers(0, 4), min_size=2, max_size=12)


def ranking(pages: str, *scores: float, method: str = "toy") -> Ranking:
    return Ranking(method, list(pages), {"score": np.array(scores, np.float64)}, CLOSED_FORM)


DESCENDING = ranking("abcde", 5, 4, 3, 2, 1)


def test_by_hand() -> None:
    """The order a b c d e, rated 3 0 2 - 1: d is unrated, and the top three are a b c."""
    found = evaluate(DESCENDING, {"a": 3, "b": 0, "c": 2, "e": 1}, k=3)
    assert found.precision == pytest.approx(2 / 3), "a and c are above 1.5"
    gain, best = 3 + 2 / log2(4), 3 + 2 / log2(3) + 1 / log2(4)
    assert found.ndcg == pytest.approx(gain / best)
    assert found.tau_b == pytest.approx((4 - 2) / 6), "b comes before c and e"
    assert (found.judged_pages, found.judged_in_top, found.top_size) == (4, 3, 3)


def test_unrated_pages_are_ignored() -> None:
    ratings = {"a": 3.0, "c": 2.0, "e": 1.0}
    rated = evaluate(ranking("ace", 5, 3, 1), ratings, k=2)
    mixed = evaluate(DESCENDING, ratings, k=2)
    assert (mixed.precision, mixed.ndcg, mixed.tau_b) == (rated.precision, rated.ndcg, rated.tau_b)
    assert (mixed.judged_in_top, mixed.row["unjudged_in_top"]) == (1, 1)


@pytest.mark.parametrize(
    ("ratings", "relevant", "precision"),
    [
        ((1, 7, 4, 5), None, 2 / 4),
        ((0, 1, 1, 1), None, 3 / 4),
        ((1, 7, 4, 5), 4, 3 / 4),
        ((2, 2, 2, 2), None, 0),
        ((2, 2, 2, 2), 2, 1),
    ],
)
def test_relevance_threshold(
    ratings: tuple[int, ...], relevant: float | None, precision: float
) -> None:
    judged = Judgements.from_rows(
        zip("abcd", map(float, ratings), strict=True), min_relevant=relevant
    )
    assert evaluate(DESCENDING, judged, k=4).precision == precision


def test_equal_scores_share_their_gains() -> None:
    """One of two tied pages is relevant: half a relevant page is at the first place."""
    for ratings in ({"a": 1, "b": 0}, {"a": 0, "b": 1}):
        found = evaluate(ranking("ab", 1, 1), ratings, k=1)
        assert (found.precision, found.ndcg) == (0.5, 0.5)
        assert isnan(found.tau_b)


def test_negative_ratings_have_no_gain() -> None:
    assert evaluate(DESCENDING, {"a": 2, "b": -2}).ndcg == 1
    assert evaluate(DESCENDING, {"a": -2, "b": 2}).ndcg == pytest.approx(1 / log2(3))
    assert isnan(evaluate(DESCENDING, {"a": -1, "b": -2}).ndcg)


def test_a_ranking_without_rated_pages() -> None:
    found = evaluate(DESCENDING, {"x": 1, "y": 2})
    assert found.judged_pages == 0
    assert all(map(isnan, (found.precision, found.ndcg, found.tau_b)))


def test_k_must_be_positive() -> None:
    with pytest.raises(BadParameter, match="at least 1, not 0"):
        evaluate(DESCENDING, {"a": 1}, k=0)


@given(grades, st.randoms())
def test_correlation_agrees_with_scipy(ratings: list[int], random: object) -> None:
    scores = [random.randint(0, 4) for _ in ratings]  # type: ignore[attr-defined]
    pages = "abcdefghijkl"[: len(ratings)]
    found = evaluate(ranking(pages, *scores), dict(zip(pages, ratings, strict=True)))
    assert found.tau_b == pytest.approx(kendalltau(scores, ratings).statistic, nan_ok=True)


@given(grades)
def test_the_order_of_the_ratings_is_ideal(ratings: list[int]) -> None:
    assume(max(ratings) > min(ratings))
    pages = "abcdefghijkl"[: len(ratings)]
    judged = dict(zip(pages, ratings, strict=True))
    best, worst = (
        evaluate(ranking(pages, *(sign * r for r in ratings)), judged) for sign in (1, -1)
    )
    assert best.ndcg == pytest.approx(1)
    assert best.tau_b == pytest.approx(1)
    assert worst.tau_b == pytest.approx(-1)
    assert worst.ndcg < 1
    assert worst.precision <= best.precision


def test_several_ratings_of_a_page_are_averaged() -> None:
    rows = [("A", "7"), ("a", "6"), ("b", "1"), ("c", "?"), ("c", "nan"), ("d", ""), ("zz", "3")]
    judged = Judgements.from_rows(rows, lambda url: url.lower() if url.lower() in "abc" else "")
    assert judged.ratings == {"a": 6.5, "b": 1}
    assert judged.relevance_threshold == 4, "of the scale, 1 to 7"
    assert judged.problems() == [
        "3 rows without a number, such as '?', 'nan' and ''",
        "1 unknown URL, such as 'zz'",
        "1 page rated more than once: the mean counts",
    ]


def test_several_rankings() -> None:
    backward = ranking("abcde", 1, 2, 3, 4, 5, method="backward")
    judged = Judgements.from_rows([("a", 2.0), ("b", 1.0), ("x", 3.0)])
    found = compare([DESCENDING, backward, DESCENDING], top=1, judgements=judged).evaluations
    assert found is not None
    rows = found.to_table().to_pylist()
    assert [row["method"] for row in rows] == ["toy", "backward", "toy 2"]
    assert [row["tau_b"] for row in rows] == [1, -1, 1]
    assert found.notes()[1:] == [
        f"1 rating of pages that {name} does not rank" for name in ("toy", "backward", "toy 2")
    ]
    assert repr(found) == "<Evaluations of 3 rankings by 3 ratings, best nDCG by toy>"


Write = Callable[[bytes], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def make(content: bytes) -> Path:
        (tmp_path / "ratings.csv").write_bytes(content)
        return tmp_path / "ratings.csv"

    return make


@pytest.mark.parametrize(
    "content",
    [
        b"url,rating\na,1\nb,2.5\n",
        b"\xef\xbb\xbfURL,Rating\r\na,1\r\n\r\nb,2.5",
        b"rating;who; Url \n1;me;a\n2.5;you;b\n",
        b"url\trating\ra\t1\rb\t2.5\r",
        b'\n"url","rating"\n"a","1"\n"b"," 2.5 "\n',
    ],
)
def test_csv_dialects(content: bytes, write: Write) -> None:
    assert list(read_ratings(write(content))) == [("a", "1"), ("b", "2.5")]


def test_a_row_without_a_rating_is_bad(write: Write) -> None:
    judged = Judgements.from_rows(read_ratings(write(b"url,rating\na,1\nb\n\xff\xfe,2\n")), str)
    assert judged.bad_ratings == ("",)
    assert judged.ratings == {"a": 1, "ÿþ": 2}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "ratings.csv is empty"),
        (b"\n \n", "ratings.csv is empty"),
        (b"url,score\na,1\n", "has no columns url and rating but 'url,score'"),
        (b"a,1\nb,2\n", "has no columns url and rating but 'a,1'"),
        (b"url,rating\n" + b"x" * 200_000 + b",1\n", "is not a CSV file: field larger than"),
    ],
)
def test_bad_files(content: bytes, message: str, write: Write) -> None:
    with pytest.raises(BadParameter, match=message):
        list(read_ratings(write(content)))


def test_unusable_ratings(write: Write) -> None:
    with pytest.raises(BadParameter, match="no usable ratings: there are none"):
        Judgements.from_rows(read_ratings(write(b"url,rating\n")))
    with pytest.raises(BadParameter, match="1 unknown URL, such as 'a'"):
        Judgements.from_rows([("a", "1")], lambda _: "")
    with pytest.raises(BadParameter, match="cannot be read: No such file"):
        list(read_ratings("nowhere.csv"))
