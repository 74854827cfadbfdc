"""What ties the pages of a base set together: links, and words that tell pages apart."""

from dataclasses import dataclass

import numpy as np

from weft.core.arrays import Floats, Ids, Offsets, Rows
from weft.graph.baseset import BaseSet
from weft.topics.tkc import owners

A_PAGE = 12
WORDS = 2.0
FEW = 3
LARGEST = np.iinfo(np.int32).max
MOSTLY = 0.5


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


def voters(base: BaseSet) -> Ids:
    """Whose vote a page is: that of its domain, or its own where most links stay inside one."""
    owner, _ = owners(base.graph.names)
    rows = base.graph.outlinks
    source = np.repeat(np.arange(len(base)), np.diff(rows.starts))
    staying = np.count_nonzero(owner[source] == owner[rows.ids])
    return np.arange(len(base), dtype=np.int32) if staying > MOSTLY * len(source) else owner


def tied(base: BaseSet, links: Links, words: float = WORDS) -> Rows:
    """The ties of pages, and of the words behind them: each word is a point after the pages.

    A link ties two pages by one. A page is tied to the words that it says
    more than the others do, the twelve that weigh most, which together count
    as two links, or so many, where there are twelve of them.
    """
    page, word, weight = telling(base, words)
    used, place = np.unique(word, return_inverse=True)
    source = np.concatenate([links.source, page]).astype(np.int64)
    target = np.concatenate([links.target, len(base) + place]).astype(np.int64)
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
    bits = weight.view(np.int32).astype(np.int64)  # which ascend as the weights do
    order = np.argsort(page.astype(np.int64) << 32 | (LARGEST - bits), kind="stable")
    order = order[weight[order] > 0]
    turn = np.arange(len(order)) - np.searchsorted(page[order], page[order])
    best = order[(turn < A_PAGE) & (count > 0)]
    many = np.maximum(np.bincount(page[best], minlength=n), 1)
    mean = np.bincount(page[best], weight[best], n) / many
    return page[best], rows.ids[best], count / A_PAGE * weight[best] / mean[page[best]]


def symmetric(source: Offsets, target: Offsets, weight: Floats, n: int) -> Rows:
    """Ties in both directions, those between the same two added up."""
    key = np.concatenate([source << 32 | target, target << 32 | source])
    order = np.argsort(key, kind="stable")
    key, both = key[order], np.concatenate([weight, weight])[order]
    first = np.flatnonzero(np.concatenate([np.ones(len(key[:1]), bool), key[1:] != key[:-1]]))
    total = np.add.reduceat(both, first) if len(first) else both
    starts = np.searchsorted(key[first] >> 32, np.arange(n + 1))
    return Rows(starts, (key[first] & 0xFFFFFFFF).astype(np.int32), total)
