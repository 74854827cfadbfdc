"""Pages that share neighbours, as in co-citation and coupling: sparse products row by row.

The matrix of all pairs is never built. A thread keeps one sum per page, and
of each row only the best entries.
"""

from typing import Any, NamedTuple

import numpy as np

from weft.core.arrays import CSR, Floats, Ids, Offsets
from weft.kernels.compiler import njit
from weft.kernels.threads import next_piece, run_parallel
from weft.kernels.two_step_paths import (
    PATH_MEASURES,
    PathMeasure,
    TwoStepPaths,
    path_similarity,
)

WORK_PIECES = 256
_path_similarity = njit(nogil=True, cache=True)(path_similarity)


class PairSummary(NamedTuple):
    """The number of pairs with a path, the weight of all paths, and the most similar pairs."""

    pair_count: int
    total_weight: float
    first: Ids
    second: Ids
    similarity: Floats
    path_weight: Floats


def top_similar_pages(
    paths: TwoStepPaths, k: int, measure: PathMeasure
) -> tuple[Offsets, Ids, Floats]:
    """The k most similar pages of each page, as CSR: starts, ids and similarities.

    Ties go to the lower page number; a page is not similar to itself.
    """
    n = len(paths.first_step.starts) - 1
    ids, similarities = np.full((n, k), -1, np.int32), np.zeros((n, k))
    run_parallel(
        _top_similar_kernel,
        _to_kernel_paths(paths),
        PATH_MEASURES.index(measure),
        ids,
        similarities,
    )
    used = ids >= 0
    return np.concatenate([[0], np.cumsum(used.sum(axis=1))]), ids[used], similarities[used]


def count_and_rank_pairs(
    paths: TwoStepPaths, k: int, measure: PathMeasure, *, symmetric: bool
) -> PairSummary:
    """Count all pairs of pages and find the k best: each pair once if `symmetric`, else ordered."""
    # each piece keeps its own k best, which are merged at the end
    totals = np.zeros((WORK_PIECES, 2))
    ends = np.full((WORK_PIECES, k, 2), -1, np.int32)
    values = np.zeros((WORK_PIECES, k, 2))
    run_parallel(
        _count_and_rank_kernel,
        _to_kernel_paths(paths),
        PATH_MEASURES.index(measure),
        int(symmetric),
        totals,
        ends,
        values,
    )
    used = ends[:, :, 0] >= 0
    first, second = ends[used].T
    similarity, path_weight = values[used].T
    best = np.lexsort((second, first, -similarity))[:k]
    pair_count, total_weight = totals.sum(axis=0)
    return PairSummary(
        int(pair_count),
        float(total_weight),
        first[best],
        second[best],
        similarity[best],
        path_weight[best],
    )


def _to_kernel_paths(paths: TwoStepPaths) -> TwoStepPaths:
    """Plain arrays for the kernels, without link weights.

    Integer weights of witnesses become int32, so that sums take half the cache.
    """
    first, second = (
        CSR(np.asarray(rows.starts), np.asarray(rows.ids))
        for rows in (paths.first_step, paths.second_step)
    )
    integers = paths.witness_weights.astype(np.int32)
    weights: Any = integers if (integers == paths.witness_weights).all() else paths.witness_weights
    return paths._replace(
        first_step=first,
        second_step=second,
        witness_weights=weights,
        possible_witnesses=float(paths.possible_witnesses),
    )


@njit(nogil=True, cache=True)
def _sum_paths_from(paths: Any, page: int, after: int, sums: Any, targets: Any) -> int:
    """Sum the paths from a page to pages above `after`; list those met, return their number.

    Rows are sorted, and read from their ends. The page itself starts with a
    sum of one, so that it is not listed.
    """
    count, starts, ids = 0, paths.second_step.starts, paths.second_step.ids
    sums[page] = 1
    for link in range(paths.first_step.starts[page], paths.first_step.starts[page + 1]):
        witness = paths.first_step.ids[link]
        weight = paths.witness_weights[witness]
        if weight == 0:
            continue
        for k in range(starts[witness + 1] - 1, starts[witness] - 1, -1):
            other = ids[k]
            if other <= after:
                break
            targets[count] = other
            count += sums[other] == 0
            sums[other] += weight
    sums[page] = 0
    return count


@njit(nogil=True, cache=True)
def _insertion_place(similarities: Any, value: float, source: Any, target: Any, ends: Any) -> int:
    """Where a pair belongs among the best so far, sorted, with -1 for empty places at the end."""
    size: int = ends.shape[0]
    last = size - 1
    if ends[last, 0] >= 0 and not _ranks_before(
        value, source, target, similarities[last], ends[last]
    ):
        return size
    place = last
    while place > 0 and (
        ends[place - 1, 0] < 0
        or _ranks_before(value, source, target, similarities[place - 1], ends[place - 1])
    ):
        place -= 1
    return place


@njit(nogil=True, cache=True)
def _ranks_before(value: float, source: Any, target: Any, other_value: float, ends: Any) -> bool:
    if value != other_value:
        return bool(value > other_value)
    return bool(source < ends[0] or (source == ends[0] and target < ends[1]))


@njit(nogil=True, cache=True)
def _top_similar_kernel(
    queue: Any, paths: Any, measure_index: int, best: Any, similarities: Any
) -> None:
    """The k best targets of each page, by insertion into a sorted list."""
    n, k = best.shape
    source_degrees, target_degrees = paths.source_degrees, paths.target_degrees
    possible = paths.possible_witnesses
    sums = np.zeros(target_degrees.size, paths.witness_weights.dtype)
    targets = np.empty(target_degrees.size, np.int32)
    ends, values = np.empty((k, 2), np.int32), np.empty(k)
    while True:
        piece = next_piece(queue)
        if piece >= WORK_PIECES:
            break
        for page in range(piece * n // WORK_PIECES, (piece + 1) * n // WORK_PIECES):
            ends[:, :] = -1
            for m in range(_sum_paths_from(paths, page, -1, sums, targets)):
                target = targets[m]
                value = _path_similarity(
                    measure_index,
                    float(sums[target]),
                    source_degrees[page],
                    target_degrees[target],
                    possible,
                )
                sums[target] = 0
                place = _insertion_place(values, value, page, target, ends)
                for later in range(k - 1, place, -1):
                    ends[later], values[later] = ends[later - 1], values[later - 1]
                if place < k:
                    ends[place, 0], ends[place, 1], values[place] = page, target, value
            best[page], similarities[page] = ends[:, 1], np.where(ends[:, 0] >= 0, values, 0.0)


@njit(nogil=True, cache=True)
def _count_and_rank_kernel(
    queue: Any,
    paths: Any,
    measure_index: int,
    symmetric: int,
    piece_totals: Any,
    ends: Any,
    values_by_piece: Any,
) -> None:
    """Pairs, weight and k best pairs of each piece of pages."""
    n, k = paths.first_step.starts.size - 1, ends.shape[1]
    source_degrees, target_degrees = paths.source_degrees, paths.target_degrees
    possible = paths.possible_witnesses
    sums = np.zeros(target_degrees.size, paths.witness_weights.dtype)
    targets = np.empty(target_degrees.size, np.int32)
    while True:
        piece = next_piece(queue)
        if piece >= WORK_PIECES:
            break
        best, values = ends[piece], values_by_piece[piece]
        pair_count, total_weight = 0, 0.0
        for page in range(piece * n // WORK_PIECES, (piece + 1) * n // WORK_PIECES):
            count = _sum_paths_from(paths, page, page if symmetric else -1, sums, targets)
            pair_count += count
            for m in range(count):
                target = targets[m]
                weight = float(sums[target])
                sums[target] = 0
                total_weight += weight
                value = _path_similarity(
                    measure_index, weight, source_degrees[page], target_degrees[target], possible
                )
                if value < values[k - 1, 0]:
                    continue
                place = _insertion_place(values[:, 0], value, page, target, best)
                for later in range(k - 1, place, -1):
                    best[later], values[later] = best[later - 1], values[later - 1]
                if place < k:
                    best[place, 0], best[place, 1] = page, target
                    values[place, 0], values[place, 1] = value, weight
        piece_totals[piece, 0], piece_totals[piece, 1] = pair_count, total_weight
