"""Phrases of one to three words in titles and anchor texts."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, count
from typing import NamedTuple

import numpy as np

from weft.core.arrays import Flags, Ids, Offsets
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
    rf"[{UNSPACED_CHARACTERS}]++|{LETTERS_PATTERN}(?:[-'\u2019&]{LETTERS_PATTERN}|[.]\d++)*+"
)
WORD_OR_PUNCTUATION = re.compile(rf"{WORD_PATTERN.pattern}|\S")
TWO_LETTERS = re.compile(r"[^\W\d_].*[^\W\d_]")
ELIDING_LANGUAGES = {"ca", "fr", "it"}
ELIDED_PREFIX = re.compile("^(?:[cdjlmnst]|qu|dell|nell|all|sull|un)['\u2019]")
POSSESSIVE = re.compile("['\u2019]s?$")
STEM_BITS = 21

StemKey = tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Phrases:
    """The phrases of many texts, text by text, each in order of its words.

    A phrase does not cross punctuation or excluded words, and neither begins
    nor ends with a stop word. In scripts without spaces a run of characters is
    a word. The `key` of a phrase packs the stems of its content words into one
    number: the position of each in `stems`, from one, in 21 bits. `has_phrase`
    says which texts have a phrase if no word is excluded.

    Examples
    --------
    >>> found = Phrases.from_texts([("The History of Cars - Home Page", "en")])
    >>> found.written_forms(np.arange(len(found)))
    ['history', 'history of cars', 'cars']
    >>> found.decode_keys(found.key)[1]
    ('en/histori', 'en/car')
    """

    text_ids: Ids
    key: Offsets
    start: Offsets
    length: Offsets
    has_phrase: Flags
    stems: Sequence[str]
    vocabulary: Sequence["PhraseWord"]
    tokens: Sequence[int]

    @classmethod
    def from_texts(
        cls,
        texts: Iterable[tuple[str, str]],
        exclude: Set[str] = frozenset(),
        key_language: str = "en",
    ) -> "Phrases":
        """Find the phrases of (text, language) pairs, without words with a stem in `exclude`.

        Keys are stems in `key_language`, so that texts in several languages can
        be compared.
        """
        words, tokens, starts = _tokenize_texts(texts, key_language)
        stem_numbers, word_ids = dict[str, int](), np.array(tokens, np.int32)
        stem = np.array(
            [
                stem_numbers.setdefault(word.stem, len(stem_numbers) + 1)
                if word.is_content_word
                else 0
                for word in words
            ]
        )[word_ids]
        can_stand_alone = np.array([word.can_stand_alone for word in words])[word_ids]
        continues_phrase = np.array([word.continues_phrase for word in words])
        text = np.repeat(np.arange(len(starts) - 1, dtype=np.int32), np.diff(starts))
        with_phrase = np.flatnonzero(
            _phrase_mask(continues_phrase[word_ids], stem > 0, can_stand_alone).any(axis=1)
        )
        has_phrase = np.zeros(len(starts) - 1, bool)
        has_phrase[text[with_phrase]] = True
        if exclude:
            continues_phrase &= [not _is_excluded(word, exclude) for word in words]
        cells = np.flatnonzero(_phrase_mask(continues_phrase[word_ids], stem > 0, can_stand_alone))
        first, length = cells // MAX_PHRASE_WORDS, cells % MAX_PHRASE_WORDS + 1
        key = _encode_keys(stem, first, length)
        return cls(text[first], key, first, length, has_phrase, list(stem_numbers), words, tokens)

    def written_forms(self, phrases: Offsets) -> list[str]:
        """Phrases as written in their texts, in lower case."""
        first, last = self.start[phrases], self.start[phrases] + self.length[phrases]
        return [
            " ".join([self.vocabulary[k].form for k in self.tokens[a:b]])
            for a, b in zip(first.tolist(), last.tolist(), strict=True)
        ]

    def decode_keys(self, key: Offsets) -> list[StemKey]:
        """Unpack keys into stems."""
        mask = (1 << STEM_BITS) - 1
        parts = ((key >> shift & mask).tolist() for shift in (2 * STEM_BITS, STEM_BITS, 0))
        return [
            tuple([self.stems[number - 1] for number in numbers if number])
            for numbers in zip(*parts, strict=True)
        ]

    def __len__(self) -> int:
        return len(self.text_ids)

    def __repr__(self) -> str:
        return f"<Phrases: {len(self):,} of {len(self.has_phrase):,} texts>"


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


class PhraseWord(NamedTuple):
    """A word as written, with its stem in the key language.

    `own_stems` are its stems in its own language. A content word is not a stop
    word. A phrase continues over words, but not over punctuation.
    """

    form: str
    stem: str
    own_stems: StemKey
    is_content_word: bool
    can_stand_alone: bool
    continues_phrase: bool


PUNCTUATION = PhraseWord(
    "", "", (), is_content_word=False, can_stand_alone=False, continues_phrase=False
)


@lru_cache(1 << 16)
def _analyse_word(word: str, language: str, key_language: str) -> PhraseWord:
    if not WORD_PATTERN.match(word):
        return PUNCTUATION
    form = POSSESSIVE.sub("", word)
    if language in ELIDING_LANGUAGES:
        form = ELIDED_PREFIX.sub("", form)
    own_stems = stem_word(form, language)
    is_content_word = len(form) <= 60 and bool(own_stems) and not is_stop_word(form, language)
    stem = "-".join(stem_word(form, key_language)) if is_content_word else ""
    return PhraseWord(
        form, stem, own_stems, is_content_word, _can_stand_alone(form), continues_phrase=True
    )


def _tokenize_texts(
    texts: Iterable[tuple[str, str]], key_language: str
) -> tuple[list[PhraseWord], list[int], Offsets]:
    """Tokenize texts: the distinct words, the word number of each token, the text starts.

    A punctuation token follows each text, and several follow the last, so that
    no phrase crosses the end of a text.
    """
    tokenized = [
        (WORD_OR_PUNCTUATION.findall(text[:MAX_TEXT_CHARS].lower()), language)
        for text, language in texts
    ]
    by_language = defaultdict[str, list[list[str]]](list)
    for tokens, language in tokenized:
        by_language[language].append(tokens)
    words, word_ids = [PUNCTUATION], dict[str, dict[str, int]]()
    for language, token_lists in by_language.items():
        distinct = dict.fromkeys(chain.from_iterable(token_lists))
        word_ids[language] = dict(zip(distinct, count(len(words)), strict=False))
        words += [_analyse_word(word, language, key_language) for word in distinct]
    numbers, starts = list[int](), [0]
    for tokens, language in tokenized:
        numbers += map(word_ids[language].__getitem__, tokens)
        numbers.append(0)
        starts.append(len(numbers))
    return words, numbers + [0] * MAX_PHRASE_WORDS, np.array(starts)


def _phrase_mask(continues_phrase: Flags, is_content_word: Flags, can_stand_alone: Flags) -> Flags:
    """Whether a phrase of one, two or three words (column) begins at each token (row)."""
    n = len(continues_phrase) - MAX_PHRASE_WORDS
    mask, is_unbroken, has_standalone = (
        np.empty((n, MAX_PHRASE_WORDS), bool),
        is_content_word[:n],
        np.zeros(n, bool),
    )
    for k in range(MAX_PHRASE_WORDS):
        is_unbroken, has_standalone = (
            is_unbroken & continues_phrase[k : k + n],
            has_standalone | can_stand_alone[k : k + n],
        )
        mask[:, k] = is_unbroken & has_standalone & is_content_word[k : k + n]
    return mask


def _encode_keys(stem: Ids | Offsets, start: Offsets, length: Offsets) -> Offsets:
    """Pack the stem numbers of the content words of each phrase into one key."""
    key = stem[start].astype(np.int64)
    for k in range(1, MAX_PHRASE_WORDS):
        next_stem = np.where(k < length, stem[start + k], 0)
        key = np.where(next_stem > 0, key << STEM_BITS | next_stem, key)
    return key


def _is_excluded(word: PhraseWord, exclude: Set[str]) -> bool:
    """Whether a word has an excluded stem, or contains one in a script without spaces."""
    if not exclude.isdisjoint(word.own_stems):
        return True
    if word.form.isascii():
        return False
    return any(other in run for run in UNSPACED_RUN.findall(word.form) for other in exclude)


def _can_stand_alone(word: str) -> bool:
    """Whether a word can be a phrase: two letters, or a short run of a script without spaces."""
    if UNSPACED_RUN.match(word):
        return 2 <= len(word) <= MAX_UNSPACED_CHARS
    return bool(TWO_LETTERS.search(word))
