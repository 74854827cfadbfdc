"""Every screen of collections with little in them: empty, a list of links, a single page."""

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser
from tests.workbench.screens import SCROLL_WIDTH, Screens, wait_until_loaded
from tests.workbench.test_accessibility import violations

from weft.gather.html import ParseOptions
from weft.gather.page import Page
from weft.workspace.ingest import add_pages
from weft.workspace.workspace import Workspace

EDGES = "Source,Target\na,b\nb,c\nc,a\nd,a\nd,b\ne,d\n"
SCREENS = [
    "",
    "topics",
    "topics?query=jaguar",
    "topics?query=jaguar&compare=hits",
    "search?query=jaguar",
    "search?query=*",
    "communities",
    "communities?view=map",
    "communities?view=matrix&level=host",
    "map",
    "map?level=host",
    "structure",
    "structure?level=host",
    "hosts",
    "sites",
    "rankings",
    "ranking?method=hits",
    "method?kind=rank&name=hits",
    "curate",
    "usage",
    "crawl",
]
NO_WORDS = re.compile(r"\bNaN\b|\bundefined\b|\bnull\b|\bInfinity\b|\[object")
Make = Callable[[Path], Workspace]


def make_empty(folder: Path) -> Workspace:
    add_pages(folder, (), "nothing", ParseOptions())
    return Workspace(folder)


def make_edges(folder: Path) -> Workspace:
    links = folder.with_suffix(".csv")
    links.write_text(EDGES, "utf-8")
    workspace = Workspace(folder)
    workspace.add(links)
    return workspace


@pytest.fixture(scope="module")
def addresses(
    request: pytest.FixtureRequest,
    serve_at: Callable[[Path], AbstractContextManager[str]],
    keep_at: Callable[..., Workspace],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[dict[str, str]]:
    """Servers of the three collections."""
    for needed in ("built", "chromium"):
        request.getfixturevalue(needed)
    folder = tmp_path_factory.mktemp("small")
    page = Page("http://one.example/", title="The only page", text="a jaguar and nothing else")
    made = {
        "empty": make_empty(folder / "empty.weft"),
        "edges": make_edges(folder / "edges.weft"),
        "one page": keep_at(folder / "one.weft", page),
    }
    with ExitStack() as servers:
        yield {
            name: servers.enter_context(serve_at(workspace.folder))
            for name, workspace in made.items()
        }


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "width", "scheme"),
    [
        ("empty", 1280, "light"),
        ("one page", 1280, "light"),
        ("edges", 1280, "light"),
        ("edges", 400, "dark"),
    ],
)
def test_every_screen_has_something_to_say(
    browser: Browser, axe: str, addresses: dict[str, str], name: str, width: int, scheme: str
) -> None:
    """No error, no empty panel, no number that is none, nothing that axe finds."""
    screens = Screens(browser, addresses[name])
    pages = {"edges": ["page?url=a"], "one page": ["page?url=http%3A%2F%2Fone.example%2F"]}
    for path in [*SCREENS, *pages.get(name, [])]:
        page = screens.show(path, width=width, scheme=scheme)
        wait_until_loaded(page)
        shown = page.locator("main").inner_text()
        assert not NO_WORDS.search(shown), (path, shown)
        assert page.locator("main [role=alert]").count() == 0, (path, shown)
        assert page.evaluate(SCROLL_WIDTH) <= width, path
        assert violations(page, axe) == [], path
    screens.close()
