"""What the links of a topic say: the pages at their other ends, and their anchors."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np

from weft.core.arrays import Floats, Ids
from weft.graph.baseset import BaseSet
from weft.rank.ranking import best_first, rounded
from weft.topics.topic import Topic

Role = Literal["authority", "hub"]


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
        words = dict[str, int]()
        place = np.array(
            [
                words.setdefault(" ".join(text.split()), len(words))
                for text in coded.dictionary.to_pylist()
            ],
            np.int32,
        )
        saying = place[coded.indices.to_numpy()] if len(anchors) else place
        pair = np.repeat(np.arange(len(sources)), np.diff(ends))
        _, first = np.unique(pair << 32 | saying, return_index=True)
        first.sort()
        first = first[saying[first] != words.get("", -1)]
        return cls(pair[first].astype(np.int32), saying[first], list(words))

    @property
    def share(self) -> Floats:
        """What part each thing is of all that is said on its pair."""
        many = np.bincount(self.pair)
        shares: Floats = 1.0 / many[self.pair]
        return shares

    def by_pair(self, pairs: int) -> list[tuple[str, ...]]:
        """What is said on each of so many pairs."""
        said = [self.words[k] for k in self.saying.tolist()]
        ends = np.searchsorted(self.pair, np.arange(pairs + 1)).tolist()
        return [tuple(said[a:b]) for a, b in pairwise(ends)]

    def most(self, owner: Ids, weight: Floats, few: int) -> "Most":
        """What is said most of each owner of pairs, by the pairs' weights; a `few` of each."""
        cell, first, same = np.unique(
            owner[self.pair].astype(np.int64) << 32 | self.saying,
            return_index=True,
            return_inverse=True,
        )
        total = np.bincount(same, weight[self.pair] * self.share, len(cell))
        whose, saying = (cell >> 32).astype(np.int32), (cell & 0xFFFFFFFF).astype(np.int32)
        alphabet = np.empty(len(self.words), np.int32)
        alphabet[sorted(range(len(self.words)), key=self.words.__getitem__)] = np.arange(
            len(self.words)
        )
        order = np.lexsort((alphabet[saying], -total, whose))
        turn = np.arange(len(order)) - np.searchsorted(whose[order], whose[order])
        best = order[turn < few]
        every = np.bincount(whose, total, int(owner.max(initial=-1)) + 1)
        return Most(
            whose[best],
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


def spoken(base: BaseSet, sources: Ids, targets: Ids) -> list[tuple[str, ...]]:
    """For each pair of pages what the links from one to the other say, each thing once."""
    return Heard.of(base, sources, targets).by_pair(len(sources))


class Ends:
    """The other ends of links inside a topic: for each page the pages there, best first.

    For an authority they are the hubs that point to it, for a hub the
    authorities it points to.
    """

    def __init__(self, base: BaseSet, topic: Topic, role: Role) -> None:
        self.rows = base.graph.inlinks if role == "authority" else base.graph.outlinks
        voice = topic.hub if topic.voice is None else topic.voice
        scores = voice if role == "authority" else topic.authority
        self.score, self.turn = np.zeros(len(base)), np.zeros(len(base), np.int32)
        self.score[topic.members] = scores
        self.turn[topic.members[best_first(rounded(scores))]] = np.arange(len(topic))

    def of(self, page: int) -> tuple[Ids, Floats]:
        """Those of a page that score anything, and their scores."""
        ends = np.asarray(self.rows.ids[self.rows.starts[page] : self.rows.starts[page + 1]])
        ends = ends[self.score[ends] > 0]
        ends = ends[np.argsort(self.turn[ends])]
        return ends, self.score[ends]


def others(base: BaseSet, topic: Topic, role: Role, page: int) -> tuple[Ids, Floats]:
    """The hubs that point to an authority, or the authorities that a hub points to; best first.

    They are pages of the topic; beside each is its score.
    """
    return Ends(base, topic, role).of(page)
