"""Sites by name: hosts, domains, folders, and unknown names."""

from collections.abc import Callable
from pathlib import Path

import pytest

from weft.core.errors import UnknownName, WeftError
from weft.gather.page import Link, Page
from weft.sites.site import find_site
from weft.workspace.workspace import Workspace

Keep = Callable[..., Workspace]
PAGES = [
    "http://a.org/",
    "http://www.a.org/x",
    "http://users.b.com/~ann/",
    "http://users.b.com/~ann/jazz.html",
    "http://users.b.com/~anna/",
    "http://users.b.com/~bob?tune=1",
    "http://www.geocities.com/Area51/",
]


@pytest.fixture
def hosts(keep: Keep) -> Workspace:
    links = (Link("http://far.net/"), Link("http://a.org/unread"))
    return keep(*(Page(url, text="hello", links=links) for url in PAGES))


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("a.org", PAGES[:2]),
        ("www.a.org", PAGES[1:2]),
        ("https://www.a.org/", PAGES[1:2]),
        (" A.org ", PAGES[:2]),
        ("b.com", PAGES[2:6]),
        ("users.b.com/~ann", PAGES[2:4]),
        ("users.b.com/~ann/", PAGES[2:4]),
        ("users.b.com/~ann/jazz.html", PAGES[3:4]),
        ("users.b.com/~bob", PAGES[5:6]),
        ("geocities.com/Area51", PAGES[6:]),
        ("www.users.b.com", PAGES[2:6]),
    ],
)
def test_a_site_has_its_pages(hosts: Workspace, name: str, found: list[str]) -> None:
    site = find_site(hosts.collection, name)
    urls = hosts.collection.pages["url"].to_pylist()
    assert sorted(urls[number] for number in site.captured_pages) == sorted(found)
    assert site.pages.tolist() == site.captured_pages.tolist()


def test_uncaptured_pages_of_a_site_are_counted(hosts: Workspace) -> None:
    site = find_site(hosts.collection, "a.org")
    assert (site.uncaptured_count, len(site.all_pages)) == (1, 3)


def test_a_site_without_captured_pages_is_refused(hosts: Workspace) -> None:
    with pytest.raises(WeftError, match=r"far\.net is linked, but none") as error:
        find_site(hosts.collection, "far.net")
    assert "weft add" in error.value.hint


def test_an_unknown_site_with_a_similar_name(hosts: Workspace) -> None:
    with pytest.raises(UnknownName, match=r"no site is called 'user\.b\.com'") as error:
        find_site(hosts.collection, "user.b.com")
    assert "'users.b.com'" in error.value.hint


@pytest.mark.parametrize("name", ["", " ", "/", "http://", "zzz", "x" * 100_000, "a.org/none", "*"])
def test_an_unknown_site_lists_some_domains(hosts: Workspace, name: str) -> None:
    with pytest.raises(UnknownName) as error:
        find_site(hosts.collection, name)
    assert "a.org" in error.value.hint
    assert len(str(error.value)) < 200


def test_names_of_an_edge_list_are_sites(tmp_path: Path) -> None:
    path = tmp_path / "e.csv"
    path.write_text("source,target\nann,bob\nbob,eve\n")
    workspace = Workspace(tmp_path / "c.weft")
    workspace.add(path)
    site = find_site(workspace.collection, "bob")
    assert (len(site.pages), len(site.captured_pages)) == (1, 0)
    with pytest.raises(UnknownName, match="no site"):
        find_site(workspace.collection, "bo")
