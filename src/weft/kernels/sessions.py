"""Cut the requests of visitors into sessions, and complete the paths of sessions."""

from typing import Any, NamedTuple

import numpy as np

from weft.core.arrays import CSR, GOLDEN_GAMMA, Flags, Hashes, Ids, Offsets
from weft.kernels.compiler import njit

TIMEOUT, DURATION, REFERRER, STRUCTURE = range(4)
NO_REFERRER, OTHER_SITE, UNKNOWN_PAGE = -1, -2, -3  # referrers that are no page
REFERRER_DELTA = 10  # seconds within which a request without referrer belongs to the one before
MAX_OPEN_SESSIONS = 64
MAX_LINKING_VIEWS = 256
MAX_BACK_MOVES = 32
NO_SESSION, EMPTY_KEY = np.int64(-1), np.int64(-1)


class Visits(NamedTuple):
    """Requests, sorted by visitor, ready-made session and time.

    `session` is 0, or a ready-made session's hash; `referrer` a page,
    `NO_REFERRER`, `OTHER_SITE` or `UNKNOWN_PAGE`.
    """

    visitor: Hashes
    session: Hashes
    time: Offsets
    page: Ids
    referrer: Ids


def cut_sessions(visits: Visits, links: CSR, rule: int, timeout: int) -> Offsets:
    """The session of each request, numbered in the order in which they begin.

    A ready-made session is one session, whatever the rule.
    """
    if rule == REFERRER:
        sessions: Offsets = _cut_by_referrer(*visits, timeout)
    else:
        columns = visits.visitor, visits.session, visits.time, visits.page
        sessions = _cut_in_order(*columns, links.starts, links.ids, rule, timeout)
    return sessions


@njit(nogil=True, cache=True)
def _cut_in_order(
    visitor: Any,
    ready_made: Any,
    time: Any,
    page: Any,
    link_starts: Any,
    link_ids: Any,
    rule: Any,
    timeout: Any,
) -> Any:
    """Cut by the rules that never go back to an earlier session."""
    session = np.empty(len(visitor), np.int64)
    current, first = np.int64(-1), 0
    for row in range(len(visitor)):
        is_new = (
            row == 0 or visitor[row] != visitor[row - 1] or ready_made[row] != ready_made[row - 1]
        )
        if not is_new and ready_made[row] == 0:
            since = time[first] if rule == DURATION else time[row - 1]
            is_new = time[row] - since > timeout
            if not is_new and rule == STRUCTURE:
                is_new = not _is_linked_from(page, first, row, link_starts, link_ids)
        if is_new:
            current += 1
            first = row
        session[row] = current
    return session


@njit(nogil=True, cache=True)
def _is_linked_from(page: Any, first: Any, row: Any, link_starts: Any, link_ids: Any) -> Any:
    """Whether a page was viewed before in its session, or one of the last views links to it."""
    for other in range(row - 1, max(first, row - MAX_LINKING_VIEWS) - 1, -1):
        if page[other] == page[row] or _links_to(page[other], page[row], link_starts, link_ids):
            return True
    return False


@njit(nogil=True, cache=True)
def _links_to(source: Any, target: Any, link_starts: Any, link_ids: Any) -> Any:
    """Whether a page links to another, by binary search in its row."""
    low, high = link_starts[source], link_starts[source + 1]
    while low < high:
        middle = (low + high) // 2
        if link_ids[middle] < target:
            low = middle + 1
        else:
            high = middle
    return low < link_starts[source + 1] and link_ids[low] == target


@njit(nogil=True, cache=True)
def _cut_by_referrer(
    visitor: Any, ready_made: Any, time: Any, page: Any, referrer: Any, timeout: Any
) -> Any:
    """Put a request into the newest open session of its visitor that contains its referrer.

    Without a referrer it belongs to the session of the request before, if that
    was less than `REFERRER_DELTA` seconds ago. Open sessions are a linked list
    from the newest on, of which `MAX_OPEN_SESSIONS` are looked at; the views of
    sessions are in a hash table with linear probing.
    """
    count = len(visitor)
    session, last_time = np.empty(count, np.int64), np.empty(count, np.int64)
    older = np.empty(count, np.int64)
    size = 16
    while size < 2 * count:
        size *= 2
    views = np.full(size, EMPTY_KEY)
    sessions, newest = np.int64(0), NO_SESSION
    for row in range(count):
        same = (
            row > 0 and visitor[row] == visitor[row - 1] and ready_made[row] == ready_made[row - 1]
        )
        found = NO_SESSION
        if not same:
            newest = NO_SESSION
        elif ready_made[row] != 0:
            found = session[row - 1]
        elif referrer[row] >= 0:
            found, newest = _find_open_session(
                newest, older, last_time, time[row] - timeout, views, referrer[row]
            )
        elif referrer[row] != UNKNOWN_PAGE and time[row] - time[row - 1] < REFERRER_DELTA:
            found = session[row - 1]
        if found == NO_SESSION:
            found, older[sessions] = sessions, newest
            newest = sessions
            sessions += 1
        session[row], last_time[found] = found, time[row]
        _add_view(views, found, page[row])
    return session


@njit(nogil=True, cache=True)
def _find_open_session(
    newest: Any, older: Any, last_time: Any, open_since: Any, views: Any, page: Any
) -> Any:
    """The newest open session with a view of a page, or none; and the newest open one of all.

    Closed sessions are unlinked: time goes on, so that they stay closed.
    """
    while newest != NO_SESSION and last_time[newest] < open_since:
        newest = older[newest]
    at = newest
    for _ in range(MAX_OPEN_SESSIONS):
        if at == NO_SESSION or _has_view(views, at, page):
            return at, newest
        below = older[at]
        while below != NO_SESSION and last_time[below] < open_since:
            below = older[below]
        older[at] = below
        at = below
    return NO_SESSION, newest


@njit(nogil=True, cache=True)
def _view_slot(views: Any, session: Any, page: Any) -> Any:
    """The slot of a view in the hash table: where it is, or where it belongs."""
    key = session << 32 | page
    mask = len(views) - 1
    slot = np.int64((np.uint64(key) * GOLDEN_GAMMA) >> np.uint64(20)) & mask
    while views[slot] != EMPTY_KEY and views[slot] != key:
        slot = (slot + 1) & mask
    return slot


@njit(nogil=True, cache=True)
def _has_view(views: Any, session: Any, page: Any) -> Any:
    return views[_view_slot(views, session, page)] != EMPTY_KEY


@njit(nogil=True, cache=True)
def _add_view(views: Any, session: Any, page: Any) -> None:
    views[_view_slot(views, session, page)] = session << 32 | page


def complete_paths(
    starts: Offsets, visits: Visits, links: CSR
) -> tuple[Offsets, Offsets, Ids, Flags]:
    """Insert the views that visitors went back to: starts, times, pages, and which are inferred.

    Session k has the requests from `starts[k]` to `starts[k + 1]`. One that was
    referred from an earlier page of its session gets the way back to the latest
    view of that page before it; one without a referrer, that to the latest page
    that links to it. A way of more than `MAX_BACK_MOVES` is not inserted.
    Ready-made sessions stay as they are.
    """
    is_ready_made = visits.session[starts[:-1]] != 0
    columns = visits.time, visits.page, visits.referrer
    completed: tuple[Offsets, Offsets, Ids, Flags] = _complete_paths(
        starts, *columns, is_ready_made, links.starts, links.ids
    )
    return completed


@njit(nogil=True, cache=True)
def _complete_paths(
    starts: Any,
    time: Any,
    page: Any,
    referrer: Any,
    is_ready_made: Any,
    link_starts: Any,
    link_ids: Any,
) -> Any:
    capacity = len(page) + len(page) // 4 + 2 * MAX_BACK_MOVES
    new_starts = np.empty_like(starts)
    times, pages = np.empty(capacity, np.int64), np.empty(capacity, np.int32)
    inferred = np.empty(capacity, np.bool_)
    end = 0
    for session in range(len(starts) - 1):
        begin = end
        new_starts[session] = begin
        for row in range(starts[session], starts[session + 1]):
            if end + MAX_BACK_MOVES + 1 > capacity:
                capacity = 2 * capacity
                times = _grow(times, capacity)
                pages = _grow(pages, capacity)
                inferred = _grow(inferred, capacity)
            moves = 0
            if end > begin and not is_ready_made[session]:
                path = pages[begin:end]
                moves = _count_back_moves(path, page[row], referrer[row], link_starts, link_ids)
            last = end - 1
            for move in range(1, moves + 1):
                times[end], pages[end], inferred[end] = 0, pages[last - move], True
                end += 1
            times[end], pages[end], inferred[end] = time[row], page[row], False
            end += 1
    new_starts[-1] = end
    return new_starts, times[:end], pages[:end], inferred[:end]


@njit(nogil=True, cache=True)
def _grow(values: Any, capacity: Any) -> Any:
    larger = np.empty(capacity, values.dtype)
    larger[: len(values)] = values
    return larger


@njit(nogil=True, cache=True)
def _count_back_moves(path: Any, page: Any, referrer: Any, link_starts: Any, link_ids: Any) -> Any:
    """How many views a visitor went back along a path before requesting a page; 0 if unknown."""
    if referrer < NO_REFERRER or (referrer == NO_REFERRER and path[-1] == page):
        return 0
    for moves in range(min(len(path), MAX_BACK_MOVES + 1)):
        view = path[len(path) - 1 - moves]
        if view == referrer:
            return moves
        if referrer == NO_REFERRER and _links_to(view, page, link_starts, link_ids):
            return moves
    return 0
