"""Markup: text stays text, whatever is in it."""

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from resiliparse.parse.html import HTMLTree

from weft.core.markup import Markup, card, join, link, tag, text
from weft.core.wording import CONTROL


class Reader(HTMLParser):
    """What a page says, and which elements it has."""

    def __init__(self) -> None:
        super().__init__()
        self.said, self.elements = "", list[str]()

    def handle_data(self, data: str) -> None:
        """Take in words."""
        self.said += data

    def handle_starttag(self, tag: str, attrs: object) -> None:
        """Take in an element."""
        del attrs
        self.elements.append(tag)


def read(markup: str) -> Reader:
    reader = Reader()
    reader.feed(markup)
    reader.close()
    return reader


@given(st.text())
def test_any_text_comes_back_as_it_was(words: str) -> None:
    """But for signs that command a screen, and halves of signs, which no file can hold."""
    found = read(tag("p", words))
    assert found.elements == ["p"]
    assert found.said == CONTROL.sub("", words).encode("utf-8", "replace").decode()


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1))
def test_any_attribute_comes_back_as_it_was(words: str) -> None:
    body = HTMLTree.parse(str(tag("p", "x", title=words))).body
    assert body is not None
    [element] = body.query_selector_all("p")
    assert element.getattr("title") == CONTROL.sub("", words)
    assert set(element.attrs) <= {"title"}


def test_markup_is_left_as_it_is() -> None:
    assert text(Markup("<b>")) == "<b>"
    assert join(["<", tag("b", "x"), None, "", 0], " ") == "&lt; <b>x</b> 0"


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
    assert "href" not in link(page, "words")


def test_a_link_tells_the_other_end_nothing() -> None:
    body = HTMLTree.parse(str(link('https://a.org/?q="x"&y', "words"))).body
    assert body is not None
    [element] = body.query_selector_all("a")
    assert element.getattr("href") == 'https://a.org/?q="x"&y'
    assert element.getattr("rel") == "noreferrer nofollow"


def test_a_card_without_rows_has_no_table() -> None:
    assert "<table>" not in card("nothing", ["page"], [])
    assert "two &lt;b&gt;" in card("two <b>", ["page"], [("a",)])
