"""Suggestions: table, sequence and repr."""

from dataclasses import replace

import pytest

from weft.similar.suggestion import Suggestion, Suggestions

TO = Suggestion(
    "http://y.org/",
    "Why",
    "uncaptured",
    "to",
    0.5,
    {"katz": 0.5},
    1,
    0,
    "a reason",
    (),
    (),
    "y",
    "links",
)
FOUND = Suggestions("katz", "http://x.org/", (TO,))


def test_a_row_per_link_with_the_scores() -> None:
    [row] = FOUND.to_table().to_pylist()
    assert row == {
        "direction": "to",
        "page": "http://y.org/",
        "title": "Why",
        "kind": "uncaptured",
        "score": 0.5,
        "anchor": "y",
        "reason": "a reason",
        "katz": 0.5,
    }


def test_it_is_a_sequence_of_links_to_others_then_from_others() -> None:
    back = replace(TO, page="http://z.org/", direction="from")
    both = Suggestions("katz", "http://x.org/", (TO,), (back,))
    assert list(both) == [TO, back] == both[:]
    assert (both[0], both[-1], len(both)) == (TO, back, 2)
    assert [link.page for link in both[1:]] == ["http://z.org/"]
    with pytest.raises(IndexError):
        both[2]


def test_it_prints_as_one_line() -> None:
    assert repr(FOUND) == "<1 missing link of x.org/ by katz: 1 to other pages, 0 from others>"
    assert repr(Suggestions("katz", "")) == "<katz: no page given>"
    assert "a reason" in FOUND._repr_html_()


def test_nothing_is_an_empty_table() -> None:
    assert Suggestions("katz", "x").to_table().column_names[:2] == ["direction", "page"]
    assert len(Suggestions("katz", "x")) == 0


def test_data_frames() -> None:
    assert FOUND.to_pandas()["page"].tolist() == FOUND.to_polars()["page"].to_list()
