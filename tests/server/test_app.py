"""The whole server over HTTP."""

import csv
import io
import json
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.routing import Match

from weft.gather.page import Link, Page
from weft.server.app import TableRoute, build_api, parse_wait_preference
from weft.server.collection import default_methods
from weft.server.jobs import JobScheduler
from weft.server.routes import ROUTES
from weft.workspace.workspace import Workspace

Serving = Callable[[Path], AbstractContextManager[httpx.Client]]
DEFAULT = f"/api/topics/{default_methods().topics}"
SLOW = "/api/rank/bayesian?samples=100000"


def test_a_json_response_is_revalidated_by_etag(client: httpx.Client) -> None:
    once = client.get("/api/search", params={"query": "jaguar"})
    assert once.headers["content-type"] == "application/json"
    assert once.json()["rows"]
    for _ in range(2):
        known = {"If-None-Match": once.headers["etag"]}
        again = client.get("/api/search", params={"query": "jaguar"}, headers=known)
        assert (again.status_code, again.content) == (304, b"")
    assert client.get("/api/search", params={"query": "jaguar"}).content == once.content


def test_the_order_of_parameters_does_not_matter(client: httpx.Client) -> None:
    one = client.get("/api/search?query=jaguar&top=5")
    two = client.get("/api/search?top=5&query=jaguar")
    assert one.headers["etag"] == two.headers["etag"]
    assert one.content == two.content


def test_routes_are_built_when_they_are_first_asked_for(demo: Workspace) -> None:
    """To build the parameters of all of them takes seconds, and a server should start at once."""
    app = build_api(JobScheduler(demo.folder))
    table = [route for route in app.routes if isinstance(route, TableRoute)]
    assert len(table) == len(ROUTES)

    def built() -> list[str]:
        return [route.path for route in table if "_built" in vars(route)]

    scope = {"type": "http", "method": "GET", "path": "/api/rank/hits"}
    assert [route.path for route in table if route.matches(scope)[0] is Match.FULL] == built()
    assert built() == ["/api/rank/hits"]
    assert {route.path for route in table} < app.openapi()["paths"].keys()
    assert len(built()) == len(table)


@pytest.mark.parametrize(
    ("path", "status", "detail"),
    [
        ("/api/search", 422, "query: Field required"),
        ("/api/search?query=-", 422, "the query has no words"),
        ("/api/search?query=x&top=0", 422, "top: Input should be greater than or equal to 1"),
        ("/api/search?query=x&path=/etc", 422, "path: unknown parameter"),
        ("/api/search?query=x&since=2004-13", 422, "'2004-13' is not a date"),
        (
            "/api/rank/hits?exclude=x&exclude=",
            422,
            "exclude.1: String should have at least 1 character",
        ),
        (
            "/api/structure/bow-tie?uncaptured=maybe",
            422,
            "uncaptured: Input should be 'drop' or 'keep'",
        ),
        ("/api/page/similar?url=x&page=x", 422, "page: unknown parameter"),
        ("/api/communities/flow?seeds=http://n.com/", 404, "no page is called 'http://n.com/'"),
        ("/api/page?url=nowhere.example", 404, "no page is called 'nowhere.example'"),
        ("/api/rank/astrology", 404, "there is nothing at this address"),
        ("/api/jobs/none", 404, "there is nothing at this address"),
        ("/api/topics/atd?query=x&level=host", 422, "a query finds pages, not hosts"),
    ],
)
def test_invalid_requests_get_a_problem_with_a_hint(
    client: httpx.Client, path: str, status: int, detail: str
) -> None:
    found = client.get(path)
    assert found.status_code == status
    assert found.headers["content-type"] == "application/problem+json"
    problem = found.json()
    assert problem["detail"] == detail
    assert problem["hint"]
    assert problem["status"] == status


def test_an_unknown_parameter_lists_the_known_ones(client: httpx.Client) -> None:
    hint = client.get("/api/rank/pagerank?dampin=.5").json()["hint"]
    assert hint.startswith("did you mean 'damping'? its parameters: level, ")
    assert "tol" in hint


def test_only_reading_and_cancelling_are_allowed(client: httpx.Client) -> None:
    for verb in ("POST", "PUT", "PATCH", "DELETE"):
        found = client.request(verb, "/api/collection")
        assert found.status_code == 405
        assert found.json()["hint"]
        assert found.headers["allow"] == "GET"


def test_a_refused_verb_lists_all_that_its_path_has(client: httpx.Client) -> None:
    found = client.put("/api/curate/tags")
    assert found.status_code == 405
    assert found.headers["allow"] == "GET, POST"


def test_a_long_request_is_a_job(client: httpx.Client) -> None:
    address = "/api/compare?level=host&top=7"
    found = client.get(address, headers={"Prefer": "respond-async"})
    assert found.status_code == 202
    place = found.headers["location"]
    assert found.json()["id"] == place.rpartition("/")[2]
    with client.stream("GET", f"{place}/events") as stream:
        lines = [line for line in stream.iter_lines() if line]
    assert set(lines[::2]) == {"event: job"}
    states = [json.loads(line.removeprefix("data: "))["state"] for line in lines[1::2]]
    assert states[-1] == "done"
    assert client.get(place).json()["state"] == "done"
    result = client.get(f"{place}/result")
    assert result.json()["methods"] == default_methods().compare
    assert client.get(address).content == result.content


@pytest.mark.slow
def test_a_job_reports_progress_and_can_be_cancelled(client: httpx.Client) -> None:
    place = client.get(SLOW, headers={"Prefer": "wait=2"}).headers["location"]
    with client.stream("GET", f"{place}/events") as stream:
        for line in stream.iter_lines():
            if line.startswith("data: ") and json.loads(line[6:])["steps"]:
                break
    [step] = json.loads(line[6:])["steps"]
    assert 0 < step["done"] < step["total"]
    assert client.delete(place).status_code == 204
    assert client.get(place).json()["state"] == "cancelled"
    assert client.get(f"{place}/result").status_code == 409


def test_a_job_is_cancelled_when_its_last_client_leaves(client: httpx.Client) -> None:
    responses = [
        client.get(f"{SLOW}&seed=7", headers={"Prefer": "respond-async"}) for _ in range(2)
    ]
    [place] = {response.headers["location"] for response in responses}
    states = []
    for _ in responses:
        assert client.delete(place).status_code == 204
        states.append(client.get(place).json()["state"])
    assert states[0] in {"waiting", "running"}
    assert states[1] == "cancelled"


@pytest.mark.slow
def test_a_job_without_clients_is_cancelled(client: httpx.Client) -> None:
    address = f"{SLOW}&seed=5"
    place = client.get(address, headers={"Prefer": "respond-async"}).headers["location"]
    client.delete(place)
    with pytest.raises(httpx.ReadTimeout):
        client.get(address, timeout=1)
    for _ in range(50):
        time.sleep(0.1)
        if client.get(place).json()["state"] == "cancelled":
            break
    assert client.get(place).json()["state"] == "cancelled"


def test_cancelling_from_another_origin_is_refused(client: httpx.Client) -> None:
    place = client.get("/api/structure/counts", headers={"Prefer": "wait=0"}).headers.get(
        "location"
    )
    place = place or "/api/jobs/any"
    assert client.delete(place, headers={"Origin": "http://evil.example"}).status_code == 403


@pytest.mark.parametrize(
    ("prefer", "seconds"),
    [
        ("", 30),
        ("wait=2", 2),
        ("wait=0.25, x", 0.25),
        ("respond-async", 0),
        ("wait=9999", 60),
        ("wait=x", 30),
    ],
)
def test_clients_choose_how_long_they_wait(prefer: str, seconds: float) -> None:
    assert parse_wait_preference(prefer) == seconds


def test_files_are_attachments(client: httpx.Client) -> None:
    found = client.get("/api/graph/level?format=gexf")
    assert found.headers["content-disposition"] == 'attachment; filename="map.gexf"'
    assert found.text.startswith("<?xml")
    pages = client.get("/api/export/pages?format=tsv")
    assert pages.headers["content-type"] == "text/tab-separated-values; charset=utf-8"


def test_pictures_are_svg(client: httpx.Client) -> None:
    found = client.get("/api/structure/degrees/picture?picture=in-degrees&bootstrap_samples=0")
    assert found.headers["content-type"] == "image/svg+xml"
    assert "script-src 'self'" in found.headers["content-security-policy"]
    assert found.text.startswith("<svg ")


@pytest.mark.slow
def test_concurrent_clients_get_the_same_responses(client: httpx.Client) -> None:
    paths = [
        f"{DEFAULT}?query=jaguar",
        "/api/search?query=atari",
        "/api/page?url=jaguarmagazine.example",
        "/api/graph/around?url=jaguarmagazine.example",
        "/api/rank/hits?query=jaguar",
        "/api/structure/counts?level=host",
    ]

    def read(k: int) -> tuple[str, int, bytes]:
        path = paths[k % len(paths)]
        found = httpx.get(f"{client.base_url}{path}", timeout=60)
        return path, found.status_code, found.content

    with ThreadPoolExecutor(24) as readers:
        answers = list(readers.map(read, range(96)))
    assert {status for _, status, _ in answers} == {200}
    assert len({(path, body) for path, _, body in answers}) == len(paths)


@pytest.fixture(scope="module")
def small(
    keep_at: Callable[..., Workspace], serving: Serving, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Path, httpx.Client]]:
    """A collection of a few pages, one of them hostile, and a client of its server."""
    title = '<script>alert("x")</script>\x1b[31m=cmd|calc'
    link = Link("http://b.example/", anchor="=HYPERLINK(1)")
    folder = tmp_path_factory.mktemp("small") / "c.weft"
    keep_at(
        folder,
        Page("http://a.example/", title=title, text="hostile", links=(link,)),
        Page("http://c.example/", title="first", text="wanted words"),
    )
    with serving(folder) as client:
        yield folder, client


@pytest.mark.slow
def test_a_new_commit_is_served(
    keep_at: Callable[..., Workspace], small: tuple[Path, httpx.Client]
) -> None:
    folder, client = small
    for _ in range(2):
        before = client.get("/api/search?query=wanted").json()
        assert (before["total"], before["snapshot"]) == (1, 1)
    stop, responses = threading.Event(), list[tuple[int, int]]()

    def watch() -> None:
        while not stop.is_set():
            found = client.get("/api/search?query=wanted").json()
            responses.append((found["snapshot"], found["total"]))

    watcher = threading.Thread(target=watch)
    watcher.start()
    keep_at(folder, Page("http://d.example/", title="second", text="wanted words too"))
    after = httpx.get(f"{client.base_url}api/search?query=wanted").json()
    stop.set()
    watcher.join()
    assert (after["total"], after["snapshot"]) == (2, 2)
    assert set(responses) <= {(1, 1), (2, 2)}, "one snapshot or the next, never a mixture"
    assert client.get("/api/collection").json()["snapshot"] == 2


@pytest.mark.slow
def test_hostile_text_is_only_text(small: tuple[Path, httpx.Client]) -> None:
    _, client = small
    found = client.get("/api/search?query=hostile")
    assert found.headers["content-type"] == "application/json"
    assert found.headers["x-content-type-options"] == "nosniff"
    assert found.json()["rows"][0]["title"].startswith("<script>")
    rows = client.get("/api/page/links?url=a.example&direction=out&format=csv").text
    [row] = csv.DictReader(io.StringIO(rows))
    assert row["anchor"] == "'=HYPERLINK(1)"


def test_no_url_reaches_the_file_system(client: httpx.Client) -> None:
    tries = [
        "/../../etc/passwd",
        "/..%2f..%2fetc%2fpasswd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "//etc/passwd",
    ]
    for path in tries:
        found = httpx.get(f"{str(client.base_url).rstrip('/')}{path}")
        assert b"root:" not in found.content
    for parameter in ("stoplist=/etc/passwd", "stoplist=../x"):
        assert client.get(f"{DEFAULT}?query=jaguar&{parameter}").status_code == 422
    for path in ("/api/page?url=file:///etc/passwd", "/api/page?url=/etc/passwd"):
        assert client.get(path).status_code == 404


def test_any_path_outside_the_api_serves_the_workbench(client: httpx.Client) -> None:
    found = client.get("/some/deep/link?query=x")
    assert found.status_code == 200
    assert found.headers["content-type"].startswith("text/html")
    assert found.headers["content-security-policy"].startswith("default-src 'none'")


def test_nothing_else_is_served_below_the_api(client: httpx.Client) -> None:
    for path in ("/api", "/api/", "/api/docs", "/docs", "/redoc", "/openapi.json"):
        found = client.get(path)
        expected = (
            "application/problem+json" if path.startswith("/api") else "text/html; charset=utf-8"
        )
        assert found.headers["content-type"] == expected


@pytest.mark.slow
def test_damage_is_reported(small: tuple[Path, httpx.Client]) -> None:
    folder, client = small
    assert client.get("/api/search?query=wanted").status_code == 200
    original = (folder / "collection.json").read_text()
    manifest: Any = json.loads(original)
    manifest["sha256"] = "0" * 64
    (folder / "collection.json").write_text(json.dumps(manifest))
    found = client.get("/api/search?query=wanted")
    assert found.status_code == 500
    assert "weft doctor" in found.json()["hint"]
    (folder / "collection.json").write_text(original)
    assert client.get("/api/search?query=wanted").status_code == 200, "as soon as it is repaired"
