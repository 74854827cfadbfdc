"""Spreading activation: the published example, its limits, and kinds of relations."""

import numpy as np
import pytest

from weft.core.arrays import Floats
from weft.core.errors import BadParameter
from weft.graph.baseset.baseset import BaseSet
from weft.graph.webgraph import WebGraph
from weft.similar import WebContext, activation
from weft.similar.activation import relation_operators, spread_activation

CHAIN = np.array([[0, 0.5, 0], [1, 0, 1], [0, 0.5, 0]])
START = np.array([1.0, 0, 0])
LINKS = [("a", "b"), ("b", "c"), ("d", "e")]


def spread(source: Floats, max_iter: int = 1000, alpha: float = 0.3) -> Floats:
    return spread_activation(lambda x: CHAIN @ x, source, 0.8, alpha, 1e-13, max_iter)[0]


def test_published_example() -> None:
    """The first step is the source itself."""
    np.testing.assert_allclose(spread(START, 1), [1.2, 0.3, 0])
    np.testing.assert_allclose(spread(START, 2), [1.285, 0.42, 0.045])
    limit = [1.3522727273, 0.5454545455, 0.1022727273]
    np.testing.assert_allclose(spread(START), limit, atol=1e-9)


def test_the_limit_solves_the_equation() -> None:
    source = np.array([0.2, 0, 0.7])
    matrix = np.eye(3) - (0.2 * np.eye(3) + 0.3 * CHAIN)
    np.testing.assert_allclose(spread(source), np.linalg.solve(matrix, source))


def test_activation_is_linear_in_its_source() -> None:
    other = np.array([0, 2.0, 1])
    np.testing.assert_allclose(spread(START + 3 * other), spread(START) + 3 * spread(other))


def test_without_spread_a_source_keeps_to_itself() -> None:
    np.testing.assert_allclose(spread(START, alpha=0.0), START / 0.8)


def test_growth_without_end_is_refused() -> None:
    with pytest.raises(BadParameter, match="grows without end"):
        activation(LINKS, page="a", relaxation=0.3, spread=0.3)


def test_scores_are_the_sums_of_their_contributions() -> None:
    base = BaseSet.from_graph(WebGraph.from_links(LINKS))
    found = activation(WebContext(base), page="a")
    assert [page.page for page in found] == ["b", "c"]
    for page in found:
        assert sum(page.contributions.values()) == pytest.approx(page.score)


def test_relations_pass_on_what_a_page_has() -> None:
    operators = relation_operators(WebContext(BaseSet.from_graph(WebGraph.from_links(LINKS))))
    assert set(operators) == {"links"}
    values = np.array([1.0, 2, 3, 4, 5])
    assert operators["links"](values).sum() == pytest.approx(values.sum())
