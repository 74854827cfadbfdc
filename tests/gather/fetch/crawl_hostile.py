"""Crawl the hostile server in a process of its own, and print what happened as JSON.

Arguments: folder, port, private port. The addresses 127.0.0.1 to 127.0.0.25 stand for the public
internet; everything else is as it always is.
"""

import json
import sys
from collections.abc import Iterable
from pathlib import Path

from benchmarks.measure import peak
from tests.gather.fetch.hostile_server import ADDRESSES, HOSTS, look_up

from weft.gather.fetch import address_guard
from weft.gather.fetch.engine import CrawlEvent, FetchedPage, PageFetched, crawl
from weft.gather.fetch.frontier import Frontier, ScoredUrl
from weft.gather.fetch.scope import Scope
from weft.gather.fetch.settings import FetchSettings
from weft.gather.fetch.warc_writer import WarcWriter


def visit(fetched: FetchedPage) -> Iterable[ScoredUrl]:
    """Good links first, so that traps come last."""
    links = fetched.page.links
    return [ScoredUrl(link.target, float("/good/" in link.target)) for link in links]


def main(folder: Path, port: str) -> None:
    """Crawl from the index until nothing is left."""
    address_guard.is_public_address = lambda address: address in ADDRESSES
    address_guard.PIN_SECONDS = 0.0
    fetched: list[str] = []

    def listen(event: CrawlEvent) -> None:
        if isinstance(event, PageFetched):
            fetched.append(event.url)

    settings = FetchSettings(
        "test@example.com",
        delay=0.0,
        deadline=5.0,
        retries=1,
        backoff=(0.1,),
        max_body_bytes=2 << 20,
        lookup=look_up,
    )
    scope = Scope(per_host=600, per_pattern=100, per_calendar=20)
    with Frontier(folder / "f", scope) as frontier, WarcWriter(folder / "archive") as archive:
        frontier.add_seeds([f"http://{HOSTS[0]}:{port}/"])
        summary = crawl(frontier, archive, visit, settings=settings, listen=listen)
        report = {
            "fetched": fetched,
            "refused": summary.refused,
            "failed": summary.failed,
            "refusals": frontier.status().refused,
            "ended": summary.ended,
            "seconds": summary.seconds,
            "peak": peak(),
            "counts": frontier.counts,
        }
    print(json.dumps(report))  # noqa: T201


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
