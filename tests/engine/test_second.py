"""The second eigenvalue against dense linear algebra."""

import numpy as np
import pytest

from weft.core.arrays import Floats
from weft.engine import second
from weft.engine.second import runner_up


@pytest.mark.parametrize("symmetric", [True, False])
def test_it_is_the_second_of_the_matrix(symmetric: bool) -> None:  # noqa: FBT001
    matrix = np.random.default_rng(4).random((12, 12))
    matrix = matrix @ matrix.T if symmetric else matrix
    values, vectors = np.linalg.eig(matrix)
    order = np.argsort(-np.abs(values))
    first = np.abs(vectors[:, order[0]].real)
    found = runner_up(lambda x: matrix @ x, first)
    assert found == pytest.approx(abs(values[order[1]]), rel=1e-8)


def test_few_steps_where_there_is_little_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four steps see most of a second eigenvalue that stands apart."""
    monkeypatch.setattr(second, "ROOM", 0)
    matrix = np.diag([9.0, 8.0, *np.linspace(1, 0, 48)])
    first = np.eye(50)[0]
    calls = []

    def onward(x: Floats) -> Floats:
        calls.append(1)
        onto: Floats = matrix @ x
        return onto

    assert runner_up(onward, first) == pytest.approx(8, rel=0.01)
    assert len(calls) == 6
