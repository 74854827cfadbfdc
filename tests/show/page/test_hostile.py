"""What pages say of themselves stays text; what the build holds stays small and at home."""

import gzip
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.show.page.screen import BREADTH, MARKUP, Look, Watch, settle


@pytest.fixture
def stare(browser: Browser, hostile_address: str) -> Iterator[Look]:
    """Look at hostile pages; no script of theirs may run, no request may leave."""
    watching = Watch(browser, hostile_address)
    yield watching
    watching.end()


def harmless(page: Page) -> None:
    """No element came out of a title, and nothing of it ran."""
    assert page.title() != "owned"
    assert page.locator("main img, main script, main b b").count() == 0
    assert page.locator("a[href^='javascript' i]").count() == 0


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
def test_titles_stay_text(stare: Look, path: str) -> None:
    page = stare(path, width=400)
    settle(page)
    harmless(page)
    assert page.evaluate(BREADTH) <= 400


def test_a_title_of_markup_is_read_as_it_is_written(stare: Look) -> None:
    page = stare("search?query=jaguar")
    page.wait_for_selector(".hits .title")
    assert MARKUP in page.locator(".hits .title").all_inner_texts()


def test_a_query_of_markup_stays_text(stare: Look) -> None:
    page = stare(f"topics?query={quote(MARKUP)}", fails=True)
    settle(page)
    expect(page.get_by_role("heading", level=1)).to_have_text(MARKUP)
    harmless(page)


def test_a_page_of_markup_stays_text(stare: Look) -> None:
    page = stare(f"page?url={quote('http://hub0.example/', safe='')}")
    settle(page)
    harmless(page)
    assert f"called {MARKUP}" in page.locator("#out .anchor").all_inner_texts()


def test_a_heading_leaves_room_for_the_page(stare: Look) -> None:
    target = "http://t2.example/%3Cb%3E?q='2"
    page = stare(f"page?url={quote(target, safe='')}", width=400)
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_contain_text("endless")
    box = heading.bounding_box()
    assert box is not None
    assert box["height"] < 300


def test_a_picture_of_markup_stays_text(stare: Look, tmp_path: Path) -> None:
    page = stare("map?level=page")
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


def test_the_build_names_no_other_host(built: Path) -> None:
    """Nothing is loaded from elsewhere, and nothing is inline."""
    page = (built / "index.html").read_text()
    assert re.findall(r"""(?:src|href)=["']([^/][^"']*)""", page) == []
    assert re.search(r"<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon\w+=", page) is None
    for sheet in built.glob("assets/*.css"):
        assert "url(" not in sheet.read_text()


def test_the_lock_names_no_registry() -> None:
    lock = Path(__file__).parents[3] / "web" / "package-lock.json"
    assert '"resolved"' not in lock.read_text()
