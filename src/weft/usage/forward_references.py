"""Maximal forward references, and the large reference sequences in them."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Any, Self

import numpy as np
import pyarrow as pa
from pydantic import Field

from weft.core.arrays import Flags, Ids, Offsets, pack_pairs, sort_unique, unpack_first_ids
from weft.core.params import MaxRunLength
from weft.core.register import Dimensions, method
from weft.core.text import pluralise
from weft.graph.transitions import Sessions
from weft.graph.webgraph import WebGraph
from weft.usage.predictor import NO_SESSIONS_NOTE
from weft.usage.runs import NO_RUNS, Runs, find_frequent_runs
from weft.usage.usage import Usage

MAX_REFERENCE_LENGTH = 200
DEFAULT_SUPPORT_SHARE = 0.001
MinSupport = Annotated[
    int,
    Field(
        ge=0,
        description="minimum number of forward references with the sequence; 0: 1 in 1,000, "
        "at least 2",
    ),
]
MinLength = Annotated[int, Field(ge=1, le=100, description="minimum number of pages in a sequence")]
MaxSequences = Annotated[int, Field(ge=1, le=1_000_000, description="how many sequences to list")]
SEQUENCE_SCHEMA = pa.schema(
    {
        "sessions": pa.int64(),
        "support": pa.int64(),
        "share": pa.float64(),
        "length": pa.int64(),
        "path": pa.list_(pa.string()),
    }
)


@dataclass(frozen=True, slots=True, eq=False)
class ForwardReferences:
    """The maximal forward references of sessions: paths until the visitor turned back.

    Reference k has the pages `pages[starts[k]:starts[k + 1]]`, all different,
    and is from the session `sessions[k]`.
    """

    starts: Offsets
    pages: Ids
    sessions: Ids

    @classmethod
    def from_sessions(cls, sessions: Sessions) -> Self:
        """Cut each session where the visitor went back.

        Inferred views count: they are the way back that the log does not have.

        Examples
        --------
        >>> sessions = Sessions.from_paths(["abcbd"])
        >>> found = ForwardReferences.from_sessions(sessions)
        >>> [sessions.names(found[k]) for k in range(len(found))]
        [['a', 'b', 'c'], ['a', 'b', 'd']]
        """
        from weft.kernels.forward_references import cut_forward_references  # noqa: PLC0415

        page_count = len(sessions.graph.pages)
        return cls(
            *cut_forward_references(
                sessions.starts, sessions.pages, page_count, MAX_REFERENCE_LENGTH
            )
        )

    def __len__(self) -> int:
        return len(self.sessions)

    def __getitem__(self, reference: int) -> Ids:
        return self.pages[self.starts[reference] : self.starts[reference + 1]]


def forward_path(path: Iterable[int]) -> list[int]:
    """The pages from the first to the current one, without those that the visitor went back from.

    Examples
    --------
    >>> forward_path([4, 5, 6, 5, 7])
    [4, 5, 7]
    """
    forward: dict[int, None] = {}
    for page in path:
        while page in forward and next(reversed(forward)) != page:
            forward.popitem()
        forward[page] = None
    return list(forward)


@method(
    "usage",
    "paths",
    cites="chen1998",
    dimensions=Dimensions(
        model="direct and indirect reference",
        metric="transition probabilities",
        algorithm="sequence mining",
        scope="multiple pages",
        applications=("adaptive web sites",),
        data="usage",
    ),
)
def forward_paths(
    sessions: Sessions,
    *,
    min_support: MinSupport = 0,
    min_length: MinLength = 2,
    max_length: MaxRunLength = 10,
    max_rows: MaxSequences = 1000,
) -> Usage:
    """Find the paths that many visitors follow.

    Sessions are cut into maximal forward references: the path from the first
    page until the visitor goes back to a page on it. A large reference sequence
    is a run of consecutive pages that at least `min_support` forward references
    contain. Those that are not part of a longer one are listed, most frequent
    first.

    Examples
    --------
    >>> found = forward_paths(["abcbd", "abc", "xabc"])
    >>> found.to_table()["path"].to_pylist(), found.to_table()["support"].to_pylist()
    ([['a', 'b', 'c']], [3])
    """
    references = ForwardReferences.from_sessions(sessions)
    support = min_support or max(2, int(np.ceil(DEFAULT_SUPPORT_SHARE * len(references))))
    levels = list(find_frequent_runs(references.starts, references.pages, support, max_length))
    table = _sequence_table(sessions.graph, references, levels, min_length)
    lengths = np.diff(references.starts)
    facts: dict[str, Any] = {
        "sequences": len(table),
        "forward references": len(references),
        "minimum support": support,
        "average length": float(lengths.mean()) if len(lengths) else None,
        "longest": int(lengths.max(initial=0)),
        "sessions": len(sessions),
    }
    notes = []
    if not len(references):
        notes.append(NO_SESSIONS_NOTE)
    if len(table) > max_rows:
        notes.append(f"{pluralise(len(table) - max_rows, 'sequence')} not listed")
    cut = int((lengths == MAX_REFERENCE_LENGTH).sum())
    if cut:
        notes.append(f"{pluralise(cut, 'reference')} cut to the last {MAX_REFERENCE_LENGTH} pages")
    if levels and levels[-1].length == max_length:
        notes.append(f"sequences of more than {max_length} pages are not looked for")
    return Usage("paths", facts, {"sequences": table.slice(0, max_rows)}, tuple(notes))


def _sequence_table(
    graph: WebGraph, references: ForwardReferences, levels: list[Runs], min_length: int
) -> pa.Table:
    """The maximal frequent runs with their support, most frequent first, then longest."""
    rows: list[tuple[int, int, int, int]] = []  # support, length, position, sessions
    reference_of = np.repeat(np.arange(len(references)), np.diff(references.starts))
    for level, longer in pairwise([*levels, NO_RUNS]):
        if level.length < min_length:
            continue
        chosen = np.flatnonzero(_is_maximal(level, longer, len(references.pages)))
        session = references.sessions[reference_of[level.at]]
        pairs = sort_unique(pack_pairs(level.run, session))
        session_counts = np.bincount(unpack_first_ids(pairs), minlength=len(level))
        columns = level.counts, level.first_occurrences(), session_counts
        rows += [(int(n), level.length, int(at), int(s)) for n, at, s in _pick(columns, chosen)]
    rows.sort(key=lambda row: (-row[0], -row[1], row[2]))
    names = graph.pages
    return pa.Table.from_pylist(
        [
            {
                "sessions": session_count,
                "support": support,
                "share": support / len(references),
                "length": length,
                "path": [names[int(page)] for page in references.pages[at : at + length]],
            }
            for support, length, at, session_count in rows
        ],
        SEQUENCE_SCHEMA,
    )


def _pick(columns: tuple[Offsets, ...], chosen: Offsets) -> Iterable[tuple[int, ...]]:
    return zip(*(column[chosen].tolist() for column in columns), strict=True)


def _is_maximal(level: Runs, longer: Runs, size: int) -> Flags:
    """Whether each run is part of no frequent run that is longer by one page."""
    maximal = np.ones(len(level), bool)
    run_at = np.full(size + 1, -1)
    run_at[level.at] = level.run
    maximal[run_at[longer.at]] = False
    maximal[run_at[longer.at + 1]] = False
    return maximal
