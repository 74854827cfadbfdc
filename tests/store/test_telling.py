"""Telling words: counted by hand, weighed by how few say them, the same however they are kept."""

from collections import Counter
from math import log

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.store import telling
from weft.store.telling import Counts, Known, Words
from weft.store.words import Stemmed, stems

PARTS = ["cats", "cat", "“dogs”", "美洲豹", "x2", "7", "non\u2014stop", "ab", "ab ab"]
pages = st.lists(
    st.tuples(*[st.lists(st.sampled_from(PARTS), max_size=6).map(" ".join)] * 2), max_size=5
)


def told(words: Words, page: int) -> dict[str, float]:
    own = slice(*words.rows.starts[page : page + 2])
    names = [words.stems[int(k)].as_py() for k in words.rows.ids[own]]
    return dict(zip(names, words.weights[own].tolist(), strict=True))


def test_weights_by_hand() -> None:
    words = Words.of(["cats", "", ""], ["cat dog", "dog dog", "bird"], ["en"] * 3)
    assert told(words, 0) == pytest.approx({"en/dog": log(3 / 2)}, rel=1e-3)
    assert told(words, 1) == pytest.approx({"en/dog": (1 + log(2)) * log(3 / 2)}, rel=1e-3)
    assert told(words, 2) == {}


def test_a_word_of_the_title_counts_three_times() -> None:
    words = Words.of(["dog", ""], ["", "dog dog dog"], ["en", "en"])
    both = Words.of(["dog", "", ""], ["", "dog dog dog", "bird"], ["en"] * 3)
    assert told(both, 0) == told(both, 1) != {}
    assert told(words, 0) == {}, "what all say tells nothing"


@given(pages)
def test_counts_are_those_of_every_text_by_itself(said: list[tuple[str, str]]) -> None:
    known = Known()
    texts = pa.array([*(t for t, _ in said), *(b for _, b in said), "after"], pa.string())
    numbers = np.arange(len(said), dtype=np.int32)
    found = Counts.of(numbers, Stemmed.of(texts, "en"), known)
    names = known.stems.to_pylist()
    counted = {
        (int(page), names[stem]): int(times) for page, stem, times in zip(*found, strict=True)
    }
    expected = Counter(
        (page, stem)
        for page, (title, body) in enumerate(said)
        for stem in stems(title, "en") * 3 + stems(body, "en")
    )
    letters = {
        stem: sum(sign.isalpha() for sign in stem.partition("/")[2] or stem) for _, stem in expected
    }
    assert counted == {key: times for key, times in expected.items() if letters[key[1]] > 1}


def test_the_weightiest_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telling, "KEPT", 2)
    texts = ["aa aa aa bb bb cc", "aa", "bb", "cc", "dd"]
    words = Words.of([""] * 5, texts, [""] * 5)
    assert set(told(words, 0)) == {"aa", "bb"}


def test_pages_of_several_languages() -> None:
    words = Words.of(
        [""] * 4, ["houses x", "houses y", "Häuser", "Häuser"], ["en", "en", "de", "de"]
    )
    assert words.stems.to_pylist() == ["de/haus", "en/hous"]
    assert [list(told(words, page)) for page in range(4)] == [["en/hous"]] * 2 + [["de/haus"]] * 2


def test_some_of_them() -> None:
    words = Words.of([""] * 4, ["aa bb", "bb", "aa", "cc"], [""] * 4)
    some = words.some(np.array([2, -1, 0], np.int32))
    assert some.stems.to_pylist() == ["aa", "bb"]
    assert [told(some, k) for k in range(3)] == [told(words, 2), {}, told(words, 0)]
    assert repr(some) == "<Words: 3 pages, 2 stems>"


def test_many_pages_are_taken_a_block_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telling, "AT_ONCE", 2)
    words = Words.of([""] * 4, ["aa bb", "bb", "aa", "cc"], [""] * 4)
    pages = [3, 0, -1, 2, 1]
    some = words.some(np.array(pages, np.int32))
    wanted = [told(words, page) if page >= 0 else {} for page in pages]
    assert [told(some, k) for k in range(5)] == wanted


def test_nothing_to_say() -> None:
    assert len(Words.of([], [], [])) == 0
    assert told(Words.nothing(2), 1) == {}
    assert len(Words.nothing(2).some(np.array([0], np.int32))) == 1
