"""What ties the pages of a base set together: links, and words that tell pages apart."""

from dataclasses import dataclass

import numpy as np

from weft.core.arrays import Floats, Ids, Rows
from weft.engine.heaviest import heaviest
from weft.graph.baseset import BaseSet
from weft.graph.undirected import symmetric

A_PAGE = 12
WORDS = 2.0
FEW = 3


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """The links of a base set one by one, each with its vote.

    Pages of one owner have one vote together for each page they link to, so
    that a link counts less the more of them there are.
    """

    source: Ids
    target: Ids
    vote: Floats

    @classmethod
    def of(cls, base: BaseSet, owner: Ids) -> "Links":
        """Those of a base set whose pages have these owners."""
        rows = base.graph.outlinks
        source = np.repeat(np.arange(len(base), dtype=np.int32), np.diff(rows.starts))
        target = np.asarray(rows.ids)
        key = owner[source].astype(np.int64) << 32 | target
        _, same, count = np.unique(key, return_inverse=True, return_counts=True)
        return cls(source, target, 1.0 / count[same])


def tied(base: BaseSet, links: Links, words: float = WORDS) -> Rows:
    """The ties of pages, and of the words behind them: each word is a point after the pages.

    A link ties two pages by one. A page is tied to the words that it says
    more than the others do, the twelve that weigh most, which together count
    as two links, or so many, where there are twelve of them.
    """
    page, word, weight = telling(base, words)
    used, place = np.unique(word, return_inverse=True)
    source = np.concatenate([links.source, page])
    target = np.concatenate([links.target, len(base) + place.astype(np.int32)])
    weights = np.concatenate([np.ones(len(links.source)), weight])
    return symmetric(source, target, weights, len(base) + len(used))


def telling(base: BaseSet, count: float = WORDS) -> tuple[Ids, Ids, Floats]:
    """The words that tie each page: page, word and weight side by side.

    A word that nearly all pages say ties none, nor one that few say.
    """
    words = base.words
    rows, n = words.rows, max(len(words), 1)
    page = np.repeat(np.arange(len(words), dtype=np.int32), np.diff(rows.starts))
    among = np.bincount(rows.ids, minlength=len(words.stems))
    speaking = np.count_nonzero(np.diff(rows.starts))
    rarity = np.log(speaking / np.maximum(among, 1)) * (among >= FEW)
    weight = (words.weights * rarity[rows.ids]).astype(np.float32)
    best = heaviest(rows.starts, weight, A_PAGE) if count else np.zeros(0, np.int64)
    many = np.maximum(np.bincount(page[best], minlength=n), 1)
    mean = np.bincount(page[best], weight[best], n) / many
    return page[best], rows.ids[best], count / A_PAGE * weight[best] / mean[page[best]]
