"""How firmly the first authorities of topics stand: what stays if some voters are lost."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from weft.core.arrays import Flags, Floats, Ids, Offsets
from weft.engine.ballots import recounted
from weft.rank.ranking import foremost, rounded
from weft.topics.belong import Members
from weft.topics.ties import Links
from weft.topics.votes import Votes

FIRST = 10
NEAR = 30
LOSSES = 8
LOST = 0.2
FEWEST = 3
STABLE, FAIR = 0.8, 0.6


@dataclass(frozen=True, slots=True)
class Firm:
    """How many vote for the first ten authorities of a topic, and how many of these stay.

    `kept` is the share of them that are still among the first ten when a
    fifth of all voters is lost, in the mean over eight such losses.
    """

    first: int
    support: int
    kept: float

    @property
    def told(self) -> str:
        """How stable the topic is, in words."""
        if self.support < FEWEST:
            return f"weak: {self.support} {'site votes' if self.support == 1 else 'sites vote'}"
        stay = round(self.kept * self.first)
        share = f"{stay} of the first {self.first} stay if a fifth is lost"
        if stay >= STABLE * self.first:
            return "stable"
        return f"fairly stable: {share}" if stay >= FAIR * self.first else f"shaky: {share}"

    def facts(self) -> dict[str, Any]:
        """What is known, as facts of a topic."""
        return {"support": self.support, "kept": self.kept, "stability": self.told}


def firmness(links: Links, owner: Ids, members: Members, votes: Votes) -> list[Firm]:
    """How firm each topic is.

    Who is lost is drawn by a hash of the voter's number, the same each time.
    Whoever stays is trusted as before.
    """
    at = near(members, votes.authority)
    topic, place = members.topic[at], np.full(len(members.page), -1, np.int32)
    place[at], usual = np.arange(len(at)), first(topic, votes.authority[at])
    voters = np.arange(int(owner.max(initial=-1)) + 1, dtype=np.int32)
    gone = np.stack([lost(voters, loss) for loss in range(LOSSES)], axis=1)
    cast, left, heard = recounted(
        links.ends, members.rows, (place, usual), votes.trust, owner, gone
    )
    stays = np.zeros(members.topics)
    for score in cast / np.maximum(left + votes.doubt, 1e-12):
        stays += np.bincount(topic, usual & first(topic, score), members.topics)
    count = np.bincount(topic, usual, members.topics).astype(int)
    support, kept = np.count_nonzero(heard, axis=1), stays / LOSSES / np.maximum(count, 1)
    return [
        Firm(*each) for each in zip(count.tolist(), support.tolist(), kept.tolist(), strict=True)
    ]


def near(members: Members, authority: Floats) -> Offsets:
    """The places of the first members, topic by topic, as many as may come to be among the ten."""
    scores = rounded(authority)
    best = [np.zeros(0, np.int64)]
    for topic in range(members.topics):
        own = members.places(topic)
        best.append(np.sort(own[foremost(scores[own], NEAR)]))
    found = np.concatenate(best)
    return found[authority[found] > 0]


def first(topic: Ids, score: Floats) -> Flags:
    """Which are among the first ten of their topics, which follow each other, and score."""
    begins = np.searchsorted(topic, topic)
    turn = np.arange(len(topic)) - begins
    table = np.full((int(topic.max(initial=-1)) + 1, int(turn.max(initial=-1)) + 1), -np.inf)
    table[topic, turn] = rounded(score)
    place = np.argsort(np.argsort(-table, axis=1, kind="stable"), axis=1)
    found: Flags = (place[topic, turn] < FIRST) & (score > 0)
    return found


def lost(voter: Ids, loss: int) -> Any:
    """Which voters are lost, about a fifth of them."""
    mixed = voter.astype(np.uint64) + np.uint64(1 + loss * 0x9E3779B9)
    for _ in range(2):
        mixed = (mixed ^ (mixed >> np.uint64(31))) * np.uint64(0xBF58476D1CE4E5B9)
    return (mixed >> np.uint64(11)).astype(np.float64) / 2.0**53 < LOST
