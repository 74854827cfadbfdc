"""Marks go in and come out again, and leave each link its place."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.html import HTMLTree

from weft.gather.marks import MARK, elements, leads, mark, unmark
from weft.gather.page import Link
from weft.gather.url import Policy, canonical, resolve


def read(html: str, most: int = 100) -> tuple[str, tuple[Link, ...]]:
    tree = HTMLTree.parse(html)
    marked, _, _ = mark(tree, elements(tree), "http://a.org/b/c.html", Policy(), most)
    text = extract_plain_text(tree, links=False, alt_texts=True, list_bullets=False)
    return unmark(text, marked)


def test_a_link_knows_its_place_and_its_neighbours() -> None:
    text, links = read("<body><p>One <a href=x rel=NoFollow>two</a> three</p>")
    place = Link("http://a.org/b/x", "two", "One", "three", "nofollow", "a", 4, "body/p[1]")
    assert (text, links) == ("One two three", (place,))


def test_what_says_something_is_found_by_its_tag_in_its_order() -> None:
    html = (
        "<html lang=en><base href=/b><meta name=robots><link rel=canonical><body><img src=i>"
        "<A HREF=1>x</A><a name=n>y</a><svg><a xlink:href=2>z</a></svg><iframe src=3></iframe>"
        "<template><a href=4></a></template><iframe></iframe><area href=5>"
    )
    found = elements(HTMLTree.parse(html))
    links = [(tag, node.getattr("href") or node.getattr("src")) for tag, node in found.links]
    assert links == [("a", "1"), ("a", "2"), ("iframe", "3"), ("area", "5")]
    assert set(found.others) == {"html", "base", "meta", "link"}


def test_links_that_touch_are_set_apart() -> None:
    text, links = read("<p><a href=x>one</a><a href=y>two</a>three")
    assert text == "one twothree"
    assert [(link.anchor, link.position) for link in links] == [("one", 0), ("two", 4)]


@pytest.mark.parametrize("character", ["\uf900", "\uff08", "\U0001f600"])
def test_characters_beyond_the_marks_are_no_marks(character: str) -> None:
    text, links = read(f"<p><a href=x>one</a>{character} <a href=y>{character}</a>")
    assert text == f"one{character} {character}"
    assert [link.anchor for link in links] == ["one", character]


def test_a_link_that_leaves_no_text_does_not_shift_the_others() -> None:
    text, links = read("<p><noscript><a href=x>one</a></noscript><a href=y>two</a>")
    assert text == "two"
    assert {link.target[-1]: link.position for link in links} == {"x": -1, "y": 0}


def test_no_mark_stays_beyond_the_cap() -> None:
    text, links = read("<p>" + "<a href=x>one</a> " * 5, most=2)
    assert MARK not in text
    assert len(links) == 2


def test_blocks_are_counted_among_their_neighbours() -> None:
    _, links = read("<body><i></i><ul><li><a href=x>1</a><li><b></b><li><a href=y>2</a></ul>")
    assert [link.path for link in links] == ["body/ul[2]/li[1]", "body/ul[2]/li[3]"]


def test_blocks_of_frames_are_counted_beside_those_of_links() -> None:
    _, links = read("<body><p><iframe src=x></iframe></p><p><a href=y>1</a></p><p><iframe src=z>")
    paths = {link.target[-1]: link.path for link in links}
    assert paths == {"x": "body/p[1]", "y": "body/p[2]", "z": "body/p[3]"}


def test_below_the_deepest_path_a_link_is_where_its_block_is() -> None:
    _, links = read("<body>" + "<div>" * 80 + "<a href=x>one</a>")
    assert links[0].path == "body" + "/div[1]" * 64


REFERENCES = st.text("ab/:.?# \t\\%é", min_size=1, max_size=12).map(str.strip)
POLICIES = st.sampled_from([Policy(), Policy(fragment=False)])


@given(REFERENCES.filter(lambda text: text and text[0] != "#"), POLICIES)
@example("a #b", Policy())
@example("a\t#b", Policy())
@example("http://x.org/a#b", Policy(fragment=False))
def test_references_lead_where_the_parser_says(reference: str, policy: Policy) -> None:
    base = "http://h.com/d/p.html?q"
    expected = canonical(resolve(base, reference), policy)
    assert leads(base, policy)(reference) == expected
