"""How text is cut into words."""

import pytest

from weft.store.words import LONGEST_WORD, STEMMERS, analyser, family


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("xx", "Café-Bar, naïve!", ["cafe", "bar", "naive"]),
        ("en", "Connected engines", ["connect", "engin"]),
        ("de", "Häuser", ["haus"]),
        ("fr", "continuellement", ["continuel"]),
        ("es", "corriendo", ["corr"]),
        ("cjk", "豹A", ["豹", "豹a", "a"]),
        ("xx", "a" * (LONGEST_WORD + 1) + " b", ["b"]),
    ],
)
def test_words(name: str, text: str, words: list[str]) -> None:
    assert analyser(name).analyze(text) == words


def test_every_language_has_a_family() -> None:
    assert [family(code) for code in ("en", "zh", "th", "tlh", "")] == [
        "en",
        "cjk",
        "cjk",
        "xx",
        "xx",
    ]
    for code in STEMMERS:
        assert analyser(family(code)).analyze("a")
