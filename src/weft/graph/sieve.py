"""Pass the links of a base set through its filters, one after the other."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, partial

import numpy as np
import pyarrow as pa

from weft.core.arrays import Flags, Floats, Ids
from weft.graph.filters import (
    OWNERS,
    Links,
    boilerplate,
    crowded,
    links_of,
    own_links,
)
from weft.graph.growing import MIRRORED, Growing, list_of
from weft.graph.nofollow import unfollowed
from weft.graph.noted import owners_of, shunned
from weft.graph.options import BaseOptions
from weft.graph.stoplist import read_stoplist
from weft.graph.views import Dropped
from weft.graph.webgraph import WebGraph
from weft.store.collection import Collection


@dataclass(slots=True, eq=False)
class Sieve:
    """The links that still count, and what was told of the others."""

    links: Links
    told: list[Dropped] = field(default_factory=list)

    def drop(self, gone: Flags, reason: str, pages: int = 0) -> None:
        """Leave links out, and tell so if there are any."""
        count = int(np.count_nonzero(gone))
        if count or pages:
            self.told.append(Dropped(reason, pages, count))
        if count:
            self.links = self.links[~gone]

    def drop_pages(self, gone: Flags, reason: str) -> None:
        """Leave out all links of some pages."""
        links = self.links
        self.drop(gone[links.source] | gone[links.target], reason, int(gone.sum()))

    def redirect(self, instead: Ids) -> None:
        """Let links to a page lead to the one that stands for it; -1 where none does."""
        links, other = self.links, instead[self.links.target]
        self.links = Links(
            links.source, np.where(other < 0, links.target, other).astype(np.int32), links.weight
        )


def sift(
    collection: Collection, graph: WebGraph, growing: Growing, options: BaseOptions
) -> tuple[WebGraph, tuple[Dropped, ...]]:
    """The pages of a base set, in order, with the links that count; what is told of the others.

    Links of pages that were sent away are looked at too, so that they are told.
    """
    every = np.sort(np.concatenate([growing.numbers, list_of(growing.away)]))
    sieve = Sieve(links_of(graph.outlinks, every))
    if options.nofollow == "drop":
        sieve.drop(unfollowed(collection, every, sieve.links), "marked nofollow")
    _leave_pages(sieve, growing, every, redirect=options.mirrors == "redirect")
    sieve.drop(
        shunned(collection, every, read_stoplist(options.stoplist))[sieve.links.target],
        "leading to legal or contact pages",
    )
    stayed = np.isin(every, growing.numbers)
    starts = graph.outlinks.starts
    speaking = stayed & (np.asarray(starts[every + 1]) > starts[every])
    rank = np.full(len(every), np.inf)
    rank[stayed] = np.where(growing.rank, growing.rank, np.inf)
    _leave_links(sieve, cache(partial(owners_of, collection, every)), rank, speaking, options)
    names = graph.names.take(pa.array(every[stayed]))
    view = sieve.links.among(stayed).graph(names, graph.level)
    return view, tuple(sieve.told)


def _leave_pages(sieve: Sieve, growing: Growing, every: Ids, *, redirect: bool) -> None:
    """Leave out the links of pages that were sent away, reason by reason."""
    places = np.searchsorted(every, list_of(growing.away))
    reasons = np.array([reason for reason, _ in growing.away.values()], object)
    for reason in dict.fromkeys(reasons.tolist()):
        gone = np.zeros(len(every), bool)
        gone[places[reasons == reason]] = True
        if redirect and reason == MIRRORED:
            others = np.array([other for _, other in growing.away.values()])
            instead = np.full(len(every), -1, np.int32)
            instead[places] = np.where(others < 0, -1, np.searchsorted(every, others))
            sieve.redirect(instead)
        sieve.drop_pages(gone, reason)


def _leave_links(
    sieve: Sieve,
    owner: Callable[[str], Ids],
    rank: Floats,
    speaking: Flags,
    options: BaseOptions,
) -> None:
    """Leave out links of whole sites, those inside one owner, and the crowds of one domain.

    Menus and footers go first, so that what is left tells whether the links
    between domains are enough.
    """
    if options.boilerplate == "drop":
        sieve.drop(
            boilerplate(sieve.links, owner("site"), rank, speaking),
            "on most pages of a site, but for one",
        )
    own, told = own_links(sieve.links, owner, options.between)
    sieve.told += told
    sieve.links = sieve.links[~own]
    if options.per_domain:
        level = options.between if options.between in OWNERS else "domain"
        gone = crowded(sieve.links, owner(level), rank, options.per_domain)
        sieve.drop(gone, f"more than {options.per_domain} pages of one {level} to a page")
