"""Search, a page, its links, and the terms it is known for."""

from collections.abc import Callable
from typing import Any

import pytest

from weft.core.errors import UnknownName
from weft.gather.page import Link, Page
from weft.graph.link_facts import neighbour_table
from weft.server.session import Session
from weft.workspace.workspace import Workspace

Ask = Callable[..., Any]
MAGAZINE = "http://jaguarmagazine.example/"


def test_a_search_gives_what_the_library_gives(ask: Ask, demo: Workspace) -> None:
    found, hits = ask("search", query="jaguar atari", top=7), demo.search("jaguar atari", 7)
    assert found["total"] == hits.total
    assert [row["url"] for row in found["rows"]] == hits.table["url"].to_pylist()
    first = found["rows"][0]
    highlighted = [first["snippet"][a:b].lower() for a, b in first["highlights"]]
    assert {"jaguar", "atari"} & set(highlighted)


def test_slices_of_a_search_join(ask: Ask) -> None:
    rows = ask("search", query="jaguar", top=40)["rows"]
    parts = [ask("search", query="jaguar", top=10, offset=at)["rows"] for at in range(0, 40, 10)]
    assert [row for part in parts for row in part] == rows
    assert [row["place"] for row in rows] == list(range(1, 41))


def test_a_page_has_its_metadata(ask: Ask, demo: Workspace) -> None:
    found = ask("page", url="jaguarmagazine.example")
    number = demo.collection.find_page(MAGAZINE)
    graph = demo.graph()
    assert found["url"] == MAGAZINE
    assert found["domain"] == "jaguarmagazine.example"
    assert found["inlinks"] == graph.inlinks.starts[number + 1] - graph.inlinks.starts[number]
    assert found["opening_text"].startswith("Jaguar Magazine")


def test_an_unknown_page_is_an_error(ask: Ask) -> None:
    with pytest.raises(UnknownName, match="no page is called"):
        ask("page", url="http://nowhere.example/")


@pytest.mark.parametrize("direction", ["in", "out"])
def test_links_come_in_pages(ask: Ask, demo: Workspace, direction: Any) -> None:
    every = neighbour_table(
        demo.collection, demo.collection.find_page(MAGAZINE), direction
    ).to_pylist()
    found = [
        row
        for at in range(0, len(every), 5)
        for row in ask("page/links", url=MAGAZINE, direction=direction, offset=at, top=5)["rows"]
    ]
    assert [row["url"] for row in found] == sorted({row["url"] for row in every}, key=order(every))
    assert sum(row["links"] for row in found) == len(every)
    for row in found:
        texts = [" ".join(link["anchor"].split()) for link in every if link["url"] == row["url"]]
        assert row["anchors"] == list(dict.fromkeys(filter(None, texts)))


def order(rows: list[dict[str, Any]]) -> Callable[[str], int]:
    """The place of each URL in a table."""
    return [row["url"] for row in rows].index


def test_a_page_with_several_links_is_listed_once(
    keep: Callable[..., Workspace], ask_session: Ask, tmp_path: Any
) -> None:
    links = [Link("http://b.example/", anchor=words) for words in ("here", "", "there", "here")]
    pages = Page("http://a.example/", links=tuple(links)), Page("http://b.example/")
    session = Session(keep(*pages), tmp_path)
    found = ask_session(session, "page/links", url="http://b.example/")
    [row] = found["rows"]
    assert (found["total"], row["links"], row["anchors"]) == (1, 4, ["here", "there"])


def test_aliases_are_named(keep: Callable[..., Workspace], ask_session: Ask, tmp_path: Any) -> None:
    page = Page("http://a.example/", title="a", text="words")
    other = Page("http://a.example/b", text="words", canonical="http://a.example/")
    session = Session(keep(page, other), tmp_path)
    [alias] = ask_session(session, "page", url="http://a.example/b")["aliases"]
    assert "a.example/b" in alias["url"]
    assert alias["reason"] == "canonical"


def test_a_page_is_known_for_its_words(ask: Ask, demo: Workspace) -> None:
    found = ask("page/known-for", url=MAGAZINE, top=3)
    known = demo.known_for(MAGAZINE).to_table().slice(0, 3)
    assert [row["term"] for row in found["rows"]] == known["term"].to_pylist()
