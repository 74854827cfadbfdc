"""The base set of a query: the pages a search found, and those around them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from weft.core.arrays import Floats, Ids, Offsets, stacked
from weft.core.errors import BadParameter
from weft.core.markup import card
from weft.core.wording import count, left_out
from weft.graph.options import Level
from weft.graph.views import Dropped
from weft.graph.webgraph import Names, WebGraph, as_names
from weft.store.query import parse
from weft.store.telling import Words

ORIGINS = ("root", "linked from", "links to", "given")
ROOT, LINKED, LINKING, GIVEN = range(len(ORIGINS))
ANCHORS = pa.schema(
    {
        "source": pa.int32(),
        "target": pa.int32(),
        "anchor": pa.large_string(),
        "before": pa.large_string(),
        "after": pa.large_string(),
    }
)
BLOCKS = pa.schema(
    {
        "source": pa.int32(),
        "target": pa.int32(),
        "anchor": pa.large_string(),
        "position": pa.int32(),
        "path": pa.dictionary(pa.int32(), pa.string()),
    }
)

Texts = Callable[[], Sequence[str]]
Anchors = Callable[[], pa.Table]
Telling = Callable[[], Words]
Said = Callable[[Ids, Ids], tuple[Offsets, pa.Array]]


def no_texts() -> Sequence[str]:
    """What a graph without words has to say."""
    return ()


def no_anchors() -> pa.Table:
    """The anchors of links that have none."""
    return ANCHORS.empty_table()


def no_blocks() -> pa.Table:
    """The blocks of pages that are known by their links alone."""
    return BLOCKS.empty_table()


@dataclass(frozen=True, slots=True)
class Origin:
    """How a page came into a base set.

    `rank` is its place in the search, from one, and zero for a page that was
    not found; `via` is the page that brought it in, if any.
    """

    page: str
    how: str
    rank: int
    via: str
    text_score: float

    def __str__(self) -> str:
        if self.rank and self.how == ORIGINS[ROOT]:
            return f"{self.page}: found by the search, place {self.rank}"
        return f"{self.page}: {self.how} {self.via}" if self.via else f"{self.page}: {self.how}"


@dataclass(frozen=True, slots=True)
class Absent:
    """Why a page that was met is not in a base set, and the page that stands for it, if any."""

    reason: str
    instead: str = ""

    def __str__(self) -> str:
        return f"{self.reason} {self.instead}".rstrip()


@dataclass(frozen=True, slots=True, eq=False)
class BaseSet:
    """A part of the web around a query, with what its pages and links say.

    `numbers` are its pages' numbers in the collection, ascending; `origin`
    holds places in `ORIGINS`, `rank` the place in the search, from one, `via`
    the page (of the base set) that brought another in, -1 for none. A page's
    `text_score` is that of the search, zero for a page that was not found, and
    one for all where there was no search; `found` is how many pages the search
    found in all. Texts, words and anchors are read when a
    method first asks for them. `dropped` tells what was left out and how much
    of it, `absent` which pages.
    """

    graph: WebGraph
    query: str
    numbers: Ids
    origin: Ids
    rank: Ids
    via: Ids
    text_score: Floats
    dropped: tuple[Dropped, ...] = ()
    read_texts: Texts = field(default=no_texts, repr=False)
    read_anchors: Anchors = field(default=no_anchors, repr=False)
    read_titles: Texts = field(default=no_texts, repr=False)
    read_words: Telling | None = field(default=None, repr=False)
    absent: Mapping[str, Absent] = field(default_factory=dict, repr=False)
    read_blocks: Anchors = field(default=no_blocks, repr=False)
    read_said: Said | None = field(default=None, repr=False)
    found: int = 0

    @classmethod
    def of(cls, links: Any) -> "BaseSet":
        """A base set as it is, or the whole of whatever else holds links."""
        return links if isinstance(links, BaseSet) else cls.whole(WebGraph.of(links))

    @classmethod
    def whole(
        cls,
        graph: WebGraph,
        *,
        query: str = "",
        read_texts: Texts = no_texts,
        read_anchors: Anchors = no_anchors,
        read_titles: Texts = no_texts,
    ) -> "BaseSet":
        """Every page of a graph, with a query and words only if they are given.

        Examples
        --------
        >>> BaseSet.whole(WebGraph.from_links([("a", "x"), ("b", "x")]))
        <BaseSet: 3 pages, 2 links>
        """
        n = len(graph)
        return cls(
            graph,
            query,
            numbers=np.arange(n, dtype=np.int32),
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

    def named(self, pages: Ids) -> list[str]:
        """The names of some pages."""
        if isinstance(self.pages, Names):
            found: list[str] = self.pages.array.take(pa.array(pages)).to_pylist()
            return found
        return [self.pages[page] for page in pages.tolist()]

    @property
    def level(self) -> Level:
        """What a page is: a page, or a host or domain."""
        return self.graph.level

    @property
    def roots(self) -> Ids:
        """The pages that the search found, best first; all pages where there was no search."""
        found = np.flatnonzero((self.origin == ROOT) | (self.origin == GIVEN))
        return found[np.argsort(self.rank[found], kind="stable")].astype(np.int32)

    @property
    def terms(self) -> tuple[str, ...]:
        """The words and phrases that the query asks for."""
        return parse(self.query).terms if self.query else ()

    @property
    def texts(self) -> Sequence[str]:
        """The text of each page, empty for a page that was never fetched; nothing without words."""
        return self.read_texts()

    @property
    def titles(self) -> Sequence[str]:
        """The title of each page, empty where there is none; nothing without a collection."""
        return self.read_titles()

    @property
    def words(self) -> Words:
        """The telling words of each page, with their weights; none without words.

        In a collection a word weighs by how few of all its pages say it, else
        by how few of these.
        """
        if self.read_words is not None:
            return self.read_words()
        texts, blank = self.texts, [""] * len(self)
        return Words.of(self.titles or blank, texts, blank) if texts else Words.nothing(len(self))

    @property
    def anchors(self) -> pa.Table:
        """Every link as it stands on its page: source, target, anchor, and the words around it.

        Sources and targets are numbers in the base set. Links that stand on a
        page several times are there as often, in the order of the page.
        """
        return self.read_anchors()

    def said(self, sources: Ids, targets: Ids) -> tuple[Offsets, pa.Array]:
        """The anchors of the links from pages to others, and where each pair's begin; then the end.

        Where the anchors of all links were not read before, only these are.
        """
        if self.read_said is not None:
            return self.read_said(sources, targets)
        table = self.anchors
        own, asked = stacked(table["source"], table["target"]), stacked(sources, targets)
        order = np.argsort(own, kind="stable")
        first = np.searchsorted(own, asked, sorter=order)
        many = np.searchsorted(own, asked, side="right", sorter=order) - first
        ends = np.concatenate([[0], np.cumsum(many)])
        at = np.arange(ends[-1]) + np.repeat(first - ends[:-1], many)
        return ends, table["anchor"].combine_chunks().take(pa.array(order[at]))

    @property
    def blocks(self) -> pa.Table:
        """Every link by the block of its page: source, target, anchor, position in the text, path.

        Rows are those of the anchors. A position is -1 and a path empty where
        they are not known; without a collection there are no rows.
        """
        return self.read_blocks()

    def why(self, page: str) -> Origin:
        """How a page came in."""
        number = self.graph.number(page)
        if number < 0 and page in self.absent:
            raise BadParameter(
                f"{page!r} is not in the base set: {self.absent[page]}",
                hint="mirrors=keep, stoplist=none or no `without` lets it in",
            )
        if number < 0:
            raise BadParameter(
                f"{page!r} is not in the base set", hint="a larger root set may bring it in"
            )
        via = int(self.via[number])
        return Origin(
            page,
            ORIGINS[self.origin[number]],
            int(self.rank[number]),
            self.pages[via] if via >= 0 else "",
            float(self.text_score[number]),
        )

    def story(self) -> tuple[str, ...]:
        """How the base set came about, a line for each step: its roots, then what was left out."""
        roots, all_ = len(self.roots), count(len(self), self.level)
        if roots == len(self) and not (self.origin == ROOT).any():
            met = count(len(self) + len(self.absent), self.level)
            begin = f"{met} given" if self.rank.any() else f"all {met}"
            begin += f" → {all_}" if self.absent else ""
        else:
            of = f"of {self.found:,} " if self.found > roots else ""
            how = f"{of}found by the search" if (self.origin == ROOT).any() else "given"
            begin = f"root {count(roots, self.level)} {how} → {all_}"
        gone = (left_out(each.reason, each.pages, each.links, self.level) for each in self.dropped)
        return (begin, *gone)

    def to_table(self) -> pa.Table:
        """One row per page, roots first by rank: page, origin, rank, via, text score."""
        names = as_names(self.pages)
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
        return card(repr(self).strip("<>"), ["how it came about"], [(s,) for s in self.story()])
