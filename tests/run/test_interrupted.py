"""Writers caught at work: signals end them quietly, and others are told who holds the lock."""

import contextlib
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import PIPE

import pytest
from tests.command import told_once, weft

from weft.core.errors import Busy
from weft.run.workspace import Workspace


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def wait_for(condition: Callable[[], object], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)


@contextlib.contextmanager
def slow_add(folder: Path, *inputs: object, workers: int = 2) -> Iterator["subprocess.Popen[str]"]:
    """An `add` that is caught at work, holding the lock."""
    code = (
        "import time; from weft.run import ingest; from weft.show.cli import main\n"
        "real = ingest.parse_all\n"
        "def slowly(*given):\n"
        "    for parsed in real(*given):\n"
        "        yield parsed\n"
        "        time.sleep(60)\n"
        "ingest.parse_all = slowly\n"
        "main()\n"
    )
    line = [sys.executable, "-c", code, "add", folder, *inputs, "--workers", workers]
    words = [str(word) for word in line]
    with subprocess.Popen(words, text=True, stdout=PIPE, stderr=PIPE) as process:
        try:
            wait_for((folder / "lock").exists)
            if workers > 1:
                wait_for(lambda: len(children(process.pid)) > workers)
            time.sleep(0.5)
            yield process
        finally:
            process.kill()


def test_workers_do_not_outlive_their_parent(demo_warc: Path, tmp_path: Path) -> None:
    with slow_add(tmp_path / "c.weft", demo_warc) as process:
        workers = children(process.pid)
        assert len(workers) > 2
        process.kill()
        process.wait()
    wait_for(lambda: not any(map(alive, workers)), 10)


@pytest.mark.parametrize(
    ("sign", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["SIGINT", "SIGTERM"]
)
@pytest.mark.parametrize("workers", [1, 2])
def test_a_signal_ends_an_add_quietly(
    demo_warc: Path, tmp_path: Path, sign: signal.Signals, code: int, workers: int
) -> None:
    with slow_add(tmp_path / "c.weft", demo_warc, workers=workers) as process:
        below = children(process.pid)
        process.send_signal(sign)
        _, said = process.communicate(timeout=20)
    assert process.returncode == code
    assert "Traceback" not in said
    assert said.count("\n") <= 1
    wait_for(lambda: not any(map(alive, below)), 10)
    assert Workspace(tmp_path / "c.weft").add(demo_warc, workers=1).fresh > 0


def test_the_second_writer_is_told_who_holds_the_lock(demo_warc: Path, tmp_path: Path) -> None:
    with slow_add(tmp_path / "c.weft", demo_warc, workers=1) as process:
        with pytest.raises(Busy, match=f"process {process.pid} on "):
            Workspace(tmp_path / "c.weft").add(demo_warc)
        done = weft("add", tmp_path / "c.weft", demo_warc)
    assert told_once(done)
    assert str(process.pid) in done.stderr


def test_a_dead_writer_does_not_block(demo_warc: Path, tmp_path: Path) -> None:
    with slow_add(tmp_path / "c.weft", demo_warc, workers=1) as process:
        process.kill()
        process.wait()
    assert (tmp_path / "c.weft" / "lock").exists()
    assert Workspace(tmp_path / "c.weft").add(demo_warc, workers=1).fresh > 0
