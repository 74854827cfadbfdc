"""Build HTML from parts: everything that is not markup already is escaped."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import zip_longest
from math import isfinite
from typing import Any, Protocol
from weakref import WeakSet

from weft.core.text import CONTROL_CHARS, shorten, strip_scheme

VOID_ELEMENTS = frozenset({"br", "meta"})
CARD_STYLE = """
.weft-card { max-width: 64rem; font: 0.875rem/1.45 system-ui, sans-serif; overflow-x: auto }
.weft-card > p { margin: 0 0 .5em }
.weft-card table { border-collapse: collapse; width: auto }
.weft-card th { text-align: left; font-weight: 500; opacity: .7;
  white-space: nowrap; overflow-wrap: normal }
.weft-card th, .weft-card td { padding: .25em .75em .25em 0; vertical-align: top;
  border-bottom: 1px solid color-mix(in srgb, currentColor 15%, transparent);
  text-align: left }
.weft-card td { overflow-wrap: anywhere }
.weft-card .weft-number, .weft-card .weft-bar { text-align: right;
  font-variant-numeric: tabular-nums; overflow-wrap: normal }
.weft-card .weft-bar { padding-left: .5em; background: linear-gradient(
  to left, color-mix(in srgb, #2b5c8a 28%, transparent) var(--share), transparent 0) no-repeat
  left bottom .1em / 100% .25em }
.weft-card .weft-address { font-size: .857em; opacity: .7 }
.weft-card a { text-underline-offset: .15em }
"""
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


def page_links(pages: Iterable[str], titles: Iterable[str] = ()) -> Markup:
    """Links to pages by their titles or addresses, one on each line.

    Examples
    --------
    >>> page_links(["a", "b"])
    '<span>a</span><br><span>b</span>'
    """
    names = zip_longest(list(pages), titles, fillvalue="")
    links = [page_link(page, shorten(title or strip_scheme(page), 60)) for page, title in names]
    return join_html(links, html_element("br"))


class TitleSource(Protocol):
    """What knows the titles of pages: an open collection."""

    def titles_of(self, names: Sequence[str]) -> Sequence[str]:
        """The title of each page, empty where there is none."""


# The open collections by folder, so that cards of their results can show titles.
TITLE_SOURCES: defaultdict[str, WeakSet[TitleSource]] = defaultdict(WeakSet)


def titled_table(
    title: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    source: str = "",
    titles: Mapping[str, str] | None = None,
) -> str:
    """A heading and a table: the card of a result in a notebook.

    A page is shown by its title, with its address below. Titles are those
    given, or those of the open collection in the folder `source`. Columns of
    numbers from zero on that have a fraction get bars.

    Examples
    --------
    >>> titled_table("two pages", ["page", "score"], [("a", 0.5)]).count("<td")
    2
    """
    cells = [list(row) for row in rows]
    known = titles if titles is not None else _read_titles(source, cells)
    largest = [_largest_score(column) for column in zip(*cells, strict=True)]
    header = html_element("tr", *(html_element("th", name) for name in columns))
    body_rows = [
        html_element(
            "tr",
            *(_table_cell(value, known, most) for value, most in zip(row, largest, strict=True)),
        )
        for row in cells
    ]
    table = (
        html_element("table", html_element("thead", header), html_element("tbody", *body_rows))
        if body_rows
        else ""
    )
    heading = html_element("p", html_element("strong", title))
    style = html_element("style", Markup(CARD_STYLE))
    return str(html_element("div", style, heading, table, class_="weft-card"))


def _read_titles(source: str, rows: Sequence[Sequence[Any]]) -> Mapping[str, str]:
    """The titles of the pages in some rows, by URL."""
    known = next(iter(TITLE_SOURCES.get(source, ())), None)
    if known is None:
        return {}
    cells = (value for row in rows for value in row)
    urls = [v for v in cells if isinstance(v, str) and WEB_URL.fullmatch(v)]
    return dict(zip(urls, known.titles_of(urls), strict=True))


def _largest_score(column: Sequence[Any]) -> float:
    """The largest of a column of scores; 0 where it has other values."""
    is_scores = all(isinstance(value, float) and isfinite(value) and value >= 0 for value in column)
    return max(column) if is_scores and any(value % 1 for value in column) else 0.0


def _table_cell(value: object, titles: Mapping[str, str], largest: float) -> Markup:
    if largest:
        share = f"--share:{value / largest:.1%}"  # type: ignore[operator]
        return html_element("td", _format_cell(value, titles), class_="weft-bar", style=share)
    is_number = isinstance(value, int | float)
    return html_element("td", _format_cell(value, titles), class_="weft-number" * is_number)


def _format_cell(value: object, titles: Mapping[str, str]) -> object:
    if isinstance(value, float):
        return f"{value:.3g}"
    if isinstance(value, str) and not isinstance(value, Markup):
        return titled_link(value, titles.get(value, "")) if WEB_URL.fullmatch(value) else value
    return value


def titled_link(page: str, title: str) -> Markup:
    """A link to a page by its title, with the address below; by its address without a title.

    Examples
    --------
    >>> titled_link("http://a.org/", "A & B").count("<br>")
    1
    """
    address = shorten(strip_scheme(page), 100)
    if not title.strip():
        return page_link(page, address)
    link = page_link(page, shorten(title, 80))
    return join_html(
        [link, html_element("span", address, class_="weft-address")], html_element("br")
    )
