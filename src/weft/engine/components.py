"""The components of the bipartite graph of a web: who can be compared with whom."""

from dataclasses import dataclass

import numpy as np

from weft.core.arrays import Flags, Floats, Ids


@dataclass(frozen=True, slots=True, eq=False)
class Components:
    """For each page the component of its hub copy and of its authority copy, -1 where it has none.

    A page with links out has a hub copy, one with links in an authority copy.
    Components are numbered by their first hub.
    """

    count: int
    source: Ids
    target: Ids


def numbered(labels: Ids, present: Flags) -> Components:
    """Number components by their first hub; `labels` are those of all hub and authority copies."""
    n = len(present) // 2
    first = np.full(int(labels.max(initial=0)) + 1, n)
    hubs = np.flatnonzero(present[:n])[::-1]
    first[labels[hubs]] = hubs
    begins = np.zeros(n + 1, bool)
    begins[first] = True
    rank = np.cumsum(begins, dtype=np.int32) - 1
    found = np.where(present, rank[first[labels]], np.int32(-1))
    return Components(int(begins[:n].sum()), found[:n], found[n:])


def sums(values: Floats, labels: Ids, count: int) -> Floats:
    """What the values of each component add up to; pages with none are left out."""
    return np.bincount(labels + 1, values, count + 1)[1:].astype(np.float64)
