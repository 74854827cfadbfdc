"""Writers caught at work: signals end them quietly, and others learn who holds the lock."""

import contextlib
import os
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
from tests.command import is_one_sentence, weft
from tests.workspace.zygote import Outcome, Zygote, kill

from weft.core.errors import CollectionBusy
from weft.workspace.workspace import Workspace


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):  # gone before or while it is read
        return False
    return state != "Z"


def children(pid: int) -> list[int]:
    return [child.pid for child in psutil.Process(pid).children()]


def wait_for(condition: Callable[[], object], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


@pytest.fixture
def warc(halves: tuple[Path, Path]) -> Path:
    return halves[0]


@dataclass
class SlowAdd:
    """An `add` that is caught at work, holding the lock; killed in the end, if it still runs."""

    pid: int
    outcome: Outcome | None = None


@contextlib.contextmanager
def slow_add(zygote: Zygote, folder: Path, warc: Path, workers: int = 1) -> Iterator[SlowAdd]:
    constants = {"weft.workspace.parse.BATCH_PAGES": 8}  # a batch for each worker
    words = "add", folder, warc, "--workers", workers
    process = SlowAdd(zygote.start(*words, slow=True, constants=constants))
    try:
        wait_for((folder / "lock").exists)
        if workers > 1:
            wait_for(lambda: len(children(process.pid)) >= workers)
        time.sleep(0.3)
        yield process
    finally:
        kill(process.pid)
        process.outcome = zygote.wait()


@pytest.mark.slow
def test_workers_do_not_outlive_their_parent(zygote: Zygote, warc: Path, tmp_path: Path) -> None:
    with slow_add(zygote, tmp_path / "c.weft", warc, workers=2) as process:
        workers = children(process.pid)
        assert len(workers) == 2
    wait_for(lambda: not any(map(alive, workers)), 10)


@pytest.mark.parametrize(
    ("sign", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["SIGINT", "SIGTERM"]
)
@pytest.mark.parametrize("workers", [1, 2])
def test_a_signal_ends_an_add_quietly(
    zygote: Zygote, warc: Path, tmp_path: Path, sign: signal.Signals, code: int, workers: int
) -> None:
    with slow_add(zygote, tmp_path / "c.weft", warc, workers) as process:
        below = children(process.pid)
        os.kill(process.pid, sign)
        wait_for(lambda: not alive(process.pid), 20)
    done = process.outcome
    assert done is not None
    assert done.returncode == code
    assert "Traceback" not in done.stderr
    assert done.stderr.count("\n") <= 1
    wait_for(lambda: not any(map(alive, below)), 10)
    assert Workspace(tmp_path / "c.weft").add(warc, workers=1).new > 0


@pytest.mark.slow
def test_the_second_writer_learns_who_holds_the_lock(
    zygote: Zygote, warc: Path, tmp_path: Path
) -> None:
    with slow_add(zygote, tmp_path / "c.weft", warc) as process:
        with pytest.raises(CollectionBusy, match=f"process {process.pid} on "):
            Workspace(tmp_path / "c.weft").add(warc)
        done = weft("add", tmp_path / "c.weft", warc)
    assert is_one_sentence(done)
    assert str(process.pid) in done.stderr


def test_a_dead_writer_does_not_block(zygote: Zygote, warc: Path, tmp_path: Path) -> None:
    with slow_add(zygote, tmp_path / "c.weft", warc):
        pass
    assert (tmp_path / "c.weft" / "lock").exists()
    assert Workspace(tmp_path / "c.weft").add(warc, workers=1).new > 0
