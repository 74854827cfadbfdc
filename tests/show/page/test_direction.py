"""Snippets are read in the direction of most of their words, not of the first one."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page
from tests.show.page.screen import Look, Watch, settle

from weft.gather.page import Link
from weft.gather.page import Page as Captured
from weft.run.workspace import Workspace

PEACE = "\u0633\u0644\u0627\u0645"
ARABIC = f"\u0645\u0631\u062d\u0628\u0627 {PEACE} \u0641\u064a {PEACE}"
WAYS = "all => all.map(one => [one.innerText, getComputedStyle(one).direction])"
TEXTS = {
    "http://en.example/": (f"{PEACE} jaguar is how this English page begins", "ltr"),
    "http://ar.example/": (f"jaguar {ARABIC} {ARABIC}", "rtl"),
}


@pytest.fixture(scope="module")
def mixed(keep_at: Callable[..., Workspace], tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """An English page that begins with an Arabic word, and the other way round."""
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
    """The address of a server of it."""
    for needed in ("built", "chromium"):
        request.getfixturevalue(needed)
    with serve_at(mixed.folder) as address:
        yield address


@pytest.fixture
def stare(browser: Browser, mixed_address: str) -> Iterator[Look]:
    """Look at it."""
    watching = Watch(browser, mixed_address)
    yield watching
    watching.end()


def ways(page: Page, selector: str) -> dict[str, str]:
    """The direction of each text on a screen."""
    return dict(page.locator(selector).evaluate_all(WAYS))


@pytest.mark.parametrize("path", ["search?query=jaguar", "topics?query=jaguar&method=hits"])
def test_snippets_on_screens(stare: Look, path: str) -> None:
    page = stare(path)
    settle(page)
    page.wait_for_selector(".snippet")
    shown = ways(page, ".snippet")
    assert {text: shown[text] for text, _ in TEXTS.values()} == dict(TEXTS.values())


@pytest.mark.parametrize("url", TEXTS)
def test_the_beginning_of_a_page(stare: Look, url: str) -> None:
    page = stare(f"page?url={url}")
    page.wait_for_selector(".beginning")
    assert list(ways(page, ".beginning").values()) == [TEXTS[url][1]]


def test_snippets_in_a_report(browser: Browser, mixed: Workspace) -> None:
    page = browser.new_page()
    page.set_content(mixed.report("jaguar", method="hits"))
    shown = ways(page, ".snippet")
    page.close()
    assert {text: shown[text] for text, _ in TEXTS.values()} == dict(TEXTS.values())
