"""Phrases of one to three words in titles and anchor texts, by their stems."""

import re
from collections.abc import Set
from functools import lru_cache
from typing import NamedTuple

from weft.store.tokens import (
    UNSPACED_CHARACTERS,
    UNSPACED_RUN,
    is_stop_word,
    stem_text,
    stemmer_code,
)

MAX_PHRASE_WORDS = 3
MAX_TEXT_CHARS = 300
MAX_UNSPACED_CHARS = 12
LETTERS_PATTERN = rf"[^\W_{UNSPACED_CHARACTERS}]++"
WORD_PATTERN = re.compile(
    rf"[{UNSPACED_CHARACTERS}]++|{LETTERS_PATTERN}(?:[-'\u2019&]{LETTERS_PATTERN}|[.]\d++)*+[+#]*+"
)
WORD_OR_PUNCTUATION = re.compile(rf"{WORD_PATTERN.pattern}|\S")
# Where a name of code falls into words: fooBar, foo_bar, foo.bar, foo::bar.
HYPHENATED_NAME = re.compile(r"(?<![\w-])\w++(?:-\w++){2,}+")
CODE_NAME_JOINT = re.compile(r"(?<=[a-z])(?=[A-Z])|_+|(?<=[^\W\d_])(?:\.|::)(?=[^\W\d_])")
TWO_LETTERS = re.compile(r"[^\W\d_].*[^\W\d_]")
ELIDING_LANGUAGES = {"ca", "fr", "it"}
ELIDED_PREFIX = re.compile("^(?:[cdjlmnst]|qu|dell|nell|all|sull|un)['\u2019]", re.IGNORECASE)
POSSESSIVE = re.compile("['\u2019][sS]?$")

StemKey = tuple[str, ...]


class PhraseWord(NamedTuple):
    """A word as written, with its stem in the key language, empty for a stop word."""

    form: str
    stem: str
    can_stand_alone: bool


@lru_cache(1 << 15)
def find_phrases(text: str, language: str = "en", key_language: str = "en") -> dict[StemKey, str]:
    """The phrases of a text: the stems of their content words, and the form written first.

    A phrase does not cross punctuation, and neither begins nor ends with a stop
    word. Names of code fall into words. In scripts without spaces a run of
    characters is a word. Keys are stems in `key_language`, so that texts in
    several languages can be compared.

    Examples
    --------
    >>> list(find_phrases("The History of Cars - Home Page").values())
    ['History', 'History of Cars', 'Cars']
    >>> list(find_phrases("scipy.signal.firwin"))[-1]
    ('en/firwin',)
    """
    words = [_analyse_word(word, language, key_language) for word in _split_words(text)]
    found: dict[StemKey, str] = {}
    for start, first in enumerate(words):
        if first is None or not first.stem:
            continue
        for end in range(start + 1, min(start + MAX_PHRASE_WORDS, len(words)) + 1):
            last = words[end - 1]
            if last is None:
                break
            phrase = [word for word in words[start:end] if word is not None]
            if last.stem and any(word.can_stand_alone for word in phrase):
                key = tuple(word.stem for word in phrase if word.stem)
                found.setdefault(key, " ".join(word.form for word in phrase))
    return found


def _split_words(text: str) -> list[str]:
    """The words and signs of a text, with names of code in parts."""
    plain = HYPHENATED_NAME.sub(lambda name: name[0].replace("-", " "), text[:MAX_TEXT_CHARS])
    return WORD_OR_PUNCTUATION.findall(CODE_NAME_JOINT.sub(" ", plain))


def query_stems(terms: tuple[str, ...], languages: Set[str]) -> frozenset[str]:
    """The stems of the words of a query in each language."""
    return frozenset(
        stem
        for term in terms
        for word in WORD_PATTERN.findall(term.lower())
        for language in {*languages, ""}
        for stem in stem_word(word, language)
    )


@lru_cache(1 << 16)
def stem_word(word: str, language: str) -> StemKey:
    """The stems of one word; several if it has a hyphen."""
    if UNSPACED_RUN.match(word):
        return (word,)
    return tuple(stem_text(POSSESSIVE.sub("", word), stemmer_code(language)))


@lru_cache(1 << 16)
def _analyse_word(word: str, language: str, key_language: str) -> PhraseWord | None:
    """A word of a text; None for punctuation."""
    if not WORD_PATTERN.match(word):
        return None
    form = POSSESSIVE.sub("", word)
    if language in ELIDING_LANGUAGES:
        form = ELIDED_PREFIX.sub("", form)
    low = form.lower()
    is_content_word = len(low) <= 60 and bool(stem_word(low, language))
    is_content_word = is_content_word and not is_stop_word(low, language)
    stem = "-".join(stem_word(low, key_language)) if is_content_word else ""
    return PhraseWord(form, stem, _can_stand_alone(form))


def _can_stand_alone(word: str) -> bool:
    """Whether a word can be a phrase: two letters, or a short run of a script without spaces."""
    if UNSPACED_RUN.match(word):
        return 2 <= len(word) <= MAX_UNSPACED_CHARS
    return bool(TWO_LETTERS.search(word))
