"""Live within an address-space limit, or say that it is too small."""

import ctypes
import resource
from pathlib import Path

from weft.core.errors import WeftError

NEEDED = 800 << 20
ARENAS = -8  # what glibc calls M_ARENA_MAX


def live_within_limit() -> None:
    """Refuse an address-space limit that a writer cannot keep, and be modest under one it can.

    The libraries that parse, compress and index abort when they get no memory,
    which no one can catch; so there must be room for what they are known to
    need. Each of their threads reserves 64 MB of addresses unless told not to.
    """
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    taken = Path("/proc/self/statm")
    if limit == resource.RLIM_INFINITY or not taken.exists():
        return
    used = int(taken.read_text().split()[0]) * resource.getpagesize()
    if limit - used < NEEDED:
        raise WeftError(
            f"this needs {used + NEEDED >> 20:,} MB of address space, the limit is"
            f" {limit >> 20:,} MB",
            hint="raise it with `ulimit -v`, or set ARROW_DEFAULT_MEMORY_POOL=system to need less",
        )
    libc = ctypes.CDLL(None)
    if hasattr(libc, "mallopt"):
        libc.mallopt(ARENAS, 1)
