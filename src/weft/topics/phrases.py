"""Phrases of one to three words, such as titles and anchors are made of."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, count
from typing import NamedTuple

import numpy as np

from weft.core.arrays import Flags, Ids, Offsets
from weft.store.stopwords import is_stop
from weft.store.words import UNSPACED, UNSPACED_CHARACTERS, family, stems

LONGEST = 3
MOST_CHARACTERS = 300
MOST_UNSPACED = 12
LETTERS = rf"[^\W_{UNSPACED_CHARACTERS}]++"
WORD = re.compile(rf"[{UNSPACED_CHARACTERS}]++|{LETTERS}(?:[-'\u2019&]{LETTERS}|[.]\d++)*+")
WORD_OR_SIGN = re.compile(rf"{WORD.pattern}|\S")
TWO_LETTERS = re.compile(r"[^\W\d_].*[^\W\d_]")
ELIDING = {"ca", "fr", "it"}
ELIDED = re.compile("^(?:[cdjlmnst]|qu|dell|nell|all|sull|un)['\u2019]")
POSSESSIVE = re.compile("['\u2019]s?$")
BITS = 21

Key = tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Phrases:
    """The phrases of many texts, text by text, each in the order of its words.

    A phrase ends at punctuation and at words that are not wanted; it neither
    begins nor ends with a stop word. Where words are not spaced, a run of
    characters is a word. The `key` of a phrase are the stems of its telling
    words in one number: of each the place in `stems`, from one, in 21 bits.
    `telling` are the texts that have a phrase if all words are wanted.

    Examples
    --------
    >>> found = Phrases.of([("The History of Cars - Home Page", "en")])
    >>> found.forms(np.arange(len(found)))
    ['history', 'history of cars', 'cars']
    >>> found.keys(found.key)[1]
    ('en/histori', 'en/car')
    """

    text: Ids
    key: Offsets
    first: Offsets
    length: Offsets
    telling: Flags
    stems: Sequence[str]
    words: Sequence["Word"]
    said: Sequence[int]

    @classmethod
    def of(
        cls,
        texts: Iterable[tuple[str, str]],
        without: Set[str] = frozenset(),
        keyed: str = "en",
    ) -> "Phrases":
        """Those of texts with their languages; words with a stem in `without` are not wanted.

        Keys have the stems of the language `keyed`, so that texts in several
        can be compared.
        """
        words, said, ends = _cut(texts, keyed)
        known, numbers = dict[str, int](), np.array(said, np.int32)
        stem = np.array(
            [known.setdefault(word.stem, len(known) + 1) if word.tells else 0 for word in words]
        )[numbers]
        alone = np.array([word.alone for word in words])[numbers]
        runs_on = np.array([word.runs_on for word in words])
        text = np.repeat(np.arange(len(ends) - 1, dtype=np.int32), np.diff(ends))
        some = np.flatnonzero(_fitting(runs_on[numbers], stem > 0, alone).any(axis=1))
        telling = np.zeros(len(ends) - 1, bool)
        telling[text[some]] = True
        if without:
            runs_on &= [not _unwanted(word, without) for word in words]
        at = np.flatnonzero(_fitting(runs_on[numbers], stem > 0, alone))
        first, length = at // LONGEST, at % LONGEST + 1
        key = _keys(stem, first, length)
        return cls(text[first], key, first, length, telling, list(known), words, said)

    def forms(self, phrases: Offsets) -> list[str]:
        """Some phrases as their texts write them, in lower case."""
        first, last = self.first[phrases], self.first[phrases] + self.length[phrases]
        return [
            " ".join([self.words[k].form for k in self.said[a:b]])
            for a, b in zip(first.tolist(), last.tolist(), strict=True)
        ]

    def keys(self, key: Offsets) -> list[Key]:
        """The stems that keys are made of."""
        last = (1 << BITS) - 1
        three = ((key >> shift & last).tolist() for shift in (2 * BITS, BITS, 0))
        return [
            tuple([self.stems[place - 1] for place in places if place])
            for places in zip(*three, strict=True)
        ]

    def __len__(self) -> int:
        return len(self.text)

    def __repr__(self) -> str:
        return f"<Phrases: {len(self):,} of {len(self.telling):,} texts>"


def query_stems(terms: tuple[str, ...], languages: Set[str]) -> frozenset[str]:
    """What the words of a query become in each language."""
    return frozenset(
        stem
        for term in terms
        for word in WORD.findall(term.lower())
        for language in {*languages, ""}
        for stem in stemmed(word, language)
    )


@lru_cache(1 << 16)
def stemmed(word: str, language: str) -> Key:
    """The stems of one word, of which a hyphen makes several."""
    if UNSPACED.match(word):
        return (word,)
    return tuple(stems(POSSESSIVE.sub("", word), family(language)))


class Word(NamedTuple):
    """A word as it is written, its stem, and whether it tells something and can stand alone.

    `stems` are those of the language it is written in. A phrase runs on over a
    word, but not over a sign.
    """

    form: str
    stem: str
    stems: Key
    tells: bool
    alone: bool
    runs_on: bool


SIGN = Word("", "", (), tells=False, alone=False, runs_on=False)


@lru_cache(1 << 16)
def _word(word: str, language: str, keyed: str) -> Word:
    if not WORD.match(word):
        return SIGN
    form = POSSESSIVE.sub("", word)
    if language in ELIDING:
        form = ELIDED.sub("", form)
    own = stemmed(form, language)
    tells = len(form) <= 60 and bool(own) and not is_stop(form, language)
    stem = "-".join(stemmed(form, keyed)) if tells else ""
    return Word(form, stem, own, tells, _alone(form), runs_on=True)


def _cut(texts: Iterable[tuple[str, str]], keyed: str) -> tuple[list[Word], list[int], Offsets]:
    """The different words of texts, the number of every word, and where texts begin; then the end.

    A sign stands after each text, and enough of them after the last.
    """
    cut = [
        (WORD_OR_SIGN.findall(text[:MOST_CHARACTERS].lower()), language) for text, language in texts
    ]
    by_language = defaultdict[str, list[list[str]]](list)
    for found, language in cut:
        by_language[language].append(found)
    words, place = [SIGN], dict[str, dict[str, int]]()
    for language, every in by_language.items():
        own = dict.fromkeys(chain.from_iterable(every))
        place[language] = dict(zip(own, count(len(words)), strict=False))
        words += [_word(word, language, keyed) for word in own]
    numbers, ends = list[int](), [0]
    for found, language in cut:
        numbers += map(place[language].__getitem__, found)
        numbers.append(0)
        ends.append(len(numbers))
    return words, numbers + [0] * LONGEST, np.array(ends)


def _fitting(runs_on: Flags, tells: Flags, alone: Flags) -> Flags:
    """Whether a phrase of one, two, three words begins at each word."""
    n = len(runs_on) - LONGEST
    fits, whole, stands = np.empty((n, LONGEST), bool), tells[:n], np.zeros(n, bool)
    for k in range(LONGEST):
        whole, stands = whole & runs_on[k : k + n], stands | alone[k : k + n]
        fits[:, k] = whole & stands & tells[k : k + n]
    return fits


def _keys(stem: Ids | Offsets, first: Offsets, length: Offsets) -> Offsets:
    """The stems of the telling words of phrases, those of each as one number."""
    key = stem[first].astype(np.int64)
    for k in range(1, LONGEST):
        more = np.where(k < length, stem[first + k], 0)
        key = np.where(more > 0, key << BITS | more, key)
    return key


def _unwanted(word: Word, without: Set[str]) -> bool:
    """Whether a word is one of some, or a run of unspaced characters has one in it."""
    if not without.isdisjoint(word.stems):
        return True
    if word.form.isascii():
        return False
    return any(other in run for run in UNSPACED.findall(word.form) for other in without)


def _alone(word: str) -> bool:
    """Whether a word can be a phrase: it has two letters, or is a short run of such writing."""
    if UNSPACED.match(word):
        return 2 <= len(word) <= MOST_UNSPACED
    return bool(TWO_LETTERS.search(word))
