"""Which language a text is in: a cheap look first, a better one when that is unsure."""

import re

from resiliparse.parse.lang import detect_fast

DECLARED = re.compile(r"[a-zA-Z]{2}(?:[-_]|$)")
ENOUGH, ENOUGH_TO_CLASSIFY = 2_000, 1_000
SURE = 900
SURE_LENGTH = 200
TOO_SHORT = 40
LIKELY, CLOSE = 5, 1.03


def detect(text: str, declared: str = "") -> str:
    """A two-letter code, or nothing where the text is too short to tell and says nothing itself.

    What a page declares counts if the text may well be in that language.

    Examples
    --------
    >>> detect("The jaguar is a large cat, the only living member of its genus in the Americas.")
    'en'
    """
    sample = text[:ENOUGH]
    said = declared[:2].lower() if DECLARED.match(declared) else ""
    if len(sample) < TOO_SHORT:
        return said
    guesses = detect_fast(sample, n_results=LIKELY)
    close = [guess for guess, distance in guesses if distance <= guesses[0][1] * CLOSE]
    if said in close:
        return said
    if len(close) == 1 and guesses[0][1] < SURE and len(sample) >= SURE_LENGTH:
        return str(close[0])
    from py3langid import classify  # noqa: PLC0415  loads its model for half a second

    code = str(classify(sample[:ENOUGH_TO_CLASSIFY])[0])
    return code if len(code) == 2 else said
