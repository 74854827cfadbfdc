"""The machine is chosen by size, or by name; small graphs load no compiler."""

import os
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

import weft
from weft.core.errors import UnknownName
from weft.engine import use
from weft.engine.choose import LARGE, machine


def test_by_size_and_by_name() -> None:
    assert machine(LARGE - 1) == "small"
    assert machine(LARGE) == "large"
    with use("large"):
        assert machine(3) == "large"
    assert machine(3) == "small"


def test_an_unknown_machine_is_told_in_words() -> None:
    with pytest.raises(UnknownName, match="abacus"), use("abacus"):
        pass


def test_a_small_graph_waits_for_no_compiler() -> None:
    script = (
        "import sys, weft; weft.rank.pagerank([('a', 'b')]); weft.rank.hits([('a', 'b')])\n"
        "assert 'scipy' in sys.modules and 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_kernels_are_kept_where_the_install_cannot_be_written_to(tmp_path: Path) -> None:
    """The second process finds in the user's cache what the first one compiled.

    A file in the place of the folder for compiled code keeps even root from writing there.
    """
    install = tmp_path / "install" / "weft"
    shutil.copytree(
        Path(weft.__file__).parent, install, ignore=shutil.ignore_patterns("__pycache__")
    )
    (install / "engine" / "__pycache__").touch()
    script = (
        "import numpy as np\n"
        "from weft.engine import unite\n"
        "from weft.core.arrays import Rows\n"
        f"assert unite.__file__.startswith({str(tmp_path)!r})\n"
        "unite.of_rows(Rows(np.array([0, 1, 1]), np.array([1], np.int32)), 2)\n"
        "stats = unite._unite_rows.stats\n"
        "print(sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))"
    )
    kept = tmp_path / "cache"
    places = {"PYTHONPATH": str(install.parent), "XDG_CACHE_HOME": str(kept)}
    run = partial(
        subprocess.run, env=os.environ | places, capture_output=True, text=True, check=True
    )
    runs = [run([sys.executable, "-c", script]).stdout.split() for _ in range(2)]
    assert runs == [["0", "1"], ["1", "0"]]
    assert list(kept.rglob("*.nbc"))
