"""How text is cut into words."""

from string import ascii_lowercase, digits

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.store.words import (
    LONGEST_WORD,
    STEMMERS,
    UNSTEMMED,
    Stemmed,
    Vocabulary,
    family,
    places,
    stem_choices,
    stems,
)

PARTS = [
    "Connected", "engines", "the", "Häuser", "straße", "Ærø", "İstanbul", "Καλημέρας", "книги",
    "हिन्दी", "e\u0301té", "“quoted”", "non\u2014stop", "½", "x²", "_", "-", ".", " ", "\n", "\x00",
    "美洲豹", "使用Python编程", "ภาษาไทย", "ジャガー", "한국어", "🐆", "a" * LONGEST_WORD,
    "b" * (LONGEST_WORD - 1),
]  # fmt: skip
texts = st.lists(
    st.lists(st.sampled_from(PARTS) | st.text(max_size=6), max_size=12).map("".join), max_size=5
)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("xx", "Café-Bar, naïve!", ["cafe", "bar", "naive"]),
        ("en", "Connected engines", ["en/connect", "en/engin"]),
        ("de", "Häuser", ["de/haus"]),
        ("fr", "continuellement", ["fr/continuel"]),
        ("es", "corriendo", ["es/corr"]),
        ("xx", "豹", ["豹"]),
        ("en", "in 東京A", ["en/in", "東", "東京", "京", "en/a"]),
        ("xx", "a" * (LONGEST_WORD + 1) + " b", ["b"]),
    ],
)
def test_words(name: str, text: str, words: list[str]) -> None:
    assert stems(text, name) == words


def test_every_language_has_a_family() -> None:
    assert [family(code) for code in ("en", "zh", "tlh", "")] == ["en", "xx", "xx", "xx"]
    for code in STEMMERS:
        assert stems("a", family(code)) == [f"{code}/a"]


@given(texts, st.sampled_from(["xx", "en", "de", "ru", "tr"]))
def test_many_texts_are_cut_as_each_would_be(pages: list[str], name: str) -> None:
    pages = [page.encode("utf-8", "replace").decode() for page in pages]
    expected = [" ".join(stems(page, name)).split() for page in pages]
    assert [
        page.split() for page in Stemmed.of(pa.array(pages, pa.string()), name).texts()
    ] == expected
    middle = pa.array(["before", *pages, "after"]).slice(1, len(pages))
    assert [page.split() for page in Stemmed.of(middle, name).texts()] == expected


def test_signs_beyond_ascii_part_words_where_the_analyser_parts_them() -> None:
    signs = [chr(code) for code in (*range(0x80, 0x100), *range(0x2000, 0x2080))]
    pages = [f"one{sign}two" for sign in signs]
    cut = Stemmed.of(pa.array(pages, pa.string()), UNSTEMMED).texts()
    assert [page.split() for page in cut] == [stems(page, UNSTEMMED) for page in pages]


def test_words_do_not_run_on_from_text_to_text() -> None:
    assert Stemmed.of(pa.array(["one", "", "two", " three"]), "xx").texts() == [
        "one ",
        "",
        "two ",
        "three ",
    ]


@given(st.sampled_from(["en", "de", UNSTEMMED]), st.lists(texts, max_size=4))
def test_texts_one_after_another_are_stemmed_as_by_themselves(
    name: str, parts: list[list[str]]
) -> None:
    vocabulary = Vocabulary(name)
    for part in parts:
        pages = pa.array([page.encode("utf-8", "replace").decode() for page in part], pa.string())
        assert vocabulary.stemmed(pages).texts() == Stemmed.of(pages, name).texts()
    assert len(vocabulary) == len(vocabulary.stems) == len(vocabulary.pieces.unique())


def test_families_that_agree_count_once() -> None:
    assert stem_choices("e-type", ["xx", "en"]) == [("e", "type"), ("en/e", "en/type")]
    assert stem_choices("東京", ["xx", "en"]) == [("東", "東京", "京")]
    assert stem_choices("_", ["xx", "en"]) == []


def test_places_are_those_of_bytes() -> None:
    pages = ["Größe: connected (connecting)", "", "engine", " Connection, of engines"]
    found = places(pages, "en", {"en/connect", "en/of"})
    said = [
        [page.encode()[a:b].decode() for a, b in spans]
        for page, spans in zip(pages, found, strict=True)
    ]
    assert said == [["connected", "connecting"], [], [], ["Connection", "of"]]


@given(st.sampled_from([*STEMMERS, UNSTEMMED]), st.text(ascii_lowercase + digits, min_size=1))
def test_a_stem_begins_like_its_word(name: str, word: str) -> None:
    """Snippets look only at words that begin like what is wanted."""
    for stem in stems(word, name):
        assert stem.rpartition("/")[2][:1] == word[:1]
