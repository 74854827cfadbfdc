"""Teleport vectors: pages by URL or by host."""

import pytest

from weft.core.errors import UnknownName
from weft.graph.webgraph import WebGraph
from weft.rank.teleport import named_page_mask, resolve_pages, teleport_vector

HOSTS = [
    ("http://a.org/1", "http://a.org/2"),
    ("http://a.org:8080/3", "https://b.a.org/"),
    ("http://a.organic/", "http://a.org/2"),
    ("a.org", "http://c.net/?u=a.org"),
]


def test_a_name_is_a_page_or_a_host() -> None:
    graph = WebGraph.from_links(HOSTS)
    found = resolve_pages(graph, ["http://a.org/2", "a.organic", "b.a.org", "c.net"])
    assert [[graph.pages[i] for i in ids] for ids in found] == [
        ["http://a.org/2"],
        ["http://a.organic/"],
        ["https://b.a.org/"],
        ["http://c.net/?u=a.org"],
    ]
    assert [graph.pages[i] for i in resolve_pages(graph, ["a.org"])[0]] == ["a.org"]


def test_a_host_stands_for_its_pages() -> None:
    graph = WebGraph.from_links(HOSTS[:3])
    teleport = teleport_vector(graph, ["a.org", "https://b.a.org/"])
    assert dict(zip(graph.pages, teleport.tolist(), strict=True)) == pytest.approx(
        {
            "http://a.org/1": 1 / 4,
            "http://a.org/2": 1 / 4,
            "http://a.org:8080/3": 1 / 4,
            "https://b.a.org/": 1 / 4,
            "http://a.organic/": 0,
        }
    )
    weighted = teleport_vector(graph, ["a.org", "https://b.a.org/"], [1.0, 1.0])
    assert weighted[graph.page_number("https://b.a.org/")] == pytest.approx(1 / 2)


def test_page_mask() -> None:
    graph = WebGraph.from_links(HOSTS[:3])
    assert named_page_mask(graph, ["a.org", "http://a.org/2"]).sum() == 3
    assert not named_page_mask(graph, []).any()


@pytest.mark.parametrize("name", ["", "org", ".org", "http://a.org", "A.ORG", "a.org:8080"])
def test_unknown_names_are_an_error(name: str) -> None:
    with pytest.raises(UnknownName, match="no page is called"):
        resolve_pages(WebGraph.from_links(HOSTS[:3]), [name])
