"""Longest repeating subsequences: small models of the paths that occur again."""

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Annotated, Any, NamedTuple, Self

import numpy as np
import pyarrow as pa
from pydantic import Field

from weft.core.arrays import Floats, Ids, Offsets
from weft.core.params import MaxRunLength, SkipSeen, Top, ViewedPath
from weft.core.register import Dimensions, method
from weft.graph.transitions import Sessions
from weft.usage.context_tree import ContextTree
from weft.usage.predictor import (
    NO_PATH,
    describe_prediction,
    predict_entries,
    predict_unseen,
    top_pages,
)
from weft.usage.runs import NO_RUNS, find_frequent_runs
from weft.usage.usage import Usage

MAX_LISTED_RUNS = 1000
RepeatThreshold = Annotated[
    int, Field(ge=1, description="a run repeats if it occurs more often than this")
]
OneHop = Annotated[bool, Field(description="use the last page only (one-hop LRS model)")]
RUN_SCHEMA = pa.schema({"count": pa.int64(), "length": pa.int64(), "path": pa.list_(pa.string())})


@dataclass(frozen=True, slots=True, eq=False)
class RepeatModel:
    """The runs of pages that repeat, as contexts and what follows them.

    Every part of a longest repeating subsequence repeats, and every run that
    repeats is part of one. So the contexts of all of them are those of all runs
    that repeat.
    """

    contexts: ContextTree
    entries: Offsets

    @classmethod
    def fit(cls, sessions: Sessions, *, threshold: int = 1, order: int = 9) -> Self:
        """Count the runs that occur more than `threshold` times, of up to `order` + 1 pages.

        Examples
        --------
        >>> model = RepeatModel.fit(Sessions.from_paths(["abc", "abd", "abc"]))
        >>> model.predict(np.array([0, 1], np.int32), top=5)
        (array([2], dtype=int32), array([1.]))
        """
        tree = ContextTree.fit(sessions, order, boundaries=False, min_count=threshold + 1)
        return cls(tree, sessions.transitions.entries)

    def predict(self, path: Ids, top: int) -> tuple[Ids, Floats]:
        """What follows the longest context that repeats; nothing if none does."""
        if not len(path):
            return predict_entries(self.entries, top)
        node = self.contexts.match(path)[-1]
        if not node:
            return np.zeros(0, np.int32), np.zeros(0)
        pages, counts = self.contexts.row(node)
        return top_pages(pages, counts / self.contexts.totals[node], top)

    def coverage(self, sessions: Sessions) -> float | None:
        """The share of the clicks of sessions that repeat; None without clicks."""
        clicks = sessions.transitions.clicks
        depth_one = np.flatnonzero(self.contexts.keys >> 32 == 0) + 1
        return float(self.contexts.totals[depth_one].sum() / clicks) if clicks else None


@method(
    "usage",
    "lrs",
    cites="pitkow1999",
    dimensions=Dimensions(
        model="Markov model",
        metric="transition probabilities",
        algorithm="sequence mining",
        scope="multiple pages",
        applications=("page recommendation", "link prediction", "adaptive web sites"),
        data="usage",
    ),
)
def lrs(
    sessions: Sessions,
    *,
    path: ViewedPath = NO_PATH,
    top: Top = 10,
    threshold: RepeatThreshold = 1,
    max_length: MaxRunLength = 10,
    one_hop: OneHop = False,
    skip_seen: SkipSeen = False,
) -> Usage:
    """Predict the next page by paths that occurred before.

    A longest repeating subsequence is a run of consecutive pages that occurs
    more than `threshold` times, at least once not inside a longer run that
    repeats. Only these make the model, which is much smaller than one of all
    paths: rare paths are left out. The longest context that ends the path
    decides; with `one_hop`, the last page alone. An empty path gives the pages
    where sessions begin.

    Examples
    --------
    >>> found = lrs(["abcd", "abce", "abd", "bcd"], path=["a", "b"])
    >>> found.to_table("subsequences")["path"].to_pylist()
    [['a', 'b', 'c'], ['b', 'c', 'd'], ['a', 'b']]
    >>> found["next page"]
    'c'
    """
    order = 1 if one_hop else max_length - 1
    model = RepeatModel.fit(sessions, threshold=threshold, order=order)
    whole = ContextTree.fit(sessions, order, boundaries=False)
    visited = sessions.graph.page_numbers(path)
    predict = predict_unseen if skip_seen else RepeatModel.predict
    runs = longest_repeating_runs(sessions, threshold, max_length)
    facts: dict[str, Any] = {
        "subsequences": len(runs.at),
        "coverage": model.coverage(sessions),
        "contexts": model.contexts.context_count,
        "size": model.contexts.size,
        "size of all paths": whole.size,
        "longest context": len(model.contexts.match(visited)) - 1,
    }
    notes = []
    if len(runs.at) > MAX_LISTED_RUNS:
        notes.append(f"the {MAX_LISTED_RUNS:,} longest subsequences are listed")
    prediction = predict(model, visited, top)
    found = describe_prediction("lrs", sessions, visited, prediction, facts, notes)
    table = runs.to_table(sessions, MAX_LISTED_RUNS)
    return replace(found, tables={**found.tables, "subsequences": table})


class RepeatingRuns(NamedTuple):
    """Runs by their length, count and first position, longest first, then most frequent."""

    lengths: Offsets
    counts: Offsets
    at: Offsets

    def to_table(self, sessions: Sessions, max_rows: int) -> pa.Table:
        """The first rows, with the pages of each run."""
        columns = (column[:max_rows].tolist() for column in self)
        rows = [
            {
                "count": count,
                "length": length,
                "path": sessions.names(sessions.pages[at : at + length]),
            }
            for length, count, at in zip(*columns, strict=True)
        ]
        return pa.Table.from_pylist(rows, RUN_SCHEMA)


def longest_repeating_runs(sessions: Sessions, threshold: int, max_length: int) -> RepeatingRuns:
    """The longest repeating subsequences of sessions.

    Examples
    --------
    >>> sessions = Sessions.from_paths(["abc", "abd", "abc"])
    >>> longest_repeating_runs(sessions, 1, 10).to_table(sessions, 10).to_pylist()[-1]
    {'count': 3, 'length': 2, 'path': ['a', 'b']}
    """
    size, found = len(sessions.pages), [np.zeros((3, 0), np.int64)]
    runs = find_frequent_runs(sessions.starts, sessions.pages, threshold + 1, max_length)
    levels = [level for level in runs if level.length > 1]
    for level, longer in pairwise([*levels, NO_RUNS]):
        extends = longer.starts_at(size)
        # an occurrence that repeats with one page more on neither side
        ends_here = ~extends[level.at] & ~extends[level.at - 1]
        longest = np.unique(level.run[ends_here])
        lengths = np.full(len(longest), level.length)
        found.append(np.stack([lengths, level.counts[longest], level.first_occurrences()[longest]]))
    lengths, counts, at = np.concatenate(found, axis=1)
    order = np.lexsort((at, -counts, -lengths))
    return RepeatingRuns(lengths[order], counts[order], at[order])
