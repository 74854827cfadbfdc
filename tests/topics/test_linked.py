"""Pages of topics with what they are linked with."""

import pytest

from weft.topics import Topics
from weft.topics.linked import Linked
from weft.topics.spoken import Side


def test_pages_of_two_sides(cats_and_cars: Topics) -> None:
    cars, cats = cats_and_cars
    sides = [Side(cars, "authority", cars.authorities()), Side(cats, "hub", cats.hubs(1))]
    linked = Linked.of(cats_and_cars.base, sides)
    assert linked.counts == linked.sites() == [3, 1, 2]
    assert linked.said(2)[0] == ("Jaguar cars", "cars")
    first = linked.first(2)
    assert [name for name, *_ in first[0]] == ["h1", "h2"]
    assert [said for *_, said in first[0]] == [("Jaguar cars",), ("classic cars",)]
    whole = [sum(amount for _, amount, _ in own) for own in linked.first(100)]
    assert whole == pytest.approx(linked.scores)


def test_no_pages(cats_and_cars: Topics) -> None:
    linked = Linked.of(cats_and_cars.base, [])
    assert linked.counts == linked.sites() == []
    assert (linked.said(5), linked.first(5)) == ([], [])
