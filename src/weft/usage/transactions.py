"""Transactions: the sets of pages that sessions viewed, filtered for mining, with page titles."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from weft.core.arrays import CSR, Floats, Ids, Offsets, pack_pairs, unpack_pairs
from weft.core.text import join_with_and, pluralise, shorten, strip_common_host
from weft.graph.transitions import Sessions
from weft.graph.webgraph import WebGraph, csr_to_scipy
from weft.usage.predictor import NO_SESSIONS_NOTE

MinShare = Annotated[
    float, Field(ge=0, le=1, description="leave out pages in a smaller share of the sessions")
]
MaxShare = Annotated[
    float, Field(gt=0, le=1, description="leave out pages in a larger share of the sessions")
]
ViewWeight = Annotated[
    Literal["one", "time"],
    Field(description="weight of a view: one, or time as a share of the session's longest view"),
]
DEFAULT_MIN_SHARE, DEFAULT_MAX_SHARE = 0.001, 0.8
MAX_SESSION_PAGES = 200
MAX_LABEL_CHARS, LABEL_PAGES = 40, 3


@dataclass(frozen=True, eq=False)
class TitledSessions:
    """Sessions, with the titles of their pages where these are known."""

    sessions: Sessions
    read_titles: Callable[[Ids], Sequence[str]] | None = field(default=None, repr=False)

    @classmethod
    def from_any(cls, data: Any) -> "TitledSessions":
        """From sessions, or from what sessions are made of."""
        return data if isinstance(data, TitledSessions) else cls(Sessions.from_any(data))

    @property
    def graph(self) -> WebGraph:
        """The pages, and the links between them."""
        return self.sessions.graph

    @property
    def level(self) -> str:
        """Always page."""
        return self.graph.level

    def titles(self, pages: Ids) -> list[str]:
        """The titles of some pages, empty where unknown."""
        if self.read_titles is None:
            return [""] * len(pages)
        return [" ".join(title.split()) for title in self.read_titles(pages)]

    def names(self, pages: Iterable[int]) -> list[str]:
        """The names of some pages."""
        return self.sessions.names(pages)

    def label(self, pages: Ids) -> str:
        """The titles of the first of some pages, or their addresses."""
        first = pages[:LABEL_PAGES]
        titles = zip(self.titles(first), strip_common_host(self.names(first)), strict=True)
        named = [shorten(title or address, MAX_LABEL_CHARS) for title, address in titles]
        return ", ".join([*named, "…"]) if len(pages) > LABEL_PAGES else join_with_and(named)


@dataclass(frozen=True, slots=True, eq=False)
class Transactions:
    """The distinct pages of each session that is mined, with the weights of their views.

    Row k of `rows` has the pages of the k-th transaction. `notes` say what was
    left out.
    """

    rows: CSR
    page_count: int
    notes: tuple[str, ...] = ()

    @property
    def page_sessions(self) -> Offsets:
        """The number of transactions with each page."""
        return np.bincount(self.rows.ids, minlength=self.page_count)

    def matrix(self, *, weighted: bool = True) -> Any:
        """The transactions as a SciPy matrix of transaction by page."""
        return csr_to_scipy(self.rows, self.page_count, with_weights=weighted)

    def __len__(self) -> int:
        return len(self.rows.starts) - 1


def build_transactions(
    sessions: Sessions,
    min_share: float = DEFAULT_MIN_SHARE,
    max_share: float = DEFAULT_MAX_SHARE,
    weight: Literal["one", "time"] = "one",
) -> Transactions:
    """The transactions of sessions with at least two pages.

    Pages in too few or too many of these are left out, then sessions that have
    fewer than two pages left. A session of more than 200 pages is no reader's.
    """
    page_count, notes = len(sessions.graph), list[str]()
    rows = _distinct_views(sessions, weight)
    sizes = np.diff(rows.starts)
    long = int((sizes > MAX_SESSION_PAGES).sum())
    if long:
        left = pluralise(long, "session")
        notes.append(f"{left} of more than {MAX_SESSION_PAGES} pages left out")
    total = int((sizes > 0).sum())
    rows = _take_sessions(rows, (sizes >= 2) & (sizes <= MAX_SESSION_PAGES))
    counts, kept = np.bincount(rows.ids, minlength=page_count), len(rows.starts) - 1
    viewed = counts > 0
    rare, common = (counts < min_share * kept) & viewed, counts > max_share * kept
    for pages, relation, share in ((rare, "under", min_share), (common, "over", max_share)):
        if pages.any():
            left = pluralise(int(pages.sum()), "page")
            notes.append(f"{left} in {relation} {share:.1%} of the sessions left out")
    rows = _take_pages(rows, ~(rare | common))
    rows = _take_sessions(rows, np.diff(rows.starts) >= 2)
    short = total - long - (len(rows.starts) - 1)
    if short:
        notes.append(f"{pluralise(short, 'session')} with fewer than two pages left out")
    return Transactions(rows, page_count, tuple(notes if total else [NO_SESSIONS_NOTE]))


def _distinct_views(sessions: Sessions, weight: Literal["one", "time"]) -> CSR:
    """The distinct pages of each session, with the weight of their views where it is time."""
    keys, first = np.unique(pack_pairs(sessions.session_ids, sessions.pages), return_inverse=True)
    session, page = unpack_pairs(keys)
    starts = np.searchsorted(session, np.arange(len(sessions) + 1)).astype(np.int64)
    if weight == "one":
        return CSR(starts, page)
    seconds = np.bincount(first, view_seconds(sessions), len(keys))
    longest = np.zeros(len(sessions))
    np.maximum.at(longest, session, seconds)
    shares = np.divide(seconds, longest[session], out=np.ones(len(keys)), where=seconds > 0)
    return CSR(starts, page, shares)


def view_seconds(sessions: Sessions) -> Floats:
    """How long each view lasted: to the next one; the last of a session as long as the mean.

    Zero where times are unknown, and in sessions of one view.

    Examples
    --------
    >>> from dataclasses import replace
    >>> sessions = Sessions.from_paths([["a", "b", "c"], ["a"]])
    >>> view_seconds(replace(sessions, times=np.array([100, 130, 140, 7]))).tolist()
    [30.0, 10.0, 20.0, 0.0]
    """
    ids, times = sessions.session_ids, sessions.times
    has_next = np.append(ids[1:] == ids[:-1], False) if len(ids) else np.zeros(0, bool)
    known = has_next & (times > 0) & (np.roll(times, -1) >= times)
    seconds = np.where(known, np.roll(times, -1) - times, 0).astype(np.float64)
    counts = np.bincount(ids[known], minlength=len(sessions))
    means = np.bincount(ids, seconds, len(sessions)) / np.maximum(counts, 1)
    return np.where(has_next, seconds, means[ids])


def _take_sessions(rows: CSR, kept: Any) -> CSR:
    """Some rows of transactions."""
    sizes = np.diff(rows.starts)
    inside = np.repeat(kept, sizes)
    weights = None if rows.weights is None else rows.weights[inside]
    return CSR(np.concatenate([[0], np.cumsum(sizes[kept])]), rows.ids[inside], weights)


def _take_pages(rows: CSR, kept: Any) -> CSR:
    """The rows with some of their pages."""
    inside = kept[rows.ids]
    starts = np.concatenate([[0], np.cumsum(inside)])[rows.starts]
    return CSR(starts, rows.ids[inside], None if rows.weights is None else rows.weights[inside])
