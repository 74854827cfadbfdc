"""Votes by hand: trust, authorities and hubs; links among friends gain nothing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.core.arrays import Floats
from weft.topics.affinity import VotingLinks
from weft.topics.soft_membership import PageTopicPairs
from weft.topics.votes import VoteScores, score_by_votes


def scored(
    links: list[tuple[int, int]], relevance: list[float], owners: list[int] | None = None
) -> VoteScores:
    source, target = np.array(links, np.int32).reshape(-1, 2).T
    n = len(relevance)
    owner = np.arange(n) if owners is None else np.array(owners)
    same = [
        sum(owner[s] == owner[source[k]] and t == target[k] for s, t in links)
        for k in range(len(links))
    ]
    members = PageTopicPairs.from_mask(np.ones((n, 1), bool))
    return score_by_votes(
        VotingLinks(source, target, 1 / np.array(same, float)), members, np.array(relevance, float)
    )


def test_trust_is_the_share_of_links_to_relevant_pages() -> None:
    # 0 links to three relevant pages, 1 to one that is and two that are not
    found = scored([(0, 2), (0, 3), (0, 4), (1, 2), (1, 5), (1, 6)], [0, 0, 1, 1, 1, 0, 0])
    average = 7 / 13  # of 6 links and 7 pages themselves
    trust = (3 + 2 * average) / 6, (1 + 2 * average) / 6
    assert found.trust[:2, 0] == pytest.approx(trust)
    assert found.authority[2] == pytest.approx(sum(trust) / 12)
    assert found.authority[5] == pytest.approx(trust[1] / 11)
    assert found.hub[0] == pytest.approx(found.authority[[2, 3, 4]].sum() / 13)
    assert found.authority[0] == found.hub[2] == 0


def test_links_to_unknown_pages_do_not_count() -> None:
    known = scored([(0, 1), (0, 2)], [0, 1, 0])
    unknown = scored([(0, 1), (0, 2)], [0, 1, np.nan])
    assert known.trust[0, 0] == pytest.approx((1 + 2 * 2 / 5) / 5)
    assert unknown.trust[0, 0] == pytest.approx((1 + 2 * 2 / 3) / 4)


def test_only_members_score_and_each_topic_by_itself() -> None:
    links = VotingLinks(np.array([0, 0, 1], np.int32), np.array([2, 3, 3], np.int32), np.ones(3))
    inside = np.array([[True, False], [False, True], [True, False], [False, True]])
    found = score_by_votes(links, PageTopicPairs.from_mask(inside), np.ones(4))
    # of 3 links and 4 pages themselves, 3 are relevant in the first topic and 4 in the second
    one, two = (1 + 1 + 2 * 3 / 7) / 5, (1 + 2 * 4 / 7) / 5
    other = (1 + 1 + 2 * 4 / 7) / 4
    assert found.trust[0] == pytest.approx([one, two])
    assert found.trust[1, 1] == pytest.approx(other)
    assert found.authority == pytest.approx([0, 0, one / 11, (two + other) / 12])
    assert found.hub == pytest.approx([one / 11 / 12, found.authority[3] / 11, 0, 0])


@given(st.integers(1, 30))
def test_a_thousand_pages_of_one_owner_are_one_vote(copies: int) -> None:
    links = [(k, copies) for k in range(copies)]
    found = scored(links, [0.0] * copies + [1.0], [0] * copies + [1])
    one = scored([(0, 1)], [0.0, 1.0])
    assert found.authority[copies] <= one.authority[1] + 1e-12


@given(st.integers(2, 8))
def test_friends_that_link_to_each_other_gain_nothing_off_the_query(size: int) -> None:
    clique = [(a, b) for a in range(size) for b in range(size) if a != b]
    honest = [(size + k, size + 8) for k in range(3)]
    relevance: Floats = np.zeros(size + 9)
    relevance[size + 8] = 1.0
    found = scored([*clique, *honest], relevance.tolist())
    assert found.authority[:size].max() < found.authority[size + 8]
