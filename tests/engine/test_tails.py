"""Fits of tails, gap by gap, and numbers drawn from a law."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import zeta

from weft.engine.tails import LARGEST, apart, comes_closer, draw_beyond, fit_tails
from weft.structure.powerlaw import Counted

numbers = st.lists(st.integers(1, 60), min_size=5, max_size=80)


@given(numbers, st.floats(1.2, 5.0))
def test_the_gap_is_the_largest_over_all_whole_numbers(found: list[int], a: float) -> None:
    counted = Counted.of(found)
    low, high = min(found), max(found)
    every = np.arange(low, high + 1)
    law = 1 - zeta(a, every + 1.0) / zeta(a, float(low))
    share = np.array([np.mean(np.array(found) <= x) for x in every])
    gap = apart(counted.values, counted.above, 0, a, 2.0)
    assert gap == pytest.approx(np.abs(law - share).max(), abs=1e-12)


@given(numbers, st.floats(0.01, 0.5))
def test_closer_is_what_the_fits_say(found: list[int], than: float) -> None:
    counted = Counted.of(found)
    starts = np.arange(len(counted.values) - 1, dtype=np.int32)
    parts = counted.values, counted.above, counted.logs, starts
    gaps = fit_tails(*parts)[:, 1]
    assert comes_closer(*parts, than) == bool((gaps < than).any())


@given(st.floats(1.2, 4.0), st.integers(1, 5000).map(float), st.floats(1e-6, 1.0))
def test_a_drawn_number_is_the_largest_with_its_chance(a: float, q: float, chance: float) -> None:
    x = draw_beyond(a, q, np.array([chance]))[0]
    assert q <= x <= LARGEST
    goal = chance * zeta(a, q)
    assert zeta(a, x) >= goal * (1 - 1e-9) or x == q
    if x < LARGEST:
        assert zeta(a, x + 1) < goal * (1 + 1e-9)
