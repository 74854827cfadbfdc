"""Vote stability: support of the top authorities, and what stays without some voters."""

import numpy as np
import pytest

from weft.groups import VoteStability
from weft.topics.affinity import VotingLinks
from weft.topics.soft_membership import PageTopicPairs
from weft.topics.votes import (
    draw_dropped_voters,
    is_in_top_ten,
    measure_vote_stability,
    score_by_votes,
)


def stability(links: list[tuple[int, int]], n: int) -> VoteStability:
    source, target = np.array(links, np.int32).reshape(-1, 2).T
    every = VotingLinks(source, target, np.ones(len(links)))
    members = PageTopicPairs.from_mask(np.ones((n, 1), bool))
    found = score_by_votes(every, members, np.ones(n))
    return measure_vote_stability(every, np.arange(n, dtype=np.int32), members, found)[0]


def test_well_linked_authorities_stay() -> None:
    hubs, first_ten, weak = 60, range(60, 70), range(70, 90)
    links = [(h, a) for h in range(hubs) for a in first_ten]
    links += [(k % hubs, a) for k, a in enumerate(weak)]
    found = stability(links, 90)
    assert (found.top_count, found.support, found.retained_share) == (10, 60, 1.0)
    assert found.description == "stable"


def test_ties_change_places_without_some_voters() -> None:
    links = [(h, 40 + (7 * h + k) % 30) for h in range(40) for k in range(4)]
    found = stability(links, 70)
    assert found.retained_share < 0.8
    assert "of the top 10 stay without a fifth of the voters" in found.description


def test_few_voters_make_a_weak_topic() -> None:
    found = stability([(0, 2), (0, 3), (1, 2), (1, 3)], 4)
    assert (found.top_count, found.support) == (2, 2)
    assert found.description == "weak: 2 sites vote"
    assert VoteStability(1, 1, 1.0).description == "weak: 1 site votes"


@pytest.mark.parametrize(
    ("top_count", "retained", "text"),
    [
        (10, 0.76, "stable"),
        (10, 0.74, "fairly stable: 7 of the top 10 stay without a fifth of the voters"),
        (10, 0.56, "fairly stable: 6 of the top 10 stay without a fifth of the voters"),
        (10, 0.54, "unstable: 5 of the top 10 stay without a fifth of the voters"),
        (4, 0.7, "fairly stable: 3 of the top 4 stay without a fifth of the voters"),
    ],
)
def test_descriptions_follow_the_rounded_number(top_count: int, retained: float, text: str) -> None:
    assert VoteStability(top_count, 9, retained).description == text


def test_each_resample_drops_another_fifth() -> None:
    voters = np.arange(20_000, dtype=np.int32)
    losses = np.array([draw_dropped_voters(voters, loss) for loss in range(4)])
    assert losses.mean(axis=1) == pytest.approx([0.2] * 4, abs=0.01)
    assert (losses[0] & losses[1]).mean() == pytest.approx(0.04, abs=0.01)


def test_only_positive_scores_are_in_the_top() -> None:
    topic = np.zeros(12, np.int32)
    assert is_in_top_ten(topic, np.arange(12.0)).tolist() == [False] * 2 + [True] * 10
    assert is_in_top_ten(topic, np.zeros(12)).sum() == 0
