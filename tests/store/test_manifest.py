"""The manifest: written in one step, refused with a plain message."""

import json
import os
from pathlib import Path

import pytest

from weft.core.errors import DamagedFile, WeftError
from weft.store.manifest import (
    COLLECTION_FORMAT,
    MANIFEST_FILE,
    READABLE_FORMATS,
    SEGMENT_TABLES,
    CommittedFile,
    Manifest,
    Segment,
    _json_digest,
    fsync_folder,
)

FILE = CommittedFile(1, "00", 2)
ENTRY = {
    "time": "",
    "version": "",
    "inputs": ["a"],
    "pages": 0,
    "already_stored": 0,
    "problems": [],
}
REMOVED = "removed-000002.npy"
FILES = dict.fromkeys((*SEGMENT_TABLES, REMOVED), FILE)
FULL = Manifest(
    snapshot=3,
    next_segment=5,
    policy={"index": False},
    segments=(Segment("000004", 2, 1, "ab", 1, REMOVED, complete=False, files=FILES),),
    files={"snapshots/000003/graph/x.npy": FILE},
    counts={"captured": 2},
    history=(ENTRY,),
    older_snapshots={"snapshots/000002": ["000001"]},
)


def test_a_manifest_reads_back_as_written(tmp_path: Path) -> None:
    FULL.write(tmp_path)
    assert Manifest.read(tmp_path) == FULL
    assert [path.name for path in tmp_path.iterdir()] == [MANIFEST_FILE]


def test_the_file_is_durable_before_it_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    existed: list[bool] = []
    monkeypatch.setattr(os, "fsync", lambda _: existed.append((tmp_path / MANIFEST_FILE).exists()))
    FULL.write(tmp_path)
    assert existed == [False, True]


def test_a_folder_without_commit_is_no_collection(tmp_path: Path) -> None:
    with pytest.raises(WeftError, match="not a collection") as caught:
        Manifest.read(tmp_path)
    assert "weft add" in caught.value.hint


def test_the_folder_above_a_collection_gets_a_hint(tmp_path: Path) -> None:
    (tmp_path / "mine.weft").mkdir()
    (tmp_path / "mine.weft" / MANIFEST_FILE).touch()
    with pytest.raises(WeftError, match="not a collection") as caught:
        Manifest.read(tmp_path)
    assert caught.value.hint == f"did you mean {tmp_path / 'mine.weft'}?"


def test_a_file_is_no_collection(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(WeftError, match="is a file"):
        Manifest.read(tmp_path / "file")


@pytest.mark.parametrize(
    "number", [0, 3, READABLE_FORMATS[0] - 1, COLLECTION_FORMAT + 1, str(COLLECTION_FORMAT), None]
)
def test_another_format_is_refused_with_the_cure(tmp_path: Path, number: object) -> None:
    FULL.write(tmp_path)
    document = json.loads((tmp_path / MANIFEST_FILE).read_text())
    (tmp_path / MANIFEST_FILE).write_text(json.dumps({**document, "format": number}))
    message = f"format {number}, but this Weft reads format 5 and {COLLECTION_FORMAT} only"
    with pytest.raises(WeftError, match=message) as caught:
        Manifest.read(tmp_path)
    assert caught.value.hint.startswith("add its inputs to a new collection; `weft tags import")


def test_the_format_without_usage_data_is_readable(tmp_path: Path) -> None:
    """Format 5 lacks the fields of usage data; written again, a collection has the present one."""
    FULL.write(tmp_path)
    body = json.loads((tmp_path / MANIFEST_FILE).read_text())["collection"]
    del body["session_rules"]
    for row in body["segments"]:
        del row["inputs"], row["salt_id"]
    old = {"format": READABLE_FORMATS[0], "sha256": _json_digest(body), "collection": body}
    (tmp_path / MANIFEST_FILE).write_text(json.dumps(old))
    assert Manifest.read(tmp_path) == FULL
    Manifest.read(tmp_path).write(tmp_path)
    assert json.loads((tmp_path / MANIFEST_FILE).read_text())["format"] == COLLECTION_FORMAT


@pytest.mark.parametrize(
    "junk", [b"", b"{}", b"[]", b"null", b"\x00\xff", b"[" * 100_000, b'{"collection": 1}']
)
def test_junk_is_damage(tmp_path: Path, junk: bytes) -> None:
    (tmp_path / MANIFEST_FILE).write_bytes(junk)
    with pytest.raises(DamagedFile):
        Manifest.read(tmp_path)


def test_a_folder_in_its_place_is_damage(tmp_path: Path) -> None:
    (tmp_path / MANIFEST_FILE).mkdir()
    with pytest.raises(DamagedFile):
        Manifest.read(tmp_path)


def test_any_altered_value_is_damage(tmp_path: Path) -> None:
    FULL.write(tmp_path)
    text = (tmp_path / MANIFEST_FILE).read_text()
    (tmp_path / MANIFEST_FILE).write_text(text.replace('"snapshot": 3', '"snapshot": 2'))
    with pytest.raises(DamagedFile, match="altered"):
        Manifest.read(tmp_path)


def test_a_truncated_file_is_damage(tmp_path: Path) -> None:
    FULL.write(tmp_path)
    raw = (tmp_path / MANIFEST_FILE).read_bytes()
    for size in range(0, len(raw), 7):
        (tmp_path / MANIFEST_FILE).write_bytes(raw[:size])
        with pytest.raises(DamagedFile):
            Manifest.read(tmp_path)


@pytest.fixture
def kept(tmp_path: Path) -> tuple[Path, CommittedFile]:
    path = tmp_path / "kept"
    path.write_bytes(b"some bytes")
    return path, CommittedFile.from_path(path)


def test_a_file_as_it_was_is_trusted(kept: tuple[Path, CommittedFile]) -> None:
    path, file = kept
    file.check(path)
    os.utime(path)
    file.check(path)


@pytest.mark.parametrize("bytes_", [b"some bytez", b"some byte", b"some bytes."])
@pytest.mark.parametrize("restore", [True, False])
def test_other_bytes_are_refused(
    kept: tuple[Path, CommittedFile], bytes_: bytes, *, restore: bool
) -> None:
    path, file = kept
    path.write_bytes(bytes_)
    if restore:
        os.utime(path, ns=(file.mtime_ns, file.mtime_ns))
    with pytest.raises(DamagedFile, match="kept"):
        file.check(path)


def test_a_large_file_is_hashed_only_if_modified(kept: tuple[Path, CommittedFile]) -> None:
    path, file = kept
    path.write_bytes(b"some bytez")
    with pytest.raises(DamagedFile):
        file.check(path, max_rehash_bytes=0)
    os.utime(path, ns=(file.mtime_ns, file.mtime_ns))
    file.check(path, max_rehash_bytes=0)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DamagedFile, match="gone is missing"):
        CommittedFile(1, "", 0).check(tmp_path / "gone")


def test_a_folder_itself_is_synced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced = []
    monkeypatch.setattr(os, "fsync", lambda handle: synced.append(os.fstat(handle).st_ino))
    fsync_folder(tmp_path)
    assert synced == [tmp_path.stat().st_ino]


def test_a_collection_of_a_similar_name_is_suggested(tmp_path: Path) -> None:
    (tmp_path / "mine.weft").mkdir()
    (tmp_path / "mine.weft" / "collection.json").touch()
    with pytest.raises(WeftError, match="not a collection") as caught:
        Manifest.read(tmp_path / "mine.wef")
    assert caught.value.hint == f"did you mean {tmp_path / 'mine.weft'}?"
    with pytest.raises(WeftError) as caught:
        Manifest.read(tmp_path / "machine")
    assert "weft add" in caught.value.hint
