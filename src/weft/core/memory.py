"""How much memory there is for a computation, and what it needs, before it starts."""

import ctypes
import os
import re
import resource
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from weft.core.errors import BadParameter, NotEnoughMemory

MEMORY_SETTING = "WEFT_MEMORY"
# Parameters of glibc's mallopt. Blocks from a megabyte on are mapped, so that they go back when
# they are freed; by itself the limit rises to 32 MB with the blocks that are.
M_ARENA_MAX, M_MMAP_THRESHOLD, M_TRIM_THRESHOLD = -8, -3, -1
MIN_MAPPED_BYTES, MAX_FREE_BYTES = 1 << 20, 8 << 20
# Arrow's own allocator keeps what tables took; Arrow reads this when it first allocates.
ARROW_BY_MALLOC = {"ARROW_DEFAULT_MEMORY_POOL": "system"}
UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
LIBRARY_HINT = "take a part of the graph, or the graph of its hosts"
CGROUP_FILES = {  # limit, usage and statistics, by the version of the hierarchy
    "v2": ("memory.max", "memory.current", "inactive_file"),
    "v1": ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
}


class MemoryNeed(NamedTuple):
    """What a computation needs beside the graph itself, in bytes for each page and link."""

    task: str
    per_page: int
    per_link: int

    def total(self, pages: int, links: int) -> int:
        """The bytes for a graph."""
        return self.per_page * pages + self.per_link * links

    def check(self, pages: int, links: int) -> None:
        """Refuse to start where there is not enough memory."""
        needed, available = self.total(pages, links), available_memory()
        if needed > available:
            sizes = f"{format_bytes(needed)}, {format_bytes(available)} available"
            raise NotEnoughMemory(f"{self.task} needs {sizes}", need=self, hint=LIBRARY_HINT)


def available_memory(system: Path = Path("/")) -> int:
    """The bytes that this process can still use.

    The least of what the machine has free, what is left of the limits of its
    control groups and of its address space (`ulimit -v`), and `WEFT_MEMORY`,
    such as 8G. Files that the system keeps in memory count as free.
    """
    room = [_machine_room(system), *_cgroup_room(system), _address_room(system)]
    return max(0, min([_memory_setting(), *(own for own in room if own is not None)]))


def share_one_arena() -> None:
    """Let all threads allocate from one arena of malloc; for a process of our own, at its start.

    Each arena reserves 64 MB of addresses, and keeps what its threads have freed.
    """
    _set_malloc({M_ARENA_MAX: 1})


def keep_little_free_memory() -> None:
    """Let this process keep little of what it frees; for a process of our own, at its start.

    Arrow reads the environment when it is imported, so nothing may have imported it yet.
    """
    os.environ.update(ARROW_BY_MALLOC)
    _set_malloc(
        {M_ARENA_MAX: 1, M_MMAP_THRESHOLD: MIN_MAPPED_BYTES, M_TRIM_THRESHOLD: MAX_FREE_BYTES}
    )


def _set_malloc(values: dict[int, int]) -> None:
    """Set parameters of malloc, where it has any."""
    libc = ctypes.CDLL(None)
    if hasattr(libc, "mallopt"):
        for parameter, value in values.items():
            libc.mallopt(parameter, value)


def return_free_memory() -> None:
    """Return what was freed to the system, where malloc can: before a step with its own peak."""
    libc = ctypes.CDLL(None)
    if hasattr(libc, "malloc_trim"):
        libc.malloc_trim(0)


def _memory_setting() -> int:
    text = os.environ.get(MEMORY_SETTING, "").strip().upper().removesuffix("B")
    if not text:
        return 1 << 62
    match = re.fullmatch(r"(\d{1,9}(?:\.\d{1,3})?)([KMGT]?)", text)
    if match is None:
        raise BadParameter(f"{MEMORY_SETTING} is {text!r}", hint="write a size such as 8G")
    return int(float(match[1]) * UNITS[match[2]])


def _machine_room(system: Path) -> int | None:
    text = _read(system / "proc/meminfo")
    found = re.search(r"^MemAvailable:\s+(\d+) kB", text, re.MULTILINE)
    return int(found[1]) << 10 if found else None


def _cgroup_room(system: Path) -> Iterator[int]:
    """What is left of the limit of each control group around this process."""
    for line in _read(system / "proc/self/cgroup").splitlines():
        number, controllers, path = (*line.split(":", 2), "", "")[:3]
        version, base = ("v2", "") if number == "0" else ("v1", "memory")
        if version == "v1" and "memory" not in controllers.split(","):
            continue
        limit_file, usage_file, cached = CGROUP_FILES[version]
        group = PurePosixPath(path)
        # In a container the path may be that outside; the root is then its own group.
        for folder in dict.fromkeys([group, *group.parents, PurePosixPath("/")]):
            files = system / "sys/fs/cgroup" / base / str(folder).lstrip("/")
            limit, usage = _read(files / limit_file).strip(), _read(files / usage_file).strip()
            if limit.isdigit() and usage.isdigit():
                counts = dict(
                    line.partition(" ")[::2] for line in _read(files / "memory.stat").splitlines()
                )
                yield int(limit) - int(usage) + int(counts.get(cached, 0))


def _address_room(system: Path) -> int | None:
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    pages = _read(system / "proc/self/statm").split()
    if limit == resource.RLIM_INFINITY:
        return None
    return limit - (int(pages[0]) * resource.getpagesize() if pages else 0)


def _read(path: Path) -> str:
    """A file of the system; nothing where there is none."""
    try:
        return path.read_text()
    except OSError:
        return ""


def format_bytes(size: float) -> str:
    """A size for people.

    Examples
    --------
    >>> format_bytes(1_500), format_bytes(38_200_000_000)
    ('2 kB', '38.2 GB')
    """
    for unit in ("bytes", "kB", "MB"):
        if size < 1000:
            return f"{size:,.0f} {unit}"
        size /= 1000
    return f"{size:,.1f} GB"
