"""Crawls by the API: started, watched, paused and stopped, in a process of their own."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.gather.fetch.page_server import Answer, PageServer, page, serve_pages

from weft.core.errors import BadParameter
from weft.server.crawl_process import CrawlProcess, plan_from_words
from weft.server.session import Session
from weft.workspace.crawl import CrawlPlan
from weft.workspace.crawl_folder import CrawlFolder
from weft.workspace.workspace import Workspace

PAGES, PATIENCE = 60, 120
ROBOTS = Answer(b"User-agent: *\nDisallow: /secret\n", headers={"Content-Type": "text/plain"})
ServeAt = Callable[..., AbstractContextManager[str]]
Ask = Callable[..., Any]


@pytest.fixture
def site() -> Iterator[PageServer]:
    """A home page with links to many pages, one of which robots.txt forbids."""
    links = [f"/{k}" for k in range(PAGES)]
    pages = {"/": page(*links, "/secret", text="jazz piano"), "/robots.txt": ROBOTS}
    pages |= {
        link: page("/", text=f"{'jazz' if k % 2 else 'cars'} {k}") for k, link in enumerate(links)
    }
    with serve_pages(pages) as server:
        yield server


@pytest.fixture
def folder(tmp_path: Path, keep_at: Callable[..., Workspace]) -> Path:
    """An empty collection."""
    return keep_at(tmp_path / "crawled.weft").folder


def words(site: PageServer, **more: Any) -> dict[str, Any]:
    seed = site.url(host="127.0.0.1")
    given = {"seeds": [seed], "topic": "jazz piano", "contact": "me@example.org", "delay": 0.1}
    return {**given, **more}


def allow(site: PageServer) -> tuple[str, str]:
    return "--allow-private", f"127.0.0.1:{site.port}"


def wait_for(client: httpx.Client, condition: Callable[[Any], bool]) -> Any:
    deadline = time.monotonic() + PATIENCE
    while not condition(found := client.get("/api/crawl").json()):
        assert time.monotonic() < deadline, found
        time.sleep(0.1)
    return found


def post(client: httpx.Client, path: str, **body: Any) -> httpx.Response:
    return client.post(f"/api/crawl/{path}", json=body, timeout=60)


@pytest.fixture
def client_of_crawls(serve_at: ServeAt, site: PageServer, folder: Path) -> Iterator[httpx.Client]:
    """A client of a server whose crawls may fetch from the site."""
    with serve_at(folder, *allow(site)) as address, httpx.Client(base_url=address) as client:
        yield client


@pytest.mark.slow
def test_a_crawl_can_be_watched(client_of_crawls: httpx.Client, site: PageServer) -> None:
    client = client_of_crawls
    before = client.get("/api/crawl").json()
    assert before["state"] == "none"
    assert post(client, "start", **words(site)).json() == {"state": "running"}
    running = wait_for(client, lambda found: found["pages"] > 3)
    assert running["state"] == "running"
    assert running["snapshot"] == before["snapshot"]  # readers see the last commit
    assert client.get("/api/search", params={"query": "jazz"}).json()["total"] == 0
    assert running["best"][0]["parent"] == site.url(host="127.0.0.1")
    assert running["hosts"][0]["waiting"] == running["counts"]["waiting"]
    assert [point["pages"] for point in running["curve"]] == [*range(1, running["pages"] + 1)]
    assert not running["last_pages"][0]["in_collection"]
    svg = client.get("/api/crawl/picture", params={"pages": running["pages"]})
    assert svg.headers["content-type"].startswith("image/svg")
    assert "pages fetched" in svg.text
    busy = post(client, "start")
    assert (busy.status_code, busy.json()["detail"]) == (409, "a crawl is running")
    done = wait_for(client, lambda found: found["state"] == "ended")
    assert (done["ended"], done["pages"]) == ("nothing left", PAGES + 1)
    assert done["refused"] == [{"reason": "robots.txt", "urls": 1}]
    assert done["snapshot"] > before["snapshot"]
    assert client.get("/api/search", params={"query": "jazz"}).json()["total"] > PAGES / 2
    assert all(row["in_collection"] for row in done["last_pages"])


@pytest.mark.slow
def test_a_crawl_is_paused_stopped_and_continued(
    client_of_crawls: httpx.Client, site: PageServer
) -> None:
    client = client_of_crawls
    post(client, "start", **words(site, pages=40)).raise_for_status()
    wait_for(client, lambda found: found["pages"] > 3)
    assert post(client, "pause").json() == {"state": "paused"}
    time.sleep(1.5)
    paused = client.get("/api/crawl").json()
    assert paused["state"] == "paused"
    time.sleep(1)
    assert client.get("/api/crawl").json()["pages"] == paused["pages"]
    assert post(client, "resume").json() == {"state": "running"}
    wait_for(client, lambda found: found["pages"] > paused["pages"])
    assert post(client, "stop").json() == {"state": "stopping"}
    stopped = wait_for(client, lambda found: found["state"] == "ended")
    assert stopped["ended"] == "stopped"
    for path in ("pause", "resume", "stop"):
        assert post(client, path).json()["detail"] == "no crawl is running"
    post(client, "start", delay=0).raise_for_status()
    limited = wait_for(client, lambda found: found["state"] == "ended")
    assert (limited["ended"], limited["pages"]) == ("page limit", 40)
    assert limited["plan"] == {**stopped["plan"], "delay": 0}
    post(client, "start", pages=1000).raise_for_status()
    done = wait_for(client, lambda found: found["state"] == "ended")
    assert (done["ended"], done["pages"]) == ("nothing left", PAGES + 1)


def wait_until_ended(files: CrawlFolder) -> None:
    deadline = time.monotonic() + PATIENCE
    while files.is_running:
        assert time.monotonic() < deadline
        time.sleep(0.1)


@pytest.mark.slow
def test_a_crawl_stops_with_its_server_and_goes_on_with_the_next(
    site: PageServer, folder: Path
) -> None:
    code = (
        "import json, sys, time; from pathlib import Path;"
        "from weft.server.crawl_process import CrawlProcess;"
        "CrawlProcess(Path(sys.argv[1]), (sys.argv[2],)).start(json.loads(sys.argv[3]));"
        "time.sleep(60)"
    )
    allowed, files = f"127.0.0.1:{site.port}", CrawlFolder(folder)
    command = [sys.executable, "-c", code, str(folder), allowed, json.dumps(words(site))]
    with subprocess.Popen(command) as server:
        deadline = time.monotonic() + PATIENCE
        while len(files.read_log()) < 4:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        os.kill(server.pid, signal.SIGKILL)
    wait_until_ended(files)
    status = files.read_status()
    assert status.outcome.ended == "stopped"
    asked = len(site.paths)
    next_server = CrawlProcess(folder, (allowed,))
    next_server.start({"delay": 0.01})
    time.sleep(0.3)
    next_server.close()  # it restarts
    wait_until_ended(files)
    third = CrawlProcess(folder, (allowed,))
    third.start({"delay": 0})
    wait_until_ended(files)
    third.close()
    assert len(files.read_log()) == PAGES + 1
    assert len(site.paths) - asked == PAGES + 1 - len(status.crawl)


@pytest.mark.slow
def test_private_addresses_stay_closed(site: PageServer, folder: Path) -> None:
    """The plan of an earlier crawl on the command line does not open one."""
    given = words(site)
    plan = CrawlPlan(
        seeds=tuple(given["seeds"]),
        contact="me@example.org",
        delay=0.0,
        allow_private=(f"127.0.0.1:{site.port}",),
    )
    files = CrawlFolder(folder)
    files.write_plan(plan)
    process = CrawlProcess(folder)
    process.start({})
    wait_until_ended(files)
    process.close()
    status = files.read_status()
    [(reason, urls)] = status.frontier.refused.items()
    assert "private" in reason
    assert (urls, len(status.crawl)) == (1, 0)
    assert not site.asked


@pytest.mark.parametrize("path", ["start", "pause", "resume", "stop"])
def test_other_origins_are_refused(client: httpx.Client, path: str) -> None:
    for headers in ({"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        refused = client.post(f"/api/crawl/{path}", json={}, headers=headers)
        assert refused.status_code == 403
    assert client.get("/api/crawl").json()["state"] == "none"


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        ({}, "a crawl needs at least one seed"),
        ({"seeds": ["http://a.example/"]}, "a crawl needs a contact"),
        ({"seeds": ["ftp://a.example/"]}, "seeds.0: 'ftp://a.example/' is not a web address"),
        ({"seeds": ["http://a.example/" + "x" * 1000]}, "seeds.0: String should have at most"),
        ({"seeds": ["http://a.example/"] * 1001}, "seeds: List should have at most 1000"),
        ({"method": "nothing"}, "method: Input should be"),
        ({"options": {"n": 1}}, "auto: there is no option 'n'"),
        ({"method": "n-best", "options": {"n": 0}}, "n-best: n"),
        ({"topic": "x" * 200_000}, "the request body is too long"),
        ({"topic": "x" * 2001}, "topic: String should have at most"),
        ({"contact": "a\nb"}, "contact: String should match pattern"),
        ({"delay": -1}, "delay: Input should be greater"),
        ({"pages": 0}, "pages: Input should be greater"),
        ({"exclude": ["x"] * 101}, "exclude: List should have at most 100"),
        ({"allow_private": ["127.0.0.1:80"]}, "allow_private: Extra inputs are not permitted"),
        ({"like": ["/etc", "x", 1]}, "like: Extra inputs are not permitted"),
        ({"train": {}}, "train: Extra inputs are not permitted"),
    ],
)
def test_bad_words_are_problems(client: httpx.Client, body: dict[str, Any], detail: str) -> None:
    refused = client.post("/api/crawl/start", json=body)
    assert refused.status_code in {413, 422}
    assert refused.json()["detail"].startswith(detail), refused.json()
    assert refused.json()["hint"]
    assert client.get("/api/crawl").json()["state"] == "none"


def test_words_change_a_plan(tmp_path: Path) -> None:
    files = CrawlFolder(tmp_path)
    first = plan_from_words(
        files, {"seeds": ["http://a.example/"], "method": "n-best", "options": {"n": 3}, "pages": 5}
    )
    assert first == CrawlPlan(("http://a.example/",), "n-best", {"n": 3}, pages=5)
    files.write_plan(first)
    more = plan_from_words(files, {"seeds": ["http://b.example/"], "pages": 1000, "topic": "jazz"})
    assert more.seeds == ("http://a.example/", "http://b.example/")
    assert (more.pages, more.options, more.source.topic) == (1000, {"n": 3}, "jazz")
    assert plan_from_words(files, {"method": "auto"}).options == {}
    with pytest.raises(BadParameter):
        plan_from_words(files, {"options": {"n": "many"}})


def test_paths_and_addresses_are_not_sent(
    ask_session: Callable[..., Any], folder: Path, tmp_path: Path
) -> None:
    plan = CrawlPlan(("http://a.example/",), contact="me", allow_private=("10.0.0.1:80",))
    CrawlFolder(folder).write_plan(plan)
    session = Session(Workspace(folder), tmp_path)
    session.refresh_snapshot()
    sent = json.dumps(ask_session(session, "crawl"))
    assert "10.0.0.1" not in sent
    assert str(tmp_path) not in sent
