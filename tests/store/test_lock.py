"""One writer, told by name; readers that hold what they read."""

from pathlib import Path

import pytest

from weft.core.errors import Busy, Damaged
from weft.store.lock import Hold, locked, unread


def test_the_second_writer_is_told_who_is_first(tmp_path: Path) -> None:
    first, second = locked(tmp_path / "lock"), locked(tmp_path / "lock")
    with first, pytest.raises(Busy, match=r"process \d+ on .* since"), second:
        pass


def test_a_stale_lock_does_not_block(tmp_path: Path) -> None:
    (tmp_path / "lock").write_text("process 1 on elsewhere since long ago " * 9)
    with locked(tmp_path / "lock"):
        assert "elsewhere" not in (tmp_path / "lock").read_text()
    with locked(tmp_path / "lock"):
        pass


def test_a_hold_lasts_as_long_as_its_reader(tmp_path: Path) -> None:
    one, two = Hold(tmp_path), Hold(tmp_path)
    del one
    with unread(tmp_path) as free:
        assert not free
    del two
    with unread(tmp_path) as free:
        assert free
        with pytest.raises(Damaged):
            Hold(tmp_path)


def test_what_is_gone_cannot_be_held(tmp_path: Path) -> None:
    with pytest.raises(Damaged, match="missing"):
        Hold(tmp_path / "gone")
