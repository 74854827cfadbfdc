"""`BaseSet`: the subgraph around a query, with the texts and anchors of its pages."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from weft.core.arrays import Floats, Ids, Offsets, concatenate_ranges, pack_pairs
from weft.core.errors import BadParameter
from weft.core.html import titled_table
from weft.core.text import describe_dropped, pluralise
from weft.gather.url import host
from weft.graph.selection import Level
from weft.graph.views import Dropped
from weft.graph.webgraph import ArrowNames, WebGraph, to_name_array
from weft.store.collection import Collection
from weft.store.search import parse_query
from weft.store.snippet import make_snippets, query_stems
from weft.store.term_weights import TermWeights

MAX_HOST_TITLES = 200
ORIGINS = ("root", "linked from", "links to", "given")
ROOT, LINKED_FROM, LINKS_TO, GIVEN = range(len(ORIGINS))
ANCHOR_SCHEMA = pa.schema(
    {
        "source": pa.int32(),
        "target": pa.int32(),
        "anchor": pa.large_string(),
        "before": pa.large_string(),
        "after": pa.large_string(),
    }
)
BLOCK_SCHEMA = pa.schema(
    {
        "source": pa.int32(),
        "target": pa.int32(),
        "anchor": pa.large_string(),
        "position": pa.int32(),
        "path": pa.dictionary(pa.int32(), pa.string()),
    }
)

ReadTexts = Callable[[], Sequence[str]]
ReadTable = Callable[[], pa.Table]
ReadTermWeights = Callable[[], TermWeights]
ReadAnchorTexts = Callable[[Ids, Ids], tuple[Offsets, pa.Array]]


def empty_texts() -> Sequence[str]:
    """The texts of a graph without text."""
    return ()


def empty_anchor_table() -> pa.Table:
    """The anchors of a graph without text."""
    return ANCHOR_SCHEMA.empty_table()


def empty_block_table() -> pa.Table:
    """The blocks of a graph without text."""
    return BLOCK_SCHEMA.empty_table()


@dataclass(frozen=True, slots=True)
class Origin:
    """How a page came into a base set.

    `rank` is its rank in the search, from 1, and 0 for a page that was not
    found; `via` is the page through which it was added, if any.
    """

    page: str
    kind: str
    rank: int
    via: str
    text_score: float

    def __str__(self) -> str:
        if self.rank and self.kind == ORIGINS[ROOT]:
            return f"{self.page}: found by the search, rank {self.rank}"
        return f"{self.page}: {self.kind} {self.via}" if self.via else f"{self.page}: {self.kind}"


@dataclass(frozen=True, slots=True)
class AbsentPage:
    """Why a candidate page is not in a base set, and the page that replaces it, if any."""

    reason: str
    replaced_by: str = ""

    def __str__(self) -> str:
        return f"{self.reason} {self.replaced_by}".rstrip()


@dataclass(frozen=True, slots=True, eq=False)
class BaseSet:
    """The subgraph around a query, with the texts and anchors of its pages.

    `page_numbers` are those of the collection, ascending. By page, `origin` is
    an index into `ORIGINS`, `rank` the rank in the search, from 1, `via` the
    page of the base set through which it was added, -1 for none. `text_score` is
    the score of the search, 0 for a page that was not found, and 1 for all
    pages where there was no search; `search_total` counts all pages that the
    search found. Texts, term weights and anchors are read on first use, from the
    `collection` if there is one.
    `dropped` says how much was left out and why, `absent` which pages.
    """

    graph: WebGraph
    query: str
    page_numbers: Ids
    origin: Ids
    rank: Ids
    via: Ids
    text_score: Floats
    dropped: tuple[Dropped, ...] = ()
    read_texts: ReadTexts = field(default=empty_texts, repr=False)
    read_anchors: ReadTable = field(default=empty_anchor_table, repr=False)
    read_titles: ReadTexts = field(default=empty_texts, repr=False)
    read_term_weights: ReadTermWeights | None = field(default=None, repr=False)
    absent: Mapping[str, AbsentPage] = field(default_factory=dict, repr=False)
    read_blocks: ReadTable = field(default=empty_block_table, repr=False)
    read_anchor_texts: ReadAnchorTexts | None = field(default=None, repr=False)
    read_host_titles: Callable[[int], Sequence[str]] | None = field(default=None, repr=False)
    read_topics: Callable[[], Mapping[str, Sequence[str]]] | None = field(default=None, repr=False)
    search_total: int = 0
    collection: Collection | None = field(default=None, repr=False)

    @classmethod
    def from_any(cls, links: Any) -> "BaseSet":
        """A base set as it is, or all pages of any other input that holds links."""
        return links if isinstance(links, BaseSet) else cls.from_graph(WebGraph.from_any(links))

    @classmethod
    def from_graph(
        cls,
        graph: WebGraph,
        *,
        query: str = "",
        read_texts: ReadTexts = empty_texts,
        read_anchors: ReadTable = empty_anchor_table,
        read_titles: ReadTexts = empty_texts,
    ) -> "BaseSet":
        """All pages of a graph, with a query and texts where given.

        Examples
        --------
        >>> BaseSet.from_graph(WebGraph.from_links([("a", "x"), ("b", "x")]))
        <BaseSet: 3 pages, 2 links>
        """
        n = len(graph)
        return cls(
            graph,
            query,
            page_numbers=np.arange(n, dtype=np.int32),
            origin=np.full(n, GIVEN, np.int32),
            rank=np.zeros(n, np.int32),
            via=np.full(n, -1, np.int32),
            text_score=np.ones(n),
            read_texts=read_texts,
            read_anchors=read_anchors,
            read_titles=read_titles,
        )

    @property
    def pages(self) -> Sequence[str]:
        """The names of the pages."""
        return self.graph.pages

    def page_names(self, pages: Ids) -> list[str]:
        """The names of some pages."""
        if isinstance(self.pages, ArrowNames):
            names: list[str] = self.pages.array.take(pa.array(pages)).to_pylist()
            return names
        return [self.pages[page] for page in pages.tolist()]

    @property
    def level(self) -> Level:
        """The level of the graph: page, host or domain."""
        return self.graph.level

    @property
    def roots(self) -> Ids:
        """The root set, by rank: the pages found or given; all pages where there are no others."""
        roots = np.flatnonzero((self.origin == ROOT) | (self.origin == GIVEN))
        return roots[np.argsort(self.rank[roots], kind="stable")].astype(np.int32)

    @property
    def query_terms(self) -> tuple[str, ...]:
        """The words and phrases of the query."""
        return parse_query(self.query).terms if self.query else ()

    @property
    def texts(self) -> Sequence[str]:
        """The text of each page, empty for uncaptured pages; no items without a collection."""
        return self.read_texts()

    def texts_of(self, pages: Ids) -> Sequence[str]:
        """The texts of some pages; with a collection only these are read."""
        if self.collection is not None:
            return self.collection.texts(self.page_numbers[pages].tolist())
        texts = self.texts
        return [texts[page] for page in pages.tolist()] if len(texts) else ()

    @property
    def titles(self) -> Sequence[str]:
        """The title of each page, empty where there is none; no items without a collection."""
        return self.read_titles()

    @property
    def topics(self) -> Mapping[str, Sequence[str]]:
        """Pages of the collection's topics by name, those of this base set; else nothing."""
        return {} if self.read_topics is None or not len(self) else self.read_topics()

    @property
    def languages(self) -> Sequence[str]:
        """The language of each page; no items without a collection."""
        if self.collection is None:
            return ()
        numbers = pa.array(self.page_numbers)
        languages: list[str] = self.collection.pages["language"].take(numbers).to_pylist()
        return languages

    def page_refs(self, pages: Ids) -> list[dict[str, str]]:
        """URL, title and kind of some pages; the kind of a host or domain is its level."""
        if self.collection is None:
            kind = "listed" if self.level == "page" else self.level
            names = self.page_names(np.asarray(pages, np.int32))
            return [{"url": name, "title": "", "kind": kind} for name in names]
        return self.collection.page_refs(self.page_numbers[pages])

    def snippets(self, pages: Ids) -> list[str]:
        """A passage of each page: that with most of the query, or the beginning."""
        if self.collection is None or not len(pages):
            return [""] * len(pages)
        numbers = self.page_numbers[pages]
        query = parse_query(self.query) if self.query else None
        stems = query_stems(query, self.collection.text_index) if query else frozenset[str]()
        texts = self.collection.texts(numbers.tolist(), main_content=True)
        languages = self.collection.pages["language"].take(pa.array(numbers)).to_pylist()
        return [snippet.text for snippet in make_snippets(texts, languages, stems)]

    def counts(self) -> dict[str, int]:
        """Its size: search hits, root pages, all pages, links, uncaptured pages."""
        uncaptured = self.graph.uncaptured
        return {
            "found": self.search_total,
            "root": int(np.sum(self.origin == ROOT)),
            "pages": len(self),
            "links": self.graph.link_count,
            "uncaptured": 0 if uncaptured is None else int(np.sum(uncaptured)),
        }

    def host_titles(self, page: int) -> Sequence[str]:
        """Titles of pages on the host of a page, at most 200, spread evenly over the host.

        Those of the collection, or of this base set where there is none.
        """
        if self.read_host_titles is not None:
            return self.read_host_titles(int(self.page_numbers[page]))
        owner = host(self.pages[page])
        own = [
            title
            for name, title in zip(self.pages, self.titles, strict=True)
            if host(name) == owner
        ]
        return own[:: max(len(own) // MAX_HOST_TITLES, 1)]

    @property
    def term_weights(self) -> TermWeights:
        """The TF-IDF weights of the stems of each page.

        The document counts are those of the collection, or of this base set
        where there is none.
        """
        if self.read_term_weights is not None:
            return self.read_term_weights()
        texts, blank = self.texts, [""] * len(self)
        if not texts:
            return TermWeights.empty(len(self))
        return TermWeights.from_texts(self.titles or blank, texts, blank)

    @property
    def anchors(self) -> pa.Table:
        """Every link on its page: source, target, anchor, and the text before and after.

        Sources and targets are numbers in the base set. Parallel links have a
        row each, in the order of the page.
        """
        return self.read_anchors()

    def anchor_texts(self, sources: Ids, targets: Ids) -> tuple[Offsets, pa.Array]:
        """The anchor texts of the links of pairs of pages: offsets of the pairs, and texts.

        With a collection only the links of these pairs are read.
        """
        if self.read_anchor_texts is not None:
            return self.read_anchor_texts(sources, targets)
        table = self.anchors
        links, pairs = pack_pairs(table["source"], table["target"]), pack_pairs(sources, targets)
        order = np.argsort(links, kind="stable")
        first = np.searchsorted(links, pairs, sorter=order)
        counts = np.searchsorted(links, pairs, side="right", sorter=order) - first
        offsets = np.concatenate([[0], np.cumsum(counts)])
        at = order[concatenate_ranges(first, counts)]
        return offsets, table["anchor"].combine_chunks().take(pa.array(at))

    @property
    def blocks(self) -> pa.Table:
        """Every link with its block: source, target, anchor, position in the text, path.

        The rows are those of `anchors`. Where they are not known the position is
        -1 and the path empty; without a collection there are no rows.
        """
        return self.read_blocks()

    def origin_of(self, page: str) -> Origin:
        """How a page came into the base set."""
        number = self.graph.page_number(page)
        if number < 0 and page in self.absent:
            raise BadParameter(
                f"{page!r} is not in the base set: {self.absent[page]}",
                hint="mirrors=keep, stoplist=none or no `exclude` lets it in",
            )
        if number < 0:
            raise BadParameter(
                f"{page!r} is not in the base set", hint="a larger root set may include it"
            )
        via = int(self.via[number])
        return Origin(
            page,
            ORIGINS[self.origin[number]],
            int(self.rank[number]),
            self.pages[via] if via >= 0 else "",
            float(self.text_score[number]),
        )

    def notes(self) -> tuple[str, ...]:
        """How the base set was built, a line per step: the roots, then what was left out."""
        roots, size = len(self.roots), pluralise(len(self), self.level)
        if roots == len(self) and not (self.origin == ROOT).any():
            candidates = pluralise(len(self) + len(self.absent), self.level)
            first = f"{candidates} given" if self.rank.any() else f"all {candidates}"
            first += f" → {size}" if self.absent else ""
        else:
            total = f"of {self.search_total:,} " if self.search_total > roots else ""
            source = f"{total}found by the search" if (self.origin == ROOT).any() else "given"
            first = f"root {pluralise(roots, self.level)} {source} → {size}"
        dropped = (
            describe_dropped(part.reason, part.pages, part.links, self.level)
            for part in self.dropped
        )
        return (first, *dropped)

    def to_table(self) -> pa.Table:
        """One row per page, roots first by rank: page, origin, rank, via, text_score."""
        names = to_name_array(self.pages)
        order = np.lexsort((np.arange(len(self)), self.rank, self.origin))
        table = pa.table(
            {
                "page": names,
                "origin": pa.array(ORIGINS).take(pa.array(self.origin)),
                "rank": pa.array(self.rank, mask=self.rank == 0),
                "via": names.take(pa.array(self.via, mask=self.via < 0)),
                "text_score": pa.array(self.text_score),
            }
        )
        return table.take(pa.array(order))

    def __len__(self) -> int:
        return len(self.graph)

    def __repr__(self) -> str:
        about = f" for {self.query!r}" if self.query else ""
        size = f"{len(self):,} {self.level}s, {self.graph.link_count:,} links"
        return f"<BaseSet{about}: {size}>"

    def _repr_html_(self) -> str:
        return titled_table(
            repr(self).strip("<>"), ["how it was built"], [(note,) for note in self.notes()]
        )
