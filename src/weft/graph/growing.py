"""The pages of a base set while it is being made, and who is sent away again."""

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from weft.core.arrays import Flags, Floats, Ids, Offsets
from weft.graph.baseset import GIVEN, ROOT
from weft.graph.mirrors import Looks, mirrors, same_links
from weft.graph.noted import owners_of, shunned, stopped, titles_of
from weft.graph.options import BaseOptions
from weft.graph.rare import LEAST, rare_links
from weft.graph.stoplist import matching, read_stoplist
from weft.graph.webgraph import WebGraph
from weft.store.collection import Collection

STOPPED, MIRRORED = "on the stop-list", "mirrors of other pages"


@dataclass(slots=True, eq=False)
class Growing:
    """Pages so far: how each came in and through whom, its place in the search and its score.

    `away` has the reason for each page that was sent away, and the page that
    stands for it, -1 for none; `found` is how many pages the search found in all.
    """

    numbers: Ids
    origin: Ids
    rank: Ids
    score: Floats
    via: Ids
    away: dict[int, tuple[str, int]] = field(default_factory=dict)
    found: int = 0

    @classmethod
    def of(cls, numbers: Ids, origin: int, rank: Ids, score: Floats) -> "Growing":
        """The pages that all begins with."""
        n = len(numbers)
        return cls(numbers, np.full(n, origin, np.int32), rank, score, np.full(n, -1, np.int32))

    def take(self, found: Ids, through: Ids, origin: int) -> None:
        """Add the pages that are new, each brought in by the first page that leads to it."""
        fresh, first = np.unique(found, return_index=True)
        new = ~np.isin(fresh, np.concatenate([self.numbers, list_of(self.away)]))
        fresh, n = fresh[new], int(new.sum())
        self.numbers = np.concatenate([self.numbers, fresh])
        self.origin = np.concatenate([self.origin, np.full(n, origin, np.int32)])
        self.rank = np.concatenate([self.rank, np.zeros(n, np.int32)])
        self.score = np.concatenate([self.score, np.zeros(n)])
        self.via = np.concatenate([self.via, through[first[new]]])

    def arrange(self, order: Offsets) -> None:
        """Keep some pages, in that order."""
        self.numbers, self.origin, self.rank = (
            values[order] for values in (self.numbers, self.origin, self.rank)
        )
        self.score, self.via = self.score[order], self.via[order]

    def send_away(self, gone: Flags, reason: str, instead: Ids | None = None) -> None:
        """Take some of the last pages out again, and remember why."""
        at = np.flatnonzero(gone) + len(self.numbers) - len(gone)
        other = np.full(len(gone), -1, np.int32) if instead is None else instead
        for page, one in zip(self.numbers[at].tolist(), other[gone].tolist(), strict=True):
            self.away[page] = reason, one
        self.arrange(np.delete(np.arange(len(self.numbers)), at))


def list_of(pages: dict[int, tuple[str, int]]) -> Ids:
    """The numbers of pages that were sent away."""
    return np.fromiter(pages, np.int32, len(pages))


def weed(
    collection: Collection, graph: WebGraph, growing: Growing, done: int, options: BaseOptions
) -> None:
    """Send away those pages from `done` on that the options do not want.

    Pages that someone named are wanted, whatever the stop-list says; its
    endings of paths are for pages that links brought in. Where only links to
    the pages of the stop-list are not wanted, these stay.
    """
    for pattern in options.without:
        names = graph.names.take(pa.array(growing.numbers[done:]))
        growing.send_away(matching(names, pattern), f"without {pattern}")
    if options.stop == "pages":
        fresh, listed = growing.numbers[done:], read_stoplist(options.stoplist)
        gone = unwanted(collection, growing, done, options)
        gone |= shunned(collection, fresh, listed) & ~_chosen(growing, done)
        growing.send_away(gone, STOPPED)
    if options.mirrors != "keep":
        _unmirror(collection, graph, growing, done, by_links=options.mirrors == "links")


def unwanted(collection: Collection, growing: Growing, done: int, options: BaseOptions) -> Flags:
    """Which pages from `done` on the stop-list leaves out, and nobody named."""
    listed = stopped(collection, growing.numbers[done:], read_stoplist(options.stoplist))
    return listed & ~(_chosen(growing, done) & bool(options.pages))


def _chosen(growing: Growing, done: int) -> Flags:
    return np.isin(growing.origin[done:], (ROOT, GIVEN))


def _unmirror(
    collection: Collection, graph: WebGraph, growing: Growing, done: int, *, by_links: bool
) -> None:
    """Send away pages that mirror another, of two the later in rank, then by links to them."""
    fresh = growing.numbers[done:]
    rank = np.where(growing.rank[done:], growing.rank[done:], np.iinfo(np.int32).max)
    order = np.lexsort((fresh, -_degrees(graph.inlinks.starts, fresh), rank))
    growing.arrange(np.concatenate([np.arange(done), done + order]))
    pages = growing.numbers
    degrees = _degrees(graph.outlinks.starts, pages)
    some = np.flatnonzero(degrees >= LEAST)
    looks = Looks.alike(len(some))
    if not by_links:
        own = pages[some]
        looks = Looks(owners_of(collection, own, "domain"), titles_of(collection, own))
    place = mirrors(graph.outlinks, rare_links(collection), pages[some], looks)
    instead = np.full(len(pages), -1, np.int32)
    instead[some] = np.where(place >= 0, pages[some[place]], -1)
    if by_links:
        few = np.flatnonzero((degrees > 0) & (degrees < LEAST))
        place = same_links(graph.outlinks, pages[few])
        instead[few] = np.where(place >= 0, pages[few[place]], -1)
    growing.send_away(instead >= 0, MIRRORED, instead)


def _degrees(starts: Offsets, pages: Ids) -> Offsets:
    degrees: Offsets = np.asarray(starts[pages + 1]) - starts[pages]
    return degrees
