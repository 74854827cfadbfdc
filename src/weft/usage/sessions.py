"""Sessions in figures: how many, how long, where they begin and end."""

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from weft.core.arrays import Flags, Offsets, pack_pairs, sort_unique, unpack_first_ids
from weft.core.register import Dimensions, method
from weft.core.text import pluralise
from weft.graph.transitions import Sessions
from weft.usage.predictor import NO_SESSIONS_NOTE
from weft.usage.surfing import InverseGaussian, fit_inverse_gaussian, ks_distance
from weft.usage.usage import Usage

SECONDS_PER_DAY = 86_400
NO_REFERRER = "none or unknown"
MaxListedPages = Annotated[
    int, Field(ge=1, le=1_000_000, description="how many pages to list in each table")
]


@method(
    "usage",
    "sessions",
    cites="huberman1998",
    dimensions=Dimensions(
        model="whole graph",
        metric="whole-graph properties",
        algorithm="distribution fitting",
        scope="whole web",
        applications=("adaptive web sites",),
        data="usage",
    ),
)
def session_overview(sessions: Sessions, *, max_rows: MaxListedPages = 1000) -> Usage:
    """Count sessions, and fit the law of surfing.

    A session has the pages that a visitor requested; views that path completion
    inserted are not counted. A *bounce* is a session of one page. The law of
    surfing says that the number of pages L in a session is inverse Gaussian;
    from it follows the probability to view another page after L. The duration
    of a session is the time from its first request to its last: the time on the
    last page is unknown.

    Examples
    --------
    >>> found = session_overview(["abc", "ab", "a", "b"])
    >>> found["sessions"], found["views"], found["bounce rate"]
    (4, 7, 0.5)
    >>> found.to_table("entries").to_pylist()[0]
    {'page': 'a', 'sessions': 3, 'share': 0.75, 'bounces': 1, 'bounce rate': 0.3333333333333333}
    """
    lengths = real_lengths(sessions)
    viewed = lengths[lengths > 0]
    law = fit_inverse_gaussian(viewed)
    durations, untimed = _durations(sessions)
    facts = _count_facts(sessions, viewed) | _law_facts(viewed, law) | _duration_facts(durations)
    tables = {
        "pages": pages_table(sessions, lengths).slice(0, max_rows),
        "entries": entries_table(sessions, lengths).slice(0, max_rows),
        "exits": exits_table(sessions).slice(0, max_rows),
        "lengths": _lengths_table(viewed, law),
        "days": days_table(sessions),
        "referrers": referrers_table(sessions).slice(0, max_rows),
    }
    return Usage("sessions", facts, tables, tuple(_write_notes(sessions, viewed, law, untimed)))


def real_lengths(sessions: Sessions) -> Offsets:
    """The number of views of each session that are not inferred."""
    real = np.concatenate([[0], np.cumsum(~sessions.inferred)])
    lengths: Offsets = np.diff(real[sessions.starts])
    return lengths


def _count_facts(sessions: Sessions, lengths: Offsets) -> dict[str, Any]:
    views = int(lengths.sum())
    visitors = sessions.visitors[np.diff(sessions.starts) > 0]
    return {
        "sessions": len(lengths),
        "visitors": len(sort_unique(visitors.astype(np.int64))),
        "views": views,
        "bounce rate": float((lengths == 1).mean()) if len(lengths) else None,
        "views per session": views / len(lengths) if len(lengths) else None,
        "median views": float(np.median(lengths)) if len(lengths) else None,
        "longest session": int(lengths.max(initial=0)),
        "pages viewed": int(np.count_nonzero(sessions.transitions.views)),
        "inferred views": int(sessions.inferred.sum()),
    }


def _law_facts(lengths: Offsets, law: InverseGaussian | None) -> dict[str, Any]:
    """The law of surfing: its parameters, how far the lengths are from it, and what it says."""
    return {
        "surfing mean": law and law.mu,
        "surfing shape": law and law.lam,
        "surfing mode": law and law.mode,
        "KS distance": law and ks_distance(lengths, law),
        "continues after one page": law and float(law.continue_probability(1)),
    }


def _duration_facts(durations: Offsets) -> dict[str, Any]:
    return {
        "median seconds": float(np.median(durations)) if len(durations) else None,
        "mean seconds": float(durations.mean()) if len(durations) else None,
        "timed sessions": len(durations),
    }


def _durations(sessions: Sessions) -> tuple[Offsets, int]:
    """Seconds from the first view to the last, and the number of sessions that have no times.

    Only of sessions with two timed views: on a single page the time is unknown.
    """
    timed = np.flatnonzero((sessions.times != 0) & ~sessions.inferred)
    session = sessions.session_ids[timed]
    first = np.flatnonzero(np.diff(session, prepend=-1))
    last = np.append(first[1:], len(timed)) - 1 if len(first) else first
    times = sessions.times[timed]
    untimed = int(np.count_nonzero(np.diff(sessions.starts))) - len(first)
    several = last > first
    return (times[last] - times[first])[several], untimed


def _first_and_last_real(sessions: Sessions) -> tuple[Offsets, Offsets]:
    """The positions of the first and last view of each session that has one."""
    nonempty = np.flatnonzero(np.diff(sessions.starts))
    return sessions.starts[nonempty], sessions.starts[nonempty + 1] - 1


def _table_by_count(sessions: Sessions, columns: Mapping[str, Any]) -> pa.Table:
    """A row for each page with a count in the first column, most first, ties in page order."""
    counts = next(iter(columns.values()))
    pages = np.flatnonzero(counts)
    pages = pages[np.argsort(-counts[pages], kind="stable")]
    names = sessions.graph.names.take(pa.array(pages))
    return pa.table({"page": names, **{name: of[pages] for name, of in columns.items()}})


def _share(part: Any, whole: Any) -> Any:
    return np.divide(part, np.maximum(whole, 1), dtype=np.float64)


def pages_table(sessions: Sessions, lengths: Offsets) -> pa.Table:
    """The viewed pages: views, sessions, entries and exits of each, most views first."""
    transitions = sessions.transitions
    real = np.flatnonzero(~sessions.inferred)
    pairs = sort_unique(pack_pairs(sessions.pages[real], sessions.session_ids[real]))
    page_sessions = np.bincount(unpack_first_ids(pairs), minlength=len(sessions.graph))
    return _table_by_count(
        sessions,
        {
            "views": transitions.views,
            "sessions": page_sessions,
            "share of sessions": _share(page_sessions, np.count_nonzero(lengths)),
            "entries": transitions.entries,
            "exits": transitions.exits,
            "exit rate": _share(transitions.exits, transitions.views),
        },
    )


def entries_table(sessions: Sessions, lengths: Offsets) -> pa.Table:
    """Where sessions begin, and how many of them end on the same view."""
    entries = sessions.transitions.entries
    first, _ = _first_and_last_real(sessions)
    bounced: Flags = lengths[np.diff(sessions.starts) > 0] == 1
    bounces = np.bincount(sessions.pages[first[bounced]], minlength=len(sessions.graph))
    return _table_by_count(
        sessions,
        {
            "sessions": entries,
            "share": _share(entries, entries.sum()),
            "bounces": bounces,
            "bounce rate": _share(bounces, entries),
        },
    )


def exits_table(sessions: Sessions) -> pa.Table:
    """Where sessions end, and for which share of the views of the page."""
    transitions = sessions.transitions
    return _table_by_count(
        sessions,
        {
            "sessions": transitions.exits,
            "share": _share(transitions.exits, transitions.exits.sum()),
            "views": transitions.views,
            "exit rate": _share(transitions.exits, transitions.views),
        },
    )


def _lengths_table(lengths: Offsets, law: InverseGaussian | None) -> pa.Table:
    """How many sessions have each number of views, beside the law of surfing.

    `fitted at most` is the distribution function, and `continues fitted` the
    probability of a further page by the law; `continues` is the share of
    sessions that had one.
    """
    views, counts = np.unique(lengths, return_counts=True)
    up_to = np.cumsum(counts)
    total = max(int(counts.sum()), 1)
    at_least = total - up_to + counts
    missing = pa.nulls(len(views), pa.float64())
    return pa.table(
        {
            "views": views.astype(np.int64),
            "sessions": counts.astype(np.int64),
            "share": counts / total,
            "share at most": up_to / total,
            "fitted at most": missing if law is None else law.cdf(np.maximum(views, 1)),
            "continues": (at_least - counts) / np.maximum(at_least, 1),
            "continues fitted": missing
            if law is None
            else law.continue_probability(np.maximum(views, 1)),
        }
    )


def days_table(sessions: Sessions) -> pa.Table:
    """Sessions, visitors and views by the day in UTC on which the session began."""
    first, _ = _first_and_last_real(sessions)
    nonempty = np.flatnonzero(np.diff(sessions.starts))
    timed = sessions.times[first] != 0
    day = sessions.times[first[timed]] // SECONDS_PER_DAY
    chosen = nonempty[timed]
    days, place = np.unique(day, return_inverse=True)
    visitor = np.unique(sessions.visitors[chosen], return_inverse=True)[1]
    visitor_days = unpack_first_ids(sort_unique(pack_pairs(place, visitor)))
    views = np.bincount(place, real_lengths(sessions)[chosen], len(days))
    return pa.table(
        {
            "day": pc.cast(pa.array(days.astype(np.int32), pa.date32()), pa.string()),
            "sessions": np.bincount(place, minlength=len(days)),
            "visitors": np.bincount(visitor_days, minlength=len(days)),
            "views": views.astype(np.int64),
        }
    )


def referrers_table(sessions: Sessions) -> pa.Table:
    """The hosts that sessions came from, most sessions first."""
    counts = pc.value_counts(sessions.referrers)
    hosts = counts.field("values")
    hosts = pc.if_else(pc.equal(hosts, ""), NO_REFERRER, hosts)
    table = pa.table({"referrer": hosts, "sessions": counts.field("counts")})
    return table.sort_by([("sessions", "descending"), ("referrer", "ascending")])


def _write_notes(
    sessions: Sessions, lengths: Offsets, law: InverseGaussian | None, untimed: int
) -> list[str]:
    if not len(lengths):
        return [NO_SESSIONS_NOTE]
    notes = []
    if law is None:
        number = pluralise(int(lengths[0]), "page")
        notes.append(f"all sessions have {number}: the law of surfing cannot be fitted")
    if untimed:
        notes.append(
            f"{pluralise(untimed, 'session')} without times: left out of durations and days"
        )
    if sessions.inferred.any():
        views = pluralise(int(sessions.inferred.sum()), "view")
        notes.append(f"{views} inferred from the way back are not counted")
    return notes
