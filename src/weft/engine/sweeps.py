"""Kernels that sum over links: one pass over the bins, or over compressed rows."""

from typing import Any

import numpy as np
from numba import njit

from weft.engine.bins import FLAG, MASK, SIZE, Bins
from weft.engine.flow import Visits
from weft.engine.pool import done, take, wait

ONE = np.uint64(1)
LEAST = 1e-36  # below it half-size messages lose digits, and processors their speed


@njit(nogil=True, cache=True)
def forward(queue: Any, bins: Bins, x: Any, carried: Any, scale: float, y: Any, told: Any) -> None:
    """Set `y` to the scaled sum of `x` over the links into each page."""
    _send(queue, bins, x, carried)
    sums = np.empty(SIZE)
    while True:
        part = take(queue, 1)
        if part >= len(bins.messages):
            break
        _receive(part, bins, carried, sums)
        _settle(y, part, bins, sums, scale, told[part])


@njit(nogil=True, cache=True)
def backward(queue: Any, bins: Bins, x: Any, carried: Any, scale: float, y: Any, told: Any) -> None:
    """Set `y` to the scaled sum of `x` over the links out of each page."""
    _collect(queue, bins, x, carried)
    parts = len(bins.messages)
    sums = np.empty(SIZE)
    while True:
        part = take(queue, 1)
        if part >= parts:
            break
        sums[: 1 << bins.shift] = 0
        for other in range(parts):
            for message in range(bins.messages[other, part], bins.messages[other, part + 1]):
                sums[np.uint64(bins.senders[message])] += carried[message]
        _settle(y, part, bins, sums, scale, told[part])


@njit(nogil=True, cache=True)
def pass_on(queue: Any, bins: Bins, carried: Any, visits: Visits, told: Any) -> None:
    """Add what arrives to the total, and set what is sent to what each page passes on of it."""
    sent, total, each, jump, base = visits
    _send(queue, bins, sent, carried)
    sums = np.empty(SIZE)
    even = jump.size == 1
    while True:
        part = take(queue, 1)
        if part >= len(bins.messages):
            break
        _receive(part, bins, carried, sums)
        start = part << bins.shift
        change, stuck = 0.0, 0.0
        for page in range(start, min(total.size, start + (1 << bins.shift))):
            arrived = sums[page - start] + base * jump[0 if even else page]
            total[page] += arrived
            onward = arrived * each[page]
            sent[page] = onward if abs(onward) > LEAST else 0.0
            change += abs(arrived)
            stuck += arrived if each[page] == 0 else 0.0
        told[part, 0] = change
        told[part, 1] = stuck


@njit(nogil=True, cache=True)
def _send(queue: Any, bins: Bins, x: Any, carried: Any) -> None:
    """From each source partition, write every page's value into its messages."""
    parts = len(bins.messages)
    while True:
        part = take(queue)
        if part >= parts:
            break
        values = x[part << bins.shift : (part + 1) << bins.shift]
        for other in range(parts):
            for message in range(bins.messages[other, part], bins.messages[other, part + 1]):
                carried[message] = values[bins.senders[message]]
        done(queue)
    wait(queue, parts)


@njit(nogil=True, cache=True)
def _receive(part: Any, bins: Bins, carried: Any, sums: Any) -> None:
    """At a target partition, add every message up at the pages that it is for."""
    sums[: 1 << bins.shift] = 0
    message = bins.messages[part, 0] - ONE
    for link in range(bins.links[part, 0], bins.links[part, -1]):
        word = bins.receivers[link]
        message += np.uint64(word >> FLAG)
        sums[np.uint64(word & MASK)] += carried[message]


@njit(nogil=True, cache=True)
def _settle(y: Any, part: Any, bins: Bins, sums: Any, scale: float, told: Any) -> None:
    """Replace a stretch of `y`; tell its squares, its sum and its change."""
    start = part << bins.shift
    squares, whole, change = 0.0, 0.0, 0.0
    for page in range(start, min(y.size, start + (1 << bins.shift))):
        new = scale * sums[page - start]
        change += abs(new - y[page])
        whole += new
        squares += new * new
        y[page] = new
    told[0] = squares
    told[1] = whole
    told[2] = change


@njit(nogil=True, cache=True)
def _collect(queue: Any, bins: Bins, x: Any, carried: Any) -> None:
    """The way back: at each target partition, add up the pages that each message was for."""
    while True:
        part = take(queue)
        if part >= len(bins.messages):
            break
        values = x[part << bins.shift : (part + 1) << bins.shift]
        middle = _middle(bins.links[part])
        one, two = bins.links[part, 0], bins.links[part, middle]
        count = min(two - one, bins.links[part, -1] - two)
        at = _add_up(bins, part, middle, count, values, carried)
        _add_up_rest(bins, one + count, two, at[0], at[1], values, carried)
        _add_up_rest(bins, two + count, bins.links[part, -1], at[2], at[3], values, carried)
        done(queue)
    wait(queue, len(bins.messages))


@njit(nogil=True, cache=True)
def _middle(starts: Any) -> int:
    """The group of links at which about half of them are past."""
    wanted = (starts[0] + starts[-1]) // np.uint64(2)
    middle = 0
    while middle < starts.size - 1 and starts[middle] < wanted:
        middle += 1
    return middle


@njit(nogil=True, cache=True)
def _add_up(bins: Bins, part: Any, middle: Any, count: Any, values: Any, carried: Any) -> Any:
    """Two stretches of links side by side, so that one sum need not wait for the other."""
    one, two = bins.links[part, 0], bins.links[part, middle]
    first, second = bins.messages[part, 0] - ONE, bins.messages[part, middle] - ONE
    left, right = 0.0, 0.0
    for k in range(count):
        word, other = bins.receivers[one + k], bins.receivers[two + k]
        first += np.uint64(word >> FLAG)
        second += np.uint64(other >> FLAG)
        left = (0.0 if word >> FLAG else left) + values[np.uint64(word & MASK)]
        right = (0.0 if other >> FLAG else right) + values[np.uint64(other & MASK)]
        carried[first] = left
        carried[second] = right
    return first, left, second, right


@njit(nogil=True, cache=True)
def _add_up_rest(
    bins: Bins, start: Any, end: Any, message: Any, whole: float, values: Any, carried: Any
) -> None:
    for link in range(start, end):
        word = bins.receivers[link]
        message += np.uint64(word >> FLAG)
        whole = (0.0 if word >> FLAG else whole) + values[np.uint64(word & MASK)]
        carried[message] = whole
