"""How names begin: the scheme and host of a URL, and its first folder."""

from typing import Any

import numpy as np
from numba import njit

from weft.core.arrays import Flags, Offsets

SCHEMES = tuple(np.frombuffer(name, np.uint8) for name in (b"http", b"https", b"ftp", b"file"))
SLASH, QUERY, PART, COLON = (np.uint8(ord(sign)) for sign in "/?#:")


@njit(nogil=True, cache=True)
def heads(starts: Offsets, letters: Any, folders: bool) -> tuple[Flags, Offsets]:  # noqa: FBT001
    """Which names begin otherwise than the one before, and where each beginning ends.

    It ends with the host, or with the first folder below it; a name that is no
    URL is all beginning.

    Examples
    --------
    >>> text = np.frombuffer(b"http://a.b/xhttp://a.b/y/zBede", np.uint8)
    >>> [found.tolist() for found in heads(np.array([0, 12, 26, 30]), text, False)]
    [[True, False, True], [10, 22, 30]]
    """
    fresh, ends = np.ones(starts.size - 1, np.bool_), np.empty(starts.size - 1, np.int64)
    for name in range(ends.size):
        begin, end = starts[name], starts[name + 1]
        ends[name] = _head(letters, begin, end, folders)
        if name:
            before = starts[name - 1]
            size = ends[name] - begin
            same = ends[name - 1] - before == size
            while same and size:
                size -= 1
                same = letters[begin + size] == letters[before + size]
            fresh[name] = not same
    return fresh, ends


@njit(nogil=True, cache=True)
def _head(letters: Any, begin: int, end: int, folders: bool) -> int:  # noqa: FBT001
    """Where the beginning of a name ends."""
    first = _after_scheme(letters, begin, end)
    at = first
    while at < end and letters[at] != SLASH and (folders or letters[at] not in (QUERY, PART)):
        at += 1
    if at == first:
        return end
    if folders and at < end:
        at += 1
        while at < end and letters[at] != SLASH:
            at += 1
    return at


@njit(nogil=True, cache=True)
def _after_scheme(letters: Any, begin: int, end: int) -> int:
    """Where the host of a URL begins; the end of a name that is none."""
    for scheme in SCHEMES:
        size = scheme.size
        if end - begin >= size + 3:
            same = letters[begin + size] == COLON
            same &= letters[begin + size + 1] == SLASH and letters[begin + size + 2] == SLASH
            for k in range(size):
                same &= letters[begin + k] == scheme[k]
            if same:
                return begin + size + 3
    return end
