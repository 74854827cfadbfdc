"""The relational model: the published example, and exact enumeration on trees."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.classify import naive_bayes, prm
from weft.classify.prm import learn_existence, propagate_beliefs
from weft.core.arrays import Floats
from weft.graph.webgraph import WebGraph

# the chance of a link by the classes of its source and its target; two pages, by their words
RATES = np.array([[0.3, 0.05], [0.1, 0.2]])
TWO = np.log(np.array([[0.375, 0.625], [9 / 11, 2 / 11]]))


def rates_of(rates: Floats) -> Floats:
    return np.stack([rates, rates], axis=2)


def enumerate_beliefs(local: Floats, links: set[tuple[int, int]], rates: Floats) -> Floats:
    """The exact marginals, where only linked pairs count."""
    n, k = local.shape
    pairs = {(min(link), max(link)) for link in links}
    found = np.zeros((n, k))
    for classes in product(range(k), repeat=n):
        weight = np.exp(sum(local[i, c] for i, c in enumerate(classes)))
        for i, j in pairs:
            for s, t in ((i, j), (j, i)):
                rate = rates[classes[s], classes[t]]
                weight *= rate if (s, t) in links else 1 - rate
        for i, c in enumerate(classes):
            found[i, c] += weight
    return np.asarray(found / found.sum(axis=1, keepdims=True))


def beliefs_of(links: set[tuple[int, int]], local: Floats, rates: Floats) -> Floats:
    n = len(local)
    ends = np.array(sorted(links), np.int32).reshape(-1, 2)
    graph = WebGraph.from_arrays(n, ends[:, 0], ends[:, 1])
    hubs = np.zeros(n, bool)
    found, trace = propagate_beliefs(
        local, graph.outlinks, hubs, rates_of(rates), tol=1e-12, max_iter=1000, absent_links=False
    )
    assert trace.converged
    return found


def test_published_example_with_a_link() -> None:
    """The example has one direction only: the way back is as likely for all classes."""
    graph = WebGraph.from_arrays(2, [0], [1])
    # a hub has its own rates, so the second page, a hub, can have constant ones
    existence = np.stack([RATES, np.full((2, 2), 0.5)], axis=2)
    hubs = np.array([False, True])
    found, trace = propagate_beliefs(
        TWO, graph.outlinks, hubs, existence, tol=1e-12, max_iter=1000, absent_links=False
    )
    assert trace.converged
    np.testing.assert_allclose(found[0], [0.5637583893, 0.4362416107], atol=1e-9)
    np.testing.assert_allclose(found[1], [0.8456375839, 0.1543624161], atol=1e-9)


def test_published_example_without_a_link() -> None:
    """The link observed absent: the way back exists, and says nothing."""
    graph = WebGraph.from_arrays(2, [1], [0])
    existence = np.stack([RATES, np.full((2, 2), 0.5)], axis=2)
    hubs = np.array([False, True])
    found, _ = propagate_beliefs(
        TWO, graph.outlinks, hubs, existence, tol=1e-12, max_iter=1000, absent_links=False
    )
    np.testing.assert_allclose(found[0], [0.3365253078, 0.6634746922], atol=1e-9)


trees = st.lists(st.integers(0, 5), min_size=6, max_size=6).map(
    lambda parents: [min(parent, child) for child, parent in enumerate(parents)]
)


@given(
    trees,
    st.lists(st.sampled_from([1, 2, 3]), min_size=6, max_size=6),
    st.integers(0, 1000),
)
def test_trees_of_seven_pages_are_exact(parents: list[int], ways: list[int], seed: int) -> None:
    random = np.random.default_rng(seed)
    links = {(child + 1, parent) for child, parent in enumerate(parents) if ways[child] & 1}
    links |= {(parent, child + 1) for child, parent in enumerate(parents) if ways[child] & 2}
    local, rates = np.log(random.uniform(0.1, 1, (7, 3))), random.uniform(0.05, 0.95, (3, 3))
    exact = enumerate_beliefs(local, links, rates)
    np.testing.assert_allclose(beliefs_of(links, local, rates), exact, atol=1e-8)


def test_constant_rates_leave_the_text() -> None:
    links = {(0, 1)}
    found = beliefs_of(links, TWO, np.full((2, 2), 0.1))
    np.testing.assert_allclose(found, np.exp(TWO), atol=1e-12)


def test_constant_rates_leave_the_text_with_absent_links_too() -> None:
    graph = WebGraph.from_links([("a", "b"), ("b", "c"), ("c", "a"), ("d", "a")])
    local = np.log(np.random.default_rng(0).dirichlet([1, 1, 1], 4))
    even = np.full((3, 3, 2), 0.1)
    found, _ = propagate_beliefs(local, graph.outlinks, np.zeros(4, bool), even)
    np.testing.assert_allclose(found, np.exp(local), atol=1e-9)


def test_absent_links_by_hand() -> None:
    """Three pages without links: each sees the expected classes of the two others."""
    local = np.log(np.array([[0.5, 0.5], [0.9, 0.1], [0.9, 0.1]]))
    rates = np.array([[0.5, 0.01], [0.01, 0.01]])
    graph = WebGraph.from_arrays(3, [], [])
    found, _ = propagate_beliefs(
        local, graph.outlinks, np.zeros(3, bool), rates_of(rates), tol=1e-12, max_iter=1
    )
    # ln of the chance of no link, there and back, to 1.8 pages of class 0 and 0.2 of class 1
    scores = 2 * np.log(1 - rates) @ [1.8, 0.2]
    odds = np.exp(scores[0] - scores[1])
    assert found[0, 0] / found[0, 1] == pytest.approx(odds)


def test_existence_is_counted_by_hand() -> None:
    """Two pages of class 0 and one of class 1; one link of class 0 to class 0, one to class 1."""
    graph = WebGraph.from_links([("a", "b"), ("b", "c"), ("x", "a")])
    fixed = np.array([[1.0, 0], [1, 0], [0, 1], [0, 0]])
    rates = learn_existence(graph.outlinks, np.zeros(4, bool), fixed)
    np.testing.assert_allclose(rates[:, :, 0], [[2 / 4, 2 / 4], [1 / 4, 1 / 2]])
    np.testing.assert_allclose(rates[:, :, 1], 1 / 2)


def test_no_links_and_equal_classes_are_naive_bayes() -> None:
    rows = [("a", "ball goal", "sport"), ("b", "bank", "money"), ("x", "goal", "")]
    np.testing.assert_allclose(prm(rows).probabilities, naive_bayes(rows).probabilities, atol=1e-9)
