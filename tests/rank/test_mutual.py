"""Hubs and authorities over links that weigh differently in each direction."""

import numpy as np
import pytest

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
