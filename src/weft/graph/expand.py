"""Make the base set of a query: search, then follow links both ways."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal
from zlib import crc32

import numpy as np
import pyarrow as pa

from weft.core.arrays import Ids
from weft.core.errors import BadParameter, UnknownName
from weft.gather.url import domain, host, site
from weft.graph.among import induced, places
from weft.graph.anchors import read_anchors
from weft.graph.baseset import LINKED, LINKING, ROOT, BaseSet
from weft.graph.levels import load
from weft.graph.views import Dropped, without_own_links
from weft.graph.webgraph import WebGraph
from weft.store.collection import Collection

Between = Literal["auto", "page", "host", "domain", "site"]
ENOUGH = 0.05
OWNERS: dict[str, Callable[[str], str]] = {"host": host, "domain": domain, "site": site}


@dataclass(slots=True)
class Growing:
    """A base set that is being made: its pages so far, and how each came in."""

    numbers: Ids
    origin: Ids
    via: Ids

    def take(self, found: Ids, through: Ids, origin: int) -> None:
        """Add the pages that are new, each brought in by the first page that leads to it."""
        fresh, first = np.unique(found, return_index=True)
        new = ~np.isin(fresh, self.numbers)
        fresh = fresh[new]
        self.numbers = np.concatenate([self.numbers, fresh])
        self.via = np.concatenate([self.via, through[first[new]]])
        self.origin = np.concatenate([self.origin, np.full(len(fresh), origin, np.int32)])


def expand(  # noqa: PLR0913  the options of a base set are its arguments
    collection: Collection,
    query: str,
    *,
    root: int = 200,
    inlinks: int = 50,
    steps: int = 1,
    between: Between = "auto",
    seed: int = 0,
) -> BaseSet:
    """The base set of a query: the first `root` pages of a search, and those around them.

    Every page that a root page links to comes in, and up to `inlinks` of those
    that link to it, chosen at random where there are more. A second step does
    the same for every page so far. Links count only `between` different pages,
    hosts, domains or sites: those inside one say who owns a page, not who
    thinks well of it. With `auto` these are domains; but where hardly any link
    would be left, as on the pages of one site, hosts, or else pages, and
    `dropped` says so. The same seed gives the same set.
    """
    if root < 1 or inlinks < 0 or steps < 0:
        raise BadParameter(
            f"no base set has {root} root pages, {inlinks} in-links of each and {steps} steps",
            hint="take at least one root page, and counts that are not negative",
        )
    found = collection.search(query, root, with_snippets=False)
    graph = load(collection)
    roots = np.array(found.numbers, np.int32)
    growing = Growing(roots, np.full(len(roots), ROOT, np.int32), np.full(len(roots), -1, np.int32))
    left, done = np.zeros(0, np.int32), 0
    for _ in range(steps):
        around, done = growing.numbers[done:], len(growing.numbers)
        at, through = places(graph.outlinks, around)
        growing.take(np.asarray(graph.outlinks.ids[at]), through, LINKED)
        chosen, through, beyond = sample(graph, around, inlinks, seed)
        growing.take(chosen, through, LINKING)
        left = np.concatenate([left, beyond])
    lost = np.setdiff1d(left, growing.numbers)
    capped = Dropped(f"more than {inlinks} links to a page", len(lost), len(left))
    made = _settled(collection, graph, query, growing, between)
    scores = np.zeros(len(made))
    ranks = np.zeros(len(made), np.int32)
    at = np.searchsorted(made.numbers, roots)
    ranks[at] = np.arange(1, len(roots) + 1)
    scores[at] = found.to_table()["score"].to_numpy()
    dropped = (capped, *made.dropped) if len(left) else made.dropped
    return replace(made, rank=ranks, text_score=scores, dropped=dropped)


def whole(collection: Collection, *, between: Between = "page") -> BaseSet:
    """Every page of a collection, as a base set without a query."""
    graph, dropped = across(load(collection), between)
    numbers = np.arange(len(graph), dtype=np.int32)
    made = BaseSet.whole(
        graph,
        read_texts=cache(lambda: collection.texts(numbers.tolist())),
        read_anchors=cache(lambda: read_anchors(collection, numbers, graph.outlinks)),
        read_titles=cache(lambda: titles(collection, numbers)),
    )
    return replace(made, dropped=dropped)


def sample(graph: WebGraph, pages: Ids, most: int, seed: int) -> tuple[Ids, Ids, Ids]:
    """For each page up to `most` of those that link to it, the page beside each, and those left.

    In-links stand in the order of their URLs, and each page has a chance of
    its own, so that the choice for one page does not depend on the others.
    """
    at, through = places(graph.inlinks, pages)
    ids, taken = np.asarray(graph.inlinks.ids[at]), np.ones(len(at), bool)
    counts = np.asarray(graph.inlinks.starts[pages + 1]) - graph.inlinks.starts[pages]
    ends = np.cumsum(counts)
    for k in np.flatnonzero(counts > most):
        chance = np.random.default_rng([seed, crc32(graph.pages[int(pages[k])].encode())])
        own = taken[ends[k] - counts[k] : ends[k]]
        own[:] = False
        own[chance.choice(counts[k], most, replace=False, shuffle=False)] = True
    return ids[taken], through[taken], ids[~taken]


def across(graph: WebGraph, between: Between) -> tuple[WebGraph, tuple[Dropped, ...]]:
    """The links between different pages, hosts, domains or sites, and what that left out."""
    if between == "auto":
        return _telling(graph)
    if between == "page":
        return graph, ()
    if between not in OWNERS:
        known = ("auto", "page", *OWNERS)
        raise UnknownName("level", between, known, hint=f"one of {', '.join(known)}")
    owners = pa.array([OWNERS[between](page) for page in graph.pages], pa.large_string())
    group = owners.dictionary_encode().indices.to_numpy()
    view, dropped = without_own_links(graph, group, f"same {between}")
    return view, (dropped,)


def _telling(graph: WebGraph) -> tuple[WebGraph, tuple[Dropped, ...]]:
    """The links between domains; where these are hardly any, those between hosts, or else all."""
    scarce, enough = "hardly any link leads to another domain", ENOUGH * graph.link_count
    view, dropped = across(graph, "domain")
    if view.link_count >= enough:
        return view, dropped
    view, [own] = across(graph, "host")
    if view.link_count >= enough:
        return view, (replace(own, reason=f"{own.reason}, as {scarce}"),)
    return graph, (Dropped(f"{scarce} or host", 0, 0),)


def _settled(
    collection: Collection, graph: WebGraph, query: str, growing: Growing, between: Between
) -> BaseSet:
    """Number the pages of the base set in the order of the collection, and cut out its links."""
    order = np.argsort(growing.numbers, kind="stable")
    numbers, via = growing.numbers[order], growing.via[order]
    view, dropped = across(induced(graph, numbers), between)
    return BaseSet(
        view,
        query,
        numbers,
        growing.origin[order],
        np.zeros(len(numbers), np.int32),
        np.where(via < 0, -1, np.searchsorted(numbers, via)).astype(np.int32),
        np.zeros(len(numbers)),
        dropped,
        cache(lambda: collection.texts(numbers.tolist())),
        cache(lambda: read_anchors(collection, numbers, view.outlinks)),
        cache(lambda: titles(collection, numbers)),
    )


def titles(collection: Collection, numbers: Ids) -> list[str]:
    """The titles of pages."""
    found: list[str] = collection.pages["title"].take(pa.array(numbers)).to_pylist()
    return found
