"""Nothing inside a collection is followed through a symbolic link, and nothing outside is lost."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from weft.core.errors import WeftError
from weft.store.collection import Collection
from weft.workspace.workspace import Workspace

PLACES = [
    "collection.json",
    "lock",
    "segments",
    "segments/000001",
    "segments/000001/links.parquet",
    "segments/000001/segment.json",
    "segments/000001/removed-000002.npy",
    "snapshots",
    "snapshots/000002",
    "snapshots/000002/pages.arrow",
    "snapshots/000002/graph",
    "snapshots/000002/graph/out_ids.npy",
    "snapshots/000002/index",
    "snapshots/000002/term_weights/ids.npy",
    "results",
]
STRAY = [
    ".collection.json",
    "segments/.000002",
    "segments/000002",
    "segments/000009",
    "snapshots/.000003",
    "snapshots/000003",
    "results/stray.npz",
]
VERBS: dict[str, Callable[[Workspace, Path], object]] = {
    "add": lambda workspace, more: workspace.add(more),
    "remove": lambda workspace, _: workspace.remove(["c"]),
    "compact": lambda workspace, _: workspace.compact(),
    "search": lambda workspace, _: Collection.open(workspace.folder).search("a"),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A collection out of which a page was removed, with an empty cache and a list to add."""
    home = tmp_path_factory.mktemp("linked")
    (home / "e.csv").write_text("source,target\na,b\nb,c\nc,d\n")
    (home / "more.csv").write_text("source,target\na,c\n")
    workspace = Workspace(home / "c.weft")
    workspace.add(home / "e.csv")
    workspace.remove(["d"])
    (home / "c.weft" / "results").mkdir()
    return home


def contents(folder: Path) -> dict[str, bytes]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("place", [*PLACES, *STRAY])
def test_a_link_inside_is_refused(made: Path, tmp_path: Path, place: str, verb: str) -> None:
    shutil.copytree(made, tmp_path / "home")
    inside = tmp_path / "home/c.weft" / place
    outside = tmp_path / "precious"
    outside.mkdir()
    if place in PLACES:
        inside.rename(outside / "own")
    else:
        (outside / "own").mkdir()
        (outside / "own" / "diary").write_text("mine")
    inside.symlink_to(outside / "own")
    before = contents(outside)
    workspace = Workspace(tmp_path / "home/c.weft")
    with pytest.raises(WeftError, match="is a symbolic link inside a collection"):
        VERBS[verb](workspace, tmp_path / "home/more.csv")
    assert contents(outside) == before
    assert inside.is_symlink()
    assert any("symbolic link" in sentence for sentence in workspace.doctor())


@pytest.mark.parametrize("verb", VERBS)
def test_the_collection_itself_may_be_linked_to(made: Path, tmp_path: Path, verb: str) -> None:
    shutil.copytree(made, tmp_path / "home")
    (tmp_path / "c.weft").symlink_to(tmp_path / "home/c.weft")
    VERBS[verb](Workspace(tmp_path / "c.weft"), tmp_path / "home/more.csv")
    assert not Workspace(tmp_path / "c.weft").doctor()


def test_a_pipe_in_place_of_a_file_is_damage(made: Path, tmp_path: Path) -> None:
    shutil.copytree(made / "c.weft", tmp_path / "c.weft")
    path = tmp_path / "c.weft/snapshots/000002/aliases.arrow"
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(WeftError, match="is not a regular file"):
        Collection.open(tmp_path / "c.weft")
