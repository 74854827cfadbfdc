"""Agora pages: linked from several archive pages, members of no community."""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import pytest

from weft.communities import agora
from weft.communities.agora import find_bridge_pages, is_community_member, top_pagerank_members
from weft.communities.build import build_communities
from weft.engine import CLOSED_FORM
from weft.graph.baseset.baseset import BaseSet
from weft.groups import Groups
from weft.rank import pagerank

LINKS = [
    *[(f"{c}{i}", f"{c}1") for c in "pqr" for i in (2, 3, 4)],
    *[("p1", "x"), ("q1", "x"), ("r1", "x"), ("p1", "y"), ("q1", "y")],
    *[("p1", "z"), ("q2", "z"), ("p1", "q2"), ("r1", "q2")],
    *[("p1", "p2"), ("q1", "q3"), ("r1", "r2")],
]


def toy() -> Groups:
    base = BaseSet.from_any(LINKS)
    sets = [base.graph.page_numbers([f"{c}{i}" for i in (1, 2, 3, 4)]) for c in "pqr"]
    return Groups(
        "communities", "toy", base, build_communities(base, [np.sort(s) for s in sets]), CLOSED_FORM
    )


def test_worked_values(mining: Callable[[str], Any]) -> None:
    values, found = mining("agora"), toy()
    ranks, pages = pagerank(found.graph).scores["score"], found.base.pages
    archives = [pages[top_pagerank_members(community, ranks, 1)[0]] for community in found]
    assert dict(zip(("C1", "C2", "C3"), archives, strict=True)) == values["archive"]
    bridges = find_bridge_pages(found, is_community_member(found), ranks, 1, 2)
    assert {pages[m.page]: len(m.groups) for m in bridges} == values["agora"]
    assert [pages[m.page] for m in bridges] == list(values["agora"])
    assert [pages[a] for a in bridges[1].archive_pages] == ["p1", "q1"]


def test_more_archive_pages_find_more_bridge_pages() -> None:
    found = toy()
    ranks = pagerank(found.graph).scores["score"]
    more = [
        found.base.pages[m.page]
        for m in find_bridge_pages(found, is_community_member(found), ranks, 2, 2)
    ]
    assert "z" in more
    three = find_bridge_pages(found, is_community_member(found), ranks, 1, 3)
    assert [found.base.pages[m.page] for m in three] == ["x"]


def test_of_equals_the_less_known_page_is_first() -> None:
    base = BaseSet.from_any([*LINKS, ("p1", "w"), ("q1", "w"), ("y", "w")])
    sets = [np.sort(base.graph.page_numbers([f"{c}{i}" for i in (1, 2, 3, 4)])) for c in "pqr"]
    found = Groups("communities", "toy", base, build_communities(base, sets), CLOSED_FORM)
    bridges = find_bridge_pages(
        found, is_community_member(found), pagerank(base.graph).scores["score"], 1, 2
    )
    assert [base.pages[m.page] for m in bridges] == ["x", "y", "w"]


def test_pages_of_an_archives_site_are_none() -> None:
    site = [(s.replace("p1", "http://p.org/1"), t) for s, t in LINKS]
    base = BaseSet.from_any(
        [(s, t.replace("p1", "http://p.org/1").replace("x", "http://p.org/x")) for s, t in site]
    )
    names = [
        ["http://p.org/1", "p2", "p3", "p4"],
        *([f"{c}{i}" for i in (1, 2, 3, 4)] for c in "qr"),
    ]
    sets = [np.sort(base.graph.page_numbers(own)) for own in names]
    found = Groups("communities", "toy", base, build_communities(base, sets), CLOSED_FORM)
    bridges = find_bridge_pages(
        found, is_community_member(found), pagerank(base.graph).scores["score"], 1, 2
    )
    assert [base.pages[m.page] for m in bridges] == ["y"]


def test_where_all_pages_are_members_only_firm_ones_count() -> None:
    rings = [(f"{c}{i}", f"{c}{(i + k) % 4}") for c in "pqr" for i in range(4) for k in (1, 2, 3)]
    meet = [("p0", "x"), ("q0", "x"), ("r0", "x")]
    found = agora([*rings, *meet], base_method="modularity")
    assert found.to_table()["page"].to_pylist() == ["x"]
    assert found.to_table()["communities"].to_pylist() == [[1, 2, 3]]
    assert found.group_of_page[found.graph.page_number("x")] >= 0
    assert found[0].evidence["archive"].tolist() == [0]
    assert repr(found) == "<3 communities by agora, 1 page between them>"
    assert len(found.to_table("groups")) == 3


def test_communities_with_the_same_archive_page_are_one() -> None:
    base = BaseSet.from_any(LINKS)
    names = [["p1", "p2"], ["p1", "p3"], ["q1", "q2"]]
    sets = [np.sort(base.graph.page_numbers(own)) for own in names]
    found = Groups("communities", "toy", base, build_communities(base, sets), CLOSED_FORM)
    bridges = find_bridge_pages(
        found, is_community_member(found), pagerank(base.graph).scores["score"], 1, 2
    )
    assert {base.pages[m.page]: m.groups for m in bridges} == {"x": (1, 3), "y": (1, 3)}


@pytest.mark.parametrize("base_method", ["hits", "modularity", "friends"])
def test_options_are_read(base_method: Literal["hits", "modularity", "friends"]) -> None:
    assert f"by {base_method}" in agora(LINKS, base_method=base_method).notes[-1]
    assert not len(agora([], base_method=base_method).bridge_pages)
    assert not agora(LINKS, base_method=base_method, min_communities=9).bridge_pages
