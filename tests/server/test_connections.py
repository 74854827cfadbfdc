"""Connections that stay open, silent or with an incomplete request block nobody."""

import asyncio
import resource
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from typing import Any

import httpx
import pytest
import uvicorn
from uvicorn.server import ServerState

from weft.server import server as connections
from weft.server.server import Connection, raise_connection_limit
from weft.workspace.workspace import Workspace

PATIENCE = 60
SHORT = 0.3
COMPLETE = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
INCOMPLETE = b"GET / HTTP/1.1\r\nHost: x\r\n"
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Connect = Callable[..., Coroutine[Any, Any, Streams]]


async def hello(_scope: Any, _receive: Any, send: Any) -> None:
    headers = [(b"content-length", b"5")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b"hello"})


@asynccontextmanager
async def listening(app: Any = hello, limit: int = 100) -> AsyncIterator[Connect]:
    """A server of an application; what opens connections to it."""
    config = uvicorn.Config(app, limit_concurrency=limit, lifespan="off", log_level="critical")
    config.load()
    state = ServerState()

    def connection() -> Connection:
        return Connection(config, state, {})

    server = await asyncio.get_running_loop().create_server(connection, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    opened: list[asyncio.StreamWriter] = []

    async def connect(sent: bytes = b"", source: str = "127.0.0.1") -> Streams:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(source, 0))
        opened.append(writer)
        writer.write(sent)
        return reader, writer

    yield connect
    for writer in opened:
        writer.close()
    server.close()
    for left in list(state.connections):
        left.transport.abort()
    await asyncio.sleep(0.05)


def run(script: Coroutine[Any, Any, None]) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(PATIENCE):
            await script

    asyncio.run(bounded())


async def status(streams: Streams) -> int:
    """Read the next response completely, and return its status."""
    head = await streams[0].readuntil(b"\r\n\r\n")
    size = head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]
    await streams[0].readexactly(int(size or 0))
    return int(head[9:12])


async def is_closed(streams: Streams) -> bool:
    try:
        return await streams[0].read(1) == b""
    except ConnectionError:
        return True


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Little time for a request."""
    monkeypatch.setattr(connections, "MAX_REQUEST_SECONDS", SHORT)


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize(
    "sent", [b"", INCOMPLETE, b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nbody"]
)
def test_an_incomplete_request_is_cut_off(sent: bytes) -> None:
    async def read_all(_scope: Any, receive: Any, _send: Any) -> None:
        while (await receive()).get("more_body"):
            pass

    async def script() -> None:
        async with listening(read_all) as connect:
            assert await is_closed(await connect(sent))

    run(script())


@pytest.mark.usefixtures("short")
def test_single_bytes_do_not_reset_the_timer() -> None:
    async def script() -> None:
        async with listening() as connect:
            slow = await connect(INCOMPLETE)

            async def trickle() -> None:
                while not slow[1].is_closing():
                    slow[1].write(b"a")
                    await asyncio.sleep(SHORT / 10)

            trickling = asyncio.create_task(trickle())
            assert await is_closed(slow)
            trickling.cancel()

    run(script())


@pytest.mark.usefixtures("short")
def test_a_second_request_has_the_same_time_limit() -> None:
    async def script() -> None:
        async with listening() as connect:
            streams = await connect(COMPLETE)
            assert await status(streams) == 200
            streams[1].write(INCOMPLETE)
            assert await is_closed(streams)

    run(script())


@pytest.mark.slow
@pytest.mark.usefixtures("short")
def test_idle_connections_and_slow_responses_are_not_cut_off() -> None:
    async def slow(scope: Any, receive: Any, send: Any) -> None:
        await asyncio.sleep(3 * SHORT)
        await hello(scope, receive, send)

    async def script() -> None:
        async with listening(slow) as connect:
            streams = await connect(COMPLETE)
            assert await status(streams) == 200
            await asyncio.sleep(3 * SHORT)
            streams[1].write(COMPLETE)
            assert await status(streams) == 200

    run(script())


def test_endless_headers_are_cut_off() -> None:
    async def script() -> None:
        async with listening() as connect:
            streams = await connect(INCOMPLETE)
            streams[1].write(b"a: b\r\n" * 200_000)
            assert await is_closed(streams)

    run(script())


def test_a_client_that_does_not_read_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MAX_STALL_SECONDS", SHORT)
    ended = asyncio.Event()

    async def endless(_scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        leaving = asyncio.create_task(receive())
        while not leaving.done():
            await send({"type": "http.response.body", "body": b"x" * 65536, "more_body": True})
            await asyncio.sleep(0)
        ended.set()

    async def script() -> None:
        async with listening(endless) as connect:
            streams = await connect(COMPLETE)
            streams[1].transport.pause_reading()  # type: ignore[attr-defined]
            await ended.wait()

    run(script())


@pytest.mark.parametrize("sent", [b"", INCOMPLETE, COMPLETE])
def test_the_longest_idle_connection_is_closed(sent: bytes) -> None:
    """Silent, with an incomplete request, or idle after one."""

    async def script() -> None:
        async with listening(limit=4) as connect:
            first = await connect(sent)
            if sent == COMPLETE:
                assert await status(first) == 200
            await asyncio.sleep(0.05)
            others = [await connect(sent) for _ in range(3)]
            newcomer = await connect(COMPLETE)
            assert await status(newcomer) == 200
            assert await is_closed(first)
            others[0][1].write(b"\r\n" if sent == INCOMPLETE else COMPLETE)
            assert await status(others[0]) == 200, "only one is closed"

    run(script())


def test_a_new_connection_is_refused_if_none_is_idle() -> None:
    may_answer = asyncio.Event()

    async def waiting(scope: Any, receive: Any, send: Any) -> None:
        await may_answer.wait()
        await hello(scope, receive, send)

    async def script() -> None:
        async with listening(waiting, limit=3) as connect:
            busy = [await connect(COMPLETE) for _ in range(3)]
            await asyncio.sleep(0.1)
            assert await status(await connect(COMPLETE)) == 503
            may_answer.set()
            assert [await status(streams) for streams in busy] == [200] * 3
            assert await status(await connect(COMPLETE)) == 200

    run(script())


def test_one_client_cannot_take_all_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if 127.0.0.1 and 127.0.0.2 were other machines."""
    monkeypatch.setattr(connections, "MAX_PER_CLIENT", 3)
    elsewhere = property(lambda self: self.client[0].replace("127.0.0", "192.0.2"))
    monkeypatch.setattr(Connection, "client_address", elsewhere)

    async def script() -> None:
        async with listening() as connect:
            other = await connect(source="127.0.0.2")
            many = [await connect() for _ in range(5)]
            assert await is_closed(many[0])
            assert await is_closed(many[1])
            for kept in (other, *many[2:]):
                kept[1].write(COMPLETE)
                assert await status(kept) == 200

    run(script())


def test_clients_on_loopback_have_no_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MAX_PER_CLIENT", 3)

    async def script() -> None:
        async with listening() as connect:
            many = [await connect() for _ in range(9)]
            for streams in many:
                streams[1].write(COMPLETE)
                assert await status(streams) == 200

    run(script())


@contextmanager
def open_files(soft: int) -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, before[1]), before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_connections_are_limited_by_open_files(monkeypatch: pytest.MonkeyPatch) -> None:
    def limited(_which: int) -> tuple[int, int]:
        return 256, 1024

    requested: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "getrlimit", limited)
    monkeypatch.setattr(resource, "setrlimit", lambda _which, limits: requested.append(limits))
    assert 2 * raise_connection_limit() < 1024
    assert requested == [(1024, 1024)]


@pytest.mark.slow
def test_incomplete_requests_block_nobody(demo: Workspace, serve_at: Callable[..., Any]) -> None:
    """A server once answered 503 while 1,024 requests were incomplete."""
    with open_files(1024), serve_at(demo.folder) as address, open_files(4096), ExitStack() as held:
        place = (httpx.URL(address).host, httpx.URL(address).port or 0)
        for _ in range(1100):
            half = held.enter_context(socket.create_connection(place, PATIENCE))
            half.sendall(INCOMPLETE)
        for query in ("jaguar", "atari"):
            found = httpx.get(f"{address}api/search?query={query}", timeout=PATIENCE)
            assert found.status_code == 200


@pytest.mark.slow
def test_a_server_runs_without_compiled_libraries(demo: Workspace) -> None:
    """Neither `uvloop` nor `httptools` has a wheel for every machine."""
    start = (
        "import sys; sys.modules.update(uvloop=None, httptools=None)\n"
        "from weft.server import server; server.MAX_REQUEST_SECONDS = 0.5\n"
        "from weft.cli import main; main()"
    )
    words = ["serve", str(demo.folder), "--no-browser", "--port", "0"]
    line = [sys.executable, "-c", start, *words]
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            address = server.stdout.readline().strip()
            place = (httpx.URL(address).host, httpx.URL(address).port or 0)
            with socket.create_connection(place, PATIENCE) as half:
                half.sendall(INCOMPLETE)
                found = httpx.get(f"{address}api/search?query=jaguar", timeout=PATIENCE)
                assert found.status_code == 200
                assert half.recv(1) == b""
        finally:
            server.terminate()
