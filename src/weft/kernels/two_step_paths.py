"""Paths of two steps, as in co-citation and coupling, and similarities by their weight."""

from typing import Any, Literal, NamedTuple

import numpy as np

from weft.core.arrays import CSR, Floats, Ids, concatenate_ranges

PathMeasure = Literal["sum", "cosine", "jaccard", "min", "max", "lift"]
PATH_MEASURES: tuple[PathMeasure, ...] = ("sum", "cosine", "jaccard", "min", "max", "lift")


class TwoStepPaths(NamedTuple):
    """Paths of two steps: from a page to its witnesses, and from these to other pages.

    With links in the first and second step, the witnesses of co-citation are
    the pages that link to both. A path weighs as much as its witness; weight
    zero excludes one. `source_degrees` and `target_degrees` are the degrees of
    the two ends, and `possible_witnesses` how many witnesses there could be.
    """

    first_step: CSR
    second_step: CSR
    witness_weights: Floats
    source_degrees: Floats
    target_degrees: Floats
    possible_witnesses: float


def path_similarity(
    measure_index: int,
    path_weight: Any,
    source_degree: Any,
    target_degree: Any,
    possible_witnesses: Any,
) -> Any:
    """Turn the total weight of the paths between two pages into a similarity.

    With c for the weight, a and b for the degrees and n for the possible
    witnesses, by index into `PATH_MEASURES`: sum c; cosine c / sqrt(a b);
    Jaccard c / (a + b - c); min c / max(a, b); max c / min(a, b); lift c n / (a b).

    Examples
    --------
    >>> float(path_similarity(PATH_MEASURES.index("jaccard"), 2.0, 3.0, 3.0, 5.0))
    0.5
    """
    if measure_index == 1:
        return path_weight / np.sqrt(source_degree * target_degree)
    if measure_index == 2:
        return path_weight / (source_degree + target_degree - path_weight)
    if measure_index == 3:
        return path_weight / np.maximum(source_degree, target_degree)
    if measure_index == 4:
        return path_weight / np.minimum(source_degree, target_degree)
    if measure_index == 5:
        return path_weight * possible_witnesses / (source_degree * target_degree)
    return path_weight


def sum_paths_through(paths: TwoStepPaths, page: int, witnesses: Ids) -> Floats:
    """The total weight of the paths from a page through some witnesses, for every target."""
    starts = np.asarray(paths.second_step.starts)
    first = starts[witnesses]
    counts = starts[witnesses + 1] - first
    targets = np.asarray(paths.second_step.ids[concatenate_ranges(first, counts)])
    sums = np.zeros(len(paths.target_degrees))
    sums += np.bincount(
        targets, np.repeat(paths.witness_weights[witnesses], counts), len(paths.target_degrees)
    )
    if page < len(sums):
        sums[page] = 0.0
    return sums
