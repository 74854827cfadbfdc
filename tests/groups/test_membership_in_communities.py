"""The communities of a page: its role and neighbours, or why it has none."""

import numpy as np

from weft.communities import modularity
from weft.communities.build import build_communities
from weft.engine import CLOSED_FORM
from weft.graph.baseset.baseset import BaseSet
from weft.groups import Groups

RINGS = [(f"{c}{i}", f"{c}{(i + 1) % 3}") for c in "pq" for i in range(3)]
BRIDGED = [*RINGS, ("p1", "p0"), ("p0", "q0"), ("p1", "q0"), ("q2", "p2")]


def test_a_member_has_places_and_neighbours() -> None:
    membership = modularity(BRIDGED).explain("p0")
    authority, hub = membership.evidence
    assert (authority.group, authority.place, authority.count, hub.count) == (1, 1, 2, 1)
    assert [link.page for link in authority.links] == ["p1", "p2"]
    assert [link.page for link in hub.links] == ["p1"]
    assert (membership.links_in, membership.links_out) == (2, 2)
    assert membership.links_elsewhere == ((2, 1),)
    assert "community 1: authority, place 1, score 2; from 2 pages on 2 sites" in str(membership)
    assert "also 1 link with community 2" in str(membership)
    assert membership.to_table().to_pylist()[0]["linked_pages"] == "p1 | p2"
    assert repr(membership) == "<p0: authority 1 of community 1, hub 2 of community 1>"
    document = membership.to_document()
    assert document["numbers"] == [1]
    assert [role["role"] for role in document["roles"]] == ["authority", "hub"]
    assert document["roles"][0]["links"][0]["url"] == "p1"
    assert document["links_elsewhere"] == [{"number": 2, "label": "", "links": 1}]


def test_a_member_without_a_score_is_a_member() -> None:
    base = BaseSet.from_any([("a", "b"), ("b", "a"), ("c", "d")])
    sets = [np.array([0, 1, 2], np.int32)]
    found = Groups("communities", "toy", base, build_communities(base, sets), CLOSED_FORM)
    membership = found.explain("c")
    assert (membership.numbers, membership.evidence) == ((1,), ())
    assert "community 1: member" in str(membership)
    assert repr(membership) == "<c: member of community 1>"


def test_why_a_page_is_in_no_community() -> None:
    base = BaseSet.from_any([("a", "b"), ("b", "c"), ("d", "d")])
    found = Groups(
        "communities",
        "toy",
        base,
        build_communities(base, [np.array([0, 1], np.int32)]),
        CLOSED_FORM,
    )
    assert "puts no linked page" in found.explain("c").unassigned_reason
    assert "no link" in found.explain("d").unassigned_reason
    assert found.explain("nowhere").absence_reason == "not in the graph"
