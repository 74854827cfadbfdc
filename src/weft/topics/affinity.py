"""Votes of links, and the affinity graph of pages and their keywords."""

from dataclasses import dataclass

import numpy as np

from weft.core.arrays import CSR, Floats, Ids, Offsets
from weft.graph.baseset.baseset import BaseSet
from weft.kernels.affinity import build_affinity
from weft.kernels.csr import top_weights_per_row
from weft.kernels.votes import split_votes_by_owner

KEYWORDS_PER_PAGE = 12
DEFAULT_WORD_WEIGHT = 2.0
MIN_KEYWORD_PAGES = 3


@dataclass(frozen=True, slots=True, eq=False)
class VotingLinks:
    """The links of a base set as parallel arrays, each with its vote.

    The pages of one owner share one vote for each page they link to: each of
    their n links to it counts 1 / n.
    """

    source: Ids
    target: Ids
    vote: Floats

    @classmethod
    def from_base_set(cls, base: BaseSet, owner: Ids) -> "VotingLinks":
        """The links of a base set whose pages have these owners."""
        outlinks, inlinks = base.graph.outlinks, base.graph.inlinks
        source = outlinks.row_ids()
        vote = split_votes_by_owner(
            np.asarray(outlinks.starts), np.asarray(inlinks.starts), np.asarray(inlinks.ids), owner
        )
        return cls(source, np.asarray(outlinks.ids), vote)

    @property
    def kernel_arrays(self) -> tuple[Ids, Ids, Floats]:
        """Sources, targets and votes, as the kernels take them."""
        return self.source, self.target, self.vote


def build_page_affinity(base: BaseSet, word_weight: float = DEFAULT_WORD_WEIGHT) -> CSR:
    """The affinity matrix of pages and keywords, whose nodes follow the pages.

    A link is an edge of weight one. Each page has edges to its keywords, at
    most twelve, whose mean weight is `word_weight` / 12: a full set of keywords
    counts as `word_weight` links.
    """
    outlinks, inlinks = base.graph.outlinks, base.graph.inlinks
    starts, word, weight = keyword_affinity(base, word_weight)
    is_used = np.zeros(len(base.term_weights.stems), bool)
    is_used[word] = True
    node = np.cumsum(is_used, dtype=np.int32) - 1
    arrays = build_affinity(
        (np.asarray(outlinks.starts), np.asarray(outlinks.ids)),
        (np.asarray(inlinks.starts), np.asarray(inlinks.ids)),
        (starts, node[word], weight),
        int(is_used.sum()),
    )
    return CSR(*arrays)


def keyword_affinity(
    base: BaseSet, word_weight: float = DEFAULT_WORD_WEIGHT
) -> tuple[Offsets, Ids, Floats]:
    """The keywords of each page as CSR rows: starts, words and weights.

    Words are weighed by TF-IDF, so that a word on nearly all pages has almost
    no weight; words on fewer than three pages are left out.
    """
    terms = base.term_weights
    rows, n = terms.matrix, len(terms)
    df = np.bincount(rows.ids, minlength=len(terms.stems))
    pages_with_words = np.count_nonzero(np.diff(rows.starts))
    idf = np.log(pages_with_words / np.maximum(df, 1)) * (
        (df >= MIN_KEYWORD_PAGES) & (word_weight > 0)
    )
    starts, word, weight = top_weights_per_row(
        rows.starts, rows.ids, terms.weights, idf, KEYWORDS_PER_PAGE
    )
    counts = np.diff(starts)
    page = np.repeat(np.arange(n), counts)
    mean = np.bincount(page, weight, n) / np.maximum(counts, 1)
    return starts, word, word_weight / KEYWORDS_PER_PAGE * weight / mean[page]
