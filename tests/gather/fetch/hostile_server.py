"""A hostile web server on loopback addresses, for crawls that must survive it.

It answers for any host name on the addresses 127.0.0.1 to 127.0.0.25; a second server, on
127.0.0.99, stands for the private network and counts who reaches it. `good_pages` lists what a
crawl must find, `forbidden` what it must never ask for. `/large` links to pages of 8 MB on sixteen
hosts, which nothing else links to.
"""

import asyncio
import gzip
import random
import zlib
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from itertools import count, cycle
from threading import Event, Thread

import numpy as np

ADDRESSES = [f"127.0.0.{k}" for k in range(1, 26)]
PRIVATE_ADDRESS = "127.0.0.99"
(
    GOOD,
    ROBOTS_404,
    ROBOTS_500,
    ROBOTS_SLOW,
    ROBOTS_HUGE,
    ROBOTS_BOMB,
    ROBOTS_LOOP,
    REBIND,
    ROBOTS_LOGIN,
) = HOSTS = [
    f"{name}.test"
    for name in (
        "good",
        "robots404",
        "robots500",
        "robotsslow",
        "robotshuge",
        "robotsbomb",
        "robotsloop",
        "rebind",
        "robotslogin",
    )
]
INTERNAL = "internal.test"
LARGE_HOSTS = [f"large{k}.test" for k in range(16)]
GOOD_PAGES = 40
PAGE_LINKS = 20_000
LARGE_BYTES = 8 << 20
CHARSETS = {
    "utf-8": "Grüße",
    "latin-1": "Grüße",
    "koi8-r": "Погода",
    "shift_jis": "こんにちは",
    "utf-16": "Grüße",
}
FILLER = b" ".join(b"word%d" % k for k in range(50))

Writer = asyncio.StreamWriter
Answer = Callable[["Request", Writer], Awaitable[None]]


class Request:
    """The parts of a request that the server looks at."""

    def __init__(self, head: bytes) -> None:
        line, *fields = head.decode("latin-1").split("\r\n")
        self.path = line.split(" ")[1] if line.count(" ") > 1 else "/"
        self.headers = {
            name.lower(): value for name, _, value in (f.partition(": ") for f in fields)
        }
        self.host = self.headers.get("host", "").partition(":")[0]


rebinds = count()


async def look_up(host: str, _port: int) -> list[str]:
    """Each host has its own address; one name changes to a private address after a moment."""
    if host == INTERNAL:
        return [PRIVATE_ADDRESS]
    if host == REBIND:
        return [ADDRESSES[7] if next(rebinds) == 0 else PRIVATE_ADDRESS]
    names = [*HOSTS, *LARGE_HOSTS]
    if host not in names:
        raise OSError(f"no address for {host}")
    return [ADDRESSES[names.index(host)]]


def html(*links: str, text: str = "", head: str = "") -> bytes:
    """A page with links."""
    anchors = "".join(f'<a href="{link}">link to {link}</a> ' for link in links)
    return f"<html><head><title>{text}</title>{head}</head><body>{text} {anchors}</body>".encode()


class HostileServer:
    """The state of both servers: what was asked for, with which cookies and credentials."""

    def __init__(self) -> None:
        self.requested: list[str] = []
        self.cookies: list[str] = []
        self.credentials: list[str] = []
        self.private_connections = 0
        self.port = self.private_port = self.flood_bytes = 0
        self.large_pages = 2  # of each shape
        self._random = random.Random(0)
        self._packed_zeros = pack(bytes(1 << 20), 256)
        rules = b"User-agent: *\nDisallow: /private/\n"
        self._packed_robots = pack(rules + b"#" * (1 << 20), 256)
        self._answers: dict[str, Answer] = {
            "bomb": self._bomb,
            "broken": self._broken,
            "flood": self._flood,
            "redirect": self._redirect,
            "slow": self._slow,
            "large": self._large,
        }

    def url(self, path: str, host: str = GOOD) -> str:
        """The URL of a path on one of the hosts."""
        return f"http://{host}:{self.port}{path}"

    @property
    def good_pages(self) -> set[str]:
        """The URLs that a crawl from the index of `good.test` must find."""
        paths = [f"/good/{k}" for k in range(1, GOOD_PAGES)]
        paths += [f"/good/charset-{name}" for name in CHARSETS]
        paths += [f"/good/{name}" for name in ("redirected", "refreshed", "canonical", "hinted")]
        paths += ["/good/after-long", "/good/after-chunks", "/good/after-links", "/good/unnamed"]
        paths += ["/good/after-short", "/good/after-surplus", "/good/as-pdf"]
        paths += ["/good/listed", "/good/session", "/good/nested", "/", "/moved/"]
        paths += ["/good/gr%FC%DF"]
        urls = {self.url(path) for path in paths}
        open_hosts = (ROBOTS_404, ROBOTS_LOOP, ROBOTS_HUGE, ROBOTS_BOMB, ROBOTS_LOGIN)
        return urls | {self.url("/page", host) for host in open_hosts}

    @property
    def forbidden(self) -> list[str]:
        """The hosts of what was asked for although robots rules forbid it."""
        asked = [url.partition("/") for url in self.requested]
        rules = (GOOD, ROBOTS_HUGE, ROBOTS_BOMB, REBIND, ROBOTS_LOGIN)
        private = [host for host, _, path in asked if host in rules and path.startswith("private/")]
        closed = (ROBOTS_500, ROBOTS_SLOW)
        return private + [
            host for host, _, path in asked if host in closed and path != "robots.txt"
        ]

    async def answer(self, reader: asyncio.StreamReader, writer: Writer) -> None:
        """Answer the requests of a connection."""
        try:
            while head := (await reader.readuntil(b"\r\n\r\n")):
                request = Request(head[:-4])
                self.requested.append(request.host + request.path)
                if cookie := request.headers.get("cookie"):
                    self.cookies.append(cookie)
                if credentials := request.headers.get("authorization"):
                    self.credentials.append(credentials)
                if request.path == "/robots.txt":
                    await self._robots(request, writer)
                else:
                    kind = request.path.split("/")[1].partition("?")[0]
                    await self._answers.get(kind, self._page)(request, writer)
                await writer.drain()
        except (EOFError, ConnectionError, asyncio.LimitOverrunError, asyncio.CancelledError):
            pass  # the client or the test has had enough
        finally:
            writer.close()

    async def answer_private(self, _reader: asyncio.StreamReader, writer: Writer) -> None:
        """Count a connection that should not be there."""
        self.private_connections += 1
        writer.close()

    async def _robots(self, request: Request, writer: Writer) -> None:
        rules = b"User-agent: *\nDisallow: /private/\n"
        match request.host:
            case "robots404.test":
                send(writer, b"not here", status="404 Not Found")
            case "robots500.test":
                send(writer, rules, status="500 Oops")
            case "robotsslow.test":
                await asyncio.sleep(3600)
            case "robotshuge.test":
                send(writer, rules + b"Disallow: /x\n" * 2_000_000, mime="text/plain")
            case "robotsbomb.test":
                send(writer, self._packed_robots, "Content-Encoding: gzip", mime="text/plain")
            case "robotsloop.test":
                send(writer, b"", "Location: /robots.txt", status="302 Found")
            case "robotslogin.test":
                there = f"http://:secret@{GOOD}:{self.port}/robots.txt"
                send(writer, b"", f"Location: {there}", status="302 Found")
            case _:
                send(writer, rules, mime="text/plain")

    async def _page(self, request: Request, writer: Writer) -> None:  # noqa: C901, PLR0912, PLR0915
        path, _, query = request.path.partition("?")
        parts = path.strip("/").split("/")
        match parts:
            case [""]:
                send(writer, self._index(), "Set-Cookie: id=secret; Path=/")
            case ["good", name]:
                send(writer, self._good(name))
            case ["moved"]:
                # Another spelling of the same page, as many servers redirect to it.
                send(writer, b"", "Location: /moved/index.html", status="302 Found")
            case ["moved", "index.html"]:
                send(writer, html(text="moved"))
            case ["calendar"]:
                number = int(query.rpartition("=")[2] or 0)
                links = [f"/calendar?year={number + k}" for k in (1, 2, -1)]
                send(writer, html(*links, text=f"events of year {number} " * 20))
            case ["trap", *_]:
                send(writer, html(f"{request.path}/deeper", "up/down", text=f"trap {request.path}"))
            case ["endless", *_]:
                links = [f"/endless/{self._random.randrange(10**9)}" for _ in range(5)]
                send(writer, html(*links, text=f"endless {self._random.random()}"))
            case ["session"]:
                sid = f"{self._random.randrange(16**32):032x}"
                send(writer, html(f"/session?token={sid}", "/good/session", text="session"))
            case ["charset", name]:
                text = html(f"/good/charset-{name}", text=CHARSETS[name]).decode()
                send(writer, text.encode(name), mime=f"text/html; charset={name}")
            case ["odd", name]:
                self._odd(name, writer)
            case ["page"] | ["private", *_]:
                send(writer, html(text=f"a page of {request.host}"))
            case _:
                send(writer, b"<html>not found", status="404 Not Found")

    def _index(self) -> bytes:
        private, port = f"{PRIVATE_ADDRESS}:{self.private_port}", self.port
        names = ["loop", "endless/0", "ok", "private", "port", "file", "dns", "mapped", "nowhere"]
        names += ["latin", "no-url", "login"]
        links = [f"/redirect/{name}" for name in names]
        links += [f"/bomb/{name}" for name in ("gzip", "double", "huge", "links", "nested", "text")]
        slow = {ROBOTS_404: "body", ROBOTS_LOOP: "headers", ROBOTS_HUGE: "nothing"}
        links += [f"http://{host}:{port}/slow/{name}" for host, name in slow.items()]
        names = ["long", "chunks", "header", "headers", "status", "empty", "negative", "garbage"]
        links += [f"/broken/{name}" for name in [*names, "short", "surplus"]]
        links += [f"/charset/{name}" for name in CHARSETS]
        links += ["/calendar?year=2000", "/trap/a/b", "/endless/1", "/session", "/private/x"]
        names = ["hints", "refresh", "canonical", "pdf", "html-as-pdf", "nul", "feed", "no-mime"]
        links += [f"/odd/{name}" for name in [*names, "not-modified", "no-content"]]
        links += [f"/flood/{name}" for name in ("heads", "extensions", "trailers")]
        links += [f"http://{private}/secret", f"http://{INTERNAL}:{self.private_port}/secret"]
        links += [f"http://good.test:22/{k}" for k in range(2)]
        links += ["/good/1", "/moved/", "mailto:x@y", "javascript:void(0)", "http://[bad/", "//"]
        links += [f"http://{host}:{port}/page" for host in HOSTS[1:]]
        links += [f"http://{host}:{port}/private/" for host in HOSTS]
        return html(*links, text="index")

    def _good(self, name: str) -> bytes:
        links = []
        if name.isdecimal() and int(name) < GOOD_PAGES:
            links = [f"/good/{k}" for k in (2 * int(name), 2 * int(name) + 1) if k < GOOD_PAGES]
        return html(*links, text=f"good page {name}")

    def _odd(self, name: str, writer: Writer) -> None:  # noqa: C901, PLR0912
        match name:
            case "hints":
                writer.write(b"HTTP/1.1 103 Early Hints\r\nLink: </x.css>\r\n\r\n")
                send(writer, html("/good/hinted"))
            case "refresh":
                head = '<meta http-equiv="refresh" content="0; url=/good/refreshed">'
                send(writer, html(head=head))
            case "canonical":
                send(writer, html(head='<link rel="canonical" href="/good/canonical">'))
            case "pdf":
                send(writer, b"%PDF-1.7 " + bytes(range(256)) * 50)
            case "html-as-pdf":
                send(writer, html("/good/as-pdf"), mime="application/pdf")
            case "nul":
                send(writer, b"<html>\0\0<a href='/good/1'>\xff\xfe</a>" + b"\0" * 5000)
            case "feed":
                body = b"<rss><item><link>/good/listed</link></item></rss>"
                send(writer, body, mime="application/rss+xml")
            case "no-mime":
                send(writer, html("/good/unnamed"), mime="")
            case "not-modified":
                writer.write(b"HTTP/1.1 304 Not Modified\r\n\r\n")
            case "no-content":
                writer.write(b"HTTP/1.1 204 No Content\r\n\r\n")

    async def _redirect(self, request: Request, writer: Writer) -> None:
        name, *rest = request.path.split("/")[2:]
        private = f"{PRIVATE_ADDRESS}:{self.private_port}"
        if name == "login" and self.requested.count(request.host + request.path) > 1:
            send(writer, html(text="logged in"))
            return
        target = {
            "loop": "/redirect/loop",
            "endless": f"/redirect/endless/{int(rest[0]) + 1 if rest else 0}",
            "ok": "/good/redirected",
            "private": f"http://{private}/secret",
            "port": "http://good.test:22/",
            "file": "file:///etc/passwd",
            "dns": f"http://{INTERNAL}:{self.private_port}/secret",
            "latin": "/good/grüß",
            "no-url": "http://[bad/",
            "login": f"http://:secret@{GOOD}:{self.port}/redirect/login",
            "mapped": f"http://[::ffff:{PRIVATE_ADDRESS}]:{self.private_port}/secret",
        }.get(name, "")
        send(writer, b"<html>elsewhere", f"Location: {target}", status="301 Moved")

    async def _bomb(self, request: Request, writer: Writer) -> None:
        match request.path.rpartition("/")[2]:
            case "gzip":
                send(writer, self._packed_zeros, "Content-Encoding: gzip")
            case "double":
                send(writer, gzip.compress(self._packed_zeros), "Content-Encoding: gzip, gzip")
            case "huge":
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>")
                while True:
                    writer.write(b"<p>more" * 10_000)
                    await writer.drain()
            case "links":
                links = [f"/many/{k}" for k in range(PAGE_LINKS)]
                send(writer, html("/good/after-links", *links))
            case "nested":
                send(writer, b"<a href=/good/nested>x</a>" + b"<div><b>" * 200_000)
            case "text":
                send(writer, b"<html>" + FILLER * 20_000)

    async def _flood(self, request: Request, writer: Writer) -> None:
        """What is no body, without end."""
        start = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: text/html\r\n\r\n"
        first, rest = {
            "heads": (b"", b"HTTP/1.1 103 Early Hints\r\n\r\n"),
            "extensions": (start + b"1;x=", b"y" * 100),
            "trailers": (start + b"1\r\nx\r\n0\r\n", b"X-More: y\r\n"),
        }[request.path.rpartition("/")[2]]
        writer.write(first)
        while True:
            writer.write(rest * 10_000)
            await writer.drain()
            self.flood_bytes += 10_000 * len(rest)

    async def _large(self, request: Request, writer: Writer) -> None:
        """Pages at the limit of a body: what many of them take is what counts."""
        parts = request.path.split("/")
        if len(parts) < 4:
            links = (f"/large/{k}/{shape}" for k in range(self.large_pages) for shape in LARGE)
            hosts = cycle(LARGE_HOSTS)
            send(writer, html(*(self.url(path, next(hosts)) for path in links)))
            return
        draw = np.random.default_rng(int(parts[2]))
        send(writer, LARGE[parts[3]](draw)[:LARGE_BYTES], mime="text/html; charset=utf-8")

    async def _slow(self, request: Request, writer: Writer) -> None:
        match request.path.rpartition("/")[2]:
            case "body":
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>")
            case "headers":
                writer.write(b"HTTP/1.1 200 OK\r\n")
        for _ in range(1000):
            writer.write(b"X" if "body" in request.path else b"")
            await writer.drain()
            await asyncio.sleep(0.2)

    async def _broken(self, request: Request, writer: Writer) -> None:
        name = request.path.rpartition("/")[2]
        page = html(f"/good/after-{name}")
        if name == "short":
            # What follows could be taken for the answer to the next request.
            fake = b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nnot asked"
            length = b"Content-Length: %d\r\n\r\n" % len(page)
            writer.write(
                b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n" + length + page + fake * 3
            )
            return
        start = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
        parts = {
            "long": start + b"Content-Length: 100000\r\n\r\n" + page,
            "chunks": start
            + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n" % len(page)
            + page
            + b"\r\nff",
            "header": start + b"X-Long: " + b"y" * (10 << 20) + b"\r\n\r\n" + page,
            "headers": start + b"X-Many: y\r\n" * 1_000_000 + b"\r\n" + page,
            "status": b"HTTP/1.1 abc\r\n\r\n" + page,
            "surplus": start + b"Content-Length: %d\r\n\r\n" % len(page) + page + b"\nsurplus",
            "negative": start + b"Content-Length: -5\r\n\r\n" + page,
            "garbage": bytes(range(256)) * 10,
        }
        writer.write(parts.get(name, b""))
        await writer.drain()
        raise ConnectionError


def large_text(draw: np.random.Generator) -> bytes:
    """Random words."""
    letters = draw.integers(ord("a"), ord("z") + 1, LARGE_BYTES, np.uint8)
    letters[draw.random(LARGE_BYTES) < 1 / 8] = ord(" ")
    return b"<html><p>" + letters.tobytes()


def large_chinese_text(draw: np.random.Generator) -> bytes:
    """Random characters, all of which are one word to most programs."""
    return b"<html><p>" + characters(draw.integers(0x4E00, 0x9FFF, LARGE_BYTES // 3))


def large_mixed_text(draw: np.random.Generator) -> bytes:
    """Short words of random letters of any script."""
    codes = draw.integers(0x41, 0xD7FF, LARGE_BYTES // 3)
    codes[draw.random(len(codes)) < 1 / 4] = ord(" ")
    return b"<html><p>" + characters(codes)


def large_links(draw: np.random.Generator) -> bytes:
    """Links with long anchors, to a host that does not exist."""
    names = draw.integers(1 << 62, size=20_000)
    anchor = b" ".join([b"anchor"] * 30)
    start = b'<a href="http://nowhere.test/%d/'
    return b"".join(start % n + b"x" * 100 + b'">%d %s</a> ' % (n, anchor) for n in names.tolist())


def large_markup(draw: np.random.Generator) -> bytes:
    """Many small elements."""
    return b"<html>" + b"<p>more<td><b>%d</b>" % draw.integers(100) * (LARGE_BYTES // 20)


def characters(codes: np.ndarray) -> bytes:
    """Characters by their codes, in UTF-8."""
    return codes.astype("<u4").tobytes().decode("utf-32-le").encode()


LARGE = {
    "text": large_text,
    "chinese": large_chinese_text,
    "mixed": large_mixed_text,
    "links": large_links,
    "markup": large_markup,
}


def send(
    writer: Writer, body: bytes, *headers: str, status: str = "200 OK", mime: str = "text/html"
) -> None:
    """Write a whole response."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers]
    if mime:
        lines.append(f"Content-Type: {mime}")
    writer.write("\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body)


def pack(block: bytes, times: int) -> bytes:
    """A block again and again, compressed without holding it."""
    packer = zlib.compressobj(1, wbits=31)
    return b"".join([*(packer.compress(block) for _ in range(times)), packer.flush()])


@contextmanager
def serve_hostile() -> Iterator[HostileServer]:
    """Run both servers in a thread."""
    server, started, stopped = HostileServer(), Event(), asyncio.Event()
    loops: list[asyncio.AbstractEventLoop] = []

    async def run() -> None:
        loops.append(asyncio.get_running_loop())
        first = await asyncio.start_server(server.answer, ADDRESSES[0], 0)
        server.port = first.sockets[0].getsockname()[1]
        others = await asyncio.start_server(server.answer, ADDRESSES[1:], server.port)
        private = await asyncio.start_server(server.answer_private, PRIVATE_ADDRESS, 0)
        server.private_port = private.sockets[0].getsockname()[1]
        started.set()
        await stopped.wait()
        for each in (first, others, private):
            each.close()

    thread = Thread(target=asyncio.run, args=(run(),), daemon=True)
    thread.start()
    assert started.wait(10)
    try:
        yield server
    finally:
        loops[0].call_soon_threadsafe(stopped.set)
        thread.join(10)
