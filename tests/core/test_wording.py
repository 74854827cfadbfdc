"""Words for people, by hand."""

import pytest

from weft.core.wording import CONTROL, address, count, listed, shortened


@pytest.mark.parametrize(
    ("number", "thing", "told"),
    [
        (0, "page", "0 pages"),
        (1, "authority", "1 authority"),
        (2500, "authority", "2,500 authorities"),
    ],
)
def test_numbers_and_things_agree(number: int, thing: str, told: str) -> None:
    assert count(number, thing) == told


@pytest.mark.parametrize("most", range(2, 16))
def test_a_shortened_text_is_never_longer_than_asked(most: int) -> None:
    told = shortened(" a\tlong \n story ", most)
    assert len(told) <= most
    assert (told == "a long story") == (most >= 12)
    assert told.rstrip("…").strip() == told.rstrip("…")


def test_things_as_in_a_sentence() -> None:
    assert [listed(list(things)) for things in ("", "a", "ab", "abc")] == [
        "",
        "a",
        "a and b",
        "a, b and c",
    ]


def test_addresses_lose_their_scheme_alone() -> None:
    assert address("https://a.org/http://b.org/") == "a.org/http://b.org/"
    assert address("node 7") == "node 7"


def test_signs_that_command_a_screen() -> None:
    assert CONTROL.sub("", "a\x1b[2J\u202eb\tc\nd\x00\x9f") == "a[2Jb\tc\nd"
