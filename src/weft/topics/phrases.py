"""Phrases of one to three words, such as titles and anchors are made of."""

import re
from collections.abc import Iterator, Sequence, Set
from functools import lru_cache
from typing import NamedTuple

from weft.store.stopwords import is_stop
from weft.store.words import UNSPACED, UNSPACED_CHARACTERS, family, stems

LONGEST = 3
MOST_CHARACTERS = 300
MOST_UNSPACED = 12
LETTERS = rf"[^\W_{UNSPACED_CHARACTERS}]+"
WORD = re.compile(rf"[{UNSPACED_CHARACTERS}]+|{LETTERS}(?:[-'\u2019&]{LETTERS}|[.]\d+)*")
TWO_LETTERS = re.compile(r"[^\W\d_].*[^\W\d_]")
ELIDING = {"ca", "fr", "it"}
ELIDED = re.compile("^(?:[cdjlmnst]|qu|dell|nell|all|sull|un)['\u2019]")
POSSESSIVE = re.compile("['\u2019]s?$")

Key = tuple[str, ...]


def phrases(
    text: str, language: str, without: Set[str] = frozenset(), *, keyed: str = "en"
) -> dict[Key, str]:
    """The phrases of a text as it writes them, in lower case, by the stems of their telling words.

    The stems are of the language `keyed`, so that texts in several can be compared.
    A phrase ends at punctuation and at words whose stems are in `without`; it
    neither begins nor ends with a stop word. Where words are not spaced, a run
    of characters is a word.

    Examples
    --------
    >>> list(phrases("The History of Cars - Home Page", "en").values())
    ['history', 'history of cars', 'cars']
    """
    found: dict[Key, str] = {}
    for run in _runs(text[:MOST_CHARACTERS], language, keyed):
        for part in _wanted(run, without) if without else (run,):
            _take(part, found)
    return found


def _wanted(run: Sequence["Word"], without: Set[str]) -> Iterator[Sequence["Word"]]:
    """A run of words, cut at those that are not wanted."""
    start = 0
    for at, word in enumerate(run):
        if not without.isdisjoint(word.stems) or _holds(word.form, without):
            yield run[start:at]
            start = at + 1
    yield run[start:]


def _take(run: Sequence["Word"], found: dict[Key, str]) -> None:
    """Add the phrases of a run of words to those that were found."""
    for start, first in enumerate(run):
        if not first.tells:
            continue
        key, form, alone = first.key, first.form, first.alone
        if alone:
            found.setdefault(key, form)
        for word in run[start + 1 : start + LONGEST]:
            key, form, alone = key + word.key, f"{form} {word.form}", alone or word.alone
            if word.tells and alone:
                found.setdefault(key, form)


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
    """A word as it is written, its stem where it tells something, and whether it can stand alone.

    `stems` are those of the language it is written in.
    """

    form: str
    key: Key
    stems: Key
    tells: bool
    alone: bool


@lru_cache(1 << 16)
def _word(word: str, language: str, keyed: str) -> Word:
    form = POSSESSIVE.sub("", word)
    if language in ELIDING:
        form = ELIDED.sub("", form)
    own = stemmed(form, language)
    tells = len(form) <= 60 and bool(own) and not is_stop(form, language)
    return Word(form, ("-".join(stemmed(form, keyed)),) if tells else (), own, tells, _alone(form))


def _runs(text: str, language: str, keyed: str) -> Iterator[list[Word]]:
    """The words of a text, cut at punctuation."""
    run: list[Word] = []
    last = 0
    for match in WORD.finditer(text.lower()):
        gap, last = text[last : match.start()], match.end()
        if gap != " " and gap.strip():
            yield run
            run = []
        run.append(_word(match[0], language, keyed))
    yield run


def _holds(form: str, without: Set[str]) -> bool:
    """Whether a run of unspaced characters has an unwanted word in it."""
    if form.isascii():
        return False
    return any(other in run for run in UNSPACED.findall(form) for other in without)


def _alone(word: str) -> bool:
    """Whether a word can be a phrase: it has two letters, or is a short run of such writing."""
    if UNSPACED.match(word):
        return 2 <= len(word) <= MOST_UNSPACED
    return bool(TWO_LETTERS.search(word))
