"""Text for people: plurals, lists, shortened text, text direction."""

import re
from collections.abc import Iterable, Sequence
from unicodedata import bidirectional

CONTROL_CHARS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
UNPRINTABLE = re.compile(f"{CONTROL_CHARS.pattern}|[\t\n\ud800-\udfff]")


def is_one_line(text: str) -> bool:
    r"""Whether a text has no line break, no control character, and can be written in UTF-8.

    Examples
    --------
    >>> is_one_line("a b"), is_one_line("a\nb"), is_one_line("a\ud800")
    (True, False, False)
    """
    return len(text.splitlines()) <= 1 and not UNPRINTABLE.search(text)


def pluralise(number: int, noun: str) -> str:
    """A number and a noun, in the plural unless the number is one.

    Examples
    --------
    >>> pluralise(1, "page"), pluralise(2048, "page"), pluralise(0, "authority")
    ('1 page', '2,048 pages', '0 authorities')
    """
    if number == 1:
        return f"{number:,} {noun}"
    return f"{number:,} {noun[:-1]}ies" if noun.endswith("y") else f"{number:,} {noun}s"


def format_share(share: float) -> str:
    """A share as a percentage.

    Examples
    --------
    >>> format_share(0.0012), format_share(1.0)
    ('0.1 %', '100.0 %')
    """
    return f"{100 * share:.1f} %"


def shorten(text: str, max_chars: int) -> str:
    """Put a text on one line, cut to at most `max_chars` characters.

    Examples
    --------
    >>> shorten(" one  two ", 20), shorten("a long story", 7)
    ('one two', 'a long…')
    """
    words = " ".join(text.split())
    return words if len(words) <= max_chars else words[: max_chars - 1].rstrip() + "…"


def join_with_and(items: list[str]) -> str:
    """Join items as in a sentence: with commas, and "and" before the last.

    Examples
    --------
    >>> join_with_and(["a"]), join_with_and(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return " and ".join(filter(None, (", ".join(items[:-1]), *items[-1:])))


def describe_dropped(reason: str, pages: int, links: int, level: str = "page") -> str:
    """A note on what was left out: the reason, and how many pages and links.

    Examples
    --------
    >>> describe_dropped("same domain", 0, 1), describe_dropped("without a.com", 2, 3, "host")
    ('same domain: 1 link left out', 'without a.com: 2 hosts and 3 links left out')
    """
    dropped = [
        pluralise(number, noun) for number, noun in ((pages, level), (links, "link")) if number
    ]
    return f"{reason}: {' and '.join(dropped) or 'nothing'} left out"


def text_direction(text: str) -> str:
    """The reading direction of a text: `rtl` if most of its letters are.

    Examples
    --------
    >>> (
    ...     text_direction("\u0633\u0644\u0627\u0645 is a greeting"),
    ...     text_direction("\u0633\u0644\u0627\u0645!"),
    ... )
    ('ltr', 'rtl')
    """
    directions = [bidirectional(letter) for letter in text]
    right_to_left = sum(direction in {"R", "AL"} for direction in directions)
    return "rtl" if right_to_left > directions.count("L") else "ltr"


def strip_scheme(url: str) -> str:
    """A URL without its scheme, as people write it."""
    return url.removeprefix("http://").removeprefix("https://")


def strip_common_host(urls: Sequence[str]) -> list[str]:
    """URLs without their schemes, and without their host if it is that of all.

    Examples
    --------
    >>> strip_common_host(["http://a.org/cats/", "http://a.org/"])
    ['cats/', 'a.org/']
    >>> strip_common_host(["http://a.org/cats/", "http://b.org/"])
    ['a.org/cats/', 'b.org/']
    """
    addresses = [strip_scheme(url) for url in urls]
    if len({address.partition("/")[0] for address in addresses}) > 1:
        return addresses
    return [address.partition("/")[2] or address for address in addresses]


def join_pages(column: str, items: Iterable[object]) -> str:
    """Pages, or other items of a cell, as one text; the column `path` has arrows.

    Examples
    --------
    >>> join_pages("path", ["http://a.org/", "http://a.org/b"]), join_pages("pages", ["x", 7])
    ('a.org/ → a.org/b', 'x · 7')
    """
    return (" → " if column == "path" else " · ").join(strip_scheme(str(item)) for item in items)
