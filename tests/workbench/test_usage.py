"""The Usage screen: an access log next to the links of a small site."""

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from tests.workbench.screens import (
    MARKUP,
    SCROLL_WIDTH,
    OpenScreen,
    Screens,
    wait_until_loaded,
)
from tests.workbench.test_accessibility import violations

from weft.gather.page import Link, Page
from weft.workspace.workspace import Workspace

SITE = "http://shop.example"
AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0"
PAGES = {"/": ("/shoes", "/bikes", "/imprint"), "/shoes": ("/",), "/bikes": ("/", "/shoes")}
PATHS = [("/", "/shoes"), ("/", "/bikes", "/shoes"), ("/shoes", "/help"), ("/", "/shoes", "/")] * 4


def log_lines() -> Iterator[str]:
    """A visitor a day for each path, each page a minute after the one before."""
    for visitor, path in enumerate(PATHS):
        referrer = "https://www.google.com/"
        for step, page in enumerate(path):
            time = f"{1 + visitor % 9:02d}/May/2024:10:{step:02d}:00 +0000"
            request = f'"GET {page} HTTP/1.1" 200 100 "{referrer}" "{AGENT}"'
            yield f"10.0.0.{visitor} - - [{time}] {request}"
            referrer = SITE + page


@pytest.fixture(scope="module")
def shop_address(
    built: Path,  # noqa: ARG001
    serve_at: Callable[..., AbstractContextManager[str]],
    keep_at: Callable[..., Workspace],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[str]:
    """The address of a server of a shop with its log."""
    folder = tmp_path_factory.mktemp("shop")
    pages = [
        Page(
            SITE + path,
            title=f"{MARKUP} {path}",
            text="words",
            links=tuple(Link(SITE + target, target.strip("/") or "home") for target in targets),
        )
        for path, targets in PAGES.items()
    ]
    shop = keep_at(folder / "shop.weft", *pages)
    log = folder / "access.log"
    log.write_text("\n".join(log_lines()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CONFIG_HOME", str(folder / "config"))
        shop.add(log, base_url=SITE + "/")
        with serve_at(shop.folder) as address:
            yield address


@pytest.fixture
def open_usage(browser: Browser, shop_address: str) -> Iterator[Screens]:
    """`open_usage(path)` opens a screen of the shop."""
    screens = Screens(browser, shop_address)
    yield screens
    screens.close()


@pytest.mark.slow
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (400, "dark")])
def test_from_the_overview_to_a_page(
    open_usage: Screens, axe: str, width: int, scheme: str
) -> None:
    screen = open_usage("usage", width=width, scheme=scheme)
    wait_until_loaded(screen)
    expect(screen.get_by_text("16 sessions of 16 visitors")).to_be_visible()
    expect(screen.locator("svg.plot")).to_have_count(2)
    assert screen.evaluate(SCROLL_WIDTH) <= width
    assert violations(screen, axe) == []
    screen.get_by_role("link", name="Unused links").click()
    wait_until_loaded(screen)
    expect(screen.get_by_role("region", name="Unused links")).to_contain_text(
        "shop.example/imprint"
    )
    screen.get_by_role("link", name="Entries").click()
    wait_until_loaded(screen)
    screen.get_by_role("link", name="before and after").first.click()
    expect(screen).to_have_url(re.compile("page="))
    wait_until_loaded(screen)
    after = screen.get_by_role("region", name="After")
    expect(after).to_contain_text("shop.example/bikes")
    expect(after).to_contain_text("shop.example/imprint")
    assert violations(screen, axe) == []
    screen.get_by_role("link", name="All usage").click()
    expect(screen.get_by_role("heading", name="First steps")).to_be_visible()


@pytest.mark.slow
def test_proposals_predictions_and_scent(open_usage: Screens) -> None:
    screen = open_usage("usage?page=http%3A%2F%2Fshop.example%2F&predict=1")
    wait_until_loaded(screen)
    expect(screen.get_by_role("region", name="Predicted next")).to_contain_text("shoes")
    screen = open_usage("usage?proposals=1")
    wait_until_loaded(screen)
    proposals = screen.get_by_role("list", name="Proposed index pages")
    expect(proposals).to_contain_text("shop.example/help")
    screen.get_by_label("Need").fill("shoes")
    screen.get_by_label("From", exact=True).fill("shop.example/")
    screen.get_by_role("button", name="Follow the scent").click()
    expect(screen).to_have_url(re.compile("need=shoes"))
    wait_until_loaded(screen)
    expect(screen.get_by_role("navigation", name="Tables of scent")).to_be_visible()
    assert screen.title() != "owned"


@pytest.mark.slow
def test_without_a_log_it_says_where_usage_comes_from(open_screen: OpenScreen) -> None:
    page = open_screen("usage")
    expect(page.get_by_text("There is no usage data yet. Access logs")).to_be_visible()
    assert "weft add" not in page.locator("main").inner_text()
