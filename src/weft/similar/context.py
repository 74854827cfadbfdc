"""The web around a page: its graph, titles, anchor texts, sites, and what is derived from them."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, cast

import numpy as np
import pyarrow as pa

from weft.core.arrays import CSR, Floats, Ids, link_positions, pack_pairs, unpack_pairs
from weft.core.memoize import memoize_latest
from weft.graph.baseset.baseset import BaseSet
from weft.graph.levels import encode_domains
from weft.graph.link_facts import count_nofollow_inlinks, read_nofollow_links
from weft.graph.selection import Level
from weft.graph.transitions import Sessions, has_usage_data, load_sessions, load_transitions
from weft.graph.views import undirected_edges
from weft.graph.webgraph import WebGraph, build_csr, link_weights
from weft.store.collection import Collection
from weft.store.tokens import StemmedTexts, stemmer_code

ReadTexts = Callable[[Ids], Sequence[str]]
SPARSE_FACTOR = 16
WORD_PATTERN = re.compile(r"[^\W_]+")
MAX_TEXT_CHARS = 1 << 18
MAX_SESSION_PAGES = 200


class PageUsage(NamedTuple):
    """What visitors did on the pages of a context.

    `sessions` has a row for each session, with its distinct pages; `clicks` a
    row for each page, with the pages viewed next and how often.
    """

    sessions: CSR
    clicks: CSR


@dataclass(frozen=True, eq=False)
class WebContext:
    """A web that similar-page and suggestion methods query for one page after another.

    The `read_…` functions look up what the graph does not hold, and may be
    missing: titles, page kinds (such as uncaptured), how many links to each page
    are marked nofollow, the most common form of each stem on a page, and what
    visitors did. What depends on the web alone is cached.
    """

    base: BaseSet
    read_titles: ReadTexts | None = field(default=None, repr=False)
    read_kinds: ReadTexts | None = field(default=None, repr=False)
    read_nofollow_counts: Callable[[], Ids] | None = field(default=None, repr=False)
    read_word_forms: Callable[[int], Mapping[str, str]] | None = field(default=None, repr=False)
    read_usage: Callable[[], PageUsage] | None = field(default=None, repr=False)

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

    @cached_property
    def usage(self) -> PageUsage | None:
        """What visitors did, where that is known."""
        return None if self.read_usage is None else self.read_usage()

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
            at, page = link_positions(rows, nonzero)
            return np.bincount(np.asarray(rows.ids[at]), x[page], len(x)).astype(np.float64)
    operator = graph.operator()
    return operator.matvec(x) if backward else operator.rmatvec(x)


def build_web_context(collection: Collection, base: BaseSet) -> WebContext:
    """A base set of pages with their titles, kinds and word forms; hosts have none."""
    if base.level != "page":
        return WebContext(base)
    numbers = base.page_numbers

    def read_titles(pages: Ids) -> list[str]:
        titles = collection.pages["title"].take(pa.array(numbers[pages]))
        return cast("list[str]", titles.to_pylist())

    def read_kinds(pages: Ids) -> list[str]:
        return cast("list[str]", collection.page_kinds(numbers[pages]).to_pylist())

    def read_nofollow_counts() -> Ids:
        links = read_nofollow_links(collection)
        return count_nofollow_inlinks(links, len(collection))[numbers]

    def read_word_forms(page: int) -> dict[str, str]:
        return common_word_forms(collection, int(numbers[page]))

    return WebContext(
        base,
        read_titles,
        read_kinds,
        read_nofollow_counts,
        read_word_forms,
        (lambda: _read_page_usage(collection, numbers)) if has_usage_data(collection) else None,
    )


def _read_page_usage(collection: Collection, numbers: Ids) -> PageUsage:
    """The sessions and clicks of some pages of a collection."""
    clicks = load_transitions(collection).counts
    return restrict_usage(load_sessions(collection), clicks, numbers)


def restrict_usage(sessions: Sessions, clicks: CSR, numbers: Ids) -> PageUsage:
    """What visitors did on some pages, which are renumbered from 0 in their order.

    Sessions of over 200 pages are left out: they are no reader's.
    """
    position = np.full(len(sessions.graph), -1, np.int32)
    position[numbers] = np.arange(len(numbers))
    page = position[sessions.pages]
    key = np.unique(pack_pairs(sessions.session_ids[page >= 0], page[page >= 0]))
    session, page = unpack_pairs(key)
    sizes = np.bincount(session, minlength=len(sessions))
    kept = sizes[session] <= MAX_SESSION_PAGES
    rows = CSR(
        np.concatenate([[0], np.cumsum(np.where(sizes <= MAX_SESSION_PAGES, sizes, 0))]), page[kept]
    )
    source, target = position[clicks.row_ids()], position[np.asarray(clicks.ids)]
    inside = (source >= 0) & (target >= 0)
    counts = np.asarray(link_weights(clicks), np.float64)[inside]
    return PageUsage(rows, build_csr(source[inside], target[inside], counts, len(numbers)))


def common_word_forms(collection: Collection, number: int) -> dict[str, str]:
    """The most frequent form of each stem on a page."""
    title, language = (collection.pages[name][number].as_py() for name in ("title", "language"))
    text = f"{title}\n{collection.texts([number])[0][:MAX_TEXT_CHARS]}"
    counts = Counter(WORD_PATTERN.findall(text.lower()))
    words = pa.array(counts, pa.string())
    stems = StemmedTexts.from_texts(words, stemmer_code(language)).to_strings()
    forms: dict[str, str] = {}
    for word, padded_stem in zip(counts, stems, strict=True):
        stem = padded_stem.strip()
        if counts[word] > counts[forms.get(stem, "")]:
            forms[stem] = word
    return forms
