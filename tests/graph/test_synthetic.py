"""Webs that grow: their sizes by count, their exponents by theory."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.core.errors import BadParameter
from weft.graph.synthetic import Growth, barabasi_albert, copying, scale_free
from weft.graph.webgraph import WebGraph, link_weights
from weft.structure.powerlaw import Counted, fit

seeds = st.integers(0, 1000)


def exponent(degrees: np.ndarray) -> float:
    law = fit(Counted.of(degrees))
    assert law is not None
    return law.exponent


@given(st.integers(2, 60), st.integers(1, 6), seeds)
def test_ties_of_barabasi_and_albert(n: int, m: int, seed: int) -> None:
    if m >= n:
        return
    graph = barabasi_albert(n, m, seed=seed)
    assert graph.link_count == 2 * (m * (m + 1) // 2 + m * (n - m - 1))
    assert graph.outdegrees().min() >= m
    np.testing.assert_array_equal(graph.outdegrees(), graph.indegrees())


@given(st.integers(2, 60), st.integers(1, 6), seeds)
def test_copied_links_lead_to_older_pages(n: int, d: int, seed: int) -> None:
    if d >= n:
        return
    graph = copying(n, d, seed=seed)
    rows = graph.outlinks
    source = np.repeat(np.arange(n), np.diff(rows.starts))
    grown = source > d
    assert (rows.ids[grown] < source[grown]).all()
    if n > d + 1:
        weight = link_weights(rows)
        assert weight[grown].sum() == d * (n - d - 1)


def test_without_chance_a_page_has_the_links_of_another() -> None:
    rows = copying(40, 3, uniform=0.0, seed=2).outlinks
    kept = [frozenset(rows.ids[rows.starts[k] : rows.starts[k + 1]].tolist()) for k in range(40)]
    assert all(kept[k] in kept[:k] for k in range(4, 40))


def test_exponents_come_near_theory() -> None:
    """The specification has 2.84 and 2.05 where theory has 3 and 2.11."""
    tied = barabasi_albert(20_000, 3, seed=1)
    assert tied.link_count == 2 * 59_994
    assert exponent(tied.outdegrees()) == pytest.approx(3, abs=0.25)
    assert exponent(copying(20_000, 7, seed=1).indegrees()) == pytest.approx(19 / 9, abs=0.25)
    directed = scale_free(60_000, seed=1)
    assert exponent(directed.indegrees()) == pytest.approx(Growth().in_exponent, abs=0.25)
    assert exponent(directed.outdegrees()) == pytest.approx(Growth().out_exponent, abs=0.25)


def test_theory_of_the_directed_web() -> None:
    assert Growth().in_exponent == pytest.approx(2.1494736842)
    assert Growth().out_exponent == pytest.approx(2.6949152542)
    even = Growth(linking=0.3, between=0.4, more_in=1.0, more_out=1.0)
    assert even.in_exponent == pytest.approx(even.out_exponent)


def test_the_directed_web_is_as_that_of_networkx() -> None:
    """As many links a page, and the same share of pages that nobody links to."""
    theirs = WebGraph.from_networkx(nx.DiGraph(nx.scale_free_graph(3000, seed=4)))
    ours = scale_free(3000, seed=4)
    assert ours.link_count == pytest.approx(theirs.link_count, rel=0.1)
    shares = [float((graph.indegrees() == 0).mean()) for graph in (ours, theirs)]
    assert shares[0] == pytest.approx(shares[1], abs=0.04)


def test_a_web_with_many_links_between_old_pages_finds_its_room() -> None:
    graph = scale_free(50, Growth(linking=0.001, between=0.998), seed=3)
    assert len(graph) == 50


@pytest.mark.parametrize("grow", [barabasi_albert, copying, scale_free])
def test_the_seed_alone_decides(grow: object) -> None:
    one, two, other = (grow(300, seed=seed).outlinks for seed in (5, 5, 6))  # type: ignore[operator]
    assert (one.ids == two.ids).all()
    assert len(one.ids) != len(other.ids) or (one.ids != other.ids).any()


def test_what_cannot_grow_is_told() -> None:
    with pytest.raises(BadParameter, match="3 pages cannot have 3 links"):
        barabasi_albert(3, 3)
    with pytest.raises(BadParameter, match="between 0 and 1"):
        copying(10, 2, uniform=1.5)
    with pytest.raises(BadParameter, match="no web can grow"):
        scale_free(10, Growth(linking=0.8, between=0.8))
    with pytest.raises(BadParameter, match="no web can grow"):
        scale_free(10, Growth(linking=0.0, between=1.0))
