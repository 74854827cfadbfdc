"""Phrases by hand: where they end, what they leave out, and when two are the same."""

from hypothesis import given
from hypothesis import strategies as st

from weft.topics.phrases import LONGEST, phrases, query_stems


def said(text: str, language: str = "en", query: tuple[str, ...] = ()) -> list[str]:
    return list(phrases(text, language, query_stems(query, {language})).values())


def test_one_to_three_words() -> None:
    assert said("classic british sports cars") == [
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


def test_stop_words_stand_inside_a_phrase_alone() -> None:
    assert said("the museum of cars and") == ["museum", "museum of cars", "cars"]


def test_punctuation_ends_a_phrase() -> None:
    assert said("museum | cars, parts") == ["museum", "cars", "parts"]


def test_words_of_the_query_end_a_phrase_in_any_form() -> None:
    assert said("Jacksonville Jaguars tickets", query=("jaguar",)) == ["jacksonville", "tickets"]
    assert said("The Jaguar's den", query=("jaguar",)) == ["den"]
    assert said("big old cats", query=("big cat",)) == ["old"]


def test_hyphens_and_versions_hold_words_together() -> None:
    assert "e-type" in said("my E-Type")
    assert "python 3.11" in said("Python 3.11 manual")
    assert "scipy v1.10.1" in said("SciPy v1.10.1.")


def test_elided_articles_go() -> None:
    assert "museum" in said("l'museum", "fr")
    assert "atari" in said("jeux d'Atari", "fr")


def test_forms_of_a_word_have_one_key() -> None:
    assert phrases("car", "en").keys() == phrases("Cars", "en").keys()
    assert phrases("car", "en").keys() == phrases("car", "de").keys()


def test_letters_and_numbers_alone_are_no_phrase() -> None:
    assert said("x 2004 7") == []
    assert "xk 120" in said("xk 120")


def test_writing_without_spaces_gives_whole_runs() -> None:
    assert said("捷豹汽车 俱乐部", "zh") == ["捷豹汽车", "捷豹汽车 俱乐部", "俱乐部"]
    assert said("捷豹汽车 俱乐部", "zh", ("捷豹",)) == ["俱乐部"]


@given(st.text(max_size=400), st.sampled_from(["en", "fr", "", "ja"]))
def test_any_text_is_answered(text: str, language: str) -> None:
    for key, form in phrases(text, language).items():
        assert 1 <= len(key) <= LONGEST
        assert form == form.strip()
        assert all(key)
