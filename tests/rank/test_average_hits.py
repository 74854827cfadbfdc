"""Average-case HITS: its closed form, its matrix, and the order of degrees."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from tests.webs import Links, webs

from weft.core.arrays import Floats
from weft.graph.webgraph import WebGraph
from weft.rank import average_hits, hits
from weft.rank.average_hits import average_cocitation_eigenvector

degrees = st.lists(st.integers(0, 11), min_size=12, max_size=12).filter(any)


def co_citation(d: Floats) -> Floats:
    """The average co-citation matrix of pages with in-degrees d."""
    n = len(d)
    return np.diag(d - d**2 / (n - 1)) + np.outer(d, d) / (n - 1)


def test_two_pages_by_hand() -> None:
    """Of four pages the first has two links and the second one: [[2, 2/3], [2/3, 1]]."""
    vector = average_cocitation_eigenvector(np.array([2.0, 1, 0, 0]))
    root = (3 + (1 + 16 / 9) ** 0.5) / 2
    np.testing.assert_allclose(
        vector, np.array([2 / 3, root - 2, 0, 0]) / np.hypot(2 / 3, root - 2)
    )


@given(degrees)
def test_is_the_principal_eigenvector(degrees_: list[int]) -> None:
    d = np.array(degrees_, float)
    matrix, vector = co_citation(d), average_cocitation_eigenvector(d)
    value = np.linalg.eigvalsh(matrix)[-1]
    np.testing.assert_allclose(matrix @ vector, value * vector, atol=1e-9 * value)


@given(st.lists(st.integers(0, 5), min_size=12, max_size=12).filter(any))
def test_the_order_is_that_of_the_degrees(degrees_: list[int]) -> None:
    """If no two of them add up to n-1."""
    vector = average_cocitation_eigenvector(np.array(degrees_, float))
    order = np.argsort(degrees_, kind="stable")
    assert (np.diff(vector[order]) >= -1e-12).all()
    assert ((np.diff(vector[order]) > 1e-9) == (np.diff(np.array(degrees_)[order]) > 0)).all()


def test_hits_on_a_matrix_with_that_cocitation() -> None:
    """A Cholesky factor of the average co-citation matrix, as weighted links."""
    d = np.array([9.0, 7, 5, 4, 4, 3, 2, 1, 1, 1, 1, 1])
    links = csr_array(np.linalg.cholesky(co_citation(d)).T)
    graph = WebGraph.from_scipy(links, self_links=True)
    ranking = hits(graph, weighted=True)
    np.testing.assert_allclose(
        ranking.scores["authority"], average_cocitation_eigenvector(d), atol=1e-6
    )


@given(webs)
def test_hubs_are_authorities_backwards(links: Links) -> None:
    forward, backward = average_hits(links), average_hits([(t, s) for s, t in links])
    hubs = dict(zip(forward.pages, forward.scores["hub"].tolist(), strict=True))
    authorities = dict(zip(backward.pages, backward.scores["authority"].tolist(), strict=True))
    assert hubs == pytest.approx(authorities)


def test_degenerate_graphs() -> None:
    for graph in (WebGraph.from_links([]), WebGraph.from_arrays(["a"], [], [])):
        assert not average_hits(graph).scores["authority"].any()
    ring = average_hits([("a", "b"), ("b", "a")])
    np.testing.assert_allclose(ring.scores["authority"], [0.5**0.5] * 2)
    assert ring.trace.stopped == "closed form"
