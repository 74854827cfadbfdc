"""The graph of a collection at the level of pages, hosts or domains."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import Flags, Ids, Rows
from weft.core.errors import UnknownName
from weft.gather.url import domain_of_host, host
from weft.graph.build import read_rows
from weft.graph.webgraph import Level, Names, WebGraph, link_weights, reverse, rows_of
from weft.store.collection import Collection
from weft.store.numbering import KINDS

LEVELS: tuple[Level, ...] = ("page", "host", "domain")
BLOCK = 1 << 24
PLAIN = "^https?://(?P<host>[a-z0-9.-]+)/"


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
    hosts = _hosts(urls.take(pa.array(np.flatnonzero(fresh))))
    if level == "host":
        return run, hosts
    domains = pa.array([domain_of_host(name) for name in hosts.to_pylist()], pa.large_string())
    encoded = domains.dictionary_encode()
    return encoded.indices.to_numpy().astype(np.int32)[run], encoded.dictionary


def _hosts(urls: pa.Array) -> pa.Array:
    """The host of each URL; of plain ones all at once."""
    plain = pc.struct_field(pc.extract_regex(urls, PLAIN), "host").cast(pa.large_string())
    odd = [host(url) for url in urls.filter(pc.is_null(plain)).to_pylist()]
    return pc.replace_with_mask(plain, pc.is_null(plain), pa.array(odd, pa.large_string()))


def add_up(rows: Rows, group: Ids, n: int) -> Rows:
    """Links between groups, each weighing the links between their members."""
    from weft.engine.grouped import between  # noqa: PLC0415  which loads a compiler

    starts, ids = np.asarray(rows.starts), np.asarray(rows.ids)
    heavy = np.zeros(0, np.float32) if rows.weights is None else np.asarray(rows.weights)
    begins, targets, sums = between(starts, ids, heavy, group, n)
    plain = bool((sums == 1).all())
    return Rows(begins, targets, None if plain else sums.astype(np.float32))
