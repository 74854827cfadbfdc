"""Phrases by hand: where they end, what they leave out, and when two are the same."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from weft.topics.phrases import MAX_PHRASE_WORDS, Phrases, StemKey, query_stems


def phrases(text: str, language: str, query: tuple[str, ...] = ()) -> dict[StemKey, str]:
    """The phrases of one text by their stems, as they are written first."""
    found = Phrases.from_texts([(text, language)], query_stems(query, {language}))
    every = zip(
        found.decode_keys(found.key), found.written_forms(np.arange(len(found))), strict=True
    )
    return dict(reversed(list(every)))


def forms(text: str, language: str = "en", query: tuple[str, ...] = ()) -> list[str]:
    return list(phrases(text, language, query).values())[::-1]


def test_one_to_three_words() -> None:
    assert forms("classic british sports cars") == [
        "classic",
        "classic british",
        "classic british sports",
        "british",
        "british sports",
        "british sports cars",
        "sports",
        "sports cars",
        "cars",
    ]


def test_stop_words_occur_only_inside_a_phrase() -> None:
    assert forms("the museum of cars and") == ["museum", "museum of cars", "cars"]


def test_punctuation_ends_a_phrase() -> None:
    assert forms("museum | cars, parts") == ["museum", "cars", "parts"]


def test_words_of_the_query_end_a_phrase_in_any_form() -> None:
    assert forms("Jacksonville Jaguars tickets", query=("jaguar",)) == ["jacksonville", "tickets"]
    assert forms("The Jaguar's den", query=("jaguar",)) == ["den"]
    assert forms("big old cats", query=("big cat",)) == ["old"]


def test_hyphens_and_versions_hold_words_together() -> None:
    assert "e-type" in forms("my E-Type")
    assert "python 3.11" in forms("Python 3.11 manual")
    assert "scipy v1.10.1" in forms("SciPy v1.10.1.")


def test_elided_articles_go() -> None:
    assert "museum" in forms("l'museum", "fr")
    assert "atari" in forms("jeux d'Atari", "fr")


def test_forms_of_a_word_have_one_key() -> None:
    assert phrases("car", "en").keys() == phrases("Cars", "en").keys()
    assert phrases("car", "en").keys() == phrases("car", "de").keys()


def test_letters_and_numbers_alone_are_no_phrase() -> None:
    assert forms("x 2004 7") == []
    assert "xk 120" in forms("xk 120")


def test_writing_without_spaces_gives_whole_runs() -> None:
    assert forms("捷豹汽车 俱乐部", "zh") == ["捷豹汽车", "捷豹汽车 俱乐部", "俱乐部"]
    assert forms("捷豹汽车 俱乐部", "zh", ("捷豹",)) == ["俱乐部"]


@given(st.text(max_size=400), st.sampled_from(["en", "fr", "", "ja"]))
def test_any_text_has_valid_phrases(text: str, language: str) -> None:
    for key, form in phrases(text, language).items():
        assert 1 <= len(key) <= MAX_PHRASE_WORDS
        assert form == form.strip()
        assert all(key)


def test_texts_do_not_run_into_each_other() -> None:
    found = Phrases.from_texts([("big", "en"), ("cats", "en"), ("", "de"), ("die Autos", "de")])
    assert found.written_forms(np.arange(len(found))) == ["big", "cats", "autos"]
    assert found.text_ids.tolist() == [0, 1, 3]
    assert found.has_phrase.tolist() == [True, True, False, True]


def test_has_phrase_ignores_excluded_words() -> None:
    found = Phrases.from_texts([("Jaguars", "en"), ("the", "en")], query_stems(("jaguar",), {"en"}))
    assert len(found) == 0
    assert found.has_phrase.tolist() == [True, False]


@given(st.lists(st.text("ab -.'", max_size=30), max_size=5))
def test_many_texts_or_one_by_one(texts: list[str]) -> None:
    every = Phrases.from_texts([(text, "en") for text in texts])
    written = every.written_forms(np.arange(len(every)))
    alone = [Phrases.from_texts([(text, "en")]) for text in texts]
    assert written == [form for one in alone for form in one.written_forms(np.arange(len(one)))]
