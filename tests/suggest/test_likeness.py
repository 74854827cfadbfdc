"""What a likeness shows of itself."""

from weft.suggest.likeness import Likeness, Similar, Witness

ONE = Likeness(
    "http://y.org/",
    "Why",
    "fetched",
    1.5,
    {"co-citation": 1.0, "coupling": 0.5},
    {"co-citation": 4, "coupling": 1},
    tuple(Witness("co-citation", f"http://{k}.org/") for k in "abcd"),
    ("word",),
)
FOUND = Similar("combined", "http://x.org/", (ONE,), ("co-citation", "coupling"))


def test_a_row_per_page() -> None:
    [row] = FOUND.to_table().to_pylist()
    assert row == {
        "page": "http://y.org/",
        "title": "Why",
        "score": 1.5,
        "co-citation": 1.0,
        "coupling": 0.5,
        "shared": 5,
        "through": "http://a.org/, http://b.org/, http://c.org/, word",
    }


def test_it_prints_as_one_line() -> None:
    assert repr(FOUND) == "<1 page like x.org/ by combined, first y.org/>"
    assert repr(Similar("text", "", (), ("text",))) == "<text: of no page>"
    assert "http://y.org/" in FOUND._repr_html_()


def test_it_is_its_pages() -> None:
    assert list(FOUND) == [ONE]
    assert len(FOUND) == 1


def test_data_frames() -> None:
    assert FOUND.to_pandas()["page"].tolist() == FOUND.to_polars()["page"].to_list()


def test_nothing_is_an_empty_table_with_all_columns() -> None:
    empty = Similar("combined", "x", (), ("co-citation", "coupling")).to_table()
    assert empty.column_names == FOUND.to_table().column_names
    assert len(empty) == 0
