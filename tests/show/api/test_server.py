"""Doors to listen at, and what to type into a browser."""

import socket
import subprocess
import sys

import pytest

from weft.core.errors import WeftError
from weft.show.api.server import address_of, listen


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


def test_processes_are_called_before_the_routes_are_loaded() -> None:
    """These take about as long to load as a process to start."""
    told = "import sys, weft.show.api.server; print('weft.show.api.routes' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, check=True, text=True)
    assert done.stdout == "False\n"
