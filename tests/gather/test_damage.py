"""Where an archive is damaged, by every byte at which it could be cut."""

import gzip
import io
from pathlib import Path

import pyarrow as pa
import pytest

from weft.gather.damage import Salvage, clipped, codec, next_start

TEXTS = [b"WARC/1.0 one", b"WARC/1.0 two" * 40, b"other three"]
MEMBERS = [gzip.compress(text, mtime=0) for text in TEXTS]
WHOLE = b"".join(MEMBERS)


@pytest.mark.parametrize("name", ["gzip", "zstd", "lz4"])
def test_compression_is_told_by_the_first_bytes(name: str) -> None:
    packed = pa.BufferOutputStream()
    with pa.CompressedOutputStream(packed, name) as stream:
        stream.write(b"text")
    assert codec(packed.getvalue().to_pybytes()) == name
    assert codec(b"WARC/1.0") == ""


def test_every_cut_inside_a_member_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "cut.gz"
    whole = {len(MEMBERS[0]), len(MEMBERS[0] + MEMBERS[1]), len(WHOLE)}
    for end in range(3, len(WHOLE) + 1):
        path.write_bytes(WHOLE[:end])
        assert clipped(path, 0) == (end not in whole), end


def test_zeros_behind_the_last_member_are_padding(tmp_path: Path) -> None:
    path = tmp_path / "padded.gz"
    path.write_bytes(WHOLE + bytes(300))
    assert not clipped(path, 0)
    path.write_bytes(b"WARC/1.0 not packed")
    assert not clipped(path, 0)


def test_the_next_record_opens_as_records_do(tmp_path: Path) -> None:
    path = tmp_path / "many.gz"
    path.write_bytes(MEMBERS[0] + b"\x1f\x8b\x08junk" + MEMBERS[2] + MEMBERS[1])
    second = len(MEMBERS[0]) + 7 + len(MEMBERS[2])
    assert next_start(path, 0, b"WARC/") == 0
    assert next_start(path, 1, b"WARC/") == second
    assert next_start(path, second + 1, b"WARC/") is None
    path.write_bytes(b"junk junk WARC/1.0 plain")
    assert next_start(path, 0, b"WARC/") == len(b"junk junk ")


@pytest.mark.parametrize("end", range(20, len(WHOLE), 7))
def test_what_comes_before_the_damage_is_salvaged(end: int) -> None:
    told = Salvage(io.BytesIO(WHOLE[:end]))
    found = told.read()
    ends = [sum(map(len, MEMBERS[:k])) for k in range(4)]
    last = max(k for k in range(4) if ends[k] <= end)
    assert b"".join(TEXTS).startswith(found)
    assert len(found) >= sum(map(len, TEXTS[:last]))
    assert told.damaged == (end not in ends)
    assert told.start == ends[last]
    assert told.tell() == len(found)


def test_a_whole_file_is_read_past_its_padding() -> None:
    told = Salvage(io.BytesIO(MEMBERS[0] + bytes(600) + MEMBERS[1] + bytes(9)))
    assert told.read() == TEXTS[0] + TEXTS[1]
    assert not told.damaged
