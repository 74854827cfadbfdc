"""`Sessions` and `Transitions`: what visitors did on the pages of a graph."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from weft.core.arrays import (
    CSR,
    Flags,
    Hashes,
    Ids,
    Offsets,
    concatenate_ranges,
    pack_pairs,
    unpack_pairs,
)
from weft.core.errors import BadParameter, MalformedFile, WeftError
from weft.core.memoize import memoize
from weft.core.text import pluralise
from weft.graph.levels import load_graph
from weft.graph.webgraph import WebGraph
from weft.store.arrow_files import check_csr, check_ids, map_array, map_checked_table
from weft.store.collection import MAX_TIMESTAMP, Collection

USAGE_FOLDER, VISIT_COUNTS = "usage", ("entries", "exits", "views")
REFERRER_SCHEMA = pa.schema({"host": pa.large_string()})
PATHS_HINT = "give sessions as lists of page names, such as [['a', 'b'], ['b', 'c']]"


@dataclass(frozen=True, eq=False)
class Transitions:
    """How often visitors went from page to page, began and ended there, and viewed it.

    `counts` has a row for each page, with the pages viewed next and how often.
    A view that path completion inserted is where a click came from, but not a
    view, nor is the way back to it a click.
    """

    graph: WebGraph
    counts: CSR
    entries: Offsets
    exits: Offsets
    views: Offsets

    @classmethod
    def from_any(cls, data: Any) -> "Transitions":
        """From transitions, or from what sessions are made of."""
        return data if isinstance(data, Transitions) else Sessions.from_any(data).transitions

    @property
    def level(self) -> str:
        """Always page."""
        return self.graph.level

    @property
    def clicks(self) -> int:
        """The number of clicks in all."""
        return 0 if self.counts.weights is None else int(self.counts.weights.sum())

    def __repr__(self) -> str:
        pages = pluralise(int(np.count_nonzero(self.views)), "page")
        return f"<Transitions: {pluralise(self.clicks, 'click')} on {pages}>"


@dataclass(frozen=True, eq=False)
class Sessions:
    """The pages that visitors viewed, session by session in order of time.

    Session k has the pages `pages[starts[k]:starts[k + 1]]`. `times` are in Unix
    seconds, zero if unknown. `inferred` marks views that path completion
    inserted: the visitor went back to them without a request. Each session has
    its visitor, as a hash, and the host that its first request was referred
    from, empty if there is none or it is unknown.

    Examples
    --------
    >>> sessions = Sessions.from_paths([["a", "b", "c"], ["b", "a"]])
    >>> sessions
    <Sessions: 2 sessions, 5 views of 3 pages>
    >>> [sessions.names(path) for path in sessions]
    [['a', 'b', 'c'], ['b', 'a']]
    >>> sessions.transitions
    <Transitions: 3 clicks on 3 pages>
    """

    graph: WebGraph
    starts: Offsets
    pages: Ids
    times: Offsets
    inferred: Flags
    visitors: Hashes
    referrers: pa.Array

    @classmethod
    def from_any(cls, data: Any) -> "Sessions":
        """From sessions, or from lists of page names."""
        if isinstance(data, Sessions):
            return data
        if isinstance(data, str | bytes) or not isinstance(data, Iterable):
            raise BadParameter(f"{type(data).__name__} holds no sessions", hint=PATHS_HINT)
        return cls.from_paths(data)

    @classmethod
    def from_paths(
        cls, paths: Iterable[Sequence[str]], links: Iterable[tuple[str, str]] = ()
    ) -> "Sessions":
        """From lists of page names, and the links between pages where they are known."""
        lists = [list(path) for path in paths]
        linked = list(links)
        ends = [name for link in linked for name in link]
        names = list(dict.fromkeys([*(name for path in lists for name in path), *ends]))
        number = {name: k for k, name in enumerate(names)}
        source, target = ([number[link[side]] for link in linked] for side in (0, 1))
        graph = WebGraph.from_arrays(names, np.array(source, int), np.array(target, int))
        lengths = [len(path) for path in lists]
        pages = np.array([number[name] for path in lists for name in path], np.int32)
        return cls(
            graph,
            np.cumsum([0, *lengths], dtype=np.int64),
            pages,
            np.zeros(len(pages), np.int64),
            np.zeros(len(pages), bool),
            np.arange(len(lists), dtype=np.uint64),
            pa.repeat("", len(lists)),
        )

    @property
    def level(self) -> str:
        """Always page."""
        return self.graph.level

    @cached_property
    def session_ids(self) -> Ids:
        """The session of each view."""
        return np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.starts))

    @cached_property
    def transitions(self) -> Transitions:
        """How often each page was viewed after another, first, last, and in all."""
        return count_transitions(self)

    def names(self, pages: Iterable[int]) -> list[str]:
        """The names of some pages."""
        return [self.graph.pages[int(page)] for page in pages]

    def take(self, sessions: Any) -> "Sessions":
        """Some of the sessions, given as a mask or as numbers."""
        chosen = np.asarray(sessions)
        chosen = np.flatnonzero(chosen) if chosen.dtype == bool else chosen
        lengths = np.diff(self.starts)[chosen]
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        at = concatenate_ranges(self.starts[chosen], lengths)
        return Sessions(
            self.graph,
            starts,
            self.pages[at],
            self.times[at],
            self.inferred[at],
            self.visitors[chosen],
            self.referrers.take(pa.array(chosen)),
        )

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, session: int) -> Ids:
        return self.pages[self.starts[session] : self.starts[session + 1]]

    def __iter__(self) -> Iterator[Ids]:
        return (self[k] for k in range(len(self)))

    def __repr__(self) -> str:
        views = f"{len(self.pages):,} views of {pluralise(len(np.unique(self.pages)), 'page')}"
        return f"<Sessions: {pluralise(len(self), 'session')}, {views}>"


def count_transitions(sessions: Sessions) -> Transitions:
    """Count clicks, entries, exits and views of sessions.

    A click goes from the view before a real view, which may be inferred, to
    that view. An inferred view is reached by the back button: no click.

    Examples
    --------
    >>> found = count_transitions(Sessions.from_paths([["a", "b"], ["a", "b"], ["b"]]))
    >>> found.counts.row(0), found.counts.weights, found.entries, found.exits, found.views
    (array([1], dtype=int32), array([2.]), array([2, 1]), array([0, 3]), array([2, 3]))
    """
    page_count = len(sessions.graph.pages)
    clicks, *visits = find_clicks(sessions.starts, sessions.pages, sessions.inferred)
    keys, counts = np.unique(clicks, return_counts=True)
    entries, exits, views = (
        np.bincount(pages, minlength=page_count).astype(np.int64) for pages in visits
    )
    source, target = unpack_pairs(keys)
    row_starts = np.searchsorted(source, np.arange(page_count + 1)).astype(np.int64)
    rows = CSR(row_starts, target, counts.astype(np.float64))
    return Transitions(sessions.graph, rows, entries, exits, views)


def find_clicks(starts: Offsets, pages: Ids, inferred: Flags) -> tuple[Offsets, Ids, Ids, Ids]:
    """The clicks of sessions as packed pairs; the pages of entries, of exits and of views."""
    is_real = ~inferred
    is_first = np.zeros(len(pages), bool)
    is_first[starts[:-1][np.diff(starts) > 0]] = True
    clicked = np.flatnonzero(is_real & ~is_first)
    last = starts[1:][np.diff(starts) > 0] - 1
    clicks = pack_pairs(pages[clicked - 1], pages[clicked])
    return clicks, pages[is_first], pages[last], pages[is_real]


@memoize
def has_usage_data(collection: Collection) -> bool:
    """Whether access logs or paths were added to a collection."""
    return "sessions" in collection.manifest.counts


def load_sessions(collection: Collection) -> Sessions:
    """The sessions of a collection, mapped and checked once."""
    folder = _usage_folder(collection)
    starts = map_array(folder / "session_starts.npy", "<i8")
    pages = map_array(folder / "pages.npy", "<i4")
    if not len(starts) or (starts[0], starts[-1]) != (0, len(pages)) or (np.diff(starts) < 1).any():
        raise MalformedFile(folder / "session_starts.npy", "a session has no views")
    times = map_array(folder / "times.npy", "<i8", length=len(pages))
    inferred = map_array(folder / "inferred.npy", "|u1", length=len(pages))
    visitors = map_array(folder / "visitors.npy", "<u8", length=len(starts) - 1)
    referrers = map_array(folder / "referrers.npy", "<i4", length=len(starts) - 1)
    hosts = map_checked_table(folder / "referrers.arrow", REFERRER_SCHEMA)["host"]
    check_ids(folder / "pages.npy", pages, len(collection))
    check_ids(folder / "times.npy", times, MAX_TIMESTAMP, -MAX_TIMESTAMP)
    check_ids(folder / "inferred.npy", inferred, 2)
    check_ids(folder / "referrers.npy", referrers, len(hosts))
    return Sessions(
        load_graph(collection),
        starts,
        pages,
        times,
        inferred.view(bool),
        visitors,
        hosts.combine_chunks().cast(pa.string()).take(pa.array(referrers)),
    )


@memoize
def load_transitions(collection: Collection) -> Transitions:
    """The transitions of a collection, mapped and checked once."""
    folder, n = _usage_folder(collection), len(collection)
    starts = map_array(folder / "click_starts.npy", "<i8")
    ids = map_array(folder / "click_ids.npy", "<i4")
    rows = CSR(starts, ids, map_array(folder / "click_weights.npy", "<f4", "<f8", length=len(ids)))
    check_csr(f"{folder}/click_", rows, n, row_count=n)
    visits = [map_array(folder / f"{name}.npy", "<i8", length=n) for name in VISIT_COUNTS]
    for name, counts in zip(VISIT_COUNTS, visits, strict=True):
        check_ids(folder / f"{name}.npy", counts, 1 << 62)
    return Transitions(load_graph(collection), rows, *visits)


def _usage_folder(collection: Collection) -> Path:
    if "sessions" not in collection.manifest.counts:
        cure = f"add an access log: `weft add {collection.folder} access.log`"
        raise WeftError(f"{collection.folder} has no usage data", hint=cure)
    return collection.checked_snapshot_path(USAGE_FOLDER)
