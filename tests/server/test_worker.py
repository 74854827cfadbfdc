"""The worker process: its replies and its errors."""

import json
import logging
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from weft.core.errors import CollectionBusy, DamagedFile, WeftError
from weft.core.progress import track
from weft.server import worker
from weft.server.routes import ROUTES
from weft.server.schemas.responses import ApiResponse
from weft.server.session import Session
from weft.workspace.workspace import Workspace


def replies(session: Session, path: str, **params: Any) -> list[dict[str, Any]]:
    sent: list[dict[str, Any]] = []
    worker.answer_request(
        session,
        path,
        params,
        lambda kind, body=b"", **fields: sent.append({"kind": kind, "body": body, **fields}),
    )
    return sent


def replace_handler(monkeypatch: pytest.MonkeyPatch, handler: Any) -> None:
    """Let another function answer `collection`."""
    monkeypatch.setitem(ROUTES, "collection", replace(ROUTES["collection"], handler=handler))


def test_a_result_is_json(session: Session) -> None:
    [done] = replies(session, "search", query="jaguar")
    assert done["kind"] == "result"
    assert json.loads(done["body"])["query"] == "jaguar"


def test_a_file_has_a_name(session: Session) -> None:
    [done] = replies(session, "search", query="jaguar", format="csv")
    assert (done["kind"], done["name"]) == ("file", "search.csv")
    assert Path(done["path"]).read_text().startswith('"score"')


def test_progress_is_reported(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(session: Session, _params: Any) -> ApiResponse:
        monkeypatch.setattr(worker, "PROGRESS_SECONDS", 0.0)
        for _ in track(range(3), "counting", 3):
            pass
        return ApiResponse(snapshot=session.snapshot_number)

    replace_handler(monkeypatch, slow)
    *progress, _result = replies(session, "collection")
    assert [(step["done"], step["total"]) for step in progress][-1] == (3, 3)


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (WeftError("no", hint="do"), 422),
        (CollectionBusy("no", hint="do"), 503),
        (DamagedFile("no"), 500),
        (MemoryError(), 507),
        (OSError(5, "Input/output error", "/secret/place"), 500),
    ],
)
def test_errors_have_a_message_and_a_hint(
    session: Session, monkeypatch: pytest.MonkeyPatch, error: Exception, status: int
) -> None:
    def failing(_desk: Session, _params: Any) -> ApiResponse:
        raise error

    replace_handler(monkeypatch, failing)
    [reply] = replies(session, "collection")
    assert (reply["kind"], reply["http_status"]) == ("problem", status)
    problem = json.loads(reply["body"])
    assert problem["detail"]
    assert problem["hint"]
    assert "secret" not in reply["body"].decode()


def test_a_bug_is_logged_and_not_sent(
    session: Session, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(_desk: Session, _params: Any) -> ApiResponse:
        raise ZeroDivisionError("internal detail")

    replace_handler(monkeypatch, broken)
    with caplog.at_level(logging.ERROR):
        [reply] = replies(session, "collection")
    assert reply["http_status"] == 500
    assert b"internal detail" not in reply["body"]
    assert "internal detail" in caplog.text


@pytest.mark.slow
def test_a_worker_ends_with_its_input(demo: Workspace, tmp_path: Path) -> None:
    tmp_dir = tmp_path / "downloads"
    tmp_dir.mkdir()
    requests = [{"path": "search", "params": {"query": word}} for word in ("jaguar", "-")]
    done = subprocess.run(
        [sys.executable, "-P", "-m", "weft.server.worker", str(demo.folder), str(tmp_dir), "0"],
        input="".join(json.dumps(request) + "\n" for request in requests).encode(),
        capture_output=True,
        check=True,
    )
    head, _, rest = done.stdout.partition(b"\n")
    size = json.loads(head)["size"]
    assert json.loads(rest[:size])["total"] > 0
    head, _, rest = rest[size:].partition(b"\n")
    assert json.loads(head)["http_status"] == 422
    assert json.loads(rest)["detail"] == "the query has no words"
    assert not tmp_dir.exists()
