"""Boosted choices: what is planted is learned, and noise is not."""

import numpy as np
import pytest

from weft.core.arrays import Floats
from weft.usage.choice_trees import (
    BoostingOptions,
    Choices,
    ChoiceTrees,
    boost_choices,
    choice_probabilities,
)


def choices_by(score: str, seed: int) -> tuple[Choices, Floats]:
    """A thousand choices among five alternatives with three features, and their probabilities."""
    rng = np.random.default_rng(seed)
    starts = np.arange(0, 5001, 5)
    features = rng.normal(size=(5000, 3)).astype(np.float32)
    # an exclusive or, which no single feature says anything about
    steps = 3.0 * ((features[:, 0] > 0) != (features[:, 1] > 0))
    truth = choice_probabilities(starts, steps if score == "planted" else np.zeros(5000))
    chosen = np.array([first + rng.choice(5, p=truth[first : first + 5]) for first in starts[:-1]])
    return Choices(starts, features, np.zeros(5000), chosen), truth


@pytest.mark.slow
def test_an_interaction_is_learned() -> None:
    choices, _ = choices_by("planted", 1)
    trees = boost_choices(choices, BoostingOptions(depth=3), seed=0)
    test, truth = choices_by("planted", 2)
    found = choice_probabilities(test.starts, trees.score(test.features, test.base_scores))
    assert np.abs(found - truth).mean() < 0.04
    assert set(trees.features[0].tolist()) >= {0, 1}


def test_noise_is_left_alone() -> None:
    trees = boost_choices(choices_by("noise", 1)[0], BoostingOptions(depth=3), seed=0)
    assert len(trees) < 10


def test_boosting_repeats() -> None:
    choices, _ = choices_by("planted", 3)
    options = BoostingOptions(max_trees=10, depth=2, choices_per_tree=100)
    first, again, other = (boost_choices(choices, options, seed) for seed in (5, 5, 6))
    for left, right in zip(first, again, strict=True):
        np.testing.assert_array_equal(left, right)
    assert not np.array_equal(first.values, other.values)


def test_trees_score_by_thresholds() -> None:
    trees = ChoiceTrees(
        np.array([[0, 1]], np.int32),
        np.array([[0.5, 2.0]], np.float32),
        np.array([[1.0, 2.0, 3.0, 4.0]]),
    )
    rows = np.array([[0.5, 2.0], [0.5, 3.0], [0.6, 2.0], [1.0, 9.0]], np.float32)
    assert trees.score(rows, np.full(4, 10.0)).tolist() == [11, 12, 13, 14]
    assert ChoiceTrees.empty().score(rows, np.zeros(4)).tolist() == [0, 0, 0, 0]
