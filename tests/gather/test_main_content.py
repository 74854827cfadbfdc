"""Main content by the rules of the paper, and on any text."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from weft.gather.page import Link
from weft.gather.text import find_main_spans

LONG = " ".join(["word"] * 50)
blocks = st.lists(st.sampled_from(["", "a", "a b c", LONG, "\n", " ", "x\ny"]), max_size=12)


def link(anchor: str, position: int) -> Link:
    return Link("http://h/", anchor, position=position)


def contents(text: str, *links: Link) -> list[str]:
    spans = find_main_spans(text, links)
    return [text[a:b] for a, b in zip(spans[::2], spans[1::2], strict=True)]


def test_paragraphs_are_content_and_menus_are_not() -> None:
    menu = "Home\n\nProducts"
    text = f"{menu}\n\n{LONG}\n\n{LONG}\n\nContact us"
    links = [link("Home", 0), link("Products", 6), link("Contact us", len(text) - 10)]
    assert contents(text, *links) == [f"{LONG}\n\n{LONG}"]


def test_a_heading_belongs_to_the_paragraph_below_it() -> None:
    assert contents(f"Title\n\n{LONG}") == [f"Title\n\n{LONG}"]


def test_a_block_that_is_mostly_links_is_no_content() -> None:
    assert contents(LONG, link(LONG[:100], 0)) == []
    assert contents(LONG, link(LONG[:60], 0)) == [LONG]


def test_a_menu_between_paragraphs_separates_two_spans() -> None:
    text = f"{LONG}\n\nmore links here\n\n{LONG}"
    assert contents(text, link("more links here", len(LONG) + 2)) == [LONG, LONG]


def test_empty_and_short_texts_have_no_content() -> None:
    assert (
        find_main_spans("", [])
        == find_main_spans("\n \n\n", [])
        == find_main_spans("short", [])
        == ()
    )


@given(blocks, st.lists(st.integers(-1, 400), max_size=5))
def test_spans_are_ordered_and_inside_the_text(parts: list[str], positions: list[int]) -> None:
    text = "\n\n".join(parts)
    spans = find_main_spans(text, [link("a link", at) for at in sorted(positions)])
    assert len(spans) % 2 == 0
    assert all(a < b for a, b in pairwise(spans))
    assert all(0 <= at <= len(text) for at in spans)
    assert all(text[a:b].strip() for a, b in zip(spans[::2], spans[1::2], strict=True))
