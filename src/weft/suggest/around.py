"""What is around a page: the graph, what its pages and links say, and what follows from them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from weft.core.arrays import Flags, Floats, Ids, Rows
from weft.graph.among import places
from weft.graph.baseset import BaseSet
from weft.graph.options import Level
from weft.graph.owners import owners
from weft.graph.undirected import undirected
from weft.graph.webgraph import WebGraph

T = TypeVar("T")
Told = Callable[[Ids], Sequence[str]]
Marked = Callable[[Ids], Flags]
SPARSE = 16


@dataclass(frozen=True, slots=True, eq=False)
class Around:
    """A web that is asked about one page after the other.

    `read_titles` and `read_kinds` tell the titles of some pages and how these
    are known, such as seen, `read_stopped` which of them a stop-list names,
    `read_marked` how many links to each page are marked nofollow or the like,
    and `read_written` how a page mostly writes the words of each stem; nothing
    where they are not given. What follows from the web alone is kept for the
    next page.
    """

    base: BaseSet
    read_titles: Told | None = field(default=None, repr=False)
    read_kinds: Told | None = field(default=None, repr=False)
    read_stopped: Marked | None = field(default=None, repr=False)
    read_marked: Callable[[], Ids] | None = field(default=None, repr=False)
    read_written: Callable[[int], Mapping[str, str]] | None = field(default=None, repr=False)
    kept: dict[str, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, links: Any) -> "Around":
        """As it is, or around the pages of a base set or whatever else holds links."""
        return links if isinstance(links, Around) else cls(BaseSet.of(links))

    @property
    def graph(self) -> WebGraph:
        """Its links."""
        return self.base.graph

    @property
    def level(self) -> Level:
        """What a page is: a page, or a host or domain."""
        return self.graph.level

    def once(self, name: str, make: Callable[[], T]) -> T:
        """What follows from the web, made when it is first asked for, and kept."""
        if name not in self.kept:
            self.kept[name] = make()
        found: T = self.kept[name]
        return found

    def latest(self, name: str, page: int, make: Callable[[], T]) -> T:
        """What follows from the web for one page, kept until another page is asked about."""
        known, found = self.kept.get(f"latest {name}", (-1, None))
        if known != page:
            found = make()
            self.kept[f"latest {name}"] = page, found
        made: T = found
        return made

    def number(self, page: str) -> int:
        """The number of a page by its name; a name that is not there is an error."""
        return int(self.graph.numbers([page])[0])

    def titles(self, pages: Ids) -> list[str]:
        """The titles of some pages, empty where there are none."""
        if self.read_titles is not None:
            return list(self.read_titles(pages))
        known = self.base.titles
        return [known[page] if known else "" for page in pages.tolist()]

    def kinds(self, pages: Ids) -> list[str]:
        """How some pages are known, such as seen; empty where that is not told."""
        if self.read_kinds is not None:
            return list(self.read_kinds(pages))
        seen = self.graph.seen
        return ["seen" if seen is not None and seen[page] else "" for page in pages.tolist()]

    def stopped(self, pages: Ids) -> Flags:
        """Which pages a stop-list names: portals, counters, advertisers."""
        return np.zeros(len(pages), bool) if self.read_stopped is None else self.read_stopped(pages)

    @property
    def marked(self) -> Ids:
        """How many links to each page ask not to be taken as a recommendation."""
        none = np.zeros(len(self.graph), np.int32)
        read = self.read_marked
        return self.once("marked", lambda: none if read is None else read())

    def said(self, sources: Ids, targets: Ids) -> list[tuple[str, ...]]:
        """What the links from pages to others say, each thing once; nothing where nobody knows."""
        ends, anchors = self.base.said(np.asarray(sources, np.int32), np.asarray(targets, np.int32))
        words = [" ".join(text.split()) for text in anchors.to_pylist()]
        found = (words[a:b] for a, b in pairwise(ends.tolist()))
        return [tuple(dict.fromkeys(filter(None, each))) for each in found]

    def written(self, page: int, stem: str) -> str:
        """How a page mostly writes the words of a stem, as `en/cat`; else the stem itself."""
        read = self.read_written
        known = self.latest("written", page, lambda: {} if read is None else read(page))
        return known.get(stem) or stem.rpartition("/")[2]

    @property
    def sites(self) -> Ids:
        """The registrable domain of each page as a number."""
        return self.once("sites", lambda: owners(self.graph.names))[0]

    @property
    def site_names(self) -> list[str]:
        """What these domains are called."""
        return self.once("sites", lambda: owners(self.graph.names))[1]

    @property
    def both_ways(self) -> WebGraph:
        """The same pages with every link in both directions."""

        def make() -> WebGraph:
            ties = Rows(*undirected(self.graph)[:2])
            return WebGraph(self.graph.pages, ties, ties, self.level)

        return self.once("both ways", make)


def onward(graph: WebGraph, x: Floats, *, back: bool = False) -> Floats:
    """What arrives over links, or with `back` against them; few that send are looked at alone."""
    rows = graph.inlinks if back else graph.outlinks
    some = np.flatnonzero(x != 0).astype(np.int32)
    if SPARSE * len(some) < len(x):
        starts = np.asarray(rows.starts)
        counts = starts[some + 1] - starts[some]
        if SPARSE * int(counts.sum()) < len(rows.ids):
            at, _ = places(rows, some)
            sent = np.repeat(x[some], counts)
            return np.bincount(np.asarray(rows.ids[at]), sent, len(x)).astype(np.float64)
    flow = graph.flow()
    return flow.backward(x) if back else flow.forward(x)
