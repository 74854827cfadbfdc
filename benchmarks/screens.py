"""Time each screen of the workbench: `python -m benchmarks.screens [COLLECTION]`.

The default is the demo web. Chromium opens each screen on a fresh server, and once
more. `main` is the time in seconds until the main content is there, or, for long
work, what is shown meanwhile; `all` until nothing is loading. Cached results of the
collection are not used.
"""

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode

import numpy as np
from playwright.sync_api import Browser, sync_playwright

from benchmarks.measure import versions
from benchmarks.serve import demo, served
from weft.graph.levels import group_pages, uncaptured_pages
from weft.store.writer import RESULTS_FOLDER
from weft.workspace.workspace import Workspace

FLAGS = [
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
]
MAX_SECONDS, TIMEOUT_MS = 2.0, 120_000
LOADING = ".placeholder, .progress, [aria-busy=true]"
MAIN_CONTENT = {
    "home": ".numbers b",
    "search": ".hits li",
    "topics": ".topic .roles li",
    "page": ".page-screen h1",
    "map": ".drawing figcaption",
    "structure": "#bow-tie .tie, #bow-tie .no-core",
    "communities": "nav.topics a, .meanwhile table",
    "rankings": ".columns ol li",
    "two sites": "main table",
}
WORDS = ("jaguar", "python", "page")


def main() -> None:
    """Print both times of each screen, for the first and the second visit."""
    print(versions("weft", "playwright"))
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as play:
        given = Workspace(Path(sys.argv[1])) if len(sys.argv) > 1 else demo(Path(scratch))
        print(repr(given))
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        _visit(browser, f"file://{scratch}", "html")
        print(f"{'':12} {'first: main':>14} {'all':>7} {'again: main':>14} {'all':>7}")
        for name, path in screens(given).items():
            with without_cache(given.folder) as folder, served(folder) as port:
                address = f"http://127.0.0.1:{port}/{path}"
                first, again = (_visit(browser, address, MAIN_CONTENT[name]) for _ in range(2))
            note = "" if first[0] < MAX_SECONDS else f"   over {MAX_SECONDS:g} s"
            print(
                f"{name:12} {first[0]:14.2f} {first[1]:7.2f} {again[0]:14.2f} {again[1]:7.2f}{note}"
            )


def screens(workspace: Workspace) -> dict[str, str]:
    """The address of every screen: for a word, the first page with it, and two domains.

    These are the largest with at most a thousandth of the pages: comparing sites
    of a hundred thousand pages takes long.
    """
    query, url = next(_found(workspace))
    group, names = group_pages(workspace.collection, "domain")
    sizes = np.bincount(group[~uncaptured_pages(workspace.collection)], minlength=len(names))
    sizes[sizes > max(sizes.sum() / 1000, np.median(sizes))] = 0
    mine, theirs = (names[int(k)].as_py() for k in np.argsort(-sizes, kind="stable")[:2])
    return {
        "home": "",
        "search": f"search?query={query}",
        "topics": f"topics?query={query}",
        "page": f"page?{urlencode({'url': url})}",
        "map": "map",
        "structure": "structure",
        "communities": "communities",
        "rankings": "rankings",
        "two sites": f"sites?{urlencode({'mine': mine, 'theirs': theirs})}",
    }


def _found(workspace: Workspace) -> Iterator[tuple[str, str]]:
    for word in WORDS:
        for page in workspace.search(word, 1, snippets=False).to_table()["url"].to_pylist():
            yield word, page


@contextmanager
def without_cache(folder: Path) -> Iterator[Path]:
    """The same collection in another folder, without cached results."""
    with tempfile.TemporaryDirectory() as scratch:
        other = Path(scratch) / folder.name
        left_out = shutil.ignore_patterns(RESULTS_FOLDER, "lock")
        shutil.copytree(folder, other, copy_function=_link_or_copy, ignore=left_out)
        yield other


def _link_or_copy(source: str, target: str) -> None:
    """Another name for a file, or a copy on another disk; collections refuse symbolic links."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def _visit(browser: Browser, address: str, selector: str) -> tuple[float, float]:
    """Seconds until the main content is there, and until nothing is loading."""
    with browser.new_context(viewport={"width": 1280, "height": 900}) as context:
        page = context.new_page()
        page.set_default_timeout(TIMEOUT_MS)
        start = time.perf_counter()
        page.goto(address, wait_until="commit")
        page.wait_for_selector(selector)
        answered = time.perf_counter() - start
        page.wait_for_selector(LOADING, state="detached")
        return answered, time.perf_counter() - start


if __name__ == "__main__":
    main()
