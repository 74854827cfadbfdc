"""The machine that all this runs on."""

import os


def cores() -> int:
    """How many processors this process may use, which may be fewer than there are."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1
