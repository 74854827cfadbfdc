"""A browser, and servers of collections to look at."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, sync_playwright
from tests.show.page.screen import MARKUP, Watch

import weft
from weft.gather.demoweb import DemoWeb, write_warc
from weft.gather.page import Link
from weft.gather.page import Page as Captured
from weft.run.workspace import Workspace

ROOT = Path(__file__).parents[3]
BUILT = Path(weft.__file__).parent / "show" / "page" / "index.html"
AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
FLAGS = [
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
]
ESCAPES = "jaguar \x1b[31mred\x1b[0m \u202egnol\u202c \x00 ]]> &amp; {{7*7}}"
LONG = "jaguar " + "endless" * 200
ServeAt = Callable[[Path], AbstractContextManager[str]]


@pytest.fixture(scope="session")
def chromium() -> str:
    """Where the browser is."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        pytest.skip("chromium is not installed")
    return found


@pytest.fixture(scope="session")
def built() -> Path:
    """The page as it is served."""
    if not BUILT.exists():
        pytest.skip("the page is not built: `make page`, which needs node")
    return BUILT.parent


@pytest.fixture(scope="session")
def axe() -> str:
    """The script that looks for what some readers cannot use."""
    if not AXE.exists():
        pytest.skip("axe-core is not installed: `make page`, which needs node")
    return AXE.read_text()


@pytest.fixture(scope="session")
def demo_address(
    request: pytest.FixtureRequest, serve_at: ServeAt, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """The address of a server of the demo web, as `weft demo` makes it."""
    for needed in ("built", "chromium"):
        request.getfixturevalue(needed)
    warc = tmp_path_factory.mktemp("page") / "demo.warc.gz"
    write_warc(DemoWeb(pages=1500), warc)
    workspace = Workspace(warc.with_name("demo.weft"))
    workspace.add(warc, workers=1)
    with serve_at(workspace.folder) as address:
        yield address


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    """A browser; it ends with its module, since it holds the event loop of the process."""
    with sync_playwright() as play:
        started = play.chromium.launch(executable_path=chromium, args=FLAGS)
        yield started
        started.close()


@pytest.fixture(scope="session")
def hostile(
    keep_at: Callable[..., Workspace], tmp_path_factory: pytest.TempPathFactory
) -> Workspace:
    """Pages with titles, anchors and addresses that try to be more than text."""
    titles = [MARKUP, ESCAPES, LONG]
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
    """The address of a server of hostile pages."""
    for needed in ("built", "chromium"):
        request.getfixturevalue(needed)
    with serve_at(hostile.folder) as address:
        yield address


@pytest.fixture
def look(browser: Browser, demo_address: str) -> Iterator[Watch]:
    """`look(path)` opens a screen of the demo web; nothing may fail or leave the host meanwhile."""
    watch = Watch(browser, demo_address)
    yield watch
    watch.end()
