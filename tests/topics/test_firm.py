"""How firm topics are: who votes for the first, and what stays when voters are lost."""

import numpy as np
import pytest

from weft.topics.belong import Members
from weft.topics.firm import Firm, firmness, first, lost
from weft.topics.ties import Links
from weft.topics.votes import votes


def firm(links: list[tuple[int, int]], n: int) -> Firm:
    source, target = np.array(links, np.int32).reshape(-1, 2).T
    every = Links(source, target, np.ones(len(links)))
    members = Members.of(np.ones((n, 1), bool))
    found = votes(every, members, np.ones(n))
    return firmness(every, np.arange(n, dtype=np.int32), members, found)[0]


def test_well_linked_authorities_stay() -> None:
    hubs, first_ten, weak = 60, range(60, 70), range(70, 90)
    links = [(h, a) for h in range(hubs) for a in first_ten]
    links += [(k % hubs, a) for k, a in enumerate(weak)]
    found = firm(links, 90)
    assert (found.first, found.support, found.kept) == (10, 60, 1.0)
    assert found.told == "stable"


def test_equals_change_places_when_voters_are_lost() -> None:
    links = [(h, 40 + (7 * h + k) % 30) for h in range(40) for k in range(4)]
    found = firm(links, 70)
    assert found.kept < 0.8
    assert "of the first 10 stay if a fifth is lost" in found.told


def test_few_voters_make_a_weak_topic() -> None:
    found = firm([(0, 2), (0, 3), (1, 2), (1, 3)], 4)
    assert (found.first, found.support) == (2, 2)
    assert found.told == "weak: 2 sites vote"
    assert Firm(1, 1, 1.0).told == "weak: 1 site votes"


@pytest.mark.parametrize(
    ("first", "kept", "told"),
    [
        (10, 0.76, "stable"),
        (10, 0.74, "fairly stable: 7 of the first 10 stay if a fifth is lost"),
        (10, 0.56, "fairly stable: 6 of the first 10 stay if a fifth is lost"),
        (10, 0.54, "shaky: 5 of the first 10 stay if a fifth is lost"),
        (4, 0.7, "fairly stable: 3 of the first 4 stay if a fifth is lost"),
    ],
)
def test_what_is_called_stable_goes_by_the_number_that_is_told(
    first: int, kept: float, told: str
) -> None:
    assert Firm(first, 9, kept).told == told


def test_about_a_fifth_is_lost_each_time_others() -> None:
    voters = np.arange(20_000, dtype=np.int32)
    losses = np.array([lost(voters, loss) for loss in range(4)])
    assert losses.mean(axis=1) == pytest.approx([0.2] * 4, abs=0.01)
    assert (losses[0] & losses[1]).mean() == pytest.approx(0.04, abs=0.01)


def test_only_what_scores_is_among_the_first() -> None:
    topic = np.zeros(12, np.int32)
    assert first(topic, np.arange(12.0)).tolist() == [False] * 2 + [True] * 10
    assert first(topic, np.zeros(12)).sum() == 0
