"""The web around a page: its graph, titles, anchor texts, sites, and what is derived from them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from weft.core.arrays import CSR, Floats, Ids
from weft.core.memoize import memoize_latest
from weft.graph.baseset.baseset import BaseSet
from weft.graph.selection import Level
from weft.graph.sites import encode_domains
from weft.graph.views import link_positions, undirected_edges
from weft.graph.webgraph import WebGraph

ReadTexts = Callable[[Ids], Sequence[str]]
SPARSE_FACTOR = 16


@dataclass(frozen=True, eq=False)
class WebContext:
    """A web that similar-page and suggestion methods query for one page after another.

    The `read_…` functions look up what the graph does not hold, and may be
    missing: titles, page kinds (such as uncaptured), how many links to each page
    are marked nofollow, and the most common form of each stem on a page. What
    depends on the web alone is cached.
    """

    base: BaseSet
    read_titles: ReadTexts | None = field(default=None, repr=False)
    read_kinds: ReadTexts | None = field(default=None, repr=False)
    read_nofollow_counts: Callable[[], Ids] | None = field(default=None, repr=False)
    read_word_forms: Callable[[int], Mapping[str, str]] | None = field(default=None, repr=False)

    @classmethod
    def from_any(cls, links: Any) -> "WebContext":
        """Build a context from a base set, a graph, or anything else that holds links."""
        return links if isinstance(links, WebContext) else cls(BaseSet.from_any(links))

    @property
    def graph(self) -> WebGraph:
        """The link graph."""
        return self.base.graph

    @property
    def level(self) -> Level:
        """What a node of the graph is: a page, a host or a domain."""
        return self.graph.level

    def require_page_number(self, page: str) -> int:
        """The number of a page; an unknown name is an error."""
        return int(self.graph.page_numbers([page])[0])

    def titles(self, pages: Ids) -> list[str]:
        """The titles of some pages, empty where unknown."""
        if self.read_titles is not None:
            return list(self.read_titles(pages))
        titles = self.base.titles
        return [titles[page] if titles else "" for page in pages.tolist()]

    def kinds(self, pages: Ids) -> list[str]:
        """The kinds of some pages, such as uncaptured; empty where unknown."""
        if self.read_kinds is not None:
            return list(self.read_kinds(pages))
        uncaptured = self.graph.uncaptured
        return [
            "uncaptured" if uncaptured is not None and uncaptured[page] else ""
            for page in pages.tolist()
        ]

    @cached_property
    def nofollow_counts(self) -> Ids:
        """How many links to each page are marked nofollow, sponsored or ugc."""
        read = self.read_nofollow_counts
        return np.zeros(len(self.graph), np.int32) if read is None else read()

    def anchor_texts(self, sources: Ids, targets: Ids) -> list[tuple[str, ...]]:
        """The distinct anchor texts of the links between pairs of pages."""
        bounds, anchors = self.base.anchor_texts(
            np.asarray(sources, np.int32), np.asarray(targets, np.int32)
        )
        texts = [" ".join(text.split()) for text in anchors.to_pylist()]
        links = (texts[start:end] for start, end in pairwise(bounds.tolist()))
        return [tuple(dict.fromkeys(filter(None, link_texts))) for link_texts in links]

    def word_form(self, page: int, stem: str) -> str:
        """The most common form of a stem, such as `en/cat`, on a page; else the bare stem."""
        return self._word_forms(page).get(stem) or stem.rpartition("/")[2]

    @memoize_latest
    def _word_forms(self, page: int) -> Mapping[str, str]:
        return {} if self.read_word_forms is None else self.read_word_forms(page)

    @cached_property
    def _sites(self) -> tuple[Ids, list[str]]:
        return encode_domains(self.graph.names)

    @property
    def site_ids(self) -> Ids:
        """The registrable domain of each page, as a number."""
        return self._sites[0]

    @property
    def site_names(self) -> list[str]:
        """The names of these domains."""
        return self._sites[1]

    @cached_property
    def undirected_graph(self) -> WebGraph:
        """The same pages with every link in both directions."""
        edges = CSR(*undirected_edges(self.graph)[:2])
        return WebGraph(self.graph.pages, edges, edges, self.level)


def propagate(graph: WebGraph, x: Floats, *, backward: bool = False) -> Floats:
    """Multiply a vector by the adjacency matrix: A' x along links, or A x backward.

    If few entries are nonzero, only the links of these pages are read.
    """
    rows = graph.inlinks if backward else graph.outlinks
    nonzero = np.flatnonzero(x != 0).astype(np.int32)
    if SPARSE_FACTOR * len(nonzero) < len(x):
        starts = np.asarray(rows.starts)
        counts = starts[nonzero + 1] - starts[nonzero]
        if SPARSE_FACTOR * int(counts.sum()) < len(rows.ids):
            at, _ = link_positions(rows, nonzero)
            values = np.repeat(x[nonzero], counts)
            return np.bincount(np.asarray(rows.ids[at]), values, len(x)).astype(np.float64)
    operator = graph.operator()
    return operator.matvec(x) if backward else operator.rmatvec(x)
