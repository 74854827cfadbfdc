"""Growing graphs: distinct edges, and choices by degree."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from weft.kernels.preferential_attachment import (
    barabasi_albert_edges,
    copying_model_links,
    directed_scale_free_links,
)


@given(st.integers(2, 40), st.integers(1, 5), st.integers(0, 99))
def test_edges_are_distinct(n: int, m: int, seed: int) -> None:
    if m < n:
        ends = barabasi_albert_edges(n, m, np.random.default_rng(seed)).reshape(-1, 2)
        assert len({frozenset(tie) for tie in ends.tolist()}) == len(ends)
        assert (ends[:, 0] > ends[:, 1]).all()


def test_pages_are_chosen_by_degree() -> None:
    """With one edge each, the fourth page of a path chooses the middle half of the time."""
    chosen = [
        int(barabasi_albert_edges(4, 1, np.random.default_rng(seed))[-1]) for seed in range(2000)
    ]
    third = [
        int(barabasi_albert_edges(4, 1, np.random.default_rng(seed))[3]) for seed in range(2000)
    ]
    middle = np.mean([one == two for one, two in zip(chosen, third, strict=True)])
    assert abs(middle - 0.5) < 0.05


def test_uniform_links_lead_anywhere() -> None:
    targets = copying_model_links(4000, 2, 1.0, np.random.default_rng(0))
    halves = targets[3:, 0] < np.arange(3, 4000) / 2
    assert abs(halves.mean() - 0.5) < 0.05


def test_full_arrays_return_minus_one() -> None:
    source, target = np.empty((2, 5), np.int32)
    rng = np.random.default_rng(0)
    assert directed_scale_free_links(100, (0.4, 0.5, 0.2, 0.0), source, target, rng) == -1
