"""HTTP connections with timeouts and limits: idle ones are closed when too many are open."""

import asyncio
import ipaddress
import resource
from collections.abc import Iterable
from typing import Any

import uvicorn

try:
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol as Http
except ImportError:  # no wheel of httptools for this machine
    from uvicorn.protocols.http.h11_impl import H11Protocol as Http  # type: ignore[assignment]

MAX_CONNECTIONS, MAX_PER_CLIENT = 1024, 128
MAX_INCOMPLETE_BYTES = 256 << 10
MAX_REQUEST_SECONDS, MAX_STALL_SECONDS = 10.0, 60.0
WANTED_OPEN_FILES, RESERVED_FILES = 4 * MAX_CONNECTIONS, 64


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
        previous_cycle = self.cycle
        super().data_received(data)
        cycle: Any = self.cycle
        if cycle is None or cycle.more_body or cycle.response_complete:
            self._start_request_timer()
        elif self.request_timer is not None:
            self.request_timer.cancel()
            self.request_timer = None
        self.incomplete_bytes = self.incomplete_bytes + len(data) if cycle is previous_cycle else 0
        if self.incomplete_bytes > MAX_INCOMPLETE_BYTES:
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
