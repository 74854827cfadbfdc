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

from weft.structure.goodness import draw_law
from weft.structure.powerlaw import Counted, PowerLaw, Search, fit, fits

VALUES = Path(__file__).parents[1] / "data" / "mining-values.json"
numbers = st.lists(st.integers(0, 40), max_size=80)


@pytest.fixture(scope="module")
def worked() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(VALUES.read_text())["powerlaw"]
    return found


def test_worked_values(worked: dict[str, Any]) -> None:
    data = [int(x) for x, often in worked["data"].items() for _ in range(often)]
    found = {str(int(law.start)): law for law in fits(Counted.of(data), Search(least=16))}
    assert list(found) == list(worked["fits"])
    for start, told in worked["fits"].items():
        law = found[start]
        assert law.exponent == pytest.approx(told["alpha"], abs=1e-9)
        assert law.misfit == pytest.approx(told["ks"], abs=1e-9)
        assert law.error == pytest.approx(told["sigma"], abs=1e-9)
        assert law.size == told["n_tail"]
    best = fit(Counted.of(data), Search(least=16))
    assert best is not None
    assert best.start == worked["xmin_by_min_ks"]


@pytest.mark.parametrize("a", [1.8, 2.5, 3.2])
def test_a_drawn_law_is_found_again(a: float) -> None:
    drawn = draw_law(PowerLaw(a, 1.0, 0.0, 0), 10_000, np.random.default_rng(1))
    found = fit(drawn)
    assert found is not None
    assert abs(found.exponent - a) < 3 * found.error


def test_igraph_finds_the_same() -> None:
    draw = np.random.default_rng(2)
    body = draw.integers(1, 6, 600)
    tail = draw_law(PowerLaw(2.4, 6.0, 0.0, 0), 900, draw)
    every = np.concatenate([body, np.repeat(tail.values, tail.counts)]).astype(int)
    ours = fit(Counted.of(every))
    theirs = igraph.statistics.power_law_fit(every.tolist())
    assert ours is not None
    assert ours.start == theirs.xmin
    assert ours.exponent == pytest.approx(theirs.alpha, abs=1e-4)
    assert ours.misfit == pytest.approx(theirs.D, abs=1e-3)


def test_powerlaw_finds_the_same() -> None:
    draw = np.random.default_rng(3)
    tail = draw_law(PowerLaw(2.2, 4.0, 0.0, 0), 1500, draw)
    every = np.concatenate([draw.integers(1, 4, 500), np.repeat(tail.values, tail.counts)])
    theirs = powerlaw.Fit(every, discrete=True, estimate_discrete=False, verbose=0, xmin=4.0)
    ours = next(law for law in fits(Counted.of(every), Search()) if law.start == 4)
    assert ours.exponent == pytest.approx(float(theirs.power_law.alpha), abs=1e-4)
    assert ours.misfit == pytest.approx(float(theirs.power_law.D), abs=1e-4)


@given(numbers, st.randoms())
def test_order_does_not_matter(found: list[int], random: Random) -> None:
    shuffled = random.sample(found, len(found))
    assert fits(Counted.of(found), Search(10)) == fits(Counted.of(shuffled), Search(10))


@given(numbers)
def test_no_other_exponent_is_more_likely(found: list[int]) -> None:
    counted = Counted.of(found)
    for law in fits(counted, Search(10)):
        tail = counted.tail(law.start)
        best = float(law.logs(tail.values) @ tail.counts)
        for other in (law.exponent - 0.01, law.exponent + 0.01):
            if 1.01 <= other <= 6:
                rival = law._replace(exponent=other)
                assert float(rival.logs(tail.values) @ tail.counts) <= best + 1e-9


def test_few_numbers_or_all_alike_have_no_law() -> None:
    assert fit(Counted.of([])) is None
    assert fit(Counted.of([0, 0])) is None
    assert fit(Counted.of([3] * 100)) is None
    assert fit(Counted.of([1, 2, 3])) is None


def test_many_starts_are_chosen_evenly() -> None:
    counted = Counted.of(np.arange(1, 2000))
    starts = Search(least=50, most=10).starts(counted)
    assert len(starts) == 10
    assert starts[0] == 0
    assert starts[-1] == 1949
    assert np.ptp(np.diff(starts)) <= 1
