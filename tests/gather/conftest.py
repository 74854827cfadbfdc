"""Files to put a graph or an archive into."""

from pathlib import Path

import pytest
from tests.gather.archives import Read, Reader
from tests.gather.graphs import Write

from weft.gather.html import Reading


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """`write(content)`: the one file of this test, written anew."""

    def put(content: bytes) -> Path:
        path = tmp_path / "graph"
        path.write_bytes(content)
        return path

    return put


@pytest.fixture
def read(tmp_path: Path) -> Reader:
    """`read(*parts)`: what is in an archive of these parts."""

    def put(*parts: bytes, reading: Reading | None = None) -> Read:
        path = tmp_path / "archive"
        path.write_bytes(b"".join(parts))
        return Read(path, reading=reading)

    return put
