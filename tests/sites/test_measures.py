"""Unexpectedness and matching pages: a worked example, and properties of any two sites."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.core.arrays import CSR, Floats
from weft.sites.measures import (
    SiteTerms,
    document_frequency,
    find_unexpected_targets,
    match_pages,
    page_unexpectedness,
    total_term_counts,
    unexpectedness,
    word_jaccard,
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


def rows(pages: list[str]) -> CSR:
    """The terms of pages, ascending, with their counts."""
    page_words = [sorted(set(page.split())) for page in pages]
    starts = np.cumsum([0, *(len(words) for words in page_words)])
    ids = np.array([TERMS.index(word) for words in page_words for word in words], np.int32)
    times = [
        page.split().count(word)
        for page, words in zip(pages, page_words, strict=True)
        for word in words
    ]
    return CSR(starts, ids, np.array(times, np.float32))


def vector(page: str) -> Floats:
    return np.array([page.split().count(word) for word in TERMS], float)


def test_pages_that_correspond(worked: dict[str, Any]) -> None:
    pairs = match_pages(rows(MINE), rows(THEIRS), len(TERMS))
    assert pairs.theirs.tolist() == worked["correspondence"]
    assert pairs.cosine[0] == pytest.approx(worked["cos_u0"][0], abs=1e-9)
    every = match_pages(rows(MINE[:1]), rows(THEIRS), len(TERMS), k=3, threshold=0)
    assert every.theirs.tolist() == [0]
    assert worked["cos_u0"][1:] == [0, 0]


def test_terms_of_a_pair(worked: dict[str, Any]) -> None:
    found = dict(zip(TERMS, unexpectedness(vector(MINE[0]), vector(THEIRS[0])), strict=True))
    wanted = worked["unexpected_terms_u0_c0"]
    assert {term: found[term] for term in wanted} == pytest.approx(wanted)


def test_terms_and_pages_of_a_site(worked: dict[str, Any]) -> None:
    surprise = unexpectedness(
        total_term_counts(rows(MINE), len(TERMS)), total_term_counts(rows(THEIRS), len(TERMS))
    )
    found = dict(zip(TERMS, surprise.tolist(), strict=True))
    assert {term: found[term] for term in worked["site_terms"]} == pytest.approx(
        worked["site_terms"]
    )
    pages = page_unexpectedness(rows(THEIRS), surprise, 1)
    assert pages.tolist() == pytest.approx(worked["page_unexpectedness"])
    assert np.isnan(page_unexpectedness(rows(THEIRS), surprise, 4)).tolist() == [False, True, True]


@given(counts)
def test_nothing_is_unexpected_on_the_same_site(times: Floats) -> None:
    assert not unexpectedness(times, times).any()


@given(counts, counts)
def test_all_is_unexpected_without_shared_terms(mine: Floats, theirs: Floats) -> None:
    found = unexpectedness(np.append(mine, np.zeros(6)), np.append(np.zeros(6), theirs))
    assert found.tolist() == [0] * 6 + [float(times > 0) for times in theirs]


@given(counts, counts, st.integers(0, 5), st.integers(1, 9))
def test_a_more_frequent_term_is_less_unexpected(
    mine: Floats, theirs: Floats, term: int, more: int
) -> None:
    before = unexpectedness(mine, theirs)[term]
    mine[term] += more
    assert unexpectedness(mine, theirs)[term] <= before


@given(counts, counts, st.integers(0, 5))
def test_what_is_known_is_expected(mine: Floats, theirs: Floats, term: int) -> None:
    found = unexpectedness(mine, theirs, np.array([term], np.int32))
    assert found[term] == 0
    others = np.arange(6) != term
    assert (found[others] == unexpectedness(mine, theirs)[others]).all()


@given(
    st.lists(st.text("abc ", max_size=12), max_size=5),
    st.lists(st.text("abc ", max_size=12), max_size=5),
    st.sampled_from([0, 3, 1_000]),
)
def test_cosines_are_those_of_whole_pages(
    mine: list[str], theirs: list[str], max_steps: int
) -> None:
    """Of all pairs, and where too much work chooses candidates no pair is better than the best."""
    letters = [
        ["data " * w.count("a") + "web " * w.count("b") + "map " * w.count("c") for w in s]
        for s in (mine, theirs)
    ]
    pairs = match_pages(
        rows(letters[0]), rows(letters[1]), len(TERMS), threshold=0, max_steps=max_steps
    )
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
    pairs = match_pages(rows(["data web"]), rows(same), len(TERMS), k=2)
    assert pairs.theirs.tolist() == [0, 2]
    strict = match_pages(rows(["data web"]), rows(same), len(TERMS), k=3, threshold=0.99)
    assert strict.theirs.tolist() == [0]


def test_unexpected_links_by_linking_pages() -> None:
    found = find_unexpected_targets(
        np.array([5]), np.array([1, 1, 2, 3, 3, 2]), np.array([5, 6, 7, 7, 8, 7])
    )
    assert found.targets.tolist() == [7, 6, 8]
    assert found.pages.tolist() == [2, 1, 1]
    own = np.array([6, 7, 8])
    assert not len(find_unexpected_targets(own, np.array([1, 2, 3]), own).targets)


def test_word_jaccard() -> None:
    assert word_jaccard("/data/mining.html", "/Data/Mining.html") == 1
    assert word_jaccard("/a/b", "/c/d") == 0
    assert word_jaccard("", "/") == 0


def test_document_frequency() -> None:
    pages = document_frequency(rows(THEIRS), len(TERMS))
    assert pages[TERMS.index("mining")] == 1
    assert pages.sum() == 11


def test_terms_and_counts_of_a_page() -> None:
    terms = SiteTerms(rows(MINE), rows(MINE), np.arange(2, dtype=np.int32))
    assert [TERMS[term] for term in terms.terms_of_page(0)] == [
        "course",
        "data",
        "mining",
        "student",
    ]
    assert terms.counts_of_page(0).tolist() == [1, 2, 1, 1]
    assert len(terms) == 2
