"""A law is kept by its own numbers, and given up for those of another."""

import numpy as np
import pytest

from weft.structure.goodness import draw_law, draw_set, goodness
from weft.structure.powerlaw import Counted, PowerLaw, Search, fit

LAW = PowerLaw(2.5, 3.0, 0.0, 0)


def found(numbers: Counted, sets: int = 60, seed: int = 0) -> float:
    law = fit(numbers)
    assert law is not None
    return goodness(numbers, law, Search(), sets, seed)


def test_drawn_numbers_have_the_chances_of_the_law() -> None:
    drawn = draw_law(LAW, 200_000, np.random.default_rng(0))
    assert len(drawn) == 200_000
    assert drawn.values[0] == 3
    for x in (4.0, 10.0, 100.0, 3000.0):
        share = drawn.counts[drawn.values >= x].sum() / len(drawn)
        chance = float(LAW.at_least(np.array([x]))[0])
        assert share == pytest.approx(chance, abs=5 * np.sqrt(chance / len(drawn)))


def test_a_set_keeps_its_body() -> None:
    numbers = Counted(np.array([1.0, 2.0, 3.0, 5.0]), np.array([4000, 1000, 3000, 2000]))
    drawn = draw_set(numbers, LAW._replace(size=5000), np.random.default_rng(1))
    assert len(drawn) == 10_000
    assert (np.diff(drawn.values) > 0).all()
    assert drawn.counts[drawn.values < 3].tolist() == pytest.approx([4000, 1000], rel=0.1)


def test_its_own_numbers_keep_the_law() -> None:
    """Over many sets of numbers p is evenly spread; small ones are rare."""
    p = [found(draw_law(LAW, 2000, np.random.default_rng(k)), seed=k) for k in range(12)]
    assert sum(one <= 0.1 for one in p) <= 4
    assert max(p) > 0.5


def test_numbers_of_another_law_give_it_up() -> None:
    draw = np.random.default_rng(5)
    assert found(Counted.of(draw.poisson(30, 5000))) == 0
    assert found(Counted.of(draw.integers(1, 100, 5000))) <= 0.1


def test_the_seed_alone_decides() -> None:
    numbers = draw_law(LAW, 500, np.random.default_rng(7))
    assert found(numbers, seed=3) == found(numbers, seed=3)
    assert len({found(numbers, seed=seed) for seed in range(6)}) > 1
