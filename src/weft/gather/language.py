"""Which language a text is in: a glance first, a study of what a glance does not settle."""

import re
from collections import Counter

from resiliparse.parse.lang import detect_fast

DECLARED = re.compile(r"[a-zA-Z]{2}(?:[-_]|$)")
ENOUGH, ENOUGH_OF_WORDS = 2_000, 1_000
SURE = 900
SURE_LENGTH = 200
TOO_SHORT = 40
LIKELY, CLOSE = 5, 1.03
# Small words, none of them in two of these languages. Prose has one every forty letters or so.
# Others are of languages that share words with these: Danish, Norwegian, Swedish, Dutch, Afrikaans,
# Luxembourgish, Italian, Catalan, Galician, Romanian and Latin.
OTHER = "other"
SMALL_WORDS = {
    OTHER: "ad af als amb ass att aut av che cum det déi di din dit een er és esse het ikke il"
    " net nie niet non och og op per på și som sunt til ut van vir voor vun wat zijn är å",
    "de": "auf das dem den der ein eine für ist mit nicht sich und von werden",
    "en": "and are be by for from is it of that the this to was which with",
    "es": "como el es esta las los más pero por se su",
    "fr": "aux avec cette dans des du est le les pas pour qui sont sur une vous",
    "pt": "ao com em não os pela pelo são também uma",
    "tr": "bir bu daha gibi için ile olan olarak ve veya",
}
SPOKEN = {word: language for language, words in SMALL_WORDS.items() for word in words.split()}
FEWEST, APART, OUTNUMBERED = 8, 100, 4


def glance(text: str, declared: str = "") -> tuple[str, str]:
    """A two-letter code or none, and what must be studied to tell more where a glance does not.

    Small words settle it where there are many of one language. What a page
    declares counts if the text may well be in that language, or is too short
    to tell.

    Examples
    --------
    >>> glance("The jaguar", "en-GB"), glance("Der Jaguar ist eine Katze. " * 10)
    (('en', ''), ('de', ''))
    """
    sample = text[:ENOUGH]
    said = declared[:2].lower() if DECLARED.match(declared) else ""
    if len(sample) < TOO_SHORT:
        return said, ""
    if spoken := by_small_words(sample[:ENOUGH_OF_WORDS]):
        return spoken, ""
    guesses = detect_fast(sample, n_results=LIKELY)
    close = [guess for guess, distance in guesses if distance <= guesses[0][1] * CLOSE]
    if said in close:
        return said, ""
    if len(close) == 1 and guesses[0][1] < SURE and len(sample) >= SURE_LENGTH:
        return str(close[0]), ""
    return said, sample[:ENOUGH_OF_WORDS]


def by_small_words(sample: str) -> str:
    """The language whose small words are frequent in a sample, and those of others are not.

    Nothing where that is none, or one of many.
    """
    found = Counter(filter(None, map(SPOKEN.get, sample.lower().split())))
    (most, times), (_, others) = [*found.most_common(2), ("", 0), ("", 0)][:2]
    sure = times >= FEWEST and times * APART >= len(sample) and others * OUTNUMBERED <= times
    return most if sure and most != OTHER else ""


def study(sample: str) -> str:
    """A two-letter code by a better look, or nothing.

    Its model takes half a second to load and 80 MB to hold: one process should ask.

    Examples
    --------
    >>> study("The jaguar is a large cat, the only living member of its genus in the Americas.")
    'en'
    """
    from py3langid import classify  # noqa: PLC0415  not before it is asked

    code = str(classify(sample)[0])
    return code if len(code) == 2 else ""
