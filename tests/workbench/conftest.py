"""A browser, and servers of collections for the workbench."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, sync_playwright
from tests.workbench.screens import MARKUP, OpenScreen, Screens

import weft
from weft.demo import DemoWeb, write_warc
from weft.gather.page import Link
from weft.gather.page import Page as Captured
from weft.workspace.workspace import Workspace

ROOT = Path(__file__).parents[2]
WORKBENCH = Path(weft.__file__).parent / "server" / "workbench"
AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
# Each window would load two pages of the browser's own address bar, and start a process in
# reserve, which takes longer than to open a screen. The rest is what Playwright switches off too:
# of two such flags, the last one counts.
SWITCHED_OFF = (
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    "SpareRendererForSitePerProcess",
    "AimEnabled",
    "HttpsUpgrades",
    "MediaRouter",
    "NetworkTimeServiceQuerying",
    "OptimizationHints",
    "PaintHolding",
    "PreconnectToSearch",
)
CHROMIUM_FLAGS = [
    f"--disable-features={','.join(SWITCHED_OFF)}",
    "--no-sandbox",
    "--disable-gpu-compositing",
    "--disable-dev-shm-usage",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
]
ESCAPE_SEQUENCES = "jaguar \x1b[31mred\x1b[0m \u202egnol\u202c \x00 ]]> &amp; {{7*7}}"
LONG_TITLE = "jaguar " + "endless" * 200
ServeAt = Callable[[Path], AbstractContextManager[str]]


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of the browser."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        pytest.skip("chromium is not installed")
    return found


@pytest.fixture(scope="session")
def built() -> Path:
    """The folder of the built workbench."""
    if not (WORKBENCH / "index.html").exists():
        pytest.skip("the workbench is not built: `make page`, which needs node")
    return WORKBENCH


@pytest.fixture(scope="session")
def axe() -> str:
    """The script of axe, which tests accessibility."""
    if not AXE.exists():
        pytest.skip("axe-core is not installed: `make page`, which needs node")
    return AXE.read_text()


@pytest.fixture(scope="session")
def demo_address(
    request: pytest.FixtureRequest, serve_at: ServeAt, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """The address of a server of the demo web, with as many pages as `weft demo` makes."""
    for needed in ("built", "chromium"):
        request.getfixturevalue(needed)
    warc = tmp_path_factory.mktemp("workbench") / "demo.warc.gz"
    write_warc(DemoWeb(pages=1500), warc)
    workspace = Workspace(warc.with_name("demo.weft"))
    workspace.add(warc, workers=1)
    with serve_at(workspace.folder) as address:
        yield address


@pytest.fixture(scope="package")
def browser(chromium: str) -> Iterator[Browser]:
    """A browser for all tests of this folder; it blocks the event loop while it runs."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=CHROMIUM_FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def hostile(
    keep_at: Callable[..., Workspace], tmp_path_factory: pytest.TempPathFactory
) -> Workspace:
    """Pages whose titles, anchors and URLs contain markup and control characters."""
    titles = [MARKUP, ESCAPE_SEQUENCES, LONG_TITLE]
    targets = [f"http://t{k}.example/{quote('<b>')}?q='{k}" for k in range(3)]
    pages = [
        Captured(
            f"http://hub{k}.example/",
            title=f"jaguar hub {k} {MARKUP}",
            text=f"jaguar {MARKUP}",
            links=(
                *(Link(target, anchor=MARKUP) for target in targets),
                Link("javascript:alert(1)", anchor="jaguar"),
            ),
        )
        for k in range(6)
    ]
    pages += [
        Captured(target, title=title, text=f"jaguar {title}")
        for target, title in zip(targets, titles, strict=True)
    ]
    return keep_at(tmp_path_factory.mktemp("hostile") / "<b>evil.weft", *pages)


@pytest.fixture(scope="session")
def hostile_address(
    request: pytest.FixtureRequest,
    hostile: Workspace,
    serve_at: ServeAt,
) -> Iterator[str]:
    """The address of a server of the hostile pages."""
    for needed in ("built", "chromium"):
        request.getfixturevalue(needed)
    with serve_at(hostile.folder) as address:
        yield address


@pytest.fixture(scope="package")
def demo_tab(browser: Browser, demo_address: str) -> Iterator[Screens]:
    """A browser tab for all tests that only look at screens of the demo web."""
    screens = Screens(browser, demo_address)
    yield screens
    screens.close()


@pytest.fixture
def show_screen(demo_tab: Screens) -> Iterator[OpenScreen]:
    """`show_screen(path)` opens a screen of the demo web in the tab of the test before."""
    yield demo_tab.show
    demo_tab.check()


@pytest.fixture
def open_screen(browser: Browser, demo_address: str) -> Iterator[Screens]:
    """`open_screen(path)` opens a screen of the demo web."""
    screens = Screens(browser, demo_address)
    yield screens
    screens.close()
