"""Power laws of the specification, of igraph and powerlaw, and found again in drawn numbers."""

import json
from pathlib import Path
from random import Random
from typing import Any

import igraph
import numpy as np
import powerlaw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.structure.power_law import (
    PowerLaw,
    TailSearch,
    ValueCounts,
    bootstrap_p_value,
    draw_bootstrap_sample,
    fit_every_tail,
    fit_power_law,
    sample_power_law,
)

VALUES = Path(__file__).parents[1] / "data" / "mining-values.json"
numbers = st.lists(st.integers(0, 40), max_size=80)


@pytest.fixture(scope="module")
def worked() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(VALUES.read_text())["powerlaw"]
    return found


def test_worked_values(worked: dict[str, Any]) -> None:
    data = [int(x) for x, often in worked["data"].items() for _ in range(often)]
    found = {
        str(int(law.x_min)): law
        for law in fit_every_tail(ValueCounts.of(data), TailSearch(min_tail=16))
    }
    assert list(found) == list(worked["fits"])
    for start, fit in worked["fits"].items():
        law = found[start]
        assert law.exponent == pytest.approx(fit["alpha"], abs=1e-9)
        assert law.ks_distance == pytest.approx(fit["ks"], abs=1e-9)
        assert law.standard_error == pytest.approx(fit["sigma"], abs=1e-9)
        assert law.tail_size == fit["n_tail"]
    best = fit_power_law(ValueCounts.of(data), TailSearch(min_tail=16))
    assert best is not None
    assert best.x_min == worked["xmin_by_min_ks"]


@pytest.mark.parametrize("a", [1.8, 2.5, 3.2])
def test_a_drawn_law_is_found_again(a: float) -> None:
    drawn = sample_power_law(PowerLaw(a, 1.0, 0.0, 0), 10_000, np.random.default_rng(1))
    found = fit_power_law(drawn)
    assert found is not None
    assert abs(found.exponent - a) < 3 * found.standard_error


@pytest.mark.slow
def test_igraph_finds_the_same() -> None:
    draw = np.random.default_rng(2)
    body = draw.integers(1, 6, 600)
    tail = sample_power_law(PowerLaw(2.4, 6.0, 0.0, 0), 900, draw)
    every = np.concatenate([body, np.repeat(tail.values, tail.counts)]).astype(int)
    ours = fit_power_law(ValueCounts.of(every))
    theirs = igraph.statistics.power_law_fit(every.tolist())
    assert ours is not None
    assert ours.x_min == theirs.xmin
    assert ours.exponent == pytest.approx(theirs.alpha, abs=1e-4)
    assert ours.ks_distance == pytest.approx(theirs.D, abs=1e-3)


def test_powerlaw_finds_the_same() -> None:
    draw = np.random.default_rng(3)
    tail = sample_power_law(PowerLaw(2.2, 4.0, 0.0, 0), 1500, draw)
    every = np.concatenate([draw.integers(1, 4, 500), np.repeat(tail.values, tail.counts)])
    theirs = powerlaw.Fit(every, discrete=True, estimate_discrete=False, verbose=0, xmin=4.0)
    ours = next(
        law for law in fit_every_tail(ValueCounts.of(every), TailSearch()) if law.x_min == 4
    )
    assert ours.exponent == pytest.approx(float(theirs.power_law.alpha), abs=1e-4)
    assert ours.ks_distance == pytest.approx(float(theirs.power_law.D), abs=1e-4)


@given(numbers, st.randoms())
def test_order_does_not_matter(found: list[int], random: Random) -> None:
    shuffled = random.sample(found, len(found))
    assert fit_every_tail(ValueCounts.of(found), TailSearch(10)) == fit_every_tail(
        ValueCounts.of(shuffled), TailSearch(10)
    )


@given(numbers)
def test_no_other_exponent_is_more_likely(found: list[int]) -> None:
    counted = ValueCounts.of(found)
    for law in fit_every_tail(counted, TailSearch(10)):
        tail = counted.tail(law.x_min)
        best = float(law.log_pmf(tail.values) @ tail.counts)
        for other in (law.exponent - 0.01, law.exponent + 0.01):
            if 1.01 <= other <= 6:
                rival = law._replace(exponent=other)
                assert float(rival.log_pmf(tail.values) @ tail.counts) <= best + 1e-9


def test_few_numbers_or_all_alike_have_no_law() -> None:
    assert fit_power_law(ValueCounts.of([])) is None
    assert fit_power_law(ValueCounts.of([0, 0])) is None
    assert fit_power_law(ValueCounts.of([3] * 100)) is None
    assert fit_power_law(ValueCounts.of([1, 2, 3])) is None


def test_many_starts_are_chosen_evenly() -> None:
    counted = ValueCounts.of(np.arange(1, 2000))
    starts = TailSearch(min_tail=50, max_starts=10).candidate_starts(counted)
    assert len(starts) == 10
    assert starts[0] == 0
    assert starts[-1] == 1949
    assert np.ptp(np.diff(starts)) <= 1


LAW = PowerLaw(2.5, 3.0, 0.0, 0)


def found(numbers: ValueCounts, sets: int = 60, seed: int = 0) -> float:
    law = fit_power_law(numbers)
    assert law is not None
    return bootstrap_p_value(numbers, law, TailSearch(), sets, seed)


def test_drawn_numbers_have_the_chances_of_the_law() -> None:
    drawn = sample_power_law(LAW, 200_000, np.random.default_rng(0))
    assert len(drawn) == 200_000
    assert drawn.values[0] == 3
    for x in (4.0, 10.0, 100.0, 3000.0):
        share = drawn.counts[drawn.values >= x].sum() / len(drawn)
        chance = float(LAW.survival(np.array([x]))[0])
        assert share == pytest.approx(chance, abs=5 * np.sqrt(chance / len(drawn)))


def test_a_set_keeps_its_body() -> None:
    numbers = ValueCounts(np.array([1.0, 2.0, 3.0, 5.0]), np.array([4000, 1000, 3000, 2000]))
    drawn = draw_bootstrap_sample(numbers, LAW._replace(tail_size=5000), np.random.default_rng(1))
    assert len(drawn) == 10_000
    assert (np.diff(drawn.values) > 0).all()
    assert drawn.counts[drawn.values < 3].tolist() == pytest.approx([4000, 1000], rel=0.1)


def test_its_own_numbers_keep_the_law() -> None:
    """Over many sets of numbers p is evenly spread; small ones are rare."""
    p = [found(sample_power_law(LAW, 2000, np.random.default_rng(k)), seed=k) for k in range(12)]
    assert sum(one <= 0.1 for one in p) <= 4
    assert max(p) > 0.5


def test_numbers_of_another_law_give_it_up() -> None:
    draw = np.random.default_rng(5)
    assert found(ValueCounts.of(draw.poisson(30, 5000))) == 0
    assert found(ValueCounts.of(draw.integers(1, 100, 5000))) <= 0.1


def test_the_seed_alone_decides() -> None:
    numbers = sample_power_law(LAW, 500, np.random.default_rng(7))
    assert found(numbers, seed=3) == found(numbers, seed=3)
    assert len({found(numbers, seed=seed) for seed in range(6)}) > 1
