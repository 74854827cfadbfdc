"""The hosts and domains of pages: found, written, read back."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from weft.gather.page import Page
from weft.graph import build
from weft.graph.build import (
    DOMAINS_FILE,
    HOSTS_FILE,
    EncodedGroups,
    count_hosts,
    write_hosts,
)
from weft.graph.levels import DOMAIN_SCHEMA, HOST_SCHEMA, group_pages, read_hosts
from weft.store.arrow_files import map_arrow_file
from weft.workspace.workspace import Workspace

Keep = Callable[..., Workspace]
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


def test_blocks_do_not_matter(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    expected = read_hosts(workspace.collection)
    monkeypatch.setattr(build, "HOST_BLOCK_PAGES", 2)
    write_hosts(workspace.collection.pages, tmp_path)
    for file, table in zip((HOSTS_FILE, DOMAINS_FILE), expected, strict=True):
        assert map_arrow_file(tmp_path / file).equals(table)


def test_hosts_and_domains_count_by_their_pages(workspace: Workspace, tmp_path: Path) -> None:
    pages = workspace.collection.pages
    write_hosts(pages, tmp_path)
    for counted, hosts, domains in (
        ("http", 4, 3),
        ("http://a.example.com/2", 1, 1),
        ("example.com", 2, 1),
        ("nowhere", 0, 0),
    ):
        flags = np.array([counted in url for url in pages["url"].to_pylist()])
        assert count_hosts(flags, tmp_path) == {"hosts": hosts, "domains": domains}


def test_no_pages_are_on_no_host(tmp_path: Path) -> None:
    none = pa.table({name: pa.array([], pa.large_string()) for name in ("key", "url")})
    write_hosts(none, tmp_path)
    tables = [map_arrow_file(tmp_path / file) for file in (HOSTS_FILE, DOMAINS_FILE)]
    assert [(len(table), table.schema) for table in tables] == [
        (0, HOST_SCHEMA),
        (0, DOMAIN_SCHEMA),
    ]
    assert count_hosts(np.zeros(0, bool), tmp_path) == {"hosts": 0, "domains": 0}
