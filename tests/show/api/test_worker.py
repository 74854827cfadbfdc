"""A process that answers: its replies, and how it excuses itself."""

import json
import logging
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from weft.core.errors import Busy, Damaged, WeftError
from weft.core.progress import track
from weft.run.workspace import Workspace
from weft.show.api import worker
from weft.show.api.desk import Desk
from weft.show.api.routes import ROUTES, Route
from weft.show.api.shapes import Answer


def replies(desk: Desk, path: str, **asked: Any) -> list[dict[str, Any]]:
    told: list[dict[str, Any]] = []
    worker.answer(
        desk,
        path,
        asked,
        lambda what, body=b"", **more: told.append({"what": what, "body": body, **more}),
    )
    return told


def stands_in(monkeypatch: pytest.MonkeyPatch, answer: Any) -> None:
    """Let another function answer for the collection."""
    known = ROUTES["collection"]
    made = Route(known.path, known.asks, answer, known.gives, known.summary)
    monkeypatch.setitem(ROUTES, "collection", made)


def test_an_answer_is_json(desk: Desk) -> None:
    [done] = replies(desk, "search", query="jaguar")
    assert done["what"] == "done"
    assert json.loads(done["body"])["query"] == "jaguar"


def test_a_file_is_named(desk: Desk) -> None:
    [done] = replies(desk, "search", query="jaguar", format="csv")
    assert (done["what"], done["name"]) == ("file", "search.csv")
    assert Path(done["path"]).read_text().startswith('"score"')


def test_progress_is_told(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(at: Desk, _ask: Any) -> Answer:
        monkeypatch.setattr(worker, "EVERY", 0.0)
        for _ in track(range(3), "counting", 3):
            pass
        return Answer(snapshot=at.snapshot)

    stands_in(monkeypatch, slow)
    *told, _done = replies(desk, "collection")
    assert [(step["done"], step["total"]) for step in told][-1] == (3, 3)


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (WeftError("no", hint="do"), 422),
        (Busy("no", hint="do"), 503),
        (Damaged("no"), 500),
        (MemoryError(), 507),
        (OSError(5, "Input/output error", "/secret/place"), 500),
    ],
)
def test_errors_are_a_sentence_and_a_cure(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, error: Exception, status: int
) -> None:
    def failing(_desk: Desk, _ask: Any) -> Answer:
        raise error

    stands_in(monkeypatch, failing)
    [told] = replies(desk, "collection")
    assert (told["what"], told["status"]) == ("problem", status)
    problem = json.loads(told["body"])
    assert problem["detail"]
    assert problem["cure"]
    assert "secret" not in told["body"].decode()


def test_a_bug_is_logged_and_not_shown(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(_desk: Desk, _ask: Any) -> Answer:
        raise ZeroDivisionError("inner matters")

    stands_in(monkeypatch, broken)
    with caplog.at_level(logging.ERROR):
        [told] = replies(desk, "collection")
    assert told["status"] == 500
    assert b"inner matters" not in told["body"]
    assert "inner matters" in caplog.text


def test_a_process_answers_until_its_input_ends(demo: Workspace, tmp_path: Path) -> None:
    drawer = tmp_path / "drawer"
    drawer.mkdir()
    questions = [{"path": "search", "ask": {"query": word}} for word in ("jaguar", "-")]
    done = subprocess.run(
        [sys.executable, "-P", "-m", "weft.show.api.worker", str(demo.folder), str(drawer), "0"],
        input="".join(json.dumps(question) + "\n" for question in questions).encode(),
        capture_output=True,
        check=True,
    )
    head, _, rest = done.stdout.partition(b"\n")
    size = json.loads(head)["size"]
    assert json.loads(rest[:size])["total"] > 0
    head, _, rest = rest[size:].partition(b"\n")
    assert json.loads(head)["status"] == 422
    assert json.loads(rest)["detail"] == "the query has no words"
    assert not drawer.exists()
