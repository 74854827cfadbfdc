"""Fixtures that write a graph or an archive to a file, and read it."""

from pathlib import Path

import pytest
from tests.gather.archives import Read, Reader
from tests.gather.graphs import Write

from weft.gather.html import ParseOptions


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """`write(content)`: write the file of this test, and return its path."""

    def put(content: bytes) -> Path:
        path = tmp_path / "graph"
        path.write_bytes(content)
        return path

    return put


@pytest.fixture
def read(tmp_path: Path) -> Reader:
    """`read(*parts)`: read an archive of these parts."""

    def put(*parts: bytes, options: ParseOptions | None = None) -> Read:
        path = tmp_path / "archive"
        path.write_bytes(b"".join(parts))
        return Read(path, options=options)

    return put
