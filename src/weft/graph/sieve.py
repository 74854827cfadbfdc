"""Pass the links of a base set through its filters, one after the other."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, partial

import numpy as np
import pyarrow as pa

from weft.core.arrays import Flags, Floats, Ids, Offsets, Rows
from weft.graph.among import standing
from weft.graph.filters import OWNERS, Links, boilerplate, crowded, own_links
from weft.graph.growing import Growing, list_of, unwanted
from weft.graph.menus import menu_links
from weft.graph.nofollow import unfollowed
from weft.graph.noted import owners_of, shunned
from weft.graph.options import BaseOptions
from weft.graph.stoplist import read_stoplist
from weft.graph.views import Dropped
from weft.graph.webgraph import WebGraph
from weft.store.collection import Collection

MARKED, LEGAL = "marked nofollow", "leading to legal or contact pages"
LISTED = "leading to pages on the stop-list"


@dataclass(slots=True, eq=False)
class Sieve:
    """Links, which of them still count, and what was told of the others."""

    links: Links
    left: Flags
    told: list[Dropped] = field(default_factory=list)

    def drop(self, gone: Flags, reason: str) -> None:
        """Leave links out, all of them left so far, and tell so if there are any."""
        if count := int(np.count_nonzero(gone)):
            self.told.append(Dropped(reason, 0, count))
            self.left &= ~gone


@dataclass(frozen=True, slots=True, eq=False)
class Fate:
    """What becomes of the links of pages that were met, which ascend.

    `reasons` are in the order in which they are told. By page, `leaving` has
    the number of the reason why a link from it does not count and `arriving`
    of that why a link to it does not, beyond the last for none; `number` is the
    page at the end of a link to it, by its place among those that stay.
    """

    pages: Ids
    reasons: tuple[str, ...]
    leaving: Ids
    arriving: Ids
    number: Ids

    @classmethod
    def of(cls, growing: Growing, *, redirect: bool) -> "Fate":
        """Links of pages that were sent away do not count, or lead to whom such a page mirrors."""
        away = list_of(growing.away)
        pages = np.sort(np.concatenate([growing.numbers, away]))
        away_for = (why for why, _ in growing.away.values())
        reasons = tuple(dict.fromkeys([MARKED, *away_for, LISTED, LEGAL]))
        turn = {reason: k for k, reason in enumerate(reasons)}
        places = np.searchsorted(pages, away)
        leaving = np.full(len(pages), len(reasons), np.int32)
        leaving[places] = [turn[why] for why, _ in growing.away.values()]
        arriving, number = leaving.copy(), np.searchsorted(growing.numbers, pages).astype(np.int32)
        if redirect:
            other = np.array([other for _, other in growing.away.values()], np.int32)
            mirrored = other >= 0
            arriving[places[mirrored]] = len(reasons)
            number[places[mirrored]] = np.searchsorted(growing.numbers, other[mirrored])
        return cls(pages, reasons, leaving, arriving, number)

    def shun(self, pages: Flags, reason: str) -> None:
        """Let links to some of the pages that stay count for nothing."""
        to_stay = np.flatnonzero(self.arriving == len(self.reasons))
        self.arriving[to_stay[pages[self.number[to_stay]]]] = self.reasons.index(reason)

    def sieve(self, outlinks: Rows, marked: Offsets) -> Sieve:
        """The links among the pages that count, and what is told of the others."""
        from weft.engine.inner import counted  # noqa: PLC0415  which loads a compiler

        starts, ids = np.asarray(outlinks.starts), np.asarray(outlinks.ids)
        weights = np.zeros(0, np.float32) if outlinks.weights is None else outlinks.weights
        source, target, weight, lost = counted(
            (starts, ids, weights),
            self.pages,
            standing(outlinks, self.pages),
            marked,
            (self.leaving, self.arriving, self.number),
            len(self.reasons),
        )
        sent = np.bincount(self.leaving, minlength=len(self.reasons))
        told = zip(self.reasons, sent.tolist(), lost.tolist(), strict=False)
        links = Links(source, target, weight)
        dropped = [Dropped(*each) for each in told if any(each[1:])]
        return Sieve(links, np.ones(len(links), bool), dropped)


def sift(
    collection: Collection, graph: WebGraph, growing: Growing, options: BaseOptions
) -> tuple[WebGraph, tuple[Dropped, ...]]:
    """The pages of a base set, in order, with the links that count; what is told of the others.

    Links of pages that were sent away are looked at too, so that they are told.
    """
    pages, outlinks = growing.numbers, graph.outlinks
    fate = Fate.of(growing, redirect=options.mirrors == "redirect")
    if options.stop == "links":
        fate.shun(unwanted(collection, growing, 0, options), LISTED)
    fate.shun(shunned(collection, pages, read_stoplist(options.stoplist)), LEGAL)
    marked = np.zeros(0, np.int64)
    if options.nofollow == "drop":
        marked = unfollowed(collection, outlinks, fate.pages)
    sieve = fate.sieve(outlinks, marked)
    rank = np.where(growing.rank, growing.rank, np.inf)
    owner = cache(partial(owners_of, collection, pages))
    if options.boilerplate == "drop":
        wide = partial(menu_links, collection, pages)
        gone = boilerplate(sieve.links, owner("site"), rank, wide)
        sieve.drop(gone, "repeated on most pages of a site")
    _leave_links(sieve, owner, rank, options)
    names = graph.names.take(pa.array(pages))
    return sieve.links[sieve.left].graph(names, graph.level), tuple(sieve.told)


def _leave_links(
    sieve: Sieve, owner: Callable[[str], Ids], rank: Floats, options: BaseOptions
) -> None:
    """Leave out the links inside one owner, and the crowds of one domain.

    Menus and footers have gone before, so that what is left tells whether the
    links between domains are enough.
    """
    own, told = own_links(sieve.links, sieve.left, owner, options.between)
    sieve.told += told
    sieve.left &= ~own
    if options.per_domain:
        level = options.between if options.between in OWNERS else "domain"
        gone = crowded(sieve.links, sieve.left, owner(level), rank, options.per_domain)
        sieve.drop(gone, f"more than {options.per_domain} pages of one {level} to a page")
