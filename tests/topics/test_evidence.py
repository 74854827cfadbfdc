"""What speaks for a page of a topic."""

from collections.abc import Callable

import pytest

from weft.topics import Topics
from weft.topics.evidence import COLUMNS, ROLES, Case, overlap

Make = Callable[..., Topics]


def test_hubs_make_an_authority(cats_and_cars: Topics) -> None:
    first, second = Case(cats_and_cars).of(1, "authority")
    assert (first.page, first.place, first.title) == ("car", 1, "Cars of Coventry")
    assert (first.count, first.sites) == (3, 3)
    assert [link.page for link in first.links] == ["h1", "h2", "both"]
    assert first.links[0].anchors == ("Jaguar cars",)
    assert first.said == ("Jaguar cars", "cars", "classic cars")
    assert (second.page, second.place, second.count) == ("club", 2, 1)


@pytest.mark.parametrize("role", ["authority", "hub"])
def test_amounts_add_up_to_the_score(cats_and_cars: Topics, role: str) -> None:
    case = Case(cats_and_cars)
    for number in (1, 2):
        found = case.of(number, role, few=100)  # type: ignore[arg-type]
        assert found
        for one in found:
            assert sum(link.amount for link in one.links) == pytest.approx(one.score)
            assert one.count == len(one.links)


def test_few_are_named_and_all_are_counted(cats_and_cars: Topics) -> None:
    first = Case(cats_and_cars).of(1, "authority", top=1, few=1)[0]
    assert (len(first.links), len(first.said), first.count) == (1, 1, 3)


def test_a_hub_points_to_authorities(cats_and_cars: Topics) -> None:
    first = Case(cats_and_cars).of(1, "hub")[0]
    assert (first.page, first.count) == ("h1", 2)
    assert [link.page for link in first.links] == ["car", "club"]
    assert first.said == ("Jaguar cars", "a club for cars")


def test_a_page_of_two_topics_is_told(cats_and_cars: Topics) -> None:
    case = Case(cats_and_cars)
    also = {one.page: one.also for one in case.of(1, "hub")}
    assert also == {"h1": (), "h2": (), "both": (2,)}
    assert case.holding(cats_and_cars.base.graph.number("both")) == [1, 2]


def test_overlap_of_topics(cats_and_cars: Topics) -> None:
    [row] = overlap(cats_and_cars).to_pylist()
    assert row == {"topic": 1, "other": 2, "pages": 1, "share": pytest.approx(1 / 5)}


def test_a_table_of_all_pages(cats_and_cars: Topics) -> None:
    rows = Case(cats_and_cars).to_table(1).to_pylist()
    assert [(row["topic"], row["role"], row["page"]) for row in rows] == [
        (1, "authority", "car"),
        (1, "hub", "h1"),
        (2, "authority", "cat"),
        (2, "hub", "h3"),
    ]
    assert rows[0]["said"] == "Jaguar cars | cars | classic cars"


def test_nothing_to_say(make: Make) -> None:
    table = Case(make({}, {}, [])).to_table()
    assert (len(table), table.schema) == (0, COLUMNS)
    assert len(overlap(make({}, {}, []))) == 0


def test_all_at_once_is_one_after_the_other(cats_and_cars: Topics) -> None:
    case = Case(cats_and_cars)
    shown = case.shown(5)
    assert shown == {
        number: {role: case.of(number, role, 5) for role in ROLES}
        for number in range(1, len(cats_and_cars) + 1)
    }
    assert case.shown(5, numbers=[2]) == {2: shown[2]}
