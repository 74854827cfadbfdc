"""The text of large pages: the same words as by Resiliparse, in linear time."""

import gc
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from fastwarc.warc import ArchiveIterator, WarcRecordType
from hypothesis import given
from hypothesis import strategies as st
from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.html import HTMLTree

from weft.gather.html import ParseOptions, parse_page
from weft.gather.page import Page, Problems, RawPage
from weft.gather.text import (
    extract_text,
    extract_text_by_walk,
    is_extraction_costly,
    max_list_depth,
)


def resiliparse_text(html: str) -> str:
    text: str = extract_plain_text(
        HTMLTree.parse(html), links=False, alt_texts=True, list_bullets=False
    )
    return text


def walk_text(html: str) -> str:
    return extract_text_by_walk(HTMLTree.parse(html))


MIXED = """<head><title>t</title></head><body>lead <b>bold</b>word<h1>Head</h1><p>One <i>it</i>.<br>
two</p><div>a<div>b</div>c</div><ul><li>one<li>two<ol><li>inner</ol></ul><script>x()</script>
<table><tr><th>h1 <th>h2</tr><tr><td>a <td>b</td></tr></table><pre>  keep
   this</pre><blockquote>quote</blockquote><hr>after<img alt="pic" src=x><script src=y></script>
<form>f<input value=v><button>b</button></form><noscript>n</noscript><a href=x>link</a> end"""


def test_the_walk_has_the_words_of_resiliparse() -> None:
    assert walk_text(MIXED).split() == resiliparse_text(MIXED).split()
    lines = [line.strip() for line in walk_text(MIXED).split("\n") if line.strip()]
    assert lines == [line.strip() for line in resiliparse_text(MIXED).split("\n") if line.strip()]


def test_the_demo_web_has_the_words_of_resiliparse(demo_warc: Path) -> None:
    with demo_warc.open("rb") as file:
        responses = ArchiveIterator(file, record_types=WarcRecordType.response)
        pages = [record.reader.read(1 << 20).decode() for record in responses]
    assert len(pages) > 100
    for html in pages:
        assert walk_text(html).split() == resiliparse_text(html).split()


def test_paragraphs_are_set_apart_and_white_space_is_one_space() -> None:
    assert walk_text("<p> a\n b</p><p>c<br>d<br><br>e") == "a b\n\nc\nd\n\ne"
    assert walk_text("<div>a </div><div> b</div>") == "a\nb"
    assert walk_text("<pre>a\n  b</pre>") == "a\n  b"
    assert walk_text("") == ""


parts = st.sampled_from(
    ["<p>", "</p>", "<div>", "</div>", "<ul>", "<li>", "</ul>", "<br>", "<b>", "</b>"]
)
words = st.sampled_from(["ab ", " cd", "ef", " "])


@given(st.lists(parts | words, max_size=40).map("".join))
def test_any_page_has_the_words_of_resiliparse(html: str) -> None:
    assert walk_text(html).split() == resiliparse_text(html).split()


def test_ordinary_pages_are_not_walked() -> None:
    for html in (MIXED, "<ul><li>x</ul>" * 1_000):
        assert not is_extraction_costly(HTMLTree.parse(html), html)
    assert extract_text(HTMLTree.parse(MIXED), MIXED) == resiliparse_text(MIXED)


def test_depth_of_lists() -> None:
    assert max_list_depth(HTMLTree.parse("<ul><li><ol><li></ol></ul></ul><ul>")) == 2
    assert max_list_depth(HTMLTree.parse("<p>none")) == 0
    assert max_list_depth(HTMLTree.parse("<ul><!--</ul>--><ul><table><td></ul><ul>")) == 3


def page(html: str) -> tuple[Page, float]:
    """Parse a page, and measure the CPU time."""
    gc.disable()
    try:
        start = time.process_time()
        parsed = parse_page(RawPage("http://h.org/", html.encode()), ParseOptions(), Problems())
        return parsed, time.process_time() - start
    finally:
        gc.enable()


BOOKS: dict[str, Callable[[int], str]] = {
    "paragraphs": lambda n: f"<p>{'word ' * 10}" * n,
    "rows": lambda n: "<table>" + "<tr><td>one two three<td>four" * n,
    "lines": lambda n: f"<p>{'word ' * 10}<br>" * n,
    "nested lists": lambda n: "<ul><li>x</li>" * min(n // 4, 4_500) + "<li>x" * n,
    "lists that seem closed": lambda n: "<Ul><!--</ul>-->" * (n // 20) + "<li>x" * n,
    "lists closed in cells": lambda n: "<ul><table><td></ul>" * (n // 40) + "<li>x" * n,
    "many lists": lambda n: ("<ol><li>x<br>y" * 20 + "</ol>" * 20) * (n // 20),
    "a long tag": lambda n: f"<{'x' * 20 * n}>" + "<a href=y>y</a>" * 1_000,
    "a long base": lambda n: f"<base href=http://h/{'a/' * 10 * n}>" + "<a href=y>y</a>" * 1_000,
}


@pytest.mark.parametrize("name", BOOKS)
def test_time_and_size_grow_with_the_page(name: str) -> None:
    """Sixteen times the page takes at most 40 times the time; quadratic would be 256 times."""
    few, many = (BOOKS[name](n) for n in (2_000, 32_000))
    page(few)
    base = max(page(few)[1], 0.01)
    parsed, seconds = page(many)
    assert seconds < 40 * base
    assert len(parsed.text) + sum(len(link.path) for link in parsed.links) < 2 * len(many) + 100_000


def test_an_overlong_base_is_ignored() -> None:
    parsed, _ = page(f"<base href=http://other/{'a/' * 5_000}><a href=y>y</a>")
    assert [link.target for link in parsed.links] == ["http://h.org/y"]


def test_links_with_hidden_text_keep_their_order() -> None:
    parsed, _ = page("<a href=2>A</a><noscript><a href=7>n</a></noscript><a href=8>B</a>")
    assert [link.target[-1] for link in parsed.links] == ["2", "7", "8"]
