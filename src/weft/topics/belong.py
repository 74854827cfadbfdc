"""Which pages belong to a topic, by where their ties lead."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from weft.core.arrays import Flags, Floats, Ids, Offsets, Rows
from weft.engine.bonds import leads

SURE = 0.8
MAIN = 0.4
ALSO = 1 / 3
SOME = 3.0
LITTLE = 0.1


@dataclass(frozen=True, eq=False)
class Members:
    """The pages of some topics: page and topic side by side, by page, then topic."""

    page: Ids
    topic: Ids
    pages: int
    topics: int

    @classmethod
    def of(cls, inside: Flags) -> "Members":
        """From a table that says for each page and topic whether it belongs there."""
        page, topic = np.nonzero(inside)
        return cls(page.astype(np.int32), topic.astype(np.int32), *inside.shape)

    def some(self, chosen: Flags) -> "Members":
        """Only the chosen ones."""
        return Members(self.page[chosen], self.topic[chosen], self.pages, self.topics)

    @cached_property
    def starts(self) -> Offsets:
        """Where the topics of each page begin."""
        return np.searchsorted(self.page, np.arange(self.pages + 1))

    @property
    def rows(self) -> tuple[Offsets, Ids, Ids]:
        """Where the topics of each page begin, pages and topics, as the engine takes them."""
        return self.starts, self.page, self.topic

    @cached_property
    def order(self) -> Offsets:
        """The places of the members topic by topic, in each by page."""
        # small numbers are sorted in one pass
        return np.argsort(self.topic.astype(np.min_scalar_type(self.topics)), kind="stable")

    @cached_property
    def ends(self) -> Offsets:
        """Where the members of each topic begin in that order; last, how many there are."""
        sizes = np.bincount(self.topic, minlength=self.topics)
        return np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])

    def places(self, topic: int) -> Offsets:
        """Where the members of a topic stand."""
        return self.order[self.ends[topic] : self.ends[topic + 1]]

    def __getitem__(self, topic: int) -> Ids:
        pages: Ids = self.page[self.places(topic)]
        return pages


@dataclass(frozen=True, slots=True, eq=False)
class Leading:
    """How much of the ties of each point leads to each group; what leads to none comes last.

    Of the points the first are pages. Groups count from zero, -1 is none.
    `between` is the same of all points of each group together.
    """

    pages: int
    leads: Floats
    between: Floats

    @classmethod
    def of(cls, ties: Rows, home: Ids, pages: int) -> "Leading":
        """Where ties lead, of points that are at home in groups."""
        weights = np.ones(len(ties.ids), np.float32) if ties.weights is None else ties.weights
        groups = int(home.max(initial=-1)) + 1
        return cls(pages, *leads(ties.starts, ties.ids, weights, home, groups))

    def belonging(self) -> Members:
        """The pages of each group.

        A page belongs to a group that at least two fifths of its ties lead
        to, if its ties are four times likelier for a page of that group than
        for all others together. It also belongs to others that a third of its
        ties lead to, if that is three links or more.

        Examples
        --------
        >>> pair = Rows(np.array([0, 1, 2, 2]), np.array([1, 0], np.int32))
        >>> Leading.of(pair, np.array([0, 0, -1], np.int32), 3).belonging()[0].tolist()
        [0, 1]
        """
        own = self.leads[: self.pages]
        share = own / np.maximum(own.sum(axis=1, keepdims=True), 1e-12)
        main = (share >= MAIN) & (posterior(own, self.between) >= SURE)
        also = (share >= ALSO) & (own >= SOME)
        return Members.of((main | also)[:, :-1])

    def inside(self, group: int, pages: Ids) -> float:
        """What share of the ties of some pages leads to a group."""
        return float(self.leads[pages, group].sum() / max(self.leads[pages].sum(), 1e-12))


def posterior(leads: Floats, between: Floats) -> Floats:
    """How likely each group is for pages whose ties lead so, one tie as telling as another."""
    volume = between.sum(axis=1) + LITTLE
    usual = volume / volume.sum()
    profile = (between + LITTLE * usual) / volume[:, None]
    odds = leads @ np.log(profile / usual).T + np.log(usual)
    chance = np.exp(odds - odds.max(axis=1, keepdims=True))
    found: Floats = chance / chance.sum(axis=1, keepdims=True)
    return found
