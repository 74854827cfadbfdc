"""Titles for proposed index pages: words that the titles or addresses of most pages share."""

import re
from collections import Counter
from collections.abc import Sequence

from weft.core.text import join_with_and, shorten, strip_common_host, strip_scheme
from weft.store.tokens import is_stop_word

WORD_PATTERN = re.compile(r"[^\W\d_]{2,}")
MIN_SHARE = 0.75
MAX_TITLE_WORDS, MAX_TITLE_CHARS, MAX_NAMED_PAGES = 4, 80, 3


def propose_title(names: Sequence[str], titles: Sequence[str]) -> str:
    """A title for a list of pages.

    The words that most titles share, in the order of the first title that has
    them. Without titles those of the addresses, without the host. If none is
    shared, the first titles or addresses.

    Examples
    --------
    >>> names = ["http://a.org/cats/1", "http://a.org/cats/2"]
    >>> propose_title(names, ["Big cats of Asia", "Big cats of Africa"])
    'Big cats'
    >>> propose_title(names, ["", ""]), propose_title(["x", "y"], ["", ""])
    ('cats', 'x and y')
    >>> propose_title(["x", "y", "z", "w"], ["Lion", "Tiger", "Puma", "Lynx"])
    'Lion, Tiger, Puma, …'
    """
    addresses = strip_common_host(names)
    texts = list(filter(None, titles)) or [strip_scheme(name).partition("/")[2] for name in names]
    if words := _shared_words(texts, len(names)):
        return shorten(" ".join(words), MAX_TITLE_CHARS)
    each = [title or address for title, address in zip(titles, addresses, strict=True)]
    first = each[:MAX_NAMED_PAGES]
    named = join_with_and(first) if first == each else ", ".join([*first, "…"])
    return shorten(named, MAX_TITLE_CHARS)


def _shared_words(texts: Sequence[str], page_count: int) -> list[str]:
    """The words that at least three quarters of the pages have, as first written."""
    spellings, counts = dict[str, str](), Counter[str]()
    for text in texts:
        words = {word.lower(): word for word in reversed(WORD_PATTERN.findall(text))}
        counts.update(words.keys())
        for word in reversed(words):
            spellings.setdefault(word, words[word])
    shared = [
        spelling
        for word, spelling in spellings.items()
        if counts[word] >= max(2, MIN_SHARE * page_count) and not is_stop_word(word, "en")
    ]
    return shared[:MAX_TITLE_WORDS]
