"""Doors to listen at, and what to type into a browser."""

import asyncio
import signal
import socket
import subprocess
import sys

import pytest

from weft.core.errors import WeftError
from weft.run.workspace import Workspace
from weft.show.api.crew import Hand
from weft.show.api.server import address_of, listen, serve


def test_any_free_port_will_do() -> None:
    with listen("127.0.0.1", 0) as one, listen("127.0.0.1", 0) as two:
        ports = {door.getsockname()[1] for door in (one, two)}
        assert len(ports) == 2
        assert address_of(one, "127.0.0.1").startswith("http://127.0.0.1:")


def test_a_taken_port_is_told_with_its_cure() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(WeftError, match=f"port {port} is taken") as told:
            listen("127.0.0.1", port)
    assert "--port 0" in told.value.hint


@pytest.mark.parametrize("host", ["no.such.machine.invalid", "192.0.2.1"])
def test_a_host_that_is_not_here_is_told(host: str) -> None:
    with pytest.raises(WeftError) as told:
        listen(host, 0)
    assert "--host" in told.value.hint


@pytest.mark.parametrize(
    ("host", "shown"), [("0.0.0.0", "localhost"), ("::1", "[::1]"), ("box.local", "box.local")]
)
def test_addresses_can_be_typed(host: str, shown: str) -> None:
    with listen("127.0.0.1", 0) as door:
        assert address_of(door, host) == f"http://{shown}:{door.getsockname()[1]}/"


def test_the_address_is_told_before_the_processes_are_ready(
    demo: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []

    async def start(_hand: Hand) -> None:
        await asyncio.sleep(0)

    async def answer(_hand: Hand, *_asked: object) -> None:
        await asyncio.sleep(3600)

    def stop(address: str) -> None:
        told.append(address)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(Hand, "start", start)
    monkeypatch.setattr(Hand, "answer", answer)
    with pytest.raises(KeyboardInterrupt):
        serve(demo.folder, "127.0.0.1", 0, stop)
    assert len(told) == 1


def test_processes_are_called_before_the_routes_are_loaded() -> None:
    """These take about as long to load as a process to start."""
    told = "import sys, weft.show.api.server; print('weft.show.api.routes' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, check=True, text=True)
    assert done.stdout == "False\n"
