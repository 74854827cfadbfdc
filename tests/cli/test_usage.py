"""`weft usage`: the overview, a page, a path, the report, and what it refuses."""

import json
from pathlib import Path

import pytest
from tests.command import run

from weft.core.errors import BadParameter, UnknownName, WeftError
from weft.workspace.workspace import Workspace

SITE = "http://shop.example"
PATHS = [["/", "/shoes", "/pay"], ["/", "/bikes"], ["/", "/shoes"], ["/<b>bold</b>", "/shoes"]]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A collection of ready-made paths."""
    folder = tmp_path_factory.mktemp("usage")
    rows = [f"{k},{SITE}{page}" for k, path in enumerate(PATHS) for page in path]
    (folder / "paths.csv").write_text("\n".join(["session,url", *rows]))
    Workspace(folder / "shop.weft").add(folder / "paths.csv")
    return folder / "shop.weft"


def test_the_overview_counts_sessions_and_lists_pages(shop: Path) -> None:
    shown = run("usage", shop).stdout
    assert "sessions              4" in shown
    assert f"{SITE}/shoes" in shown
    clicks = run("usage", shop, "--table", "clicks", "--format", "csv").stdout.splitlines()
    assert clicks[1] == f"{SITE}/,{SITE}/shoes,2,{2 / 3},False"


def test_a_page_and_a_path_follow_the_collection(shop: Path) -> None:
    around = json.loads(run("usage", "around", shop, "shop.example/shoes", "-f", "json").stdout)
    assert around["facts"]["page"] == f"{SITE}/shoes"
    assert around["tables"]["after"]["rows"][0][:2] == [f"{SITE}/pay", 1]
    path = ["shop.example/", "shop.example/shoes"]
    found = json.loads(run("usage", "markov", shop, *path, "--top", 1, "-f", "json").stdout)
    [table] = [t for t in found["tables"].values() if "page" in t["columns"]][:1]
    assert table["rows"][0][table["columns"].index("page")] == f"{SITE}/pay"


def test_paths_are_printed_with_arrows(shop: Path) -> None:
    shown = run("usage", "paths", shop).stdout
    assert "shop.example/ → shop.example/shoes" in shown
    assert "[" not in shown
    assert "unused links: no rows" in run("usage", shop, "--table", "unused links").stderr


def test_the_report_is_one_page_without_markup_of_others(shop: Path, tmp_path: Path) -> None:
    file = tmp_path / "usage.html"
    run("usage", shop, "--out", file)
    page = file.read_text()
    for heading in ("Visits", "Sessions", "Paths", "Proposed index pages"):
        assert f"<h2>{heading}</h2>" in page
    assert "4 sessions of 4 visitors." in page
    assert "shop.example/ → shop.example/shoes" in page
    assert "<b>bold" not in page
    assert "<script" not in page
    assert page == Workspace(shop).usage_report()


def test_what_is_refused(shop: Path, demo: Workspace, tmp_path: Path) -> None:
    with pytest.raises(WeftError, match="has no usage data"):
        run("usage", demo.folder)
    with pytest.raises(BadParameter, match="takes no URL"):
        run("usage", "sessions", shop, "shop.example/")
    with pytest.raises(BadParameter, match="takes one URL"):
        run("usage", "around", shop, "shop.example/", "shop.example/shoes")
    with pytest.raises(UnknownName):
        run("usage", "around", shop, "shop.example/nowhere")
    with pytest.raises(BadParameter, match="a report is on all methods"):
        run("usage", "sessions", shop, "--out", tmp_path / "x.html")
