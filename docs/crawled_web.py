"""The demo web on loopback, each host at an address of its own, for pictures of crawls."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from weft.gather.formats import expand_inputs
from weft.gather.html import ParseOptions
from weft.gather.page import Problems, RawPage
from weft.gather.revisits import RevisitIndex
from weft.gather.url import host

LINK = re.compile(rb"http://([\w.-]+\.example)")
ROBOTS = b"User-agent: *\nDisallow: /*sitemap\nDisallow: /*contact\n"


@dataclass(frozen=True, slots=True)
class CrawledWeb:
    """Where the demo web is: the address of each of its hosts."""

    addresses: dict[str, str]

    def url(self, url: str) -> str:
        """The URL on loopback of a page of the demo web."""
        name = host(url)
        return url.replace(name, self.addresses[name], 1)


@contextmanager
def serve_web(archive: Path) -> Iterator[CrawledWeb]:
    """Serve the pages of an archive from a thread."""
    problems, revisits = Problems(), RevisitIndex()
    pages = {
        raw.url: raw.body
        for source in expand_inputs(str(archive))
        for raw in source.read_pages(ParseOptions(), problems, revisits)
        if isinstance(raw, RawPage)
    }
    names = sorted({host(url) for url in pages})
    by_address = {f"127.0.{k // 200}.{k % 200 + 2}": name for k, name in enumerate(names)}

    def on_loopback(link: re.Match[bytes]) -> bytes:
        """A link to a page of the archive; others lead to addresses that are not open."""
        return f"http://{web.addresses.get(link[1].decode(), '127.1.1.1')}".encode()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            """Answer with a page, its links rewritten."""
            name = by_address.get(self.headers.get("Host", "").partition(":")[0], "")
            body = ROBOTS if self.path == "/robots.txt" else pages.get(f"http://{name}{self.path}")
            text = LINK.sub(on_loopback, body or b"")
            self.send_response(200 if body is not None else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("0.0.0.0", 0), Handler) as server:
        web = CrawledWeb({name: f"{a}:{server.server_port}" for a, name in by_address.items()})
        Thread(target=server.serve_forever, daemon=True).start()
        yield web
        server.shutdown()
