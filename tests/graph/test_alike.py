"""Pages like another, by hand."""

import pytest

from weft.graph.alike import alike
from weft.graph.webgraph import WebGraph

# both hubs link to x and y, one to z too; x and y are linked from the same pages
WEB = WebGraph.from_links([("a", "x"), ("a", "y"), ("b", "x"), ("b", "y"), ("b", "z")])


def names(page: str, k: int = 10) -> list[str]:
    found = alike(WEB, WEB.number(page), k)
    return [WEB.pages[number] for number in found["page"].to_pylist()]


def test_pages_with_the_same_linkers_come_first() -> None:
    assert names("x") == ["y", "z"]
    found = alike(WEB, WEB.number("x")).to_pylist()
    assert found[0]["cocited"] == 2
    assert found[0]["score"] == pytest.approx(1)
    assert found[1]["score"] == pytest.approx(1 / 2**0.5)


def test_hubs_are_alike_by_where_they_point() -> None:
    found = alike(WEB, WEB.number("a")).to_pylist()
    assert names("a") == ["b"]
    assert (found[0]["cocited"], found[0]["coupled"]) == (0, 2)


def test_only_as_many_as_wanted() -> None:
    assert names("x", 1) == ["y"]


def test_a_page_without_links_is_like_no_other() -> None:
    web = WebGraph.from_arrays(["a", "b", "c"], [0], [1])
    assert len(alike(web, 2)) == 0
    assert len(alike(web, 0)) == 0
