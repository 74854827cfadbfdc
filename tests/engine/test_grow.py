"""The kernels of growth: nobody is tied to the same page twice, and choices follow the ties."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from weft.engine.grow import add_links, attach, copy_links


@given(st.integers(2, 40), st.integers(1, 5), st.integers(0, 99))
def test_ties_are_distinct(n: int, m: int, seed: int) -> None:
    if m < n:
        ends = attach(n, m, np.random.default_rng(seed)).reshape(-1, 2)
        assert len({frozenset(tie) for tie in ends.tolist()}) == len(ends)
        assert (ends[:, 0] > ends[:, 1]).all()


def test_pages_are_chosen_by_their_ties() -> None:
    """The fourth page of a path with one tie each chooses the middle half of the time."""
    chosen = [int(attach(4, 1, np.random.default_rng(seed))[-1]) for seed in range(2000)]
    third = [int(attach(4, 1, np.random.default_rng(seed))[3]) for seed in range(2000)]
    middle = np.mean([one == two for one, two in zip(chosen, third, strict=True)])
    assert abs(middle - 0.5) < 0.05


def test_uniform_links_lead_anywhere() -> None:
    targets = copy_links(4000, 2, 1.0, np.random.default_rng(0))
    halves = targets[3:, 0] < np.arange(3, 4000) / 2
    assert abs(halves.mean() - 0.5) < 0.05


def test_no_room_is_told() -> None:
    source, target = np.empty((2, 5), np.int32)
    draw = np.random.default_rng(0)
    assert add_links(100, (0.4, 0.5, 0.2, 0.0), source, target, draw) == -1
