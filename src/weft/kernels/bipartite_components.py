"""Connected components of the bipartite graph of hubs and authorities; without Numba."""

from dataclasses import dataclass

import numpy as np

from weft.core.arrays import Flags, Floats, Ids


@dataclass(frozen=True, slots=True, eq=False)
class BipartiteComponents:
    """The component of each page as a hub and as an authority, -1 where it is neither.

    A page with out-links is a hub, one with in-links an authority, so that a
    page may be in two components. They are numbered by their first hub.
    """

    count: int
    hub_labels: Ids
    authority_labels: Ids


def number_by_first_hub(labels: Ids, present: Flags) -> BipartiteComponents:
    """Number components by their first hub.

    `labels` are arbitrary labels of n hubs, then of n authorities; `present`
    says which of them exist.
    """
    n = len(present) // 2
    first_hub = np.full(int(labels.max(initial=0)) + 1, n)
    hubs = np.flatnonzero(present[:n])[::-1]  # descending, so that the first hub is written last
    first_hub[labels[hubs]] = hubs
    is_first = np.zeros(n + 1, bool)
    is_first[first_hub] = True
    number = np.cumsum(is_first, dtype=np.int32) - 1
    numbered = np.where(present, number[first_hub[labels]], np.int32(-1))
    return BipartiteComponents(int(is_first[:n].sum()), numbered[:n], numbered[n:])


def sum_by_component(values: Floats, labels: Ids, count: int) -> Floats:
    """Sum values by component; pages of none are left out."""
    return np.bincount(labels + 1, values, count + 1)[1:].astype(np.float64)
