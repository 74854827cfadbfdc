"""Pages of topics and those at the other ends of their links: who they are, what links say."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa

from weft.core.arrays import Floats, Offsets, stacked, upper
from weft.graph.baseset import BaseSet
from weft.graph.filters import owners
from weft.topics.spoken import Far, Heard, Side, far_ends

MOST_HEARD = 100
TINY = np.finfo(float).tiny


@dataclass(frozen=True, slots=True, eq=False)
class Linked:
    """The pages of some sides of topics, one after the other, and the other ends of their links.

    The `far` ends of page k, best first, are from `starts[k]` to `starts[k + 1]`,
    and beside each is the amount that it brings to the page's score: as much of
    it as it scores itself. What the first hundred links of each page say is heard.
    """

    base: BaseSet
    scores: Sequence[float]
    far: Far
    starts: Offsets
    amounts: Floats
    heard: Heard
    asked: Offsets

    @classmethod
    def of(cls, base: BaseSet, sides: Sequence[Side]) -> "Linked":
        """Look up the links of all sides at once."""
        far = far_ends(base, sides)
        scores = [
            side.topic.score(side.role, page) for side in sides for page in side.pages.tolist()
        ]
        starts = np.searchsorted(far.owner, np.arange(len(scores) + 1))
        amounts = np.empty(len(far.page))
        for score, (a, b) in zip(scores, pairwise(starts.tolist()), strict=True):
            own = far.score[a:b]
            amounts[a:b] = score * own / max(own.sum(), TINY)
        asked = np.flatnonzero(far.turn < MOST_HEARD)
        heard = Heard.of(base, far.source[asked], far.target[asked])
        return cls(base, scores, far, starts, amounts, heard, asked)

    @property
    def counts(self) -> list[int]:
        """How many ends each page has."""
        found: list[int] = np.diff(self.starts).tolist()
        return found

    def sites(self) -> list[int]:
        """On how many sites the ends of each page are."""
        ends, place = np.unique(self.far.page, return_inverse=True)
        site, _ = owners(self.base.graph.names.take(pa.array(ends)), "site")
        pair = np.unique(stacked(self.far.owner, site[place]))
        found: list[int] = np.bincount(upper(pair), minlength=len(self.scores)).tolist()
        return found

    def said(self, few: int) -> list[tuple[str, ...]]:
        """What the links of each page say, by how much the pages bring that say it; a few."""
        weight = self.amounts[self.asked][self.heard.pair] / self.heard.many
        most = self.heard.most(self.far.owner[self.asked], weight, few)
        bounds = np.searchsorted(most.owner, np.arange(len(self.scores) + 1)).tolist()
        return [tuple(most.words[a:b]) for a, b in pairwise(bounds)]

    def first(self, few: int) -> list[list[tuple[str, float, tuple[str, ...]]]]:
        """A few ends of each page: what they are called, what they bring, what links say."""
        pairs = np.flatnonzero(self.far.turn[self.asked] < few)
        near = self.asked[pairs]
        names = self.base.graph.names.take(pa.array(self.far.page[near])).to_pylist()
        said = self.heard.by_pair(pairs)
        rows = list(zip(names, self.amounts[near].tolist(), said, strict=True))
        bounds = np.searchsorted(near, self.starts).tolist()
        return [rows[a:b] for a, b in pairwise(bounds)]
