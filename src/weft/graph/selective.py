"""The best hubs and authorities of a root set, one vote per host."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from weft.core.arrays import Floats, Ids, Offsets, stacked
from weft.engine import flow, principal
from weft.graph.among import places
from weft.graph.filters import owners
from weft.graph.webgraph import WebGraph, reverse, rows_of

TOLERANCE, LIMIT = 1e-10, 1000


@dataclass(frozen=True, slots=True, eq=False)
class Leaders:
    """Scores of root pages as hubs and as authorities, in the order of the root set."""

    hub: Floats
    authority: Floats

    def best(self, k: int) -> tuple[Ids, Ids]:
        """Places of the best hubs and the best authorities; those that score nothing are none."""
        return _best(self.hub, k), _best(self.authority, k)


def _best(scores: Floats, k: int) -> Ids:
    order = np.argsort(-np.round(scores, 12), kind="stable")[:k]
    return order[scores[order] > 0].astype(np.int32)


def leaders(graph: WebGraph, roots: Ids) -> Leaders:
    """How good root pages are as hubs and as authorities.

    A hub is good by the hosts that it links to, its own aside, each counted
    once however many pages of it are meant. An authority is good by the hosts
    of the root set that link to it, its own aside. Both are principal singular
    vectors of page by host.
    """
    at, through = places(graph.outlinks, roots)
    targets = np.asarray(graph.outlinks.ids[at])
    known, number = np.unique(np.concatenate([roots, through, targets]), return_inverse=True)
    hosts = owners(graph.names.take(pa.array(known)), "host")[0].astype(np.int64)
    home, source, target = np.split(number, [len(roots), len(roots) + len(at)])
    place = np.full(len(known), -1, np.int64)
    place[home] = np.arange(len(roots))
    apart = hosts[source] != hosts[target]
    source, target = source[apart], target[apart]
    among = place[target] >= 0
    n = int(hosts.max(initial=-1)) + 1
    hub = _principal(place[source], hosts[target], len(roots), n)[0]
    authority = _principal(hosts[source[among]], place[target[among]], n, len(roots))[1]
    return Leaders(hub, authority)


def _principal(row: Offsets, column: Offsets, n: int, m: int) -> tuple[Floats, Floats]:
    """The principal singular vectors of a matrix of zeros and ones, by where its ones stand."""
    size = max(n, m)
    out = rows_of(np.unique(stacked(row, column)), None, size)
    made = flow(out, reverse(out, size))
    pair = principal(made, np.ones(size), TOLERANCE, LIMIT, "selective")
    return pair.source[:n], pair.target[:m]
