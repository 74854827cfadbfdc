"""Load the graph of a collection by page, host, domain or entity, and group pages by these."""

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import (
    CSR,
    GOLDEN_GAMMA,
    Flags,
    Ids,
    Offsets,
    Weights,
    concatenate_ranges,
    csr_from_keys,
    link_keys,
    pack_pairs,
    to_float32_if_exact,
)
from weft.core.errors import MalformedFile, UnknownName
from weft.core.memoize import memoize
from weft.gather.url import domain, host, site
from weft.graph.build import DOMAINS_FILE, HOSTS_FILE, EncodedGroups
from weft.graph.selection import Level, LinkDirection
from weft.graph.views import restrict_link_sources
from weft.graph.webgraph import ArrowNames, NumericNames, WebGraph, link_weights, transpose
from weft.store.arrow_files import (
    SortedColumn,
    check_csr,
    check_ids,
    map_array,
    map_checked_table,
    map_csr,
)
from weft.store.collection import Collection
from weft.store.entities import entity_codes, read_entities
from weft.store.numbering import PAGE_KINDS
from weft.store.search import ANY_TIME, TimeRange
from weft.store.tags import PageValues, majority_values, target_name

HOST_SCHEMA = pa.schema({"host": pa.large_string(), "pages": pa.int64(), "domain": pa.int32()})
DOMAIN_SCHEMA = pa.schema({"domain": pa.large_string()})
DIGEST_BLOCK_LINKS = 1 << 17
LEVELS: tuple[Level, ...] = get_args(Level)
UrlOwner = Callable[[str], str]
URL_CACHE = lru_cache(maxsize=1 << 16)
PREFIX = r"(?s)^((?:https?|ftp|file)://[^/?#]+).*$"
PREFIX_WITH_FOLDER = r"(?s)^((?:https?|ftp|file)://[^/]+(?:/[^/]*)?).*$"
OWNER_FUNCTIONS: dict[str, UrlOwner] = {
    name: URL_CACHE(of) for name, of in (("host", host), ("domain", domain), ("site", site))
}
MAX_INTERNAL_SHARE = 0.5


def group_pages(collection: Collection, level: Level) -> EncodedGroups:
    """The host, domain or entity of each page as a number, and the names."""
    return _group_pages(collection, level, _rules_version(collection, level))


@memoize
def _group_pages(collection: Collection, level: Level, _rules: int) -> EncodedGroups:
    if level == "entity":
        return _group_by_entity(collection)
    return _group_by_host(collection, level)


def _group_by_host(collection: Collection, level: Level) -> EncodedGroups:
    hosts, domains = read_hosts(collection)
    number, names = np.arange(len(hosts), dtype=np.int32), hosts["host"]
    if level == "domain":
        number, names = hosts["domain"].to_numpy(), domains["domain"]
    return np.repeat(number, hosts["pages"].to_numpy()), names.combine_chunks()


def _rules_version(collection: Collection, level: Level) -> int:
    """The version of the rules that a level depends on: entities can change at any time."""
    return read_entities(collection.folder).version if level == "entity" else 0


def _group_by_entity(collection: Collection) -> EncodedGroups:
    """The entity of each page, or its host, domain or site where it is in none.

    A host that has the name of an entity is part of it.
    """
    rules = read_entities(collection.folder)
    codes = entity_codes(rules, SortedColumn(collection.pages["key"]))
    if rules.default == "site":
        number, sites = encode_owners(collection.pages["url"].combine_chunks(), "site")
        names = pa.array(sites, pa.large_string())
    else:
        number, names = _group_by_host(collection, rules.default)
    rest = codes < 0
    used, place = np.unique(np.asarray(number)[rest], return_inverse=True)
    own = pa.array([entity.name for entity in rules.entities], pa.large_string())
    labels = pa.concat_arrays([own, names.take(pa.array(used)).cast(pa.large_string())])
    encoded = labels.dictionary_encode()
    group = codes.copy()
    group[rest] = len(own) + place
    used_groups, numbered = np.unique(encoded.indices.to_numpy()[group], return_inverse=True)
    return numbered.astype(np.int32), encoded.dictionary.take(pa.array(used_groups))


@memoize
def read_hosts(collection: Collection) -> tuple[pa.Table, pa.Table]:
    """The tables of hosts and domains of a snapshot, checked once.

    The pages of a host are adjacent: the table has the number of pages of each host.
    """
    folder = collection.checked_snapshot_path("graph")
    path = folder / HOSTS_FILE
    hosts = map_checked_table(path, HOST_SCHEMA)
    domains = map_checked_table(folder / DOMAINS_FILE, DOMAIN_SCHEMA)
    check_ids(path, hosts["domain"].to_numpy(), len(domains))
    sizes = hosts["pages"].to_numpy()
    check_ids(path, sizes, len(collection) + 1, 1)
    if sizes.sum() != len(collection):
        raise MalformedFile(path, "the hosts do not hold every page once")
    return hosts, domains


class HostRanges(NamedTuple):
    """The first page of each host, and the end of the last; and the domain of each host."""

    first_page: Offsets
    domain: Ids

    @classmethod
    def from_collection(cls, collection: Collection) -> "HostRanges":
        """The host ranges of a collection."""
        hosts, _ = read_hosts(collection)
        first = np.concatenate([[0], np.cumsum(hosts["pages"].to_numpy())])
        return cls(first, hosts["domain"].to_numpy())

    @property
    def domain_count(self) -> int:
        """The number of domains."""
        return int(self.domain.max(initial=-1)) + 1

    def domains_of_pages(self, pages: Ids) -> Ids:
        """The domains of some pages."""
        host = np.searchsorted(self.first_page, pages, side="right") - 1
        domains: Ids = self.domain[host]
        return domains

    def pages_of_domains(self, domains: Ids) -> Ids:
        """The pages of some domains, ascending."""
        hosts = np.flatnonzero(np.isin(self.domain, domains)).astype(np.int32)
        first = self.first_page[hosts]
        return concatenate_ranges(first, self.first_page[hosts + 1] - first).astype(np.int32)


def load_graph(collection: Collection, level: Level = "page") -> WebGraph:
    """Load the graph of pages, or the quotient graph of hosts or domains.

    The weight of a link between hosts or domains is the sum over the links
    between their pages; internal links are left out, like self-links.
    """
    check_level(level)
    return _load_level(collection, level, _rules_version(collection, level))


def load_dated_graph(collection: Collection, time_range: TimeRange) -> WebGraph:
    """The graph of pages as the captures of a range of time show it.

    A page that was captured at another time counts as not captured: it has no
    outlinks.
    """
    graph = load_graph(collection)
    if time_range == ANY_TIME:
        return graph
    times = collection.pages["time"].to_numpy()
    is_inside = (times >= time_range.since) & (times < time_range.until)
    dated = restrict_link_sources(graph, is_inside)
    return replace(dated, uncaptured=~is_inside)


def pages_in_time(collection: Collection, time_range: TimeRange) -> Flags:
    """The pages that the captures of a range of time show: captured then, or linked from these."""
    if time_range == ANY_TIME:
        return np.ones(len(collection), bool)
    graph = load_dated_graph(collection, time_range)
    shown: Flags = ~np.asarray(graph.uncaptured) | (graph.indegrees() > 0)
    return shown


def check_level(level: str) -> None:
    """Refuse an unknown level."""
    if level not in LEVELS:
        raise UnknownName("level", level, LEVELS)


@memoize
def _load_level(collection: Collection, level: Level, _rules: int) -> WebGraph:
    if level == "page":
        return WebGraph(*_load_pages(collection), uncaptured=uncaptured_pages(collection))
    rows = read_page_csr(collection, "out")
    group, names = group_pages(collection, level)
    # A host or domain is uncaptured where all of its pages are.
    captured = group[~uncaptured_pages(collection)]
    uncaptured = np.bincount(captured, minlength=len(names)) == 0
    outlinks, inlinks = aggregate_links(rows, group, len(names))
    return WebGraph(ArrowNames(names), outlinks, inlinks, level, uncaptured=uncaptured)


@memoize
def uncaptured_pages(collection: Collection) -> Flags:
    """The pages that are linked to but were not captured."""
    return np.asarray(collection.pages["kind"].to_numpy() == PAGE_KINDS["uncaptured"])


def _load_pages(collection: Collection) -> tuple[ArrowNames, CSR, CSR]:
    urls = collection.pages["url"]
    names = urls.chunk(0) if urls.num_chunks else pa.array([], pa.large_string())
    out, back = read_page_csr(collection, "out"), read_page_csr(collection, "in")
    if link_digest(out) != link_digest(back, transposed=True):
        raise MalformedFile(
            collection.checked_snapshot_path("graph"), "outlinks and inlinks differ"
        )
    return ArrowNames(names), out, back


def link_digest(rows: CSR, *, transposed: bool = False) -> int:
    """A 64-bit digest of all links and weights that does not depend on their order.

    It is the number of links plus the sum of a hash of each link, modulo 2^64.
    A matrix and its transpose, marked as `transposed`, have the same digest.
    """
    starts, total = rows.starts, len(rows.ids)
    for at in range(0, len(rows.ids), DIGEST_BLOCK_LINKS):
        ids = rows.ids[at : at + DIGEST_BLOCK_LINKS]
        # The rows that the block touches, and the source of each of its links.
        first = int(np.searchsorted(starts, at, side="right")) - 1
        last = int(np.searchsorted(starts, at + len(ids)))
        offsets: Offsets = np.clip(starts[first : last + 1], at, at + len(ids))
        row = np.repeat(np.arange(first, last), np.diff(offsets))
        key = (pack_pairs(ids, row) if transposed else pack_pairs(row, ids)).view(np.uint64)
        key *= GOLDEN_GAMMA
        key ^= key >> np.uint64(32)
        if rows.weights is not None:
            bits = rows.weights[at : at + DIGEST_BLOCK_LINKS].astype(np.float64).view(np.uint64)
            key += bits ^ bits >> np.uint64(32)  # small integers differ in high bits alone
        key *= GOLDEN_GAMMA
        key ^= key >> np.uint64(29)
        total += int(key.sum())
    return total & 2**64 - 1


@memoize
def read_page_csr(collection: Collection, direction: LinkDirection) -> CSR:
    """The links of pages in one direction, mapped and checked once."""
    path_prefix = f"{collection.checked_snapshot_path('graph')}/{direction}_"
    rows, n = map_csr(path_prefix), len(collection)
    check_csr(path_prefix, rows, n, row_count=n)
    return rows


def tag_values(collection: Collection, level: Level, facet: str) -> PageValues:
    """The value of a facet for each node of a level.

    A host, domain or entity has the value of its own tag; else the one that more
    than half of its captured pages have, or of all its pages if none is captured.
    """
    values = collection.tag_values(facet)
    if level == "page":
        return values
    group, names = group_pages(collection, level)
    uncaptured = uncaptured_pages(collection)
    is_empty = np.bincount(group[~uncaptured], minlength=len(names)) == 0
    codes = majority_values(values, group, len(names), ~uncaptured | is_empty[group])
    number = {value: k for k, value in enumerate(values.values)}
    own = {
        target_name(tag): number[tag.value]
        for tag in collection.tags.in_force().values()
        if tag.facet == facet and tag.scope == level and tag.value in number
    }
    place = pc.index_in(pa.array(own, names.type), value_set=names).fill_null(-1).to_numpy()
    chosen = np.fromiter(own.values(), np.int32, len(own))
    codes[place[place >= 0]] = chosen[place >= 0]
    return PageValues(facet, values.values, codes)


def tag_columns(
    collection: Collection, level: Level, nodes: Ids | None = None
) -> dict[str, pa.Array]:
    """A column such as `tag:decision` for each facet in use, with the values of some nodes."""
    columns = {}
    for facet in collection.tags.facets():
        values = tag_values(collection, level, facet)
        columns[f"tag:{facet}"] = (values if nodes is None else values.take(nodes)).to_array()
    return columns


def add_self_links(
    collection: Collection, graph: WebGraph | None = None, pages: Ids | None = None
) -> WebGraph:
    """Add the self-links of a collection to its graph of pages, or to a graph of some `pages`.

    These ascend. Most methods ignore self-links; exports and Markov chains need them.
    """
    graph = load_graph(collection) if graph is None else graph
    ids, weights = _read_self_links(collection)
    if pages is not None:
        inside = np.isin(ids, pages)
        ids, weights = np.searchsorted(pages, ids[inside]).astype(np.int32), weights[inside]
    if not len(ids):
        return graph
    rows = graph.outlinks
    key = np.concatenate([link_keys(rows), pack_pairs(ids, ids)])
    weight = np.concatenate([link_weights(rows), weights])
    order = np.argsort(key, kind="stable")
    outlinks = csr_from_keys(key[order], weight[order], len(graph))
    inlinks = transpose(outlinks, len(graph))
    return WebGraph(graph.pages, outlinks, inlinks, uncaptured=graph.uncaptured)


def _read_self_links(collection: Collection) -> tuple[Ids, Weights]:
    """The pages that link to themselves, and the weights of these links."""
    folder = collection.checked_snapshot_path("graph")
    ids = map_array(folder / "self_link_ids.npy", "<i4")
    check_ids(folder / "self_link_ids.npy", ids, len(collection))
    return ids, map_array(folder / "self_link_weights.npy", "<f4", "<f8", length=len(ids))


def aggregate_links(rows: CSR, group: Ids, group_count: int) -> tuple[CSR, CSR]:
    """The quotient graph of groups of pages: outlinks and inlinks, with the weights summed."""
    from weft.kernels.csr import quotient_graph  # noqa: PLC0415  which loads a compiler

    starts, ids = np.asarray(rows.starts), np.asarray(rows.ids)
    weights = np.zeros(0, np.float32) if rows.weights is None else np.asarray(rows.weights)
    group_starts, targets, sums = quotient_graph(starts, ids, weights, group, group_count)
    outlinks = CSR(group_starts, targets, to_float32_if_exact(sums))
    # Transposed twice: this sorts the targets of each row.
    inlinks = transpose(outlinks, group_count)
    return transpose(inlinks, group_count), inlinks


def encode_owners(names: pa.Array, level: str) -> tuple[Ids, list[str]]:
    """The host, domain or site of each page as a number, and the names by number.

    Only distinct prefixes of URLs are parsed: scheme and host, and for sites the
    first folder. A name that is not a URL is all prefix.
    """
    pattern = PREFIX_WITH_FOLDER if level == "site" else PREFIX
    prefixes = pc.replace_substring_regex(names, pattern, r"\1").dictionary_encode()
    number_of, owner = dict[str, int](), OWNER_FUNCTIONS[level]
    numbers = [
        number_of.setdefault(owner(prefix), len(number_of))
        for prefix in prefixes.dictionary.to_pylist()
    ]
    return np.array(numbers, np.int32)[prefixes.indices.to_numpy()], list(number_of)


def encode_domains(pages: pa.Array) -> tuple[Ids, list[str]]:
    """The registrable domain of each page as a number, and the sorted names."""
    domain_ids, domains = encode_owners(pages, "domain")
    names = sorted(set(domains))
    number = {name: k for k, name in enumerate(names)}
    return np.array([number[name] for name in domains], np.int32)[domain_ids], names


def voter_ids(graph: WebGraph) -> Ids:
    """The voter of each page: its domain, or the page itself where most links are internal.

    Examples
    --------
    >>> voter_ids(WebGraph.from_links([("http://a.org/1", "http://b.org/")])).tolist()
    [0, 1]
    """
    page = np.arange(len(graph), dtype=np.int32)
    if isinstance(graph.pages, NumericNames) or not len(graph):
        return page
    domains, _ = encode_domains(graph.names)
    rows = graph.outlinks
    source = np.repeat(page, np.diff(rows.starts))
    internal = np.count_nonzero(domains[source] == domains[rows.ids])
    return page if internal > MAX_INTERNAL_SHARE * len(source) else domains
