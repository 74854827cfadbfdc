"""HITS in the average case: its closed form, the matrix it belongs to, and the order of degrees."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from tests.webs import Links, webs

from weft.core.arrays import Floats
from weft.graph.webgraph import WebGraph
from weft.rank import average_hits, hits
from weft.rank.average_case import eigenvector

degrees = st.lists(st.integers(0, 11), min_size=12, max_size=12).filter(any)


def co_citation(d: Floats) -> Floats:
    """How often two pages are linked together on average, by their in-degrees."""
    n = len(d)
    return np.diag(d - d**2 / (n - 1)) + np.outer(d, d) / (n - 1)


def test_two_pages_by_hand() -> None:
    """Of four pages the first has two links and the second one: [[2, 2/3], [2/3, 1]]."""
    found = eigenvector(np.array([2.0, 1, 0, 0]))
    root = (3 + (1 + 16 / 9) ** 0.5) / 2
    np.testing.assert_allclose(found, np.array([2 / 3, root - 2, 0, 0]) / np.hypot(2 / 3, root - 2))


@given(degrees)
def test_it_is_the_principal_eigenvector(given_: list[int]) -> None:
    d = np.array(given_, float)
    matrix, found = co_citation(d), eigenvector(d)
    value = np.linalg.eigvalsh(matrix)[-1]
    np.testing.assert_allclose(matrix @ found, value * found, atol=1e-9 * value)


@given(st.lists(st.integers(0, 5), min_size=12, max_size=12).filter(any))
def test_the_order_is_that_of_the_degrees(given_: list[int]) -> None:
    """While no two of them add up to n-1."""
    found = eigenvector(np.array(given_, float))
    order = np.argsort(given_, kind="stable")
    assert (np.diff(found[order]) >= -1e-12).all()
    assert ((np.diff(found[order]) > 1e-9) == (np.diff(np.array(given_)[order]) > 0)).all()


def test_hits_finds_it_on_links_that_are_cited_so() -> None:
    """Links whose co-citation is the average one: a triangular factor of it, with its diagonal."""
    d = np.array([9.0, 7, 5, 4, 4, 3, 2, 1, 1, 1, 1, 1])
    links = csr_array(np.linalg.cholesky(co_citation(d)).T)
    graph = WebGraph.from_scipy(links, self_links=True)
    found = hits(graph, weighted=True)
    np.testing.assert_allclose(found.scores["authority"], eigenvector(d), atol=1e-6)


@given(webs)
def test_hubs_are_authorities_backwards(links: Links) -> None:
    one, other = average_hits(links), average_hits([(t, s) for s, t in links])
    hubs = dict(zip(one.pages, one.scores["hub"].tolist(), strict=True))
    back = dict(zip(other.pages, other.scores["authority"].tolist(), strict=True))
    assert hubs == pytest.approx(back)


def test_nothing_to_go_by() -> None:
    for graph in (WebGraph.from_links([]), WebGraph.from_arrays(["a"], [], [])):
        assert not average_hits(graph).scores["authority"].any()
    ring = average_hits([("a", "b"), ("b", "a")])
    np.testing.assert_allclose(ring.scores["authority"], [0.5**0.5] * 2)
    assert ring.trace.stopped == "closed form"
