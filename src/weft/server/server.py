"""Run the web server for one collection, with limits for slow and greedy connections."""

import asyncio
import errno
import gc
import ipaddress
import resource
import socket
from collections.abc import Callable, Iterable
from pathlib import Path
from types import FrameType
from typing import Any

import uvicorn

from weft.core.errors import WeftError
from weft.server.auth import choose_token
from weft.server.jobs import JobScheduler
from weft.server.middleware import IMPORT_PATHS, ASGIApp
from weft.server.schemas.curate import MAX_IMPORT_BYTES
from weft.store.collection import Collection

try:
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol as Http
except ImportError:  # no wheel of httptools for this machine
    from uvicorn.protocols.http.h11_impl import H11Protocol as Http  # type: ignore[assignment]

MAX_CONNECTIONS, MAX_PER_CLIENT = 1024, 128
MAX_INCOMPLETE_BYTES = 256 << 10
MAX_REQUEST_SECONDS, MAX_STALL_SECONDS = 10.0, 60.0
WANTED_OPEN_FILES, RESERVED_FILES = 4 * MAX_CONNECTIONS, 64
KEEP_ALIVE_SECONDS, SHUTDOWN_SECONDS = 75, 3
HOST_HINT = "use --host 127.0.0.1, or an address of this machine"


class Connection(Http):
    """A connection with timeouts that gives way to new ones.

    A request must arrive completely within `MAX_REQUEST_SECONDS` of its first
    byte, the first one within that time of the connection. A client that does
    not read its response for `MAX_STALL_SECONDS` is disconnected. When too
    many connections are open, in all or of one client, the one that has been
    idle longest is closed; only if none is idle, the new one gets 503. Clients
    on this machine share an address, so the limit per client does not apply.
    """

    def __init__(self, config: uvicorn.Config, *args: Any, **kwargs: Any) -> None:
        super().__init__(config, *args, **kwargs)
        self.limit_concurrency = None  # it counts idle connections too
        self.request_timer: asyncio.TimerHandle | None = None
        self.stall_timer: asyncio.TimerHandle | None = None
        self.idle_since = 0.0
        self.incomplete_bytes = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the request timer, and close an idle connection if too many are open."""
        super().connection_made(transport)
        self.idle_since = self.loop.time()
        self._start_request_timer()
        connections: set[Any] = self.connections
        limit = self.config.limit_concurrency
        if limit is not None and len(connections) > limit:
            self._close_longest_idle(connections)
        elif (
            len(connections) > MAX_PER_CLIENT
            and not ipaddress.ip_address(self.client_address).is_loopback
        ):
            own = [other for other in connections if other.client_address == self.client_address]
            if len(own) > MAX_PER_CLIENT:
                self._close_longest_idle(own)

    @property
    def client_address(self) -> str:
        """The client's address; loopback if it was gone before it could be read."""
        return self.client[0] if self.client else "127.0.0.1"

    def data_received(self, data: bytes) -> None:
        """Stop the timer once a request is complete; incomplete ones are limited in size."""
        previous_cycle: Any = self.cycle
        had_more_body = previous_cycle is not None and previous_cycle.more_body
        super().data_received(data)
        cycle: Any = self.cycle
        if cycle is None or cycle.more_body or cycle.response_complete:
            self._start_request_timer()
        elif self.request_timer is not None:
            self.request_timer.cancel()
            self.request_timer = None
        is_completed = cycle is not previous_cycle or (had_more_body and not cycle.more_body)
        self.incomplete_bytes = 0 if is_completed else self.incomplete_bytes + len(data)
        is_import = cycle is not None and cycle.more_body and cycle.scope["path"] in IMPORT_PATHS
        if self.incomplete_bytes > (MAX_IMPORT_BYTES if is_import else MAX_INCOMPLETE_BYTES):
            self.transport.abort()

    def on_response_complete(self) -> None:
        """Note since when the connection is idle."""
        super().on_response_complete()
        self.idle_since = self.loop.time()

    def pause_writing(self) -> None:
        """Start the timer for a client that has stopped reading."""
        super().pause_writing()
        self.stall_timer = self.loop.call_later(MAX_STALL_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """Stop the timer: the client reads again."""
        super().resume_writing()
        if self.stall_timer is not None:
            self.stall_timer.cancel()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel all timers."""
        super().connection_lost(exc)
        for timer in (self.request_timer, self.stall_timer):
            if timer is not None:
                timer.cancel()

    def _start_request_timer(self) -> None:
        if self.request_timer is None:
            self.request_timer = self.loop.call_later(MAX_REQUEST_SECONDS, self.transport.abort)

    def _close_longest_idle(self, connections: Iterable[Any]) -> None:
        """Close the connection that has been idle longest, or refuse this one if none is."""
        idle = [
            other
            for other in connections
            if other is not self and (other.cycle is None or other.cycle.response_complete)
        ]
        if not idle:
            self.limit_concurrency = 0  # uvicorn answers 503
            return
        longest = min(idle, key=lambda other: other.idle_since)
        self.connections.discard(longest)  # now, so that the next new one closes another
        longest.transport.abort()


def raise_connection_limit() -> int:
    """Raise the limit of open files, and return how many connections it allows.

    Half of it, since as many again may be accepted before the first is closed.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if 0 <= soft < WANTED_OPEN_FILES:
        soft = WANTED_OPEN_FILES if hard == resource.RLIM_INFINITY else min(WANTED_OPEN_FILES, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return min(MAX_CONNECTIONS, soft // 2 - RESERVED_FILES) if soft >= 0 else MAX_CONNECTIONS


def serve(
    folder: Path,
    host: str,
    port: int,
    on_ready: Callable[[str], None],
    token: str = "",
    allow_private: tuple[str, ...] = (),
) -> None:
    """Serve a collection until Ctrl-C, which raises KeyboardInterrupt.

    `on_ready` gets the URL to open once the server accepts requests; the first
    ones may wait for a worker to start. A server that other machines can reach
    requires a token: the given one or a random one, which is part of the URL.
    Crawls that it runs may fetch from the private addresses given as `HOST:PORT`.
    """

    def build(scheduler: JobScheduler, chosen: str) -> ASGIApp:
        from weft.server.app import build_app  # noqa: PLC0415  takes as long as a process to start

        return build_app(scheduler, host, chosen, allow_private)

    serve_app(folder, host, port, build, on_ready, token)


def serve_app(
    folder: Path,
    host: str,
    port: int,
    build: Callable[[JobScheduler, str], ASGIApp],
    on_ready: Callable[[str], None],
    token: str = "",
) -> None:
    """Serve the application that `build` makes of a scheduler and a token."""
    Collection.open(folder)
    with bind_socket(host, port) as server_socket:
        token = choose_token(server_socket.getsockname()[0], token)
        url = server_url(server_socket, host, token)
        scheduler = JobScheduler(folder)
        config = _uvicorn_config(lambda: build(scheduler, token))
        _Server(config, scheduler, lambda: on_ready(url)).run(sockets=[server_socket])


def _uvicorn_config(app_factory: Callable[[], ASGIApp]) -> uvicorn.Config:
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
        self.scheduler.start_workers()
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
