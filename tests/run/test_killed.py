"""Writers killed at any moment: the last commit is whole, and doing it again ends it."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from subprocess import PIPE
from typing import Any

import pytest

from weft.run import maintain
from weft.run.workspace import Workspace
from weft.store.manifest import NAME

Portrait = Callable[..., str]
HERE = Path(__file__).parent


@dataclass
class Zygote:
    """A process that forks writers."""

    process: "subprocess.Popen[str]"

    def run(
        self, folder: Path, verb: str, *given: object, delay: float = 60, step: int = 0, **more: Any
    ) -> int:
        """Let a writer work, kill it after a delay or at a step; its exit status."""
        job = {"folder": str(folder), "verb": verb, "given": [str(g) for g in given]}
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(json.dumps({**job, "options": more, "step": step}) + "\n")
        stdin.flush()
        pid = int(stdout.readline())
        killer = threading.Timer(delay, lambda: _kill(pid))
        killer.start()
        status = int(stdout.readline())
        killer.cancel()
        return status


def _kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


@pytest.fixture(scope="module")
def zygote() -> Iterator[Zygote]:
    line = [sys.executable, str(HERE / "zygote.py")]
    with subprocess.Popen(line, stdin=PIPE, stdout=PIPE, text=True) as process:
        yield Zygote(process)
        assert process.stdin is not None
        process.stdin.close()


@pytest.fixture(scope="module")
def halves(halve: Callable[[int], tuple[Path, Path]]) -> tuple[Path, Path]:
    """Every third page of the demo web, since there are many rounds."""
    return halve(3)


@dataclass(frozen=True)
class Job:
    """A command that tests interrupt: what was there before, and what it does."""

    start: Path | None
    before: str
    verb: str
    given: tuple[object, ...]
    after: str
    captures: int
    takes: float
    options: dict[str, Any] = field(default_factory=dict)


def captures(workspace: Workspace) -> int:
    return sum(part.pages for part in workspace.collection.manifest.segments if not part.removed)


@pytest.fixture(scope="module", params=["add", "add more", "remove", "compact"])
def job(
    request: pytest.FixtureRequest,
    zygote: Zygote,
    halves: tuple[Path, Path],
    portrait: Portrait,
    tmp_path_factory: pytest.TempPathFactory,
) -> Job:
    """Each writing command, done once without interruption."""
    folder = tmp_path_factory.mktemp("job")
    before, done = folder / "before.weft", folder / "done.weft"
    one, two = halves
    verb = request.param.partition(" ")[0]
    given: tuple[object, ...] = ()
    options: dict[str, Any] = {}
    if request.param != "add":
        assert zygote.run(before, "add", one, workers=1) == 0
    if verb == "add":
        given, options = (two if before.exists() else one,), {"workers": 1}
    if verb == "remove":
        options = {"patterns": ["*-*.html"]}
    if verb == "compact":
        assert zygote.run(before, "remove", patterns=["*about*"]) == 0
    if before.exists():
        shutil.copytree(before, done)
    begun = time.perf_counter()
    assert zygote.run(done, verb, *given, **options) == 0
    takes = time.perf_counter() - begun
    workspace = Workspace(done)
    start = before if before.exists() else None
    drawn = portrait(Workspace(start)) if start else ""
    return Job(start, drawn, verb, given, portrait(workspace), captures(workspace), takes, options)


def interrupted(zygote: Zygote, job: Job, folder: Path, **how: Any) -> int:
    """Start a job on a fresh copy, and let it be killed; its exit status."""
    shutil.rmtree(folder, ignore_errors=True)
    if job.start is not None:
        shutil.copytree(job.start, folder)
    return zygote.run(folder, job.verb, *job.given, **how, **job.options)


def check_recovery(zygote: Zygote, job: Job, folder: Path, portrait: Portrait) -> None:
    """The last commit is there and whole, and repeating the job finishes it."""
    committed = (folder / NAME).exists()
    assert committed or job.start is None
    if committed:
        assert maintain.doctor(folder) == []
        assert portrait(Workspace(folder)) in (job.before, job.after)
    assert zygote.run(folder, job.verb, *job.given, **job.options) == 0
    workspace = Workspace(folder)
    assert portrait(workspace) == job.after
    assert captures(workspace) == job.captures
    assert maintain.doctor(folder) == []
    assert [path.name for path in (folder / "snapshots").iterdir()] == [
        f"{workspace.collection.manifest.snapshot:06d}"
    ]


def test_killed_at_any_moment(zygote: Zygote, job: Job, portrait: Portrait, tmp_path: Path) -> None:
    random = Random(7)
    killed = 0
    for _ in range(9):
        delay = random.uniform(0, job.takes)
        killed += interrupted(zygote, job, tmp_path / "c.weft", delay=delay) != 0
        check_recovery(zygote, job, tmp_path / "c.weft", portrait)
    assert killed >= 3


def test_killed_at_any_step(zygote: Zygote, job: Job, portrait: Portrait, tmp_path: Path) -> None:
    """Just before files and folders get, change or lose their names; scratch files have none."""
    step = 1
    while interrupted(zygote, job, tmp_path / "c.weft", step=step):
        assert list(tmp_path.rglob("tmp*")) == []
        check_recovery(zygote, job, tmp_path / "c.weft", portrait)
        step += 1 + step // 3
    assert step > 10


def test_readers_see_one_commit_or_the_next(
    zygote: Zygote, halves: tuple[Path, Path], portrait: Portrait, tmp_path: Path
) -> None:
    """Reopen in a loop while pages are added, removed and merged."""
    folder, one, two = tmp_path / "c.weft", *halves
    steps: list[tuple[str, tuple[object, ...], dict[str, Any]]] = [
        ("add", (one,), {"workers": 1}),
        ("add", (two,), {"workers": 1}),
        ("remove", (), {"patterns": ["*about*"]}),
        ("compact", (), {}),
        ("add", (one,), {"workers": 1}),
        ("compact", (), {}),
    ]
    expected: dict[int, str] = {}
    ended = threading.Event()
    seen: list[tuple[int, str]] = []

    def read() -> None:
        while not ended.is_set():
            workspace = Workspace(folder)
            drawn = portrait(workspace)
            seen.append((workspace.collection.manifest.snapshot, drawn))

    assert zygote.run(folder, "add", one, workers=1) == 0
    reader = threading.Thread(target=read)
    reader.start()
    try:
        expected[1] = portrait(Workspace(folder))
        for verb, given, options in steps[1:]:
            assert zygote.run(folder, verb, *given, **options) == 0
            workspace = Workspace(folder)
            drawn = portrait(workspace)
            expected[workspace.collection.manifest.snapshot] = drawn
    finally:
        ended.set()
        reader.join()
    assert len({snapshot for snapshot, _ in seen}) >= 3
    assert all(drawn == expected[snapshot] for snapshot, drawn in seen)
