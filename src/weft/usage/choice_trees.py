"""Gradient boosting of a conditional logit: which of several alternatives is chosen.

A choice has alternatives, each with a row of features, and the probability of
an alternative is the softmax of its score among those of the same choice. The
score is a sum of symmetric trees: every node of a level asks the same
question, so that a tree of depth d is d questions and a table of 2^d values.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from weft.core.arrays import Floats, Ids, Offsets

Features = npt.NDArray[np.float32]
Bins = npt.NDArray[np.uint8]

MAX_BINS = 64
BIN_SAMPLE_ROWS = 100_000
VALIDATION_EVERY = 5  # one choice in five says when to stop
PATIENCE = 20  # trees without a better likelihood before boosting ends


class Choices(NamedTuple):
    """Choices among alternatives: those of choice k are the rows `starts[k]:starts[k + 1]`.

    `chosen` is the row of the chosen alternative of each choice, and
    `base_scores` the scores that the trees improve on.
    """

    starts: Offsets
    features: Features
    base_scores: Floats
    chosen: Offsets

    def __len__(self) -> int:
        return len(self.starts) - 1


class BoostingOptions(NamedTuple):
    """How many trees, their depth, and how carefully they are fitted."""

    max_trees: int = 150
    depth: int = 5
    learning_rate: float = 0.15
    l2: float = 5.0
    choices_per_tree: int = 6000


class ChoiceTrees(NamedTuple):
    """Symmetric trees: level k of tree t asks whether `features[t, k]` is above a threshold."""

    features: Ids
    thresholds: Features
    values: Floats

    @classmethod
    def empty(cls, depth: int = 0) -> "ChoiceTrees":
        """No trees."""
        shape = 0, depth
        thresholds = np.zeros(shape, np.float32)
        return cls(np.zeros(shape, np.int32), thresholds, np.zeros((0, 1 << depth)))

    def score(self, rows: Features, base_scores: Floats) -> Floats:
        """The score of each row: its base score and the values of its leaves."""
        scores = base_scores.astype(np.float64)
        if len(self.values):
            from weft.kernels import choice_trees as kernels  # noqa: PLC0415  loads the compiler

            kernels.add_trees(self.features, self.thresholds, self.values, rows, scores)
        return scores

    def __len__(self) -> int:
        return len(self.values)


def boost_choices(choices: Choices, options: BoostingOptions, seed: int) -> ChoiceTrees:
    """Fit trees by gradient boosting of the likelihood of the chosen alternatives.

    Each tree is fitted by Newton steps on a random sample of choices. One
    choice in five is left out; boosting ends when their likelihood no longer
    grows, and only the trees up to the best one are returned. These may be
    none: the base scores are then as good as what can be learned.
    """
    from weft.kernels import choice_trees as kernels  # noqa: PLC0415  loads the compiler

    rng = np.random.default_rng(seed)
    edges = _bin_edges(choices.features, rng)
    bins = _to_bins(choices.features, edges)
    bin_counts = np.array([len(edge) + 1 for edge in edges])
    is_validation = np.arange(len(choices)) % VALIDATION_EVERY == VALIDATION_EVERY - 1
    training = np.flatnonzero(~is_validation)
    scores, leaves = choices.base_scores.copy(), np.zeros(len(bins[0]), np.int32)
    best, best_count = _mean_log_likelihood(choices, scores, is_validation), 0
    trees = []
    for count in range(1, options.max_trees + 1):
        drawn = training
        if len(training) > options.choices_per_tree:
            drawn = np.sort(rng.choice(training, options.choices_per_tree, replace=False))
        rows, gradients, curvatures = kernels.softmax_gradients(
            choices.starts, choices.chosen, scores, drawn
        )
        part = np.ascontiguousarray(bins[:, rows])
        questions = kernels.grow_tree(
            part, bin_counts, gradients, curvatures, (options.depth, options.l2)
        )
        values = kernels.leaf_values(part, questions, gradients, curvatures, options.l2)
        values *= options.learning_rate
        kernels.find_leaves(bins, questions, leaves)
        scores += values[leaves]
        trees.append((questions, values))
        likelihood = _mean_log_likelihood(choices, scores, is_validation)
        if likelihood > best + 1e-6:
            best, best_count = likelihood, count
        elif count - best_count >= PATIENCE:
            break
    return _join_trees(trees[:best_count], edges, options.depth)


def choice_probabilities(starts: Offsets, scores: Floats) -> Floats:
    """The softmax of scores within each choice; every choice has an alternative.

    Examples
    --------
    >>> choice_probabilities(np.array([0, 2, 3]), np.log([1.0, 3.0, 5.0]))
    array([0.25, 0.75, 1.  ])
    """
    sizes = np.diff(starts)
    highest = np.maximum.reduceat(scores, starts[:-1]) if len(sizes) else scores
    powers = np.exp(scores - np.repeat(highest, sizes))
    totals = np.add.reduceat(powers, starts[:-1]) if len(sizes) else powers
    probabilities: Floats = powers / np.repeat(totals, sizes)
    return probabilities


def _mean_log_likelihood(choices: Choices, scores: Floats, counted: Any) -> float:
    probabilities = choice_probabilities(choices.starts, scores)[choices.chosen[counted]]
    return float(np.log(np.maximum(probabilities, 1e-300)).mean())


def _bin_edges(features: Features, rng: np.random.Generator) -> list[Features]:
    """Quantiles of each feature; a value is in the bin of the first edge not below it."""
    rows = rng.integers(0, len(features), min(len(features), BIN_SAMPLE_ROWS))
    levels = np.linspace(0, 1, MAX_BINS + 1)[1:-1]
    # quantiles that are values: a threshold then separates the same rows in any precision
    quantiles = np.quantile(features[rows], levels, axis=0, method="lower")
    return [np.unique(quantiles[:, feature]) for feature in range(features.shape[1])]


def _to_bins(features: Features, edges: list[Features]) -> Bins:
    bins = np.empty(features.shape[::-1], np.uint8)
    for feature, edge in enumerate(edges):
        bins[feature] = np.searchsorted(edge, features[:, feature])
    return bins


def _join_trees(trees: list[tuple[Ids, Floats]], edges: list[Features], depth: int) -> ChoiceTrees:
    if not trees:
        return ChoiceTrees.empty(depth)
    questions = np.array([question for question, _ in trees])
    thresholds = [[edges[feature][bin_] for feature, bin_ in tree] for tree in questions]
    return ChoiceTrees(
        np.ascontiguousarray(questions[:, :, 0], np.int32),
        np.array(thresholds, np.float32),
        np.array([values for _, values in trees]),
    )
