"""Build HTML from parts: everything that is not markup already is escaped."""

import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from weft.core.text import CONTROL_CHARS, shorten, strip_scheme

VOID_ELEMENTS = frozenset({"br", "meta"})
WEB_URL = re.compile(r"https?://[^\s\x00-\x1f]+", re.IGNORECASE)


class Markup(str):
    """A string that is HTML already; `__html__` tells Jinja so."""

    __slots__ = ()

    def __html__(self) -> str:
        return self


def escape_text(value: object) -> Markup:
    """Escape any value, so that a browser shows it as text; markup stays as it is.

    Examples
    --------
    >>> escape_text("<b>&")
    '&lt;b&gt;&amp;'
    """
    if isinstance(value, Markup):
        return value
    clean = CONTROL_CHARS.sub("", str(value)).encode("utf-8", "replace").decode("utf-8")
    return Markup(escape(clean))


def join_html(parts: Iterable[object], separator: str = "") -> Markup:
    """Join parts with a separator; empty ones are skipped."""
    return Markup(
        escape_text(separator).join(escape_text(part) for part in parts if part not in (None, ""))
    )


def html_element(name: str, /, *children: object, **attributes: object) -> Markup:
    """Make an element; attributes that are None or empty are left out.

    In the name of an attribute `_` stands for `-`; a trailing one is dropped.

    Examples
    --------
    >>> html_element("p", "1 < 2", html_element("br"), class_="sum", id=None)
    '<p class="sum">1 &lt; 2<br></p>'
    """
    attribute_text = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape_text(value)}"'
        for key, value in attributes.items()
        if value not in (None, "")
    )
    if name in VOID_ELEMENTS:
        return Markup(f"<{name}{attribute_text}>")
    return Markup(f"<{name}{attribute_text}>{join_html(children)}</{name}>")


def page_link(page: str, /, *children: object, **attributes: object) -> Markup:
    """Make a link to a web page, or a plain span if the name is not a web address.

    Examples
    --------
    >>> page_link("http://a.org/", "A")
    '<a href="http://a.org/" rel="noreferrer nofollow">A</a>'
    >>> page_link("javascript:alert(1)", "A")
    '<span>A</span>'
    """
    if not WEB_URL.fullmatch(page):
        return html_element("span", *children, **attributes)
    return html_element("a", *children, href=page, rel="noreferrer nofollow", **attributes)


def page_links(pages: Iterable[str]) -> Markup:
    """Links to pages, one on each line.

    Examples
    --------
    >>> page_links(["a", "b"])
    '<span>a</span><br><span>b</span>'
    """
    return join_html(
        [page_link(page, shorten(strip_scheme(page), 60)) for page in pages], html_element("br")
    )


def titled_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A heading and a table: how a notebook shows a result.

    Examples
    --------
    >>> titled_table("two pages", ["page", "score"], [("a", 0.5)]).count("<td>")
    2
    """
    header = html_element("tr", *(html_element("th", name) for name in columns))
    body_rows = [
        html_element("tr", *(html_element("td", _format_cell(value)) for value in row))
        for row in rows
    ]
    table = (
        html_element("table", html_element("thead", header), html_element("tbody", *body_rows))
        if body_rows
        else ""
    )
    return str(html_element("div", html_element("p", html_element("strong", title)), table))


def _format_cell(value: object) -> object:
    if isinstance(value, float):
        return f"{value:.3g}"
    if isinstance(value, str) and not isinstance(value, Markup):
        return (
            page_link(value, shorten(strip_scheme(value), 100))
            if WEB_URL.fullmatch(value)
            else value
        )
    return value
