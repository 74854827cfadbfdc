"""Text for people, by hand."""

import pytest

from weft.core.text import CONTROL_CHARS, join_with_and, pluralise, shorten, strip_scheme


@pytest.mark.parametrize(
    ("number", "noun", "text"),
    [
        (0, "page", "0 pages"),
        (1, "authority", "1 authority"),
        (2500, "authority", "2,500 authorities"),
    ],
)
def test_plurals(number: int, noun: str, text: str) -> None:
    assert pluralise(number, noun) == text


@pytest.mark.parametrize("max_chars", range(2, 16))
def test_shortened_text_is_never_too_long(max_chars: int) -> None:
    text = shorten(" a\tlong \n story ", max_chars)
    assert len(text) <= max_chars
    assert (text == "a long story") == (max_chars >= 12)
    assert text.rstrip("…").strip() == text.rstrip("…")


def test_join_with_and() -> None:
    assert [join_with_and(list(items)) for items in ("", "a", "ab", "abc")] == [
        "",
        "a",
        "a and b",
        "a, b and c",
    ]


def test_only_the_scheme_is_stripped() -> None:
    assert strip_scheme("https://a.org/http://b.org/") == "a.org/http://b.org/"
    assert strip_scheme("node 7") == "node 7"


def test_control_characters() -> None:
    assert CONTROL_CHARS.sub("", "a\x1b[2J\u202eb\tc\nd\x00\x9f") == "a[2Jb\tc\nd"
