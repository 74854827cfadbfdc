"""The links of topic pages: the pages at their other ends, and the anchor texts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow.compute as pc

from weft.core.arrays import (
    Flags,
    Floats,
    Ids,
    Offsets,
    pack_pairs,
    unpack_first_ids,
    unpack_second_ids,
)
from weft.graph.baseset.baseset import BaseSet
from weft.graph.views import link_positions
from weft.groups.group import Group, Role
from weft.rank.ranking import round_significant

# Space at either end, two in a row, or other white space than a plain space.
UNTIDY_SPACE = (
    r"^ | $|  |[\t-\r\x1c-\x1f\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}"
    r"\x{3000}]"
)


@dataclass(frozen=True, slots=True, eq=False)
class PairAnchors:
    """The distinct anchor texts of links between pairs of pages, as parallel arrays.

    `anchor_ids` are positions in `anchor_texts`. Pairs ascend; the anchor texts
    of a pair are in page order.
    """

    pair: Ids
    anchor_ids: Ids
    anchor_texts: Sequence[str]

    @classmethod
    def from_links(cls, base: BaseSet, sources: Ids, targets: Ids) -> "PairAnchors":
        """The anchor texts of the links from each source to its target."""
        bounds, anchors = base.anchor_texts(sources, targets)
        encoded = anchors.dictionary_encode()
        texts = encoded.dictionary.to_pylist()
        id_of_text, merged_id = (
            {text: k for k, text in enumerate(texts)},
            np.arange(len(texts), dtype=np.int32),
        )
        for k in np.flatnonzero(
            pc.match_substring_regex(encoded.dictionary, UNTIDY_SPACE)
        ).tolist():
            texts[k] = " ".join(texts[k].split())
            merged_id[k] = id_of_text.setdefault(texts[k], k)
        anchor_ids = merged_id[encoded.indices.to_numpy()]
        counts = np.diff(bounds)
        pair = np.repeat(np.arange(len(sources), dtype=np.int32), counts)
        kept, candidates = anchor_ids != id_of_text.get("", -1), np.flatnonzero(counts[pair] > 1)
        _, first = np.unique(
            pack_pairs(pair[candidates], anchor_ids[candidates]), return_index=True
        )
        is_duplicate = np.ones(len(candidates), bool)
        is_duplicate[first] = False
        kept[candidates[is_duplicate]] = False
        return cls(pair[kept], anchor_ids[kept], texts)

    @property
    def anchors_per_pair(self) -> Offsets:
        """For each anchor text the number of anchor texts of its pair."""
        return np.bincount(self.pair)[self.pair]

    def texts_of_pairs(self, pairs: Offsets) -> list[tuple[str, ...]]:
        """The anchor texts of each of some pairs."""
        ends = zip(*(np.searchsorted(self.pair, pairs + k).tolist() for k in (0, 1)), strict=True)
        return [tuple(self.anchor_texts[k] for k in self.anchor_ids[a:b].tolist()) for a, b in ends]

    def top_anchors(self, owner: Ids, weight: Floats, max_anchors: int) -> "TopAnchors":
        """The anchor texts of largest weight of each owner of pairs.

        `weight` is that of each anchor text of a pair. Ties go by alphabet.
        """
        key = pack_pairs(owner[self.pair], self.anchor_ids)
        cell, first, cell_of = np.unique(key, return_index=True, return_inverse=True)
        total = np.bincount(cell_of, weight, len(cell))
        cell_owner, anchor_ids = unpack_first_ids(cell), unpack_second_ids(cell).astype(np.int32)
        alphabetical_rank = np.empty(len(self.anchor_texts), np.int32)
        alphabetical_rank[
            sorted(range(len(self.anchor_texts)), key=self.anchor_texts.__getitem__)
        ] = np.arange(len(self.anchor_texts))
        order = np.lexsort((alphabetical_rank[anchor_ids], -total, cell_owner))
        rank = np.arange(len(order)) - np.searchsorted(cell_owner[order], cell_owner[order])
        best = order[rank < max_anchors]
        owner_total = np.bincount(cell_owner, total, int(owner.max(initial=-1)) + 1)
        return TopAnchors(
            cell_owner[best].astype(np.int32),
            [self.anchor_texts[k] for k in anchor_ids[best].tolist()],
            self.pair[first[best]],
            total[best] / owner_total[cell_owner[best]],
        )


class TopAnchors(NamedTuple):
    """The best anchor texts, owner by owner: the first pair with each, and its share."""

    owner: Ids
    anchor_texts: Sequence[str]
    pair: Ids
    share: Floats


class GroupSide(NamedTuple):
    """Some authorities, or some hubs, of a group."""

    group: Group
    role: Role
    pages: Ids

    def scores_from_links(self) -> Floats:
        """The parts of scores that links give: votes for an authority, all of it for a hub."""
        scores = self.group.scores_of(self.role, self.pages)
        if self.role == "hub" or self.group.vote_score is None:
            return scores
        return np.where(scores, self.group.look_up(self.group.vote_score, self.pages), 0.0)


class FarEnds(NamedTuple):
    """The pages at the other ends of the links of some pages, page by page, best first.

    `owner` numbers the pages of all sides; each link leads from `source` to
    `target`.
    """

    owner: Ids
    page: Ids
    score: Floats
    source: Ids
    target: Ids

    @property
    def rank_in_owner(self) -> Offsets:
        """The rank of each end among those of its owner, from zero."""
        return np.arange(len(self.owner)) - np.searchsorted(self.owner, self.owner)

    def select(self, mask: Flags) -> "FarEnds":
        """The ends that a mask selects."""
        return FarEnds(
            self.owner[mask],
            self.page[mask],
            self.score[mask],
            self.source[mask],
            self.target[mask],
        )


def find_far_ends(base: BaseSet, sides: Sequence[GroupSide]) -> FarEnds:
    """The hubs that link to some authorities, or the authorities that some hubs link to.

    Only pages of the same topic with a positive score count.
    """
    ends = [NO_FAR_ENDS, *(_far_ends_of_side(base, side) for side in sides)]
    first = np.cumsum([0, 0, *(len(side.pages) for side in sides)], dtype=np.int32)
    return FarEnds(
        np.concatenate([own.owner + shift for own, shift in zip(ends, first, strict=False)]),
        np.concatenate([own.page for own in ends]),
        np.concatenate([own.score for own in ends]),
        np.concatenate([own.source for own in ends]),
        np.concatenate([own.target for own in ends]),
    )


NO_IDS = np.zeros(0, np.int32)
NO_FAR_ENDS = FarEnds(NO_IDS, NO_IDS, np.zeros(0), NO_IDS, NO_IDS)


def _far_ends_of_side(base: BaseSet, side: GroupSide) -> FarEnds:
    group, role, pages = side
    rows = base.graph.inlinks if role == "authority" else base.graph.outlinks
    at, _ = link_positions(rows, pages)
    ends = np.asarray(rows.ids[at])
    hub_scores = group.hub if group.trust is None else group.trust
    scores = hub_scores if role == "authority" else group.authority
    score = group.look_up(scores, ends)
    if role == "hub" and len(group.uncaptured):  # hubs list uncaptured pages too
        votes = np.zeros(len(base))
        votes[group.uncaptured] = group.uncaptured_votes
        score = np.where(votes[ends] > 0, votes[ends], score)
    counts = np.asarray(rows.starts[pages + 1]) - rows.starts[pages]
    owner = np.repeat(np.arange(len(pages), dtype=np.int32), counts)
    kept = np.flatnonzero(score > 0)
    rounded = round_significant(score[kept], float(np.abs(scores).max(initial=0)))
    kept = kept[np.lexsort((-rounded, owner[kept]))]
    owner, ends = owner[kept], ends[kept]
    near = pages[owner]
    source, target = (ends, near) if role == "authority" else (near, ends)
    return FarEnds(owner, ends, score[kept], source, target)
