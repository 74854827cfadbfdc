"""The cache of compiled kernels: used again, renewed with what is compiled in, and where it is."""

import os
import pickle
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

import weft
from weft.graph.webgraph import WebGraph
from weft.kernels.compiler import PACKAGE, SOURCES, cache_folder, source_digest
from weft.rank import pagerank

TIMES = "from numba import njit\n\n\n@njit\ndef times(x: int) -> int:\n    return {factor} * x\n"
PAIR = "from typing import NamedTuple\n\n\nclass Pair(NamedTuple):\n    a: int\n    b: int\n"
ADD = """from typing import Any

from weft.kernels.compiler import njit
from weft.kernels.times import times


@njit(cache=True)
def add(pair: Any) -> int:
    return times(pair.a + pair.b)
"""
CALL = """from weft.kernels.add import add
from weft.kernels.{pair} import Pair

print(add(Pair(1, 2)), sum(add.stats.cache_hits.values()))
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of what compiles kernels, and one kernel that calls another."""
    package = tmp_path / "site" / "weft"
    (package / "kernels").mkdir(parents=True)
    for name in ("__init__.py", "kernels/__init__.py", "kernels/compiler.py"):
        shutil.copy(PACKAGE / name, package / name)
    (package / "kernels/add.py").write_text(ADD)
    (package / "kernels/times.py").write_text(TIMES.format(factor=2))
    (package / "kernels/pair.py").write_text(PAIR)
    return package


def call_kernel(package: Path, pair: str = "pair", **more: str) -> tuple[int, int]:
    """What the kernel returns in a process of its own, and how many kernels came from the cache."""
    cache = {"XDG_CACHE_HOME": str(package.parents[1] / "cache"), "NUMBA_CACHE_DIR": ""}
    environment = {**os.environ, "PYTHONPATH": str(package.parent), **cache, **more}
    line = [sys.executable, "-c", CALL.format(pair=pair)]
    done = subprocess.run(
        line, env=environment, cwd=package.parent, check=True, stdout=subprocess.PIPE, text=True
    )
    result, hits = map(int, done.stdout.split())
    return result, hits


def folders_in(parent: Path) -> set[str]:
    return {path.name for path in parent.rglob("kernels-*")}


@pytest.mark.slow
def test_cache_is_renewed_with_what_a_kernel_calls_and_takes(package: Path) -> None:
    """Numba alone would run the old code, and raise ModuleNotFoundError for the moved class."""
    assert call_kernel(package) == (6, 0)
    assert call_kernel(package) == (6, 1)
    before = folders_in(package)

    (package / "kernels/times.py").write_text(TIMES.format(factor=3))
    assert call_kernel(package) == (9, 0)

    (package / "kernels/pair.py").rename(package / "kernels/couple.py")
    assert call_kernel(package, "couple") == (9, 0)
    assert call_kernel(package, "couple") == (9, 1)
    [after] = folders_in(package)
    assert {after} != before


@pytest.mark.slow
def test_cache_is_where_the_user_wants_it(package: Path, tmp_path: Path) -> None:
    wanted = {"NUMBA_CACHE_DIR": str(tmp_path / "wanted")}
    assert call_kernel(package, **wanted) == (6, 0)
    assert call_kernel(package, **wanted) == (6, 1)
    assert folders_in(tmp_path / "wanted")
    assert not folders_in(package)


@pytest.mark.slow
@pytest.mark.parametrize("home", ["cache", "file"])
def test_package_that_cannot_be_written(package: Path, tmp_path: Path, home: str) -> None:
    """The cache is the user's; where that cannot be written either, every process compiles.

    A file in place of the folder keeps even root from writing there.
    """
    (package / "__pycache__").write_text("not a folder")
    (tmp_path / "file").write_text("not a folder")
    (tmp_path / "temporary").mkdir()
    rest = {"XDG_CACHE_HOME": str(tmp_path / home), "TMPDIR": str(tmp_path / "temporary")}
    assert call_kernel(package, **rest) == (6, 0)
    assert call_kernel(package, **rest) == (6, int(home == "cache"))
    assert not folders_in(tmp_path / "temporary")
    assert not list((tmp_path / "temporary").iterdir())


def test_digest_is_of_names_and_contents(tmp_path: Path) -> None:
    kernels = tmp_path / "kernels"
    kernels.mkdir()
    digests = [source_digest(tmp_path)]
    (kernels / "a.py").write_text("b = 1")
    digests.append(source_digest(tmp_path))
    (kernels / "a.py").write_text("b = 2")
    digests.append(source_digest(tmp_path))
    (kernels / "a.py").rename(kernels / "c.py")
    digests.append(source_digest(tmp_path))
    (kernels / "note.txt").write_text("no source")
    assert len(set(digests)) == len(digests) == 4
    assert source_digest(tmp_path) == digests[-1]


def named_modules(indexes: Path) -> Mapping[str, Path]:
    """The modules of Weft that the signatures in an index name."""
    found = dict[str, Path]()
    for path in indexes.rglob("*.nbi"):
        with path.open("rb") as file:
            pickle.load(file)
            names = re.findall(rb"weft\.[a-z_.]+", file.read())
        found |= {name.decode(): path for name in names}
    return found


@pytest.mark.slow
def test_digest_covers_the_classes_of_arguments() -> None:
    with weft.use("numba"):
        pagerank(WebGraph.from_links([("a", "b"), ("b", "c"), ("c", "a")]))
    covered = {path for pattern in SOURCES for path in PACKAGE.glob(pattern)}
    modules = named_modules(cache_folder())
    assert "weft.engine.operator" in modules
    for module in modules:
        path = PACKAGE.parent.joinpath(*module.split(".")).with_suffix(".py")
        assert path in covered, module
