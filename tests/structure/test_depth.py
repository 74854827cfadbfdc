"""Depth below home, orphans, and which page home is."""

from dataclasses import replace
from itertools import permutations
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.core.errors import UnknownName
from weft.graph.webgraph import WebGraph
from weft.structure import Shape, depth

Links = list[tuple[str, str]]
HOME = "http://a.org/"
SITE: Links = [
    (HOME, f"{HOME}1"),
    (f"{HOME}1", f"{HOME}2"),
    (f"{HOME}2", f"{HOME}1"),
    (f"{HOME}island", f"{HOME}shore"),
    (f"{HOME}shore", f"{HOME}island"),
    (f"{HOME}lost", HOME),
    (f"{HOME}1", "http://b.org/x"),
]
webs = st.lists(st.sampled_from(list(permutations("abcdefg", 2))), min_size=1, max_size=20)


def found(links: Links, **options: Any) -> Shape:
    return depth(WebGraph.from_links(links), **options)


def test_a_site_from_its_root() -> None:
    shape = found(SITE)
    assert shape["home"] == "a.org/ (root page)"
    assert shape.to_table()["pages"].to_pylist() == [1, 1, 2]
    assert shape["deepest"] == 2
    assert shape["average depth"] == 1.25
    assert shape["not reached from home"] == 3


def test_orphans_of_a_site_are_all_that_home_does_not_lead_to() -> None:
    rows = found(SITE).to_table("orphans").to_pylist()
    assert {row["page"].removeprefix(HOME): row["reason"] for row in rows} == {
        "island": "no path from home",
        "shore": "no path from home",
        "lost": "no in-links",
    }
    assert found(SITE)["orphans without in-links"] == 1


def test_many_hosts_start_from_each_and_only_pages_without_links_to_them_are_orphans() -> None:
    links = [
        ("http://a.org/", "http://a.org/1"),
        ("http://b.org/", "http://b.org/1"),
        ("http://c.org/2", "http://c.org/1"),
        ("http://c.org/1", "http://c.org/2"),
        ("http://b.org/lost", "http://a.org/"),
        ("http://a.org/1", "http://c.org/1"),
    ]
    shape = found(links)
    assert (
        shape["home"] == "the root page of 2 hosts and the shortest address of 1 host without one"
    )
    assert shape.to_table()["pages"].to_pylist() == [3, 3]
    assert shape.to_table("orphans")["page"].to_pylist() == ["http://b.org/lost"]


LEADING = "no root page; reaches the most pages"


def test_a_site_without_its_root_page_starts_where_most_can_be_reached() -> None:
    links = [(f"{HOME}{one}", f"{HOME}{two}") for one, two in ("1x", "2x", "x1", "y2", "yx")]
    assert found(links)["home"] == f"a.org/y ({LEADING})"


def test_a_root_page_that_leads_nowhere_is_no_home() -> None:
    links = [(f"{HOME}1", f"{HOME}2"), (f"{HOME}2", f"{HOME}1"), (f"{HOME}2", HOME)]
    assert found(links)["home"] == f"a.org/2 ({LEADING})"
    assert found(links)["orphans"] == 0


def test_a_page_that_all_link_to_and_that_leads_nowhere_new_is_no_home() -> None:
    """As the licence of an encyclopedia, whose front page was not captured."""
    ring = [(f"{HOME}article{k}", f"{HOME}article{(k + 1) % 30}") for k in range(30)]
    links = [*ring, *((page, f"{HOME}licence") for page, _ in ring)]
    links += [(f"{HOME}licence", f"{HOME}article0"), *((f"{HOME}index", page) for page, _ in ring)]
    assert found(links)["home"] == f"a.org/index ({LEADING})"
    assert found(links)["deepest"] == 2


def test_of_many_hosts_each_starts_from_its_shortest_address_that_has_links() -> None:
    links = [(f"http://h{k}.org/long/way", f"http://h{k}.org/end") for k in range(3)]
    links += [(f"http://h{k}.org/longest/way", f"http://h{k}.org/end") for k in range(3)]
    shape = found(links)
    assert shape.to_table()["pages"].to_pylist() == [3, 3]
    assert set(shape.to_table("orphans")["page"].to_pylist()) == {
        f"http://h{k}.org/longest/way" for k in range(3)
    }


def test_names_without_hosts_start_where_most_can_be_reached() -> None:
    assert found([("a", "x"), ("b", "x"), ("x", "c")])["home"] == "a (reaches the most pages)"


def test_home_may_be_given() -> None:
    shape = found(SITE, home=[f"{HOME}island", f"{HOME}1"])
    assert shape.to_table()["pages"].to_pylist() == [2, 3]
    with pytest.raises(UnknownName, match="nowhere"):
        found(SITE, home=["nowhere"])


def test_uncaptured_pages_have_no_depth_and_are_no_orphans() -> None:
    graph = WebGraph.from_links(SITE)
    seen = np.array([page.startswith("http://b") or page.endswith("lost") for page in graph.pages])
    shape = depth(replace(graph, uncaptured=seen))
    assert shape["pages"] == len(graph) - 2
    assert shape.to_table()["pages"].to_pylist() == [1, 1, 1]
    assert "lost" not in str(shape.to_table("orphans")["page"])
    assert any("2 pages linked, not captured" in note for note in shape.notes)


@pytest.mark.parametrize(("clicks", "wanted"), [(0, 1), (1, 2), (2, 4), (9, 4)])
def test_pages_within_few_clicks(clicks: int, wanted: int) -> None:
    label = "1 click" if clicks == 1 else f"{clicks} clicks"
    shape = found(SITE, within=clicks)
    assert shape[f"within {label}"] == wanted
    assert shape[f"share within {label}"] == wanted / 7


def test_the_deepest_page_with_its_path() -> None:
    rows = found(SITE, max_rows=1).to_table("deepest").to_pylist()
    assert [(row["clicks"], row["path"]) for row in rows] == [
        (2, [HOME, f"{HOME}1", f"{HOME}2"]),
    ]


@given(webs)
def test_depths_and_orphans_by_networkx(links: Links) -> None:
    graph = nx.DiGraph(links)
    home = next(iter(graph))
    shape = found(links, home=[home])
    wanted = nx.single_source_shortest_path_length(graph, home)
    assert shape.to_table()["pages"].to_pylist() == np.bincount(list(wanted.values())).tolist()
    assert set(shape.to_table("orphans")["page"].to_pylist()) == set(graph) - set(wanted)
    linked = {row["page"]: row["links in"] for row in shape.to_table("orphans").to_pylist()}
    assert linked == {page: graph.in_degree(page) for page in linked}


def test_hosts_have_a_depth_too() -> None:
    graph = replace(WebGraph.from_links([("a.org", "b.org"), ("b.org", "c.org")]), level="host")
    shape = depth(graph, home=["a.org"])
    assert shape["hosts"] == 3
    assert shape["deepest"] == 2


def test_no_page() -> None:
    shape = depth(WebGraph.from_links([]))
    assert shape.notes == ("there is no page to start from",)
    assert shape["average depth"] is None
