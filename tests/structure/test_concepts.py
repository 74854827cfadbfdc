"""Terms that come together in sentences: by hand, and by trying all sets."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.core.arrays import Rows
from weft.structure.concepts import Concept, concepts, times_said, without_parts
from weft.structure.sites import Said

Pages = list[list[set[int]]]
pages = st.lists(st.lists(st.sets(st.integers(0, 5), max_size=5), max_size=8), max_size=4)
TERMS = 6


def said(pages: Pages) -> Said:
    """Pages of sentences of terms."""
    sentences = [sorted(one) for page in pages for one in page]
    starts = np.cumsum([0, *(len(one) for one in sentences)])
    ids = np.array([term for one in sentences for term in one], np.int32)
    owner = np.array([k for k, page in enumerate(pages) for _ in page], np.int32)
    rows = Rows(starts, ids, np.ones(len(ids), np.float32))
    return Said(Rows(np.zeros(len(pages) + 1, np.int64), ids[:0]), rows, owner)


def tried(pages: Pages, least: int) -> dict[Concept, int]:
    """On how many pages each set of two or three terms is frequent, by trying all."""
    every = [*combinations(range(TERMS), 2), *combinations(range(TERMS), 3)]
    often = {
        concept: sum(sum(set(concept) <= one for one in page) >= least for page in pages)
        for concept in every
    }
    return {concept: many for concept, many in often.items() if many}


@given(pages, st.integers(2, 3))
def test_the_sets_that_trying_all_finds(pages: Pages, least: int) -> None:
    wanted = tried(pages, least)
    found = concepts(said(pages), least=least)
    assert set(found) == set(wanted)
    assert [wanted[concept] for concept in found] == sorted(wanted.values(), reverse=True)


@given(pages)
def test_how_often_and_where_a_set_is_said(pages: Pages) -> None:
    sets: list[Concept] = [*combinations(range(TERMS), 2), *combinations(range(TERMS), 3)]
    times, where = times_said(said(pages), sets, TERMS)
    for concept, often, on in zip(sets, times.tolist(), where, strict=True):
        having = [[set(concept) <= one for one in page] for page in pages]
        assert often == sum(map(sum, having))
        assert on.tolist() == [k for k, page in enumerate(having) if any(page)]


def test_the_most_frequent_are_kept() -> None:
    page = [{0, 1}] * 3 + [{2, 3}] * 3
    assert concepts(said([page, page[:3]]), most=1) == [(0, 1)]


def test_a_long_page_must_say_a_set_more_often() -> None:
    page = [{0, 1}] * 3 + [set[int]()] * 400
    assert concepts(said([page])) == []
    assert concepts(said([[*page, {0, 1}]])) == [(0, 1)]


def test_of_a_very_long_sentence_the_commonest_terms_count() -> None:
    long, short = set(range(40)), set(range(30, 40))
    found = concepts(said([[long] * 3 + [short] * 2]), most=100_000)
    assert (30, 39) in found
    assert len({term for concept in found for term in concept}) == 24


def test_a_pair_that_is_only_a_part_is_left_out() -> None:
    sets = [(0, 1), (0, 1, 2), (1, 2), (3, 4)]
    assert without_parts(sets, np.array([10.0, 9.0, 30.0, 1.0])) == [1, 2, 3]


def test_where_there_are_too_many_those_of_few_pages_are_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("weft.structure.concepts.BLOCK", 1)
    monkeypatch.setattr("weft.structure.concepts.ROOM", 2)
    common = [{0, 1}] * 3
    pages = [[*common, *[{2 * k, 2 * k + 1}] * 3] for k in range(1, 6)]
    assert concepts(said(pages), most=1) == [(0, 1)]
