"""The Crawl screen, from an empty collection to the pages of a small site."""

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.gather.fetch.page_server import Answer, PageServer, page, serve_pages
from tests.workbench.screens import SCROLL_WIDTH, OpenScreen, Screens
from tests.workbench.test_accessibility import violations

from weft.workspace.workspace import Workspace

PAGES = 40
ROBOTS = Answer(b"User-agent: *\nDisallow: /secret\n", headers={"Content-Type": "text/plain"})


@pytest.fixture
def site() -> Iterator[PageServer]:
    """A home page with links to many pages, one of which robots.txt forbids."""
    links = [f"/{k}" for k in range(PAGES)]
    pages = {"/": page(*links, "/secret", text="jazz piano"), "/robots.txt": ROBOTS}
    pages |= {link: page("/", text=f"jazz <b>{k}</b>") for k, link in enumerate(links)}
    with serve_pages(pages) as server:
        yield server


@pytest.fixture
def open_crawl(
    built: Path,  # noqa: ARG001
    browser: Browser,
    site: PageServer,
    serve_at: Callable[..., AbstractContextManager[str]],
    keep_at: Callable[..., Workspace],
    tmp_path: Path,
) -> Iterator[Screens]:
    """`open_crawl(path)` opens a screen of an empty collection that may crawl the site."""
    folder = keep_at(tmp_path / "crawled.weft").folder
    with serve_at(folder, "--allow-private", f"127.0.0.1:{site.port}") as address:
        screens = Screens(browser, address)
        yield screens
        screens.close()


def state(screen: Page, text: str) -> None:
    expect(screen.locator(".crawl-state [role=status]")).to_contain_text(text)


@pytest.mark.slow
def test_a_crawl_by_keyboard(open_crawl: OpenScreen, axe: str, site: PageServer) -> None:
    screen = open_crawl("crawl")
    screen.get_by_label("Seeds").focus()
    seed = site.url(host="127.0.0.1")
    answers = {"Seeds": seed, "Topic": "jazz", "Contact": "me@example.org", "Delay": "0.2"}
    for label, text in answers.items():
        screen.get_by_label(label, exact=True).fill(text)
    expect(screen.get_by_label("Strategy")).to_have_value("auto")
    expect(screen.get_by_text("Learn from the crawl which links")).to_be_visible()
    screen.get_by_label("Delay", exact=True).press("Enter")
    state(screen, "Running")
    expect(screen.get_by_role("region", name="Waiting, best first")).to_contain_text(
        f"{site.port}/"
    )
    expect(screen.locator("svg.plot")).to_be_visible()
    screen.get_by_role("button", name="Pause").press("Enter")
    state(screen, "Paused")
    assert violations(screen, axe) == []
    screen.get_by_role("button", name="Resume").press("Enter")
    state(screen, "Running")
    screen.get_by_role("button", name="Stop").press("Enter")
    state(screen, "Ended: stopped")
    # its pages are in the collection now
    expect(screen.get_by_text("The collection has changed")).to_be_visible()
    screen.get_by_role("button", name="Continue", exact=True).press("Enter")
    state(screen, "Ended: nothing left")
    expect(screen.get_by_role("region", name="Not fetched, and why")).to_contain_text("robots.txt")
    expect(screen.get_by_role("region", name="Last pages")).to_contain_text("found on 127.0.0.1")
    expect(screen.locator(".crawl-state")).to_contain_text(f"{PAGES + 1} of 1,000 pages")
    screen.get_by_role("region", name="Last pages").get_by_role("link").first.click()
    expect(screen).to_have_url(re.compile("/page"))


@pytest.mark.slow
@pytest.mark.parametrize(("width", "scheme"), [(1280, "dark"), (400, "light")])
def test_mistakes_are_shown(open_screen: Screens, axe: str, width: int, scheme: str) -> None:
    screen = open_screen("crawl", width=width, scheme=scheme, fails=True)
    screen.get_by_label("Seeds").fill("ftp://127.0.0.1/")
    screen.get_by_label("Contact").fill("me@example.org")
    screen.get_by_role("button", name="Start").click()
    expect(screen.get_by_role("alert")).to_contain_text("is not a web address")
    expect(screen.get_by_label("Seeds")).to_have_value("ftp://127.0.0.1/")
    assert screen.evaluate(SCROLL_WIDTH) <= width
    assert violations(screen, axe) == []
