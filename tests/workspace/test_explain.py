"""Scores of pages, explained by pages, sites and words."""

from collections.abc import Callable

import pytest

from weft.core.errors import BadParameter, UnknownName, WeftError
from weft.gather.page import Link, Page
from weft.workspace.explain import NO_ANCHOR_TEXT
from weft.workspace.workspace import Workspace

Keep = Callable[..., Workspace]
GOAL = "http://goal.org/"


@pytest.fixture
def praised(keep: Keep) -> Workspace:
    """Two pages of one site and one of another link to the goal, in different words."""
    return keep(
        Page("http://a.com/1", links=(Link(GOAL, "goal"), Link(GOAL, "the goal"))),
        Page("http://www.a.com/2", links=(Link(GOAL, "goal"),)),
        Page("http://b.com/", links=(Link(GOAL), Link("http://a.com/1", "friend"))),
        Page(GOAL),
    )


def amounts(workspace: Workspace, group: str, **options: str) -> dict[str, float]:
    found = workspace.why("goal.org", "indegree", **options)  # type: ignore[arg-type]
    rows = found.table(group).to_pylist()  # type: ignore[arg-type]
    return {row["from"]: row["amount"] for row in rows}


def test_by_page(praised: Workspace) -> None:
    assert amounts(praised, "page") == pytest.approx(
        {"http://a.com/1": 0.25, "http://www.a.com/2": 0.25, "http://b.com/": 0.25}
    )


def test_by_site(praised: Workspace) -> None:
    assert amounts(praised, "site") == pytest.approx({"a.com": 0.5, "b.com": 0.25})


def test_by_anchor_a_page_that_says_two_things_gives_half_to_each(praised: Workspace) -> None:
    assert amounts(praised, "anchor") == pytest.approx(
        {"goal": 0.375, "the goal": 0.125, NO_ANCHOR_TEXT: 0.25}
    )


def test_hubs_by_what_they_say(praised: Workspace) -> None:
    found = praised.why("b.com", "hits", by="hub")
    assert {row["from"] for row in found.table("anchor").to_pylist()} == {NO_ANCHOR_TEXT, "friend"}
    assert found.score_name == "hub"


def test_place_and_words(praised: Workspace) -> None:
    found = praised.why("goal.org", "indegree")
    assert (found.rank, found.page_count) == (1, 4)
    assert repr(found) == "<http://goal.org/ scores 0.75 by indegree, place 1 of 4>"
    assert found.to_pandas()["amount"].sum() == pytest.approx(0.75)
    assert praised.why("b.com", "indegree").rank == 3, "equals share the best of their places"


def test_hosts(praised: Workspace) -> None:
    found = praised.why("goal.org", "indegree", level="host")
    assert {row["from"] for row in found.to_table().to_pylist()} == {"a.com", "www.a.com", "b.com"}
    with pytest.raises(BadParameter, match="have no anchors"):
        found.table("anchor")


def test_what_was_not_ranked(praised: Workspace) -> None:
    with pytest.raises(UnknownName):
        praised.why("nowhere.net")
    with pytest.raises(WeftError, match="not among the 3"):
        praised.why("goal.org", exclude=["goal.org"])


def test_a_page_is_known_for_what_pages_that_link_to_it_say(demo: Workspace) -> None:
    url = "http://jaguarmagazine.example/"
    table = demo.known_for(url).to_table()
    assert table["term"].slice(0, 2).to_pylist() == ["jaguar", "jaguar magazine"]
    assert (table["focus"].to_numpy() > 0).all()
    around = demo.known_for("jaguarmagazine.example", query="jaguar", min_pages=3)
    assert around.page == url
    assert around.to_table()["pages"].to_numpy().min() >= 3


def test_a_page_outside_the_base_set_is_known_for_nothing_in_it(demo: Workspace) -> None:
    with pytest.raises(BadParameter, match="is not in the base set"):
        demo.known_for("www.jaguarcars.example", query="atari")
