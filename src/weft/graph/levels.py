"""The graph of a collection at the level of pages, hosts or domains."""

import numpy as np
import pyarrow as pa

from weft.core.arrays import Flags, Ids, Offsets, Rows, Weights, narrowed, stacked
from weft.core.errors import Malformed, UnknownName
from weft.core.hashes import GOLDEN
from weft.graph.among import keys
from weft.graph.build import read_rows
from weft.graph.hosts import groups_of
from weft.graph.options import End, Level
from weft.graph.webgraph import Names, WebGraph, link_weights, reverse, rows_of
from weft.store.collection import Collection
from weft.store.mapped import check_ids, check_rows, map_array
from weft.store.numbering import KINDS

BLOCK = 1 << 17
LEVELS: tuple[Level, ...] = ("page", "host", "domain")


def load(collection: Collection, level: Level = "page") -> WebGraph:
    """Map the graph of pages, or add it up to hosts or domains.

    Between hosts or domains a link weighs as many links as there are between
    their pages; links inside one are left out, like links to oneself.
    """
    check_level(level)
    return collection.once(f"graph of {level}s", lambda: _loaded(collection, level))


def check_level(level: str) -> None:
    """Refuse a level that there is not."""
    if level not in LEVELS:
        raise UnknownName("level", level, LEVELS)


def _loaded(collection: Collection, level: Level) -> WebGraph:
    if level == "page":
        return WebGraph(*_pages(collection), seen=only_seen(collection))
    rows = page_rows(collection, "out")
    group, names = groups_of(collection, level)
    seen = np.bincount(group[~only_seen(collection)], minlength=len(names)) == 0
    return WebGraph(Names(names), *add_up(rows, group, len(names)), level, seen=seen)


def only_seen(collection: Collection) -> Flags:
    """The pages that others link to and nobody fetched."""
    return collection.once(
        "seen", lambda: np.asarray(collection.pages["kind"].to_numpy() == KINDS["seen"])
    )


def _pages(collection: Collection) -> tuple[Names, Rows, Rows]:
    urls = collection.pages["url"]
    names = urls.chunk(0) if urls.num_chunks else pa.array([], pa.large_string())
    out, back = page_rows(collection, "out"), page_rows(collection, "in")
    if link_digest(out) != link_digest(back, turned=True):
        raise Malformed(collection.path("graph"), "the links out of pages are not those into them")
    return Names(names), out, back


def link_digest(rows: Rows, *, turned: bool = False) -> int:
    """A number that hangs on every link and its weight, but not on their order.

    The rows of the other direction, `turned`, have the same one.
    """
    starts, total = rows.starts, len(rows.ids)
    for at in range(0, len(rows.ids), BLOCK):
        ids = rows.ids[at : at + BLOCK]
        first = int(np.searchsorted(starts, at, side="right")) - 1
        last = int(np.searchsorted(starts, at + len(ids)))
        ends: Offsets = np.clip(starts[first : last + 1], at, at + len(ids))
        own = np.repeat(np.arange(first, last), np.diff(ends))
        key = (stacked(ids, own) if turned else stacked(own, ids)).view(np.uint64)
        key *= GOLDEN
        key ^= key >> np.uint64(32)
        if rows.weights is not None:
            heavy = rows.weights[at : at + BLOCK].astype(np.float64).view(np.uint64)
            key += heavy ^ heavy >> np.uint64(32)  # plain numbers have high bits alone
        key *= GOLDEN
        key ^= key >> np.uint64(29)
        total += int(key.sum())
    return total & 2**64 - 1


def page_rows(collection: Collection, end: End) -> Rows:
    """The links of pages in one direction as they are on disk, checked once."""

    def read() -> Rows:
        folder, n = collection.path("graph"), len(collection)
        rows = read_rows(folder, end)
        check_rows(f"{folder}/{end}_", rows, n, count=n)
        return rows

    return collection.once(f"{end} rows", read)


def with_own_links(
    collection: Collection, graph: WebGraph | None = None, pages: Ids | None = None
) -> WebGraph:
    """The graph of pages with links of pages to themselves, which methods leave out.

    Or a graph of some `pages`, ascending, with theirs.
    """
    graph = load(collection) if graph is None else graph
    own, heavy = _own_links(collection)
    if pages is not None:
        known = np.isin(own, pages)
        own, heavy = np.searchsorted(pages, own[known]).astype(np.int32), heavy[known]
    if not len(own):
        return graph
    rows = graph.outlinks
    key = np.concatenate([keys(rows), stacked(own, own)])
    weight = np.concatenate([link_weights(rows), heavy])
    order = np.argsort(key, kind="stable")
    out = rows_of(key[order], weight[order], len(graph))
    return WebGraph(graph.pages, out, reverse(out, len(graph)), seen=graph.seen)


def _own_links(collection: Collection) -> tuple[Ids, Weights]:
    """The pages that link to themselves, and what those links weigh."""
    folder = collection.path("graph")
    own = map_array(folder / "own_ids.npy", "<i4")
    check_ids(folder / "own_ids.npy", own, len(collection))
    return own, map_array(folder / "own_weights.npy", "<f4", "<f8", length=len(own))


def add_up(rows: Rows, group: Ids, n: int) -> tuple[Rows, Rows]:
    """Links between groups from both ends, each weighing the links between their members."""
    from weft.engine.grouped import between  # noqa: PLC0415  which loads a compiler

    starts, ids = np.asarray(rows.starts), np.asarray(rows.ids)
    heavy = np.zeros(0, np.float32) if rows.weights is None else np.asarray(rows.weights)
    begins, targets, sums = between(starts, ids, heavy, group, n)
    inlinks = reverse(Rows(begins, targets, narrowed(sums)), n)
    return reverse(inlinks, n), inlinks
