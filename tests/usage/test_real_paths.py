"""Predictors on the paths of Wikispeedia: what the papers report holds there."""

import gzip
from functools import cache

import numpy as np
import pytest
from tests.real import DATA, real

from weft.core.arrays import Ids
from weft.graph.transitions import Sessions
from weft.usage import Predictor
from weft.usage.context_tree import ContextTree
from weft.usage.lrs import RepeatModel
from weft.usage.markov import MarkovModel
from weft.usage.one import CompressedModel

pytestmark = [real, pytest.mark.slow]
TESTED_CLICKS = 3000


@cache
def training_and_test() -> tuple[Sessions, Sessions]:
    """The finished paths, every third of them held out."""
    with gzip.open(DATA / "wikispeedia" / "paths_finished.tsv.gz", "rt") as lines:
        rows = [line.rstrip("\n").split("\t") for line in lines if not line.startswith("#")]
    with gzip.open(DATA / "wikispeedia" / "links.tsv.gz", "rt") as lines:
        ends = [line.split() for line in lines if not line.startswith("#")]
    links = [(end[0], end[1]) for end in ends if len(end) == 2]
    sessions = Sessions.from_paths((row[1].split(";") for row in rows if len(row) == 2), links)
    held_out = np.arange(len(sessions)) % 3 == 0
    return sessions.take(~held_out), sessions.take(held_out)


def clicks() -> list[tuple[Ids, int]]:
    test = training_and_test()[1]
    found = [(path[:k], int(path[k])) for path in test for k in range(1, len(path))]
    step = len(found) // TESTED_CLICKS
    return found[::step]


def hits(model: Predictor, top: int) -> float:
    return float(np.mean([page in model.predict(path, top)[0] for path, page in clicks()]))


def test_repeating_runs_are_a_smaller_model_as_accurate() -> None:
    """Pitkow and Pirolli: a third smaller at least, with about the same hits."""
    train, _ = training_and_test()
    whole = MarkovModel.fit(train, order=9, smoothing="longest", boundaries=False)
    repeating = RepeatModel.fit(train, order=9)
    assert repeating.contexts.size < 2 / 3 * whole.contexts.size
    assert hits(repeating, 1) > hits(whole, 1) - 0.01


def test_mixing_orders_beats_the_longest_context() -> None:
    train, _ = training_and_test()
    longest = MarkovModel.fit(train, order=3, smoothing="longest")
    assert hits(MarkovModel.fit(train, order=3), 10) > hits(longest, 10) + 0.1


def test_a_second_page_helps() -> None:
    train, _ = training_and_test()
    first, second = (MarkovModel.fit(train, order=order) for order in (1, 2))
    assert hits(second, 1) > hits(first, 1)


def test_little_compression_costs_few_hits() -> None:
    train, _ = training_and_test()
    whole, merged = (CompressedModel.fit(train, threshold=t, max_pages=1000) for t in (0.0, 1.2))
    assert len(merged.chain) < len(whole.chain)
    assert hits(merged, 10) > hits(whole, 10) - 0.01


def test_contexts_are_those_of_the_sessions() -> None:
    train, _ = training_and_test()
    tree = ContextTree.fit(train, 1, boundaries=False)
    transitions = train.transitions
    assert tree.size == len(transitions.counts.ids)
    assert tree.totals[1:].sum() == transitions.clicks
