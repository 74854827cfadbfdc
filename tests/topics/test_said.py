"""What is said of topics, counted by hand."""

import numpy as np
import pytest

from weft.store.telling import Words
from weft.topics.phrases import Phrases
from weft.topics.said import ENOUGH, ONCE, RARE, TEXT, Hearing, Label, Said, Shares

TEXTS = ["big cats", "Big Cat", "big cats big cats", "cars"]


def said(*rows: tuple[int, int, int, int, float]) -> Said:
    """Topic, text, site, what it speaks of, weight."""
    return Said.of(Phrases.of([(text, "en") for text in TEXTS]), Hearing.of(rows))


def weights(found: Said) -> dict[tuple[int, str], float]:
    keys = (" ".join(key).replace("en/", "") for key in found.phrases.keys(found.key))
    return dict(zip(zip(found.topic.tolist(), keys, strict=True), found.weight, strict=True))


def test_a_text_says_a_phrase_once() -> None:
    found = weights(said((0, 0, 0, 0, 1.0), (0, 2, 1, 1, 0.5)))
    assert found[0, "big cat"] == found[0, "big"] == found[0, "cat"] == 1.5
    assert found[0, "cat big"] == 0.5


def test_several_are_of_more_than_one_site_and_page() -> None:
    for site, about, several in ((0, 0, False), (1, 0, False), (0, 1, False), (1, 1, True)):
        found = said((0, 0, 0, 0, 1.0), (0, 1, site, about, 1.0))
        assert found.several.tolist() == [several] * len(found)
    assert not said((0, 0, 0, 0, 1.0), (1, 1, 1, 1, 1.0)).several.any()


def test_the_form_is_the_one_that_weighs_most() -> None:
    [k] = [
        k
        for k, key in enumerate(weights(said((0, 0, 0, 0, 1.0), (0, 1, 1, 1, 2.0))))
        if key == (0, "big cat")
    ]
    assert said((0, 0, 0, 0, 1.0), (0, 1, 1, 1, 2.0)).form(k) == "big cat"
    assert said((0, 0, 0, 0, 2.0), (0, 1, 1, 1, 1.0)).form(k) == "big cats"


def test_what_others_say_counts_less() -> None:
    """A topic that says a phrase half as strongly counts half."""
    found = said((0, 3, 0, 0, 1.0), (1, 3, 1, 1, 0.5))
    assert found.score(2) == pytest.approx(
        [ONCE * 1.0 * np.log(3 / 1.5), ONCE * 0.5 * np.log(3 / 2)]
    )


def test_words_of_several_texts_add_to_the_weight() -> None:
    words = Words.of([""] * 4, ["cats", "cats", "big", "dog"], ["en"] * 4)
    best = [Shares.of(np.array([0, 1, 2], np.int32), np.array([2.0, 1.0, 1.0]))]
    none = [Shares.of(np.zeros(0, np.int32), np.zeros(0))]
    before, after = said((0, 0, 0, 0, 1.0)), said((0, 0, 0, 0, 1.0)).echoed(words, best, none)
    gained = {key: weight - weights(before)[key] for key, weight in weights(after).items()}
    assert gained == {
        (0, "big"): 0.0,
        (0, "cat"): pytest.approx(TEXT * 0.75),
        (0, "big cat"): 0.0,
    }


def test_what_few_pages_carry_weighs_less() -> None:
    """Of 40 pages 20 say cats, four say big, and two both."""
    texts = ["cats"] * 18 + ["big cats"] * 2 + ["big"] * 2 + ["dogs"] * 18
    words = Words.of([""] * 40, texts, ["en"] * 40)
    none = [Shares.of(np.zeros(0, np.int32), np.zeros(0))]
    every = [Shares.of(np.arange(40, dtype=np.int32), np.ones(40))]
    heard = said((0, 0, 0, 0, 1.0), (0, 3, 0, 0, 1.0)).echoed(words, none, every)
    keys = [key for _, key in weights(heard)]
    assert dict(zip(keys, heard.carried.tolist(), strict=True)) == pytest.approx(
        {"big": 0.1, "cat": 0.5, "big cat": 0.1, "car": 0.0}
    )
    assert weights(heard) == pytest.approx(
        {(0, "big"): 1.0, (0, "cat"): 1.0, (0, "big cat"): 1.0, (0, "car"): RARE}
    )
    unknown = said((0, 0, 0, 0, 1.0)).echoed(words, none, none)
    assert unknown.carried.tolist() == [1.0] * 3


def test_terms_have_no_word_in_common() -> None:
    found = said((0, 0, 0, 0, 1.0), (0, 1, 1, 1, 1.0), (0, 3, 0, 0, 1.0), (0, 3, 1, 1, 0.9))
    nothing = Label((), 1.0)
    assert found.labels(2, 3) == [Label(("big cat", "cars"), 1.0), nothing]
    assert found.labels(2, 1) == [Label(("big cat",), 1.0), nothing]
    weak = said((0, 0, 0, 0, 1.0), (0, 3, 0, 0, 0.9 * 1.6 * ENOUGH))
    assert weak.labels(1, 3) == [Label(("big cats",), 1.0)]


def test_nothing_is_said() -> None:
    assert len(said()) == 0
    assert [label.terms for label in said().labels(2, 3)] == [(), ()]
    assert len(said().echoed(Words.nothing(0), [], [])) == 0
