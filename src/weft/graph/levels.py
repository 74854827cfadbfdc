"""The graph of a collection at the level of pages, hosts or domains."""

import numpy as np
import pyarrow as pa

from weft.core.arrays import Flags, Ids, Rows, narrowed, stacked
from weft.core.errors import UnknownName
from weft.graph.among import keys
from weft.graph.build import read_rows
from weft.graph.hosts import groups_of
from weft.graph.options import Level
from weft.graph.webgraph import Names, WebGraph, link_weights, reverse, rows_of
from weft.store.collection import Collection
from weft.store.numbering import KINDS

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
    rows = read_rows(collection.path("graph"), "out")
    group, names = groups_of(collection, level)
    seen = np.bincount(group[~only_seen(collection)], minlength=len(names)) == 0
    return WebGraph(Names(names), *add_up(rows, group, len(names)), level, seen=seen)


def only_seen(collection: Collection) -> Flags:
    """The pages that others link to and nobody fetched."""
    return collection.once(
        "seen", lambda: np.asarray(collection.pages["kind"].to_numpy() == KINDS["seen"])
    )


def _pages(collection: Collection) -> tuple[Names, Rows, Rows]:
    folder, urls = collection.path("graph"), collection.pages["url"]
    names = urls.chunk(0) if urls.num_chunks else pa.array([], pa.large_string())
    return Names(names), read_rows(folder, "out"), read_rows(folder, "in")


def with_own_links(collection: Collection) -> WebGraph:
    """The graph of pages with links of pages to themselves, which methods leave out."""
    graph, folder = load(collection), collection.path("graph")
    own = np.load(folder / "own_ids.npy")
    if not len(own):
        return graph
    rows = graph.outlinks
    key = np.concatenate([keys(rows), stacked(own, own)])
    weight = np.concatenate([link_weights(rows), np.load(folder / "own_weights.npy")])
    order = np.argsort(key, kind="stable")
    out = rows_of(key[order], weight[order], len(graph))
    return WebGraph(graph.pages, out, reverse(out, len(graph)))


def add_up(rows: Rows, group: Ids, n: int) -> tuple[Rows, Rows]:
    """Links between groups from both ends, each weighing the links between their members."""
    from weft.engine.grouped import between  # noqa: PLC0415  which loads a compiler

    starts, ids = np.asarray(rows.starts), np.asarray(rows.ids)
    heavy = np.zeros(0, np.float32) if rows.weights is None else np.asarray(rows.weights)
    begins, targets, sums = between(starts, ids, heavy, group, n)
    inlinks = reverse(Rows(begins, targets, narrowed(sums)), n)
    return reverse(inlinks, n), inlinks
