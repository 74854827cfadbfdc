"""Text of hostile pages is never interpreted; the build is small and self-contained."""

import gzip
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.workbench.conftest import ServeAt
from tests.workbench.screens import MARKUP, SCROLL_WIDTH, OpenScreen, Screens, wait_until_loaded

from weft.gather.page import Link
from weft.gather.page import Page as Captured
from weft.workspace.workspace import Workspace


@pytest.fixture
def open_screen(browser: Browser, hostile_address: str) -> Iterator[OpenScreen]:
    """`open_screen(path)` opens a screen of the hostile pages."""
    screens = Screens(browser, hostile_address)
    yield screens
    screens.close()


def assert_harmless(page: Page) -> None:
    """No title became an element, and no script ran."""
    assert page.title() != "owned"
    assert page.locator("main img, main script, main b b").count() == 0
    assert page.locator("a[href^='javascript' i]").count() == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "path",
    [
        "",
        "search?query=jaguar",
        "topics?query=jaguar&method=hits",
        "topics?query=jaguar&method=dom-hits",
        "topics?query=jaguar&method=hits&list=pages",
        "map?level=page&show=table",
        "rankings",
        "structure?region=core",
        "communities",
        "communities?view=matrix",
    ],
)
def test_titles_stay_text(open_screen: OpenScreen, path: str) -> None:
    page = open_screen(path, width=400)
    wait_until_loaded(page)
    assert_harmless(page)
    assert page.evaluate(SCROLL_WIDTH) <= 400


@pytest.mark.slow
def test_a_long_address_does_not_widen_a_narrow_screen(
    browser: Browser,
    keep_at: Callable[..., Workspace],
    serve_at: ServeAt,
    tmp_path: Path,
    built: Path,
) -> None:
    assert built.exists()
    long, linked = f"http://a.example/{'long' * 30}.html", "http://b.example/"
    workspace = keep_at(
        tmp_path,
        Captured(long, title="jaguar", text="jaguar", links=(Link(linked),)),
        Captured(linked, title="cats", text="cats"),
    )
    with serve_at(workspace.folder) as address:
        screens = Screens(browser, address)
        page = screens(f"page?url={quote(linked, safe='')}&from=query%3Djaguar", width=400)
        expect(page.locator("#topics")).to_contain_text(f"Linked from {long}")
        wait_until_loaded(page)
        assert page.evaluate(SCROLL_WIDTH) <= 400
        screens.close()


@pytest.mark.slow
def test_a_title_of_markup_is_shown_as_text(open_screen: OpenScreen) -> None:
    page = open_screen("search?query=jaguar")
    page.wait_for_selector(".hits .title")
    assert MARKUP in page.locator(".hits .title").all_inner_texts()


@pytest.mark.slow
def test_a_query_of_markup_stays_text(open_screen: OpenScreen) -> None:
    page = open_screen(f"topics?query={quote(MARKUP)}", fails=True)
    wait_until_loaded(page)
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Topics of {MARKUP}")
    assert_harmless(page)


@pytest.mark.slow
def test_a_page_of_markup_stays_text(open_screen: OpenScreen) -> None:
    page = open_screen(f"page?url={quote('http://hub0.example/', safe='')}")
    wait_until_loaded(page)
    assert_harmless(page)
    assert f"anchor text {MARKUP}" in page.locator("#out .anchor").all_inner_texts()


@pytest.mark.slow
def test_a_long_heading_is_cut(open_screen: OpenScreen) -> None:
    target = "http://t2.example/%3Cb%3E?q='2"
    page = open_screen(f"page?url={quote(target, safe='')}", width=400)
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_contain_text("endless")
    box = heading.bounding_box()
    assert box is not None
    assert box["height"] < 300


@pytest.mark.slow
def test_a_picture_of_markup_stays_text(open_screen: OpenScreen, tmp_path: Path) -> None:
    page = open_screen(f"page?url={quote('http://hub0.example/', safe='')}")
    page.wait_for_selector(".stage canvas")
    with page.expect_download() as download:
        page.get_by_role("button", name="SVG").click()
    download.value.save_as(tmp_path / "map.svg")
    drawn = (tmp_path / "map.svg").read_text()
    assert "<img" not in drawn
    assert "<script" not in drawn
    assert "&lt;img" in drawn


def test_the_build_is_small(built: Path) -> None:
    files = [path for path in built.rglob("*") if path.is_file()]
    assert sum(len(gzip.compress(path.read_bytes())) for path in files) < 400_000


def test_the_build_refers_to_no_other_host(built: Path) -> None:
    """Nothing is loaded from other hosts, and nothing is inline."""
    page = (built / "index.html").read_text()
    assert re.findall(r"""(?:src|href)=["']([^/][^"']*)""", page) == []
    assert re.search(r"<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon\w+=", page) is None
    for sheet in built.glob("assets/*.css"):
        addresses = re.findall(r"url\(([^)]*)\)", sheet.read_text())
        assert [each for each in addresses if not each.startswith("/assets/")] == []


def test_the_lock_names_no_registry() -> None:
    lock = Path(__file__).parents[2] / "web" / "package-lock.json"
    assert '"resolved"' not in lock.read_text()
