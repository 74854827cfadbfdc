"""Make the base set of a query: search, follow links both ways, leave out what says nothing."""

from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np
import pyarrow as pa

from weft.core.arrays import Ids
from weft.graph.among import places
from weft.graph.anchors import read_anchors, read_blocks, read_said
from weft.graph.baseset import GIVEN, LINKED, LINKING, ROOT, Absent, BaseSet
from weft.graph.filters import links_of, own_links, owners
from weft.graph.growing import Growing, list_of, weed
from weft.graph.levels import load, with_own_links
from weft.graph.options import PER_DOMAIN, USUAL, BaseOptions, Between
from weft.graph.sample import read_rolls, sample
from weft.graph.selective import leaders
from weft.graph.sieve import sift
from weft.graph.views import Dropped
from weft.graph.webgraph import WebGraph
from weft.store.collection import Collection


def expand(
    collection: Collection, query: str = "", options: BaseOptions = USUAL, **changed: Any
) -> BaseSet:
    """The base set of a query: the first pages of a search, and those around them.

    Every page that a root page links to comes in, and some of those that link
    to it: of more than `inlinks` those that `sampling` chooses. A
    second step does the same for every page so far. The roots can be given as
    `pages` instead; without these and without a query they are the whole
    collection. Pages of the stop-list and mirrors of other pages are sent away
    before anything comes in through them.

    Of the links among the others those count that may be recommendations: none
    that is marked nofollow or stays inside one owner, one of those that most
    pages of a site carry, and at most `per_domain` to a page from one domain. What was left
    out is told, and each filter is an option, given as `options` or by its
    name. The same seed gives the same set.
    """
    options = options.checked(**changed).capped(PER_DOMAIN)
    graph = load(collection)
    growing = roots(collection, query, options)
    weed(collection, graph, growing, 0, options)
    left, done = np.zeros(0, np.int32), 0
    for step in range(options.steps if query or options.pages else 0):
        size = len(growing.numbers)
        beyond = _grow(collection, growing, done, options, first=not step)
        weed(collection, graph, growing, size, options)
        left, done = np.concatenate([left, beyond]), size
    lost = np.zeros(len(graph), bool)
    lost[left] = True
    lost[growing.numbers] = lost[list_of(growing.away)] = False
    reason = f"more than {options.inlinks} links to a page"
    capped = Dropped(reason, int(np.count_nonzero(lost)), len(left))
    made = _settled(collection, graph, query, growing, options)
    return replace(made, dropped=(capped, *made.dropped)) if len(left) else made


def whole(collection: Collection, *, between: Between = "page") -> BaseSet:
    """Every page of a collection with its links as they are, as a base set without a query."""
    every = with_own_links(collection) if between == "any" else load(collection)
    graph, dropped = across(every, between)
    return _reading(collection, replace(BaseSet.whole(graph), dropped=dropped))


def _reading(collection: Collection, base: BaseSet) -> BaseSet:
    """A base set that reads what its pages and links say in a collection, once it is asked."""
    numbers, outlinks = base.numbers, base.graph.outlinks
    return replace(
        base,
        read_texts=cache(lambda: collection.texts(numbers.tolist())),
        read_anchors=cache(lambda: read_anchors(collection, numbers, outlinks)),
        read_titles=cache(lambda: titles(collection, numbers)),
        read_words=cache(lambda: collection.words(numbers)),
        read_blocks=cache(lambda: read_blocks(collection, numbers, outlinks)),
        read_said=partial(read_said, collection, numbers),
    )


def across(graph: WebGraph, between: Between) -> tuple[WebGraph, tuple[Dropped, ...]]:
    """The links between different pages, hosts, domains or sites, and what that left out."""
    if between in ("page", "any"):
        return graph, ()
    links = links_of(graph.outlinks, np.arange(len(graph), dtype=np.int32))
    owner = cache(lambda level: owners(graph.names, level)[0])
    own, told = own_links(links, np.ones(len(links), bool), owner, between)
    return replace(links[~own].graph(graph.names, graph.level), seen=graph.seen), told


def roots(collection: Collection, query: str, options: BaseOptions) -> Growing:
    """The pages that are given, those that a search finds, or all there are."""
    if options.pages:
        found = dict.fromkeys(collection.find(url) for url in options.pages)
        numbers = np.fromiter(found, np.int32, len(found))
        return Growing.of(numbers, GIVEN, _places(numbers), np.ones(len(numbers)))
    if query:
        hits = collection.search(query, options.root, with_snippets=False)
        numbers = np.array(hits.numbers, np.int32)
        scores = hits.to_table()["score"].to_numpy()
        growing = Growing.of(numbers, ROOT, _places(numbers), scores)
        growing.found = hits.total
        return growing
    numbers = np.arange(len(collection), dtype=np.int32)
    return Growing.of(numbers, GIVEN, np.zeros_like(numbers), np.ones(len(numbers)))


def _places(pages: Ids) -> Ids:
    return np.arange(1, len(pages) + 1, dtype=np.int32)


def _grow(
    collection: Collection, growing: Growing, done: int, options: BaseOptions, *, first: bool
) -> Ids:
    """Follow the links of the pages from `done` on, both ways; give the pages left behind."""
    graph, rolls = load(collection), read_rolls(collection)
    pointing = pointed = growing.numbers[done:]
    if first and options.selective:
        hubs, authorities = leaders(graph, pointing).best(options.selective)
        pointing, pointed = pointing[hubs], pointed[authorities]
    at, through = places(graph.outlinks, pointing)
    growing.take(np.asarray(graph.outlinks.ids[at]), through, LINKED)
    chosen, through, left = sample(
        graph, pointed, options.inlinks, options.seed, rolls, options.sampling
    )
    growing.take(chosen, through, LINKING)
    return left


def _settled(
    collection: Collection, graph: WebGraph, query: str, growing: Growing, options: BaseOptions
) -> BaseSet:
    """Number the pages of the base set in the order of the collection, and cut out its links."""
    growing.arrange(np.argsort(growing.numbers, kind="stable").astype(np.int64))
    numbers, via = growing.numbers, growing.via
    view, told = sift(collection, graph, growing, options)
    if options.between == "any":
        view = with_own_links(collection, view, numbers)
    made = BaseSet(
        graph=replace(view, seen=None if graph.seen is None else graph.seen[numbers]),
        query=query,
        numbers=numbers,
        origin=growing.origin,
        rank=growing.rank,
        via=np.where(via < 0, -1, np.searchsorted(numbers, via)).astype(np.int32),
        text_score=growing.score,
        dropped=told,
        absent=_absent(graph, growing),
        found=growing.found,
    )
    return _reading(collection, made)


def _absent(graph: WebGraph, growing: Growing) -> dict[str, Absent]:
    """Why each page that was sent away is not there."""
    others = np.array([other for _, other in growing.away.values()], np.int32)
    pages, instead = (
        graph.names.take(pa.array(numbers, mask=numbers < 0)).to_pylist()
        for numbers in (list_of(growing.away), others)
    )
    told = zip(pages, instead, growing.away.values(), strict=True)
    return {
        page: Absent("it mirrors", other) if other else Absent(why)
        for page, other, (why, _) in told
    }


def titles(collection: Collection, numbers: Ids) -> list[str]:
    """The titles of pages."""
    found: list[str] = collection.pages["title"].take(pa.array(numbers)).to_pylist()
    return found
