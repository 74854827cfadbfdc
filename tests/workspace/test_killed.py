"""Writers killed at any moment: the last commit stays intact, and a second run completes it."""

import shutil
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.workspace.zygote import Outcome, Zygote

from weft.store.manifest import MANIFEST_FILE
from weft.workspace import maintain
from weft.workspace.workspace import Workspace

pytestmark = pytest.mark.slow
Portrait = Callable[..., str]
Words = tuple[object, ...]
JOBS = ("add", "add more", "remove", "compact")
SMALL_SEGMENTS = {
    "weft.store.writer.MAX_BUFFERED_PAGES": 6,
    "weft.workspace.parse.BATCH_PAGES": 6,
}


def write(zygote: Zygote, folder: Path, verb: str, *words: object, **job: Any) -> Outcome:
    """Run a command that writes, in small segments."""
    return zygote.run(verb, folder, *words, constants=SMALL_SEGMENTS, **job)


@dataclass(frozen=True)
class Job:
    """A command that tests interrupt: the collection before and after it, and its duration."""

    name: str
    start: Path | None
    before: str
    verb: str
    words: Words
    after: str
    captures: int
    seconds: float


def captures(workspace: Workspace) -> int:
    return sum(part.pages for part in workspace.collection.manifest.segments if not part.removed)


@pytest.fixture(scope="module")
def halves(halve: Callable[[int], tuple[Path, Path]]) -> tuple[Path, Path]:
    """Every eighth page of the demo web, since it is added many times."""
    return halve(8)


@pytest.fixture(scope="module", params=JOBS)
def job(
    request: pytest.FixtureRequest,
    zygote: Zygote,
    halves: tuple[Path, Path],
    portrait: Portrait,
    tmp_path_factory: pytest.TempPathFactory,
) -> Job:
    """Each command that writes, run once without interruption."""
    folder = tmp_path_factory.mktemp("job")
    before, after = folder / "before.weft", folder / "after.weft"
    one, two = halves
    words: dict[str, Words] = {
        "add": (one, "--workers", 1),
        "add more": (two, "--workers", 1),
        "remove": ("--pattern", "*-*.html"),
        "compact": (),
    }
    if request.param != "add":
        assert write(zygote, before, "add", *words["add"]).returncode == 0
    if request.param == "compact":
        assert write(zygote, before, "remove", "--pattern", "*about*").returncode == 0
    if before.exists():
        shutil.copytree(before, after)
    verb, own = request.param.partition(" ")[0], words[request.param]
    begin = time.perf_counter()
    assert write(zygote, after, verb, *own).returncode == 0
    seconds = time.perf_counter() - begin
    workspace = Workspace(after)
    start = before if before.exists() else None
    drawn = portrait(Workspace(start)) if start else ""
    return Job(
        request.param, start, drawn, verb, own, portrait(workspace), captures(workspace), seconds
    )


def interrupt(zygote: Zygote, job: Job, folder: Path, **how: Any) -> bool:
    """Start a job on a fresh copy of its collection; whether it was killed."""
    shutil.rmtree(folder, ignore_errors=True)
    if job.start is not None:
        shutil.copytree(job.start, folder)
    return write(zygote, folder, job.verb, *job.words, **how).returncode != 0


def check_recovery(zygote: Zygote, job: Job, folder: Path, portrait: Portrait) -> None:
    """The last commit is there and intact, and repeating the job completes it."""
    committed = (folder / MANIFEST_FILE).exists()
    assert committed or job.start is None
    if committed:
        assert maintain.find_damaged_files(folder) == []
        assert portrait(Workspace(folder)) in (job.before, job.after)
    assert write(zygote, folder, job.verb, *job.words).returncode == 0
    workspace = Workspace(folder)
    assert portrait(workspace) == job.after
    assert captures(workspace) == job.captures
    assert maintain.find_damaged_files(folder) == []
    assert [path.name for path in (folder / "snapshots").iterdir()] == [
        f"{workspace.collection.manifest.snapshot:06d}"
    ]


def test_killed_at_any_moment(zygote: Zygote, job: Job, portrait: Portrait, tmp_path: Path) -> None:
    moment = Random(job.captures).uniform(0, job.seconds * 0.8)
    interrupt(zygote, job, tmp_path / "c.weft", kill_after=moment)
    check_recovery(zygote, job, tmp_path / "c.weft", portrait)


@pytest.mark.slow
def test_killed_at_any_step(zygote: Zygote, job: Job, portrait: Portrait, tmp_path: Path) -> None:
    """Just before files and folders get, change or lose their names; scratch files have none.

    At growing distances, from where each command begins at another step.
    """
    step = 1 + JOBS.index(job.name)
    while interrupt(zygote, job, tmp_path / "c.weft", step=step):
        assert list(tmp_path.rglob("tmp*")) == []
        check_recovery(zygote, job, tmp_path / "c.weft", portrait)
        step += 1 + step
    assert step > 10


@pytest.mark.slow
def test_readers_see_one_commit_or_the_next(
    zygote: Zygote, halves: tuple[Path, Path], portrait: Portrait, tmp_path: Path
) -> None:
    """A reader opens the collection in a loop while pages are added, removed and merged."""
    folder, one, two = tmp_path / "c.weft", *halves
    commands: list[tuple[str, Words]] = [
        ("add", (two, "--workers", 1)),
        ("remove", ("--pattern", "*about*")),
        ("compact", ()),
        ("add", (one, "--workers", 1)),
    ]
    expected: dict[int, str] = {}
    seen: list[tuple[int, str]] = []
    ended = threading.Event()

    def draw() -> tuple[int, str]:
        workspace = Workspace(folder)
        drawn = portrait(workspace)
        return workspace.collection.manifest.snapshot, drawn

    def read() -> None:
        while not ended.is_set():
            seen.append(draw())
            time.sleep(0.02)

    assert write(zygote, folder, "add", one, "--workers", 1).returncode == 0
    reader = threading.Thread(target=read)
    reader.start()
    try:
        expected.update([draw()])
        for verb, words in commands:
            assert write(zygote, folder, verb, *words).returncode == 0
            expected.update([draw()])
    finally:
        ended.set()
        reader.join()
    assert len({snapshot for snapshot, _ in seen}) >= 3
    assert all(drawn == expected[snapshot] for snapshot, drawn in seen)
