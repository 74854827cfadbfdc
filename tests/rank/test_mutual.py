"""Hubs and authorities over links that weigh differently in each direction."""

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from weft.core.arrays import Floats
from weft.rank.mutual import Votes, judged, settle

# 0 -> 2, 0 -> 3, 1 -> 2 as keys
LINKS = np.array([2, 3, (1 << 32) + 2])
INTO = np.array([[0, 0, 0, 0], [0, 0, 0, 0], [0.5, 1 / 3, 0, 0], [2, 0, 0, 0]])
OUT = np.array([[0, 0, 1, 3], [0, 0, 0.25, 0], [0, 0, 0, 0], [0, 0, 0, 0]])


def votes(relevance: Floats | None = None) -> Votes:
    each = np.ones(4) if relevance is None else relevance
    return Votes.of(LINKS, np.array([0.5, 2, 1 / 3]), np.array([1, 3, 0.25]), each)


def test_each_direction_has_its_weights() -> None:
    made = votes()
    x = np.array([1.0, 2, 3, 4])
    np.testing.assert_allclose(made.forward(x), INTO @ x, atol=1e-15)
    np.testing.assert_allclose(made.backward(x), OUT @ x, atol=1e-15)


@pytest.mark.parametrize("relevance", [[1, 1, 1, 1], [0.5, 1, 0.25, 2]])
def test_authorities_are_the_perron_vector(relevance: list[float]) -> None:
    weigh = np.diag(np.array(relevance, float))
    values, vectors = np.linalg.eig(INTO @ weigh @ OUT @ weigh)
    lead = int(np.argmax(values.real))
    wanted = np.abs(vectors[:, lead].real)
    made = votes(np.array(relevance, float))
    ranking = judged("x", list("abcd"), made, settle(made, 1e-12, 1000, "x"), "L2")
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
    made = Votes.of(key, into, into if symmetric else out, np.ones(8))
    ranking = judged("x", list("abcdefgh"), made, settle(made, 1e-12, 3000, "x"), "L2")
    assume(ranking.trace.converged)
    wanted = gap_of(np.array([made.forward(made.backward(row)) for row in np.eye(8)]))
    assert ranking.certainty.gap == pytest.approx(wanted, abs=1e-4)


def test_what_has_not_settled_has_no_gap() -> None:
    made = votes()
    assert np.isnan(
        judged("x", list("abcd"), made, settle(made, 1e-10, 3, "x"), "L2").certainty.gap
    )


def test_votes_that_weigh_the_same_both_ways_tie_exactly() -> None:
    """Two pairs of pages, and a third of which power iteration lets go only slowly."""
    key = np.array([3, (1 << 32) + 4, (2 << 32) + 5])
    weights = np.array([1.0, 1.0, 0.9999])
    made = Votes.of(key, weights, weights, np.ones(6))
    ranking = judged("x", list("abcdef"), made, settle(made, 1e-10, 1000, "x"), "L2")
    assert ranking.scores["authority"].tolist() == pytest.approx([0, 0, 0, 0.5**0.5, 0.5**0.5, 0])
    assert ranking.certainty.multiplicity == 2


def test_exactly_so_many_rounds() -> None:
    made = votes()
    pair = settle(made, 1e-10, 1000, "x", rounds=1)
    np.testing.assert_allclose(pair.target * np.sqrt((5 / 6) ** 2 + 4), [0, 0, 5 / 6, 2])
    assert (pair.trace.rounds, pair.trace.converged) == (1, False)
    assert settle(made, 1e-10, 1000, "x", rounds=200).trace.converged


def test_opinions_that_count_for_nothing() -> None:
    made = votes(np.zeros(4))
    ranking = judged("x", list("abcd"), made, settle(made, 1e-10, 1000, "x"), "L1")
    assert not ranking.scores["hub"].any()
    assert ranking.trace.converged
    assert ranking.certainty.note == "no links that count: every score is zero"
