"""Run the web server for one collection."""

import errno
import gc
import socket
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import uvicorn

from weft.core.errors import WeftError
from weft.server.auth import choose_token
from weft.server.connections import Connection, raise_connection_limit
from weft.server.jobs import JobScheduler
from weft.server.middleware import ASGIApp
from weft.store.collection import Collection

KEEP_ALIVE_SECONDS, SHUTDOWN_SECONDS = 75, 3
HOST_HINT = "use --host 127.0.0.1, or an address of this machine"


def serve(
    folder: Path, host: str, port: int, on_ready: Callable[[str], None], token: str = ""
) -> None:
    """Serve a collection until Ctrl-C, which raises KeyboardInterrupt.

    `on_ready` gets the URL to open once the server accepts requests; the first
    ones may wait for a worker to start. A server that other machines can reach
    requires a token: the given one or a random one, which is part of the URL.
    """
    Collection.open(folder)
    with bind_socket(host, port) as server_socket:
        token = choose_token(server_socket.getsockname()[0], token)
        url = server_url(server_socket, host, token)
        scheduler = JobScheduler(folder)
        config = _uvicorn_config(scheduler, host, token)
        _Server(config, scheduler, lambda: on_ready(url)).run(sockets=[server_socket])


def _uvicorn_config(scheduler: JobScheduler, host: str, token: str) -> uvicorn.Config:
    def app_factory() -> ASGIApp:
        from weft.server.app import build_app  # noqa: PLC0415  takes as long as a process to start

        return build_app(scheduler, host, token)

    max_connections = raise_connection_limit()
    return uvicorn.Config(
        app_factory,
        factory=True,
        log_level="warning",
        access_log=False,
        server_header=False,
        lifespan="on",
        http=Connection,
        limit_concurrency=max_connections,
        backlog=max_connections,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
    )


class _Server(uvicorn.Server):
    """A uvicorn server that reports when it is ready, and drops all jobs when it stops."""

    def __init__(
        self, config: uvicorn.Config, scheduler: JobScheduler, on_ready: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self.scheduler, self.on_ready = scheduler, on_ready

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        """Start the worker processes first: they load while the server does."""
        await self.scheduler.start_workers()
        await super().serve(sockets)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, and report it; objects that exist by then are left out of garbage collection."""
        await super().startup(sockets)
        gc.freeze()
        self.on_ready()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop at the first Ctrl-C; ignore further ones."""
        if not self.should_exit:
            super().handle_exit(sig, frame)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Finish all jobs with 503 before closing the connections."""
        await self.scheduler.close()
        await super().shutdown(sockets)


def missing_workbench_reason() -> str:
    """Why the workbench is missing; empty if it is built."""
    from weft.server.static import NOT_BUILT_MESSAGE, workbench_files  # noqa: PLC0415  slow

    return "" if "index.html" in workbench_files() else NOT_BUILT_MESSAGE


def bind_socket(host: str, port: int) -> socket.socket:
    """A socket bound to a host and port; port 0 is any free port."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM)[
            0
        ]
    except socket.gaierror:
        raise WeftError(f"the host {host} is unknown", hint=HOST_HINT) from None
    server_socket = socket.socket(family, socket.SOCK_STREAM)
    server_socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        server_socket.bind(address)
    except OSError as error:
        server_socket.close()
        raise _bind_error(error, host, port) from None
    return server_socket


def _bind_error(error: OSError, host: str, port: int) -> WeftError:
    """Why a socket cannot be bound, with a hint."""
    if error.errno == errno.EADDRINUSE:
        hint = "choose another with --port, or any free one with --port 0"
        return WeftError(f"port {port} is in use", hint=hint)
    if error.errno == errno.EACCES:
        return WeftError(f"port {port} needs root privileges", hint="choose one above 1023")
    return WeftError(f"cannot listen on {host}: {error.strerror}", hint=HOST_HINT)


def server_url(server_socket: socket.socket, host: str, token: str = "") -> str:
    """The URL to open in a browser."""
    port = server_socket.getsockname()[1]
    name = "localhost" if host in {"", "0.0.0.0", "::"} else host
    start = f"http://[{name}]:{port}/" if ":" in name else f"http://{name}:{port}/"
    return f"{start}?token={token}" if token else start
