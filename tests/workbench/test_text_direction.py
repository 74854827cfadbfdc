"""Snippets have the direction of most of their letters, not of the first one."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page
from tests.workbench.screens import OpenScreen, Screens, wait_until_loaded

from weft.gather.page import Link
from weft.gather.page import Page as Captured
from weft.workspace.workspace import Workspace

PEACE = "\u0633\u0644\u0627\u0645"
ARABIC = f"\u0645\u0631\u062d\u0628\u0627 {PEACE} \u0641\u064a {PEACE}"
DIRECTIONS = "all => all.map(one => [one.innerText, getComputedStyle(one).direction])"
TEXTS = {
    "http://en.example/": (f"{PEACE} jaguar is how this English page begins", "ltr"),
    "http://ar.example/": (f"jaguar {ARABIC} {ARABIC}", "rtl"),
}


@pytest.fixture(scope="module")
def mixed(keep_at: Callable[..., Workspace], tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """An English page that begins with an Arabic word, and vice versa."""
    hubs = [
        Captured(f"http://hub{k}.example/", text="links", links=tuple(map(Link, TEXTS)))
        for k in range(4)
    ]
    pages = [Captured(url, title="", text=text) for url, (text, _) in TEXTS.items()]
    return keep_at(tmp_path_factory.mktemp("mixed") / "c.weft", *hubs, *pages)


@pytest.fixture(scope="module")
def mixed_address(
    request: pytest.FixtureRequest,
    mixed: Workspace,
    serve_at: Callable[[Path], AbstractContextManager[str]],
) -> Iterator[str]:
    """The address of a server of these pages."""
    for needed in ("built", "chromium"):
        request.getfixturevalue(needed)
    with serve_at(mixed.folder) as address:
        yield address


@pytest.fixture
def open_screen(browser: Browser, mixed_address: str) -> Iterator[OpenScreen]:
    """OpenScreen at it."""
    screens = Screens(browser, mixed_address)
    yield screens
    screens.close()


def directions(page: Page, selector: str) -> dict[str, str]:
    """The direction of each text on a screen."""
    return dict(page.locator(selector).evaluate_all(DIRECTIONS))


@pytest.mark.slow
@pytest.mark.parametrize("path", ["search?query=jaguar", "topics?query=jaguar&method=hits"])
def test_snippets_on_screens(open_screen: OpenScreen, path: str) -> None:
    page = open_screen(path)
    wait_until_loaded(page)
    page.wait_for_selector(".snippet", state="attached")
    page.locator("details").evaluate_all("all => all.forEach(one => one.open = true)")
    shown = directions(page, ".snippet")
    assert {text: shown[text] for text, _ in TEXTS.values()} == dict(TEXTS.values())


@pytest.mark.slow
@pytest.mark.parametrize("url", TEXTS)
def test_the_opening_text_of_a_page(open_screen: OpenScreen, url: str) -> None:
    page = open_screen(f"page?url={url}")
    page.wait_for_selector(".opening-text")
    assert list(directions(page, ".opening-text").values()) == [TEXTS[url][1]]


@pytest.mark.slow
def test_snippets_in_a_report(browser: Browser, mixed: Workspace) -> None:
    page = browser.new_page()
    page.set_content(mixed.report("jaguar", method="hits"))
    shown = directions(page, ".snippet")
    page.close()
    assert {text: shown[text] for text, _ in TEXTS.values()} == dict(TEXTS.values())
