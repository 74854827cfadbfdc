"""Words by array operations against regular expressions."""

import re
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.core import words as words_module
from weft.core.words import hash_words

TEXTS = st.text(st.one_of(st.sampled_from("abAB_1 -.\n\x1c\u3000éÉ東"), st.characters()))


def fold(word: str) -> str:
    """Lower case character by character, without those that become two."""
    return "".join(sign if sign == "İ" else sign.lower() for sign in word)


@given(TEXTS)
def test_words_are_the_matches_of_the_pattern(text: str) -> None:
    _, starts = hash_words(text)
    assert starts.tolist() == [match.start() for match in re.finditer(r"\w+", text)]


@given(TEXTS)
def test_hashes_tell_words_apart_wherever_they_are(text: str) -> None:
    words = re.findall(r"\w+", text)
    hashes, _ = hash_words(text)
    assert len(set(hashes.tolist())) == len(set(map(fold, words)))
    alone = [int(hash_words(word)[0][0]) for word in words]
    assert hashes.tolist() == alone


@pytest.mark.parametrize("block", [1, 2, 7])
@given(text=TEXTS)
def test_blocks_change_nothing(block: int, text: str) -> None:
    whole, starts = hash_words(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(words_module, "BLOCK_CHARS", block)
        hashes, places = hash_words.__wrapped__(text)
    assert places.tolist() == starts.tolist()
    assert hashes.tolist() == whole.tolist()


def test_long_words_over_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"b {'a' * 1000} {'a' * 300} {'a' * 255} c"
    whole, starts = hash_words(text)
    assert whole[1] == whole[2] != whole[3]
    monkeypatch.setattr(words_module, "BLOCK_CHARS", 100)
    hashes, places = hash_words.__wrapped__(text)
    assert (hashes.tolist(), places.tolist()) == (whole.tolist(), starts.tolist())


def test_memory_does_not_follow_that_of_a_long_text() -> None:
    hash_words("a")
    text = "a" * (8 << 20)
    tracemalloc.start()
    hash_words.__wrapped__(text)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 32 << 20
