"""Agreement of partitions: the values of igraph, and pages that one leaves out."""

import re

import igraph
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.real import DATA, real

from weft.communities import compare_partitions, modularity
from weft.communities.agreement import encode_labels

partitions = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), min_size=2, max_size=30)


@given(partitions)
def test_values_are_those_of_igraph(pairs: list[tuple[int, int]]) -> None:
    first, second = zip(*pairs, strict=True)
    found = compare_partitions(first, second)
    assert found.nmi == pytest.approx(
        igraph.compare_communities(list(first), list(second), method="nmi"), abs=1e-9
    )
    expected = igraph.compare_communities(list(first), list(second), method="adjusted_rand")
    if np.isfinite(expected):
        assert found.ari == pytest.approx(expected, abs=1e-9)


@given(partitions)
def test_names_of_groups_do_not_matter(pairs: list[tuple[int, int]]) -> None:
    first, second = np.array(pairs).T
    same = compare_partitions(first, 7 - first)
    assert (same.nmi, same.ari, same.purity) == pytest.approx((1.0, 1.0, 1.0))
    forward, backward = compare_partitions(first, second), compare_partitions(second, first)
    assert (forward.nmi, forward.ari) == pytest.approx((backward.nmi, backward.ari))


def test_purity_counts_the_majority_of_each_group() -> None:
    assert compare_partitions([0, 0, 0, 1, 1], [0, 0, 1, 1, 1]).purity == pytest.approx(0.8)


def test_unassigned_pages_are_not_compared() -> None:
    found = compare_partitions([0, 0, 1, -1], [0, 0, 1, 1])
    assert (found.compared_pages, found.total_pages, found.ari) == (3, 4, 1.0)
    nothing = compare_partitions([-1, -1], [0, 1])
    assert (nothing.compared_pages, nothing.nmi, nothing.ari) == (0, 1.0, 1.0)
    with pytest.raises(ValueError, match="do not fit"):
        compare_partitions([0], [0, 1])


def test_communities_are_compared_with_given_labels() -> None:
    rings = [(f"{c}{i}", f"{c}{(i + 1) % 3}") for c in "pq" for i in range(3)]
    found = modularity(rings)
    given = {"p0": "left", "p1": "left", "q0": "right", "q1": "left", "zz": "right"}
    labels = encode_labels(found.graph, given)
    assert labels.tolist() == [0, 0, -1, 1, 0, -1]
    assert compare_partitions(found, labels).purity == pytest.approx(0.75)
    assert compare_partitions(found, labels).to_table().column_names == ["measure", "value"]


@real
def test_political_blogs_fall_into_their_two_sides() -> None:
    text = (DATA / "polblogs" / "polblogs.gml").read_text()
    blogs = re.findall(r'id (\d+)\s+label "\s*([^"]+?)\s*"\s+value (\d)', text)
    names = {number: name for number, name, _ in blogs}
    ends = re.findall(r"source (\d+)\s+target (\d+)", text)
    found = modularity([(names[s], names[t]) for s, t in ends], resolution=0.5, min_size=10)
    assert len(found) == 2
    result = compare_partitions(
        found, encode_labels(found.graph, {name: side for _, name, side in blogs})
    )
    assert result.compared_pages > 1200
    assert result.nmi > 0.68
    assert result.ari > 0.78
    assert result.purity > 0.94
