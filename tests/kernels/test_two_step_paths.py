"""Similarity measures by hand."""

import numpy as np
import pytest

from weft.core.arrays import CSR
from weft.kernels.two_step_paths import (
    PATH_MEASURES,
    TwoStepPaths,
    path_similarity,
    sum_paths_through,
)


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        ("sum", 2.0),
        ("cosine", 2 / 12**0.5),
        ("jaccard", 2 / 5),
        ("min", 2 / 4),
        ("max", 2 / 3),
        ("lift", 2 * 11 / 12),
    ],
)
def test_two_shared_of_three_and_four_among_eleven(measure: str, value: float) -> None:
    code = [str(name) for name in PATH_MEASURES].index(measure)
    assert float(path_similarity(code, 2.0, 3.0, 4.0, 11.0)) == pytest.approx(value)


def test_a_path_weighs_as_much_as_its_witness() -> None:
    """Page 0 has witnesses 0 and 1; the first links to 0 and 2, the second to 1 and 2."""
    first = CSR(np.array([0, 2, 2, 2]), np.array([0, 1], np.int32))
    second = CSR(np.array([0, 2, 4]), np.array([0, 2, 1, 2], np.int32))
    paths = TwoStepPaths(first, second, np.array([1.0, 0.25]), np.ones(3), np.ones(3), 2.0)
    assert sum_paths_through(paths, 0, np.array([0, 1], np.int32)).tolist() == [0.0, 0.25, 1.25]
