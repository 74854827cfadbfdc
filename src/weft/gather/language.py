"""Language detection: fast rules first, a classifier for what they leave open."""

import re
from collections import Counter

from resiliparse.parse.lang import detect_fast

LANGUAGE_TAG = re.compile(r"[a-zA-Z]{2}(?:[-_]|$)")
MAX_SAMPLE_CHARS, MAX_WORD_SAMPLE_CHARS = 2_000, 1_000
MAX_SURE_DISTANCE = 900
MIN_SURE_CHARS = 200
MIN_SAMPLE_CHARS = 40
MAX_CANDIDATES, MAX_DISTANCE_RATIO = 5, 1.03
# Function words, each in one of these languages only. Prose has one every forty letters or so.
# Under "other": words of languages that share function words with these, namely Danish, Norwegian,
# Swedish, Dutch, Afrikaans, Luxembourgish, Italian, Catalan, Galician, Romanian and Latin.
OTHER_LANGUAGE = "other"
FUNCTION_WORDS = {
    OTHER_LANGUAGE: "ad af als amb ass att aut av che cum det déi di din dit een er és esse het"
    " ikke il net nie niet non och og op per på și som sunt til ut van vir voor vun wat zijn är å",
    "de": "auf das dem den der ein eine für ist mit nicht sich und von werden",
    "en": "and are be by for from is it of that the this to was which with",
    "es": "como el es esta las los más pero por se su",
    "fr": "aux avec cette dans des du est le les pas pour qui sont sur une vous",
    "pt": "ao com em não os pela pelo são também uma",
    "tr": "bir bu daha gibi için ile olan olarak ve veya",
}
LANGUAGE_BY_WORD = {
    word: language for language, words in FUNCTION_WORDS.items() for word in words.split()
}
MIN_FUNCTION_WORDS, MAX_CHARS_PER_FUNCTION_WORD, MIN_MAJORITY_RATIO = 8, 100, 4


def detect_language_fast(text: str, declared_language: str = "") -> str:
    """A two-letter code or nothing, with a question mark after it if that is not certain.

    Many function words of one language decide. Otherwise the declared language
    counts if it is among the nearest by character n-grams, or if the text is
    too short to tell.

    Examples
    --------
    >>> (
    ...     detect_language_fast("The jaguar", "en-GB"),
    ...     detect_language_fast("Der Jaguar ist eine Katze. " * 10),
    ... )
    ('en', 'de')
    """
    sample = text[:MAX_SAMPLE_CHARS]
    declared = declared_language[:2].lower() if LANGUAGE_TAG.match(declared_language) else ""
    if len(sample) < MIN_SAMPLE_CHARS:
        return declared
    if language := detect_by_function_words(sample[:MAX_WORD_SAMPLE_CHARS]):
        return language
    candidates = detect_fast(sample, n_results=MAX_CANDIDATES)
    best_distance = candidates[0][1] if candidates else 0.0
    close = [
        code for code, distance in candidates if distance <= best_distance * MAX_DISTANCE_RATIO
    ]
    if declared in close:
        return declared
    if len(close) == 1 and best_distance < MAX_SURE_DISTANCE and len(sample) >= MIN_SURE_CHARS:
        return str(close[0])
    return f"{declared}?"


def detect_by_function_words(sample: str) -> str:
    """The one language whose function words are frequent in a sample, or nothing."""
    counts = Counter(filter(None, map(LANGUAGE_BY_WORD.get, sample.lower().split())))
    (language, count), (_, next_count) = [*counts.most_common(2), ("", 0), ("", 0)][:2]
    is_sure = (
        count >= MIN_FUNCTION_WORDS
        and count * MAX_CHARS_PER_FUNCTION_WORD >= len(sample)
        and next_count * MIN_MAJORITY_RATIO <= count
    )
    return language if is_sure and language != OTHER_LANGUAGE else ""


def classify_language(text: str) -> str:
    """A two-letter code by the naive Bayes classifier of langid, or nothing, from a text's start.

    The model takes half a second to load and 80 MB: call it from one process.

    Examples
    --------
    >>> classify_language(
    ...     "The jaguar is a large cat, the only living member of its genus in the Americas."
    ... )
    'en'
    """
    from py3langid import classify  # noqa: PLC0415  loads its model

    code = str(classify(text[:MAX_WORD_SAMPLE_CHARS])[0])
    return code if len(code) == 2 else ""
