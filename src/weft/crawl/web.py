"""The web that a crawl fetches from: its interface, and a simulated web made of a collection."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol
from urllib.robotparser import RobotFileParser

import numpy as np
import pyarrow as pa

from weft.core.arrays import Ids, Offsets
from weft.core.json import JsonObject
from weft.gather.links import CONTEXT_CHARS
from weft.gather.page import Link, Page, PageKind
from weft.gather.url import host
from weft.graph.levels import load_graph
from weft.graph.webgraph import WebGraph
from weft.store import segment as segments
from weft.store.collection import Collection
from weft.store.manifest import Segment
from weft.store.numbering import PAGE_KINDS

USER_AGENT = "weft"
OK, MOVED, NOT_FOUND, UNAVAILABLE = 200, 301, 404, 503
LINK_COLUMNS = ("target", "anchor", "rel", "element", "position", "path")
PAGE_COLUMNS = ("time", "mime", "title", "text", "main", "language", "robots")


@dataclass(frozen=True, slots=True)
class Response:
    """What a fetch returned: HTTP status and headers, and the parsed page, if it is one.

    `refused` says why nothing was requested, such as robots.txt. `seconds` is
    how long it took.
    """

    url: str
    http_status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    page: Page | None = None
    refused: str = ""
    seconds: float = 0.0

    @property
    def body(self) -> bytes:
        """The text of the page in UTF-8; a collection does not keep the markup."""
        return b"" if self.page is None else self.page.text.encode("utf-8", "replace")

    @property
    def links(self) -> tuple[Link, ...]:
        """The links of the page."""
        return () if self.page is None else self.page.links


class Web(Protocol):
    """Anything that pages can be fetched from."""

    def fetch(self, url: str) -> Response:
        """Request a URL; redirects are not followed."""


@dataclass(frozen=True, slots=True, eq=False)
class StoredLinks:
    """The links of a segment, by the row of their page, as arrays and dictionaries of strings."""

    starts: Offsets
    urls: pa.Array
    columns: dict[str, Ids]
    words: dict[str, list[str]]

    @classmethod
    def read(cls, collection: Collection, segment: Segment) -> "StoredLinks":
        """Read the links of a segment, without their surroundings, which are in the text."""
        folder = collection.checked_segment_folder(segment)
        counts = segments.read_table(folder, "pages.parquet", ["links"])["links"].to_numpy()
        links = segments.read_table(folder, "links.parquet", LINK_COLUMNS)
        urls = segments.read_table(folder, "urls.parquet", ["url"])["url"].combine_chunks()
        columns, words = {}, {}
        for name in LINK_COLUMNS:
            column = links[name].combine_chunks()
            if pa.types.is_dictionary(column.type):
                words[name] = column.dictionary.to_pylist()
                column = column.indices
            columns[name] = column.to_numpy()
        return cls(np.append(0, np.cumsum(counts)), urls, columns, words)

    def of_row(self, row: int, text: str) -> tuple[Link, ...]:
        """The links of a page, with the text around each."""
        span = slice(int(self.starts[row]), int(self.starts[row + 1]))
        targets = self.urls.take(pa.array(self.columns["target"][span])).to_pylist()
        anchors, rels, elements, paths = (
            [self.words[name][code] for code in self.columns[name][span].tolist()]
            for name in ("anchor", "rel", "element", "path")
        )
        flat, links = text.replace("\n", " "), []
        positions = self.columns["position"][span].tolist()
        for target, anchor, rel, element, at, path in zip(
            targets, anchors, rels, elements, positions, paths, strict=True
        ):
            end = at + len(anchor)
            before = flat[max(at - CONTEXT_CHARS, 0) : at].strip() if at > 0 else ""
            after = flat[end : end + CONTEXT_CHARS].strip() if at >= 0 else ""
            links.append(Link(target, anchor, before, after, rel, element, at, path))
        return tuple(links)


class SimulatedWeb:
    """A collection that is served as a web: offline, deterministic, as large as its captures.

    A captured page answers 200 with its title, text and links, an alias 301, a page
    captured as an error its status, anything else 404. `allow` limits the web to some
    URLs. `robots` maps hosts to the text of their robots.txt. A share `errors` of
    the URLs, chosen by `seed`, answers 503. `latency` is the time that a fetch is
    said to take, in seconds; nothing waits.
    """

    def __init__(
        self,
        collection: Collection,
        *,
        allow: Callable[[str], bool] | None = None,
        robots: Mapping[str, str] | None = None,
        errors: float = 0.0,
        latency: float = 0.0,
        seed: int = 0,
    ) -> None:
        self.collection = collection
        self.allow = allow
        self.errors, self.latency, self.seed = errors, latency, seed
        self._robots = {name: _parse_robots(text) for name, text in (robots or {}).items()}
        self._links: dict[int, StoredLinks] = {}

    def fetch(self, url: str) -> Response:
        """Request a URL of the collection; redirects are not followed."""
        rules = self._robots.get(host(url))
        if rules is not None and not rules.can_fetch(USER_AGENT, url):
            return Response(url, refused="robots.txt")
        if self._fails(url):
            return Response(url, UNAVAILABLE, seconds=self.latency)
        number = -1 if self.allow and not self.allow(url) else self.collection.page_number(url)
        return replace(self._respond(url, number), seconds=self.latency)

    def backlinks(self, url: str) -> list[str]:
        """The captured pages that link to a URL, from the collection's index of in-links."""
        number = self.collection.page_number(url)
        if number < 0:
            return []
        numbers = self._graph.inlinks.row(number).tolist()
        urls = self.collection.pages["url"].take(pa.array(numbers, pa.int64())).to_pylist()
        return [source for source in urls if self.allow is None or self.allow(source)]

    @cached_property
    def _graph(self) -> WebGraph:
        return load_graph(self.collection)

    def _fails(self, url: str) -> bool:
        if not self.errors:
            return False
        digest = hashlib.sha256(f"{self.seed} {url}".encode()).digest()
        return int.from_bytes(digest[:8], "big") / 2**64 < self.errors

    def _respond(self, url: str, number: int) -> Response:
        if number < 0:
            return Response(url, NOT_FOUND)
        stored = self.collection.pages.slice(number, 1).to_pylist()[0]
        if stored["url"] != url:
            return Response(url, MOVED, {"Location": stored["url"]})
        if stored["kind"] in (PAGE_KINDS["captured"], PAGE_KINDS["listed"]):
            page = self._load_page(number, stored)
            return Response(url, OK, {"Content-Type": page.mime or "text/html"}, page)
        if stored["kind"] == PAGE_KINDS["error"]:
            fields = self._read_row(stored, ("status",))
            return Response(url, fields["status"])
        return Response(url, NOT_FOUND)

    def _load_page(self, number: int, stored: JsonObject) -> Page:
        """A page as the live capture has it; one of an edge list has only title and links."""
        kind: PageKind = "captured" if stored["kind"] == PAGE_KINDS["captured"] else "listed"
        url, row = stored["url"], stored["row"]
        segment = self.collection.manifest.segments[stored["segment"]]
        if segment.input_digest:
            targets = pa.array(self._graph.outlinks.row(number), pa.int64())
            urls = self.collection.pages["url"].take(targets).to_pylist()
            return Page(url, kind=kind, title=stored["title"], links=tuple(map(Link, urls)))
        fields = self._read_row(stored, PAGE_COLUMNS)
        if stored["segment"] not in self._links:
            self._links[stored["segment"]] = StoredLinks.read(self.collection, segment)
        links = self._links[stored["segment"]].of_row(row, fields["text"])
        return Page(url, kind=kind, **fields, links=links)

    def _read_row(self, stored: JsonObject, columns: Sequence[str]) -> JsonObject:
        """Some columns of a capture."""
        segment = self.collection.manifest.segments[stored["segment"]]
        folder = self.collection.checked_segment_folder(segment, "pages.parquet")
        rows = segments.read_page_rows(folder, [stored["row"]], columns)
        return dict(rows.to_pylist()[0])


def _parse_robots(text: str) -> RobotFileParser:
    rules = RobotFileParser()
    rules.parse(text.splitlines())
    return rules
