"""Scrapy's downloader with connections of our own.

Scrapy keeps the delay between requests to a server, raises it where the server is slow, and
retries. The handler connects to checked addresses only, and reads up to a deadline and a limit in
bytes. Scrapy runs on asyncio and without a Twisted reactor, so a process can run several crawls.
"""

import asyncio
import re
import socket
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.client_proto import ResponseHandler
from scrapy import Request, Spider
from scrapy.core.downloader.handlers.base import BaseDownloadHandler
from scrapy.crawler import Crawler
from scrapy.exceptions import DownloadConnectionRefusedError, DownloadFailedError
from scrapy.http import Response
from yarl import URL

from weft.gather.fetch.address_guard import AddressGuard, host_and_port
from weft.gather.fetch.frontier import MAX_IN_FLIGHT
from weft.gather.fetch.settings import FetchSettings
from weft.gather.fetch.warc_writer import Exchange

ACCEPTED = (
    ("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"),
    ("Accept-Encoding", "gzip, deflate, br"),
)
BUSY_STATUS = (429, 503)
RETRIED_STATUS = (*BUSY_STATUS, 500, 502, 504)
END_OF_HEAD = re.compile(rb"\n\r?\n")
MAX_HEADS = 20  # of a response: informational ones come before it, and others after it unasked
MAX_OVERHEAD = 3  # all bytes of a response, by the limit of its body: chunks have heads, too


class FailedFetch(Exception):
    """A fetch that ended without a response, with its reason."""


class Unreachable(FailedFetch):
    """A fetch that failed because of the server, not of the URL."""


class Downloader:
    """Downloads URLs, one at a time from each server, with the delay that it needs."""

    def __init__(self, settings: FetchSettings, guard: AddressGuard) -> None:
        self._settings, self._guard = settings, guard
        self._crawler = Crawler(FetchSpider, scrapy_settings(settings))

    async def run(self, job: Callable[[], Awaitable[None]]) -> None:
        """Run a job that calls `download`; Scrapy logs its exceptions and does not raise them."""
        await self._crawler.crawl_async(job=job, fetch_settings=self._settings, guard=self._guard)

    async def download(self, url: str, server: str, max_bytes: int) -> Exchange:
        """Download a URL from a server, which is any name that the hosts on it share."""
        meta = {"download_slot": server, "verbatim_url": True, "max_bytes": max_bytes}
        try:
            response = await self._crawler.engine.download_async(Request(url, meta=meta))
        except DownloadConnectionRefusedError as error:
            raise Unreachable("connection refused") from error
        except DownloadFailedError as error:
            raise FailedFetch("broken response") from error
        assert isinstance(response, FetchedResponse)
        return response.exchange

    def raise_delay(self, server: str, seconds: float) -> None:
        """Wait at least so long between requests to a server, within the limit."""
        slot = self._crawler.engine.downloader.slots.get(server)
        if slot is not None:
            slot.delay = max(slot.delay, min(seconds, self._settings.max_delay))

    def ready_at(self, server: str) -> float:
        """When a server may be asked again."""
        slot = self._crawler.engine.downloader.slots.get(server)
        return slot.lastseen + slot.delay if slot is not None else 0.0


class FetchSpider(Spider):
    """The spider that Scrapy's engine runs: the job is all it does."""

    name = "weft"
    job: Callable[[], Awaitable[None]]
    fetch_settings: FetchSettings
    guard: AddressGuard

    async def start(self) -> Any:
        """Run the job; it asks Scrapy for downloads itself and yields nothing."""
        no_requests: tuple[Request, ...] = ()
        await self.job()
        for request in no_requests:
            yield request


class FetchedResponse(Response):
    """A response as Scrapy passes it on, with the exchange as it will be archived."""

    exchange: Exchange


class GuardedResolver(AbstractResolver):
    """Resolves names for connections, to checked addresses only."""

    def __init__(self, guard: AddressGuard) -> None:
        self._guard = guard

    async def resolve(self, host: str, port: int = 0, family: int = 0) -> list[ResolveResult]:  # noqa: ARG002
        """The checked addresses of a name."""
        addresses = await self._guard.resolve(host, port)
        return [
            ResolveResult(
                hostname=host, host=address, port=port, family=_family(address), proto=0, flags=4
            )
            for address in addresses
        ]

    async def close(self) -> None:
        """There is nothing to close."""


class HeadFirstProtocol(ResponseHandler):
    """Parses the head of a response apart from what follows it.

    A body that is longer than its Content-Length is a parse error after the body. What was
    parsed in the same step would be lost with it. A connection is closed that brings more than
    `max_bytes` for one response, or heads without end.
    """

    _last = b""
    _bytes = _heads = 0

    def __init__(self, loop: asyncio.AbstractEventLoop, max_bytes: int) -> None:
        super().__init__(loop)
        self._max_bytes = max_bytes

    def set_response_params(self, **params: Any) -> None:
        """Begin a response."""
        self._bytes = self._heads = 0
        super().set_response_params(**params)

    def data_received(self, data: bytes) -> None:
        """Pass data on, as far as it may hold a head up to the end of that."""
        self._bytes += len(data)
        while data and (self._payload is None or self._payload.is_eof()):
            end = END_OF_HEAD.search(self._last + data)
            if end is None:
                break
            size = max(end.end() - len(self._last), 1)
            super().data_received(data[:size])
            self._last, data = b"", data[size:]
            self._heads += 1
            if self._exception is not None or self._is_endless():
                return
        if self._is_endless():
            return
        self._last = (self._last + data)[-2:]
        super().data_received(data)

    def _is_endless(self) -> bool:
        """Whether the response is beyond a limit, upon which the connection is closed."""
        is_endless = self._bytes > self._max_bytes or self._heads > MAX_HEADS
        if is_endless and self.transport is not None:
            self.transport.abort()
        return is_endless


class FreshConnector(aiohttp.TCPConnector):
    """Reuses a connection only if nothing has arrived on it since its last response.

    A server that sends more than it announced would otherwise answer the next
    request with it.
    """

    def __init__(self, max_bytes: int, **options: Any) -> None:
        super().__init__(**options)
        protocol: Callable[..., ResponseHandler] = HeadFirstProtocol
        self._factory = partial(protocol, self._loop, max_bytes)

    async def _get(self, key: Any, traces: Any) -> Any:
        for protocol, _ in self._conns.get(key, ()):
            if protocol.should_close:
                protocol.close()
        return await super()._get(key, traces)


class GuardedHandler(BaseDownloadHandler):
    """Downloads over connections to checked addresses, within a deadline and a limit in bytes."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        assert isinstance(crawler.spider, FetchSpider)
        settings, self._guard = crawler.spider.fetch_settings, crawler.spider.guard
        self._max_delay = settings.max_delay
        self._usual_delays: dict[str, float] = {}  # of servers that are busy
        self._headers = (("User-Agent", settings.user_agent), *ACCEPTED)
        self._session = aiohttp.ClientSession(
            connector=FreshConnector(
                MAX_OVERHEAD * settings.max_body_bytes,
                resolver=GuardedResolver(self._guard),
                use_dns_cache=False,
                limit=MAX_IN_FLIGHT,
                socket_factory=self._open_socket,
            ),
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            timeout=aiohttp.ClientTimeout(total=settings.deadline),
        )

    async def download_request(self, request: Request) -> Response:
        """Download a request; what arrived of a broken body is kept.

        Scrapy retries what raises an exception of its own.
        """
        # Addresses in URLs are not resolved, so their check is here.
        await self._guard.resolve(*host_and_port(request.url))
        started = time.monotonic()
        try:
            exchange = await self._exchange(request)
        except TimeoutError as error:
            raise FailedFetch("took too long") from error
        except aiohttp.ClientConnectorDNSError as error:
            raise Unreachable("name not found") from error
        except aiohttp.ClientSSLError as error:
            raise FailedFetch("no secure connection") from error
        except aiohttp.ClientConnectorError as error:
            raise DownloadConnectionRefusedError(request.url) from error
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise DownloadFailedError(f"{request.url}: {error}") from error
        request.meta["download_latency"] = time.monotonic() - started
        self._wait_as_asked(request.meta["download_slot"], exchange)
        response = FetchedResponse(request.url, exchange.status)
        response.exchange = exchange
        return response

    def _wait_as_asked(self, server: str, exchange: Exchange) -> None:
        """Raise the delay of a busy server to the seconds that it asks for, until it answers."""
        seconds = exchange.header("retry-after")
        slot = self.crawler.engine.downloader.slots[server]
        if exchange.status not in BUSY_STATUS:
            if server in self._usual_delays:
                slot.delay = self._usual_delays.pop(server)
                slot.close()  # cancels the timer that was set by the raised delay
        elif seconds.isdecimal():
            self._usual_delays.setdefault(server, slot.delay)
            slot.delay = max(slot.delay, min(float(seconds), self._max_delay))

    async def close(self) -> None:
        """Close all connections."""
        await self._session.close()

    async def _exchange(self, request: Request) -> Exchange:
        url = URL(request.url, encoded=True).with_user(None)  # nor with a password
        now = int(time.time())
        async with self._session.get(url, headers=self._headers, allow_redirects=False) as response:
            transport = response.connection.transport if response.connection else None
            peer = transport.get_extra_info("peername") if transport else None
            body, truncated = await _read_body(response, request.meta["max_bytes"])
            headers = tuple(
                (name.decode("utf-8", "surrogateescape"), value.decode("utf-8", "surrogateescape"))
                for name, value in response.raw_headers
            )
            address = str(peer[0]) if peer else ""
            return Exchange(
                request.url, now, self._headers, response.status, headers, body, address, truncated
            )

    def _open_socket(self, address: tuple[Any, ...]) -> Any:
        family, kind, proto, _, where = address
        self._guard.check_socket(where[0], where[1])
        return socket.socket(family, kind, proto)


async def _read_body(response: aiohttp.ClientResponse, max_bytes: int) -> tuple[bytes, str]:
    """What arrives of a body, up to a limit and the deadline, and why it is cut."""
    parts: list[bytes] = []
    size = 0
    try:
        async for part in response.content.iter_any():
            parts.append(part)
            size += len(part)
            if size > max_bytes:
                response.close()
                return b"".join(parts)[:max_bytes], "length"
    except aiohttp.ClientPayloadError:
        if not parts:
            raise
        return b"".join(parts), "disconnect"
    except TimeoutError:
        if not parts:
            raise
        return b"".join(parts), "time"
    return b"".join(parts), ""


def scrapy_settings(settings: FetchSettings) -> dict[str, Any]:
    """Scrapy without what we do ourselves: of its parts, downloader, retries and AutoThrottle."""
    return {
        "TWISTED_REACTOR_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False,
        "LOG_ENABLED": False,
        "DOWNLOAD_HANDLERS": {
            **dict.fromkeys(("data", "file", "ftp", "s3")),
            **dict.fromkeys(("http", "https"), GuardedHandler),
        },
        "DOWNLOADER_MIDDLEWARES_BASE": {"scrapy.downloadermiddlewares.retry.RetryMiddleware": 550},
        "SPIDER_MIDDLEWARES_BASE": {},
        "EXTENSIONS_BASE": {"scrapy.extensions.throttle.AutoThrottle": 0},
        "STATS_CLASS": "scrapy.statscollectors.DummyStatsCollector",
        "CONCURRENT_REQUESTS": MAX_IN_FLIGHT,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
        "DOWNLOAD_DELAY": settings.delay,
        "DOWNLOAD_DELAY_JITTER": 0.0,
        "AUTOTHROTTLE_ENABLED": settings.delay > 0,
        "AUTOTHROTTLE_START_DELAY": settings.delay,
        "AUTOTHROTTLE_MAX_DELAY": settings.max_delay,
        "RETRY_ENABLED": settings.retries > 0,
        "RETRY_TIMES": settings.retries,
        "RETRY_HTTP_CODES": RETRIED_STATUS,
        "RETRY_EXCEPTIONS": [DownloadConnectionRefusedError, DownloadFailedError],
        "RETRY_GIVE_UP_LOG_LEVEL": "DEBUG",
    }


def _family(address: str) -> int:
    return socket.AF_INET6 if ":" in address else socket.AF_INET
