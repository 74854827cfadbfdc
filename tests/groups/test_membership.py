"""The topics of a page: kept, set aside, none, or not in the base set."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from weft.graph.baseset.baseset import AbsentPage
from weft.groups import Groups
from weft.groups.evidence import EvidenceCollector
from weft.workspace.workspace import Workspace

Make = Callable[..., Groups]


def test_a_page_of_two_topics(cats_and_cars: Groups) -> None:
    found = cats_and_cars.explain("both")
    assert [(one.group, one.role, one.place) for one in found.evidence] == [
        (1, "hub", 3),
        (2, "hub", 3),
    ]
    assert [link.page for link in found.evidence[0].links] == ["car"]
    assert repr(found) == "<both: hub 3 of topic 1, hub 3 of topic 2>"
    assert "→ car" in str(found)
    assert str(found).startswith("both: given; 0 links in, 2 out\n")


def test_evidence_is_that_of_the_topic(cats_and_cars: Groups) -> None:
    [one] = cats_and_cars.explain("club").evidence
    assert one == EvidenceCollector(cats_and_cars).for_role(1, "authority")[1]
    [row] = cats_and_cars.explain("club").to_table().to_pylist()
    assert (row["topic"], row["role"], row["place"], row["linked_pages"]) == (
        1,
        "authority",
        2,
        "h1",
    )
    assert row["anchors"] == "a club for cars"


def test_what_was_set_aside(cats_and_cars: Groups) -> None:
    cars, cats = cats_and_cars
    topics = replace(cats_and_cars, groups=(cars,), set_aside=(replace(cats, reason="dull"),))
    found = topics.explain("zoo")
    assert not found.evidence
    assert [(one.group, one.role) for one in found.set_aside_evidence] == [(2, "authority")]
    assert "set aside, dull: authority, place 2" in str(found)
    assert "set aside" in repr(found)


@pytest.mark.parametrize(
    ("page", "text"), [("x", "no linked page"), ("lonely", "no links that count")]
)
def test_a_page_in_no_topic(make: Make, page: str, text: str) -> None:
    topics = make({("a", "x"): "", ("b", "y"): "", ("lonely", "lonely"): ""}, {}, ["b y"])
    found = topics.explain(page)
    assert not found.evidence
    assert not found.set_aside_evidence
    assert text in str(found)
    assert "in no topic" in repr(found)
    assert len(found.to_table()) == 0


def test_a_page_outside_the_base_set(cats_and_cars: Groups) -> None:
    gone = {"http://www.mirror.org/": AbsentPage("it mirrors", "car")}
    topics = replace(cats_and_cars, base=replace(cats_and_cars.base, absent=gone))
    assert topics.explain("mirror.org").absence_reason == "not in the base set: it mirrors car"
    assert "not in the base set" in repr(topics.explain("nowhere"))
    assert topics.explain("nowhere").origin is None


def test_names_may_be_short(demo: Workspace) -> None:
    found = demo.topics("jaguar").explain("jaguarmagazine.example")
    assert found.page == "http://jaguarmagazine.example/"
    assert found.origin is not None
    assert found.evidence[0].role == "authority"
    assert found.evidence[0].links
