"""Whose pages they are, and who has a vote."""

import numpy as np
import pyarrow as pa

from weft.core.arrays import Ids
from weft.graph import filters
from weft.graph.webgraph import Numbers, WebGraph

MOSTLY = 0.5


def owners(pages: pa.Array) -> tuple[Ids, list[str]]:
    """The registrable domain of each page as a number, and their names in order."""
    found, domains = filters.owners(pages, "domain")
    names = sorted(set(domains))
    number = {name: place for place, name in enumerate(names)}
    return np.array([number[name] for name in domains], np.int32)[found], names


def voters(graph: WebGraph) -> Ids:
    """Whose vote a page is: that of its domain, or its own where most links stay inside one.

    Examples
    --------
    >>> voters(WebGraph.from_links([("http://a.org/1", "http://b.org/")])).tolist()
    [0, 1]
    """
    alone = np.arange(len(graph), dtype=np.int32)
    if isinstance(graph.pages, Numbers) or not len(graph):
        return alone
    owner, _ = owners(graph.names)
    rows = graph.outlinks
    source = np.repeat(alone, np.diff(rows.starts))
    staying = np.count_nonzero(owner[source] == owner[rows.ids])
    return alone if staying > MOSTLY * len(source) else owner
