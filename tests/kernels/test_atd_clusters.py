"""A-H-A clusters, against their definition."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from weft.core.arrays import CSR
from weft.kernels.atd_clusters import extract_clusters

Links = set[tuple[int, int]]


def rows(links: Links, n: int) -> CSR:
    order = sorted(links)
    starts = np.searchsorted([a for a, _ in order], np.arange(n + 1))
    return CSR(starts, np.array([b for _, b in order], np.int32))


def brute_force(links: Links, n: int, support: int) -> list[list[int]]:
    """Extract clusters with all degrees counted again each time."""
    found, there = [], set(range(n))
    while left := {(a, b) for a, b in links if a in there and b in there}:
        out, into = Counter(a for a, _ in left), Counter(b for _, b in left)
        opening = min(out, key=lambda node: (-out[node], node))
        choices = [b for a, b in left if a == opening]
        centre = min(choices, key=lambda node: (-into[node], node))
        hubs = sorted(a for a, b in left if b == centre)
        times = Counter(b for a, b in links if a in hubs)
        others = sorted({b for b in times if times[b] >= support and b in there} - {centre, *hubs})
        found.append([centre, *hubs, *others])
        there -= set(found[-1])
    return found


@given(
    st.sets(st.tuples(st.integers(0, 8), st.integers(0, 8)).filter(lambda p: p[0] != p[1])),
    st.integers(1, 3),
)
def test_clusters_are_those_of_brute_force(links: Links, support: int) -> None:
    taken = extract_clusters(rows(links, 9), rows({(b, a) for a, b in links}, 9), support)
    nodes = [part.tolist() for part in np.split(taken.nodes, taken.starts[1:-1])]
    assert (nodes if len(taken.start_nodes) else []) == brute_force(links, 9, support)
