"""Notes on pages: right, and made once."""

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest

from weft.gather.page import Link, Page
from weft.gather.url import domain, host, site
from weft.graph.noted import Noted, owners_of, shunned, stopped, titles_of
from weft.graph.stoplist import StopList
from weft.run.workspace import Workspace

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


def test_each_page_is_told_once(workspace: Workspace) -> None:
    asked: list[str] = []

    def tell(urls: pa.Array) -> np.ndarray:
        asked.extend(urls.to_pylist())
        return np.array([len(url) for url in urls.to_pylist()], np.int32)

    column = workspace.collection.pages["url"]
    noted, urls = Noted(column, tell), column.to_pylist()
    for pages in ([2, 0], [0, 1, 2], [5, 1]):
        found = noted.of(np.array(pages, np.int32)).tolist()
        assert found == [len(urls[page]) for page in pages]
    assert sorted(asked) == sorted(urls[page] for page in (0, 1, 2, 5))


@pytest.mark.parametrize(("level", "of"), [("host", host), ("domain", domain), ("site", site)])
def test_owners(workspace: Workspace, level: str, of: Callable[[str], str]) -> None:
    collection = workspace.collection
    urls = collection.pages["url"].to_pylist()
    for pages in (range(len(urls)), [4, 1], []):
        numbers = owners_of(collection, np.array(list(pages), np.int32), level).tolist()
        names = [of(urls[page]) for page in pages]
        assert len(set(zip(numbers, names, strict=True))) == len(set(names)) == len(set(numbers))
        assert max(numbers, default=0) < len(set(map(of, urls)))


def test_others_are_told_along(workspace: Workspace) -> None:
    asked: list[int] = []

    def tell(urls: pa.Array) -> np.ndarray:
        asked.append(len(urls))
        return np.array([len(url) for url in urls.to_pylist()], np.int32)

    column = workspace.collection.pages["url"]
    noted, urls = Noted(column, tell, ahead=2), column.to_pylist()
    for pages in ([5], [0, 1], [3, 5], [4], [2, 3]):
        found = noted.of(np.array(pages, np.int32)).tolist()
        assert found == [len(urls[page]) for page in pages]
    assert asked == [3, 2, 1]


def test_titles_that_are_the_same(keep: Keep) -> None:
    titles = ["One", "Two", "", "One", ""]
    pages = [Page(f"http://t{k}.com/", title=title) for k, title in enumerate(titles)]
    collection = keep(*pages, name="titles").collection
    for some in ([3], [0, 1, 2, 3, 4]):
        found = titles_of(collection, np.array(some, np.int32)).tolist()
        own = collection.pages["title"].take(some).to_pylist()
        assert [number < 0 for number in found] == [not title for title in own]
        assert len(set(zip(found, own, strict=True))) == len(set(own)) == len(set(found))


def test_stop_lists_do_not_mix(workspace: Workspace) -> None:
    collection = workspace.collection
    urls, every = collection.pages["url"].to_pylist(), np.arange(len(collection), dtype=np.int32)

    def meant(listed: StopList) -> tuple[set[str], set[str]]:
        flags = stopped(collection, every, listed), shunned(collection, every, listed)
        one, two = ({url for url, yes in zip(urls, way, strict=True) if yes} for way in flags)
        return one, two

    first = StopList.of({"pages": {"hosts": ["a.com"]}, "links": {"endings": ["about"]}})
    assert meant(first) == (set(URLS[:3]), {URLS[2]})
    assert meant(StopList.of({"pages": {"hosts": ["c.org"]}})) == ({URLS[3]}, set())
    assert meant(StopList()) == (set(), set())
    assert meant(first) == (set(URLS[:3]), {URLS[2]})
