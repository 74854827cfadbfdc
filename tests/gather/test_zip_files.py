"""Members of zip files, with their directory and without it."""

import io
import zipfile
import zlib
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from weft.gather.wacz import open_zip

WORDS = {
    "b": b" ".join(b"%d" % (k * k % 9973) for k in range(9000)),
    "a/é": b"PK\x07\x08 and PK\x03\x04 mean nothing here",
    "c": b"",
    "d": bytes(300_000),
}


class OneWay(io.RawIOBase):
    """A stream that cannot seek, so that sizes are written after the members."""

    def __init__(self, path: Path) -> None:
        self.file = path.open("wb")

    def writable(self) -> bool:
        """Always."""
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]
        """Append."""
        return self.file.write(data)

    def close(self) -> None:
        """Close the file, too."""
        self.file.close()
        super().close()


def pack(path: Path, method: int, *, streamed: bool = False, wide: bool = False) -> bytes:
    with (
        OneWay(path) if streamed else path.open("wb") as stream,
        zipfile.ZipFile(stream, "w", method) as archive,
    ):
        archive.writestr("folder/", b"")
        for name, content in WORDS.items():
            with archive.open(name, "w", force_zip64=wide) as member:
                member.write(content)
    return path.read_bytes()


def read(path: Path) -> tuple[dict[str, bytes], str]:
    with open_zip(path) as (members, damage):
        return {member.name: b"".join(member.unpack()) for member in members}, damage


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("wide", [False, True])
def test_members_are_the_same_without_the_directory(
    tmp_path: Path, method: int, *, streamed: bool, wide: bool
) -> None:
    path = tmp_path / "x.zip"
    raw = pack(path, method, streamed=streamed, wide=wide)
    assert read(path) == (WORDS, "")
    path.write_bytes(raw[: raw.index(b"PK\x01\x02") + 10])
    found, damage = read(path)
    assert damage
    assert found == WORDS
    assert list(found) == sorted(WORDS)


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize("streamed", [False, True])
def test_a_member_that_breaks_off_keeps_what_is_there(
    tmp_path: Path, method: int, *, streamed: bool
) -> None:
    path = tmp_path / "x.zip"
    raw = pack(path, method, streamed=streamed)
    path.write_bytes(raw[:8000])
    found, _ = read(path)
    assert list(found) == ["b"]
    assert WORDS["b"].startswith(found["b"])
    assert len(found["b"]) > 7000


@pytest.mark.parametrize("has_directory", [True, False])
def test_junk_between_members(tmp_path: Path, *, has_directory: bool) -> None:
    path = tmp_path / "x.zip"
    raw = pack(path, zipfile.ZIP_DEFLATED)
    at = [raw.index(name.encode()) - 30 for name in ("a/é", "d")]
    cuts = [0, *at, len(raw) if has_directory else raw.index(b"PK\x01\x02")]
    path.write_bytes(b"junk".join(raw[a:b] for a, b in pairwise(cuts)) + b"\0" * 99)
    with open_zip(path) as (members, _):
        assert [member.name for member in members] == sorted(WORDS)


def test_a_wrong_checksum_raises_after_all_bytes(tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    raw = bytearray(pack(path, zipfile.ZIP_STORED))
    raw[raw.index(WORDS["a/é"])] = 0
    path.write_bytes(raw)
    with open_zip(path) as (members, damage):
        assert not damage
        pieces = members[0].unpack()
        assert next(pieces) == b"\0" + WORDS["a/é"][1:]
        with pytest.raises(zipfile.BadZipFile):
            next(pieces)


def test_other_compressions_are_read_by_the_directory_alone(tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    raw = pack(path, zipfile.ZIP_BZIP2)
    assert read(path) == (WORDS, "")
    path.write_bytes(raw[: raw.index(b"PK\x01\x02")])
    with pytest.raises(zipfile.BadZipFile, match="compression method 12"):
        read(path)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.integers(0, 9000), st.binary(min_size=1, max_size=9)), max_size=4))
def test_any_damage_is_survived(tmp_path: Path, damage: list[tuple[int, bytes]]) -> None:
    path = tmp_path / "x.zip"
    raw = bytearray(pack(path, zipfile.ZIP_DEFLATED, streamed=True))
    for at, junk in damage:
        raw[at : at + len(junk)] = junk
    path.write_bytes(raw[: raw.index(b"PK\x01\x02")] if b"PK\x01\x02" in raw else raw)
    with open_zip(path) as (members, _):
        for member in members:
            try:
                assert sum(map(len, member.unpack())) <= 1100 * len(raw)
            except (zipfile.BadZipFile, zlib.error):
                continue
