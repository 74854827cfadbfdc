"""Tokens: splitting, stemming, and stop words."""

import re
import tomllib
from pathlib import Path
from string import ascii_lowercase, digits

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import weft.store.tokens
from weft.store.tokens import (
    MAX_WORD_CHARS,
    STEMMERS,
    STOP_WORD_LANGUAGES,
    UNSTEMMED,
    StemmedTexts,
    Vocabulary,
    find_stem_spans,
    find_stop_words,
    is_stop_word,
    stem_each,
    stem_text,
    stem_with_each_stemmer,
    stemmer_code,
)

PARTS = [
    "Connected", "engines", "the", "Häuser", "straße", "Ærø", "İstanbul", "Καλημέρας", "книги",
    "हिन्दी", "e\u0301té", "“quoted”", "non\u2014stop", "½", "x²", "_", "-", ".", " ", "\n", "\x00",
    "美洲豹", "使用Python编程", "ภาษาไทย", "ジャガー", "한국어", "🐆", "a" * MAX_WORD_CHARS,
    "b" * (MAX_WORD_CHARS - 1),
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
        ("xx", "a" * (MAX_WORD_CHARS + 1) + " b", ["b"]),
    ],
)
def test_words(name: str, text: str, words: list[str]) -> None:
    assert stem_text(text, name) == words


@pytest.mark.parametrize("block", [1, 2, 3, 1 << 14])
def test_a_long_run_of_characters_is_stemmed_in_parts(
    monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    monkeypatch.setattr(weft.store.tokens, "NGRAM_BLOCK_CHARS", block)
    stems = ["x", "東", "東京", "京", "京大", "大", "大学", "学", "y"]
    assert stem_text("x東京大学y", UNSTEMMED) == stems
    strings = StemmedTexts.from_texts(pa.array(["x東京大学y"]), UNSTEMMED).to_strings()
    assert [text.split() for text in strings] == [stems]


def test_every_language_has_a_stemmer_code() -> None:
    assert [stemmer_code(code) for code in ("en", "zh", "tlh", "")] == ["en", "xx", "xx", "xx"]
    for code in STEMMERS:
        assert stem_text("a", stemmer_code(code)) == [f"{code}/a"]


@given(texts, st.sampled_from(["xx", "en", "de", "ru", "tr"]))
def test_many_texts_are_split_as_each_would_be(pages: list[str], name: str) -> None:
    pages = [page.encode("utf-8", "replace").decode() for page in pages]
    expected = [" ".join(stem_text(page, name)).split() for page in pages]
    assert [
        page.split()
        for page in StemmedTexts.from_texts(pa.array(pages, pa.string()), name).to_strings()
    ] == expected
    middle = pa.array(["before", *pages, "after"]).slice(1, len(pages))
    assert [page.split() for page in StemmedTexts.from_texts(middle, name).to_strings()] == expected


def test_signs_beyond_ascii_split_words_where_the_analyser_does() -> None:
    signs = [chr(code) for code in (*range(0x80, 0x100), *range(0x2000, 0x2080))]
    pages = [f"one{sign}two" for sign in signs]
    stemmed = StemmedTexts.from_texts(pa.array(pages, pa.string()), UNSTEMMED).to_strings()
    assert [page.split() for page in stemmed] == [stem_text(page, UNSTEMMED) for page in pages]


def test_words_do_not_continue_into_the_next_text() -> None:
    assert StemmedTexts.from_texts(pa.array(["one", "", "two", " three"]), "xx").to_strings() == [
        "one ",
        "",
        "two ",
        "three ",
    ]


@given(st.sampled_from(["en", "de", UNSTEMMED]), st.lists(texts, max_size=4))
def test_a_shared_vocabulary_gives_the_same_stems(name: str, parts: list[list[str]]) -> None:
    vocabulary = Vocabulary(name)
    for part in parts:
        pages = pa.array([page.encode("utf-8", "replace").decode() for page in part], pa.string())
        assert (
            vocabulary.stem_texts(pages).to_strings()
            == StemmedTexts.from_texts(pages, name).to_strings()
        )
    assert len(vocabulary) == len(vocabulary.stems) == len(vocabulary.pieces.unique())


def test_equal_variants_count_once() -> None:
    assert stem_with_each_stemmer("e-type", ["xx", "en"]) == [("e", "type"), ("en/e", "en/type")]
    assert stem_with_each_stemmer("東京", ["xx", "en"]) == [("東", "東京", "京")]
    assert stem_with_each_stemmer("_", ["xx", "en"]) == []


def test_spans_are_byte_offsets() -> None:
    pages = ["Größe: connected (connecting)", "", "engine", " Connection, of engines"]
    found = find_stem_spans(pages, "en", {"en/connect", "en/of"})
    words = [
        [page.encode()[a:b].decode() for a, b in spans]
        for page, spans in zip(pages, found, strict=True)
    ]
    assert words == [["connected", "connecting"], [], [], ["Connection", "of"]]


@given(st.sampled_from([*STEMMERS, UNSTEMMED]), st.text(ascii_lowercase + digits, min_size=1))
def test_a_stem_begins_like_its_word(name: str, word: str) -> None:
    """Snippets look only at words with the first letter of a wanted stem."""
    for stem in stem_text(word, name):
        assert stem.rpartition("/")[2][:1] == word[:1]


FILE = Path(weft.store.tokens.__file__).with_name("stopwords.toml")


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
def test_stop_words(language: str, words: str) -> None:
    assert all(is_stop_word(word, language) for word in words.split())
    assert not is_stop_word("jaguar", language)


@pytest.mark.parametrize("language", sorted(STOP_WORD_LANGUAGES))
def test_every_listed_language_has_a_list(language: str) -> None:
    words = "and og und y ja et és e en i и och at"
    assert any(is_stop_word(word, language) for word in words.split())


def test_a_stop_word_of_one_language_is_a_word_of_another() -> None:
    assert is_stop_word("war", "de")
    assert not is_stop_word("war", "en")


def test_words_of_the_web_are_stop_words_in_any_language() -> None:
    assert all(is_stop_word("homepage", language) for language in ("en", "ja", "", "xx"))


def test_an_unknown_language_has_no_stop_words() -> None:
    assert not is_stop_word("the", "xx")


def test_the_lists_are_in_lower_case_without_repeats() -> None:
    """In lower case, and each once in its list."""
    for language, listed in tomllib.loads(FILE.read_text("utf-8")).items():
        words = listed.split()
        assert words == [word.lower() for word in words], language
        assert len(words) == len(set(words)), [w for w in words if words.count(w) > 1]


@given(
    st.lists(st.sampled_from([*PARTS, "and", "die", "homepage"]) | st.text(max_size=5)),
    st.sampled_from(["en", "de", "zh", "xx"]),
)
def test_many_words_at_once_are_as_one_by_one(parts: list[str], language: str) -> None:
    words = list(dict.fromkeys(re.findall(r"\w+", " ".join(parts).lower())))
    stemmer = stemmer_code(language)
    assert stem_each(words, stemmer) == [stem_text(word, stemmer) for word in words]
    stop_words = {word for word in words if is_stop_word(word, language)}
    assert find_stop_words(words, language) == stop_words
