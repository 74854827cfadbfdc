"""Phrases by hand: where they end, what they leave out, and when two are the same."""

from hypothesis import given
from hypothesis import strategies as st

from weft.groups.titles import MAX_CONTENT_WORDS, find_phrases, query_stems


def forms(text: str, language: str = "en") -> list[str]:
    return list(find_phrases(text, language).values())


def test_runs_of_words() -> None:
    assert forms("british sports cars") == [
        "british",
        "british sports",
        "british sports cars",
        "sports",
        "sports cars",
        "cars",
    ]


def test_at_most_five_content_words() -> None:
    assert forms("one red and green and blue and gold and grey and pink flag")[:5] == [
        "red",
        "red and green",
        "red and green and blue",
        "red and green and blue and gold",
        "red and green and blue and gold and grey",
    ]


def test_no_word_twice() -> None:
    assert "tree decision tree" not in forms("tree decision tree")
    assert "decision tree" in forms("tree decision tree")


def test_stop_words_occur_only_inside_a_phrase() -> None:
    assert forms("the museum of cars and") == ["museum", "museum of cars", "cars"]


def test_punctuation_ends_a_phrase() -> None:
    assert forms("museum | cars, parts") == ["museum", "cars", "parts"]


def test_stems_of_a_query() -> None:
    assert query_stems(("Jaguars", "big cats"), {"en"}) >= {"en/jaguar", "en/big", "en/cat"}


def test_forms_are_as_written() -> None:
    assert "Jacksonville Jaguars" in forms("Jacksonville Jaguars tickets")
    assert "NASA" in forms("NASA's missions")
    assert "NASA's missions" in forms("NASA's missions")


def test_names_of_code_fall_into_words() -> None:
    assert "lock guard" in forms("std::lock_guard")
    assert "Lock Guard" in forms("LockGuard")
    assert forms("signal.windows.hann")[:3] == ["signal", "signal windows", "signal windows hann"]
    assert "commit graph" in forms("git-commit-graph(1)")


def test_hyphens_and_versions_hold_words_together() -> None:
    assert "E-Type" in forms("my E-Type")
    assert "Python 3.11" in forms("Python 3.11 manual")
    assert "C++ compiler" in forms("a C++ compiler")


def test_elided_articles_go() -> None:
    assert "museum" in forms("l'museum", "fr")
    assert "Atari" in forms("jeux d'Atari", "fr")
    assert "jeux d'Atari" in forms("jeux d'Atari", "fr")


def test_forms_of_a_word_have_one_key() -> None:
    assert find_phrases("car").keys() == find_phrases("Cars").keys()
    assert find_phrases("car").keys() == find_phrases("car", "de").keys()


def test_letters_and_numbers_alone_are_no_phrase() -> None:
    assert forms("x 2004 7") == []
    assert "xk 120" in forms("xk 120")


def test_writing_without_spaces_gives_whole_runs() -> None:
    assert forms("捷豹汽车 俱乐部", "zh") == ["捷豹汽车", "捷豹汽车 俱乐部", "俱乐部"]


@given(st.text(max_size=400), st.sampled_from(["en", "fr", "", "ja"]))
def test_any_text_has_valid_phrases(text: str, language: str) -> None:
    for key, form in find_phrases(text, language).items():
        assert 1 <= len(key) <= MAX_CONTENT_WORDS
        assert form == form.strip()
        assert all(key)
