"""Labelled pages with links: from lists, in part, with classes hidden, and from a collection."""

import numpy as np
import pytest

from weft.classify import LabelledPages
from weft.core.errors import BadParameter

PAGES = LabelledPages.from_lists(
    ["a", "b", "c"],
    ["ball", "goal", "bank"],
    ["sport", "", "money"],
    links=[("a", "b", "a goal"), ("c", "b", "goals"), ("b", "c"), ("b", "b", "myself")],
)
ALL = np.arange(3, dtype=np.int32)


def test_links_go_both_ways() -> None:
    assert PAGES.outlinks.row(0).tolist() == [1]
    assert PAGES.inlinks.row(1).tolist() == [0, 2]
    assert PAGES.inlinks.row(2).tolist() == [1]


def test_anchors_are_those_of_other_pages() -> None:
    assert list(PAGES.read_anchors(ALL)) == ["", "a goal\ngoals", ""]


def test_texts_without_links_have_empty_rows() -> None:
    texts = LabelledPages.from_lists(["a", "b"], ["ball", "bank"], ["sport", ""])
    assert texts.graph is None
    assert texts.outlinks.row(0).tolist() == texts.inlinks.row(1).tolist() == []
    assert list(texts.read_anchors(ALL[:2])) == list(texts.read_titles(ALL[:2])) == ["", ""]


def test_a_part_keeps_its_links_and_anchors() -> None:
    part = PAGES.select(np.array([False, True, True]))
    assert list(part.pages) == ["b", "c"]
    assert part.outlinks.row(1).tolist() == [0]
    assert list(part.read_texts(ALL[:2])) == ["goal", "bank"]
    assert list(part.read_anchors(ALL[:1])) == ["a goal\ngoals"]
    linking = part.linking_pages
    assert [linking.urls[k] for k in linking.inlinks.row(0).tolist()] == ["a", "c"]


def test_hidden_classes_are_empty() -> None:
    hidden = PAGES.hide(np.array([2]))
    assert list(hidden.classes) == ["sport", "", ""]
    assert hidden.graph is PAGES.graph


def test_a_link_to_another_page_is_refused() -> None:
    with pytest.raises(BadParameter, match="the link end 'x' is not one of the pages"):
        PAGES.with_links([("a", "x")])
