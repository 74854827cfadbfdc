"""Processors are those that one may use."""

import os
import subprocess
import sys

import pytest

from weft.core.machine import cores

ALONE = """
import os
from weft.core.machine import cores
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
print(cores())
"""


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="processes go where they like")
def test_a_process_that_is_held_to_one_processor_counts_one() -> None:
    done = subprocess.run([sys.executable, "-c", ALONE], capture_output=True, check=True, text=True)
    assert done.stdout == "1\n"


@pytest.mark.parametrize(("there", "counted"), [(3, 3), (None, 1)])
def test_where_nothing_holds_processes_all_count(
    monkeypatch: pytest.MonkeyPatch, there: int | None, counted: int
) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: there)
    assert cores() == counted
