"""Prefixes of URLs: scheme and host, and perhaps the first folder."""

from typing import Any

import numpy as np
from numba import njit

from weft.core.arrays import Flags, Offsets

URL_SCHEMES = tuple(np.frombuffer(name, np.uint8) for name in (b"http", b"https", b"ftp", b"file"))
SLASH, QUERY, FRAGMENT, COLON = (np.uint8(ord(sign)) for sign in "/?#:")


@njit(nogil=True, cache=True)
def find_prefix_changes(
    starts: Offsets,
    text_bytes: Any,
    include_folder: bool,  # noqa: FBT001
) -> tuple[Flags, Offsets]:
    """Which names have another prefix than the one before, and where each prefix ends.

    The prefix ends with the host, or with the first folder below it; a name
    that is not a URL is all prefix.

    Examples
    --------
    >>> text = np.frombuffer(b"http://a.b/xhttp://a.b/y/zBede", np.uint8)
    >>> [found.tolist() for found in find_prefix_changes(np.array([0, 12, 26, 30]), text, False)]
    [[True, False, True], [10, 22, 30]]
    """
    is_new, ends = np.ones(starts.size - 1, np.bool_), np.empty(starts.size - 1, np.int64)
    for name in range(ends.size):
        begin, end = starts[name], starts[name + 1]
        ends[name] = _prefix_end(text_bytes, begin, end, include_folder)
        if name:
            previous = starts[name - 1]
            size = ends[name] - begin
            same = ends[name - 1] - previous == size
            while same and size:
                size -= 1
                same = text_bytes[begin + size] == text_bytes[previous + size]
            is_new[name] = not same
    return is_new, ends


@njit(nogil=True, cache=True)
def _prefix_end(text_bytes: Any, begin: int, end: int, include_folder: bool) -> int:  # noqa: FBT001
    """Where the prefix of a name ends."""
    host_start = _host_start(text_bytes, begin, end)
    at = host_start
    while (
        at < end
        and text_bytes[at] != SLASH
        and (include_folder or text_bytes[at] not in (QUERY, FRAGMENT))
    ):
        at += 1
    if at == host_start:
        return end
    if include_folder and at < end:
        at += 1
        while at < end and text_bytes[at] != SLASH:
            at += 1
    return at


@njit(nogil=True, cache=True)
def _host_start(text_bytes: Any, begin: int, end: int) -> int:
    """Where the host of a URL begins; the end of a name that is not a URL."""
    for scheme in URL_SCHEMES:
        size = scheme.size
        if end - begin >= size + 3:
            same = text_bytes[begin + size] == COLON
            same &= text_bytes[begin + size + 1] == SLASH and text_bytes[begin + size + 2] == SLASH
            for k in range(size):
                same &= text_bytes[begin + k] == scheme[k]
            if same:
                return begin + size + 3
    return end
