"""The files of a crawl: what others read and ask for while it runs, and after it was killed."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Thread

import pytest
from tests.gather.fetch.page_server import PageServer, page, serve_pages

from weft.core.errors import CollectionBusy, DamagedFile, WeftError
from weft.crawl.crawl import CrawlStep
from weft.gather.fetch.engine import CrawlControl
from weft.gather.fetch.frontier import Frontier
from weft.workspace.crawl import CrawlPlan, TopicSource
from weft.workspace.crawl_folder import CrawlFolder, Outcome, StepLog
from weft.workspace.live_crawl import LiveCrawl

PAGES = 40


@pytest.fixture
def site() -> Iterator[PageServer]:
    """A home page that links to many pages, each about jazz or about cars."""
    links = [f"/{k}" for k in range(PAGES)]
    pages = {"/": page(*links, text="jazz piano")}
    pages |= {
        link: page(text=f"jazz piano number {k}" if k % 2 else f"cars and engines {k}")
        for k, link in enumerate(links)
    }
    with serve_pages(pages) as server:
        yield server


def plan_for(site: PageServer, **changes: object) -> CrawlPlan:
    plan = CrawlPlan(
        seeds=(site.url(host="127.0.0.1"),),
        source=TopicSource("jazz piano"),
        delay=0.0,
        contact="me@example.org",
        allow_private=(f"127.0.0.1:{site.port}",),
    )
    return replace(plan, **changes)  # type: ignore[arg-type]


@pytest.mark.slow
def test_the_log_has_every_page_with_its_reason(site: PageServer, tmp_path: Path) -> None:
    crawl = LiveCrawl.from_plan(tmp_path, plan_for(site)).run()
    files = CrawlFolder(tmp_path)
    status = files.read_status()
    assert len(status.crawl) == PAGES + 1
    assert status.crawl.steps == crawl.steps
    assert status.crawl.steps[1].parent == site.url(host="127.0.0.1")
    assert status.crawl.harvest_rate == crawl.harvest_rate > 0
    assert status.state == "ended"
    assert status.outcome == Outcome("nothing left")
    assert status.pages_last_minute == PAGES + 1
    document = status.to_document(last=3)
    assert [row["place"] for row in document["last_pages"]] == [PAGES - 1, PAGES, PAGES + 1]
    json.dumps(document, allow_nan=False)


@pytest.mark.slow
def test_resuming_keeps_the_log_and_goes_on(site: PageServer, tmp_path: Path) -> None:
    plan = plan_for(site, pages=10)
    LiveCrawl.from_plan(tmp_path, plan).run()
    files = CrawlFolder(tmp_path)
    before = files.read_log().to_pylist()
    assert len(before) == 10
    with files.log.open("ab") as log:  # what a kill can leave: a page too many, half a line
        log.write(json.dumps({**before[-1], "url": "http://127.0.0.1/lost"}).encode() + b"\n")
        log.write(b'{"url": "http://')
    assert len(files.read_log()) == 11
    LiveCrawl.from_plan(tmp_path, replace(plan, pages=20)).run()
    after = files.read_log().to_pylist()
    assert len(after) == 20
    assert after[:10] == before


@pytest.mark.slow
def test_copies_are_counted_after_resuming(tmp_path: Path) -> None:
    """Pages with the same bytes are revisits in the archive."""
    links = [f"/{k}" for k in range(12)]
    pages = {"/": page(*links, text="jazz"), **{link: page(text="jazz") for link in links}}
    with serve_pages(pages) as site:
        LiveCrawl.from_plan(tmp_path, plan_for(site, pages=8)).run()
        before = CrawlFolder(tmp_path).read_log()["url"].to_pylist()
        LiveCrawl.from_plan(tmp_path, plan_for(site)).run()
    after = CrawlFolder(tmp_path).read_log()["url"].to_pylist()
    assert after[:8] == before
    assert len(after) == 13


@pytest.mark.slow
def test_a_changed_topic_rates_earlier_pages_anew(site: PageServer, tmp_path: Path) -> None:
    plan = plan_for(site, pages=20)
    LiveCrawl.from_plan(tmp_path, plan).run()
    files = CrawlFolder(tmp_path)
    jazz = {row["url"]: row["relevance"] for row in files.read_log().to_pylist()}
    LiveCrawl.from_plan(tmp_path, replace(plan, source=TopicSource("cars engines"), pages=21)).run()
    cars = {row["url"]: row["relevance"] for row in files.read_log().to_pylist()}
    home = site.url(host="127.0.0.1")
    assert cars[home] < jazz[home]


@pytest.mark.slow
def test_another_process_pauses_and_stops_a_crawl(site: PageServer, tmp_path: Path) -> None:
    live = LiveCrawl.from_plan(tmp_path, plan_for(site, delay=0.1))
    files, results = CrawlFolder(tmp_path), []
    assert not files.is_running
    thread = Thread(target=lambda: results.append(live.run(control=CrawlControl())))
    thread.start()
    wait_for(lambda: len(files.read_log()) > 1)
    assert files.is_running
    assert files.read_status().state == "running"
    files.write_request("pause")
    assert files.read_status().state == "paused"
    time.sleep(1.5)
    paused_at = len(files.read_log())
    time.sleep(1.0)
    assert len(files.read_log()) == paused_at
    files.write_request("")
    wait_for(lambda: len(files.read_log()) > paused_at)
    files.write_request("stop")
    thread.join(20)
    [crawl] = results
    assert crawl.ended == "stopped"
    assert files.read_status().outcome == Outcome("stopped")
    # the next run does not find the request of the last one
    assert (
        LiveCrawl.from_plan(tmp_path, replace(live.plan, delay=0.0)).run().ended == "nothing left"
    )


def wait_for(condition: object, seconds: float = 20) -> None:
    assert callable(condition)
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.slow
def test_a_killed_crawl_is_interrupted(site: PageServer, tmp_path: Path) -> None:
    folder, plan = tmp_path / "c.weft", tmp_path / "plan.json"
    plan_for(site, delay=0.1).write(plan)
    code = (
        "import sys; from pathlib import Path;"
        "from weft.workspace.crawl import CrawlPlan;"
        "from weft.workspace.live_crawl import LiveCrawl;"
        "LiveCrawl.from_plan(Path(sys.argv[1]), CrawlPlan.read(Path(sys.argv[2]))).run()"
    )
    files = CrawlFolder(folder)
    with subprocess.Popen([sys.executable, "-c", code, str(folder), str(plan)]) as process:
        wait_for(lambda: len(files.read_log()) > 3)
        os.kill(process.pid, signal.SIGKILL)
    status = files.read_status()
    assert status.state == "ended"
    assert status.outcome.ended == "interrupted"
    assert len(status.crawl) > 3
    crawl = LiveCrawl.from_plan(folder, plan_for(site)).run()
    assert len(crawl) == PAGES + 1
    assert sorted(files.read_log()["url"].to_pylist()) == sorted(crawl.urls)


def test_a_damaged_log_is_named(tmp_path: Path) -> None:
    files = CrawlFolder(tmp_path)
    files.path.mkdir()
    files.log.write_text("\0\0\0\n")
    with pytest.raises(DamagedFile, match=r"steps\.jsonl is damaged"):
        files.read_log()


def test_infinite_scores_are_logged(tmp_path: Path) -> None:
    files = CrawlFolder(tmp_path)
    files.path.mkdir()
    step = CrawlStep("http://a.example/", 0.5, float("inf"), 0, "")
    with StepLog(files, []) as log:
        log.extend([step])
    [row] = files.read_log().to_pylist()
    assert row["score"] is None


def test_looking_does_not_keep_a_crawl_from_starting(tmp_path: Path) -> None:
    files = CrawlFolder(tmp_path)
    files.path.mkdir()
    with Frontier(files.frontier):
        assert files.is_running
        with pytest.raises(CollectionBusy):
            Frontier(files.frontier)
    assert not files.is_running


def test_a_collection_without_a_crawl_says_so(tmp_path: Path) -> None:
    with pytest.raises(WeftError, match="has no crawl"):
        CrawlFolder(tmp_path).read_status()
