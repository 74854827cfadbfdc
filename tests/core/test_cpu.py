"""Available processors are those the process may use."""

import os
import subprocess
import sys

import pytest

from weft.core.cpu import available_cores

ALONE = """
import os
from weft.core.cpu import available_cores
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
print(available_cores())
"""


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="the system has no affinity")
def test_a_process_pinned_to_one_processor_counts_one() -> None:
    done = subprocess.run([sys.executable, "-c", ALONE], capture_output=True, check=True, text=True)
    assert done.stdout == "1\n"


@pytest.mark.parametrize(("there", "counted"), [(3, 3), (None, 1)])
def test_without_affinity_all_processors_count(
    monkeypatch: pytest.MonkeyPatch, there: int | None, counted: int
) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: there)
    assert available_cores() == counted
