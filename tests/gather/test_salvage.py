"""Damaged archives: truncated at every byte, padded, with junk between records."""

import gzip
import io
from pathlib import Path

import pyarrow as pa
import pytest

from weft.gather.salvage import SalvageReader, detect_codec, find_next_record, is_gzip_truncated

TEXTS = [b"WARC/1.0 one", b"WARC/1.0 two" * 40, b"other three"]
MEMBERS = [gzip.compress(text, mtime=0) for text in TEXTS]
WHOLE = b"".join(MEMBERS)


@pytest.mark.parametrize("name", ["gzip", "zstd", "lz4"])
def test_codec_by_magic_number(name: str) -> None:
    packed = pa.BufferOutputStream()
    with pa.CompressedOutputStream(packed, name) as stream:
        stream.write(b"text")
    assert detect_codec(packed.getvalue().to_pybytes()) == name
    assert detect_codec(b"WARC/1.0") == ""


def test_truncation_inside_a_member_is_detected(tmp_path: Path) -> None:
    path = tmp_path / "cut.gz"
    whole = {len(MEMBERS[0]), len(MEMBERS[0] + MEMBERS[1]), len(WHOLE)}
    for end in range(3, len(WHOLE) + 1):
        path.write_bytes(WHOLE[:end])
        assert is_gzip_truncated(path, 0) == (end not in whole), end


def test_zeros_after_the_last_member_are_padding(tmp_path: Path) -> None:
    path = tmp_path / "padded.gz"
    path.write_bytes(WHOLE + bytes(300))
    assert not is_gzip_truncated(path, 0)
    path.write_bytes(b"WARC/1.0 not packed")
    assert not is_gzip_truncated(path, 0)


def test_the_next_record_has_the_signature(tmp_path: Path) -> None:
    path = tmp_path / "many.gz"
    path.write_bytes(MEMBERS[0] + b"\x1f\x8b\x08junk" + MEMBERS[2] + MEMBERS[1])
    second = len(MEMBERS[0]) + 7 + len(MEMBERS[2])
    assert find_next_record(path, 0, b"WARC/") == 0
    assert find_next_record(path, 1, b"WARC/") == second
    assert find_next_record(path, second + 1, b"WARC/") is None
    path.write_bytes(b"junk junk WARC/1.0 plain")
    assert find_next_record(path, 0, b"WARC/") == len(b"junk junk ")


@pytest.mark.parametrize("end", range(20, len(WHOLE), 7))
def test_bytes_before_the_damage_are_salvaged(end: int) -> None:
    reader = SalvageReader(io.BytesIO(WHOLE[:end]))
    found = reader.read()
    ends = [sum(map(len, MEMBERS[:k])) for k in range(4)]
    last = max(k for k in range(4) if ends[k] <= end)
    assert b"".join(TEXTS).startswith(found)
    assert len(found) >= sum(map(len, TEXTS[:last]))
    assert reader.damaged == (end not in ends)
    assert reader.member_start == ends[last]
    assert reader.tell() == len(found)


def test_padding_between_members_is_skipped() -> None:
    reader = SalvageReader(io.BytesIO(MEMBERS[0] + bytes(600) + MEMBERS[1] + bytes(9)))
    assert reader.read() == TEXTS[0] + TEXTS[1]
    assert not reader.damaged
