"""The demo web in two files."""

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def halves(demo_warc: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The demo web in two files that share some pages."""
    raw = demo_warc.read_bytes()
    members = [b"\x1f\x8b\x08" + part for part in raw.split(b"\x1f\x8b\x08")[1:]]
    folder = tmp_path_factory.mktemp("halves")
    one, two = folder / "one.warc.gz", folder / "two.warc.gz"
    one.write_bytes(b"".join(members[: len(members) * 2 // 3]))
    two.write_bytes(b"".join([members[0], *members[len(members) // 3 :]]))
    return one, two
