"""How many processors this process may use."""

import os


def available_cores() -> int:
    """The number of processors available to this process, at most those of the machine."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1
