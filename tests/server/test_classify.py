"""Classifiers by POST: examples in the body, the rest in the URL."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from pyarrow import csv
from tests.command import in_lines, rows

from weft.core.register import METHODS
from weft.gather.page import Link, Page
from weft.server.session import Session
from weft.workspace.workspace import Workspace

Ask = Callable[..., Any]
TAGS = {"cars": "in", "cats": "out"}


@pytest.fixture(scope="module")
def train(demo: Workspace) -> list[tuple[str, str]]:
    """A few pages that searches find, by the sense of the word."""
    return [
        (row["url"], sense)
        for sense in ("cars", "football")
        for row in demo.search(f"jaguar {sense}", 5, snippets=False).to_table().to_pylist()
    ]


def test_classes_are_those_of_the_library(
    ask: Ask, demo: Workspace, train: list[tuple[str, str]]
) -> None:
    known = demo.classify(train, "naive-bayes", smoothing=1.0)
    found = ask("classify/naive-bayes", train=train, smoothing=1.0, offset=2, top=3, reasons=True)
    rows = known.to_table(reasons=True).slice(2, 3).to_pylist()
    assert [(row["url"], row["class"], row["certainty"]) for row in found["rows"]] == [
        (row["url"], row["class"], row["certainty"]) for row in rows
    ]
    assert [" ".join(row["words"]) for row in found["rows"]] == [row["words"] for row in rows]
    assert found["total"] == len(known)
    assert found["offset"] == 2
    assert known.estimate is not None
    assert found["estimate"]["accuracy"] == known.estimate.accuracy
    assert "collection" not in found["provenance"]
    file = ask("classify/naive-bayes", train=train, smoothing=1.0, format="csv")
    assert csv.read_csv(file.path)["url"].to_pylist() == known.to_table()["url"].to_pylist()


def test_the_server_reads_the_body(client: httpx.Client, train: list[tuple[str, str]]) -> None:
    one = client.post("/api/classify/linear", json={"train": train}, params={"top": 2})
    assert one.status_code == 200
    assert len(one.json()["rows"]) == 2
    # other examples in the body are another request
    swapped = [(url, f"not {name}") for url, name in train]
    other = client.post("/api/classify/linear", json={"train": swapped}, params={"top": 2})
    assert {row["class"] for row in other.json()["classes"]} == {"not cars", "not football"}
    assert other.headers["etag"] != one.headers["etag"]


@pytest.mark.parametrize(
    ("body", "status", "detail"),
    [
        ({}, 422, "there are too few pages with a decision to learn from"),
        ({"train": []}, 422, "train: List should have at least 1 item"),
        ({"train": [["a"]]}, 422, "train.0.1: Field required"),
        ({"train": [["a", ""]]}, 422, "train.0.1: String should have at least 1 character"),
        ({"train": [["nowhere", "x"]]}, 422, "no usable examples: 1 unknown URL ignored"),
        ({"train": [["x" * 3000, "x"]] * 100}, 413, "the request body is too long"),
    ],
)
def test_bad_examples_are_problems(
    client: httpx.Client, body: dict[str, Any], status: int, detail: str
) -> None:
    refused = client.post("/api/classify/linear", json=body)
    assert refused.status_code == status
    assert refused.json()["detail"].startswith(detail)
    assert refused.json()["hint"]


def test_reasons_and_shares_are_given_where_asked(ask: Ask, train: list[tuple[str, str]]) -> None:
    found = ask("classify/linear", train=train, top=3, reasons=True, summary=True, of_class="cars")
    assert {row["class"] for row in found["rows"]} == {"cars"}
    assert all(set(row) >= {"words", "neighbours", "anchors"} for row in found["rows"])
    assert any(row["anchors"] for row in found["rows"])
    assert [row["class"] for row in found["shares"]] == ["cars", "football"]
    assert sum(row["share"] for row in found["shares"]) == pytest.approx(1)
    plain = ask("classify/linear", train=train, top=1)
    assert plain["shares"] == plain["warnings"] == []


def test_examples_cannot_be_got(client: httpx.Client) -> None:
    assert client.get("/api/classify/linear").status_code == 404


def test_other_origins_are_refused(client: httpx.Client, train: list[tuple[str, str]]) -> None:
    refused = client.post(
        "/api/classify/linear", json={"train": train}, headers={"Origin": "http://evil.example"}
    )
    assert refused.status_code == 403


@pytest.fixture(scope="module")
def tagged(keep_at: Callable[..., Workspace], tmp_path_factory: pytest.TempPathFactory) -> Session:
    """A session on twenty linked pages of two subjects, half of them tagged."""
    words = {"cars": "engine wheel motor", "cats": "fur paw whisker"}
    pages = [
        Page(
            f"http://{name}.example/{k}",
            title=f"{name} {k}",
            text=f"{text} number{k}",
            links=tuple(Link(f"http://{name}.example/{j}", anchor=f"my {name}") for j in range(k)),
        )
        for name, text in words.items()
        for k in range(10)
    ]
    workspace = keep_at(tmp_path_factory.mktemp("classified") / "c.weft", *pages)
    for name in words:
        workspace.tag([f"{name}.example/{k}" for k in range(5)], "decision", TAGS[name])
    session = Session(workspace, tmp_path_factory.mktemp("downloads"))
    session.refresh_snapshot()
    return session


@pytest.mark.parametrize("method", [m.name for m in METHODS.values() if m.kind == "classify"])
def test_every_interface_gives_the_same_classes(
    method: str, tagged: Session, ask_session: Ask
) -> None:
    """Learned from tags: library, command, API, and the proposals of the workbench."""

    def key(row: dict[str, Any], name: str = "class") -> Any:
        return row["url"], row[name], pytest.approx(row["certainty"], abs=1e-12)

    workspace = tagged.workspace
    known = workspace.classify(facet="decision", method=method).to_table().to_pylist()
    assert len(known) == 10
    words = ("classify", method, workspace.folder, "--facet", "decision")
    assert list(map(key, rows(in_lines(*words)))) == list(map(key, known))
    found = ask_session(tagged, f"classify/{method}", facet="decision", top=10)
    assert list(map(key, found["rows"])) == list(map(key, known))
    proposed = ask_session(tagged, "curate/proposals", method=method, top=10)["rows"]
    sure = [row for row in known if row["certainty"] > 0]
    assert [key(row, "value") for row in proposed] == list(map(key, sure))
