"""What ties the pages of a base set together: links, and words that tell pages apart."""

from dataclasses import dataclass

import numpy as np

from weft.core.arrays import Floats, Ids, Offsets, Rows
from weft.engine.ballots import split
from weft.engine.bonds import bonds
from weft.engine.heaviest import heaviest
from weft.graph.baseset import BaseSet

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
        rows, back = base.graph.outlinks, base.graph.inlinks
        source = rows.owners()
        vote = split(np.asarray(rows.starts), np.asarray(back.starts), np.asarray(back.ids), owner)
        return cls(source, np.asarray(rows.ids), vote)

    @property
    def ends(self) -> tuple[Ids, Ids, Floats]:
        """Sources, targets and votes, as the engine takes them."""
        return self.source, self.target, self.vote


def tied(base: BaseSet, words: float = WORDS) -> Rows:
    """The ties of pages, and of the words behind them: each word is a point after the pages.

    A link ties two pages by one. A page is tied to the words that it says
    more than the others do, the twelve that weigh most, which together count
    as two links, or so many, where there are twelve of them.
    """
    out, back = base.graph.outlinks, base.graph.inlinks
    begins, word, weight = telling(base, words)
    used = np.zeros(len(base.words.stems), bool)
    used[word] = True
    place = np.cumsum(used, dtype=np.int32) - 1
    made = bonds(
        (np.asarray(out.starts), np.asarray(out.ids)),
        (np.asarray(back.starts), np.asarray(back.ids)),
        (begins, place[word], weight),
        int(used.sum()),
    )
    return Rows(*made)


def telling(base: BaseSet, count: float = WORDS) -> tuple[Offsets, Ids, Floats]:
    """The words that tie each page: where those of each begin, the words, and their weights.

    A word that nearly all pages say ties none, nor one that few say.
    """
    words = base.words
    rows, n = words.rows, len(words)
    among = np.bincount(rows.ids, minlength=len(words.stems))
    speaking = np.count_nonzero(np.diff(rows.starts))
    rarity = np.log(speaking / np.maximum(among, 1)) * ((among >= FEW) & (count > 0))
    begins, word, weight = heaviest(rows.starts, rows.ids, words.weights, rarity, A_PAGE)
    many = np.diff(begins)
    page = np.repeat(np.arange(n), many)
    mean = np.bincount(page, weight, n) / np.maximum(many, 1)
    return begins, word, count / A_PAGE * weight / mean[page]
