"""Serve one collection until somebody stops it."""

import errno
import gc
import socket
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import uvicorn

from weft.core.errors import WeftError
from weft.show.api.access import token_for
from weft.show.api.connections import Connection, places
from weft.show.api.guard import App
from weft.show.api.jobs import Jobs
from weft.store.collection import Collection

KEPT_OPEN, GRACE = 75, 3


def serve(
    folder: Path, host: str, port: int, ready: Callable[[str], None], token: str = ""
) -> None:
    """Serve a collection; `ready` gets the address to open once requests are taken.

    A server that other machines can reach answers only who has the token, which
    is made where none is given and is part of the address. The first requests
    may wait for a process that can answer them. Ctrl-C ends it: what is being
    worked on is dropped, and KeyboardInterrupt raised.
    """
    Collection.open(folder)
    with listen(host, port) as door:
        token = token_for(door.getsockname()[0], token)
        address = address_of(door, host, token)
        jobs = Jobs(folder)
        config = _config(jobs, host, token)
        _Server(config, jobs, lambda: ready(address)).run(sockets=[door])


def _config(jobs: Jobs, host: str, token: str) -> uvicorn.Config:
    def app() -> App:
        from weft.show.api.app import build  # noqa: PLC0415  takes as long as a process to start

        return build(jobs, host, token)

    room = places()
    return uvicorn.Config(
        app,
        factory=True,
        log_level="warning",
        access_log=False,
        server_header=False,
        lifespan="on",
        http=Connection,
        limit_concurrency=room,
        backlog=room,
        timeout_keep_alive=KEPT_OPEN,
        timeout_graceful_shutdown=GRACE,
    )


class _Server(uvicorn.Server):
    """A server that says when it has started, and lets nobody wait when it stops."""

    def __init__(self, config: uvicorn.Config, jobs: Jobs, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self.jobs, self.ready = jobs, ready

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        """Call the processes in first: they get ready while the server does."""
        await self.jobs.call_in()
        await super().serve(sockets)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Open the door, and say so; what is there by then is never looked through as garbage."""
        await super().startup(sockets)
        gc.freeze()
        self.ready()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop at the first Ctrl-C; those that follow change nothing."""
        if not self.should_exit:
            super().handle_exit(sig, frame)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Drop all work first: who waits for it is told."""
        await self.jobs.close()
        await super().shutdown(sockets)


def page_problem() -> str:
    """Why there is no workbench to open; empty if there is one."""
    from weft.show.api.page_files import NOT_BUILT, built  # noqa: PLC0415  loads what serves it

    return "" if "index.html" in built() else NOT_BUILT


def listen(host: str, port: int) -> socket.socket:
    """A door at a host and port; port 0 is any that is free."""
    try:
        family, _, _, _, where = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM)[0]
    except socket.gaierror:
        cure = "use --host 127.0.0.1, or an address of this machine"
        raise WeftError(f"no machine is called {host}", hint=cure) from None
    door = socket.socket(family, socket.SOCK_STREAM)
    door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        door.bind(where)
    except OSError as error:
        door.close()
        raise _shut(error, host, port) from None
    return door


def _shut(error: OSError, host: str, port: int) -> WeftError:
    """Why a door cannot be opened, and what helps."""
    if error.errno == errno.EADDRINUSE:
        cure = "choose another with --port, or any that is free with --port 0"
        return WeftError(f"port {port} is taken", hint=cure)
    if error.errno == errno.EACCES:
        return WeftError(f"port {port} is not for everybody", hint="choose one above 1023")
    cure = "use --host 127.0.0.1, or an address of this machine"
    return WeftError(f"nothing can listen at {host}: {error.strerror}", hint=cure)


def address_of(door: socket.socket, host: str, token: str = "") -> str:
    """What to type into a browser."""
    port = door.getsockname()[1]
    name = "localhost" if host in {"", "0.0.0.0", "::"} else host
    start = f"http://[{name}]:{port}/" if ":" in name else f"http://{name}:{port}/"
    return f"{start}?token={token}" if token else start
