"""Two sites in terms: the worked example, and what must hold for any two."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.core.arrays import Floats, Rows
from weft.structure.sites import (
    Said,
    corresponding,
    likeness,
    pooled,
    spread,
    unexpected,
    unexpected_links,
    unexpected_pages,
)

VALUES = Path(__file__).parents[1] / "data" / "mining-values.json"
MINE = ["data data mining course student", "contact office"]
THEIRS = ["data mining mining text web course", "contact office map", "consulting price service"]
TERMS = sorted({word for page in (*MINE, *THEIRS) for word in page.split()})
counts = st.lists(st.integers(0, 9), min_size=6, max_size=6).map(lambda v: np.array(v, float))


@pytest.fixture(scope="module")
def worked() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(VALUES.read_text())["competitor"]
    return found


def rows(pages: list[str]) -> Rows:
    """The terms of pages, ascending, with how often each is said."""
    said = [sorted(set(page.split())) for page in pages]
    starts = np.cumsum([0, *(len(own) for own in said)])
    ids = np.array([TERMS.index(word) for own in said for word in own], np.int32)
    times = [
        page.split().count(word) for page, own in zip(pages, said, strict=True) for word in own
    ]
    return Rows(starts, ids, np.array(times, np.float32))


def vector(page: str) -> Floats:
    return np.array([page.split().count(word) for word in TERMS], float)


def test_pages_that_correspond(worked: dict[str, Any]) -> None:
    pairs = corresponding(rows(MINE), rows(THEIRS), len(TERMS))
    assert pairs.theirs.tolist() == worked["correspondence"]
    assert pairs.cosine[0] == pytest.approx(worked["cos_u0"][0], abs=1e-9)
    every = corresponding(rows(MINE[:1]), rows(THEIRS), len(TERMS), k=3, threshold=0)
    assert every.theirs.tolist() == [0]
    assert worked["cos_u0"][1:] == [0, 0]


def test_terms_of_a_pair(worked: dict[str, Any]) -> None:
    found = dict(zip(TERMS, unexpected(vector(MINE[0]), vector(THEIRS[0])), strict=True))
    wanted = worked["unexpected_terms_u0_c0"]
    assert {term: found[term] for term in wanted} == pytest.approx(wanted)


def test_terms_and_pages_of_a_site(worked: dict[str, Any]) -> None:
    surprise = unexpected(pooled(rows(MINE), len(TERMS)), pooled(rows(THEIRS), len(TERMS)))
    found = dict(zip(TERMS, surprise.tolist(), strict=True))
    assert {term: found[term] for term in worked["site_terms"]} == pytest.approx(
        worked["site_terms"]
    )
    pages = unexpected_pages(rows(THEIRS), surprise, 1)
    assert pages.tolist() == pytest.approx(worked["page_unexpectedness"])
    assert np.isnan(unexpected_pages(rows(THEIRS), surprise, 4)).tolist() == [False, True, True]


@given(counts)
def test_nothing_is_unexpected_of_oneself(times: Floats) -> None:
    assert not unexpected(times, times).any()


@given(counts, counts)
def test_all_is_unexpected_of_those_who_share_no_word(mine: Floats, theirs: Floats) -> None:
    found = unexpected(np.append(mine, np.zeros(6)), np.append(np.zeros(6), theirs))
    assert found.tolist() == [0] * 6 + [float(times > 0) for times in theirs]


@given(counts, counts, st.integers(0, 5), st.integers(1, 9))
def test_saying_a_term_more_makes_it_less_unexpected(
    mine: Floats, theirs: Floats, term: int, more: int
) -> None:
    before = unexpected(mine, theirs)[term]
    mine[term] += more
    assert unexpected(mine, theirs)[term] <= before


@given(counts, counts, st.integers(0, 5))
def test_what_is_known_is_expected(mine: Floats, theirs: Floats, term: int) -> None:
    found = unexpected(mine, theirs, np.array([term], np.int32))
    assert found[term] == 0
    others = np.arange(6) != term
    assert (found[others] == unexpected(mine, theirs)[others]).all()


@given(
    st.lists(st.text("abc ", max_size=12), max_size=5),
    st.lists(st.text("abc ", max_size=12), max_size=5),
    st.sampled_from([0, 3, 1_000]),
)
def test_cosines_are_those_of_whole_pages(mine: list[str], theirs: list[str], work: int) -> None:
    """Of all pairs, and where too much work chooses candidates no pair is better than the best."""
    letters = [
        ["data " * w.count("a") + "web " * w.count("b") + "map " * w.count("c") for w in s]
        for s in (mine, theirs)
    ]
    pairs = corresponding(rows(letters[0]), rows(letters[1]), len(TERMS), threshold=0, work=work)
    best = {one: _cosines(page, letters[1]) for one, page in enumerate(letters[0])}
    for one, two, cosine in zip(*pairs[:3], strict=True):
        assert cosine == pytest.approx(best[one][two])
        assert cosine <= max(best[one]) + 1e-9
        assert not pairs.exact or cosine == pytest.approx(max(best[one]))
    assert not pairs.exact or {*pairs.mine.tolist()} == {one for one in best if any(best[one])}


def _cosines(page: str, others: list[str]) -> list[float]:
    own = vector(page)
    lengths = [float(np.linalg.norm(own) * np.linalg.norm(vector(other))) for other in others]
    dots = [float(own @ vector(other)) for other in others]
    return [dot / length if length else 0.0 for dot, length in zip(dots, lengths, strict=True)]


def test_the_k_best_above_a_threshold() -> None:
    same = ["data web", "data", "data web map"]
    pairs = corresponding(rows(["data web"]), rows(same), len(TERMS), k=2)
    assert pairs.theirs.tolist() == [0, 2]
    strict = corresponding(rows(["data web"]), rows(same), len(TERMS), k=3, threshold=0.99)
    assert strict.theirs.tolist() == [0]


def test_links_that_are_new_by_how_many_pages_have_them() -> None:
    found = unexpected_links(
        np.array([5]), np.array([1, 1, 2, 3, 3, 2]), np.array([5, 6, 7, 7, 8, 7])
    )
    assert found.targets.tolist() == [7, 6, 8]
    assert found.pages.tolist() == [2, 1, 1]
    own = np.array([6, 7, 8])
    assert not len(unexpected_links(own, np.array([1, 2, 3]), own).targets)


def test_names_that_are_alike() -> None:
    assert likeness("/data/mining.html", "/Data/Mining.html") == 1
    assert likeness("/a/b", "/c/d") == 0
    assert likeness("", "/") == 0


def test_how_many_pages_say_a_term() -> None:
    said = spread(rows(THEIRS), len(TERMS))
    assert said[TERMS.index("mining")] == 1
    assert said.sum() == 11


def test_a_page_by_itself() -> None:
    said = Said(rows(MINE), rows(MINE), np.arange(2, dtype=np.int32))
    assert [TERMS[term] for term in said.terms_of(0)] == ["course", "data", "mining", "student"]
    assert said.times_of(0).tolist() == [1, 2, 1, 1]
    assert len(said) == 2
