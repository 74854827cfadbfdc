"""Faults: killed writers, full disks, damaged files, impatient people."""

import contextlib
import json
import os
import resource
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

from weft.core.errors import Busy
from weft.run import maintain
from weft.run.workspace import Workspace
from weft.store.manifest import NAME

Portrait = Callable[..., str]
QUERIES = ("jaguar", "jaguar cars", "atari OR forest", '"the jaguar"', "site:example jaguar -team")
COMMAND = (sys.executable, "-c", "from weft.show.cli import main; main()")
HERE = Path(__file__).parent


def weft(*given: object, **more: Any) -> subprocess.CompletedProcess[str]:
    """Run the command."""
    line = [*COMMAND, *map(str, given)]
    return subprocess.run(line, capture_output=True, text=True, timeout=120, check=False, **more)


def told_once(done: subprocess.CompletedProcess[str]) -> bool:
    """Whether a command failed with one sentence."""
    return done.returncode == 1 and done.stderr.count("\n") == 1 and "error: " in done.stderr


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
def halves(demo_warc: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The demo web in two files that share some pages."""
    raw = demo_warc.read_bytes()
    members = [b"\x1f\x8b\x08" + part for part in raw.split(b"\x1f\x8b\x08")[1:]]
    folder = tmp_path_factory.mktemp("halves")
    one, two = folder / "one.warc.gz", folder / "two.warc.gz"
    one.write_bytes(b"".join(members[: len(members) * 2 // 3]))
    two.write_bytes(b"".join([members[0], *members[len(members) // 3 :]]))
    return one, two


@dataclass(frozen=True)
class Job:
    """A command that tests interrupt: what was there before, and what it does."""

    before: Path | None
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
    start = time.perf_counter()
    assert zygote.run(done, verb, *given, **options) == 0
    takes = time.perf_counter() - start
    workspace = Workspace(done)
    kept = before if before.exists() else None
    drawn = portrait(workspace, *QUERIES)
    return Job(kept, verb, given, drawn, captures(workspace), takes, options)


def interrupted(zygote: Zygote, job: Job, folder: Path, **how: Any) -> int:
    """Start a job on a fresh copy, and let it be killed; its exit status."""
    shutil.rmtree(folder, ignore_errors=True)
    if job.before is not None:
        shutil.copytree(job.before, folder)
    return zygote.run(folder, job.verb, *job.given, **how, **job.options)


def check_recovery(zygote: Zygote, job: Job, folder: Path, portrait: Portrait) -> None:
    """The last commit is there and whole, and repeating the job finishes it."""
    committed = (folder / NAME).exists()
    assert committed or job.before is None
    if committed:
        assert maintain.doctor(folder) == []
        seen = portrait(Workspace(folder), *QUERIES)
        before = portrait(Workspace(job.before), *QUERIES) if job.before else ""
        assert seen in (before, job.after)
    assert zygote.run(folder, job.verb, *job.given, **job.options) == 0
    workspace = Workspace(folder)
    assert portrait(workspace, *QUERIES) == job.after
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
    """Just before files and folders get, change or lose their names."""
    step = 1
    while interrupted(zygote, job, tmp_path / "c.weft", step=step):
        check_recovery(zygote, job, tmp_path / "c.weft", portrait)
        step += 1 + step // 3
    assert step > 10


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
            drawn = portrait(workspace, *QUERIES)
            seen.append((workspace.collection.manifest.snapshot, drawn))

    assert zygote.run(folder, "add", one, workers=1) == 0
    reader = threading.Thread(target=read)
    reader.start()
    try:
        expected[1] = portrait(Workspace(folder), *QUERIES)
        for verb, given, options in steps[1:]:
            assert zygote.run(folder, verb, *given, **options) == 0
            workspace = Workspace(folder)
            drawn = portrait(workspace, *QUERIES)
            expected[workspace.collection.manifest.snapshot] = drawn
    finally:
        ended.set()
        reader.join()
    assert len({snapshot for snapshot, _ in seen}) >= 3
    assert all(drawn == expected[snapshot] for snapshot, drawn in seen)


@contextlib.contextmanager
def mounted(folder: Path, *options: str) -> Iterator[None]:
    """A mount of its own, where mounting is allowed."""
    folder.mkdir(exist_ok=True)
    line = ["mount", *options, str(folder)]
    if os.geteuid() or subprocess.run(line, capture_output=True, check=False).returncode:
        pytest.skip("mounting is not permitted here")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.mark.parametrize("room", [0, 60, 160, 230, 290])
def test_a_full_disk_is_told_and_the_last_commit_stays(
    halves: tuple[Path, Path], portrait: Portrait, tmp_path: Path, room: int
) -> None:
    """With room for nothing, for some segments, for the graph, for half the index, in kB."""
    one, two = halves
    with mounted(tmp_path / "disk", "-t", "tmpfs", "-o", "size=16m", "none"):
        folder = tmp_path / "disk" / "c.weft"
        Workspace(folder).add(one, workers=1)
        before = portrait(Workspace(folder), *QUERIES)
        filler = tmp_path / "disk" / "filler"
        filler.write_bytes(bytes(shutil.disk_usage(folder).free - (room << 10)))
        done = weft("add", folder, two)
        assert told_once(done), done.stderr
        assert "disk is full" in done.stderr or "cannot be written" in done.stderr
        assert portrait(Workspace(folder), *QUERIES) == before
        assert maintain.doctor(folder) == []
        filler.unlink()
        assert weft("add", folder, two).returncode == 0
        Workspace(tmp_path / "whole.weft").add(one, two, workers=1)
        whole = portrait(Workspace(tmp_path / "whole.weft"), *QUERIES)
        assert portrait(Workspace(folder), *QUERIES) == whole


@pytest.mark.parametrize("limit", [1_000, 10_000, 30_000])
def test_a_limit_on_file_size_is_told(
    demo_warc: Path, halves: tuple[Path, Path], tmp_path: Path, limit: int
) -> None:
    folder = tmp_path / "c.weft"
    Workspace(folder).add(halves[0], workers=1)

    def bound() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    done = weft("add", folder, demo_warc, preexec_fn=bound)
    assert told_once(done), done.stderr
    assert maintain.doctor(folder) == []
    again = Workspace(folder).add(demo_warc, workers=1)
    assert again.fresh + again.resumed > 0


def test_a_read_only_folder_is_read_and_not_written(
    demo: Workspace, halves: tuple[Path, Path], tmp_path: Path
) -> None:
    shutil.copytree(demo.folder, tmp_path / "real" / "c.weft")
    with mounted(tmp_path / "bound", "--bind", str(tmp_path / "real")):
        remount = ["mount", "-o", "remount,ro,bind", str(tmp_path / "bound")]
        subprocess.run(remount, check=True)
        folder = tmp_path / "bound" / "c.weft"
        assert (
            weft("search", folder, "jaguar").stdout == weft("search", demo.folder, "jaguar").stdout
        )
        for line in (
            ("add", folder, halves[0]),
            ("compact", folder),
            ("remove", folder, "--host", "x.example"),
        ):
            done = weft(*line)
            assert told_once(done), done.stderr
            assert "read-only" in done.stderr


@pytest.mark.parametrize("megabytes", [300, 450, 600, 800, 1100, 1500])
def test_little_memory_is_enough_or_told(demo_warc: Path, tmp_path: Path, megabytes: int) -> None:
    def bound() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))

    done = weft("add", tmp_path / "c.weft", demo_warc, preexec_fn=bound)
    assert done.returncode == 0 or told_once(done), (done.returncode, done.stderr)


def test_an_address_space_of_a_gigabyte_and_a_half_is_enough(
    demo_warc: Path, tmp_path: Path
) -> None:
    def bound() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (1500 << 20, 1500 << 20))

    for workers in (1, 2):
        line = ("add", tmp_path / f"{workers}.weft", demo_warc, "--workers", workers)
        modest = {**os.environ, "ARROW_DEFAULT_MEMORY_POOL": "system"}
        done = weft(*line, preexec_fn=bound, env=modest)
        assert done.returncode == 0, done.stderr


def test_a_closed_pipe_is_no_error(demo: Workspace) -> None:
    line = f"{' '.join(COMMAND[:1])} -c '{COMMAND[2]}' search {demo.folder} jaguar -n 200"
    done = subprocess.run(
        ["bash", "-c", f"{line} | head -n 1"], capture_output=True, text=True, check=True
    )
    assert done.stdout.count("\n") == 1
    assert done.stderr == ""
