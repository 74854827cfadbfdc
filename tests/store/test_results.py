"""Answers in files: found again, never trusted too far, and never in the way."""

import os
from pathlib import Path

import numpy as np
import pytest

from weft.store import results
from weft.store.results import FOLDER, Kept, forget, keep, recall

ASKED = {"topics": "auto", "options": {"k": 3}}
ANSWER = Kept({"label": ["big cats"]}, [np.arange(5, dtype=np.int32), np.array([0.5, np.nan])])


def the_file(folder: Path) -> Path:
    [path] = (folder / FOLDER).iterdir()
    return path


def test_what_is_kept_is_recalled(tmp_path: Path) -> None:
    assert recall(tmp_path, ASKED) is None
    keep(tmp_path, ASKED, ANSWER)
    found = recall(tmp_path, ASKED)
    assert found is not None
    assert found.note == ANSWER.note
    for one, two in zip(found.arrays, ANSWER.arrays, strict=True):
        assert (one.dtype, one.tobytes()) == (two.dtype, two.tobytes())


def test_another_question_has_another_answer(tmp_path: Path) -> None:
    keep(tmp_path, ASKED, ANSWER)
    assert recall(tmp_path, {**ASKED, "options": {"k": 4}}) is None
    other = tmp_path / FOLDER / results._path(tmp_path, "other").name
    the_file(tmp_path).rename(other)
    assert recall(tmp_path, "other") is None, "a file with the name of another answer"


@pytest.mark.parametrize("damage", ["cut", "empty", "words", "folder"])
def test_a_damaged_file_is_none(tmp_path: Path, damage: str) -> None:
    keep(tmp_path, ASKED, ANSWER)
    path = the_file(tmp_path)
    raw = path.read_bytes()
    path.unlink()
    if damage == "folder":
        path.mkdir()
    else:
        path.write_bytes({"cut": raw[:90], "empty": b"", "words": b"hi"}[damage])
    assert recall(tmp_path, ASKED) is None
    keep(tmp_path, ASKED, ANSWER)
    assert (recall(tmp_path, ASKED) is None) == (damage == "folder")


def test_no_bit_can_be_turned_unseen(tmp_path: Path) -> None:
    keep(tmp_path, ASKED, ANSWER)
    path = the_file(tmp_path)
    raw, missed = path.read_bytes(), 0
    for at in range(len(raw)):
        path.write_bytes(raw[:at] + bytes([raw[at] ^ 4]) + raw[at + 1 :])
        found = recall(tmp_path, ASKED)
        missed += found is None
        if found is not None:
            assert found.note == ANSWER.note
            assert [a.tobytes() for a in found.arrays] == [a.tobytes() for a in ANSWER.arrays]
    assert missed > len(raw) // 2


def test_nothing_is_unpickled(tmp_path: Path) -> None:
    keep(tmp_path, ASKED, ANSWER)
    np.savez(the_file(tmp_path), note=np.array([{"asked": ASKED}], object))
    assert recall(tmp_path, ASKED) is None


def test_a_file_that_would_fill_the_memory_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(tmp_path, ASKED, Kept({}, [np.zeros(100_000)]))
    assert recall(tmp_path, ASKED) is not None
    monkeypatch.setattr(results, "LARGEST", 1000)
    assert recall(tmp_path, ASKED) is None
    keep(tmp_path, "large", Kept({}, [np.zeros(1000)]))
    assert len(list((tmp_path / FOLDER).iterdir())) == 1


def test_the_oldest_make_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    noise = np.random.default_rng(0).bytes
    for k in range(4):
        keep(tmp_path, k, Kept({}, [np.frombuffer(noise(1000), np.uint8)]))
        os.utime(results._path(tmp_path, k), (k, k))
    assert recall(tmp_path, 0) is not None, "which makes it the latest"
    size = results._path(tmp_path, 0).stat().st_size
    monkeypatch.setattr(results, "MOST", 3 * size + size // 2)
    keep(tmp_path, 4, Kept({}, [np.frombuffer(noise(1000), np.uint8)]))
    assert [recall(tmp_path, k) is not None for k in range(5)] == [True, False, False, True, True]


def test_other_files_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / FOLDER).mkdir()
    (tmp_path / FOLDER / "mine.npz").write_bytes(b"x")
    keep(tmp_path, ASKED, ANSWER)
    forget(tmp_path)
    assert the_file(tmp_path).name == "mine.npz"


def test_a_folder_elsewhere_is_not_touched(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    keep(elsewhere.parent, ASKED, ANSWER)
    (tmp_path / FOLDER).rename(elsewhere)
    (tmp_path / FOLDER).symlink_to(elsewhere)
    keep(tmp_path, "new", ANSWER)
    forget(tmp_path)
    assert len(list(elsewhere.iterdir())) == 1


def test_where_nothing_can_be_written_nothing_is_kept(tmp_path: Path) -> None:
    (tmp_path / FOLDER).write_text("in the way")
    keep(tmp_path, ASKED, ANSWER)
    assert recall(tmp_path, ASKED) is None
    keep(tmp_path / "missing", ASKED, ANSWER)
    assert not (tmp_path / "missing").exists()
