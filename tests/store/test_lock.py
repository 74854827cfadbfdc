"""One writer, who is named to the next; readers that lock their snapshot."""

from pathlib import Path

import pytest

from weft.core.errors import CollectionBusy, DamagedFile
from weft.store.collection import ReaderLock
from weft.store.writer import try_lock_snapshot, writer_lock


def test_the_second_writer_learns_who_is_first(tmp_path: Path) -> None:
    first, second = writer_lock(tmp_path / "lock"), writer_lock(tmp_path / "lock")
    with first, pytest.raises(CollectionBusy, match=r"process \d+ on .* since"), second:
        pass


def test_a_stale_lock_does_not_block(tmp_path: Path) -> None:
    (tmp_path / "lock").write_text("process 1 on elsewhere since long ago " * 9)
    with writer_lock(tmp_path / "lock"):
        assert "elsewhere" not in (tmp_path / "lock").read_text()
    with writer_lock(tmp_path / "lock"):
        pass


def test_a_lock_lasts_as_long_as_its_reader(tmp_path: Path) -> None:
    first, second = ReaderLock(tmp_path), ReaderLock(tmp_path)
    del first
    with try_lock_snapshot(tmp_path) as free:
        assert not free
    del second
    with try_lock_snapshot(tmp_path) as free:
        assert free
        with pytest.raises(DamagedFile):
            ReaderLock(tmp_path)


def test_a_missing_snapshot_cannot_be_locked(tmp_path: Path) -> None:
    with pytest.raises(DamagedFile, match="missing"):
        ReaderLock(tmp_path / "gone")
