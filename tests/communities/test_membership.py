"""The communities of a page: its role and neighbours, or why it has none."""

import numpy as np
import pytest

from weft.communities import Communities, modularity
from weft.communities.build import build_communities
from weft.core.errors import UnknownName
from weft.engine import CLOSED_FORM
from weft.graph.baseset.baseset import BaseSet

RINGS = [(f"{c}{i}", f"{c}{(i + 1) % 3}") for c in "pq" for i in range(3)]
BRIDGED = [*RINGS, ("p1", "p0"), ("p0", "q0"), ("p1", "q0"), ("q2", "p2")]


def test_a_member_has_places_and_neighbours() -> None:
    membership = modularity(BRIDGED).explain("p0")
    [role] = membership.roles
    assert (role.community, role.centre, role.inside_in, role.inside_out) == (1, 1, 2, 1)
    assert role.linked_from == ("p1", "p2")
    assert role.links_to == ("p1",)
    assert (membership.links_in, membership.links_out) == (2, 2)
    assert membership.links_elsewhere == ((2, 1),)
    assert "community 1: centre 1" in str(membership)
    assert "also 1 link with community 2" in str(membership)
    assert membership.to_table().to_pylist()[0]["linked_from"] == ["p1", "p2"]
    assert repr(membership) == "<p0: community 1>"


def test_why_a_page_is_in_no_community() -> None:
    base = BaseSet.from_any([("a", "b"), ("b", "c"), ("d", "d")])
    found = Communities(
        "toy", base, build_communities(base, [np.array([0, 1], np.int32)]), CLOSED_FORM
    )
    assert "finds none" in found.explain("c").unassigned_reason
    assert "no link" in found.explain("d").unassigned_reason
    with pytest.raises(UnknownName, match="nowhere"):
        found.explain("nowhere")
