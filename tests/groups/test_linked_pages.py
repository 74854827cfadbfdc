"""Topic pages with the pages that they are linked with."""

import pytest

from weft.groups import Groups
from weft.groups.evidence import GroupSide, LinkedPages


def test_pages_of_two_sides(cats_and_cars: Groups) -> None:
    cars, cats = cats_and_cars
    sides = [GroupSide(cars, "authority", cars.authorities()), GroupSide(cats, "hub", cats.hubs(1))]
    linked = LinkedPages.from_sides(cats_and_cars.base, sides)
    assert linked.link_counts == linked.site_counts() == [3, 1, 2]
    assert linked.top_anchors(2)[0] == ("Jaguar cars", "cars")
    first = linked.top_linked_pages(2)
    assert [name for name, *_ in first[0]] == ["h1", "h2"]
    assert [anchors for *_, anchors in first[0]] == [("Jaguar cars",), ("classic cars",)]
    totals = [
        sum(linked_page.contribution for linked_page in own) for own in linked.top_linked_pages(100)
    ]
    assert totals == pytest.approx(linked.scores)


def test_no_pages(cats_and_cars: Groups) -> None:
    linked = LinkedPages.from_sides(cats_and_cars.base, [])
    assert linked.link_counts == linked.site_counts() == []
    assert (linked.top_anchors(5), linked.top_linked_pages(5)) == ([], [])
