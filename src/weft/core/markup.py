"""HTML from parts: whatever is not markup already is text, and is escaped."""

import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from weft.core.wording import CONTROL, address, shortened

VOID = frozenset({"br", "meta"})
WEB = re.compile(r"https?://[^\s\x00-\x1f]+", re.IGNORECASE)


class Markup(str):
    """A string that is HTML already."""

    __slots__ = ()


def text(words: object) -> Markup:
    """Anything as text that a browser shows and does not obey.

    Examples
    --------
    >>> text("<b>&")
    '&lt;b&gt;&amp;'
    """
    if isinstance(words, Markup):
        return words
    sound = CONTROL.sub("", str(words)).encode("utf-8", "replace").decode("utf-8")
    return Markup(escape(sound))


def join(parts: Iterable[object], between: str = "") -> Markup:
    """Parts one after the other; those that are nothing are left out."""
    return Markup(text(between).join(text(part) for part in parts if part not in (None, "")))


def tag(name: str, /, *inside: object, **attributes: object) -> Markup:
    """An element; attributes that are nothing are left out.

    In the name of an attribute `_` stands for `-`, and is left out at its end.

    Examples
    --------
    >>> tag("p", "1 < 2", tag("br"), class_="sum", id=None)
    '<p class="sum">1 &lt; 2<br></p>'
    """
    told = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{text(value)}"'
        for key, value in attributes.items()
        if value not in (None, "")
    )
    if name in VOID:
        return Markup(f"<{name}{told}>")
    return Markup(f"<{name}{told}>{join(inside)}</{name}>")


def link(page: str, /, *words: object, **attributes: object) -> Markup:
    """Words that lead to a page of the web; a name that is no web address leads nowhere.

    Examples
    --------
    >>> link("http://a.org/", "A")
    '<a href="http://a.org/" rel="noreferrer nofollow">A</a>'
    >>> link("javascript:alert(1)", "A")
    '<span>A</span>'
    """
    if not WEB.fullmatch(page):
        return tag("span", *words, **attributes)
    return tag("a", *words, href=page, rel="noreferrer nofollow", **attributes)


def links(pages: Iterable[str]) -> Markup:
    """Links to some pages, each on a line of its own.

    Examples
    --------
    >>> links(["a", "b"])
    '<span>a</span><br><span>b</span>'
    """
    return join([link(page, shortened(address(page), 60)) for page in pages], tag("br"))


def card(head: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """What a notebook shows of a result: a line, and a table below it.

    Examples
    --------
    >>> card("two pages", ["page", "score"], [("a", 0.5)]).count("<td>")
    2
    """
    heads = tag("tr", *(tag("th", name) for name in columns))
    lines = [tag("tr", *(tag("td", _cell(value)) for value in row)) for row in rows]
    table = tag("table", tag("thead", heads), tag("tbody", *lines)) if lines else ""
    return str(tag("div", tag("p", tag("strong", head)), table))


def _cell(value: object) -> object:
    if isinstance(value, float):
        return f"{value:.3g}"
    if isinstance(value, str) and not isinstance(value, Markup):
        return link(value, shortened(address(value), 100)) if WEB.fullmatch(value) else value
    return value
