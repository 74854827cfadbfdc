"""Full disks, small files, read-only folders, little memory and closed pipes."""

import contextlib
import os
import resource
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.command import COMMAND, run, told_once, weft

from weft.run import maintain
from weft.run.workspace import Workspace

Portrait = Callable[..., str]


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


@pytest.fixture(scope="module")
def first(halves: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A collection of the first half."""
    folder = tmp_path_factory.mktemp("limits") / "first.weft"
    Workspace(folder).add(halves[0], workers=1)
    return folder


@pytest.fixture(scope="module")
def whole(first: Path, halves: tuple[Path, Path], portrait: Portrait) -> str:
    """What both halves added at once look like."""
    workspace = Workspace(first.with_name("whole.weft"))
    workspace.add(*halves, workers=1)
    return portrait(workspace)


@pytest.mark.parametrize("room", [0, 60, 160, 230, 290])
def test_a_full_disk_is_told_and_the_last_commit_stays(
    first: Path,
    halves: tuple[Path, Path],
    whole: str,
    portrait: Portrait,
    tmp_path: Path,
    room: int,
) -> None:
    """With room for nothing, for some segments, for the graph, for half the index, in kB."""
    _, two = halves
    with mounted(tmp_path / "disk", "-t", "tmpfs", "-o", "size=16m", "none"):
        folder = Path(shutil.copytree(first, tmp_path / "disk" / "c.weft"))
        before = portrait(Workspace(folder))
        filler = tmp_path / "disk" / "filler"
        filler.write_bytes(bytes(shutil.disk_usage(folder).free - (room << 10)))
        done = weft("add", folder, two)
        assert told_once(done), done.stderr
        assert "disk is full" in done.stderr or "cannot be written" in done.stderr
        assert portrait(Workspace(folder)) == before
        assert maintain.doctor(folder) == []
        filler.unlink()
        Workspace(folder).add(two, workers=1)
        assert portrait(Workspace(folder)) == whole


@pytest.mark.parametrize("limit", [1_000, 10_000, 30_000])
def test_a_limit_on_file_size_is_told(
    first: Path, demo_warc: Path, tmp_path: Path, limit: int
) -> None:
    folder = Path(shutil.copytree(first, tmp_path / "c.weft"))

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
        shown = run("search", demo.folder, "jaguar").stdout
        assert weft("search", folder, "jaguar").stdout == shown
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
    line = shlex.join([*COMMAND, "search", str(demo.folder), "jaguar", "-n", "200"])
    done = subprocess.run(
        ["bash", "-c", f"{line} | head -n 1"], capture_output=True, text=True, check=True
    )
    assert done.stdout.count("\n") == 1
    assert done.stderr == ""
