"""Runs: consecutive pages that occur often in paths."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from weft.core.arrays import Flags, Ids, Offsets, pack_pairs


@dataclass(frozen=True, slots=True, eq=False)
class Runs:
    """The frequent runs of one length.

    They occur at the positions `at`, ascending, where each is the run of number
    `run`. `counts` has the number of occurrences of each run.
    """

    length: int
    at: Offsets
    run: Offsets
    counts: Offsets

    def __len__(self) -> int:
        return len(self.counts)

    def first_occurrences(self) -> Offsets:
        """The first position of each run."""
        return self.at[np.unique(self.run, return_index=True)[1]]

    def starts_at(self, size: int) -> Flags:
        """Whether a frequent run begins at each position, and at one more beyond the end."""
        starts = np.zeros(size + 1, bool)
        starts[self.at] = True
        return starts


NO_RUNS = Runs(0, np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64))


def find_frequent_runs(
    starts: Offsets, pages: Ids, min_count: int, max_length: int
) -> Iterator[Runs]:
    """The runs that occur at least `min_count` times, for each length from 1 on.

    Path k is `pages[starts[k]:starts[k + 1]]`, and a run is inside one path. A
    run is frequent only if the runs without its last and without its first page
    are, so that few positions are left to look at soon.

    Examples
    --------
    >>> paths = np.array([0, 3, 6]), np.array([0, 1, 2, 0, 1, 3], np.int32)
    >>> [
    ...     (runs.length, runs.first_occurrences().tolist())
    ...     for runs in find_frequent_runs(*paths, 2, 9)
    ... ]
    [(1, [0, 1]), (2, [0])]
    """
    path_end = np.repeat(starts[1:], np.diff(starts))
    at = np.arange(len(pages))
    keys = pages.astype(np.int64)
    for length in range(1, max_length + 1):
        _, run, counts = np.unique(keys, return_inverse=True, return_counts=True)
        kept = counts[run] >= min_count
        if not kept.any():
            return
        renumbered = np.cumsum(counts >= min_count) - 1
        at, run = at[kept], renumbered[run[kept]]
        runs = Runs(length, at, run, counts[counts >= min_count])
        yield runs
        begins = runs.starts_at(len(pages))
        longer = np.flatnonzero((at + length < path_end[at]) & begins[at + 1])
        at, keys = at[longer], pack_pairs(run[longer], pages[at[longer] + length])
