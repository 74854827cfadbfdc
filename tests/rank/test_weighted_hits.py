"""HITS with different link weights for authorities and hubs."""

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from weft.core.arrays import Floats
from weft.rank.weighted_hits import WeightedLinks, ranking_from_pair, solve_weighted_hits

# 0 -> 2, 0 -> 3, 1 -> 2 as keys
LINKS = np.array([2, 3, (1 << 32) + 2])
INTO = np.array([[0, 0, 0, 0], [0, 0, 0, 0], [0.5, 1 / 3, 0, 0], [2, 0, 0, 0]])
OUT = np.array([[0, 0, 1, 3], [0, 0, 0.25, 0], [0, 0, 0, 0], [0, 0, 0, 0]])


def weighted_links(page_weights: Floats | None = None) -> WeightedLinks:
    return WeightedLinks.from_keys(
        LINKS,
        np.array([0.5, 2, 1 / 3]),
        np.array([1, 3, 0.25]),
        np.ones(4) if page_weights is None else page_weights,
    )


def test_each_direction_has_its_weights() -> None:
    links = weighted_links()
    x = np.array([1.0, 2, 3, 4])
    np.testing.assert_allclose(links.rmatvec(x), INTO @ x, atol=1e-15)
    np.testing.assert_allclose(links.matvec(x), OUT @ x, atol=1e-15)


@pytest.mark.parametrize("page_weights", [[1, 1, 1, 1], [0.5, 1, 0.25, 2]])
def test_authorities_are_the_perron_vector(page_weights: list[float]) -> None:
    r = np.diag(np.array(page_weights, float))
    values, vectors = np.linalg.eig(INTO @ r @ OUT @ r)
    lead = int(np.argmax(values.real))
    wanted = np.abs(vectors[:, lead].real)
    links = weighted_links(np.array(page_weights, float))
    ranking = ranking_from_pair(
        "x", list("abcd"), links, solve_weighted_hits(links, 1e-12, 1000, "x"), "L2"
    )
    np.testing.assert_allclose(ranking.scores["authority"], wanted, atol=1e-9)
    assert ranking.details["eigenvalue"] == pytest.approx(values[lead].real)


def gap_of(matrix: Floats) -> float:
    first, second = np.sort(np.abs(np.linalg.eigvals(matrix)))[::-1][:2]
    return float(1 - second / first)


WEIGHTS = st.floats(0.1, 2)
EDGES = st.dictionaries(
    st.integers(0, 63).map(lambda k: (k >> 3) << 32 | k & 7),
    st.tuples(WEIGHTS, WEIGHTS),
    min_size=1,
)


@given(edges=EDGES, symmetric=st.booleans())
def test_the_gap_is_that_of_the_eigenvalues(*, edges: dict[int, Any], symmetric: bool) -> None:
    key = np.array(sorted(edges))
    into, out = np.array([edges[k] for k in key.tolist()]).T
    links = WeightedLinks.from_keys(key, into, into if symmetric else out, np.ones(8))
    ranking = ranking_from_pair(
        "x", list("abcdefgh"), links, solve_weighted_hits(links, 1e-12, 3000, "x"), "L2"
    )
    assume(ranking.trace.converged)
    wanted = gap_of(np.array([links.rmatvec(links.matvec(row)) for row in np.eye(8)]))
    assert ranking.certainty.gap == pytest.approx(wanted, abs=1e-4)


def test_unconverged_scores_have_no_gap() -> None:
    links = weighted_links()
    assert np.isnan(
        ranking_from_pair(
            "x", list("abcd"), links, solve_weighted_hits(links, 1e-10, 3, "x"), "L2"
        ).certainty.gap
    )


def test_symmetric_weights_tie_exactly() -> None:
    """Two equal pairs of pages, and a third that power iteration removes only slowly."""
    key = np.array([3, (1 << 32) + 4, (2 << 32) + 5])
    weights = np.array([1.0, 1.0, 0.9999])
    links = WeightedLinks.from_keys(key, weights, weights, np.ones(6))
    ranking = ranking_from_pair(
        "x", list("abcdef"), links, solve_weighted_hits(links, 1e-10, 1000, "x"), "L2"
    )
    assert ranking.scores["authority"].tolist() == pytest.approx([0, 0, 0, 0.5**0.5, 0.5**0.5, 0])
    assert ranking.certainty.multiplicity == 2


def test_exact_number_of_iterations() -> None:
    links = weighted_links()
    pair = solve_weighted_hits(links, 1e-10, 1000, "x", iterations=1)
    np.testing.assert_allclose(pair.target * np.sqrt((5 / 6) ** 2 + 4), [0, 0, 5 / 6, 2])
    assert (pair.trace.iterations, pair.trace.converged) == (1, False)
    assert solve_weighted_hits(links, 1e-10, 1000, "x", iterations=200).trace.converged


def test_zero_page_weights() -> None:
    links = weighted_links(np.zeros(4))
    ranking = ranking_from_pair(
        "x", list("abcd"), links, solve_weighted_hits(links, 1e-10, 1000, "x"), "L1"
    )
    assert not ranking.scores["hub"].any()
    assert ranking.trace.converged
    assert ranking.certainty.note == "no links that count: all scores are zero"
