"""How long each screen takes: `python -m benchmarks.screens [COLLECTION]`, by default the demo web.

Chromium opens each screen on a server that was just started, and once more.
`answer` is the time in seconds from the address to what the screen is for, or
where that is long work to what is shown meanwhile; `whole` the time until
nothing on it is awaited. Results that the collection kept from earlier
questions are left aside.
"""

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
from weft.graph.hosts import groups_of
from weft.graph.levels import only_seen
from weft.run.workspace import Workspace
from weft.store.manifest import NAME

FLAGS = [
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
]
BAR, PATIENCE = 2.0, 120_000
AWAITED = ".waiting, .working, [aria-busy=true]"
ANSWERS = {
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
    """Print both times of each screen, for a first and for a second visit."""
    print(versions("weft", "playwright"))
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as play:
        given = Workspace(Path(sys.argv[1])) if len(sys.argv) > 1 else demo(Path(scratch))
        print(repr(given))
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        _visit(browser, f"file://{scratch}", "html")
        print(f"{'':12} {'first: answer':>14} {'whole':>7} {'again: answer':>14} {'whole':>7}")
        for name, path in screens(given).items():
            with beside(given.folder) as folder, served(folder) as port:
                address = f"http://127.0.0.1:{port}/{path}"
                first, again = (_visit(browser, address, ANSWERS[name]) for _ in range(2))
            told = "" if first[0] < BAR else f"   bar {BAR:g} s"
            print(
                f"{name:12} {first[0]:14.2f} {first[1]:7.2f} {again[0]:14.2f} {again[1]:7.2f}{told}"
            )


def screens(workspace: Workspace) -> dict[str, str]:
    """The address of every screen: of a word, the first page that has it, two domains.

    These are the largest that have a thousandth of the pages at most: reading
    all that a site of a hundred thousand pages says is long work.
    """
    query, url = next(_found(workspace))
    group, names = groups_of(workspace.collection, "domain")
    sizes = np.bincount(group[~only_seen(workspace.collection)], minlength=len(names))
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
def beside(folder: Path) -> Iterator[Path]:
    """The same collection in another folder, where no results are kept."""
    with tempfile.TemporaryDirectory() as scratch:
        other = Path(scratch) / folder.name
        other.mkdir()
        shutil.copy2(folder / NAME, other)
        for part in ("segments", "snapshots"):
            (other / part).symlink_to((folder / part).resolve())
        yield other


def _visit(browser: Browser, address: str, answer: str) -> tuple[float, float]:
    """Seconds until the answer, and until nothing is awaited."""
    with browser.new_context(viewport={"width": 1280, "height": 900}) as context:
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        start = time.perf_counter()
        page.goto(address, wait_until="commit")
        page.wait_for_selector(answer)
        answered = time.perf_counter() - start
        page.wait_for_selector(AWAITED, state="detached")
        return answered, time.perf_counter() - start


if __name__ == "__main__":
    main()
