"""Sessions by four rules and completed paths, against slow and obvious definitions."""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.core.arrays import CSR
from weft.core.errors import BadParameter, UnknownName
from weft.graph.sessions import (
    REQUEST_DTYPE,
    SessionRule,
    SessionRules,
    _visit_order,
    build_views,
    find_repeated_requests,
)
from weft.graph.webgraph import WebGraph
from weft.kernels.sessions import MAX_BACK_MOVES, NO_REFERRER, OTHER_SITE, UNKNOWN_PAGE

VALUES = Path(__file__).parents[1] / "data" / "mining-values.json"
PAGES = 6


class Request(NamedTuple):
    """A row: the fields of a request, which is in file order."""

    visitor: int
    time: int
    page: int
    referrer: int = NO_REFERRER
    session: int = 0
    input: int = 0


class Session(NamedTuple):
    """A session as lists: pages, and times with 0 for inferred views."""

    visitor: int
    pages: list[int]
    times: list[int]


def csr(links: Sequence[tuple[int, int]], pages: int = PAGES) -> CSR:
    ends = np.array(sorted({*links}), int).reshape(-1, 2)
    return WebGraph.from_arrays([str(k) for k in range(pages)], ends[:, 0], ends[:, 1]).outlinks


def rows_of(requests: Sequence[Request]) -> Any:
    rows = np.zeros(len(requests), REQUEST_DTYPE)
    for name in Request._fields:
        rows[name] = [getattr(request, name) for request in requests]
    return rows[_visit_order(rows)]


def fast(
    requests: Sequence[Request], links: Sequence[tuple[int, int]] = (), **rules: Any
) -> list[Session]:
    views = build_views(rows_of(requests), csr(links), SessionRules(**rules))
    spans = [slice(a, b) for a, b in zip(views.starts[:-1], views.starts[1:], strict=True)]
    assert (views.times[views.inferred] == 0).all()
    return [
        Session(int(visitor), views.pages[span].tolist(), views.times[span].tolist())
        for visitor, span in zip(views.visitors, spans, strict=True)
    ]


def slow(
    requests: Sequence[Request],
    links: Sequence[tuple[int, int]],
    rule: str,
    timeout: int,
    *,
    complete_paths: bool,
) -> list[Session]:
    """The rules as they are defined, with lists."""
    found = []
    for visitor in sorted({request.visitor for request in requests}):
        own = [request for request in requests if request.visitor == visitor]
        for ready_made in sorted({request.session for request in own}):
            part = [request for request in own if request.session == ready_made]
            if ready_made:
                cut = [part]
            else:
                cut = slow_cut(sorted(part, key=lambda r: r.time), links, rule, timeout)
                cut = [without_reloads(one) for one in cut]
            completed = complete_paths and not ready_made
            found += [slow_path(visitor, one, links, completed=completed) for one in cut]
    return found


def without_reloads(session: list[Request]) -> list[Request]:
    before = [NO_REFERRER, *(request.page for request in session)]
    return [request for request, page in zip(session, before, strict=False) if request.page != page]


def slow_cut(
    requests: list[Request], links: Sequence[tuple[int, int]], rule: str, timeout: int
) -> list[list[Request]]:
    sessions: list[list[Request]] = []
    last: list[Request] = []
    for request in requests:
        if rule == "referrer":
            home = slow_home_by_referrer(request, sessions, last, timeout)
        else:
            home = last if last and belongs_to(request, last, links, rule, timeout) else None
        if home is None:
            home = []
            sessions.append(home)
        home.append(request)
        last = home
    return sessions


def belongs_to(
    request: Request,
    session: list[Request],
    links: Sequence[tuple[int, int]],
    rule: str,
    timeout: int,
) -> bool:
    viewed = {view.page for view in session}
    is_linked = any((page, request.page) in links for page in viewed) or request.page in viewed
    in_time = request.time - session[-1].time <= timeout
    return {
        "timeout": in_time,
        "duration": request.time - session[0].time <= timeout,
        "structure": in_time and is_linked,
    }[rule]


def slow_home_by_referrer(
    request: Request, sessions: list[list[Request]], last: list[Request], timeout: int
) -> list[Request] | None:
    if request.referrer < 0:
        is_soon = bool(last) and request.time - last[-1].time < 10
        return last if is_soon and request.referrer != UNKNOWN_PAGE else None
    candidates = [
        session
        for session in sessions
        if request.time - session[-1].time <= timeout
        and request.referrer in {view.page for view in session}
    ]
    return candidates[-1] if candidates else None


def slow_path(
    visitor: int, session: list[Request], links: Sequence[tuple[int, int]], *, completed: bool
) -> Session:
    pages, times = [session[0].page], [session[0].time]
    for request in session[1:]:
        wanted: set[int] = set()
        if completed and request.referrer >= 0:
            wanted = {request.referrer}
        elif completed and request.referrer == NO_REFERRER and request.page != pages[-1]:
            wanted = {page for page in pages if (page, request.page) in links}
        way = pages[::-1][: MAX_BACK_MOVES + 1]
        moves = next((k for k, page in enumerate(way) if page in wanted), 0)
        pages += [*way[1 : moves + 1], request.page]
        times += [*[0] * moves, request.time]
    return Session(visitor, pages, times)


pages = st.integers(0, PAGES - 1)
referrers = st.one_of(st.sampled_from([NO_REFERRER, OTHER_SITE, UNKNOWN_PAGE]), pages)
times = st.sampled_from([1, 2, 9, 10, 11, 12, 29, 30, 31, 32, 40, 61, 62, 100])
requests = st.builds(
    Request, st.integers(0, 2), times, pages, referrers, st.sampled_from([0, 0, 7]), st.just(0)
)
webs = st.lists(st.tuples(pages, pages).filter(lambda link: link[0] != link[1]), max_size=8)


@pytest.mark.parametrize("rule", ["timeout", "duration", "referrer", "structure"])
@given(
    rows=st.lists(requests, max_size=40),
    links=webs,
    timeout=st.sampled_from([5, 30]),
    completed=st.booleans(),
)
def test_the_rules_are_as_defined(
    rule: str, rows: list[Request], links: list[tuple[int, int]], timeout: int, *, completed: bool
) -> None:
    found = fast(rows, links, rule=rule, timeout=timeout, complete_paths=completed)
    assert found == slow(rows, links, rule, timeout, complete_paths=completed)


@given(st.lists(requests, max_size=40), webs, st.sampled_from(["timeout", "referrer"]))
def test_the_views_of_sessions_are_the_requests(
    rows: list[Request], links: list[tuple[int, int]], rule: SessionRule
) -> None:
    """Nothing is lost but reloads, and nothing but inferred views is added."""
    views = build_views(rows_of(rows), csr(links), SessionRules(rule, 30))
    found = fast(rows, links, rule=rule, timeout=30)
    real = [
        (session.visitor, time, page)
        for session in found
        for page, time in zip(session.pages, session.times, strict=True)
        if time
    ]
    requested = Counter((row.visitor, row.time, row.page) for row in rows)
    assert Counter(real) <= requested
    assert len(real) + views.reloads == len(rows)


def test_a_reload_is_no_view() -> None:
    """Page b twice with the referrer of the first time: nobody went back to a."""
    path = [Request(1, 1, 0), Request(1, 2, 1, 0), Request(1, 3, 1, 0), Request(1, 4, 0, 1)]
    assert fast(path) == [Session(1, [0, 1, 0], [1, 2, 4])]
    assert build_views(rows_of(path), csr([]), SessionRules()).reloads == 1
    later = [Request(1, 1, 0), Request(1, 2000, 0)]
    assert len(fast(later)) == 2


def test_completion_goes_back_to_the_referrer() -> None:
    a, b, c, d = range(4)
    path = [Request(1, 1, a), Request(1, 2, b, a), Request(1, 3, c, b), Request(1, 4, d, a)]
    assert fast(path) == [Session(1, [a, b, c, b, a, d], [1, 2, 3, 0, 0, 4])]
    assert fast(path, complete_paths=False) == [Session(1, [a, b, c, d], [1, 2, 3, 4])]


def test_completion_without_referrers_goes_by_links() -> None:
    path = [Request(1, k, page) for k, page in enumerate((0, 1, 2, 3), start=1)]
    assert fast(path, [(0, 1), (1, 2), (0, 3)])[0].pages == [0, 1, 2, 1, 0, 3]
    assert fast(path)[0].pages == [0, 1, 2, 3]


def test_exactly_the_timeout_stays() -> None:
    gaps = [Request(1, 1, 0), Request(1, 1801, 1), Request(1, 3602, 2)]
    assert [session.times for session in fast(gaps)] == [[1, 1801], [3602]]
    assert [session.times for session in fast(gaps, timeout=1799)] == [[1], [1801], [3602]]
    assert len(fast(gaps, rule="duration")) == 2
    assert len(fast(gaps, rule="duration", timeout=3601)) == 1


def test_midnight_is_a_second_like_any_other() -> None:
    midnight = 1_700_006_400
    assert midnight % 86400 == 0
    assert len(fast([Request(1, midnight - 1, 0), Request(1, midnight + 1, 1)])) == 1


def test_visitors_behind_one_address_are_apart() -> None:
    both = [Request(1, 1, 0), Request(2, 2, 0), Request(1, 3, 1, 0), Request(2, 4, 2, 0)]
    assert [(s.visitor, s.pages) for s in fast(both)] == [(1, [0, 1]), (2, [0, 2])]


def test_ready_made_sessions_stay_as_they_are() -> None:
    """Whatever the rule, the times and the referrers; the order is that of the rows."""
    path = [Request(9, time, page, 0, session=5) for time, page in ((9, 0), (1, 1), (99999, 0))]
    for rule in ("timeout", "duration", "referrer", "structure"):
        assert fast(path, rule=rule) == [Session(9, [0, 1, 0], [9, 1, 99999])]


def test_the_published_example() -> None:
    """The nine lines of which five are kept: two sessions, the first completed."""
    expected = json.loads(VALUES.read_text())["sessions"]
    names = ["/", "/a.html", "/b.html", "/c.html", "/d.html"]
    kept = [
        Request(1, 0, 0, OTHER_SITE),
        Request(1, 60, 1, 0),
        Request(1, 120, 3, 1),
        Request(1, 180, 2, 0),
        Request(1, 180 + 1801, 4),
    ]
    assert len(kept) == expected["kept"]
    for key, completed in (("sessions", False), ("completed", True)):
        found = fast(kept, complete_paths=completed)
        assert [[names[page] for page in session.pages] for session in found] == expected[key]


def test_a_long_way_back_is_not_inserted() -> None:
    """The work for a request is bounded, however long its session is."""
    far = [Request(1, 1, 0)] + [
        Request(1, 2, 2 + k % 4, UNKNOWN_PAGE) for k in range(MAX_BACK_MOVES)
    ]
    assert len(fast([*far, Request(1, 3, 1, 0)])[0].pages) == 2 * MAX_BACK_MOVES + 2
    farther = [*far, Request(1, 3, 1, UNKNOWN_PAGE), Request(1, 4, 2, 0)]
    assert len(fast(farther)[0].pages) == len(farther)


@given(st.lists(st.lists(requests, max_size=15), max_size=3))
def test_overlapping_inputs_add_what_they_lack(inputs: list[list[Request]]) -> None:
    """Of equal requests, as many stay as the input has that has most of them."""
    rows = [row._replace(input=k) for k, part in enumerate(inputs) for row in part]
    ordered = rows_of(rows)
    kept = ordered[~find_repeated_requests(ordered)]
    fields = ["visitor", "session", "time", "page", "referrer"]
    wanted: Counter[Any] = Counter()
    for part in inputs:
        wanted |= Counter((r.visitor, r.session, r.time, r.page, r.referrer) for r in part)
    assert Counter(map(tuple, kept[fields].tolist())) == wanted


@given(st.lists(requests, max_size=20), st.integers(0, 20))
def test_a_log_that_has_grown_is_the_longer_one(rows: list[Request], cut: int) -> None:
    both = [row._replace(input=0) for row in rows[:cut]] + [row._replace(input=1) for row in rows]
    ordered = rows_of(both)
    fields = ["visitor", "session", "time"]
    kept = ordered[~find_repeated_requests(ordered)]
    assert kept[fields].tolist() == rows_of(rows)[fields].tolist()


def test_other_rules_are_refused() -> None:
    with pytest.raises(UnknownName, match="session rule"):
        SessionRules("hourly")  # type: ignore[arg-type]
    for timeout in (0, -5, 10**9):
        with pytest.raises(BadParameter, match="out of range"):
            SessionRules(timeout=timeout)
