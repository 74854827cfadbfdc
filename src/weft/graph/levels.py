"""Load the graph of a collection by page, host or domain, and group pages by host."""

from pathlib import Path
from typing import NamedTuple

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
    pack_pairs,
    to_float32_if_exact,
)
from weft.core.errors import MalformedFile, UnknownName
from weft.gather.url import domain_of_host, host
from weft.graph.baseset.options import Level, LinkDirection
from weft.graph.build import read_csr
from weft.graph.views import link_keys, link_positions
from weft.graph.webgraph import ArrowNames, WebGraph, csr_from_keys, link_weights, transpose
from weft.store.arrow_files import (
    check_csr,
    check_ids,
    map_array,
    map_arrow_file,
    map_checked_table,
    write_arrow_file,
)
from weft.store.collection import Collection
from weft.store.numbering import PAGE_KINDS

HOSTS_FILE, DOMAINS_FILE = "hosts.arrow", "domains.arrow"
HOST_SCHEMA = pa.schema({"host": pa.large_string(), "pages": pa.int64(), "domain": pa.int32()})
DOMAIN_SCHEMA = pa.schema({"domain": pa.large_string()})
HOST_BLOCK_PAGES = 1 << 16
DIGEST_BLOCK_LINKS = 1 << 17
LEVELS: tuple[Level, ...] = ("page", "host", "domain")
PLAIN_URL = "^https?://(?P<host>[a-z0-9.-]+)/"
EncodedGroups = tuple[Ids, pa.Array]


def group_pages(collection: Collection, level: Level) -> EncodedGroups:
    """The host or domain of each page as a number, and the names."""
    return collection.memoize(
        f"{level}s", lambda: _groups_from_tables(*read_hosts(collection), level)
    )


def read_hosts(collection: Collection) -> tuple[pa.Table, pa.Table]:
    """The tables of hosts and domains of a snapshot, checked once.

    The pages of a host are adjacent: the table has the number of pages of each host.
    """

    def read() -> tuple[pa.Table, pa.Table]:
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

    return collection.memoize("hosts and domains", read)


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
        pages, _ = link_positions(CSR(self.first_page, np.zeros(0, np.int32)), hosts)
        return pages.astype(np.int32)


def write_hosts(pages: pa.Table, folder: Path) -> None:
    """Write the hosts and domains of the pages of a new snapshot beside its graph."""
    first, hosts = find_host_ranges(pages)
    number, domains = _encode_host_domains(hosts)
    columns = {"host": hosts, "pages": np.diff(first, append=len(pages)), "domain": number}
    write_arrow_file(pa.table(columns), folder / HOSTS_FILE)
    write_arrow_file(pa.table({"domain": domains}), folder / DOMAINS_FILE)


def read_page_groups(folder: Path, level: Level) -> EncodedGroups:
    """The host or domain of each page as just written by `write_hosts`, and the names."""
    return _groups_from_tables(
        map_arrow_file(folder / HOSTS_FILE), map_arrow_file(folder / DOMAINS_FILE), level
    )


def _groups_from_tables(hosts: pa.Table, domains: pa.Table, level: Level) -> EncodedGroups:
    number, names = np.arange(len(hosts), dtype=np.int32), hosts["host"]
    if level == "domain":
        number, names = hosts["domain"].to_numpy(), domains["domain"]
    return np.repeat(number, hosts["pages"].to_numpy()), names.combine_chunks()


def find_host_ranges(pages: pa.Table) -> tuple[Offsets, pa.ChunkedArray]:
    """The first page of each host, and the hosts; the pages of a host are adjacent."""
    first, hosts = [np.zeros(0, np.int64)], list[pa.Array]()
    for start in range(0, len(pages), HOST_BLOCK_PAGES):
        previous = max(start - 1, 0)
        keys = pages["key"].slice(previous, start + HOST_BLOCK_PAGES - previous).combine_chunks()
        # A key begins with the reversed host, up to the first slash.
        host_key = pc.list_element(pc.split_pattern(keys, "/", max_splits=1), 0)
        is_first = pc.not_equal(host_key[1:], host_key[:-1]).to_numpy(zero_copy_only=False)
        first.append(start + np.flatnonzero(is_first if start else np.append(True, is_first)))
        hosts.append(_extract_hosts(pages["url"].chunk(0).take(pa.array(first[-1]))))
    return np.concatenate(first), pa.chunked_array(hosts, pa.large_string())


def _extract_hosts(urls: pa.Array) -> pa.Array:
    """The host of each URL; those of plain URLs by one regular expression."""
    plain = pc.struct_field(pc.extract_regex(urls, PLAIN_URL), "host").cast(pa.large_string())
    others = [host(url) for url in urls.filter(pc.is_null(plain)).to_pylist()]
    return pc.replace_with_mask(plain, pc.is_null(plain), pa.array(others, pa.large_string()))


def _encode_host_domains(hosts: pa.ChunkedArray) -> EncodedGroups:
    """The domain of each host as a number, and the names."""
    names = [
        pa.array([domain_of_host(name) for name in block.to_pylist()], pa.large_string())
        for block in hosts.chunks
    ]
    encoded = pa.chunked_array(names, pa.large_string()).dictionary_encode().combine_chunks()
    return encoded.indices.to_numpy(), encoded.dictionary


def load_graph(collection: Collection, level: Level = "page") -> WebGraph:
    """Load the graph of pages, or the quotient graph of hosts or domains.

    The weight of a link between hosts or domains is the sum over the links
    between their pages; internal links are left out, like self-links.
    """
    check_level(level)
    return collection.memoize(f"graph of {level}s", lambda: _load_level(collection, level))


def check_level(level: str) -> None:
    """Refuse an unknown level."""
    if level not in LEVELS:
        raise UnknownName("level", level, LEVELS)


def _load_level(collection: Collection, level: Level) -> WebGraph:
    if level == "page":
        return WebGraph(*_load_pages(collection), uncaptured=uncaptured_pages(collection))
    rows = read_page_csr(collection, "out")
    group, names = group_pages(collection, level)
    # A host or domain is uncaptured where all of its pages are.
    captured = group[~uncaptured_pages(collection)]
    uncaptured = np.bincount(captured, minlength=len(names)) == 0
    outlinks, inlinks = aggregate_links(rows, group, len(names))
    return WebGraph(ArrowNames(names), outlinks, inlinks, level, uncaptured=uncaptured)


def uncaptured_pages(collection: Collection) -> Flags:
    """The pages that are linked to but were not captured."""
    return collection.memoize(
        "uncaptured",
        lambda: np.asarray(collection.pages["kind"].to_numpy() == PAGE_KINDS["uncaptured"]),
    )


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


def read_page_csr(collection: Collection, direction: LinkDirection) -> CSR:
    """The links of pages in one direction, mapped and checked once."""

    def read() -> CSR:
        folder, n = collection.checked_snapshot_path("graph"), len(collection)
        rows = read_csr(folder, direction)
        check_csr(f"{folder}/{direction}_", rows, n, row_count=n)
        return rows

    return collection.memoize(f"{direction} rows", read)


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
