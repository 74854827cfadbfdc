"""What the links of a topic say: the pages at their other ends, and their anchors."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

import numpy as np

from weft.core.arrays import Floats, Ids
from weft.graph.baseset import BaseSet
from weft.rank.ranking import best_first, rounded
from weft.topics.topic import Topic

Role = Literal["authority", "hub"]


def spoken(base: BaseSet, sources: Ids, targets: Ids) -> list[tuple[str, ...]]:
    """For each pair of pages what the links from one to the other say, each thing once."""
    ends, anchors = base.said(sources, targets)
    coded = anchors.dictionary_encode()
    words = [" ".join(text.split()) for text in coded.dictionary.to_pylist()]
    said: Sequence[str] = [words[code] for code in coded.indices.to_pylist()]
    return [_each_once(said[a:b]) for a, b in pairwise(ends.tolist())]


def _each_once(words: Sequence[str]) -> tuple[str, ...]:
    if len(words) <= 1:
        return tuple(filter(None, words))
    return tuple(dict.fromkeys(filter(None, words)))


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
