"""The hosts and domains of pages: found, written, read back."""

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from weft.gather.page import Page
from weft.graph import build
from weft.graph.build import EncodedGroups, read_page_groups, write_hosts
from weft.graph.levels import group_pages
from weft.graph.selection import Level
from weft.workspace.workspace import Workspace

Keep = Callable[..., Workspace]
LEVELS: list[Level] = ["host", "domain"]
URLS = [
    "http://a.example.com/1",
    "http://a.example.com/2",
    "http://example.com:8080/",
    "http://10.0.0.1/",
    "https://news.bbc.co.uk/x",
]


@pytest.fixture
def workspace(keep: Keep) -> Workspace:
    return keep(*(Page(url, text="words") for url in URLS))


def named(found: EncodedGroups) -> list[str]:
    """The name of each page's group."""
    numbers, names = found
    return [names[number].as_py() for number in numbers.tolist()]


def test_pages_are_on_hosts_and_hosts_in_domains(workspace: Workspace) -> None:
    collection = workspace.collection
    hosts = ["10.0.0.1", "a.example.com", "a.example.com", "example.com", "news.bbc.co.uk"]
    assert sorted(named(group_pages(collection, "host"))) == hosts
    domains = ["10.0.0.1", "bbc.co.uk", "example.com", "example.com", "example.com"]
    assert sorted(named(group_pages(collection, "domain"))) == domains


@pytest.mark.parametrize("level", LEVELS)
def test_blocks_do_not_matter(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, level: Level
) -> None:
    expected = group_pages(workspace.collection, level)
    monkeypatch.setattr(build, "HOST_BLOCK_PAGES", 2)
    write_hosts(workspace.collection.pages, tmp_path)
    assert named(read_page_groups(tmp_path, level)) == named(expected)


@pytest.mark.parametrize("level", LEVELS)
def test_no_pages_are_on_no_host(tmp_path: Path, level: Level) -> None:
    none = pa.table({name: pa.array([], pa.large_string()) for name in ("key", "url")})
    write_hosts(none, tmp_path)
    numbers, names = read_page_groups(tmp_path, level)
    assert (len(numbers), len(names), names.type) == (0, 0, pa.large_string())
