"""What the links of a topic say: the pages at their other ends, and their anchors."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import pyarrow.compute as pc

from weft.core.arrays import Flags, Floats, Ids, Offsets, lower, stacked, upper
from weft.graph.among import places
from weft.graph.baseset import BaseSet
from weft.rank.ranking import rounded
from weft.topics.topic import Topic

Role = Literal["authority", "hub"]
# Space at an end, two in a row, or other space than the usual.
UNTIDY = (
    r"^ | $|  |[\t-\r\x1c-\x1f\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}"
    r"\x{3000}]"
)


@dataclass(frozen=True, slots=True, eq=False)
class Heard:
    """What links between pairs of pages say: pair and saying side by side, each thing once.

    `saying` are places in `words`; pairs ascend, and what is said on a page
    stands in its order.
    """

    pair: Ids
    saying: Ids
    words: Sequence[str]

    @classmethod
    def of(cls, base: BaseSet, sources: Ids, targets: Ids) -> "Heard":
        """What is said from each page to another."""
        ends, anchors = base.said(sources, targets)
        coded = anchors.dictionary_encode()
        texts = coded.dictionary.to_pylist()
        place, same = (
            {text: k for k, text in enumerate(texts)},
            np.arange(len(texts), dtype=np.int32),
        )
        for k in np.flatnonzero(pc.match_substring_regex(coded.dictionary, UNTIDY)).tolist():
            texts[k] = " ".join(texts[k].split())
            same[k] = place.setdefault(texts[k], k)
        saying = same[coded.indices.to_numpy()]
        many = np.diff(ends)
        pair = np.repeat(np.arange(len(sources), dtype=np.int32), many)
        kept, more = saying != place.get("", -1), np.flatnonzero(many[pair] > 1)
        _, first = np.unique(stacked(pair[more], saying[more]), return_index=True)
        again = np.ones(len(more), bool)
        again[first] = False
        kept[more[again]] = False
        return cls(pair[kept], saying[kept], texts)

    @property
    def many(self) -> Offsets:
        """How many things are said on the pair of each."""
        return np.bincount(self.pair)[self.pair]

    def by_pair(self, pairs: Offsets) -> list[tuple[str, ...]]:
        """What is said on each of some pairs."""
        ends = zip(*(np.searchsorted(self.pair, pairs + k).tolist() for k in (0, 1)), strict=True)
        return [tuple(self.words[k] for k in self.saying[a:b].tolist()) for a, b in ends]

    def most(self, owner: Ids, weight: Floats, few: int) -> "Most":
        """What is said most of each owner of pairs, a `few` things of each.

        `weight` is what each thing counts that is said on a pair.
        """
        key = stacked(owner[self.pair], self.saying)
        cell, first, same = np.unique(key, return_index=True, return_inverse=True)
        total = np.bincount(same, weight, len(cell))
        whose, saying = upper(cell), lower(cell).astype(np.int32)
        alphabet = np.empty(len(self.words), np.int32)
        alphabet[sorted(range(len(self.words)), key=self.words.__getitem__)] = np.arange(
            len(self.words)
        )
        order = np.lexsort((alphabet[saying], -total, whose))
        turn = np.arange(len(order)) - np.searchsorted(whose[order], whose[order])
        best = order[turn < few]
        every = np.bincount(whose, total, int(owner.max(initial=-1)) + 1)
        return Most(
            whose[best].astype(np.int32),
            [self.words[k] for k in saying[best].tolist()],
            self.pair[first[best]],
            total[best] / every[whose[best]],
        )


class Most(NamedTuple):
    """What is said most, owner by owner: of whom, what, on which pair first, and its share."""

    owner: Ids
    words: Sequence[str]
    pair: Ids
    share: Floats


class Side(NamedTuple):
    """Some authorities or hubs of a topic."""

    topic: Topic
    role: Role
    pages: Ids


class Far(NamedTuple):
    """The other ends of links of the pages of some sides, page by page, best first.

    `owner` counts these pages through; the links lead from sources to targets.
    """

    owner: Ids
    page: Ids
    score: Floats
    source: Ids
    target: Ids

    @property
    def turn(self) -> Offsets:
        """The place of each among those of its page, from zero."""
        return np.arange(len(self.owner)) - np.searchsorted(self.owner, self.owner)

    def some(self, chosen: Flags) -> "Far":
        """Some of them."""
        return Far(
            self.owner[chosen],
            self.page[chosen],
            self.score[chosen],
            self.source[chosen],
            self.target[chosen],
        )


def far_ends(base: BaseSet, sides: Sequence[Side]) -> Far:
    """The hubs that point to authorities, or the authorities that hubs point to.

    They are pages of the same topic that score anything; beside each is its score.
    """
    found = [NOWHERE, *(_far(base, side) for side in sides)]
    first = np.cumsum([0, 0, *(len(side.pages) for side in sides)], dtype=np.int32)
    return Far(
        np.concatenate([each.owner + at for each, at in zip(found, first, strict=False)]),
        np.concatenate([each.page for each in found]),
        np.concatenate([each.score for each in found]),
        np.concatenate([each.source for each in found]),
        np.concatenate([each.target for each in found]),
    )


NONE = np.zeros(0, np.int32)
NOWHERE = Far(NONE, NONE, np.zeros(0), NONE, NONE)


def _far(base: BaseSet, side: Side) -> Far:
    topic, role, pages = side
    rows = base.graph.inlinks if role == "authority" else base.graph.outlinks
    voice = topic.hub if topic.voice is None else topic.voice
    scores = voice if role == "authority" else topic.authority
    score, digits = np.zeros(len(base)), np.zeros(len(base))
    score[topic.members], digits[topic.members] = scores, rounded(scores)
    at, _ = places(rows, pages)
    ends = np.asarray(rows.ids[at])
    many = np.asarray(rows.starts[pages + 1]) - rows.starts[pages]
    owner = np.repeat(np.arange(len(pages), dtype=np.int32), many)
    some = np.flatnonzero(score[ends] > 0)
    some = some[np.lexsort((-digits[ends[some]], owner[some]))]
    owner, ends = owner[some], ends[some]
    near = pages[owner]
    source, target = (ends, near) if role == "authority" else (near, ends)
    return Far(owner, ends, score[ends], source, target)
