"""A file to put a graph into."""

from pathlib import Path

import pytest
from tests.gather.graphs import Write


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """`write(content)`: the one file of this test, written anew."""

    def put(content: bytes) -> Path:
        path = tmp_path / "graph"
        path.write_bytes(content)
        return path

    return put
