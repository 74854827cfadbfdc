"""A desk keeps up with its collection, and remembers what it found."""

from collections.abc import Callable
from pathlib import Path

import pytest

from weft.core.errors import UnknownName
from weft.gather.page import Page
from weft.run.workspace import Workspace
from weft.show.api.desk import REMEMBERED, Desk, frozen
from weft.store.manifest import mark_of


def test_a_new_commit_is_seen_and_old_results_forgotten(
    keep_at: Callable[..., Workspace], tmp_path: Path
) -> None:
    folder = tmp_path / "c.weft"
    desk = Desk(keep_at(folder, Page("http://a.example/", text="words")), tmp_path)
    desk.update()
    assert desk.recall("answer", lambda: "old") == "old"
    before = mark_of(folder)
    desk.update()
    assert desk.recall("answer", lambda: "new") == "old"
    keep_at(folder, Page("http://b.example/", text="words"))
    assert mark_of(folder) != before
    desk.update()
    assert desk.snapshot == 2
    assert len(desk.collection) == 2
    assert desk.recall("answer", lambda: "new") == "new"


def test_the_oldest_results_are_forgotten(desk: Desk) -> None:
    made: list[int] = []

    def make(k: int) -> int:
        made.append(k)
        return k

    for k in [*range(REMEMBERED + 1), 0]:
        desk.recall(("test", k), lambda k=k: make(k))  # type: ignore[misc]
    assert made.count(0) == 2
    assert made.count(1) == 1


def test_names_carry_titles_and_kinds(desk: Desk) -> None:
    [page] = desk.names(["http://jaguarmagazine.example/"])
    assert (page["title"], page["kind"]) == ("Jaguar Magazine", "fetched")
    assert desk.names(["a.example"], "host") == [{"page": "a.example", "title": "", "kind": "host"}]


def test_a_page_is_called_as_the_graph_has_it(desk: Desk) -> None:
    assert desk.named("jaguarmagazine.example") == "http://jaguarmagazine.example/"
    for url in ("jaguarmagazine.example", "http://jaguarmagazine.example/"):
        assert desk.named(url, "host") == "jaguarmagazine.example"
    with pytest.raises(UnknownName, match="no domain is called"):
        desk.named("nowhere.example", "domain")


def test_keys_do_not_depend_on_the_order_of_options() -> None:
    assert frozen({"a": [1], "b": 2}) == frozen({"b": 2, "a": [1]})
    assert frozen({"a": 1}) != frozen({"a": 2})
