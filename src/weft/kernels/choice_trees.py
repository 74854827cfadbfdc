"""The compiled loops of boosted symmetric trees for choices; see `weft.usage.choice_trees`.

A tree is an array of questions: for each level a feature, and the bin that
values must be above for the right branch. `bins` has a row for each feature.
"""

from typing import Any

import numpy as np

from weft.core.arrays import Floats, Ids, Offsets
from weft.kernels.compiler import njit


@njit(nogil=True, cache=True)
def softmax_gradients(
    starts: Any, chosen: Any, scores: Any, drawn: Any
) -> tuple[Offsets, Floats, Floats]:
    """The rows of some choices, with p - y and p (1 - p) for each."""
    total = 0
    for choice in drawn:
        total += starts[choice + 1] - starts[choice]
    rows = np.empty(total, np.int64)
    gradients, curvatures = np.empty(total), np.empty(total)
    at = 0
    for choice in drawn:
        first, end = starts[choice], starts[choice + 1]
        highest = scores[first:end].max()
        powers = np.exp(scores[first:end] - highest)
        powers /= powers.sum()
        for k in range(end - first):
            rows[at] = first + k
            gradients[at] = powers[k] - (1.0 if first + k == chosen[choice] else 0.0)
            curvatures[at] = powers[k] * (1 - powers[k])
            at += 1
    return rows, gradients, curvatures


@njit(nogil=True, cache=True)
def grow_tree(
    bins: Any, bin_counts: Any, gradients: Any, curvatures: Any, shape: tuple[int, float]
) -> Ids:
    """Choose the feature and bin of each level, which gain most over all its nodes."""
    depth, l2 = shape
    questions = np.zeros((depth, 2), np.int32)
    leaves = np.zeros(bins.shape[1], np.int32)
    for level in range(depth):
        best_gain = -1.0
        for feature in range(bins.shape[0]):
            sums = np.zeros((1 << level, bin_counts[feature], 2))
            column = bins[feature]
            for row in range(column.size):
                cell = sums[leaves[row], column[row]]
                cell[0] += gradients[row]
                cell[1] += curvatures[row]
            bin_, gain = _best_split(sums, l2)
            if gain > best_gain:
                best_gain = gain
                questions[level] = feature, bin_
        column = bins[questions[level, 0]]
        for row in range(column.size):
            leaves[row] = 2 * leaves[row] + (column[row] > questions[level, 1])
    return questions


@njit(nogil=True, cache=True)
def _best_split(sums: Any, l2: float) -> tuple[int, float]:
    """The bin after which to split all nodes, and the gain; -1.0 if there is one bin only."""
    gains = np.zeros(sums.shape[1])
    for node in range(sums.shape[0]):
        gradient, curvature = sums[node, :, 0].sum(), sums[node, :, 1].sum()
        low_gradient = low_curvature = 0.0
        for bin_ in range(sums.shape[1] - 1):
            low_gradient += sums[node, bin_, 0]
            low_curvature += sums[node, bin_, 1]
            high_gradient = gradient - low_gradient
            gains[bin_] += (
                low_gradient**2 / (low_curvature + l2)
                + high_gradient**2 / (curvature - low_curvature + l2)
                - gradient**2 / (curvature + l2)
            )
    if sums.shape[1] < 2:
        return 0, -1.0
    best = int(gains[:-1].argmax())
    return best, gains[best]


@njit(nogil=True, cache=True)
def find_leaves(bins: Any, questions: Any, leaves: Any) -> None:
    """Write the leaf of each row."""
    leaves[:] = 0
    for level in range(len(questions)):
        column = bins[questions[level, 0]]
        for row in range(column.size):
            leaves[row] = 2 * leaves[row] + (column[row] > questions[level, 1])


@njit(nogil=True, cache=True)
def leaf_values(bins: Any, questions: Any, gradients: Any, curvatures: Any, l2: float) -> Floats:
    """The Newton step of each leaf."""
    leaves = np.zeros(bins.shape[1], np.int32)
    find_leaves(bins, questions, leaves)
    sums = np.zeros((1 << len(questions), 2))
    for row in range(leaves.size):
        sums[leaves[row], 0] += gradients[row]
        sums[leaves[row], 1] += curvatures[row]
    return -sums[:, 0] / (sums[:, 1] + l2)


@njit(nogil=True, cache=True)
def add_trees(features: Any, thresholds: Any, values: Any, rows: Any, scores: Any) -> None:
    """Add the values of the leaves of all trees to the score of each row."""
    for row in range(scores.size):
        for tree in range(len(values)):
            leaf = 0
            for level in range(features.shape[1]):
                above = rows[row, features[tree, level]] > thresholds[tree, level]
                leaf = 2 * leaf + above
            scores[row] += values[tree, leaf]
