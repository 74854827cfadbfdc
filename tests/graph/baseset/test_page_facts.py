"""Facts of pages: correct, and computed once."""

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest

from weft.gather.page import Link, Page
from weft.gather.url import domain, host, site
from weft.graph.baseset.candidates import (
    LazyPageNumbers,
    encode_page_owners,
    encode_titles,
    stoplisted_link_targets,
    stoplisted_pages,
)
from weft.graph.baseset.stoplist import StopList
from weft.workspace.workspace import Workspace

Keep = Callable[..., Workspace]
URLS = [
    "http://a.com/",
    "http://b.a.com/x",
    "http://b.a.com/about",
    "http://c.org/~x/",
    "http://d.co.uk/",
]


@pytest.fixture
def workspace(keep: Keep) -> Workspace:
    return keep(Page("http://z.net/", links=tuple(Link(url) for url in URLS)))


def test_each_page_is_computed_once(workspace: Workspace) -> None:
    asked: list[str] = []

    def compute(urls: pa.Array) -> np.ndarray:
        asked.extend(urls.to_pylist())
        return np.array([len(url) for url in urls.to_pylist()], np.int32)

    column = workspace.collection.pages["url"]
    lengths, urls = LazyPageNumbers(column, compute), column.to_pylist()
    for pages in ([2, 0], [0, 1, 2], [5, 1]):
        found = lengths.take(np.array(pages, np.int32)).tolist()
        assert found == [len(urls[page]) for page in pages]
    assert sorted(asked) == sorted(urls[page] for page in (0, 1, 2, 5))


@pytest.mark.parametrize(("level", "of"), [("host", host), ("domain", domain), ("site", site)])
def test_owners(workspace: Workspace, level: str, of: Callable[[str], str]) -> None:
    collection = workspace.collection
    urls = collection.pages["url"].to_pylist()
    for pages in (range(len(urls)), [4, 1], []):
        numbers = encode_page_owners(collection, np.array(list(pages), np.int32), level).tolist()
        names = [of(urls[page]) for page in pages]
        assert len(set(zip(numbers, names, strict=True))) == len(set(names)) == len(set(numbers))
        assert max(numbers, default=0) < len(set(map(of, urls)))


def test_other_pages_are_prefetched(workspace: Workspace) -> None:
    asked: list[int] = []

    def compute(urls: pa.Array) -> np.ndarray:
        asked.append(len(urls))
        return np.array([len(url) for url in urls.to_pylist()], np.int32)

    column = workspace.collection.pages["url"]
    lengths, urls = LazyPageNumbers(column, compute, prefetch=2), column.to_pylist()
    for pages in ([5], [0, 1], [3, 5], [4], [2, 3]):
        found = lengths.take(np.array(pages, np.int32)).tolist()
        assert found == [len(urls[page]) for page in pages]
    assert asked == [3, 2, 1]


def test_titles_that_are_the_same(keep: Keep) -> None:
    titles = ["One", "Two", "", "One", ""]
    pages = [Page(f"http://t{k}.com/", title=title) for k, title in enumerate(titles)]
    collection = keep(*pages, name="titles").collection
    for some in ([3], [0, 1, 2, 3, 4]):
        found = encode_titles(collection, np.array(some, np.int32)).tolist()
        own = collection.pages["title"].take(some).to_pylist()
        assert [number < 0 for number in found] == [not title for title in own]
        assert len(set(zip(found, own, strict=True))) == len(set(own)) == len(set(found))


def test_stop_lists_do_not_mix(workspace: Workspace) -> None:
    collection = workspace.collection
    urls, every = collection.pages["url"].to_pylist(), np.arange(len(collection), dtype=np.int32)

    def matches(listed: StopList) -> tuple[set[str], set[str]]:
        flags = (
            stoplisted_pages(collection, every, listed),
            stoplisted_link_targets(collection, every, listed),
        )
        pages, targets = (
            {url for url, yes in zip(urls, column, strict=True) if yes} for column in flags
        )
        return pages, targets

    first = StopList.from_tables({"pages": {"hosts": ["a.com"]}, "links": {"endings": ["about"]}})
    assert matches(first) == (set(URLS[:3]), {URLS[2]})
    assert matches(StopList.from_tables({"pages": {"hosts": ["c.org"]}})) == ({URLS[3]}, set())
    assert matches(StopList()) == (set(), set())
    assert matches(first) == (set(URLS[:3]), {URLS[2]})
