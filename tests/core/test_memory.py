"""Memory that is left, and methods that refuse to start without enough of it."""

import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.command import is_one_sentence, weft

from weft.communities import modularity
from weft.core.arrays import CSR
from weft.core.errors import BadParameter, NotEnoughMemory
from weft.core.memory import MemoryNeed, available_memory
from weft.graph.webgraph import WebGraph
from weft.kernels.hyperball import hyperball
from weft.rank import hits, pagerank
from weft.structure import bow_tie

MEMINFO = "MemTotal: 900 kB\nMemFree: 1 kB\nMemAvailable: {} kB\n"


def write(folder: Path, **files: str) -> Path:
    """Files of a system, by their paths with `__` for slashes and `_` for dots."""
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("dot", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def test_what_the_machine_has(tmp_path: Path) -> None:
    assert available_memory(write(tmp_path, proc__meminfo=MEMINFO.format(500))) == 500 << 10


@pytest.mark.parametrize("path", ["/user/app", "/"])
def test_control_groups(path: str, tmp_path: Path) -> None:
    group = tmp_path / "sys/fs/cgroup" / path.lstrip("/")
    write(tmp_path, proc__meminfo=MEMINFO.format(900), proc__self__cgroup=f"0::{path}\n")
    write(group, memorydotmax="max\n", memorydotcurrent="5\n")
    assert available_memory(tmp_path) == 900 << 10
    write(group, memorydotmax="5000\n", memorydotcurrent="4000\n")
    assert available_memory(tmp_path) == 1000
    write(group, memorydotstat="anon 1\ninactive_file 300\n")  # can be given back
    assert available_memory(tmp_path) == 1300


def test_the_least_limit_of_groups_above_counts(tmp_path: Path) -> None:
    write(tmp_path, proc__meminfo=MEMINFO.format(900), proc__self__cgroup="0::/user/app\n")
    write(tmp_path / "sys/fs/cgroup/user", memorydotmax="700", memorydotcurrent="100")
    write(tmp_path / "sys/fs/cgroup/user/app", memorydotmax="800", memorydotcurrent="100")
    assert available_memory(tmp_path) == 600


def test_control_groups_of_the_first_version(tmp_path: Path) -> None:
    write(tmp_path, proc__self__cgroup="4:cpu,memory:/x\n3:pids:/x\n")
    files = {"memorydotlimit_in_bytes": "900", "memorydotusage_in_bytes": "400"}
    write(tmp_path / "sys/fs/cgroup/memory/x", **files)
    assert available_memory(tmp_path) == 500


def test_no_memory_is_not_negative(tmp_path: Path) -> None:
    write(tmp_path, proc__self__cgroup="0::/\n")
    write(tmp_path / "sys/fs/cgroup", memorydotmax="10", memorydotcurrent="20")
    assert available_memory(tmp_path) == 0


def test_the_setting(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for text, size in (("100", 100), ("2k", 2048), ("1.5 M", None), ("3GB", 3 << 30), ("-1", None)):
        monkeypatch.setenv("WEFT_MEMORY", text)
        if size is None:
            with pytest.raises(BadParameter, match="WEFT_MEMORY is"):
                available_memory(tmp_path)
        else:
            assert available_memory(tmp_path) == size


@pytest.mark.slow
def test_address_space() -> None:
    """In a process of its own, whose limit can be lowered."""
    code = (
        "import resource; from weft.core.memory import available_memory, _address_room, Path\n"
        "used = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
        "resource.setrlimit(resource.RLIMIT_AS, (used + (50 << 20),) * 2)\n"
        "print(available_memory() >> 20)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert resource.getrlimit(resource.RLIMIT_AS)[0] == resource.RLIM_INFINITY
    assert 40 <= int(done.stdout) <= 50


def test_a_need_that_does_not_fit() -> None:
    need = MemoryNeed("flying", 8, 2)
    assert need.total(10, 100) == 280
    need.check(10, 100)
    with pytest.raises(
        NotEnoughMemory, match=r"^flying needs 80,000,000.0 GB, [\d.,]+ GB available"
    ):
        need.check(10**16, 0)


def test_methods_refuse_to_start(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = WebGraph.from_links([(f"p{k}", f"p{k + 1}") for k in range(100)])
    rows = [CSR(graph.outlinks.starts, graph.outlinks.ids)]
    monkeypatch.setenv("WEFT_MEMORY", "1k")
    for start, task in (
        (lambda: pagerank(graph), "the link matrix"),
        (lambda: hits(graph), "the link matrix"),
        (lambda: bow_tie(graph), "finding strong components"),
        (lambda: hyperball(rows, lambda: rows, 6, 0), "HyperBall"),
        (lambda: modularity(graph), "merging links of both directions"),
    ):
        with pytest.raises(NotEnoughMemory, match=f"^{task} needs .* available$") as caught:
            start()
        assert caught.value.hint
    monkeypatch.setenv("WEFT_MEMORY", "1M")
    assert len(pagerank(graph)) == 101
    assert np.isfinite(hyperball(rows, lambda: rows, 6, 0)).all()


@pytest.mark.slow
def test_the_command_names_a_level_that_fits(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    lines = [f"http://h{k % 3}.org/{k},http://h{k * 7 % 3}.org/{k * 7}" for k in range(60)]
    (tmp_path / "links.csv").write_text("\n".join(["source,target", *lines]))
    assert weft("add", tmp_path / "c.weft", tmp_path / "links.csv").returncode == 0
    monkeypatch.setenv("WEFT_MEMORY", "2k")
    done = weft("rank", "pagerank", tmp_path / "c.weft")
    assert done.returncode == 1
    assert is_one_sentence(done)
    assert "the link matrix needs" in done.stderr
    assert "2 kB available" in done.stderr
    assert "--level host needs about " in done.stderr
    assert weft("rank", "pagerank", tmp_path / "c.weft", "--level", "host").returncode == 0
    assert (
        "finding strong components needs"
        in weft("structure", "bow-tie", tmp_path / "c.weft").stderr
    )
    monkeypatch.setenv("WEFT_MEMORY", "100")
    assert "such as that of a --query" in weft("rank", "pagerank", tmp_path / "c.weft").stderr


def test_what_is_freed_goes_back_to_the_system() -> None:
    """In a process of its own, where Arrow is not imported yet."""
    code = """
from weft.core.memory import keep_little_free_memory
keep_little_free_memory()
import psutil, pyarrow as pa, numpy as np
print(pa.default_memory_pool().backend_name)
process, sizes, kept = psutil.Process(), [], []
for k in range(40):  # blocks of two megabytes, with what is kept after each
    pa.array(np.arange(1 << 18)).take(pa.array([k]))
    kept.append(bytes(9000))
    sizes.append(process.memory_info().rss)
print(sizes[-1] - sizes[0] < 16 << 20)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["system", "True"]
