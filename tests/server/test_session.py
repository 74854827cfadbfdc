"""A session follows the commits of its collection, and caches results."""

from collections.abc import Callable
from pathlib import Path

import pytest

from weft.core.errors import UnknownName
from weft.gather.page import Page
from weft.server.session import MAX_CACHED_RESULTS, Session, options_key
from weft.store.manifest import read_commit_stamp
from weft.workspace.workspace import Workspace


def test_a_new_commit_clears_the_cache(keep_at: Callable[..., Workspace], tmp_path: Path) -> None:
    folder = tmp_path / "c.weft"
    session = Session(keep_at(folder, Page("http://a.example/", text="words")), tmp_path)
    session.refresh_snapshot()
    assert session.get_or_compute("answer", lambda: "old") == "old"
    before = read_commit_stamp(folder)
    session.refresh_snapshot()
    assert session.get_or_compute("answer", lambda: "new") == "old"
    keep_at(folder, Page("http://b.example/", text="words"))
    assert read_commit_stamp(folder) != before
    session.refresh_snapshot()
    assert session.snapshot_number == 2
    assert len(session.collection) == 2
    assert session.get_or_compute("answer", lambda: "new") == "new"


def test_the_least_recently_used_results_are_evicted(session: Session) -> None:
    computed: list[int] = []

    def compute(k: int) -> int:
        computed.append(k)
        return k

    for k in [*range(MAX_CACHED_RESULTS + 1), 0]:
        session.get_or_compute(("test", k), lambda k=k: compute(k))  # type: ignore[misc]
    assert computed.count(0) == 2
    assert computed.count(1) == 1


def test_references_have_title_and_kind(session: Session) -> None:
    [page] = session.page_refs_by_name(["http://jaguarmagazine.example/"])
    assert (page["title"], page["kind"]) == ("Jaguar Magazine", "captured")
    assert session.page_refs_by_name(["a.example"], "host") == [
        {"url": "a.example", "title": "", "kind": "host"}
    ]


def test_names_are_resolved(session: Session) -> None:
    assert session.resolve_name("jaguarmagazine.example") == "http://jaguarmagazine.example/"
    for url in ("jaguarmagazine.example", "http://jaguarmagazine.example/"):
        assert session.resolve_name(url, "host") == "jaguarmagazine.example"
    with pytest.raises(UnknownName, match="no domain is called"):
        session.resolve_name("nowhere.example", "domain")


def test_keys_do_not_depend_on_the_order_of_options() -> None:
    assert options_key({"a": [1], "b": 2}) == options_key({"b": 2, "a": [1]})
    assert options_key({"a": 1}) != options_key({"a": 2})
