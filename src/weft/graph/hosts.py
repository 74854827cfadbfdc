"""The hosts and domains that pages are on: found when a snapshot is built, and kept with it."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import Ids, Offsets, Rows
from weft.core.errors import Malformed
from weft.gather.url import domain_of_host, host
from weft.graph.among import places
from weft.graph.options import Level
from weft.store.collection import Collection
from weft.store.mapped import check_ids, read_checked, read_mapped, write_mapped

HOSTS, DOMAINS = "hosts.arrow", "domains.arrow"
HOST_TABLE = pa.schema({"host": pa.large_string(), "pages": pa.int64(), "domain": pa.int32()})
DOMAIN_TABLE = pa.schema({"domain": pa.large_string()})
BLOCK = 1 << 16
PLAIN = "^https?://(?P<host>[a-z0-9.-]+)/"
Groups = tuple[Ids, pa.Array]


def groups_of(collection: Collection, level: Level) -> Groups:
    """The host or domain of each page as a number, and the names."""
    return collection.once(f"{level}s", lambda: _groups(*read_hosts(collection), level))


def read_hosts(collection: Collection) -> tuple[pa.Table, pa.Table]:
    """The hosts and the domains of a snapshot, checked once: hosts have every page, in runs."""

    def read() -> tuple[pa.Table, pa.Table]:
        path, other = (collection.path("graph") / name for name in (HOSTS, DOMAINS))
        hosts, domains = read_checked(path, HOST_TABLE), read_checked(other, DOMAIN_TABLE)
        check_ids(path, hosts["domain"].to_numpy(), len(domains))
        sizes = hosts["pages"].to_numpy()
        check_ids(path, sizes, len(collection) + 1, 1)
        if sizes.sum() != len(collection):
            raise Malformed(path, "hosts do not have every page once")
        return hosts, domains

    return collection.once("hosts and domains", read)


class HostRuns(NamedTuple):
    """Where the pages of each host begin, and at last where they end; and the domains of hosts."""

    first: Offsets
    domain: Ids

    @classmethod
    def of(cls, collection: Collection) -> "HostRuns":
        """Those of a collection."""
        hosts, _ = read_hosts(collection)
        first = np.concatenate([[0], np.cumsum(hosts["pages"].to_numpy())])
        return cls(first, hosts["domain"].to_numpy())

    @property
    def domains(self) -> int:
        """How many domains there are."""
        return int(self.domain.max(initial=-1)) + 1

    def domain_of(self, pages: Ids) -> Ids:
        """The domain of some pages, by number."""
        found: Ids = self.domain[np.searchsorted(self.first, pages, side="right") - 1]
        return found

    def pages_of(self, domains: Ids) -> Ids:
        """The pages of some domains, ascending."""
        hosts = np.flatnonzero(np.isin(self.domain, domains)).astype(np.int32)
        return places(Rows(self.first, np.zeros(0, np.int32)), hosts)[0].astype(np.int32)


def write_groups(pages: pa.Table, folder: Path) -> None:
    """Write the hosts and domains of the pages of a new snapshot beside its graph."""
    first, hosts = host_runs(pages)
    number, domains = _domains(hosts)
    columns = {"host": hosts, "pages": np.diff(first, append=len(pages)), "domain": number}
    write_mapped(pa.table(columns), folder / HOSTS)
    write_mapped(pa.table({"domain": domains}), folder / DOMAINS)


def read_groups(folder: Path, level: Level) -> Groups:
    """The host or domain of each page as they were just written, and the names."""
    return _groups(read_mapped(folder / HOSTS), read_mapped(folder / DOMAINS), level)


def _groups(hosts: pa.Table, domains: pa.Table, level: Level) -> Groups:
    number, names = np.arange(len(hosts), dtype=np.int32), hosts["host"]
    if level == "domain":
        number, names = hosts["domain"].to_numpy(), domains["domain"]
    return np.repeat(number, hosts["pages"].to_numpy()), names.combine_chunks()


def host_runs(pages: pa.Table) -> tuple[Offsets, pa.ChunkedArray]:
    """The first page of each host, whose pages are one run, and the host."""
    first, hosts = [np.zeros(0, np.int64)], list[pa.Array]()
    for start in range(0, len(pages), BLOCK):
        before = max(start - 1, 0)
        keys = pages["key"].slice(before, start + BLOCK - before).combine_chunks()
        head = pc.list_element(pc.split_pattern(keys, "/", max_splits=1), 0)
        fresh = pc.not_equal(head[1:], head[:-1]).to_numpy(zero_copy_only=False)
        first.append(start + np.flatnonzero(fresh if start else np.append(True, fresh)))
        hosts.append(_hosts(pages["url"].chunk(0).take(pa.array(first[-1]))))
    return np.concatenate(first), pa.chunked_array(hosts, pa.large_string())


def _hosts(urls: pa.Array) -> pa.Array:
    """The host of each URL; of plain ones all at once."""
    plain = pc.struct_field(pc.extract_regex(urls, PLAIN), "host").cast(pa.large_string())
    odd = [host(url) for url in urls.filter(pc.is_null(plain)).to_pylist()]
    return pc.replace_with_mask(plain, pc.is_null(plain), pa.array(odd, pa.large_string()))


def _domains(hosts: pa.ChunkedArray) -> Groups:
    """The domain of each host, and the names."""
    names = [
        pa.array([domain_of_host(name) for name in block.to_pylist()], pa.large_string())
        for block in hosts.chunks
    ]
    encoded = pa.chunked_array(names, pa.large_string()).dictionary_encode().combine_chunks()
    return encoded.indices.to_numpy(), encoded.dictionary
