"""How firmly the first authorities of topics stand: what stays if some voters are lost."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from weft.core.arrays import Floats, Ids, Offsets
from weft.rank.ranking import rounded
from weft.topics.belong import Members
from weft.topics.ties import Links
from weft.topics.votes import Votes, joined

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
        share = f"{self.kept * self.first:.0f} of the first {self.first} stay if a fifth is lost"
        if self.kept >= STABLE:
            return "stable"
        return f"fairly stable: {share}" if self.kept >= FAIR else f"shaky: {share}"

    def facts(self) -> dict[str, Any]:
        """What is known, as facts of a topic."""
        return {"support": self.support, "kept": self.kept, "stability": self.told}


def firmness(links: Links, owner: Ids, members: Members, votes: Votes) -> list[Firm]:
    """How firm each topic is.

    Who is lost is drawn by a hash of the voter's number, the same each time.
    Whoever stays is trusted as before.
    """
    at = near(members, votes.authority)
    wanted = np.full(len(members.page), -1, np.int32)
    wanted[at] = np.arange(len(at))
    link, place = joined(links, members)
    chosen = wanted[place] >= 0
    link, place = link[chosen], wanted[place[chosen]]
    topic = members.topic[at]
    voter, vote = owner[links.source[link]], links.vote[link]
    cast = vote * votes.trust[links.source[link], topic[place]]
    usual = first(topic, votes.authority[at])
    stays = np.zeros(members.topics)
    for loss in range(LOSSES):
        left = ~lost(voter, loss)
        cast_left, left_over = (np.bincount(place, of * left, len(at)) for of in (cast, vote))
        score = cast_left / np.maximum(left_over + votes.doubt, 1e-12)
        stays += np.bincount(topic, usual & first(topic, score), members.topics)
    count = np.bincount(topic, usual, members.topics).astype(int)
    pairs = np.unique(topic[place].astype(np.int64)[usual[place]] << 32 | voter[usual[place]])
    support = np.bincount(pairs >> 32, minlength=members.topics)
    kept = stays / LOSSES / np.maximum(count, 1)
    return [
        Firm(*each) for each in zip(count.tolist(), support.tolist(), kept.tolist(), strict=True)
    ]


def near(members: Members, authority: Floats) -> Offsets:
    """The places of the first members of each topic, as many as may come to be among the ten."""
    order = np.lexsort((members.page, -rounded(authority), members.topic))
    ranked = members.topic[order]
    turn = np.arange(len(order)) - np.searchsorted(ranked, ranked)
    good = (turn < NEAR) & (authority[order] > 0)
    return np.sort(order[good])


def first(topic: Ids, score: Floats) -> Any:
    """Which are among the first ten of their topics, and score."""
    order = np.lexsort((np.arange(len(topic)), -rounded(score), topic))
    ranked = topic[order]
    turn = np.arange(len(order)) - np.searchsorted(ranked, ranked)
    found = np.zeros(len(topic), bool)
    found[order[turn < FIRST]] = True
    return found & (score > 0)


def lost(voter: Ids, loss: int) -> Any:
    """Which voters are lost, about a fifth of them."""
    mixed = voter.astype(np.uint64) + np.uint64(1 + loss * 0x9E3779B9)
    for _ in range(2):
        mixed = (mixed ^ (mixed >> np.uint64(31))) * np.uint64(0xBF58476D1CE4E5B9)
    return (mixed >> np.uint64(11)).astype(np.float64) / 2.0**53 < LOST
