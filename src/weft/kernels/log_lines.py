"""Split the lines of an access log into fields, number their distinct values, parse times.

A line is a literal, a field, a literal, and so on. A field ends at a quote, a
bracket, white space, or the first byte of the literal after it. Nothing is
copied: a distinct value is known by the place of its first occurrence. Lines
that do not have this form are left to a stricter and slower parser.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from weft.core.arrays import LOW_32_BITS, Hashes, Ids, Offsets
from weft.kernels.compiler import njit, njit_without_counts
from weft.kernels.log_fields import (
    ASKS_FOR_RULES,
    ASSETS,
    BLANK,
    IS_ASSET,
    IS_PAGE,
    LONGEST_RUN,
    PADDING_BYTES,
    PARSED,
    REQUESTS,
    RULES,
    RUN_PAGES,
    UNREFERRED,
    WITHOUT_REFERRER,
    Content,
    Extent,
    FieldPlan,
)

FIRST_SLOTS, EMPTY_SLOT = 1 << 12, -1
NO_TIME = np.int64(-(1 << 62))
MULTIPLIER = np.uint64(0xA0761D6478BD642F)
INCREMENT = np.uint64(0xE7037ED1A0B428DB)
MONTHS = np.frombuffer(b"JanFebMarAprMayJunJulAugSepOctNovDec", np.uint8)
MONTH_DAYS = np.array([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])
LOW_BITS, HIGH_BITS = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
LINE_ENDS, QUOTES, BACKSLASHES, BRACKETS, TABS, QUESTION_MARKS = (
    np.uint64(byte * 0x0101010101010101) for byte in (10, 34, 92, 93, 9, 63)
)
PLUS, DASH, COLON, SPACE, QUOTE = 43, 45, 58, 32, 34


def declare_intrinsic(function: Callable[..., Any]) -> Any:
    """Declare an instruction; its callers leave out the context."""
    return intrinsic(function)


class SplitLines(NamedTuple):
    """What the lines of a block contain.

    `states` says which lines were parsed. `codes[c, line]` is the number of the
    value in text column c, and `starts[c, code]` and `ends[c, code]` are the
    place of that value, of which there are `distinct[c]`.
    """

    states: Any
    line_starts: Ids
    line_ends: Ids
    times: Offsets
    statuses: Any
    codes: Any
    starts: Any
    ends: Any
    distinct: Ids


@declare_intrinsic
def _load_word(_context: Any, array: Any, at: Any) -> Any:  # noqa: ARG001
    """The eight bytes at an offset."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        word = context.get_value_type(types.uint64).as_pointer()
        return builder.load(builder.bitcast(builder.gep(data, [args[1]]), word), align=1)

    return types.uint64(array, types.int64), codegen


@declare_intrinsic
def _fold_product(_context: Any, left: Any, right: Any) -> Any:  # noqa: ARG001
    """The high half of a 128-bit product, added bit by bit to the low half."""

    def codegen(context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        word = context.get_value_type(types.uint64)
        wide = type(word)(128)
        product = builder.mul(builder.zext(args[0], wide), builder.zext(args[1], wide))
        high = builder.trunc(builder.lshr(product, wide(64)), word)
        return builder.xor(high, builder.trunc(product, word))

    return types.uint64(types.uint64, types.uint64), codegen


@declare_intrinsic
def _trailing_zeros(_context: Any, word: Any) -> Any:  # noqa: ARG001
    """The number of zero bits below the lowest one bit."""

    def codegen(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), codegen


@njit_without_counts
def _zero_bytes(word: Any) -> Any:
    """A word in which the high bit of the lowest zero byte is the lowest one bit; 0 for none."""
    return (word - LOW_BITS) & ~word & HIGH_BITS


@njit_without_counts
def _find_byte(data: Any, at: int, end: int, repeated: Any) -> Any:
    """The place of a byte, given as a word of eight of it; `end` if it does not occur."""
    while at < end:
        found = _zero_bytes(_load_word(data, at) ^ repeated)
        if found:
            return min(end, at + np.int64(_trailing_zeros(found) >> np.uint64(3)))
        at += 8
    return end


def split_lines(data: Any, plan: FieldPlan, lines: int, seed: int) -> SplitLines:
    """Split every line of a block, which ends with a line end and padding.

    `lines` is the number of line ends. `seed` makes the hash table safe
    against values chosen to collide.
    """
    columns = int(plan.columns.max(initial=-1)) + 1
    slots = max(FIRST_SLOTS, 1 << (2 * lines - 1).bit_length())
    split = SplitLines(
        np.zeros(lines, np.uint8),
        np.zeros(lines, np.int32),
        np.zeros(lines, np.int32),
        np.zeros(lines, np.int64),
        np.zeros(lines, np.int16),
        np.zeros((columns, lines), np.int32),
        np.zeros((columns, lines), np.int32),
        np.zeros((columns, lines), np.int32),
        np.zeros(columns, np.int32),
    )
    table, hashes = np.empty((columns, slots), np.int64), np.empty((columns, lines), np.uint64)
    table[:, :FIRST_SLOTS] = EMPTY_SLOT
    sizes, places = np.full(columns, FIRST_SLOTS), np.zeros((2, len(plan.contents)), np.int64)
    _split_lines(data, plan, np.uint64(seed), places, table, sizes, hashes, split)
    return split


@njit_without_counts
def _split_lines(
    data: Any, plan: FieldPlan, seed: Any, places: Any, table: Any, sizes: Any, hashes: Any,
    split: Any,
) -> None:  # fmt: skip
    start = 0
    field_starts, field_ends = places[0], places[1]
    for line in range(split.states.size):
        stop = _find_byte(data, start, data.size - PADDING_BYTES, LINE_ENDS)
        end = stop
        while end > start and _is_space(data[end - 1]):
            end -= 1
        split.line_starts[line], split.line_ends[line] = start, end
        if end == start:
            split.states[line] = BLANK
        elif _split_line(data, start, end, plan, field_starts, field_ends):
            time, status = _check_fields(data, plan, field_starts, field_ends)
            if time != NO_TIME:
                split.states[line] = PARSED
                split.times[line], split.statuses[line] = time, status
                _number_values(data, line, plan, places, seed, table, sizes, hashes, split)
        start = stop + 1


@njit_without_counts
def _number_values(
    data: Any, line: int, plan: FieldPlan, places: Any, seed: Any, table: Any, sizes: Any,
    hashes: Any, split: Any,
) -> None:  # fmt: skip
    for k in range(plan.contents.size):
        column = plan.columns[k]
        if column >= 0:
            start, end = places[0, k], places[1, k]
            if plan.contents[k] == Content.URL:
                end = _find_byte(data, start, end, QUESTION_MARKS)
            split.codes[column, line] = _number_value(
                data, start, end, seed, table, sizes, hashes, split, column
            )


@njit_without_counts
def _split_line(data: Any, at: int, end: int, plan: FieldPlan, starts: Any, ends: Any) -> bool:
    literal = 0
    for k in range(plan.contents.size + 1):
        while literal < plan.literal_ends[k]:
            if at >= end or data[at] != plan.literals[literal]:
                return False
            at += 1
            literal += 1
        if k < plan.contents.size:
            starts[k] = at
            stop = plan.literals[literal] if literal < plan.literals.size else SPACE
            at = _field_end(data, at, end, plan.extents[k], stop)
            ends[k] = at
            is_bare = plan.extents[k] != Extent.QUOTED and plan.extents[k] != Extent.REST
            if at < starts[k] or (is_bare and at == starts[k]):
                return False
    return at == end


@njit_without_counts
def _quote(data: Any, at: int, end: int) -> Any:
    """The place of the next quote without a backslash; -1 for none."""
    while at < end:
        word = _load_word(data, at)
        found = _zero_bytes(word ^ QUOTES) | _zero_bytes(word ^ BACKSLASHES)
        if not found:
            at += 8
            continue
        at += np.int64(_trailing_zeros(found) >> np.uint64(3))  # type: ignore[assignment]
        if at >= end or data[at] == QUOTE:
            break
        at += 2
    return at if at < end else -1


@njit_without_counts
def _field_end(data: Any, at: int, end: int, extent: int, stop: int) -> Any:
    """Where a field ends; -1 if its quote or bracket does not close."""
    if extent == Extent.QUOTED:
        return _quote(data, at, end)
    if extent == Extent.BRACKETED:
        at = _find_byte(data, at, end, BRACKETS)
        return at if at < end else -1
    if extent == Extent.TABBED:
        return _find_byte(data, at, end, TABS)
    if extent == Extent.REST:
        return end
    while at < end and not _is_space(data[at]) and data[at] != stop:
        at += 1
    return at


@njit_without_counts
def _check_fields(data: Any, plan: FieldPlan, starts: Any, ends: Any) -> Any:
    """Time and status of a line; the time is `NO_TIME` if a field is not what it should be."""
    time, status, has_time = np.int64(0), 0, False
    for k in range(plan.contents.size):
        content, start, end = plan.contents[k], starts[k], ends[k]
        if content == Content.STATUS:
            status = _digits(data, start, end) if end - start == 3 else -1
            if status < 0:
                return NO_TIME, 0
        elif content == Content.SIZE:
            is_dash = end - start == 1 and data[start] == DASH
            if not is_dash and _digits(data, start, end) < 0:
                return NO_TIME, 0
        elif content > Content.SIZE:
            value = _time_value(data, start, end, content)
            if value == NO_TIME:
                return NO_TIME, 0
            time += value
            has_time = True
    return (time, status) if has_time else (NO_TIME, 0)


@njit_without_counts
def _time_value(data: Any, start: int, end: int, content: int) -> Any:
    """The seconds of a time, a date or a clock; `NO_TIME` if it is none."""
    if content == Content.COMMON_TIME:
        return _common_time(data, start, end)
    if content == Content.ISO_TIME:
        return _iso_time(data, start, end)
    if content == Content.UNIX_TIME:
        return _unix_time(data, start, end)
    if content == Content.DATE:
        return _date(data, start) if end - start == 10 else NO_TIME
    return _clock(data, start) if end - start == 8 else NO_TIME


@njit_without_counts
def _is_space(byte: int) -> bool:
    return byte == SPACE or 9 <= byte <= 13


@njit_without_counts
def _digits(data: Any, start: int, end: int) -> Any:
    """A number of up to eighteen digits; -1 if it is none."""
    number = 0
    if end <= start:
        return -1
    for at in range(start, end):
        digit = np.int64(data[at]) - 48
        if digit < 0 or digit > 9:
            return -1
        if at - start < 18:
            number = 10 * number + digit  # type: ignore[assignment]
    return number


@njit_without_counts
def _seconds_of_day(year: int, month: int, day: int) -> Any:
    """Unix seconds at the start of a day; `NO_TIME` if there is no such day."""
    if year < 1 or month < 1 or month > 12 or day < 1:
        return NO_TIME
    is_leap = (year % 4 == 0 and year % 100 != 0) or year % 400 == 0
    if day > MONTH_DAYS[month - 1] + (is_leap and month == 2):
        return NO_TIME
    # Days since the first of March of year 0, so that a leap day ends its year.
    years = year - (month <= 2)
    days = 365 * years + years // 4 - years // 100 + years // 400
    days += (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    return np.int64(86_400) * (days - 719_468)


@njit_without_counts
def _clock(data: Any, at: int) -> Any:
    """The seconds of `HH:MM:SS`."""
    hour, minute = _digits(data, at, at + 2), _digits(data, at + 3, at + 5)
    second = _digits(data, at + 6, at + 8)
    if data[at + 2] != COLON or data[at + 5] != COLON:
        return NO_TIME
    if not (0 <= hour < 24 and 0 <= minute < 60 and 0 <= second < 60):
        return NO_TIME
    return np.int64(3600 * hour + 60 * minute + second)


@njit_without_counts
def _zone(data: Any, at: int, minutes_at: int) -> Any:
    """The seconds that a zone is ahead of UTC."""
    hours, minutes = _digits(data, at + 1, at + 3), _digits(data, minutes_at, minutes_at + 2)
    sign = data[at]
    if sign not in (PLUS, DASH) or not (0 <= hours < 24 and 0 <= minutes < 60):
        return NO_TIME
    return np.int64((3600 * hours + 60 * minutes) * (1 if sign == PLUS else -1))


@njit_without_counts
def _common_time(data: Any, start: int, end: int) -> Any:
    if end - start != 26 or data[start + 2] != 47 or data[start + 6] != 47:
        return NO_TIME
    month = 0
    for k in range(12):
        if (
            data[start + 3] == MONTHS[3 * k]
            and data[start + 4] == MONTHS[3 * k + 1]
            and data[start + 5] == MONTHS[3 * k + 2]
        ):
            month = k + 1
    year, day = _digits(data, start + 7, start + 11), _digits(data, start, start + 2)
    seconds = _seconds_of_day(year, month, day)
    clock, zone = _clock(data, start + 12), _zone(data, start + 21, start + 24)
    if data[start + 11] != COLON or data[start + 20] != SPACE:
        return NO_TIME
    if NO_TIME in (seconds, clock, zone):
        return NO_TIME
    return seconds + clock - zone


@njit_without_counts
def _date(data: Any, at: int) -> Any:
    if data[at + 4] != DASH or data[at + 7] != DASH:
        return NO_TIME
    year, month = _digits(data, at, at + 4), _digits(data, at + 5, at + 7)
    return _seconds_of_day(year, month, _digits(data, at + 8, at + 10))


@njit_without_counts
def _iso_time(data: Any, start: int, end: int) -> Any:
    """A time without fraction, in UTC or with a zone such as +02:00."""
    if end - start < 20 or data[start + 10] != 84:
        return NO_TIME
    seconds, clock = _date(data, start), _clock(data, start + 11)
    zone = NO_TIME
    if end - start == 20 and data[start + 19] == 90:
        zone = np.int64(0)
    elif end - start == 25 and data[start + 22] == COLON:
        zone = _zone(data, start + 19, start + 23)
    if NO_TIME in (seconds, clock, zone):
        return NO_TIME
    return seconds + clock - zone


@njit_without_counts
def _unix_time(data: Any, start: int, end: int) -> Any:
    """Seconds of at most eleven digits; what follows a point is ignored."""
    point = start
    while point < end and data[point] != 46:
        point += 1
    is_number = point - start <= 11 and (point == end or _digits(data, point + 1, end) >= 0)
    seconds = _digits(data, start, point) if is_number else -1
    return np.int64(seconds) if seconds >= 0 else NO_TIME


@njit_without_counts
def _number_value(
    data: Any, start: int, end: int, seed: Any, table: Any, sizes: Any, hashes: Any, split: Any,
    column: int,
) -> Any:  # fmt: skip
    """The number of a value, in the order of first occurrence.

    A slot of the table has the high bits of a hash above the number of its value.
    """
    key = _hash_bytes(data, start, end, seed)
    tag, mask = np.int64(key >> np.uint64(33)), sizes[column] - 1
    slot = np.int64(key) & mask
    while table[column, slot] != EMPTY_SLOT:
        if table[column, slot] >> 32 == tag:
            code = table[column, slot] & LOW_32_BITS
            if _is_same(data, split.starts[column, code], split.ends[column, code], start, end):
                return code
        slot = (slot + 1) & mask
    code = np.int64(split.distinct[column])
    table[column, slot] = tag << 32 | code
    hashes[column, code] = key
    split.starts[column, code], split.ends[column, code] = start, end
    split.distinct[column] = code + 1
    if 2 * (code + 1) >= sizes[column]:
        _grow_table(table[column], hashes[column], sizes, column, code + 1)
    return code


@njit_without_counts
def _grow_table(table: Any, hashes: Any, sizes: Any, column: int, values: Any) -> None:
    """Use twice as many slots: small tables stay in the cache of the processor."""
    if 2 * sizes[column] > table.size:
        return
    sizes[column] *= 2
    mask = sizes[column] - 1
    table[: sizes[column]] = EMPTY_SLOT
    for code in range(values):
        slot = np.int64(hashes[code]) & mask
        while table[slot] != EMPTY_SLOT:
            slot = (slot + 1) & mask
        table[slot] = np.int64(hashes[code] >> np.uint64(33)) << 32 | code


@njit_without_counts
def _is_same(data: Any, start: int, end: int, other_start: int, other_end: int) -> bool:
    if end - start != other_end - other_start:
        return False
    while start + 8 <= end:
        if _load_word(data, start) != _load_word(data, other_start):
            return False
        start += 8
        other_start += 8
    difference = _load_word(data, start) ^ _load_word(data, other_start)
    return start == end or difference << np.uint64(8 * (8 - (end - start))) == 0


@njit_without_counts
def _hash_bytes(data: Any, start: int, end: int, seed: Any) -> Any:
    key = _fold_product(seed ^ np.uint64(end - start), MULTIPLIER)
    at = start
    while at + 8 <= end:
        key = _fold_product(_load_word(data, at) ^ key ^ seed, INCREMENT)
        at += 8
    if at < end:
        unused_bits = np.uint64(8 * (8 - (end - at)))
        tail = (_load_word(data, at) << unused_bits) >> unused_bits
        key = _fold_product(tail ^ key ^ seed, INCREMENT)
    return _fold_product(key ^ seed, MULTIPLIER)


@njit(nogil=True, cache=True)
def number_pairs(left: Ids, right: Ids) -> Any:
    """Number distinct pairs in the order of first occurrence.

    Returns the number of each pair, and the row of each number's first pair.
    """
    slots = 16
    while slots < 2 * left.size:
        slots *= 2
    table = np.full(slots, -1, np.int32)
    codes, firsts = np.empty(left.size, np.int32), np.empty(left.size, np.int32)
    distinct, mask = 0, np.uint64(slots - 1)
    for row in range(left.size):
        pair = (np.uint64(left[row]) << np.uint64(32)) | np.uint64(right[row])
        slot = _fold_product(pair ^ INCREMENT, MULTIPLIER) & mask
        while table[slot] >= 0:
            first = firsts[table[slot]]
            if left[first] == left[row] and right[first] == right[row]:
                break
            slot = (slot + np.uint64(1)) & mask
        if table[slot] < 0:
            table[slot] = distinct
            firsts[distinct] = row
            distinct += 1
        codes[row] = table[slot]
    return codes, firsts[:distinct]


@njit(nogil=True, cache=True)
def count_requests(
    visitors: Ids, times: Offsets, kinds: Any, counts: Any, run_starts: Offsets
) -> None:
    """Add requests to the counts of their visitors, a row of `counts` each.

    A run is a sequence of pages at more than one a second.
    """
    for k in range(visitors.size):
        row, kind, time = visitors[k], kinds[k], times[k]
        counts[row, REQUESTS] += 1
        counts[row, ASSETS] += kind & IS_ASSET != 0
        counts[row, UNREFERRED] += kind & WITHOUT_REFERRER != 0
        counts[row, RULES] += kind & ASKS_FOR_RULES != 0
        if kind & IS_PAGE:
            elapsed = time - run_starts[row]
            if elapsed < 0 or elapsed > counts[row, RUN_PAGES]:
                run_starts[row], counts[row, RUN_PAGES] = time, 0
            counts[row, RUN_PAGES] += 1
            counts[row, LONGEST_RUN] = max(counts[row, LONGEST_RUN], counts[row, RUN_PAGES])


@njit(nogil=True, cache=True)
def number_hashes(keys: Hashes, slots: Ids, hashes: Hashes, known: int) -> Any:
    """The number of each key: known ones are `hashes[:known]`, new ones are put after them.

    `slots` is an open hash table of numbers, with at least twice as many slots
    as there are keys in the end; -1 marks an empty slot.
    """
    numbers, mask = np.empty(keys.size, np.int32), np.uint64(slots.size - 1)
    for k in range(keys.size):
        slot = keys[k] & mask
        while slots[slot] >= 0 and hashes[slots[slot]] != keys[k]:
            slot = (slot + np.uint64(1)) & mask
        if slots[slot] < 0:
            slots[slot] = known
            hashes[known] = keys[k]
            known += 1
        numbers[k] = slots[slot]
    return numbers, known
