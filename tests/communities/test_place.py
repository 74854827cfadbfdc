"""Where a page stands: in which communities, through whom, or why in none."""

import numpy as np
import pytest

from weft.communities import Communities, modularity
from weft.communities.partition import communities_of
from weft.core.errors import UnknownName
from weft.engine import CLOSED
from weft.graph.baseset import BaseSet

RINGS = [(f"{c}{i}", f"{c}{(i + 1) % 3}") for c in "pq" for i in range(3)]
BRIDGED = [*RINGS, ("p1", "p0"), ("p0", "q0"), ("p1", "q0"), ("q2", "p2")]


def test_a_member_is_told_its_place_and_its_neighbours() -> None:
    place = modularity(BRIDGED).explain("p0")
    [home] = place.found
    assert (home.community, home.centre, home.inside_in, home.inside_out) == (1, 1, 2, 1)
    assert home.linked_from == ("p1", "p2")
    assert home.links_to == ("p1",)
    assert (place.links_in, place.links_out) == (2, 2)
    assert place.elsewhere == ((2, 1),)
    assert "community 1: centre 1" in str(place)
    assert "also 1 link with community 2" in str(place)
    assert place.to_table().to_pylist()[0]["linked_from"] == ["p1", "p2"]
    assert repr(place) == "<p0: community 1>"


def test_a_stranger_is_told_why() -> None:
    base = BaseSet.of([("a", "b"), ("b", "c"), ("d", "d")])
    found = Communities("toy", base, communities_of(base, [np.array([0, 1], np.int32)]), CLOSED)
    assert "finds none" in found.explain("c").alone
    assert "no link" in found.explain("d").alone
    with pytest.raises(UnknownName, match="nowhere"):
        found.explain("nowhere")
