"""The graph of a collection at the level of pages, hosts or domains."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy.sparse import csr_array

from weft.core.arrays import Flags, Ids, Rows
from weft.core.errors import UnknownName
from weft.gather.url import domain_of_host, host
from weft.graph.among import places
from weft.graph.build import read_rows
from weft.graph.webgraph import Level, Names, WebGraph, link_weights, reverse, rows_of
from weft.store.collection import Collection
from weft.store.numbering import KINDS

LEVELS: tuple[Level, ...] = ("page", "host", "domain")
BLOCK = 1 << 24


def load(collection: Collection, level: Level = "page") -> WebGraph:
    """Map the graph of pages, or add it up to hosts or domains.

    Between hosts or domains a link weighs as many links as there are between
    their pages; links inside one are left out, like links to oneself.
    """
    if level not in LEVELS:
        raise UnknownName("level", level, LEVELS, hint=f"one of {', '.join(LEVELS)}")
    return collection.once(f"graph of {level}s", lambda: _loaded(collection, level))


def _loaded(collection: Collection, level: Level) -> WebGraph:
    if level == "page":
        return WebGraph(*_pages(collection), seen=only_seen(collection))
    rows = read_rows(collection.path("graph"), "out")
    group, names = groups_of(collection, level)
    out = add_up(rows, group, len(names))
    seen = np.bincount(group[~only_seen(collection)], minlength=len(names)) == 0
    return WebGraph(Names(names), out, reverse(out, len(names)), level, seen=seen)


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
    source = np.repeat(np.arange(len(graph), dtype=np.int64), np.diff(rows.starts))
    key = np.concatenate([source << 32 | rows.ids, own.astype(np.int64) << 32 | own])
    weight = np.concatenate([link_weights(rows), np.load(folder / "own_weights.npy")])
    order = np.argsort(key, kind="stable")
    out = rows_of(key[order], weight[order], len(graph))
    return WebGraph(graph.pages, out, reverse(out, len(graph)))


def groups_of(collection: Collection, level: Level) -> tuple[Ids, pa.Array]:
    """The host or domain of each page as a number, and the names."""
    return collection.once(f"{level}s", lambda: groups(collection.pages, level))


def groups(pages: pa.Table, level: Level) -> tuple[Ids, pa.Array]:
    """The host or domain of each page of a table, which is in their order, and the names."""
    if not len(pages):
        return np.zeros(0, np.int32), pa.array([], pa.large_string())
    keys, urls = pages["key"].chunk(0), pages["url"].chunk(0)
    fresh = np.ones(len(keys), bool)
    for start in range(0, len(keys), BLOCK):
        block = keys.slice(start, BLOCK + 1)
        head = pc.list_element(pc.split_pattern(block, "/", max_splits=1), 0)
        changes = pc.not_equal(head[1:], head[:-1]).to_numpy(zero_copy_only=False)
        fresh[start + 1 : start + 1 + len(changes)] = changes
    run = np.cumsum(fresh, dtype=np.int32) - 1
    hosts = [host(url) for url in urls.take(pa.array(np.flatnonzero(fresh))).to_pylist()]
    if level == "host":
        return run, pa.array(hosts, pa.large_string())
    domains = pa.array([domain_of_host(name) for name in hosts], pa.large_string())
    encoded = domains.dictionary_encode()
    return encoded.indices.to_numpy().astype(np.int32)[run], encoded.dictionary


def add_up(rows: Rows, group: Ids, n: int) -> Rows:
    """Links between groups, each weighing the links between their members.

    Pages of one group stand together, as those of a host do, or are brought
    together first.
    """
    if (np.diff(group) < 0).any():
        order = np.argsort(group, kind="stable").astype(np.int32)
        at, _ = places(rows, order)
        weights = None if rows.weights is None else rows.weights[at]
        many = np.diff(rows.starts)[order]
        rows, group = Rows(np.append(0, np.cumsum(many)), rows.ids[at], weights), group[order]
        target = np.empty_like(group)
        target[order] = group
    else:
        target = group
    starts = rows.starts[np.searchsorted(group, np.arange(n + 1))]
    made = csr_array((np.array(link_weights(rows)), target[rows.ids], starts), shape=(n, n))
    made.sum_duplicates()
    source = np.repeat(np.arange(n, dtype=np.int64), np.diff(made.indptr))
    other = made.indices != source
    return rows_of(source[other] << 32 | made.indices[other], made.data[other], n)
