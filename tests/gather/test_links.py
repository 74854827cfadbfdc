"""Links are marked and unmarked, and keep their positions."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.html import HTMLTree

from weft.gather.links import (
    LINK_MARK,
    extract_marked_links,
    find_link_meta_elements,
    insert_link_markers,
    link_resolver,
)
from weft.gather.page import Link
from weft.gather.url import UrlPolicy, canonicalize_url, resolve_url


def read(html: str, max_links: int = 100) -> tuple[str, tuple[Link, ...]]:
    tree = HTMLTree.parse(html)
    elements, base_url = find_link_meta_elements(tree), "http://a.org/b/c.html"
    marked, _, _ = insert_link_markers(tree, elements, base_url, UrlPolicy(), max_links)
    text = extract_plain_text(tree, links=False, alt_texts=True, list_bullets=False)
    return extract_marked_links(text, marked)


def test_a_link_has_its_position_and_context() -> None:
    text, links = read("<body><p>One <a href=x rel=NoFollow>two</a> three</p>")
    link = Link("http://a.org/b/x", "two", "One", "three", "nofollow", "a", 4, "body/p[1]")
    assert (text, links) == ("One two three", (link,))


def test_elements_are_found_by_tag_in_page_order() -> None:
    html = (
        "<html lang=en><base href=/b><meta name=robots><link rel=canonical><body><img src=i>"
        "<A HREF=1>x</A><a name=n>y</a><svg><a xlink:href=2>z</a></svg><iframe src=3></iframe>"
        "<template><a href=4></a></template><iframe></iframe><area href=5>"
    )
    found = find_link_meta_elements(HTMLTree.parse(html))
    links = [(tag, node.getattr("href") or node.getattr("src")) for tag, node in found.links]
    assert links == [("a", "1"), ("a", "2"), ("iframe", "3"), ("area", "5")]
    assert set(found.by_tag) == {"html", "base", "meta", "link"}


def test_adjacent_links_get_a_space_between_them() -> None:
    text, links = read("<p><a href=x>one</a><a href=y>two</a>three")
    assert text == "one twothree"
    assert [(link.anchor, link.position) for link in links] == [("one", 0), ("two", 4)]


@pytest.mark.parametrize("character", ["\uf900", "\uff08", "\U0001f600"])
def test_other_characters_are_not_marks(character: str) -> None:
    text, links = read(f"<p><a href=x>one</a>{character} <a href=y>{character}</a>")
    assert text == f"one{character} {character}"
    assert [link.anchor for link in links] == ["one", character]


def test_a_link_that_leaves_no_text_does_not_shift_the_others() -> None:
    text, links = read("<p><noscript><a href=x>one</a></noscript><a href=y>two</a>")
    assert text == "two"
    assert {link.target[-1]: link.position for link in links} == {"x": -1, "y": 0}


def test_links_over_the_limit_leave_no_marks() -> None:
    text, links = read("<p>" + "<a href=x>one</a> " * 5, max_links=2)
    assert LINK_MARK not in text
    assert len(links) == 2


def test_paths_count_sibling_elements() -> None:
    _, links = read("<body><i></i><ul><li><a href=x>1</a><li><b></b><li><a href=y>2</a></ul>")
    assert [link.path for link in links] == ["body/ul[2]/li[1]", "body/ul[2]/li[3]"]


def test_paths_of_frames_and_links_count_alike() -> None:
    _, links = read("<body><p><iframe src=x></iframe></p><p><a href=y>1</a></p><p><iframe src=z>")
    paths = {link.target[-1]: link.path for link in links}
    assert paths == {"x": "body/p[1]", "y": "body/p[2]", "z": "body/p[3]"}


def test_below_the_maximum_depth_a_path_is_that_of_the_parent() -> None:
    _, links = read("<body>" + "<div>" * 80 + "<a href=x>one</a>")
    assert links[0].path == "body" + "/div[1]" * 64


REFERENCES = st.text("ab/:.?# \t\\%é", min_size=1, max_size=12).map(str.strip)
POLICIES = st.sampled_from([UrlPolicy(), UrlPolicy(fragment=False)])


@given(REFERENCES.filter(lambda text: text and text[0] != "#"), POLICIES)
@example("a #b", UrlPolicy())
@example("a\t#b", UrlPolicy())
@example("http://x.org/a#b", UrlPolicy(fragment=False))
def test_references_resolve_as_by_the_parser(reference: str, policy: UrlPolicy) -> None:
    base = "http://h.com/d/p.html?q"
    expected = canonicalize_url(resolve_url(base, reference), policy)
    assert link_resolver(base, policy)(reference) == expected
