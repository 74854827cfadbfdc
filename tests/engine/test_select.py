"""The backend is selected by size or name; small graphs load no compiler."""

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
from weft.engine.operator import MIN_NUMBA_LINKS, select_backend


def test_by_size_and_by_name() -> None:
    assert select_backend(MIN_NUMBA_LINKS - 1) == "scipy"
    assert select_backend(MIN_NUMBA_LINKS) == "numba"
    with use("numba"):
        assert select_backend(3) == "numba"
    assert select_backend(3) == "scipy"


def test_an_unknown_backend_is_an_error() -> None:
    with pytest.raises(UnknownName, match="abacus"), use("abacus"):
        pass


def test_a_small_graph_waits_for_no_compiler() -> None:
    script = (
        "import sys, weft; weft.rank.pagerank([('a', 'b')]); weft.rank.hits([('a', 'b')])\n"
        "assert 'scipy' in sys.modules and 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.slow
def test_kernels_are_cached_if_the_installation_is_read_only(tmp_path: Path) -> None:
    """The second process finds in the user's cache what the first one compiled.

    A file in place of the cache folder keeps even root from writing there.
    """
    install = tmp_path / "install" / "weft"
    shutil.copytree(
        Path(weft.__file__).parent, install, ignore=shutil.ignore_patterns("__pycache__")
    )
    (install / "kernels" / "__pycache__").touch()
    script = (
        "import numpy as np\n"
        "from weft.kernels import components\n"
        "from weft.core.arrays import CSR\n"
        f"assert components.__file__.startswith({str(tmp_path)!r})\n"
        "rows = CSR(np.array([0, 1, 1]), np.array([1], np.int32))\n"
        "components.bipartite_components_of_csr(rows, 2)\n"
        "stats = components._union_csr.stats\n"
        "print(sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))"
    )
    cache = tmp_path / "cache"
    environment = {"PYTHONPATH": str(install.parent), "XDG_CACHE_HOME": str(cache)}
    run = partial(
        subprocess.run, env=os.environ | environment, capture_output=True, text=True, check=True
    )
    runs = [run([sys.executable, "-c", script]).stdout.split() for _ in range(2)]
    assert runs == [["0", "1"], ["1", "0"]]
    assert list(cache.rglob("*.nbc"))
