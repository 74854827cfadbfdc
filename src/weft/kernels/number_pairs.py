"""Parse lines of two numbers, the links of a numbered graph."""

from typing import Any

import numpy as np

from weft.core.arrays import Offsets
from weft.kernels.compiler import njit

MAX_DIGITS = 18
NEWLINE, SPACE, TAB, HASH, ZERO, NINE = (np.uint8(ord(sign)) for sign in "\n \t#09")


def parse_number_pairs(
    text: bytes, delimiter: str, *, comments: bool
) -> tuple[Offsets, Offsets] | None:
    r"""The two numbers of each line; None if some line is anything else.

    Numbers are decimal, without sign or leading zeros, of up to 18 digits. Cells
    may have blanks around them; the delimiter " " is any run of blanks. Empty
    lines are skipped, and with `comments` those that begin with `#`.

    Examples
    --------
    >>> source, target = parse_number_pairs(b"# web\n0 12\n\n7\t3\n", " ", comments=True)
    >>> source.tolist(), target.tolist()
    ([0, 7], [12, 3])
    >>> parse_number_pairs(b"0 12\n7 x\n", " ", comments=True) is None
    True
    """
    signs = np.frombuffer(text, np.uint8)
    ends = np.empty((2, text.count(b"\n") + 1), np.int64)
    count = _parse_lines(signs, np.uint8(ord(delimiter)), comments, ends)
    return None if count < 0 else (ends[0, :count], ends[1, :count])


@njit(nogil=True, cache=True)
def _parse_lines(text: Any, delimiter: Any, comments: Any, ends: Any) -> int:
    """Parse all lines; return their number, or -1."""
    at, count = 0, 0
    while at < text.size:
        at = _skip_blanks(text, at, delimiter)
        if comments and at < text.size and text[at] == HASH:
            while at < text.size and text[at] != NEWLINE:
                at += 1
        if at < text.size and text[at] != NEWLINE:
            at, ends[0, count], ends[1, count] = _parse_pair(text, at, delimiter)
            count += 1
            if at < 0 or (at < text.size and text[at] != NEWLINE):
                return -1
        at += 1
    return count


@njit(nogil=True, cache=True)
def _parse_pair(text: Any, at: int, delimiter: Any) -> Any:
    """The position after a pair, -1 if there is none, and the two numbers."""
    at, source = _parse_number(text, at)
    at = _skip_delimiter(text, at, delimiter)
    if source < 0 or at < 0:
        return -1, source, source
    at, target = _parse_number(text, at)
    return (_skip_blanks(text, at, delimiter) if target >= 0 else -1), source, target


@njit(nogil=True, cache=True, inline="always")
def _skip_blanks(text: Any, at: int, delimiter: Any) -> int:
    """The position after some blanks; a tab is one unless it is the delimiter."""
    blank = SPACE if delimiter == TAB else TAB
    while at < text.size and (text[at] == SPACE or text[at] == blank):
        at += 1
    return at


@njit(nogil=True, cache=True, inline="always")
def _skip_delimiter(text: Any, at: int, delimiter: Any) -> int:
    """The position after one delimiter and the blanks around it; -1 if there is none."""
    first = at
    at = _skip_blanks(text, at, delimiter)
    if delimiter == SPACE:
        return at if at > first else -1
    if at == text.size or text[at] != delimiter:
        return -1
    return _skip_blanks(text, at + 1, delimiter)


@njit(nogil=True, cache=True, inline="always")
def _parse_number(text: Any, at: int) -> Any:
    """The position after a number, and the number; -1 if there is none."""
    first, number = at, np.int64(0)
    while at < text.size and ZERO <= text[at] <= NINE:
        number = number * 10 + (text[at] - ZERO)
        at += 1
        if at - first > MAX_DIGITS:
            return at, np.int64(-1)
    if at == first or (text[first] == ZERO and at > first + 1):
        return at, np.int64(-1)
    return at, number
