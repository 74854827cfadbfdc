"""The domains of pages as numbers, and one vote per domain."""

import numpy as np
import pyarrow as pa

from weft.core.arrays import Ids
from weft.graph.baseset import filters
from weft.graph.webgraph import NumericNames, WebGraph

MAX_INTERNAL_SHARE = 0.5


def encode_domains(pages: pa.Array) -> tuple[Ids, list[str]]:
    """The registrable domain of each page as a number, and the sorted names."""
    domain_ids, domains = filters.encode_owners(pages, "domain")
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
    domain, _ = encode_domains(graph.names)
    rows = graph.outlinks
    source = np.repeat(page, np.diff(rows.starts))
    internal = np.count_nonzero(domain[source] == domain[rows.ids])
    return page if internal > MAX_INTERNAL_SHARE * len(source) else domain
