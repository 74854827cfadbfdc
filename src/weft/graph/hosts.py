"""The hosts and domains that pages are on: found when a snapshot is built, and kept with it."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import Ids
from weft.gather.url import domain_of_host, host
from weft.graph.options import Level
from weft.store.collection import Collection
from weft.store.mapped import read_mapped, write_mapped

HOSTS, DOMAINS = "hosts.arrow", "domains.arrow"
BLOCK = 1 << 24
PLAIN = "^https?://(?P<host>[a-z0-9.-]+)/"
Groups = tuple[Ids, pa.Array]


def groups_of(collection: Collection, level: Level) -> Groups:
    """The host or domain of each page as a number, and the names."""
    return collection.once(f"{level}s", lambda: read_groups(collection.path("graph"), level))


def write_groups(pages: pa.Table, folder: Path) -> None:
    """Write the hosts and domains of the pages of a new snapshot beside its graph."""
    run, hosts = _runs(pages)
    number, domains = _domains(hosts)
    columns = {"host": hosts, "pages": np.bincount(run, minlength=len(hosts)), "domain": number}
    write_mapped(pa.table(columns), folder / HOSTS)
    write_mapped(pa.table({"domain": domains}), folder / DOMAINS)


def read_groups(folder: Path, level: Level) -> Groups:
    """The host or domain of each page as they were written, and the names."""
    hosts = read_mapped(folder / HOSTS)
    number, names = np.arange(len(hosts), dtype=np.int32), hosts["host"]
    if level == "domain":
        number, names = hosts["domain"].to_numpy(), read_mapped(folder / DOMAINS)["domain"]
    return np.repeat(number, hosts["pages"].to_numpy()), names.combine_chunks()


def _runs(pages: pa.Table) -> Groups:
    """The host of each page, which is one run of them, and the names."""
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
    return run, _hosts(urls.take(pa.array(np.flatnonzero(fresh))))


def _hosts(urls: pa.Array) -> pa.Array:
    """The host of each URL; of plain ones all at once."""
    plain = pc.struct_field(pc.extract_regex(urls, PLAIN), "host").cast(pa.large_string())
    odd = [host(url) for url in urls.filter(pc.is_null(plain)).to_pylist()]
    return pc.replace_with_mask(plain, pc.is_null(plain), pa.array(odd, pa.large_string()))


def _domains(hosts: pa.Array) -> Groups:
    """The domain of each host, and the names."""
    names = pa.array([domain_of_host(name) for name in hosts.to_pylist()], pa.large_string())
    encoded = names.dictionary_encode()
    return encoded.indices.to_numpy().astype(np.int32), encoded.dictionary
