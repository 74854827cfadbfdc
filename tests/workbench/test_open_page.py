"""A page that stays open: the server restarts, the history goes back, a second tab writes."""

import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.command import COMMAND
from tests.workbench.screens import OpenScreen, Screens, wait_until_loaded

from weft.demo import DemoWeb, write_warc
from weft.workspace.workspace import Workspace


@pytest.fixture(scope="module")
def folder(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:  # noqa: ARG001
    """A collection that these tests write to."""
    warc = tmp_path_factory.mktemp("open") / "demo.warc.gz"
    write_warc(DemoWeb(pages=400), warc)
    workspace = Workspace(warc.with_name("demo.weft"))
    workspace.add(warc, workers=1)
    return workspace.folder


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def serving(folder: Path, port: int) -> Iterator[str]:
    words = ["serve", str(folder), "--no-browser", "--port", str(port)]
    with subprocess.Popen([*COMMAND, *words], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().strip()
        finally:
            server.kill()


@pytest.mark.slow
def test_a_restarted_server_goes_on_where_it_was(browser: Browser, folder: Path) -> None:
    port = free_port()
    with serving(folder, port) as address:
        screens = Screens(browser, address)
        page = screens("topics?query=jaguar")
        wait_until_loaded(page)
    page.get_by_role("link", name="Rankings", exact=True).click()
    message = page.locator("main [role=alert]").first
    expect(message).to_contain_text("The server does not respond.")
    with serving(folder, port):
        message.get_by_role("button", name="Try again").click()
        expect(page.locator(".columns ol").first).to_be_visible()
        page.go_back()
        expect(page.locator("nav.topics li")).not_to_have_count(0)
        page.reload()
        wait_until_loaded(page)
        expect(page.locator("main [role=alert]")).to_have_count(0)
    screens.close()


@pytest.mark.slow
def test_back_and_forward_restore_what_was_shown(open_screen: OpenScreen) -> None:
    page = open_screen("topics?query=jaguar")
    wait_until_loaded(page)
    page.locator("nav.topics li a").nth(1).click()
    expect(page.locator(".topic > h2")).to_contain_text("2")
    page.locator(".entries .title").first.click()
    page.wait_for_selector(".page-screen h1")
    seen = [page.locator("h1").inner_text()]
    page.go_back()
    expect(page.locator(".topic > h2")).to_contain_text("2")
    page.go_back()
    expect(page.locator(".topic > h2")).to_contain_text("1")
    assert page.locator("nav.topics li a[aria-current]").count() == 1
    page.go_forward()
    expect(page.locator(".topic > h2")).to_contain_text("2")
    page.go_forward()
    expect(page.locator("h1")).to_have_text(seen[0])


def rename(page: Page, name: str) -> None:
    page.get_by_text("Rename, merge or hide").click()
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_role("button", name="Rename").click()


@pytest.mark.slow
def test_two_tabs_see_what_the_other_changed(
    browser: Browser, folder: Path, serve_at: Callable[[Path], AbstractContextManager[str]]
) -> None:
    with serve_at(folder) as address:
        screens = Screens(browser, address)
        first, second = screens("topics?query=jaguar"), screens("topics?query=jaguar")
        for page in (first, second):
            wait_until_loaded(page)
        rename(first, "Renamed in one tab")
        expect(first.locator(".topic > h2")).to_contain_text("Renamed in one tab")
        rename(second, "Renamed in the other")
        expect(second.locator(".topic > h2")).to_contain_text("Renamed in the other")
        first.reload()
        expect(first.locator(".topic > h2")).to_contain_text("Renamed in the other")
        screens.close()
