"""Kernels that sum over links: one pass over the bins, or over compressed rows."""

from typing import Any

import numpy as np
from numba import njit

from weft.engine.bins import FLAG, MASK, SIZE, STREAMS, Bins
from weft.engine.flow import Less, Visits
from weft.engine.pool import done, take, wait

ONE = np.uint64(1)
KEPT = np.array([1.0, 0.0])
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
def forward_less(
    queue: Any, bins: Bins, x: Any, carried: Any, less: Less, y: Any, told: Any
) -> None:
    """Set `y` to the sum of `x` over the links into each page, less two other vectors."""
    _send(queue, bins, x, carried)
    sums = np.empty(SIZE)
    while True:
        part = take(queue, 1)
        if part >= len(bins.messages):
            break
        _receive(part, bins, carried, sums)
        one = less.one[part << bins.shift : (part + 1) << bins.shift]
        two = less.two[part << bins.shift : (part + 1) << bins.shift]
        for page in range(one.size):
            sums[page] -= less.ones * one[page] + less.twos * two[page]
        _settle(y, part, bins, sums, 1.0, told[part])


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
        links = bins.links[part, 0] + bins.cuts[part, 0]
        messages = bins.messages[part, 0] - ONE + bins.cuts[part, 1]
        count = np.min(links[1:] - links[:-1])
        sums = _add_up(bins.receivers, links, messages, count, values, carried)
        for k in range(STREAMS):
            at, whole = messages[k], sums[k]
            for link in range(links[k] + count, links[k + 1]):
                at, whole = _add(bins.receivers[link], at, whole, values, carried)
        done(queue)
    wait(queue, len(bins.messages))


@njit(nogil=True, cache=True)
def _add_up(
    receivers: Any, links: Any, messages: Any, count: Any, values: Any, carried: Any
) -> Any:
    """Four stretches of links side by side, so that no sum need wait for another."""
    one, two, three, four = links[0], links[1], links[2], links[3]
    i, j, k, m = messages[0], messages[1], messages[2], messages[3]
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    for step in range(count):
        i, a = _add(receivers[one + step], i, a, values, carried)
        j, b = _add(receivers[two + step], j, b, values, carried)
        k, c = _add(receivers[three + step], k, c, values, carried)
        m, d = _add(receivers[four + step], m, d, values, carried)
    messages[0], messages[1], messages[2], messages[3] = i, j, k, m
    return a, b, c, d


@njit(nogil=True, cache=True)
def _add(word: Any, message: Any, whole: float, values: Any, carried: Any) -> Any:
    """One link more: which message it belongs to, and what that comes to so far.

    Where a message begins, nothing is kept of the last one. To multiply is
    faster than to choose, and right, for no value is infinite.
    """
    fresh = word >> FLAG
    message += np.uint64(fresh)
    whole = whole * KEPT[fresh] + values[np.uint64(word & MASK)]
    carried[message] = whole
    return message, whole
