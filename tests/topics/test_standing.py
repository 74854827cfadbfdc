"""Where a page stands: in topics, set aside, alone, or not there at all."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from weft.graph.baseset import Absent
from weft.run.workspace import Workspace
from weft.topics import Topics
from weft.topics.evidence import Case

Make = Callable[..., Topics]


def test_a_page_of_two_topics(cats_and_cars: Topics) -> None:
    found = cats_and_cars.explain("both")
    assert [(one.topic, one.role, one.place) for one in found.found] == [
        (1, "hub", 3),
        (2, "hub", 3),
    ]
    assert [link.page for link in found.found[0].links] == ["car"]
    assert repr(found) == "<both: hub 3 of topic 1, hub 3 of topic 2>"
    assert "→ car" in str(found)
    assert str(found).startswith("both: given\n")


def test_evidence_is_that_of_the_topic(cats_and_cars: Topics) -> None:
    [one] = cats_and_cars.explain("club").found
    assert one == Case(cats_and_cars).of(1, "authority")[1]
    [row] = cats_and_cars.explain("club").to_table().to_pylist()
    assert (row["topic"], row["role"], row["place"], row["ends"]) == (1, "authority", 2, "h1")
    assert row["said"] == "a club for cars"


def test_what_was_set_aside(cats_and_cars: Topics) -> None:
    cars, cats = cats_and_cars
    made = replace(cats_and_cars, topics=(cars,), aside=(replace(cats, reason="dull"),))
    found = made.explain("zoo")
    assert not found.found
    assert [(one.topic, one.role) for one in found.aside] == [(2, "authority")]
    assert "set aside, dull: authority, place 2" in str(found)
    assert "set aside" in repr(found)


@pytest.mark.parametrize(
    ("page", "words"), [("x", "no page that"), ("lonely", "no link that counts")]
)
def test_a_page_in_no_topic(make: Make, page: str, words: str) -> None:
    made = make({("a", "x"): "", ("b", "y"): "", ("lonely", "lonely"): ""}, {}, ["b y"])
    found = made.explain(page)
    assert not found.found
    assert not found.aside
    assert words in str(found)
    assert "in no topic" in repr(found)
    assert len(found.to_table()) == 0


def test_a_page_that_is_not_there(cats_and_cars: Topics) -> None:
    gone = {"http://www.mirror.org/": Absent("it mirrors", "car")}
    made = replace(cats_and_cars, base=replace(cats_and_cars.base, absent=gone))
    assert made.explain("mirror.org").absent == "not in the base set: it mirrors car"
    assert "not in the base set" in repr(made.explain("nowhere"))
    assert made.explain("nowhere").origin is None


def test_names_may_be_short(demo: Workspace) -> None:
    found = demo.topics("jaguar").explain("jaguarmagazine.example")
    assert found.page == "http://jaguarmagazine.example/"
    assert found.origin is not None
    assert found.found[0].role == "authority"
    assert found.found[0].links
