"""Words for people: how many of a thing, and text of pages that no screen or spreadsheet obeys."""

import re
from unicodedata import bidirectional

CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def count(number: int, thing: str) -> str:
    """How many of a thing, in words that agree.

    Examples
    --------
    >>> count(1, "page"), count(2048, "page"), count(0, "authority")
    ('1 page', '2,048 pages', '0 authorities')
    """
    if number == 1:
        return f"{number:,} {thing}"
    return f"{number:,} {thing[:-1]}ies" if thing.endswith("y") else f"{number:,} {thing}s"


def shortened(text: str, most: int) -> str:
    """A text in one line, cut to so many characters.

    Examples
    --------
    >>> shortened(" one  two ", 20), shortened("a long story", 7)
    ('one two', 'a long…')
    """
    words = " ".join(text.split())
    return words if len(words) <= most else words[: most - 1].rstrip() + "…"


def listed(things: list[str]) -> str:
    """Things one after the other, as in a sentence.

    Examples
    --------
    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return " and ".join(filter(None, (", ".join(things[:-1]), *things[-1:])))


def left_out(reason: str, pages: int, links: int, level: str = "page") -> str:
    """Why something was left out, and how much, without what there is none of.

    Examples
    --------
    >>> left_out("same domain", 0, 1), left_out("without a.com", 2, 3, "host")
    ('same domain: 1 link left out', 'without a.com: 2 hosts and 3 links left out')
    """
    gone = [count(number, thing) for number, thing in ((pages, level), (links, "link")) if number]
    return f"{reason}: {' and '.join(gone) or 'nothing'} left out"


def direction(words: str) -> str:
    """The direction in which words are read: that of most of their letters.

    Examples
    --------
    >>> direction("\u0633\u0644\u0627\u0645 is a greeting"), direction("\u0633\u0644\u0627\u0645!")
    ('ltr', 'rtl')
    """
    ways = [bidirectional(letter) for letter in words]
    backward = sum(way in {"R", "AL"} for way in ways)
    return "rtl" if backward > ways.count("L") else "ltr"


def address(page: str) -> str:
    """The name of a page as people write it, without the scheme."""
    return page.removeprefix("http://").removeprefix("https://")
