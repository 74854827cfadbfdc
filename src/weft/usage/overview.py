"""What visitors do in general, and around one page."""

from typing import Annotated

import numpy as np
import pyarrow as pa
from pydantic import Field

from weft.core.arrays import Flags, Ids, pack_pairs, unpack_pairs
from weft.core.errors import UnknownName
from weft.core.register import Dimensions, method
from weft.core.text import pluralise
from weft.graph.transitions import Sessions, Transitions
from weft.graph.webgraph import link_weights
from weft.usage.sessions import (
    days_table,
    entries_table,
    exits_table,
    pages_table,
    real_lengths,
    referrers_table,
)
from weft.usage.usage import Usage

MAX_ROWS = 1000
MAX_STEPS, PAGES_PER_STEP, MAX_FLOWS = 4, 6, 60
OTHER_PAGES, LEFT = "other pages", "left the site"
SIGNIFICANT_DEVIATIONS = 3.0
NAVIGATION_SHARE, MIN_NAVIGATION_LINKS = 0.5, 10
SEARCH_ENGINES = (
    "google.", "bing.", "duckduckgo.", "yahoo.", "yandex.", "baidu.", "ecosia.", "startpage.",
    "qwant.", "search.brave.", "ask.", "aol.", "naver.", "seznam.", "sogou.",
)  # fmt: skip
MinViews = Annotated[int, Field(ge=1, description="minimum number of views of a page")]


@method(
    "usage",
    "overview",
    cites="cooley1999",
    dimensions=Dimensions(
        model="direct and indirect reference",
        metric="transition probabilities",
        algorithm="counting",
        scope="whole web",
        applications=("adaptive web sites",),
        data="links and usage",
    ),
)
def overview(sessions: Sessions, *, min_views: MinViews = 5) -> Usage:
    """Count visits, entries, exits, dead ends and unused links.

    A dead end is a page where significantly more sessions end than elsewhere.
    An unused link is one that nobody followed although its page was viewed.
    Pages that were reached from outside only have no click into them.

    Examples
    --------
    >>> overview(Sessions.from_paths([["a", "b"], ["a", "c", "b"]]))
    <overview: sessions 2, visitors 2, views 5, clicks 3>
    """
    counts = sessions.transitions
    lengths, days = real_lengths(sessions), days_table(sessions)
    facts = {
        "sessions": len(sessions),
        "visitors": len(np.unique(sessions.visitors)),
        "views": int(counts.views.sum()),
        "clicks": counts.clicks,
        "pages viewed": int(np.count_nonzero(counts.views)),
        "views per session": float(lengths.mean()) if len(sessions) else None,
        "sessions of one page": float(np.mean(lengths == 1)) if len(sessions) else None,
        "first day": days["day"][0].as_py() if len(days) else None,
        "last day": days["day"][-1].as_py() if len(days) else None,
    }
    tables = {
        "pages": pages_table(sessions, lengths),
        "entries": entries_table(sessions, lengths),
        "exits": exits_table(sessions),
        "clicks": _click_table(counts),
        "days": days,
        "referrers": _mark_search_engines(referrers_table(sessions)),
        "flow": _count_flow(sessions),
        "dead ends": _find_dead_ends(counts, min_views),
        "unused links": _find_unused_links(counts, min_views),
        "reached from outside only": _find_outside_only(sessions),
    }
    return Usage("overview", facts, tables, _notes(sessions, days))


@method(
    "usage",
    "around",
    cites="cooley1999",
    dimensions=Dimensions(
        model="direct and indirect reference",
        metric="transition probabilities",
        algorithm="counting",
        scope="single page",
        applications=("adaptive web sites",),
        data="links and usage",
    ),
)
def around(
    transitions: Transitions,
    *,
    page: Annotated[str, Field(description="the page; default: the one with most views")] = "",
) -> Usage:
    """Show what visitors view before and after a page.

    Among the pages after it are all that it links to, also those that nobody
    went to. Shares are of the views of the page. Without a page it is the one
    with most views.

    Examples
    --------
    >>> around([["a", "b"], ["a", "c", "b"]], page="b").to_table("before").to_pylist()[0]
    {'page': 'a', 'clicks': 1, 'share': 0.5, 'linked': False}
    """
    graph = transitions.graph
    if not len(graph):
        empty = pa.table({"page": pa.array([], pa.string()), "clicks": pa.array([], pa.int64())})
        return Usage("around", {}, {"after": empty, "before": empty}, ("there are no pages",))
    number = graph.page_number(page) if page else int(transitions.views.argmax())
    if number < 0:
        raise UnknownName("page", page, graph.pages)
    views, entries, exits = (
        int(counts[number])
        for counts in (transitions.views, transitions.entries, transitions.exits)
    )
    after = _neighbours(transitions, number, outward=True)
    before = _neighbours(transitions, number, outward=False)
    facts = {
        "page": graph.pages[number],
        "views": views,
        "entries": entries,
        "exits": exits,
        "exit rate": exits / views if views else None,
        "clicks to it": int(np.sum(before["clicks"].to_numpy())),
        "clicks from it": int(np.sum(after["clicks"].to_numpy())),
    }
    notes = () if views else ("nobody viewed this page",)
    return Usage("around", facts, {"after": after, "before": before}, notes)


def is_search_engine(host: str) -> bool:
    """Whether a host is that of a search engine, by its name.

    Examples
    --------
    >>> is_search_engine("www.google.co.uk"), is_search_engine("blog.example.com")
    (True, False)
    """
    labels = host.removeprefix("www.")
    return any(labels.startswith(name) or f".{name}" in labels for name in SEARCH_ENGINES)


def _neighbours(transitions: Transitions, page: int, *, outward: bool) -> pa.Table:
    """The pages viewed after a page, and those it links to; or before it, and linking to it."""
    graph, rows = transitions.graph, transitions.counts
    weights = link_weights(rows)
    if outward:
        span = slice(rows.starts[page], rows.starts[page + 1])
        others, clicks = rows.ids[span], weights[span]
    else:
        at = np.flatnonzero(rows.ids == page)
        others, clicks = rows.row_ids()[at], weights[at]
    linked = (graph.outlinks if outward else graph.inlinks).row(page)
    pages = np.union1d(others, linked) if outward else others
    followed = np.zeros(len(pages), np.int64)
    followed[np.searchsorted(pages, others)] = clicks
    order = np.lexsort((pages, -followed))
    pages, followed = pages[order], followed[order]
    return pa.table(
        {
            "page": graph.names.take(pa.array(pages)),
            "clicks": followed,
            "share": followed / max(int(transitions.views[page]), 1),
            "linked": np.isin(pages, linked),
        }
    )


def _click_table(counts: Transitions) -> pa.Table:
    """The most frequent clicks: their share of those from the page, and whether there is a link."""
    source, target = counts.counts.row_ids(), counts.counts.ids
    clicks = link_weights(counts.counts).astype(np.int64)
    order = np.lexsort((target, source, -clicks))[:MAX_ROWS]
    totals = np.bincount(source, clicks, len(counts.views))
    chosen_source, chosen = source[order], clicks[order]
    names = counts.graph.names
    return pa.table(
        {
            "source": names.take(pa.array(chosen_source)),
            "target": names.take(pa.array(target[order])),
            "clicks": chosen,
            "share": chosen / np.maximum(totals[chosen_source], 1),
            "linked": _are_linked(counts, chosen_source, target[order]),
        }
    )


def _are_linked(counts: Transitions, source: Ids, target: Ids) -> Flags:
    """Which pairs of pages are links; only rows of the sources are read."""
    outlinks = counts.graph.outlinks
    pairs = zip(source.tolist(), target.tolist(), strict=True)
    return np.array([target in outlinks.row(source) for source, target in pairs], bool)


def _mark_search_engines(referrers: pa.Table) -> pa.Table:
    """The hosts that sessions came from, and which of them are search engines."""
    hosts = referrers["referrer"].to_pylist()
    is_search = pa.array([is_search_engine(host) for host in hosts], pa.bool_())
    return referrers.append_column("search engine", is_search)


def _count_flow(sessions: Sessions) -> pa.Table:
    """The first steps of sessions between the most frequent pages of each step.

    At most 60 rows, for a diagram. Pages that are not among the most frequent
    of their step are taken together, and sessions that end are counted.
    """
    shown = sessions.take(np.diff(sessions.starts) > 0)
    lengths = np.diff(shown.starts)
    rows: list[tuple[int, str, str, int]] = []
    names = _step_names(shown, 0)
    for step in range(1, MAX_STEPS):
        goes_on = lengths > step
        following = np.array([LEFT] * len(shown), object)
        following[goes_on] = _step_names(shown.take(goes_on), step)
        reached = lengths >= step
        pairs, counts = np.unique(
            [f"{a}\0{b}" for a, b in zip(names[reached], following[reached], strict=True)],
            return_counts=True,
        )
        for pair, count in zip(pairs.tolist(), counts.tolist(), strict=True):
            source, _, target = pair.partition("\0")
            rows.append((step, source, target, count))
        names = following
    rows = sorted(rows, key=lambda row: -row[3])[:MAX_FLOWS]
    rows.sort(key=lambda row: (row[0], -row[3], row[1], row[2]))
    columns = list(zip(*rows, strict=True)) or [(), (), (), ()]
    types = {
        "step": pa.int64(),
        "from": pa.string(),
        "to": pa.string(),
        "sessions": pa.int64(),
    }
    return pa.table(
        [pa.array(c, t) for c, t in zip(columns, types.values(), strict=True)], list(types)
    )


def _step_names(sessions: Sessions, step: int) -> "np.ndarray[tuple[int], np.dtype[np.object_]]":
    """The name of the page that each session is on after some steps, the rare ones as one."""
    pages = sessions.pages[sessions.starts[:-1] + step]
    values, counts = np.unique(pages, return_counts=True)
    frequent = values[np.argsort(-counts, kind="stable")[:PAGES_PER_STEP]]
    names = {int(page): sessions.graph.pages[int(page)] for page in frequent}
    return np.array([names.get(page, OTHER_PAGES) for page in pages.tolist()], object)


def _find_dead_ends(counts: Transitions, min_views: int) -> pa.Table:
    """Pages where more sessions end than elsewhere, by more than three standard deviations."""
    total = max(int(counts.views.sum()), 1)
    rate = float(counts.exits.sum()) / total
    expected = counts.views * rate
    deviation = np.sqrt(np.maximum(expected * (1 - rate), 1e-12))
    excess = counts.exits - expected
    found = (excess > SIGNIFICANT_DEVIATIONS * deviation) & (counts.views >= min_views)
    order = np.flatnonzero(found)[np.argsort(-excess[found], kind="stable")][:MAX_ROWS]
    return pa.table(
        {
            "page": counts.graph.names.take(pa.array(order)),
            "views": counts.views[order],
            "exits": counts.exits[order],
            "expected exits": expected[order],
            "exit rate": counts.exits[order] / counts.views[order],
            "links": np.diff(np.asarray(counts.graph.outlinks.starts))[order],
        }
    )


def _find_unused_links(counts: Transitions, min_views: int) -> pa.Table:
    """Links that nobody followed, from pages that were viewed, most expected clicks first.

    A click is as likely on each link of a page. Links to what most pages link to
    are navigation, and left out.
    """
    outlinks, page_count = counts.graph.outlinks, len(counts.views)
    viewed = np.flatnonzero(counts.views >= min_views)
    degrees = np.diff(np.asarray(outlinks.starts))
    clicked_from = np.bincount(counts.counts.row_ids(), link_weights(counts.counts), page_count)
    links = [pack_pairs(np.full(degrees[p], p), outlinks.row(int(p))) for p in viewed.tolist()]
    keys = np.concatenate([np.zeros(0, np.int64), *links])
    clicked = pack_pairs(counts.counts.row_ids(), counts.counts.ids)
    keys = keys[~np.isin(keys, clicked)]
    source, target = unpack_pairs(keys)
    indegrees = np.diff(np.asarray(counts.graph.inlinks.starts))
    most = max(NAVIGATION_SHARE * np.count_nonzero(degrees), MIN_NAVIGATION_LINKS)
    kept = indegrees[target] <= int(most)
    source, target = source[kept], target[kept]
    expected = clicked_from[source] / np.maximum(degrees[source], 1)
    order = np.lexsort((target, source, -expected))[:MAX_ROWS]
    names = counts.graph.names
    return pa.table(
        {
            "source": names.take(pa.array(source[order])),
            "target": names.take(pa.array(target[order])),
            "views": counts.views[source[order]],
            "expected clicks": expected[order],
        }
    )


def _find_outside_only(sessions: Sessions) -> pa.Table:
    """Pages that sessions begin on, and that no click leads to, most entries first."""
    counts = sessions.transitions
    clicked_to = np.bincount(counts.counts.ids, minlength=len(counts.views))
    found = np.flatnonzero((counts.entries > 0) & (clicked_to == 0))
    is_search = np.array([is_search_engine(host) for host in sessions.referrers.to_pylist()], bool)
    begun = np.diff(sessions.starts) > 0
    first = sessions.pages[sessions.starts[:-1][begun]]
    searched = np.bincount(first[is_search[begun]], minlength=len(counts.views))
    order = found[np.argsort(-counts.entries[found], kind="stable")][:MAX_ROWS]
    inlinks = np.diff(np.asarray(counts.graph.inlinks.starts))
    return pa.table(
        {
            "page": counts.graph.names.take(pa.array(order)),
            "entries": counts.entries[order],
            "from search": searched[order],
            "links to it": inlinks[order],
        }
    )


def _notes(sessions: Sessions, days: pa.Table) -> tuple[str, ...]:
    notes: list[str] = []
    if not len(sessions):
        notes.append("there are no sessions")
    elif not len(days):
        notes.append("the sessions have no times, so that nothing is known about days")
    inferred = int(np.count_nonzero(sessions.inferred))
    if inferred:
        views = pluralise(inferred, "view")
        notes.append(f"{views} were inferred: the visitor went back without a request")
    return tuple(notes)
