"""A page's place in words."""

import pytest

from weft.structure.place import Place


@pytest.mark.parametrize(
    ("place", "words"),
    [
        (Place("b", "in", ("b", "a")), "b: in, by b → a"),
        (Place("b", "other", ("b", "a"), both_ways=True), "b: other, by b — a"),
        (Place("b", "no core", ()), "b: no core"),
    ],
)
def test_a_place_is_one_line(place: Place, words: str) -> None:
    assert str(place) == words
