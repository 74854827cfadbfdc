"""Concepts: by hand, and by brute force over all sets."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.core.arrays import CSR
from weft.sites.concepts import (
    Concept,
    count_concept_sentences,
    drop_redundant_pairs,
    find_concepts,
)
from weft.sites.measures import SiteTerms

Pages = list[list[set[int]]]
pages = st.lists(st.lists(st.sets(st.integers(0, 5), max_size=5), max_size=8), max_size=4)
TERMS = 6


def site_terms(pages: Pages) -> SiteTerms:
    """Pages of sentences of terms."""
    sentences = [sorted(one) for page in pages for one in page]
    starts = np.cumsum([0, *(len(one) for one in sentences)])
    ids = np.array([term for one in sentences for term in one], np.int32)
    owner = np.array([k for k, page in enumerate(pages) for _ in page], np.int32)
    rows = CSR(starts, ids, np.ones(len(ids), np.float32))
    return SiteTerms(CSR(np.zeros(len(pages) + 1, np.int64), ids[:0]), rows, owner)


def brute_force(pages: Pages, min_sentences: int) -> dict[Concept, int]:
    """On how many pages each set of two or three terms is frequent."""
    every = [*combinations(range(TERMS), 2), *combinations(range(TERMS), 3)]
    often = {
        concept: sum(sum(set(concept) <= one for one in page) >= min_sentences for page in pages)
        for concept in every
    }
    return {concept: many for concept, many in often.items() if many}


@given(pages, st.integers(2, 3))
def test_concepts_are_those_of_brute_force(pages: Pages, min_sentences: int) -> None:
    wanted = brute_force(pages, min_sentences)
    found = find_concepts(site_terms(pages), min_sentences=min_sentences)
    assert set(found) == set(wanted)
    assert [wanted[concept] for concept in found] == sorted(wanted.values(), reverse=True)


@given(pages)
def test_sentences_and_pages_of_a_concept(pages: Pages) -> None:
    sets: list[Concept] = [*combinations(range(TERMS), 2), *combinations(range(TERMS), 3)]
    times, where = count_concept_sentences(site_terms(pages), sets, TERMS)
    for concept, often, on in zip(sets, times.tolist(), where, strict=True):
        having = [[set(concept) <= one for one in page] for page in pages]
        assert often == sum(map(sum, having))
        assert on.tolist() == [k for k, page in enumerate(having) if any(page)]


def test_the_most_frequent_are_kept() -> None:
    page = [{0, 1}] * 3 + [{2, 3}] * 3
    assert find_concepts(site_terms([page, page[:3]]), max_concepts=1) == [(0, 1)]


def test_a_long_page_needs_more_sentences() -> None:
    page = [{0, 1}] * 3 + [set[int]()] * 400
    assert find_concepts(site_terms([page])) == []
    assert find_concepts(site_terms([[*page, {0, 1}]])) == [(0, 1)]


def test_the_most_frequent_terms_of_a_long_sentence_count() -> None:
    long, short = set(range(40)), set(range(30, 40))
    found = find_concepts(site_terms([[long] * 3 + [short] * 2]), max_concepts=100_000)
    assert (30, 39) in found
    assert len({term for concept in found for term in concept}) == 24


def test_redundant_pairs_are_dropped() -> None:
    sets = [(0, 1), (0, 1, 2), (1, 2), (3, 4)]
    assert drop_redundant_pairs(sets, np.array([10.0, 9.0, 30.0, 1.0])) == [1, 2, 3]


def test_the_rarest_of_too_many_sets_are_dropped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("weft.sites.concepts.BLOCK_TERMS", 1)
    monkeypatch.setattr("weft.sites.concepts.MAX_COUNTED_SETS", 2)
    common = [{0, 1}] * 3
    pages = [[*common, *[{2 * k, 2 * k + 1}] * 3] for k in range(1, 6)]
    assert find_concepts(site_terms(pages), max_concepts=1) == [(0, 1)]
