"""The backend is selected by size or name; small graphs load no compiler."""

import subprocess
import sys

import pytest

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
