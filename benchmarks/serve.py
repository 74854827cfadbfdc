"""The server under load: `python -m benchmarks.serve [COLLECTION]`, default the demo web.

Client and server share the cores of the machine. First 64 connections send
requests whose responses are cached, one after the other. Then 64 readers send a mix
of requests, most of them new, with a pause of a second on average between them.
The requests are drawn from the titles of the collection.
"""

import asyncio
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote
from urllib.request import urlopen

from benchmarks.measure import versions
from weft.demo import DemoWeb, write_warc
from weft.server.collection import default_methods
from weft.workspace.workspace import Workspace

CONNECTIONS, SECONDS, PAUSE = 64, 15, 1.0
MAX_MS = {"search": 100, "topics, cached": 50, "page, cached": 50, "graph, cached": 50}
CACHED = {"topics, cached": 1, "page, cached": 1, "graph, cached": 1}
MIX = {"search": 10, "page": 10, "topics": 1, "graph": 2, **dict.fromkeys(CACHED, 10)}


@dataclass
class Requests:
    """Addresses of every kind, drawn at random or from a few that were requested before."""

    urls: list[str]
    words: list[str]
    draw: random.Random = field(default_factory=lambda: random.Random(0))

    def __post_init__(self) -> None:
        self.warm = {
            "topics, cached": [self.topics() for _ in range(8)],
            "page, cached": [self.page() for _ in range(50)],
            "graph, cached": [self.graph() for _ in range(20)],
        }

    def of(self, kind: str) -> str:
        """An address of a kind."""
        if kind in self.warm:
            return self.draw.choice(self.warm[kind])
        address: str = getattr(self, kind)()
        return address

    def search(self) -> str:
        """A search for two words."""
        return f"/api/search?query={quote(' '.join(self.draw.sample(self.words, 2)))}"

    def page(self) -> str:
        """A page."""
        return f"/api/page?url={quote(self.draw.choice(self.urls), safe='')}"

    def topics(self) -> str:
        """The topics of a word."""
        return f"/api/topics/{default_methods().topics}?query={quote(self.draw.choice(self.words))}"

    def graph(self) -> str:
        """The neighbourhood of a page."""
        return f"/api/graph/around?url={quote(self.draw.choice(self.urls), safe='')}"


def main() -> None:
    """Print requests per second, and percentiles by kind of request."""
    print(versions("weft", "fastapi", "uvicorn"))
    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace(Path(sys.argv[1])) if len(sys.argv) > 1 else demo(Path(folder))
        print(repr(workspace))
        with served(workspace.folder) as port:
            asyncio.run(_measure(port, _requests(workspace)))


def _requests(workspace: Workspace) -> Requests:
    pages = workspace.collection.pages.slice(0, 200_000)
    known = [row for row in pages.select(["url", "title"]).to_pylist() if row["title"]]
    words = sorted({w for row in known for w in re.findall(r"[a-z]{4,}", row["title"].lower())})
    return Requests([row["url"] for row in known], words)


@contextmanager
def served(folder: Path) -> Iterator[int]:
    """A server in its own process; yields its port."""
    start = "from weft.cli import main; main()"
    command = [sys.executable, "-c", start, "serve", str(folder), "--no-browser"]
    with subprocess.Popen([*command, "--port", "0"], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            address = server.stdout.readline().strip()
            for ready in ("collection", "collection/summary"):
                urlopen(f"{address}api/{ready}").close()
            yield int(address.rstrip("/").rpartition(":")[2])
        finally:
            server.terminate()


async def _measure(port: int, requests: Requests) -> None:
    for kind, addresses in requests.warm.items():
        spent = [await _timed(port, address) for address in addresses]
        print(f"{kind.partition(',')[0]:16} alone, first request   {_percentiles(spent)}")
    await _load(port, requests, CACHED, 0.0)
    await _load(port, requests, MIX, PAUSE)


async def _load(port: int, requests: Requests, mix: dict[str, int], pause: float) -> None:
    """Send requests from all connections for a while, and print the times of each kind."""
    spent: defaultdict[str, list[float]] = defaultdict(list)
    wrong: Counter[str] = Counter()
    until = time.perf_counter() + SECONDS

    async def send_requests() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        while time.perf_counter() < until:
            if pause:
                await asyncio.sleep(requests.draw.expovariate(1 / pause))
            kind = requests.draw.choices(list(mix), list(mix.values()))[0]
            start = time.perf_counter()
            status = await _get(reader, writer, requests.of(kind), port)
            spent[kind].append((time.perf_counter() - start) * 1e3)
            if status != 200:
                wrong[f"{kind}: {status}"] += 1
        writer.close()

    began = time.perf_counter()
    await asyncio.gather(*(send_requests() for _ in range(CONNECTIONS)))
    total, seconds = sum(map(len, spent.values())), time.perf_counter() - began
    print(f"{CONNECTIONS} connections, pause {pause:g} s: {total / seconds:,.0f} requests/s")
    for kind in mix:
        _report(kind, spent[kind])
    print(f"errors: {dict(wrong) or 'none'}")


def _report(kind: str, spent: list[float]) -> None:
    limit = f"   limit {MAX_MS[kind]} ms" if kind in MAX_MS else ""
    print(f"  {kind:16} {len(spent):8,}   {_percentiles(spent)}{limit}")


def _percentiles(spent: list[float]) -> str:
    cuts = statistics.quantiles(spent, n=100) if len(spent) > 1 else [0.0] * 99
    return f"p50 {cuts[49]:8.1f} ms   p99 {cuts[98]:8.1f} ms"


async def _timed(port: int, address: str) -> float:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    start = time.perf_counter()
    await _get(reader, writer, address, port)
    writer.close()
    return (time.perf_counter() - start) * 1e3


async def _get(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, address: str, port: int
) -> int:
    """Send a minimal request, so that the client uses little CPU time."""
    writer.write(f"GET {address} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
    head = await reader.readuntil(b"\r\n\r\n")
    size = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
    if size is not None:
        await reader.readexactly(int(size[1]))
    return int(head[9:12])


def demo(folder: Path) -> Workspace:
    """A demo web of five thousand pages."""
    write_warc(DemoWeb(pages=5000), folder / "demo.warc.gz")
    workspace = Workspace(folder / "demo.weft")
    workspace.add(folder / "demo.warc.gz")
    return workspace


if __name__ == "__main__":
    main()
