"""A crawl that is killed with signal 9 continues as if nothing had happened."""

import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from tests.gather.archives import Read
from tests.gather.fetch.page_server import page, serve_pages

from weft.gather.fetch.frontier import MAX_IN_FLIGHT

PAGES, KILLED_AT = 200, (20, 70, 130)


@pytest.mark.slow
def test_killed_crawl_ends_with_the_same_pages(tmp_path: Path) -> None:
    """`python -m benchmarks.fetch kill` does the same with 20,000 pages and ten kills."""
    pages = {}
    for k in range(PAGES):
        targets = [t for t in (2 * k + 1, 2 * k + 2, k * 7 % PAGES) if t < PAGES]
        pages[f"/{k}"] = page(*(f"/{t}" for t in targets), text=f"page {k}")
    with serve_pages(pages) as server:
        seed = server.url("/0", "127.0.0.1")
        arguments = ["crawl", "--lean", "--seed-url", seed, "--folder", str(tmp_path)]
        command = [sys.executable, "-m", "benchmarks.fetch", *arguments]
        for moment in KILLED_AT:
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
            while len(server.asked) < moment:
                assert process.poll() is None
                time.sleep(0.002)
            process.kill()
            process.wait()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=60)
        requests = Counter(server.paths)
    assert {f"/{k}" for k in range(PAGES)} <= set(requests)
    found = Counter(requests)
    found.subtract(set(requests))
    assert found.total() <= MAX_IN_FLIGHT * len(KILLED_AT)
    read = Read(*sorted((tmp_path / "archive").iterdir()))
    assert read.problems.counts == {}
    assert Counter(page.url for page in read.pages) == Counter(
        server.url(f"/{k}", "127.0.0.1") for k in range(PAGES)
    )
