"""Cached results: found again, checked when read, and never in the way."""

import os
from pathlib import Path

import numpy as np
import pytest

from weft.store.writer import RESULTS_FOLDER, delete_results
from weft.workspace import result_cache
from weft.workspace.result_cache import (
    CachedResult,
    load_result,
    save_result,
)

REQUEST = {"topics": "auto", "options": {"k": 3}}
RESULT = CachedResult(
    {"label": ["big cats"]}, [np.arange(5, dtype=np.int32), np.array([0.5, np.nan])]
)


def only_file(folder: Path) -> Path:
    [path] = (folder / RESULTS_FOLDER).iterdir()
    return path


def test_a_saved_result_is_loaded(tmp_path: Path) -> None:
    assert load_result(tmp_path, REQUEST) is None
    save_result(tmp_path, REQUEST, RESULT)
    found = load_result(tmp_path, REQUEST)
    assert found is not None
    assert found.document == RESULT.document
    for loaded, saved in zip(found.arrays, RESULT.arrays, strict=True):
        assert (loaded.dtype, loaded.tobytes()) == (saved.dtype, saved.tobytes())


def test_another_request_has_another_result(tmp_path: Path) -> None:
    save_result(tmp_path, REQUEST, RESULT)
    assert load_result(tmp_path, {**REQUEST, "options": {"k": 4}}) is None
    other = tmp_path / RESULTS_FOLDER / result_cache._result_path(tmp_path, "other").name
    only_file(tmp_path).rename(other)
    assert load_result(tmp_path, "other") is None, "a file with the name of another result"


@pytest.mark.parametrize("damage", ["cut", "empty", "words", "folder"])
def test_a_damaged_file_is_a_cache_miss(tmp_path: Path, damage: str) -> None:
    save_result(tmp_path, REQUEST, RESULT)
    path = only_file(tmp_path)
    raw = path.read_bytes()
    path.unlink()
    if damage == "folder":
        path.mkdir()
    else:
        path.write_bytes({"cut": raw[:90], "empty": b"", "words": b"hi"}[damage])
    assert load_result(tmp_path, REQUEST) is None
    save_result(tmp_path, REQUEST, RESULT)
    assert (load_result(tmp_path, REQUEST) is None) == (damage == "folder")


def test_no_flipped_bit_goes_unnoticed(tmp_path: Path) -> None:
    save_result(tmp_path, REQUEST, RESULT)
    path = only_file(tmp_path)
    raw, missed = path.read_bytes(), 0
    for at in range(len(raw)):
        path.write_bytes(raw[:at] + bytes([raw[at] ^ 4]) + raw[at + 1 :])
        found = load_result(tmp_path, REQUEST)
        missed += found is None
        if found is not None:
            assert found.document == RESULT.document
            assert [a.tobytes() for a in found.arrays] == [a.tobytes() for a in RESULT.arrays]
    assert missed > len(raw) // 2


def test_nothing_is_unpickled(tmp_path: Path) -> None:
    save_result(tmp_path, REQUEST, RESULT)
    np.savez(only_file(tmp_path), json=np.array([{"request": REQUEST}], object))
    assert load_result(tmp_path, REQUEST) is None


def test_a_file_too_large_is_a_cache_miss(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save_result(tmp_path, REQUEST, CachedResult({}, [np.zeros(100_000)]))
    assert load_result(tmp_path, REQUEST) is not None
    monkeypatch.setattr(result_cache, "MAX_RESULT_BYTES", 1000)
    assert load_result(tmp_path, REQUEST) is None
    save_result(tmp_path, "large", CachedResult({}, [np.zeros(1000)]))
    assert len(list((tmp_path / RESULTS_FOLDER).iterdir())) == 1


def test_the_least_recently_used_are_evicted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    noise = np.random.default_rng(0).bytes
    for k in range(4):
        save_result(tmp_path, k, CachedResult({}, [np.frombuffer(noise(1000), np.uint8)]))
        os.utime(result_cache._result_path(tmp_path, k), (k, k))
    assert load_result(tmp_path, 0) is not None, "which makes it the latest"
    size = result_cache._result_path(tmp_path, 0).stat().st_size
    monkeypatch.setattr(result_cache, "MAX_CACHE_BYTES", 3 * size + size // 2)
    save_result(tmp_path, 4, CachedResult({}, [np.frombuffer(noise(1000), np.uint8)]))
    assert [load_result(tmp_path, k) is not None for k in range(5)] == [
        True,
        False,
        False,
        True,
        True,
    ]


def test_other_files_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / RESULTS_FOLDER).mkdir()
    (tmp_path / RESULTS_FOLDER / "mine.npz").write_bytes(b"x")
    save_result(tmp_path, REQUEST, RESULT)
    delete_results(tmp_path)
    assert only_file(tmp_path).name == "mine.npz"


def test_a_linked_folder_is_not_touched(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    save_result(elsewhere.parent, REQUEST, RESULT)
    (tmp_path / RESULTS_FOLDER).rename(elsewhere)
    (tmp_path / RESULTS_FOLDER).symlink_to(elsewhere)
    save_result(tmp_path, "new", RESULT)
    delete_results(tmp_path)
    assert len(list(elsewhere.iterdir())) == 1


def test_nothing_is_cached_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / RESULTS_FOLDER).write_text("in the way")
    save_result(tmp_path, REQUEST, RESULT)
    assert load_result(tmp_path, REQUEST) is None
    save_result(tmp_path / "missing", REQUEST, RESULT)
    assert not (tmp_path / "missing").exists()
