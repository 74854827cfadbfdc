"""HTML: text stays text, whatever is in it."""

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from resiliparse.parse.html import HTMLTree

from weft.core.html import Markup, escape_text, html_element, join_html, page_link, titled_table
from weft.core.text import CONTROL_CHARS


class Reader(HTMLParser):
    """Collects the text and the elements of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.text, self.elements = "", list[str]()

    def handle_data(self, data: str) -> None:
        """Collect text."""
        self.text += data

    def handle_starttag(self, tag: str, attrs: object) -> None:
        """Collect an element."""
        del attrs
        self.elements.append(tag)


def read(markup: str) -> Reader:
    reader = Reader()
    reader.feed(markup)
    reader.close()
    return reader


@given(st.text())
def test_any_text_survives(text: str) -> None:
    """Except control characters, and lone surrogates, which UTF-8 cannot encode."""
    found = read(html_element("p", text))
    assert found.elements == ["p"]
    assert found.text == CONTROL_CHARS.sub("", text).encode("utf-8", "replace").decode()


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1))
def test_any_attribute_survives(text: str) -> None:
    body = HTMLTree.parse(str(html_element("p", "x", title=text))).body
    assert body is not None
    [element] = body.query_selector_all("p")
    assert element.getattr("title") == CONTROL_CHARS.sub("", text)
    assert set(element.attrs) <= {"title"}


def test_markup_is_left_as_it_is() -> None:
    assert escape_text(Markup("<b>")) == "<b>"
    assert join_html(["<", html_element("b", "x"), None, "", 0], " ") == "&lt; <b>x</b> 0"


@pytest.mark.parametrize(
    "page",
    [
        "javascript:alert(1)",
        " javascript:alert(1)",
        "JAVASCRIPT:alert(1)",
        "data:text/html,x",
        "http://a.org/\njavascript:x",
        "httpx://a.org/",
        "example.com",
        "",
    ],
)
def test_only_web_addresses_become_links(page: str) -> None:
    assert "href" not in page_link(page, "words")


def test_a_link_sends_no_referrer() -> None:
    body = HTMLTree.parse(str(page_link('https://a.org/?q="x"&y', "words"))).body
    assert body is not None
    [element] = body.query_selector_all("a")
    assert element.getattr("href") == 'https://a.org/?q="x"&y'
    assert element.getattr("rel") == "noreferrer nofollow"


def test_without_rows_there_is_no_table() -> None:
    assert "<table>" not in titled_table("nothing", ["page"], [])
    assert "two &lt;b&gt;" in titled_table("two <b>", ["page"], [("a",)])
