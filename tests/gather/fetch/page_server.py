"""A loopback server of given pages that remembers every request."""

import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import NamedTuple


class Asked(NamedTuple):
    """A request: when, for what, with which headers."""

    time: float
    url: str
    headers: dict[str, str]


@dataclass(slots=True)
class Answer:
    """What a path gives; `late` is sent a moment after it, unasked."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    late: bytes = b""


@dataclass(slots=True)
class PageServer:
    """The pages by path, and what was asked for."""

    pages: dict[str, Answer]
    port: int = 0
    asked: list[Asked] = field(default_factory=list)

    def url(self, path: str = "/", host: str = "site.test", scheme: str = "http") -> str:
        """The URL of a path."""
        return f"{scheme}://{host}:{self.port}{path}"

    @property
    def paths(self) -> list[str]:
        """The paths that were asked for, without robots.txt."""
        paths = [request.url.partition("/")[2] for request in self.asked]
        return ["/" + path for path in paths if path != "robots.txt"]


def page(*links: str, text: str = "", head: str = "") -> Answer:
    """A page with links."""
    anchors = "".join(f'<a href="{link}">{link}</a> ' for link in links)
    return Answer(f"<html><head>{head}</head><body>{text}<p>{anchors}</body></html>".encode())


def redirect(target: str, status: int = 302) -> Answer:
    """A redirect."""
    return Answer(status=status, headers={"Location": target})


class QuietServer(ThreadingHTTPServer):
    """A server that takes it calmly when clients are killed."""

    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def serve_pages(pages: dict[str, Answer], certificate: Path | None = None) -> Iterator[PageServer]:
    """Serve pages on 127.0.0.1 from a thread; with TLS if there is a certificate."""
    state = PageServer(pages)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1

        def do_GET(self) -> None:
            host = self.headers.get("Host", "").partition(":")[0]
            state.asked.append(
                Asked(time.monotonic(), host + self.path, dict(self.headers.items()))
            )
            answer = state.pages.get(self.path) or Answer(status=404)
            self.send_response(answer.status)
            length = {"Content-Length": str(len(answer.body))}
            for name, value in {"Content-Type": "text/html", **length, **answer.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer.body)
            if answer.late:
                self.wfile.flush()
                time.sleep(0.05)
                self.wfile.write(answer.late)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with QuietServer(("127.0.0.1", 0), Handler) as server:
        state.port = server.server_port
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            server.socket = context.wrap_socket(server.socket, server_side=True)
        Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        try:
            yield state
        finally:
            server.shutdown()
