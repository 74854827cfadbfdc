"""The GPU benchmark is ready to run: all of it on NumPy in place of CuPy, on a small web."""

import json
import sys
import time
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from tests.engine.gpu import launch_twin, numpy_device

from benchmarks import gpu as benchmark
from weft.engine.backends import cupy as backend


class Event:
    """A moment on the clock of the processor."""

    def record(self) -> None:
        """Keep the time."""
        self.time = time.perf_counter()

    def synchronize(self) -> None:
        """Nothing is asynchronous."""


def gather(_code: str, _name: str) -> Any:
    """A kernel that only reads."""
    return lambda _grid, _block, arguments: arguments[2][arguments[0] & 0x7FFFFFFF].sum()


def numpy_as_cupy() -> ModuleType:
    module: Any = ModuleType("cupy")
    vars(module).update({name: getattr(np, name) for name in dir(np) if name[0] != "_"})
    module.__version__ = np.__version__
    module.RawKernel = gather
    module.get_default_memory_pool = lambda: SimpleNamespace(free_all_blocks=lambda: None)
    runtime = SimpleNamespace(getDeviceProperties=lambda _number: {"name": b"NumPy"})
    module.cuda = SimpleNamespace(
        Event=Event, runtime=runtime, get_elapsed_time=lambda one, two: (two.time - one.time) * 1e3
    )
    return module  # type: ignore[no-any-return]


@pytest.mark.slow
def test_it_measures_webs_and_prints_the_bars(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    device = numpy_device(launch_twin)
    for name in ("cupyx", "cupyx.scipy"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, "cupyx.scipy.sparse", scipy.sparse)
    monkeypatch.setitem(sys.modules, "cupy", numpy_as_cupy())
    for module in (benchmark, backend):
        monkeypatch.setattr(module, "cuda_device", lambda: device)
    monkeypatch.setattr(benchmark, "OUT", tmp_path)
    monkeypatch.setattr(sys, "argv", ["gpu", "--cpu", "--webs", "rmat-8", "web-0.005m"])
    benchmark.main()
    rows = json.loads((tmp_path / "gpu.json").read_text())["rows"]
    assert list(rows) == ["rmat-8", "web-0.005m"]
    for row in rows.values():
        assert row["links"] > 1000
        assert row["same bits"]
        assert row["L1 to CPU"] <= 1e-9
    printed = capsys.readouterr().out
    assert "rmat-8: L1 to CPU " in printed
    assert "web-0.005m: G links/s, web " in printed
    assert printed.count("same bits 1, at least 1: met") == 2
    monkeypatch.setattr(sys, "argv", ["gpu", "--seconds", "-1", "--webs", "rmat-8"])
    benchmark.main()
    assert "rmat-8 is left out" in capsys.readouterr().out


def test_a_missed_bar_is_said() -> None:
    verdicts = benchmark.verdicts({"x gather": 1.3, "x CPU": 30.0, "x cuSPARSE": None})
    assert verdicts == ["x gather 1.3, at most 1.25: MISSED", "x CPU 30, at least 25: met"]
