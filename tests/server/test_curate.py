"""Curation by the API: tags and entities are set, undone, and seen by the next request."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import httpx
import pytest

from weft.gather.page import Link, Page
from weft.workspace.workspace import Workspace

Serving = Callable[[Path], AbstractContextManager[httpx.Client]]
WORDS = {"cars": "engine wheel motor", "cats": "fur paw whisker"}


@pytest.fixture(scope="module")
def folder(keep_at: Callable[..., Workspace], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twenty pages on two subjects; page k of a subject is linked from the pages after it."""
    pages = [
        Page(
            f"http://{name}{k}.example/",
            title=f"{name} {k}",
            text=f"{words} number{k}",
            links=tuple(Link(f"http://{name}{j}.example/", anchor=f"my {name}") for j in range(k)),
        )
        for name, words in WORDS.items()
        for k in range(10)
    ]
    return keep_at(tmp_path_factory.mktemp("curated") / "c.weft", *pages).folder


@pytest.fixture(scope="module")
def server(serving: Serving, folder: Path) -> Iterator[httpx.Client]:
    """A client of one server for all tests."""
    with serving(folder) as client:
        yield client


@pytest.fixture
def client(server: httpx.Client, folder: Path) -> Iterator[httpx.Client]:
    """The client, with a collection that has no tags and no entities."""
    yield server
    (folder / "tags.jsonl").unlink(missing_ok=True)
    for rules in (folder / "entities").glob("*.toml"):
        rules.unlink()


def get(client: httpx.Client, path: str, **params: Any) -> Any:
    response = client.get(f"/api/{path}", params=params)
    assert response.status_code == 200, response.text
    return response.json()


def page(name: str) -> str:
    return f"http://{name}.example/"


def tag(client: httpx.Client, value: str, *names: str, facet: str = "decision") -> httpx.Response:
    tags = [{"target": page(name), "facet": facet, "value": value} for name in names]
    return client.post("/api/curate/tags", json={"tags": tags, "by": "ann"})


def test_a_tag_is_seen_by_the_next_request(client: httpx.Client) -> None:
    assert tag(client, "in", "cars0", "cars1").json() == {"batch": 1, "tags": 2}
    wanted = {"only_tag": "decision=in"}
    first = client.get("/api/rank/indegree", params=wanted)
    assert {row["url"] for row in first.json()["rows"]} == {page("cars0"), page("cars1")}
    tag(client, "in", "cats3")
    etag = {"If-None-Match": first.headers["etag"]}
    second = client.get("/api/rank/indegree", params=wanted, headers=etag)
    assert second.status_code == 200
    assert len(second.json()["rows"]) == 3
    assert get(client, "search", query="number3 tag:decision=in")["total"] == 1
    tag(client, "", "cats3")
    assert get(client, "search", query="number3 tag:decision=in")["total"] == 0


def test_facets_are_counted_and_batches_undone(client: httpx.Client) -> None:
    tag(client, "in", "cars0")
    tag(client, "out", "cats0", "cats1")
    found = get(client, "curate/tags")
    [decision] = found["facets"]
    assert decision["values"] == [
        {"value": "in", "tags": 1, "pages": 1},
        {"value": "out", "tags": 2, "pages": 2},
    ]
    assert [row["target"] for row in found["rows"]][-1] == page("cars0")
    assert found["rows"][0]["by"] == "ann"
    undone = client.post("/api/curate/tags/undo", json={"batch": 1})
    assert undone.json() == {"batch": 1, "tags": 1}
    assert get(client, "curate/tags")["total"] == 2
    again = client.post("/api/curate/tags/undo", json={"batch": 1})
    assert (again.status_code, again.json()["detail"]) == (422, "there is nothing to undo")


def test_candidates_are_most_linked_first(client: httpx.Client) -> None:
    found = get(client, "curate/candidates", top=2)
    assert [row["url"] for row in found["rows"]] == [page("cars0"), page("cats0")]
    assert (found["rows"][0]["inlinks"], found["total"]) == (9, 20)
    tag(client, "out", "cars0")
    tag(client, "undecided", "cats0")
    found = get(client, "curate/candidates", top=1)
    assert (found["rows"][0]["url"], found["total"]) == (page("cats0"), 19)
    assert found["rows"][0]["value"] == "undecided"
    assert get(client, "curate/candidates", show="decided")["total"] == 1
    hosts = get(client, "curate/candidates", level="host", show="all", top=1)
    assert (hosts["rows"][0]["url"], hosts["rows"][0]["kind"]) == ("cars0.example", "host")


def test_every_level_has_candidates_that_can_be_tagged(client: httpx.Client) -> None:
    entity = {"name": "Zero", "prefixes": ["cars0.example", "cats0.example"]}
    assert client.post("/api/curate/entities/add", json=entity).status_code == 200
    for level, scope in {"host": "host", "domain": "domain", "entity": "entity"}.items():
        row = get(client, "curate/candidates", level=level, top=1)["rows"][0]
        assert (row["scope"], row["kind"]) == (scope, level)
        words = {"target": row["target"], "scope": row["scope"], "facet": "topic", "value": level}
        assert client.post("/api/curate/tags", json={"tags": [words]}).status_code == 200
        [found] = get(client, "curate/candidates", level=level, facet="topic", show="decided")[
            "rows"
        ]
        assert (found["url"], found["value"]) == (row["url"], level)
        assert [tag["value"] for tag in found["tags"]] == [level]
        assert client.post("/api/curate/tags/undo", json={}).status_code == 200
    assert row["url"] == "Zero"
    rest = get(client, "curate/candidates", level="entity")["rows"][1]
    assert rest["scope"] == "host"
    assert client.post("/api/curate/entities/default", json={"default": "domain"}).is_success
    rest = get(client, "curate/candidates", level="entity")["rows"][1]
    assert rest["scope"] == "domain"


def test_csv_goes_out_and_in(client: httpx.Client) -> None:
    tag(client, "in", "cars0")
    tag(client, "x", "cars1", facet="topic")
    exported = client.get("/api/curate/tags", params={"format": "csv"}).text
    only = client.get("/api/curate/tags", params={"format": "csv", "facet": "topic"}).text
    assert (len(exported.splitlines()), len(only.splitlines())) == (3, 2)
    tag(client, "out", "cars0")
    tag(client, "", "cars1", facet="topic")
    imported = client.post("/api/curate/tags/import", json={"csv": exported}).json()
    assert (imported["tags"], imported["conflicts"]) == (1, 1)
    [conflict] = imported["rows"]
    assert (conflict["ours"]["value"], conflict["theirs"]["value"]) == ("out", "in")
    words = {"csv": exported, "theirs": True}
    assert client.post("/api/curate/tags/import", json=words).json()["tags"] == 1
    values = {row["target"]: row["value"] for row in get(client, "curate/tags")["rows"]}
    assert values == {page("cars0"): "in", page("cars1"): "x"}
    refused = client.post("/api/curate/tags/import", json={"csv": "a,b\n1,2\n"})
    assert (refused.status_code, refused.json()["detail"]) == (
        422,
        "the file has no columns facet and value",
    )


def test_entities_go_out_and_in(client: httpx.Client) -> None:
    words = {"csv": "NAME;PREFIXES\nZero;s:http|h:example|h:cars0| http://cats0.example/\n"}
    assert client.post("/api/curate/entities/import", json=words).json()["entities"] == 1
    exported = client.get("/api/curate/entities", params={"format": "csv"}).text.split()
    assert [line.replace('"', "") for line in exported] == [
        "name,prefix",
        "Zero,cars0.example",
        "Zero,cats0.example",
    ]


def test_a_large_import_is_accepted(client: httpx.Client) -> None:
    rows = "".join(f"http://p{k}.example/{'x' * 90},topic,a\n" for k in range(3000))
    words = {"csv": f"url,facet,value\n{rows}"}
    assert client.post("/api/curate/tags/import", json=words).json()["tags"] == 3000


def test_proposals_have_reasons_and_can_be_rejected(client: httpx.Client) -> None:
    refused = client.get("/api/curate/proposals", params={"method": "linear"})
    assert refused.status_code == 422
    assert "too few pages" in refused.json()["detail"]
    tag(client, "in", "cars0", "cars1", "cars2")
    tag(client, "out", "cats0", "cats1", "cats2")
    found = get(client, "curate/proposals", method="linear", top=14)
    values = {row["url"]: row["value"] for row in found["rows"]}
    assert values[page("cars5")] == "in"
    assert values[page("cats5")] == "out"
    [row] = [row for row in found["rows"] if row["url"] == page("cars5")]
    assert row["inlinks"] == 4
    assert set(row["words"]) & {"engine", "engin", "wheel", "motor"}
    assert row["anchors"] == ["my cars"]
    assert {other["is_example"] for other in row["neighbours"]} == {True}
    tag(client, "in", "cars5", facet="decision-rejected")
    found = get(client, "curate/proposals", method="linear", top=14)
    assert {row["url"]: row["value"] for row in found["rows"]}[page("cars5")] == "out"
    teaching = get(client, "curate/proposals", method="linear", order="teaching", top=5)
    assert len({row["url"] for row in teaching["rows"]}) == 5


def test_the_effect_of_tags_is_before_and_after(client: httpx.Client) -> None:
    tag(client, "out", "cats9")
    before = get(client, "curate/effect", since=1, method="indegree", top=3)
    assert (before["before"], before["after"]) == (19, 19)
    tag(client, "out", "cars0")
    found = get(client, "curate/effect", since=1, method="indegree", top=3)
    assert (found["before"], found["after"]) == (19, 18)
    [first] = [row for row in found["places"] if row["url"] == page("cars0")]
    assert (first["before"], first["after"]) == (1, None)


def test_entities_are_added_merged_split_and_undone(client: httpx.Client) -> None:
    def post(action: str, **words: Any) -> Any:
        response = client.post(f"/api/curate/entities/{action}", json=words)
        assert response.status_code == 200, response.text
        return response.json()

    post("add", name="Zero", prefixes=["cars0.example", "cats0.example"])
    assert post("add", name="One", prefixes=["cars1.example"])["entities"] == 2
    rows = get(client, "curate/entities")["rows"]
    assert [(row["name"], row["pages"]) for row in rows] == [("One", 1), ("Zero", 2)]
    assert post("merge", name="All", others=["Zero", "One"])["entities"] == 1
    levels = get(client, "rank/indegree", level="entity", top=50)
    assert "All" in {row["url"] for row in levels["rows"]}
    assert post("split", name="All")["entities"] == 0
    assert post("undo")["entities"] == 1


def test_two_clients_at_once_lose_nothing(client: httpx.Client) -> None:
    names = [f"{name}{k}" for name in WORDS for k in range(10)]

    def add(k: int) -> int:
        return client.post(
            "/api/curate/entities/add",
            json={"name": f"entity {k}", "prefixes": [f"{names[k]}.example"]},
        ).status_code

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda name: tag(client, "in", name).json()["batch"], names))
        assert set(pool.map(add, range(20))) == {200}
        undone = list(pool.map(lambda _: client.post("/api/curate/tags/undo", json={}), range(5)))
    assert sorted(found) == [*range(1, 21)]
    assert len({response.json()["batch"] for response in undone}) == 5
    assert get(client, "curate/tags")["total"] == 15
    assert len(get(client, "curate/entities")["rows"]) == 20


@pytest.mark.parametrize(
    "path",
    ["tags", "tags/undo", "tags/import", "entities/add", "entities/default", "entities/undo"],
)
def test_other_origins_cannot_write(client: httpx.Client, path: str) -> None:
    refused = client.post(f"/api/curate/{path}", json={}, headers={"Origin": "http://evil.example"})
    assert refused.status_code == 403


@pytest.mark.parametrize(
    ("words", "detail"),
    [
        ({"target": "nowhere", "facet": "decision", "value": "in"}, "is called 'nowhere'"),
        ({"target": page("cars0"), "facet": "decision", "value": "maybe"}, "is no decision"),
        ({"target": page("cars0"), "facet": "Big", "value": "x"}, "tags.0.facet"),
    ],
)
def test_bad_tags_are_problems(client: httpx.Client, words: dict[str, str], detail: str) -> None:
    refused = client.post("/api/curate/tags", json={"tags": [words]})
    assert refused.status_code == 422
    assert detail in refused.json()["detail"]
    assert get(client, "curate/tags")["total"] == 0
