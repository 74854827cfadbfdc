"""Rankings judged by ratings: by hand, against SciPy, and from files that people make."""

from collections.abc import Callable
from math import isnan, log2
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from weft.core.errors import BadParameter
from weft.engine import CLOSED
from weft.rank import Judgements, Ranking, compare, evaluate, read_ratings

grades = st.lists(st.integers(0, 4), min_size=2, max_size=12)


def ranking(pages: str, *scores: float, method: str = "toy") -> Ranking:
    return Ranking(method, list(pages), {"score": np.array(scores, np.float64)}, CLOSED)


FALLING = ranking("abcde", 5, 4, 3, 2, 1)


def test_by_hand() -> None:
    """The order a b c d e, rated 3 0 2 - 1: d is left out, and the first three are a b c."""
    found = evaluate(FALLING, {"a": 3, "b": 0, "c": 2, "e": 1}, k=3)
    assert found.precision == pytest.approx(2 / 3), "a and c are above 1.5"
    gain, best = 3 + 2 / log2(4), 3 + 2 / log2(3) + 1 / log2(4)
    assert found.ndcg == pytest.approx(gain / best)
    assert found.tau == pytest.approx((4 - 2) / 6), "b comes before c and e"
    assert (found.judged, found.judged_in_top, found.in_top) == (4, 3, 3)


def test_pages_without_a_rating_count_for_nothing() -> None:
    some = {"a": 3.0, "c": 2.0, "e": 1.0}
    alone = evaluate(ranking("ace", 5, 3, 1), some, k=2)
    among = evaluate(FALLING, some, k=2)
    assert (among.precision, among.ndcg, among.tau) == (alone.precision, alone.ndcg, alone.tau)
    assert (among.judged_in_top, among.row["unjudged_in_top"]) == (1, 1)


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
def test_relevant_is_above_the_middle_or_from_a_rating_on(
    ratings: tuple[int, ...], relevant: float | None, precision: float
) -> None:
    judged = Judgements.of(zip("abcd", map(float, ratings), strict=True), relevant=relevant)
    assert evaluate(FALLING, judged, k=4).precision == precision


def test_equal_scores_share_what_their_places_bring() -> None:
    """Of two equals one is relevant: half of them is within the first place, whoever it is."""
    for ratings in ({"a": 1, "b": 0}, {"a": 0, "b": 1}):
        found = evaluate(ranking("ab", 1, 1), ratings, k=1)
        assert (found.precision, found.ndcg) == (0.5, 0.5)
        assert isnan(found.tau)


def test_ratings_below_zero_bring_no_gain() -> None:
    assert evaluate(FALLING, {"a": 2, "b": -2}).ndcg == 1
    assert evaluate(FALLING, {"a": -2, "b": 2}).ndcg == pytest.approx(1 / log2(3))
    assert isnan(evaluate(FALLING, {"a": -1, "b": -2}).ndcg)


def test_a_ranking_of_other_pages_says_nothing() -> None:
    found = evaluate(FALLING, {"x": 1, "y": 2})
    assert found.judged == 0
    assert all(map(isnan, (found.precision, found.ndcg, found.tau)))


def test_a_head_has_a_place() -> None:
    with pytest.raises(BadParameter, match="one place or more, not 0"):
        evaluate(FALLING, {"a": 1}, k=0)


@given(grades, st.randoms())
def test_scipy_finds_the_same_correlation(ratings: list[int], random: object) -> None:
    scores = [random.randint(0, 4) for _ in ratings]  # type: ignore[attr-defined]
    pages = "abcdefghijkl"[: len(ratings)]
    found = evaluate(ranking(pages, *scores), dict(zip(pages, ratings, strict=True)))
    assert found.tau == pytest.approx(kendalltau(scores, ratings).statistic, nan_ok=True)


@given(grades)
def test_the_order_of_the_ratings_is_the_best(ratings: list[int]) -> None:
    assume(max(ratings) > min(ratings))
    pages = "abcdefghijkl"[: len(ratings)]
    judged = dict(zip(pages, ratings, strict=True))
    best, worst = (
        evaluate(ranking(pages, *(sign * r for r in ratings)), judged) for sign in (1, -1)
    )
    assert best.ndcg == pytest.approx(1)
    assert best.tau == pytest.approx(1)
    assert worst.tau == pytest.approx(-1)
    assert worst.ndcg < 1
    assert worst.precision <= best.precision


def test_several_ratings_of_a_page_count_by_their_mean() -> None:
    rows = [("A", "7"), ("a", "6"), ("b", "1"), ("c", "?"), ("c", "nan"), ("d", ""), ("zz", "3")]
    judged = Judgements.of(rows, lambda url: url.lower() if url.lower() in "abc" else "")
    assert judged.ratings == {"a": 6.5, "b": 1}
    assert judged.threshold == 4, "of the scale, 1 to 7"
    assert judged.problems() == [
        "3 rows without a number, such as '?', 'nan' and ''",
        "1 URL of no page here, such as 'zz'",
        "1 page rated more than once: the mean counts",
    ]


def test_methods_side_by_side() -> None:
    backward = ranking("abcde", 1, 2, 3, 4, 5, method="backward")
    judged = Judgements.of([("a", 2.0), ("b", 1.0), ("x", 3.0)])
    found = compare([FALLING, backward, FALLING], top=1, judgements=judged).judged
    assert found is not None
    rows = found.to_table().to_pylist()
    assert [row["method"] for row in rows] == ["toy", "backward", "toy 2"]
    assert [row["tau_b"] for row in rows] == [1, -1, 1]
    assert found.notes()[1:] == [
        f"1 rating of pages that {name} does not rank" for name in ("toy", "backward", "toy 2")
    ]
    assert repr(found) == "<3 rankings judged by 3 ratings, nDCG best by toy>"


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
def test_files_as_people_make_them(content: bytes, write: Write) -> None:
    assert list(read_ratings(write(content))) == [("a", "1"), ("b", "2.5")]


def test_a_row_without_its_rating_is_bad(write: Write) -> None:
    judged = Judgements.of(read_ratings(write(b"url,rating\na,1\nb\n\xff\xfe,2\n")), str)
    assert judged.bad == ("",)
    assert judged.ratings == {"a": 1, "\ufffd\ufffd": 2}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "ratings.csv is empty"),
        (b"\n \n", "ratings.csv is empty"),
        (b"url,score\na,1\n", "has no columns url and rating but 'url,score'"),
        (b"a,1\nb,2\n", "has no columns url and rating but 'a,1'"),
        (b"url,rating\n" + b"x" * 200_000 + b",1\n", "is no CSV: field larger than"),
    ],
)
def test_files_that_are_none(content: bytes, message: str, write: Write) -> None:
    with pytest.raises(BadParameter, match=message):
        list(read_ratings(write(content)))


def test_ratings_that_cannot_be_used(write: Write) -> None:
    with pytest.raises(BadParameter, match="no rating can be used: there is none"):
        Judgements.of(read_ratings(write(b"url,rating\n")))
    with pytest.raises(BadParameter, match="1 URL of no page here, such as 'a'"):
        Judgements.of([("a", "1")], lambda _: "")
    with pytest.raises(BadParameter, match="cannot be read: No such file"):
        list(read_ratings("nowhere.csv"))
