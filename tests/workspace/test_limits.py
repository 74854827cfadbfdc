"""Full disks, limits on files and memory, read-only folders."""

import contextlib
import os
import resource
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.command import is_one_sentence, run, weft
from tests.workspace.zygote import Zygote

from weft.workspace import maintain
from weft.workspace.workspace import Workspace

pytestmark = pytest.mark.slow
Portrait = Callable[..., str]
FREE_KB = (0, 60, 160, 230)


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
def both(first: Path, halves: tuple[Path, Path], portrait: Portrait) -> str:
    """The portrait of both halves added at once."""
    workspace = Workspace(first.with_name("both.weft"))
    workspace.add(*halves, workers=1)
    return portrait(workspace)


@pytest.mark.slow
def test_a_full_disk_is_reported_and_the_last_commit_stays(
    zygote: Zygote,
    first: Path,
    halves: tuple[Path, Path],
    both: str,
    portrait: Portrait,
    tmp_path: Path,
) -> None:
    """With room for nothing, for some segments, for the graph, for part of the index."""
    folder, filler = tmp_path / "disk" / "c.weft", tmp_path / "disk" / "filler"
    before = portrait(Workspace(first))
    with mounted(tmp_path / "disk", "-t", "tmpfs", "-o", "size=16m", "none"):
        for free_kb in FREE_KB:
            shutil.copytree(first, folder)
            filler.write_bytes(bytes(shutil.disk_usage(folder).free - (free_kb << 10)))
            done = zygote.run("add", folder, halves[1])
            assert is_one_sentence(done), (free_kb, done.stderr)
            assert "disk is full" in done.stderr or "cannot be written" in done.stderr
            assert portrait(Workspace(folder)) == before
            assert maintain.find_damaged_files(folder) == []
            filler.unlink()
            Workspace(folder).add(halves[1], workers=1)
            assert portrait(Workspace(folder)) == both
            shutil.rmtree(folder)


@pytest.mark.parametrize("limit", [1_000, 10_000, 30_000])
def test_a_limit_on_file_size_is_reported(
    zygote: Zygote, first: Path, demo_warc: Path, tmp_path: Path, limit: int
) -> None:
    folder = Path(shutil.copytree(first, tmp_path / "c.weft"))
    done = zygote.run("add", folder, demo_warc, max_file_bytes=limit)
    assert is_one_sentence(done), done.stderr
    assert maintain.find_damaged_files(folder) == []
    again = Workspace(folder).add(demo_warc, workers=1)
    assert again.new + again.resumed > 0


def test_a_read_only_folder_is_read_and_not_written(
    zygote: Zygote, demo: Workspace, halves: tuple[Path, Path], tmp_path: Path
) -> None:
    shutil.copytree(demo.folder, tmp_path / "real" / "c.weft")
    with mounted(tmp_path / "bound", "--bind", str(tmp_path / "real")):
        remount = ["mount", "-o", "remount,ro,bind", str(tmp_path / "bound")]
        subprocess.run(remount, check=True)
        folder = tmp_path / "bound" / "c.weft"
        shown = run("search", demo.folder, "jaguar").stdout
        assert zygote.run("search", folder, "jaguar").stdout == shown
        for words in (
            ("add", folder, halves[0]),
            ("compact", folder),
            ("remove", folder, "--host", "x.example"),
        ):
            done = zygote.run(*words)
            assert is_one_sentence(done), done.stderr
            assert "read-only" in done.stderr


def add_within(megabytes: int, *words: object) -> subprocess.CompletedProcess[str]:
    """Run `weft add` in so much address space, from its start."""

    def limit_address_space() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))

    modest = {**os.environ, "ARROW_DEFAULT_MEMORY_POOL": "system"}
    return weft("add", *words, preexec_fn=limit_address_space, env=modest)


@pytest.mark.slow
@pytest.mark.parametrize("megabytes", [300, 600])
def test_little_memory_is_enough_or_reported(
    halves: tuple[Path, Path], tmp_path: Path, megabytes: int
) -> None:
    """While libraries are loaded, or before the first page is read."""
    done = add_within(megabytes, tmp_path / "c.weft", halves[0])
    assert done.returncode == 0 or is_one_sentence(done), (done.returncode, done.stderr)


@pytest.mark.slow
def test_an_address_space_of_a_gigabyte_and_a_half_is_enough(
    halves: tuple[Path, Path], tmp_path: Path
) -> None:
    """For the command and for its workers."""
    done = add_within(1500, tmp_path / "c.weft", halves[0], "--workers", 2)
    assert done.returncode == 0, done.stderr
