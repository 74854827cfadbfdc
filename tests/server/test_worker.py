"""The worker process: its replies and its errors."""

import json
import logging
import subprocess
import sys
from dataclasses import replace
from multiprocessing import Pipe
from pathlib import Path
from typing import Any

import pytest

from weft.core.errors import CollectionBusy, DamagedFile, WeftError
from weft.core.worker_pool import RUN_WORKER
from weft.server import worker
from weft.server.jobs import JSON_MEDIA_TYPE, START_SESSION, Reply
from weft.server.routes import ROUTES
from weft.server.schemas.responses import PROBLEM_MEDIA_TYPE, ApiResponse
from weft.server.session import Session
from weft.workspace.workspace import Workspace


def answer(session: Session, path: str, **params: Any) -> Reply:
    return worker.answer_request(session, path, params)


def replace_handler(monkeypatch: pytest.MonkeyPatch, handler: Any) -> None:
    """Let another function answer `collection`."""
    monkeypatch.setitem(ROUTES, "collection", replace(ROUTES["collection"], handler=handler))


def test_a_result_is_json(session: Session) -> None:
    done = answer(session, "search", query="jaguar")
    assert (done.http_status, done.media_type) == (200, JSON_MEDIA_TYPE)
    assert json.loads(done.body)["query"] == "jaguar"


def test_a_file_has_a_name(session: Session) -> None:
    done = answer(session, "search", query="jaguar", format="csv")
    assert done.file_name == "search.csv"
    assert done.file is not None
    assert done.file.read_text().startswith('"score"')


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
    reply = answer(session, "collection")
    assert (reply.http_status, reply.media_type) == (status, PROBLEM_MEDIA_TYPE)
    assert not reply.cacheable
    problem = json.loads(reply.body)
    assert problem["detail"]
    assert problem["hint"]
    assert b"secret" not in reply.body


def test_a_bug_is_logged_and_not_sent(
    session: Session, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(_desk: Session, _params: Any) -> ApiResponse:
        raise ZeroDivisionError("internal detail")

    replace_handler(monkeypatch, broken)
    with caplog.at_level(logging.ERROR):
        reply = answer(session, "collection")
    assert reply.http_status == 500
    assert b"internal detail" not in reply.body
    assert "internal detail" in caplog.text


@pytest.mark.slow
def test_a_worker_starts_without_what_it_never_or_seldom_needs() -> None:
    """Each server starts three of them."""
    script = (
        "import sys, weft.server.worker\n"
        "print(sorted({'fastapi', 'uvicorn', 'scipy.optimize', 'sklearn'} & set(sys.modules)))"
    )
    line = [sys.executable, "-c", script]
    done = subprocess.run(line, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.slow
def test_a_worker_ends_with_its_connection(demo: Workspace, tmp_path: Path) -> None:
    """And removes the temporary folder."""
    tmp_dir = tmp_path / "downloads"
    tmp_dir.mkdir()
    mine, theirs = Pipe()
    with mine, theirs:
        command = [sys.executable, "-P", "-c", RUN_WORKER, str(theirs.fileno()), START_SESSION]
        process = subprocess.Popen([*command, *sys.path], pass_fds=[theirs.fileno()])
        theirs.close()
        mine.send((demo.folder, tmp_dir, 0))
        assert mine.recv() == ("ready", None)
        mine.send(("search", {"query": "jaguar"}))
        kind, found = mine.recv()
        assert (kind, json.loads(found.body)["total"] > 0) == ("result", True)
        mine.send(("search", {"query": "-"}))
        _, refused = mine.recv()
        assert refused.http_status == 422
        assert json.loads(refused.body)["detail"] == "the query has no words"
        assert tmp_dir.exists()
    assert process.wait(60) == 0
    assert not tmp_dir.exists()
