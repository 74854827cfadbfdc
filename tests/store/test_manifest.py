"""The commit: written whole, refused in words."""

import json
import os
from pathlib import Path

import pytest

from weft.core.errors import Damaged, WeftError
from weft.store.manifest import NAME, TABLES, File, Manifest, Segment, sync_folder
from weft.store.schema import FORMAT, READABLE

FILE = File(1, "00", 2)
NOTE = {"time": "", "version": "", "inputs": ["a"], "pages": 0, "known": 0, "problems": []}
GONE = "removed-000002.npy"
FILES = dict.fromkeys((*TABLES, GONE), FILE)
FULL = Manifest(
    snapshot=3,
    next_segment=5,
    policy={"index": False},
    segments=(Segment("000004", 2, 1, "ab", 1, GONE, whole=False, files=FILES),),
    files={"snapshots/000003/graph/x.npy": FILE},
    counts={"fetched": 2},
    adds=(NOTE,),
    earlier={"snapshots/000002": ["000001"]},
)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    FULL.write(tmp_path)
    assert Manifest.read(tmp_path) == FULL
    assert [path.name for path in tmp_path.iterdir()] == [NAME]


def test_the_file_is_durable_before_it_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[bool] = []
    monkeypatch.setattr(os, "fsync", lambda _: seen.append((tmp_path / NAME).exists()))
    FULL.write(tmp_path)
    assert seen == [False, True]


def test_a_folder_without_commit_is_no_collection(tmp_path: Path) -> None:
    with pytest.raises(WeftError, match="not a collection") as told:
        Manifest.read(tmp_path)
    assert "weft add" in told.value.hint


def test_the_folder_above_a_collection_is_told_so(tmp_path: Path) -> None:
    (tmp_path / "mine.weft").mkdir()
    (tmp_path / "mine.weft" / NAME).touch()
    with pytest.raises(WeftError, match="not a collection") as told:
        Manifest.read(tmp_path)
    assert told.value.hint == f"did you mean {tmp_path / 'mine.weft'}?"


def test_a_file_is_no_collection(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(WeftError, match="is a file"):
        Manifest.read(tmp_path / "file")


@pytest.mark.parametrize("form", [0, READABLE[0] - 1, FORMAT + 1, 99, str(FORMAT), None])
def test_another_format_is_refused_in_words(tmp_path: Path, form: object) -> None:
    FULL.write(tmp_path)
    whole = json.loads((tmp_path / NAME).read_text())
    (tmp_path / NAME).write_text(json.dumps({**whole, "format": form}))
    with pytest.raises(WeftError, match=f"format {form}; this Weft reads 3 and {FORMAT}") as told:
        Manifest.read(tmp_path)
    assert "add its inputs to a new collection" in told.value.hint


@pytest.mark.parametrize(
    "junk", [b"", b"{}", b"[]", b"null", b"\x00\xff", b"[" * 100_000, b'{"collection": 1}']
)
def test_junk_is_damage(tmp_path: Path, junk: bytes) -> None:
    (tmp_path / NAME).write_bytes(junk)
    with pytest.raises(Damaged):
        Manifest.read(tmp_path)


def test_a_folder_in_its_place_is_damage(tmp_path: Path) -> None:
    (tmp_path / NAME).mkdir()
    with pytest.raises(Damaged):
        Manifest.read(tmp_path)


def test_any_altered_value_is_damage(tmp_path: Path) -> None:
    FULL.write(tmp_path)
    text = (tmp_path / NAME).read_text()
    (tmp_path / NAME).write_text(text.replace('"snapshot": 3', '"snapshot": 2'))
    with pytest.raises(Damaged, match="altered"):
        Manifest.read(tmp_path)


def test_every_cut_of_the_file_is_damage(tmp_path: Path) -> None:
    FULL.write(tmp_path)
    whole = (tmp_path / NAME).read_bytes()
    for size in range(0, len(whole), 7):
        (tmp_path / NAME).write_bytes(whole[:size])
        with pytest.raises(Damaged):
            Manifest.read(tmp_path)


@pytest.fixture
def kept(tmp_path: Path) -> tuple[Path, File]:
    path = tmp_path / "kept"
    path.write_bytes(b"some bytes")
    return path, File.of(path)


def test_a_file_as_it_was_is_trusted(kept: tuple[Path, File]) -> None:
    path, file = kept
    file.check(path)
    os.utime(path)
    file.check(path)


@pytest.mark.parametrize("bytes_", [b"some bytez", b"some byte", b"some bytes."])
@pytest.mark.parametrize("restore", [True, False])
def test_other_bytes_are_refused(kept: tuple[Path, File], bytes_: bytes, *, restore: bool) -> None:
    path, file = kept
    path.write_bytes(bytes_)
    if restore:
        os.utime(path, ns=(file.changed, file.changed))
    with pytest.raises(Damaged, match="kept"):
        file.check(path)


def test_a_large_file_is_read_only_if_touched(kept: tuple[Path, File]) -> None:
    path, file = kept
    path.write_bytes(b"some bytez")
    with pytest.raises(Damaged):
        file.check(path, small=0)
    os.utime(path, ns=(file.changed, file.changed))
    file.check(path, small=0)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(Damaged, match="gone is missing"):
        File(1, "", 0).check(tmp_path / "gone")


def test_a_folder_itself_is_synced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced = []
    monkeypatch.setattr(os, "fsync", lambda handle: synced.append(os.fstat(handle).st_ino))
    sync_folder(tmp_path)
    assert synced == [tmp_path.stat().st_ino]
