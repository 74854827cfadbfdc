"""Phrases of one to three words, such as titles and anchors are made of."""

import re
from collections.abc import Iterator, Set
from functools import lru_cache

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
    for run in _runs(text[:MOST_CHARACTERS], language, without):
        telling = [_tells(word, language) for word in run]
        for start in range(len(run)):
            for end in range(start + 1, min(start + LONGEST, len(run)) + 1):
                words = run[start:end]
                if telling[start] and telling[end - 1] and any(map(_alone, words)):
                    key = tuple(
                        "-".join(stemmed(word, keyed))
                        for word, tells in zip(words, telling[start:end], strict=True)
                        if tells
                    )
                    found.setdefault(key, " ".join(words))
    return found


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


def _runs(text: str, language: str, without: Set[str]) -> Iterator[list[str]]:
    """The words of a text, cut where a phrase must end."""
    run: list[str] = []
    last = 0
    for match in WORD.finditer(text.lower()):
        word = POSSESSIVE.sub("", match[0])
        if language in ELIDING:
            word = ELIDED.sub("", word)
        if text[last : match.start()].strip():
            yield run
            run = []
        last = match.end()
        if without.isdisjoint(stemmed(word, language)) and not _holds(word, without):
            run.append(word)
        else:
            yield run
            run = []
    yield run


def _holds(word: str, without: Set[str]) -> bool:
    """Whether a run of unspaced characters has an unwanted word in it."""
    return bool(UNSPACED.match(word)) and any(other in word for other in without)


def _tells(word: str, language: str) -> bool:
    return len(word) <= 60 and bool(stemmed(word, language)) and not is_stop(word, language)


def _alone(word: str) -> bool:
    """Whether a word can be a phrase: it has two letters, or is a short run of such writing."""
    if UNSPACED.match(word):
        return 2 <= len(word) <= MOST_UNSPACED
    return bool(TWO_LETTERS.search(word))
