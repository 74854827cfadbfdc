"""The whole command keeps to its memory, whatever a server sends."""

from pathlib import Path

import pytest
from benchmarks.fetch import HOSTILE_CRAWLS, hostile_crawl
from tests.gather.fetch.hostile_server import LARGE, serve_hostile

from weft.workspace.workspace import Workspace

pytestmark = pytest.mark.slow
LIMIT = 600  # MB


@pytest.mark.parametrize(("what", "path", "pages"), HOSTILE_CRAWLS)
def test_all_processes_of_a_hostile_crawl_keep_to_their_memory(
    tmp_path: Path, what: str, path: str, pages: int
) -> None:
    """At one time; `python -m benchmarks.fetch memory` prints how much it is."""
    folder = tmp_path / "hostile.weft"
    with serve_hostile() as server:
        cost = hostile_crawl(folder, server.url(path), pages)
        assert server.private_connections == 0
        assert server.forbidden == []
        large = server.large_pages * len(LARGE)
    workspace = Workspace(folder)
    assert workspace.counts["captured"] >= (large if path == "/large" else pages) - 10
    assert workspace.doctor() == []
    assert cost.memory < LIMIT, what
