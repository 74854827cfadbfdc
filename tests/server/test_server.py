"""Sockets, URLs, and the start of the server."""

import signal
import socket
import subprocess
import sys
import time

import pytest

from weft.core.errors import WeftError
from weft.server import jobs
from weft.server.server import bind_socket, serve, server_url
from weft.workspace.workspace import Workspace


def test_any_free_port_will_do() -> None:
    with bind_socket("127.0.0.1", 0) as one, bind_socket("127.0.0.1", 0) as two:
        ports = {bound.getsockname()[1] for bound in (one, two)}
        assert len(ports) == 2
        assert server_url(one, "127.0.0.1").startswith("http://127.0.0.1:")


def test_a_port_in_use_is_reported_with_a_hint() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(WeftError, match=f"port {port} is in use") as error:
            bind_socket("127.0.0.1", port)
    assert "--port 0" in error.value.hint


@pytest.mark.parametrize("host", ["no.such.machine.invalid", "192.0.2.1"])
def test_an_unknown_host_is_reported(host: str) -> None:
    with pytest.raises(WeftError) as error:
        bind_socket(host, 0)
    assert "--host" in error.value.hint


@pytest.mark.parametrize(
    ("host", "shown"), [("0.0.0.0", "localhost"), ("::1", "[::1]"), ("box.local", "box.local")]
)
def test_urls_can_be_opened(host: str, shown: str) -> None:
    with bind_socket("127.0.0.1", 0) as bound:
        assert server_url(bound, host) == f"http://{shown}:{bound.getsockname()[1]}/"


def sleep(*_args: object) -> None:
    """Workers call it by name, and are never ready."""
    time.sleep(3600)


def test_the_url_is_reported_before_the_workers_are_ready(
    demo: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    reported: list[str] = []

    def stop(url: str) -> None:
        reported.append(url)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(jobs, "START_SESSION", f"{__name__}:sleep")
    with pytest.raises(KeyboardInterrupt):
        serve(demo.folder, "127.0.0.1", 0, stop)
    assert len(reported) == 1


def test_workers_start_before_the_routes_are_loaded() -> None:
    """The routes take about as long to load as a process to start."""
    code = "import sys, weft.server.server; print('weft.server.routes' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout == "False\n"
