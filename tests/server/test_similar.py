"""Similar pages with their witnesses, and suggested links with their reasons."""

from collections.abc import Callable
from typing import Any

import pytest
from pyarrow import csv

from weft.gather.page import Link, Page
from weft.server.session import Session
from weft.workspace.workspace import Workspace

Ask = Callable[..., Any]
MAGAZINE = "http://jaguarmagazine.example/"


@pytest.fixture(scope="module")
def small(keep_at: Callable[..., Workspace], tmp_path_factory: pytest.TempPathFactory) -> Session:
    """Two pages that link to the same two, and a third that links to one of these."""
    folder = tmp_path_factory.mktemp("small")

    def page(name: str, *ends: str) -> Page:
        links = tuple(Link(f"http://{end}.example/", f"violins of {end}") for end in ends)
        return Page(f"http://{name}.example/", title=name.upper(), text="words", links=links)

    session = Session(
        keep_at(folder / "c.weft", page("a", *"xy"), page("b", *"xy"), page("c", "x")), folder
    )
    session.refresh_snapshot()
    return session


def test_similar_pages_share_links(small: Session, ask_session: Ask) -> None:
    found = ask_session(small, "page/similar", url="http://y.example/")
    assert (found["method"], found["contribution_names"]) == (
        "combined",
        ["co-citation", "coupling"],
    )
    [row] = found["rows"]
    assert (row["url"], row["kind"], row["place"]) == ("http://x.example/", "uncaptured", 1)
    assert (
        row["score"]
        == pytest.approx(row["contributions"]["co-citation"])
        == pytest.approx(2 / 6**0.5)
    )
    assert row["witness_counts"] == {"co-citation": 2, "coupling": 0}
    assert row["witnesses"][0] == {
        "url": "http://a.example/",
        "title": "A",
        "kind": "captured",
        "pattern": "co-citation",
        "page_anchor": "violins of y",
        "other_anchor": "violins of x",
    }


def test_similar_pages_are_those_of_the_library(ask: Ask, demo: Workspace) -> None:
    params: dict[str, Any] = {"similarity": "jaccard", "text": True, "top": 4}
    found, known = ask("page/similar", url=MAGAZINE, **params), demo.similar(MAGAZINE, **params)
    assert [(row["url"], row["score"]) for row in found["rows"]] == [
        (one.page, pytest.approx(one.score)) for one in known
    ]
    assert found["rows"][0]["shared_words"] == list(known.pages[0].shared_words)
    assert found["options"]["similarity"] == "jaccard"


def test_sites_may_vote(small: Session, ask_session: Ask) -> None:
    [row] = ask_session(small, "page/similar", url="y.example", vote="site")["rows"]
    assert [(witness["url"], witness["kind"]) for witness in row["witnesses"]] == [
        ("a.example", "domain"),
        ("b.example", "domain"),
    ]


def test_hosts_have_similar_hosts(small: Session, ask_session: Ask) -> None:
    found = ask_session(small, "page/similar/co-citation", url="http://y.example/", level="host")
    assert found["page"] == "y.example"
    assert [(row["url"], row["kind"]) for row in found["rows"]] == [("x.example", "host")]


def test_a_suggested_link_has_a_reason_and_an_anchor(small: Session, ask_session: Ask) -> None:
    assert ask_session(small, "page/suggest", url="c.example")["to"] == []
    found = ask_session(small, "page/suggest", url="c.example", uncaptured="keep")
    [row] = found["to"]
    assert (row["url"], row["anchor"], row["anchor_source"]) == (
        "http://y.example/",
        "violins of y",
        "links",
    )
    assert row["peer_count"] == 2
    assert "2 pages with links like its own link there" in row["reason"]
    assert [witness["title"] for witness in row["witnesses"]] == ["A", "B"]
    assert row["scores"]["coupling"] > 0
    assert found["from"] == []


def test_suggested_links_are_those_of_the_library(ask: Ask, demo: Workspace) -> None:
    found = ask("page/suggest/adamic-adar", url=MAGAZINE, top=3, direction="from")
    known = demo.suggest(MAGAZINE, "adamic-adar", top=3, direction="from")
    assert found["to"] == []
    assert [(row["url"], row["reason"]) for row in found["from"]] == [
        (one.page, one.reason) for one in known.from_
    ]
    assert found["from"], "otherwise nothing is compared"


def test_as_files(ask: Ask, demo: Workspace) -> None:
    similar = csv.read_csv(ask("page/similar", url=MAGAZINE, format="csv").path)
    assert similar["page"].to_pylist() == demo.similar(MAGAZINE).to_table()["page"].to_pylist()
    links = csv.read_csv(ask("page/suggest", url=MAGAZINE, format="csv").path)
    assert set(links["direction"].to_pylist()) <= {"to", "from"}
