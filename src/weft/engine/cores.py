"""All sets of so many centres that enough fans link to."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from weft.core.arrays import Rows
from weft.engine.prune import CENTRES, FANS, READY_CENTRES, READY_FANS, cascade, leave, sides

TOLD = (
    "fans with too few links",
    "centres with too few fans",
    "fans of one core at most",
    "centres of one set of fans",
    "sets found with those",
    "fans left",
    "centres left",
    "links left",
    "sets tried",
    "centres cut short",
)
FEW_LINKS, FEW_FANS, ONE_FAN, ONE_CENTRE, EARLY, LEFT_FANS, LEFT_CENTRES, LEFT_LINKS = range(8)
TRIED, SHORT = 8, 9
FEW = 64


class Cores(NamedTuple):
    """The centres of each core, a row each, ascending and distinct; and how they were found.

    `counts` has what the steps did, by name. Where the limit was met some
    centres were cut short: they may have more cores than were looked for.
    """

    centres: npt.NDArray[np.int32]
    counts: dict[str, int]


def cores(outlinks: Rows, inlinks: Rows, least: tuple[int, int], limit: int) -> Cores:
    """Every set of `least[1]` centres, two or more, with at least `least[0]` fans in common.

    Pages with too few links go first, again and again; then those that can be
    in one core only, which is looked for at once. What is left is taken centre
    by centre: sets with enough fans grow by one centre after the other. Where
    more than `limit` sets would be tried, each centre may try as many as any
    other.

    Examples
    --------
    >>> out = Rows(np.array([0, 2, 4, 4, 4]), np.array([2, 3, 2, 3], np.int32))
    >>> into = Rows(np.array([0, 0, 0, 2, 4]), np.array([0, 1, 0, 1], np.int32))
    >>> cores(out, into, (2, 2), 100).centres.tolist()
    [[2, 3]]
    """
    left = sides(outlinks, inlinks, least)
    fair = max(FEW, limit // max(int(np.count_nonzero(left.centres >= 0)), 1))
    rows = (*outlinks[:2], *inlinks[:2])
    found, counts = _all(rows, left, least, limit, limit)
    if counts[TRIED] > limit:
        found, counts = _all(rows, sides(outlinks, inlinks, least), least, fair, _ENDLESS)
    return Cores(distinct(found), dict(zip(TOLD, counts.tolist(), strict=True)))


_ENDLESS = np.iinfo(np.int64).max


def distinct(rows: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Each row once, in order."""
    if not len(rows):
        return rows
    order = np.lexsort(rows.T[::-1])
    rows = rows[order]
    fresh = np.ones(len(rows), bool)
    fresh[1:] = (rows[1:] != rows[:-1]).any(axis=1)
    return rows[fresh]


def common(inlinks: Rows, sets: npt.NDArray[np.int32]) -> Rows:
    """The pages that link to all pages of each set."""
    starts = np.zeros(len(sets) + 1, np.int64)
    nothing = np.zeros(0, np.int32)
    _common(*inlinks[:2], sets, starts, nothing)
    np.cumsum(starts, out=starts)
    ids = np.empty(int(starts[-1]), np.int32)
    _common(*inlinks[:2], sets, starts, ids)
    return Rows(starts, ids)


@njit(nogil=True, cache=True)
def _common(starts: Any, ids: Any, sets: Any, ends: Any, found: Any) -> None:
    """Count the common pages of each set, one place later; or write them where there is room."""
    at = 0
    for row in range(sets.shape[0]):
        short = sets[row, 0]
        for page in sets[row]:
            if starts[page + 1] - starts[page] < starts[short + 1] - starts[short]:
                short = page
        for link in range(starts[short], starts[short + 1]):
            if not _in_all(starts, ids, sets[row], short, ids[link]):
                continue
            if found.size:
                found[at] = ids[link]
                at += 1
            else:
                ends[row + 1] += 1


@njit(nogil=True, cache=True)
def _in_all(starts: Any, ids: Any, rows: Any, but: int, page: int) -> bool:
    """Whether a page stands in all of some rows, but for one that need not be looked at."""
    for row in rows:
        if row != but:
            own = ids[starts[row] : starts[row + 1]]
            place = np.searchsorted(own, page)
            if place == own.size or own[place] != page:
                return False
    return True


@njit(nogil=True, cache=True)
def _all(rows: Any, left: Any, least: Any, share: int, limit: int) -> Any:
    """Every core of a page that can be in one only, then those of each centre that is left."""
    n = left.fans.size
    found = np.empty((1024, least[1]), np.int32)
    counts = np.zeros(10, np.int64)
    seen = np.zeros(n, np.int32)
    at = np.array([0, 0, -1])
    many = 0
    while counts[TRIED] <= limit:
        early = at[2] < 0
        node = _next(left, least, at)
        if early and at[2] >= 0:
            _tell(left, counts, many)
        if node < 0:
            break
        if node < n:
            found, many = _fan(rows, left, node, least, found, many)
            counts[ONE_FAN] += at[2] < 0
        else:
            found, many = _centre(rows, left, node - n, least, found, many, counts, seen, share)
            counts[ONE_CENTRE] += at[2] < 0
        leave(node, left)
        cascade(rows, left, least)
    return found[:many], counts


@njit(nogil=True, cache=True)
def _next(left: Any, least: Any, at: Any) -> Any:
    """A fan, or a centre n higher, with just enough links, else any centre; -1 if none is left.

    `at` is how far we are with the fans and centres that are ready, and with
    all centres, -1 before one was asked for.
    """
    n = left.fans.size
    while at[0] < left.counts[READY_FANS]:
        at[0] += 1
        fan = left.ready[at[0] - 1]
        if left.fans[fan] == least[1]:
            return fan
    while at[1] < left.counts[READY_CENTRES]:
        at[1] += 1
        centre = left.ready[n + at[1] - 1]
        if left.centres[centre] == least[0]:
            return n + centre
    at[2] = max(at[2], 0)
    while at[2] < n and left.centres[at[2]] < 0:
        at[2] += 1
    return n + at[2] if at[2] < n else -1


@njit(nogil=True, cache=True)
def _tell(left: Any, counts: Any, many: int) -> None:
    """What was left out, and what is left once nobody can be in one core only."""
    counts[FEW_LINKS], counts[FEW_FANS] = left.counts[FANS], left.counts[CENTRES]
    counts[EARLY] = many
    for page in range(left.fans.size):
        counts[LEFT_FANS] += left.fans[page] >= 0
        counts[LEFT_CENTRES] += left.centres[page] >= 0
        counts[LEFT_LINKS] += max(left.fans[page], 0)


@njit(nogil=True, cache=True)
def _fan(rows: Any, left: Any, fan: int, least: Any, found: Any, many: int) -> Any:
    """The only core that a fan with just enough links can be in, if it is one."""
    out_starts, out_ids, in_starts, in_ids = rows
    found = _room(found, many)
    size = 0
    for link in range(out_starts[fan], out_starts[fan + 1]):
        if left.centres[out_ids[link]] >= 0:
            found[many, size] = out_ids[link]
            size += 1
    first, fans = found[many, 0], 0
    for link in range(in_starts[first], in_starts[first + 1]):
        page = in_ids[link]
        if left.fans[page] >= 0 and _in_all(in_starts, in_ids, found[many], first, page):
            fans += 1
    return found, many + (fans >= least[0])


@njit(nogil=True, cache=True)
def _room(found: Any, many: int) -> Any:
    if many < len(found):
        return found
    larger = np.empty((2 * len(found), found.shape[1]), np.int32)
    larger[: len(found)] = found
    return larger


@njit(nogil=True, cache=True)
def _centre(
    rows: Any,
    left: Any,
    head: int,
    least: Any,
    found: Any,
    many: int,
    counts: Any,
    seen: Any,
    share: int,
) -> Any:
    """All cores that a centre is in, by the fans of others among its own fans, as bits."""
    others, masks = _beside(rows, left, head, least, seen)
    size, words = least[1] - 1, masks.shape[1]
    held = np.empty((size + 1, words), np.uint64)
    held[0] = ~np.uint64(0)
    chosen = np.empty(size, np.int32)
    tried, depth, at = 0, 0, 0
    while True:
        if at > others.size - (size - depth):
            if depth == 0:
                break
            depth -= 1
            at = chosen[depth] + 1
            continue
        if tried == share:
            counts[SHORT] += 1
            break
        tried += 1
        fans = 0
        for word in range(words):
            held[depth + 1, word] = held[depth, word] & masks[at, word]
            fans += _bits(held[depth + 1, word])
        if fans >= least[0]:
            chosen[depth] = at
            if depth + 1 == size:
                found = _room(found, many)
                _put(found[many], head, others, chosen)
                many += 1
            else:
                depth += 1
        at += 1
    counts[TRIED] += tried
    return found, many


@njit(nogil=True, cache=True)
def _beside(rows: Any, left: Any, head: int, least: Any, seen: Any) -> Any:
    """Other centres that enough fans of one link to, ascending, and which of its fans they are."""
    out_starts, out_ids, in_starts, in_ids = rows
    own = np.empty(left.centres[head], np.int32)
    fans = 0
    for link in range(in_starts[head], in_starts[head + 1]):
        if left.fans[in_ids[link]] >= 0:
            own[fans] = in_ids[link]
            fans += 1
    others = _shared(out_starts, out_ids, left, own, head, least[0], seen)
    masks = np.zeros((others.size, (fans + 63) >> 6), np.uint64)
    for place in range(others.size):
        seen[others[place]] = place + 1
    for bit in range(fans):
        for link in range(out_starts[own[bit]], out_starts[own[bit] + 1]):
            place = seen[out_ids[link]]
            if place:
                masks[place - 1, bit >> 6] |= np.uint64(1) << np.uint64(bit & 63)
    for other in others:
        seen[other] = 0
    return others, masks


@njit(nogil=True, cache=True)
def _shared(starts: Any, ids: Any, left: Any, fans: Any, head: int, enough: int, seen: Any) -> Any:
    """The centres, but for one, that enough of some fans link to, ascending."""
    room = 0
    for fan in fans:
        room += left.fans[fan]
    others = np.empty(room, np.int32)
    many = 0
    for fan in fans:
        for other in ids[starts[fan] : starts[fan + 1]]:
            if left.centres[other] >= 0 and other != head:
                seen[other] += 1
                if seen[other] == enough:
                    others[many] = other
                    many += 1
    for fan in fans:
        for other in ids[starts[fan] : starts[fan + 1]]:
            seen[other] = 0
    return np.sort(others[:many])


@njit(nogil=True, cache=True)
def _bits(word: Any) -> Any:
    """How many bits are set."""
    word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + (
        (word >> np.uint64(2)) & np.uint64(0x3333333333333333)
    )
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@njit(nogil=True, cache=True)
def _put(row: Any, head: int, others: Any, chosen: Any) -> None:
    """Write a core's centres, which ascend, and the head among them."""
    at = 0
    placed = False
    for place in chosen:
        if not placed and others[place] > head:
            row[at] = head
            at += 1
            placed = True
        row[at] = others[place]
        at += 1
    if not placed:
        row[at] = head
