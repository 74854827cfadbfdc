"""Blocks of pages by their words: which of them are about what was searched for."""

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import Flags, Floats, Offsets
from weft.graph.baseset import BaseSet
from weft.store.telling import Words
from weft.topics.dom import Cut, Forest
from weft.topics.dom_hubs import beside
from weft.topics.speech import marks, speeches

NEAR = 1e-9
TINY = np.finfo(float).tiny


def coherent(forest: Forest, cosines: Floats, cut: Cut) -> Flags:
    """Which links stand in blocks whose words are as close to the topic as is usual, or closer.

    Links beside each other in a block have the mean of their cosines: a bare
    name in a list is about what the list is about. Pages are cut where these
    differ, as they are by authority, and a block counts whole, by the mean of
    its links. Where nothing is close to the topic every link counts.
    """
    parent = forest.parent[: forest.leaves]
    block = np.where(parent < 0, np.arange(forest.leaves), parent)
    cosines = (np.bincount(block, cosines) / np.maximum(np.bincount(block), 1))[block]
    total = forest.sums(cosines)
    if not total.any():
        return np.ones(forest.leaves, bool)
    node = forest.segment(total, cut)
    found: Flags = total[node] * (1 + NEAR) >= forest.count[node] * cosines.mean()
    return found


def link_cosines(base: BaseSet, links: pa.Table) -> Floats:
    """How close the words of each link are to those of the pages that the search found.

    The words of a link are its anchor and the text beside it; those of the
    topic the mean of the term weights of the pages found, each of length one.
    Zero where nothing is known.
    """
    own, theirs = words_of(base, links), base.words.some(base.roots)
    summed = np.bincount(theirs.rows.ids, _unit_rows(theirs)[1], len(theirs.stems))
    topic = summed / max(float(np.sqrt(np.square(summed).sum())), TINY)
    place = pc.index_in(own.stems, theirs.stems.cast(own.stems.type))
    worth = np.append(topic, 0.0)[pc.fill_null(place, len(topic)).to_numpy()]
    row, weight = _unit_rows(own)
    cosines: Floats = np.bincount(row, weight * worth[own.rows.ids], len(own)).astype(np.float64)
    return cosines


def _unit_rows(words: Words) -> tuple[Offsets, Floats]:
    """The row of each weight, and the weights with rows of length one."""
    weight = np.asarray(words.weights, np.float64)
    row = np.repeat(np.arange(len(words)), np.diff(words.rows.starts))
    norms = np.sqrt(np.bincount(row, np.square(weight), len(words)))
    return row, weight / np.maximum(norms, TINY)[row]


def words_of(base: BaseSet, links: pa.Table) -> Words:
    """The term weights of the anchor of each link and the text beside it."""
    source, position = links["source"].to_numpy(), links["position"].to_numpy()
    anchors, texts = links["anchor"].to_pylist(), base.texts
    order = np.lexsort((position, source))
    bounds = np.flatnonzero(np.diff(source[order], prepend=-1, append=-1))
    said = [""] * len(order)
    for begin, end in pairwise(bounds.tolist()):
        rows = order[begin:end].tolist()
        own = [anchors[row] for row in rows]
        text = texts[source[rows[0]]] if len(texts) else ""
        around = beside(text, position[rows].tolist(), own)
        for row, anchor, (before, after) in zip(rows, own, around, strict=True):
            said[row] = f"{before} {anchor} {after}"
    names = marks(base.words.stems)[1] or [""]
    languages = [names[code] for code in speeches(base.words)[source].tolist()]
    return Words.of([""] * len(said), said, languages)
