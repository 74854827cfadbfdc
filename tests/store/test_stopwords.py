"""Stop words, language by language."""

import tomllib
from pathlib import Path

import pytest

import weft.store.stopwords
from weft.store.stopwords import LISTED, is_stop

FILE = Path(weft.store.stopwords.__file__).with_suffix(".toml")


@pytest.mark.parametrize(
    ("language", "words"),
    {
        "en": "the and your about",
        "de": "der und über",
        "fr": "le et avec",
        "es": "el y con",
        "ru": "и не",
        "pl": "się jest",
        "tr": "ve için",
        "el": "και",
    }.items(),
)
def test_words_that_say_nothing(language: str, words: str) -> None:
    assert all(is_stop(word, language) for word in words.split())
    assert not is_stop("jaguar", language)


@pytest.mark.parametrize("language", sorted(LISTED))
def test_every_listed_language_has_a_list(language: str) -> None:
    words = "and og und y ja et és e en i и och at"
    assert any(is_stop(word, language) for word in words.split())


def test_a_stop_word_of_one_language_is_a_word_of_another() -> None:
    assert is_stop("war", "de")
    assert not is_stop("war", "en")


def test_words_of_the_web_say_nothing_anywhere() -> None:
    assert all(is_stop("homepage", language) for language in ("en", "ja", "", "xx"))


def test_an_unknown_language_has_no_words_of_its_own() -> None:
    assert not is_stop("the", "xx")


def test_words_stand_as_they_are_compared() -> None:
    """In lower case, and each once in its list."""
    for language, listed in tomllib.loads(FILE.read_text("utf-8")).items():
        words = listed.split()
        assert words == [word.lower() for word in words], language
        assert len(words) == len(set(words)), [w for w in words if words.count(w) > 1]
