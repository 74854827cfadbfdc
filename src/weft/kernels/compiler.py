"""Numba's compiler, whose cache is renewed when any kernel changes.

Numba itself caches a kernel beside its file, as long as that file stays the same. But what the
kernel calls is compiled into it, and the classes of its arguments are named by their modules: an
old cache runs the old code, or cannot be read once a module was moved. Here all kernels share
one folder, named by the digest of their sources; folders of other digests are removed.
"""

import atexit
import shutil
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba import config, njit  # noqa: TID251
from numba.core.caching import CompileResultCacheImpl, _CacheLocator
from numba.misc.appdirs import AppDirs

__all__ = ["cache_folder", "njit", "njit_without_counts"]

F = TypeVar("F", bound=Callable[..., Any])
PACKAGE = Path(__file__).parents[1]
# What kernels are compiled from, and the classes that their signatures name.
SOURCES = (
    "core/arrays.py",
    "kernels/*.py",
    "engine/operator.py",
    "engine/backends/numba*.py",
    "usage/path_tables.py",
)


def source_digest(package: Path = PACKAGE) -> str:
    """The digest of the version of Numba, and of the names and contents of all sources."""
    total = sha256(numba.__version__.encode())
    for path in sorted(path for pattern in SOURCES for path in package.glob(pattern)):
        source = path.read_bytes()
        total.update(f"\n{path.relative_to(package)} {len(source)}\n".encode())
        total.update(source)
    return total.hexdigest()[:16]


def _possible_parents() -> Iterator[Path]:
    """Where the folder may be: where NUMBA_CACHE_DIR says, in the package, or in the user's."""
    own = f"weft-{sha256(str(PACKAGE).encode()).hexdigest()[:16]}"
    wanted: str = config.CACHE_DIR  # type: ignore[attr-defined]
    if wanted:
        yield Path(wanted, own)
    yield PACKAGE / "__pycache__"
    users = AppDirs("numba", appauthor=False)  # type: ignore[no-untyped-call]
    yield Path(users.user_cache_dir, own)


@cache
def cache_folder() -> Path:
    """The folder of the cache; where none can be written, one that this process removes."""
    name = f"kernels-{source_digest()}"
    for parent in _possible_parents():
        folder = parent / name
        try:
            is_new = not folder.exists()
            folder.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
        except OSError:
            continue
        if is_new:
            for other in parent.glob("kernels-*"):
                if other != folder:
                    shutil.rmtree(other, ignore_errors=True)
        return folder
    folder = Path(tempfile.mkdtemp(prefix="weft-kernels-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


class KernelLocator(_CacheLocator):
    """Tells Numba where a kernel of Weft is cached."""

    def __init__(self, kernel: Callable[..., Any], path: Path) -> None:
        self._py_file, self.line = str(path), kernel.__code__.co_firstlineno
        self.folder = cache_folder() / path.parent.name

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> "KernelLocator | None":
        """The locator of a kernel; none of functions that are not Weft's, or in a zip file."""
        path = Path(py_file)
        return cls(py_func, path) if PACKAGE in path.parents and path.is_file() else None

    def get_cache_path(self) -> str:
        """The folder of a kernel."""
        return str(self.folder)

    def get_source_stamp(self) -> str:
        """What must be the same for a cached kernel to be used: that of the folder is enough."""
        return self.folder.parent.name

    def get_disambiguator(self) -> str:
        """What tells functions of one name in one file apart."""
        return str(self.line)


# Of functions that are not Weft's the locator says nothing, and Numba goes on to its own.
CompileResultCacheImpl._locator_classes.insert(0, KernelLocator)  # noqa: SLF001


def njit_without_counts(function: F) -> F:
    """Compile a function that does not count the references to its arrays.

    Counting them at every call would take two fifths of the time of what calls it often.
    """
    compiled: F = njit(nogil=True, cache=True, _nrt=False, forceinline=True)(function)  # type: ignore[call-overload]
    return compiled
