"""Communities as a result: tables, labels, and a sequence with a one-line repr."""

from dataclasses import replace

import numpy as np
import pytest

from weft.communities import modularity
from weft.communities.build import build_communities
from weft.core.errors import UnknownName
from weft.engine import CLOSED_FORM
from weft.graph.baseset.baseset import BaseSet
from weft.groups import Groups, LinkCounts

RINGS = [(f"{c}{i}", f"{c}{(i + 1) % 3}") for c in "pq" for i in range(3)]
BRIDGED = [*RINGS, ("p1", "p0"), ("p0", "q0"), ("p1", "q0"), ("q2", "p2")]


@pytest.fixture(scope="module")
def found() -> Groups:
    return modularity(BRIDGED)


def overlap() -> Groups:
    base = BaseSet.from_any([("a", "b"), ("b", "c"), ("c", "d"), ("e", "a")])
    sets = [np.array([0, 1, 2], np.int32), np.array([2, 3], np.int32)]
    return Groups("communities", "toy", base, build_communities(base, sets), CLOSED_FORM)


def test_a_row_for_each_community(found: Groups) -> None:
    rows = found.to_table().to_pylist()
    assert [
        (r["pages"], r["internal_links"], r["outgoing_links"], r["incoming_links"]) for r in rows
    ] == [
        (3, 4, 2, 1),
        (3, 3, 1, 2),
    ]
    assert [(r["authority"], r["hub"]) for r in rows] == [("p0", "p1"), ("q0", "q0")]


def test_every_member_is_in_a_row(found: Groups) -> None:
    rows = found.to_table("members").to_pylist()
    assert [row["page"] for row in rows] == ["p0", "p1", "p2", "q0", "q1", "q2"]
    assert [row["place"] for row in rows] == [1, 2, 3, 1, 2, 3]
    assert rows[0]["authority"] == 2
    assert sum(row["hub"] for row in rows) == sum(c.links.internal for c in found if c.links)


def test_the_matrix_counts_all_links(found: Groups) -> None:
    assert found.link_matrix().tolist() == [[4, 2], [1, 3]]
    assert found.link_matrix(1).tolist() == [[4]]
    assert found.to_table("matrix").to_pylist()[1] == {"source": 1, "target": 2, "links": 2}
    with pytest.raises(UnknownName, match="matrx"):
        found.to_table("matrx")


def test_groups_of_pages_count_from_zero_and_numbers_from_one(found: Groups) -> None:
    assert found.group_of_page.tolist() == [0, 0, 0, 1, 1, 1]
    assert found.group_numbers("q1") == [2]
    assert found.group_numbers("nowhere") == []
    assert not found.is_overlapping


def test_a_page_may_be_in_several() -> None:
    found = overlap()
    assert found.is_overlapping
    assert found.group_numbers("c") == [1, 2]
    assert found.group_numbers("e") == []
    assert found.group_of_page.tolist() == [0, 0, 0, 1, -1]
    assert found.link_matrix().tolist() == [[2, 2], [0, 1]]
    assert [c.links for c in found] == [LinkCounts(2, 1, 1), LinkCounts(1, 0, 1)]


def test_a_result_is_a_sequence(found: Groups) -> None:
    first, second = found
    assert len(found) == 2
    assert (found[0], found[-1], found[np.int64(1)]) == (first, second, second)
    assert found[:1] == [first]
    assert found[::-1] == list(reversed(found)) == [second, first]
    assert second in found
    with pytest.raises(IndexError):
        found[2]


def test_the_repr_names_query_first_community_and_convergence(found: Groups) -> None:
    named = replace(found[0], label=("big cats", "zoo"))
    asked = replace(
        found,
        base=replace(found.base, query="jaguar"),
        groups=(named,),
        trace=replace(found.trace, converged=False),
    )
    assert repr(asked) == (
        "<1 community of 'jaguar' by modularity, first 'big cats · zoo', not converged>"
    )


def test_it_prints_as_one_line_and_as_a_card(found: Groups) -> None:
    assert repr(found) == "<2 communities by modularity>"
    assert repr(found[0]) == "<Group: 3 pages, 4 internal links>"
    assert "p0" in found._repr_html_()
    assert "internal links" in found[0]._repr_html_()
    assert len(found.to_pandas()) == len(found.to_polars()) == 2


def test_a_community_contains_its_members(found: Groups) -> None:
    assert 2 in found[0]
    assert 3 not in found[0]
    assert 99 not in found[0]
