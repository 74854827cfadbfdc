"""Pages like a page with those that tie them, and links that are missing with their reasons."""

from collections.abc import Callable
from typing import Any

import pytest
from pyarrow import csv

from weft.gather.page import Link, Page
from weft.run.workspace import Workspace
from weft.show.api.desk import Desk

Ask = Callable[..., Any]
MAGAZINE = "http://jaguarmagazine.example/"


@pytest.fixture(scope="module")
def small(keep_at: Callable[..., Workspace], tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """Two pages that link to the same two, and a third that links to one of these."""
    folder = tmp_path_factory.mktemp("small")

    def page(name: str, *ends: str) -> Page:
        links = tuple(Link(f"http://{end}.example/", f"violins of {end}") for end in ends)
        return Page(f"http://{name}.example/", title=name.upper(), text="words", links=links)

    desk = Desk(
        keep_at(folder / "c.weft", page("a", *"xy"), page("b", *"xy"), page("c", "x")), folder
    )
    desk.update()
    return desk


def test_similar_pages_share_links(small: Desk, ask_at: Ask) -> None:
    found = ask_at(small, "page/similar", url="http://y.example/")
    assert (found["method"], found["parts"]) == ("combined", ["co-citation", "coupling"])
    [row] = found["rows"]
    assert (row["page"], row["kind"], row["place"]) == ("http://x.example/", "seen", 1)
    assert row["score"] == pytest.approx(row["parts"]["co-citation"]) == pytest.approx(2 / 6**0.5)
    assert row["shared"] == {"co-citation": 2, "coupling": 0}
    assert row["witnesses"][0] == {
        "page": "http://a.example/",
        "title": "A",
        "kind": "fetched",
        "pattern": "co-citation",
        "anchor": "violins of y",
        "other": "violins of x",
    }


def test_similar_pages_are_those_of_the_library(ask: Ask, demo: Workspace) -> None:
    asked: dict[str, Any] = {"strength": "jaccard", "text": True, "top": 4}
    found, known = ask("page/similar", url=MAGAZINE, **asked), demo.similar(MAGAZINE, **asked)
    assert [(row["page"], row["score"]) for row in found["rows"]] == [
        (one.page, pytest.approx(one.score)) for one in known
    ]
    assert found["rows"][0]["words"] == list(known.found[0].words)
    assert found["options"]["strength"] == "jaccard"


def test_sites_may_vote(small: Desk, ask_at: Ask) -> None:
    [row] = ask_at(small, "page/similar", url="y.example", vote="site")["rows"]
    assert [(tie["page"], tie["kind"]) for tie in row["witnesses"]] == [
        ("a.example", "domain"),
        ("b.example", "domain"),
    ]


def test_a_host_has_its_like(small: Desk, ask_at: Ask) -> None:
    found = ask_at(small, "page/similar/co-citation", url="http://y.example/", level="host")
    assert found["page"] == "y.example"
    assert [(row["page"], row["kind"]) for row in found["rows"]] == [("x.example", "host")]


def test_a_missing_link_has_a_reason_and_an_anchor(small: Desk, ask_at: Ask) -> None:
    found = ask_at(small, "page/suggest", url="c.example")
    [row] = found["to"]
    assert (row["page"], row["anchor"], row["anchor_from"]) == (
        "http://y.example/",
        "violins of y",
        "links",
    )
    assert row["peers"] == 2
    assert "2 pages with links like its own link there" in row["reason"]
    assert [tie["title"] for tie in row["witnesses"]] == ["A", "B"]
    assert row["scores"]["coupling"] > 0
    assert found["from"] == []


def test_missing_links_are_those_of_the_library(ask: Ask, demo: Workspace) -> None:
    found = ask("page/suggest/adamic-adar", url=MAGAZINE, top=3, direction="from")
    known = demo.suggest(MAGAZINE, "adamic-adar", top=3, direction="from")
    assert found["to"] == []
    assert [(row["page"], row["reason"]) for row in found["from"]] == [
        (one.page, one.reason) for one in known.from_
    ]
    assert found["from"], "or nothing is compared"


def test_as_files(ask: Ask, demo: Workspace) -> None:
    similar = csv.read_csv(ask("page/similar", url=MAGAZINE, format="csv").path)
    assert similar["page"].to_pylist() == demo.similar(MAGAZINE).to_table()["page"].to_pylist()
    links = csv.read_csv(ask("page/suggest", url=MAGAZINE, format="csv").path)
    assert set(links["way"].to_pylist()) <= {"to", "from"}
