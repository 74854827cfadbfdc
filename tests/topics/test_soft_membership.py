"""Soft membership: pages of one topic, of two, or of none."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from weft.core.arrays import CSR, Ids
from weft.graph.views import symmetric_csr
from weft.topics.soft_membership import GroupAffinity, PageTopicPairs, group_posterior


def web(pairs: list[tuple[int, int]], n: int) -> CSR:
    ends = np.array(pairs, np.int64).reshape(-1, 2).T
    return symmetric_csr(ends[0], ends[1], np.ones(len(pairs)), n)


def cliques(count: int, size: int) -> tuple[list[tuple[int, int]], Ids]:
    pairs = [
        (g * size + a, g * size + b) for g in range(count) for a in range(size) for b in range(a)
    ]
    return pairs, np.repeat(np.arange(count, dtype=np.int32), size)


def topics_of(extra: list[int], groups: int = 4, size: int = 8) -> set[int]:
    """The topics of one more page, labelled with the first, that is linked with these."""
    pairs, labels = cliques(groups, size)
    page = groups * size
    affinity = web([*pairs, *((page, other) for other in extra)], page + 1)
    members = GroupAffinity.from_labels(
        affinity, np.append(labels, np.int32(0)), page + 1
    ).assign_pages()
    return {topic for topic in range(groups) if page in members[topic].tolist()}


def test_a_page_belongs_where_its_edges_lead() -> None:
    assert topics_of([0, 1, 2]) == {0}


def test_a_page_that_links_to_two_topics_is_in_both() -> None:
    assert topics_of([0, 1, 2, 3, 8, 9, 10, 11]) == {0, 1}


def test_a_page_that_all_link_to_is_in_none() -> None:
    assert topics_of([0, 1, 8, 9, 16, 17, 24, 25]) == set()


def test_one_edge_is_enough_only_if_topics_are_well_separated() -> None:
    pairs, labels = cliques(2, 6)
    across = [(a, 6 + b) for a in range(6) for b in range(6) if (a + b) % 2]
    for noise, belongs in ((pairs, True), (pairs + across, False)):
        affinity = web([*noise, (12, 0)], 13)
        members = GroupAffinity.from_labels(
            affinity, np.append(labels, np.int32(0)), 13
        ).assign_pages()
        assert (12 in members[0].tolist()) == belongs


def test_edges_to_nodes_of_no_group_count_for_none() -> None:
    pairs, labels = cliques(1, 6)
    affinity = web([*pairs, (6, 0), (6, 7), (6, 8), (6, 9)], 10)
    group_affinity = GroupAffinity.from_labels(
        affinity, np.append(labels, np.array([0, -1, -1, -1], np.int32)), 10
    )
    assert 6 not in group_affinity.assign_pages()[0].tolist()
    assert group_affinity.share_in_group(0, np.array([6], np.int32)) == pytest.approx(1 / 4)


def test_members_by_page() -> None:
    members = PageTopicPairs.from_mask(np.array([[True, True], [False, False], [False, True]]))
    assert members.page_starts.tolist() == [0, 2, 2, 3]
    assert members[1].tolist() == [0, 2]
    assert members.select(members.topic_ids == 0).page_ids.tolist() == [0]


@given(
    arrays(float, (3, 4), elements=st.floats(0, 20)),
    arrays(float, (4, 4), elements=st.floats(0, 50)),
)
def test_posteriors_sum_to_one(leads: np.ndarray, between: np.ndarray) -> None:
    found = group_posterior(leads, between + between.T)
    assert found.sum(axis=1) == pytest.approx(np.ones(3))
    assert (found >= 0).all()
