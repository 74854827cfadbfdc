"""Take the screenshots of the workbench for README and docs: `make pictures`.

It builds a demo web, serves it, and opens screens in Chromium, wide and narrow,
light and dark.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal
from urllib.parse import urlencode

from playwright.sync_api import Page, sync_playwright

Scheme = Literal["light", "dark"]
FLAGS = [
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
]
WIDTHS = {"wide": (1280, 900), "narrow": (400, 860)}
MAGAZINE = {"url": "http://jaguarmagazine.example/", "from": "query=jaguar"}
LONG = {"moved": 1250, "structure": 1640, "communities": 1180}
SCREENS = {
    "home": "",
    "topics": "topics?query=jaguar",
    "moved": "topics?query=jaguar&topic=2&max_inlinks=3&was=default",
    "treemap": "topics?query=jaguar&view=treemap&show=table",
    "search": "search?query=jaguar",
    "page": f"page?{urlencode(MAGAZINE)}",
    "map": "map?query=jaguar&topic=0",
    "communities": "communities?view=map",
    "structure": "structure",
    "rankings": "rankings?query=jaguar",
    "method": "method?kind=topics&name=auto",
}
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
SHOWN: list[tuple[str, str, Scheme]] = [
    ("topics", "wide", "light"),
    ("moved", "wide", "light"),
    ("page", "wide", "light"),
    ("map", "wide", "dark"),
    ("communities", "wide", "light"),
    ("structure", "wide", "light"),
    ("rankings", "wide", "light"),
    ("topics", "narrow", "dark"),
    ("map", "narrow", "light"),
]
EVERY = [(name, width, scheme) for name in SCREENS for width in WIDTHS for scheme in SCHEMES]
START = "from weft.cli import main; main()"


@contextmanager
def serving(collection: Path) -> Iterator[str]:
    """Serve a collection; yields the address."""
    options = ["--no-browser", "--port", "0"]
    command = [sys.executable, "-c", START, "serve", str(collection), *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def take(address: str, folder: Path, wanted: list[tuple[str, str, Scheme]], *, whole: bool) -> None:
    """Take screenshots; with `whole`, of the full length of each screen."""
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        for name, width, scheme in wanted:
            viewport_width, height = WIDTHS[width]
            page = browser.new_page(
                viewport={"width": viewport_width, "height": LONG.get(name, height)},
                color_scheme=scheme,
                reduced_motion="reduce",
            )
            show(page, address + SCREENS[name])
            file = folder / f"workbench-{name}-{width}-{scheme}.png"
            page.screenshot(path=file, full_page=whole, animations="disabled")
            page.close()


def show(page: Page, address: str) -> None:
    """Open a screen, and wait until nothing is loading."""
    page.goto(address)
    page.wait_for_selector("main h1")
    page.wait_for_load_state("networkidle")
    page.wait_for_selector(".placeholder, .progress, [aria-busy=true]", state="detached")
    page.wait_for_timeout(400)


def main() -> None:
    """Build a demo web, serve it, and take screenshots."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "images")
    parser.add_argument("--address", help="a server that runs already")
    parser.add_argument("--all", action="store_true", help="every screen, width and scheme")
    parser.add_argument("--whole", action="store_true", help="the whole length of each screen")
    parser.add_argument("--screen", action="append", choices=SCREENS, help="only this screen")
    given = parser.parse_args()
    screens = EVERY if given.all else SHOWN
    wanted = [screen for screen in screens if screen[0] in (given.screen or SCREENS)]
    if given.address:
        take(given.address, given.out, wanted, whole=given.whole)
        return
    with tempfile.TemporaryDirectory() as scratch:
        demo = Path(scratch) / "demo"
        subprocess.run([sys.executable, "-c", START, "demo", str(demo)], check=True)
        with serving(demo / "demo.weft") as address:
            take(address, given.out, wanted, whole=given.whole)


if __name__ == "__main__":
    main()
