"""Topic pages with the pages they are linked with: contributions, sites, anchor texts."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from weft.core.arrays import Floats, Offsets, pack_pairs, unpack_first_ids
from weft.graph.baseset.baseset import BaseSet
from weft.graph.baseset.filters import encode_owners
from weft.groups.link_anchors import FarEnds, GroupSide, PairAnchors, find_far_ends

MAX_ANCHOR_LINKS = 100
MIN_SCORE_SUM = np.finfo(float).tiny


class LinkedPage(NamedTuple):
    """A page at the other end of a link: name, number, contribution and anchor texts."""

    page: str
    page_number: int
    contribution: float
    anchors: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class LinkedPages:
    """The pages of some sides of topics, and the other ends of their links.

    The `far_ends` of page k, best first, are from `starts[k]` to
    `starts[k + 1]`, each with its contribution to the part of the page's score
    that links give, which is proportional to its own score. Anchor texts are
    read for the best hundred links of each page, `anchored_ends`.
    """

    base: BaseSet
    scores: Sequence[float]
    far_ends: FarEnds
    starts: Offsets
    contributions: Floats
    anchors: PairAnchors
    anchored_ends: Offsets

    @classmethod
    def from_sides(cls, base: BaseSet, sides: Sequence[GroupSide]) -> "LinkedPages":
        """Look up the links of all sides at once."""
        far_ends = find_far_ends(base, sides)
        scores = [score for s in sides for score in s.group.scores_of(s.role, s.pages).tolist()]
        from_links = [score for s in sides for score in s.scores_from_links().tolist()]
        starts = np.searchsorted(far_ends.owner, np.arange(len(scores) + 1))
        contributions = np.empty(len(far_ends.page))
        for score, (start, end) in zip(from_links, pairwise(starts.tolist()), strict=True):
            end_scores = far_ends.score[start:end]
            contributions[start:end] = score * end_scores / max(end_scores.sum(), MIN_SCORE_SUM)
        anchored_ends = np.flatnonzero(far_ends.rank_in_owner < MAX_ANCHOR_LINKS)
        anchors = PairAnchors.from_links(
            base, far_ends.source[anchored_ends], far_ends.target[anchored_ends]
        )
        return cls(base, scores, far_ends, starts, contributions, anchors, anchored_ends)

    @property
    def link_counts(self) -> list[int]:
        """The number of far ends of each page."""
        counts: list[int] = np.diff(self.starts).tolist()
        return counts

    def site_counts(self) -> list[int]:
        """The number of sites of the far ends of each page."""
        ends, position = np.unique(self.far_ends.page, return_inverse=True)
        site, _ = encode_owners(self.base.graph.names.take(pa.array(ends)), "site")
        pair = np.unique(pack_pairs(self.far_ends.owner, site[position]))
        counts: list[int] = np.bincount(unpack_first_ids(pair), minlength=len(self.scores)).tolist()
        return counts

    def top_anchors(self, max_anchors: int) -> list[tuple[str, ...]]:
        """The anchor texts of the links of each page, by the contribution of the far ends."""
        weight = (
            self.contributions[self.anchored_ends][self.anchors.pair]
            / self.anchors.anchors_per_pair
        )
        best = self.anchors.top_anchors(
            self.far_ends.owner[self.anchored_ends], weight, max_anchors
        )
        bounds = np.searchsorted(best.owner, np.arange(len(self.scores) + 1)).tolist()
        return [tuple(best.anchor_texts[start:end]) for start, end in pairwise(bounds)]

    def top_linked_pages(self, max_pages: int) -> list[list[LinkedPage]]:
        """The best far ends of each page."""
        pairs = np.flatnonzero(self.far_ends.rank_in_owner[self.anchored_ends] < max_pages)
        ends = self.anchored_ends[pairs]
        pages = self.far_ends.page[ends]
        names = self.base.graph.names.take(pa.array(pages)).to_pylist()
        anchors = self.anchors.texts_of_pairs(pairs)
        rows = list(
            map(LinkedPage, names, pages.tolist(), self.contributions[ends].tolist(), anchors)
        )
        bounds = np.searchsorted(ends, self.starts).tolist()
        return [rows[start:end] for start, end in pairwise(bounds)]
