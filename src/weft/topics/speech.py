"""Whether pages speak of what their topic speaks of."""

import numpy as np
import pyarrow as pa

from weft.core.arrays import Flags, Floats, Ids
from weft.engine.alike import products
from weft.graph.webgraph import spelled
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
        at = members.places(topic)
        at = at[enough[at]]
        if len(at):
            at = at[speech[at] == np.bincount(speech[at]).argmax()]
            found[at] = likeness[at] < FAR * middle(likeness[at])
    return found


def likenesses(words: Words, members: Members) -> Floats:
    """The cosine of the words of each member and those of its topic."""
    rows, pages = words.rows, members.page[members.order]
    alike = products(rows.starts, rows.ids, words.weights, pages, members.ends, len(words.stems))
    # what members share with their topic adds up to the square of its length
    length = np.sqrt(np.bincount(members.topic[members.order], alike, members.topics))
    likeness = np.empty(len(alike))
    likeness[members.order] = alike / np.maximum(np.repeat(length, np.diff(members.ends)), 1e-12)
    return likeness


def middle(values: Floats) -> float:
    """The median of some values, without the tests that NumPy makes."""
    ranked, half = np.sort(values), len(values) // 2
    return float(ranked[half] if len(values) % 2 else (ranked[half - 1] + ranked[half]) / 2)


def speeches(words: Words) -> Ids:
    """The language of each page as a number, by the mark of its first stem."""
    codes, _ = marks(words.stems)
    first = np.minimum(words.rows.starts[:-1], max(len(words.rows.ids) - 1, 0))
    return codes[words.rows.ids[first]] if len(codes) else np.zeros(len(words), np.int32)


def marks(stems: pa.Array) -> tuple[Ids, list[str]]:
    """The language that each stem is marked with as a number, and their names by number.

    Languages are numbered as they come; stems without a mark are of one
    without a name.

    Examples
    --------
    >>> codes, names = marks(pa.array(["de/forst", "en/fir", "en/forest", "fir"]))
    >>> codes.tolist(), names
    ([0, 1, 1, 2], ['de', 'en', ''])
    """
    starts, letters = spelled(stems)
    at, letters = starts[:-1], np.append(letters, np.zeros(3, np.uint8))
    marked = (np.diff(starts) > 2) & (letters[at + 2] == ord("/"))
    code = np.where(marked, letters[at].astype(np.uint16) << 8 | letters[at + 1], 0)
    changes = np.append(code[:1], code[1:][code[1:] != code[:-1]])
    known, number = list(dict.fromkeys(changes.tolist())), np.zeros(1 << 16, np.int32)
    number[known] = np.arange(len(known))
    return number[code], [bytes(divmod(each, 256)).decode() if each else "" for each in known]
