"""`weft serve` and `weft demo --serve` from start to Ctrl-C."""

import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import httpx
import psutil
import pytest
from tests.command import COMMAND
from typer.testing import CliRunner

from weft.cli import app, serve
from weft.core.errors import WeftError
from weft.server.jobs import START_SESSION
from weft.workspace.workspace import Workspace


def started(*words: str) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    return subprocess.Popen([*COMMAND, *words], stdout=pipe, stderr=pipe, text=True)


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a server and its processes put what they need for a while."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


@pytest.fixture
def alone(demo: Workspace, tmp_path: Path) -> Path:
    """A copy of the demo web that nobody else serves."""
    return Path(shutil.copytree(demo.folder, tmp_path / "alone.weft"))


def workers_of(server: subprocess.Popen[str]) -> list[psutil.Process]:
    children = psutil.Process(server.pid).children()
    return [child for child in children if START_SESSION in child.cmdline()]


@pytest.mark.slow
def test_it_prints_its_address_and_stops_on_ctrl_c(alone: Path, temporary: Path) -> None:
    server = started("serve", str(alone), "--no-browser", "--port", "0")
    assert server.stdout is not None
    address = server.stdout.readline().strip()
    assert httpx.get(f"{address}api/collection", timeout=60).status_code == 200
    job = httpx.get(
        f"{address}api/rank/bayesian?samples=100000", headers={"Prefer": "respond-async"}
    ).json()
    assert job["state"] in {"waiting", "running"}
    waiting = socket.create_connection((httpx.URL(address).host, httpx.URL(address).port or 0))
    waiting.sendall(b"GET /api/rank/bayesian?samples=100000 HTTP/1.1\r\nHost: localhost\r\n\r\n")
    time.sleep(1)
    workers = workers_of(server)
    server.send_signal(signal.SIGINT)
    time.sleep(0.05)
    server.send_signal(signal.SIGINT)  # people press it twice
    _, stderr = server.communicate(timeout=20)
    assert server.returncode == 130
    assert stderr.splitlines()[-1] == "stopped"
    assert "Traceback" not in stderr
    assert b"503" in waiting.recv(100), "waiting clients get an answer"
    waiting.close()
    assert workers
    assert not any(worker.is_running() for worker in workers)
    assert not list(temporary.iterdir())


@pytest.mark.slow
def test_workers_end_with_a_server_that_is_killed_and_leave_nothing(
    alone: Path, temporary: Path
) -> None:
    server = started("serve", str(alone), "--no-browser", "--port", "0")
    assert server.stdout is not None
    address = server.stdout.readline().strip()
    httpx.get(f"{address}api/search?query=jaguar&format=csv", timeout=60)
    workers = workers_of(server)
    assert workers
    assert list(temporary.rglob("*.csv"))
    server.kill()
    server.communicate()
    _, alive = psutil.wait_procs(workers, 20)
    assert not alive
    assert not list(temporary.iterdir())


@pytest.mark.slow
def test_a_taken_port_and_a_missing_collection_are_errors(demo: Workspace, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = started("serve", str(demo.folder), "--no-browser", "--port", port)
        _, stderr = done.communicate(timeout=60)
    assert done.returncode == 1
    assert stderr.startswith(f"error: port {port} is in use (choose another with --port")
    done = started("serve", str(tmp_path / "none.weft"), "--no-browser", "--port", "0")
    _, stderr = done.communicate(timeout=60)
    assert done.returncode == 1
    assert "is not a collection" in stderr


@pytest.mark.slow
def test_other_machines_need_the_token(
    demo: Workspace, serve_at: Callable[..., AbstractContextManager[str]]
) -> None:
    with serve_at(demo.folder, "--host", "0.0.0.0") as printed:
        address, _, token = printed.replace("localhost", "127.0.0.1").partition("?token=")
        assert len(token) >= 32
        for path in ("", "assets/app.js", "api/collection/summary"):
            refused = httpx.get(address + path)
            assert refused.status_code == 401
            assert "weft serve" in refused.json()["hint"]
        brief = httpx.get(
            f"{address}api/collection/summary", headers={"Authorization": f"Bearer {token}"}
        )
        assert brief.status_code == 200
        with httpx.Client(follow_redirects=True, timeout=60) as browser:
            entered = browser.get(f"{address}?token={token}")
            assert (entered.status_code, str(entered.url)) == (200, address)
            assert browser.get(f"{address}api/search?query=jaguar").status_code == 200


def test_a_token_can_be_given(demo: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[str] = []
    monkeypatch.setattr("weft.server.server.serve", lambda *words: given.append(words[4]))
    words = ["serve", str(demo.folder), "--no-browser"]
    CliRunner().invoke(app, [*words, "--token", "from-the-command-line"])
    CliRunner(env={"WEFT_TOKEN": "from-the-environment"}).invoke(app, words)
    CliRunner().invoke(app, words)
    assert given == ["from-the-command-line", "from-the-environment", ""]


def test_without_the_server_installed_it_says_what_to_install(
    demo: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serve, "find_spec", lambda _name: None)
    result = CliRunner().invoke(app, ["serve", str(demo.folder)])
    assert isinstance(result.exception, WeftError)
    assert "weft[serve]" in result.exception.hint


def test_without_a_built_workbench_it_says_so_in_one_line(
    demo: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("weft.server.static.files", lambda _package: tmp_path)
    monkeypatch.setattr(
        "weft.server.server.serve",
        lambda _folder, _host, _port, ready, *_more: ready("http://x/"),
    )
    done = CliRunner().invoke(app, ["serve", str(demo.folder), "--no-browser"])
    lines = [line for line in done.stderr.splitlines() if "workbench" in line]
    assert len(lines) == 1
    assert "make page" in lines[0]
    assert lines[0].endswith("the API is at http://x/api/")


def test_the_browser_opens_unless_disabled(
    demo: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []

    def browse(address: str) -> bool:
        opened.append(address)
        return True

    monkeypatch.setattr("webbrowser.open", browse)
    monkeypatch.setattr(
        "weft.server.server.serve",
        lambda _folder, _host, _port, ready, *_more: ready("http://x/"),
    )
    CliRunner().invoke(app, ["serve", str(demo.folder), "--no-browser"])
    assert not opened
    CliRunner().invoke(app, ["serve", str(demo.folder)])
    until = time.monotonic() + 5
    while not opened and time.monotonic() < until:
        time.sleep(0.01)
    assert opened == ["http://x/"]


@pytest.mark.slow
def test_the_demo_can_be_served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    served: list[Path] = []
    monkeypatch.setattr(serve, "run_server", lambda folder, *_words, **_more: served.append(folder))
    words = ["-q", "demo", str(tmp_path / "d"), "--pages", "200", "--serve"]
    assert CliRunner().invoke(app, words).exit_code == 0
    assert served == [tmp_path / "d" / "demo.weft"]
