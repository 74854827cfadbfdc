"""Connections with time limits, and room for a new one however many others are held open."""

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
MAX_INCOMPLETE = 256 << 10
REQUEST_SECONDS, STALL_SECONDS = 10.0, 60.0
FILES_WANTED, OTHER_FILES = 4 * MAX_CONNECTIONS, 64


class Connection(Http):
    """A connection that waits for its client only so long, and makes room for others.

    A request must arrive whole, headers and body, within `REQUEST_SECONDS` of
    its first byte, the first one within that time of the connection; a client
    that does not read its response for `STALL_SECONDS` is disconnected. When
    more connections are open than may be, or more of one client, the one that
    has waited longest for its client's next request is closed. Only where all
    are being answered is the newcomer refused, with 503. Clients on this
    machine share an address, so the limit per client does not hold for them.
    """

    def __init__(self, config: uvicorn.Config, *rest: Any, **more: Any) -> None:
        super().__init__(config, *rest, **more)
        self.limit_concurrency = None  # counts idle connections: a full house would answer nobody
        self.deadline: asyncio.TimerHandle | None = None
        self.stalled: asyncio.TimerHandle | None = None
        self.waiting_since = 0.0
        self.incomplete = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the clock, and make room."""
        super().connection_made(transport)
        self.waiting_since = self.loop.time()
        self._set_deadline()
        everyone: set[Any] = self.connections
        limit = self.config.limit_concurrency
        if limit is not None and len(everyone) > limit:
            self._make_room(everyone)
        elif len(everyone) > MAX_PER_CLIENT and not ipaddress.ip_address(self.address).is_loopback:
            own = [other for other in everyone if other.address == self.address]
            if len(own) > MAX_PER_CLIENT:
                self._make_room(own)

    @property
    def address(self) -> str:
        """Where the client is; one that was gone before it could be asked counts as here."""
        return self.client[0] if self.client else "127.0.0.1"

    def data_received(self, data: bytes) -> None:
        """Stop the clock once a request is whole; parts of one are bounded in time and size."""
        before = self.cycle
        super().data_received(data)
        cycle: Any = self.cycle
        if cycle is None or cycle.more_body or cycle.response_complete:
            self._set_deadline()
        elif self.deadline is not None:
            self.deadline.cancel()
            self.deadline = None
        self.incomplete = self.incomplete + len(data) if cycle is before else 0
        if self.incomplete > MAX_INCOMPLETE:
            self.transport.abort()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self.waiting_since = self.loop.time()

    def pause_writing(self) -> None:
        """Give a client that has stopped reading some time."""
        super().pause_writing()
        self.stalled = self.loop.call_later(STALL_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on: it reads again."""
        super().resume_writing()
        if self.stalled is not None:
            self.stalled.cancel()

    def connection_lost(self, exc: Exception | None) -> None:
        """Leave no timer behind."""
        super().connection_lost(exc)
        for timer in (self.deadline, self.stalled):
            if timer is not None:
                timer.cancel()

    def _set_deadline(self) -> None:
        if self.deadline is None:
            self.deadline = self.loop.call_later(REQUEST_SECONDS, self.transport.abort)

    def _make_room(self, among: Iterable[Any]) -> None:
        """Close the connection that has waited longest for its client, or refuse this one."""
        waiting = [
            other
            for other in among
            if other is not self and (other.cycle is None or other.cycle.response_complete)
        ]
        if not waiting:
            self.limit_concurrency = 0  # uvicorn answers 503
            return
        longest = min(waiting, key=lambda other: other.waiting_since)
        self.connections.discard(longest)  # before it is lost: two newcomers take two places
        longest.transport.abort()


def places() -> int:
    """How many connections may be open at once, after asking for enough open files.

    As many again may have been accepted before the first of them is closed.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if 0 <= soft < FILES_WANTED:
        soft = FILES_WANTED if hard == resource.RLIM_INFINITY else min(FILES_WANTED, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return min(MAX_CONNECTIONS, soft // 2 - OTHER_FILES) if soft >= 0 else MAX_CONNECTIONS
