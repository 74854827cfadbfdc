"""Notes on pages: right, dense where they must be, and made once."""

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest

from weft.gather.page import Link, Page
from weft.gather.url import domain, host, site
from weft.graph.noted import Noted, owners_of, shunned, stopped
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

    noted = Noted(workspace.collection, tell)
    urls = workspace.collection.pages["url"].to_pylist()
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
        assert set(numbers) == set(range(len(set(names))))


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
