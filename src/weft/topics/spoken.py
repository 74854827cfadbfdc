"""What the links of a topic say: the pages at their other ends, and their anchors."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
import pyarrow as pa

from weft.core.arrays import Floats, Ids, Offsets
from weft.graph.baseset import BaseSet
from weft.rank.ranking import best_first, rounded
from weft.topics.topic import Topic

Role = Literal["authority", "hub"]


@dataclass(frozen=True, slots=True, eq=False)
class Spoken:
    """The anchors of all links of a base set, sorted by the two ends of the link."""

    keys: Offsets
    anchors: pa.Array

    @classmethod
    def of(cls, base: BaseSet) -> "Spoken":
        """Those of a base set, which are read now."""
        table = base.anchors
        source, target = (table[side].to_numpy().astype(np.int64) for side in ("source", "target"))
        keys, words = source << 32 | target, table["anchor"].combine_chunks()
        if (keys[1:] < keys[:-1]).any():
            order = np.argsort(keys, kind="stable")
            keys, words = keys[order], words.take(pa.array(order))
        return cls(keys, words)

    def between(self, sources: Ids, targets: Ids) -> list[tuple[str, ...]]:
        """For each pair of pages what the links from one to the other say, each thing once."""
        key = np.asarray(sources, np.int64) << 32 | np.asarray(targets, np.int64)
        start, stop = np.searchsorted(self.keys, key), np.searchsorted(self.keys, key + 1)
        ends = np.concatenate([[0], np.cumsum(stop - start)])
        at = np.arange(ends[-1]) + np.repeat(start - ends[:-1], stop - start)
        words: Sequence[str] = self.anchors.take(pa.array(at)).to_pylist()
        return [_each_once(words[a:b]) for a, b in pairwise(ends.tolist())]


def _each_once(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, (" ".join(text.split()) for text in words))))


def others(base: BaseSet, topic: Topic, role: Role, page: int) -> tuple[Ids, Floats]:
    """The hubs that point to an authority, or the authorities that a hub points to; best first.

    They are pages of the topic; beside each is its score.
    """
    rows = base.graph.inlinks if role == "authority" else base.graph.outlinks
    ends = np.asarray(rows.ids[rows.starts[page] : rows.starts[page + 1]])
    ends = ends[np.isin(ends, topic.members)]
    every = topic.hub if role == "authority" else topic.authority
    scores = every[np.searchsorted(topic.members, ends)]
    order = best_first(rounded(scores))
    order = order[scores[order] > 0]
    return ends[order], scores[order]
