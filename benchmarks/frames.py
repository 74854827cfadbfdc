"""Measure the workbench in a browser: `python -m benchmarks.frames [COLLECTION]`.

First paint of each main screen, in milliseconds after the navigation began; the size of
the bundle, compressed; and scripting a frame while a map of 2,000 nodes is dragged, zoomed
and pointed at: the CPU time of the main thread in each animation frame and in the events
before it, from a browser trace, without rasterisation. The default collection is the demo
web.
"""

import gzip
import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.measure import versions
from benchmarks.screens import FLAGS, LOADING, TIMEOUT_MS
from benchmarks.serve import demo, served
from weft.server.static import workbench_files
from weft.workspace.workspace import Workspace

PAINTED = ("", "topics?query=jaguar", "search?query=jaguar", "map", "communities")
MAP = "map?nodes=2000"
SCRIPTING = {"FireAnimationFrame", "EventDispatch", "TimerFire"}
FIRST_PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
STEPS = 60


def main() -> None:
    """Print first paints, the size of the bundle, and scripting a frame."""
    print(versions("weft", "playwright"))
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as play:
        given = Workspace(Path(sys.argv[1])) if len(sys.argv) > 1 else demo(Path(scratch))
        print(repr(given))
        print_bundle()
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        with served(given.folder) as port:
            address = f"http://127.0.0.1:{port}/"
            for path in PAINTED:
                print(f"first paint of /{path:24} {first_paint(browser, address + path):6.0f} ms")
            print_frames(browser, address + MAP)


def print_bundle() -> None:
    """The compressed size of all scripts and styles, and of the fonts."""
    sizes = dict.fromkeys(("scripts and styles", "fonts"), 0)
    for name, path in workbench_files().items():
        kind = "fonts" if name.endswith(".woff2") else "scripts and styles"
        sizes[kind] += len(gzip.compress(path.read_bytes(), 9))
    for kind, size in sizes.items():
        print(f"{kind}: {size / 1000:.0f} kB, compressed")


def first_paint(browser: Browser, address: str) -> float:
    """Milliseconds until something is painted, in a new profile."""
    with browser.new_context(viewport={"width": 1280, "height": 800}) as context:
        page = context.new_page()
        page.goto(address)
        page.wait_for_selector("main h1")
        # The entry may come after what it is about; the page's policy forbids polling inside it.
        while (paint := page.evaluate(FIRST_PAINT)) is None:
            page.wait_for_timeout(20)
        return float(paint)


def print_frames(browser: Browser, address: str) -> None:
    """Scripting a frame while a map is dragged, zoomed and pointed at."""
    with browser.new_context(viewport={"width": 1280, "height": 800}) as context:
        page = context.new_page()
        page.set_default_timeout(TIMEOUT_MS)
        page.goto(address)
        page.wait_for_selector(".stage canvas")
        page.wait_for_selector(LOADING, state="detached")
        print(page.locator("figcaption p").first.inner_text())
        browser.start_tracing(page=page, categories=["devtools.timeline", "toplevel"])
        move_map(page)
        times = frame_times(json.loads(browser.stop_tracing())["traceEvents"])
    shares = np.percentile(times, [50, 95, 100])
    print(f"scripting of {len(times)} frames: median {shares[0]:.1f} ms, ", end="")
    print(f"95 % below {shares[1]:.1f} ms, at most {shares[2]:.1f} ms")


def move_map(page: Page) -> None:
    """Drag the map around, zoom in and out, and point at nodes on the way across."""
    box = page.locator(".stage").bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for k in range(STEPS):
        page.mouse.move(x + 3 * k, y + 40 * np.sin(k / 8))
        page.wait_for_timeout(16)
    page.mouse.up()
    for k in range(STEPS // 2):
        page.mouse.wheel(0, -120 if k < STEPS // 4 else 120)
        page.wait_for_timeout(30)
    for k in range(STEPS):
        page.mouse.move(box["x"] + box["width"] * (k + 1) / (STEPS + 2), y + 60 * np.sin(k / 5))
        page.wait_for_timeout(16)


def frame_times(events: list[dict[str, Any]]) -> list[float]:
    """Milliseconds of CPU time that scripts took for each frame."""
    scripts = [
        event
        for event in events
        if event.get("name") in SCRIPTING and event.get("ph") == "X" and "tdur" in event
    ]
    scripts.sort(key=lambda event: event["ts"])
    frames, pending = list[float](), 0.0
    for event in scripts:
        pending += event["tdur"] / 1000
        if event["name"] == "FireAnimationFrame":
            frames.append(pending)
            pending = 0.0
    return frames


if __name__ == "__main__":
    main()
