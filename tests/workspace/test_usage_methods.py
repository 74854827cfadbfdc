"""Methods on the sessions and clicks of a collection."""

from pathlib import Path
from typing import Any

import pytest
from tests.workspace.requests import request, url, write_log

from weft.core.errors import BadParameter, UnknownName, WeftError
from weft.core.register import METHODS
from weft.gather.html import ParseOptions
from weft.graph.selection import DEFAULT_SELECTION, Selection
from weft.graph.transitions import Sessions, Transitions, load_sessions
from weft.rank import usage_pagerank
from weft.usage import Usage
from weft.workspace.analyse import analyse, find_registered
from weft.workspace.ingest import UsageOptions, add_sources
from weft.workspace.workspace import Workspace

REQUESTS = [
    request("", 1000),
    request("a", 1060, ""),
    request("b", 1100, "a"),
    request("", 9000),
    request("a", 9010, ""),
    request("a", 1130, "https://search.example/", visitor=2),
    request("d", 1200, "a", visitor=2),
]
USAGE = [find_registered("usage", "sessions"), *METHODS.values()]
every_method = pytest.mark.parametrize(
    "name",
    sorted(
        {
            method.name
            for method in USAGE
            if method.kind == "usage" and method.input_type in (Sessions, Transitions)
        }
    ),
)


@pytest.fixture
def visited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "configuration"))
    log = write_log(tmp_path / "access.log", REQUESTS)
    add_sources(tmp_path / "c.weft", [log], ParseOptions(), 1, UsageOptions())
    return Workspace(tmp_path / "c.weft")


def run(workspace: Workspace, name: str, **options: Any) -> Usage:
    found: Usage = analyse(
        workspace.collection, find_registered("usage", name), DEFAULT_SELECTION, options
    )
    return found


@every_method
def test_every_method_runs_on_a_collection(visited: Workspace, name: str) -> None:
    found = run(visited, name)
    assert found.provenance["collection"] == str(visited.folder)
    assert found.provenance["level"] == "page"
    assert found.to_document()["method"] == name


def test_pages_are_resolved_as_users_write_them(visited: Workspace) -> None:
    found = run(visited, "markov", path=["example.com/", "example.com/a"], smoothing="none")
    assert found.to_table()["page"].to_pylist() == [url("b")]
    assert found.options["path"] == [url(""), url("a")]
    with pytest.raises(UnknownName, match="nowhere"):
        run(visited, "markov", path=["example.com/nowhere"])


def test_sessions_are_counted_by_day(visited: Workspace) -> None:
    found = run(visited, "sessions")
    assert (found["sessions"], found["visitors"], found["views"]) == (3, 2, 7)
    assert found["median seconds"] == 70
    days = found.to_table("days").to_pylist()
    assert days == [{"day": "1970-01-01", "sessions": 3, "visitors": 2, "views": 7}]
    referrers = found.to_table("referrers").to_pylist()
    assert {"referrer": "search.example", "sessions": 1} in referrers


def test_rankings_read_the_clicks(visited: Workspace) -> None:
    found = visited.rank("usage-pagerank", pseudo_clicks=0.5)
    wanted = usage_pagerank(load_sessions(visited.collection), pseudo_clicks=0.5)
    assert found.to_table().equals(wanted.to_table())


@pytest.mark.parametrize(
    ("selection", "message"),
    [
        (Selection(level="host"), "visitors view pages, not hosts"),
        (Selection(exclude=("example.org",)), "exclude would change nothing"),
        (Selection(query="cat"), "query would change nothing"),
    ],
)
def test_a_selection_is_refused(visited: Workspace, selection: Selection, message: str) -> None:
    with pytest.raises(BadParameter, match=message):
        visited.rank("usage-pagerank", selection)


def test_a_collection_without_logs(demo: Workspace) -> None:
    with pytest.raises(WeftError, match="has no usage data"):
        demo.rank("usage-pagerank")
    with pytest.raises(WeftError, match="has no usage data"):
        run(demo, "paths")
