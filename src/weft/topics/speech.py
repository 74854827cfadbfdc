"""Whether pages speak of what their topic speaks of."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import Flags, Floats, Ids
from weft.graph.among import places
from weft.store.telling import Words
from weft.topics.belong import Members

ENOUGH = 20
FAR = 0.45


def strangers(words: Words, members: Members) -> Flags:
    """Which members are only linked to their topic: advertisers, portals, pages that drifted in.

    Such a page says enough to judge by, in the language of most of its topic,
    and its words are less than half as close to those of the topic as is
    usual there. That it says the word of the query does not help it.
    """
    likeness = likenesses(words, members)
    speech = speeches(words)[members.page]
    enough = np.diff(words.rows.starts)[members.page] >= ENOUGH
    found = np.zeros(len(members.page), bool)
    for topic in range(members.topics):
        at = np.flatnonzero((members.topic == topic) & enough)
        if len(at):
            at = at[speech[at] == np.bincount(speech[at]).argmax()]
            found[at] = likeness[at] < FAR * np.median(likeness[at])
    return found


def likenesses(words: Words, members: Members) -> Floats:
    """The cosine of the words of each member and those of its topic."""
    rows, n = words.rows, len(words)
    page = np.repeat(np.arange(n), np.diff(rows.starts))
    weight = words.weights.astype(np.float64)
    length = np.sqrt(np.bincount(page, np.square(weight), n))
    share = weight / np.maximum(length[page], 1e-12)
    likeness = np.zeros(len(members.page))
    for topic in range(members.topics):
        at = np.flatnonzero(members.topic == topic)
        own, _ = places(rows, members.page[at])
        said = np.bincount(rows.ids[own], share[own], len(words.stems))
        alike = np.bincount(page[own], share[own] * said[rows.ids[own]], n)
        likeness[at] = alike[members.page[at]] / max(np.sqrt(np.square(said).sum()), 1e-12)
    return likeness


def speeches(words: Words) -> Ids:
    """The language of each page as a number, by the mark of its first stem."""
    mark = pc.utf8_slice_codeunits(words.stems, 0, 3)
    marked = pc.if_else(pc.ends_with(mark, "/"), mark, pa.scalar("", mark.type))
    codes = marked.dictionary_encode().indices.to_numpy(zero_copy_only=False).astype(np.int32)
    first = np.minimum(words.rows.starts[:-1], max(len(words.rows.ids) - 1, 0))
    return codes[words.rows.ids[first]] if len(codes) else np.zeros(len(words), np.int32)
