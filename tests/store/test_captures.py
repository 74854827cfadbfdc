"""Captures of a page, its text, and captures by period."""

from pathlib import Path

import numpy as np
import pytest

from weft.core.errors import UnknownName
from weft.gather.page import Page
from weft.store.captures import count_by_period, read_captures
from weft.workspace.workspace import Workspace

DAY = 86_400
URL = "http://a.example/"


@pytest.fixture
def captured(keep_at: "object", tmp_path: Path) -> Workspace:
    """Two captures of one page, an older one at another address, and another page."""
    make = keep_at
    assert callable(make)
    workspace: Workspace = make(
        tmp_path,
        Page(URL, title="old", text="first words", time=10 * DAY),
        Page(URL, title="new", text="second words here", time=30 * DAY),
        Page("http://b.example/", title="b", text="other", time=20 * DAY),
        Page("http://c.example/", title="c", text="undated"),
    )
    return workspace


def test_captures_are_listed_latest_first(captured: Workspace) -> None:
    rows = captured.captures("a.example").to_pylist()
    assert [row["title"] for row in rows] == ["new", "old"]
    assert [row["is_live"] for row in rows] == [True, False]
    assert [row["time"].day for row in rows] == [31, 11]
    assert [row["characters"] for row in rows] == [17, 11]
    assert {row["url"] for row in rows} == {URL}


def test_the_text_is_that_of_the_live_capture(captured: Workspace) -> None:
    assert captured.text(URL) == "second words here"


def test_an_unknown_page_is_an_error(captured: Workspace) -> None:
    with pytest.raises(UnknownName):
        captured.captures("http://nowhere.example/")


def test_every_capture_belongs_to_a_page(captured: Workspace) -> None:
    captures = read_captures(captured.collection)
    counts = np.bincount(captures.page, minlength=len(captured.collection))
    assert counts.tolist() == captured.collection.pages["captures"].to_pylist()
    assert (np.diff(captures.page) >= 0).all()


def test_a_graph_has_no_captures(tmp_path: Path) -> None:
    edges = tmp_path / "edges.csv"
    edges.write_text("source,target\na,b\n")
    workspace = Workspace(tmp_path / "graph.weft")
    workspace.add(edges)
    assert len(read_captures(workspace.collection).page) == 0
    assert workspace.captures("a").num_rows == 0


@pytest.mark.parametrize(
    ("times", "unit", "count"),
    [
        ([], "year", 0),
        ([0, 0], "year", 0),
        ([DAY, 3 * DAY], "day", 3),
        ([DAY, 100 * DAY], "month", 4),
        ([DAY, 365 * 30 * DAY], "year", 30),
    ],
)
def test_periods_have_no_gaps(times: list[int], unit: str, count: int) -> None:
    found, periods = count_by_period(np.array(times, np.int64))
    assert found == unit
    assert len(periods) == count
    assert sum(number for _, number in periods) == len([time for time in times if time])
