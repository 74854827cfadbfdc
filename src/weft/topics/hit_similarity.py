"""Similarity of search results: shared keywords, title words and links."""

from typing import Any

import numpy as np

from weft.core.arrays import CSR, Flags, Floats, Ids
from weft.graph.baseset.baseset import BaseSet
from weft.graph.webgraph import csr_to_scipy
from weft.groups.titles import Titles

WORD_WEIGHT, TITLE_WEIGHT = 1.0, 0.2
COUPLING_WEIGHT, COCITATION_WEIGHT, LINK_WEIGHT = 0.4, 0.4, 0.05
MAX_WORD_SHARE, MAX_TITLE_WORD_SHARE = 0.5, 0.3
FULL_TEXT_WORDS = 16
MAX_TARGET_SHARE, MIN_MAX_INDEGREE, MAX_OUTDEGREE = 0.02, 50, 300


def hit_similarity(
    base: BaseSet, pages: Ids, titles: Titles, query_stems: frozenset[str]
) -> Floats:
    """How similar each two pages are, as a dense matrix with a zero diagonal.

        cos(keywords) + 0.2 cos(title words) + 0.4 cos(outlinks) + 0.4 cos(inlinks) + 0.05 [linked]

    Keywords are weighted by TF-IDF in the collection and again by their rarity
    among these pages, so that words which most of them share count for little.
    Title words count less for pages with fewer than 16 keywords, whose keywords
    are those of the title. Links are weighted by the rarity of the page at the
    other end; pages that everybody links to, and long lists of links, do not
    count.
    """
    words, keyword_counts = keyword_vectors(base, pages)
    total = WORD_WEIGHT * _cosines(words)
    title_words = title_vectors(titles, pages, query_stems)
    total += TITLE_WEIGHT * _cosines(
        title_words * np.minimum(keyword_counts / FULL_TEXT_WORDS, 1.0)[:, None]
    )
    outlinks, inlinks = base.graph.outlinks, base.graph.inlinks
    n = len(base)
    max_indegree = max(MIN_MAX_INDEGREE, MAX_TARGET_SHARE * n)
    total += COUPLING_WEIGHT * _cosines(link_vectors(outlinks, pages, inlinks, max_indegree))
    total += COCITATION_WEIGHT * _cosines(link_vectors(inlinks, pages, outlinks, MAX_OUTDEGREE))
    total += LINK_WEIGHT * _linked(outlinks, pages)
    np.fill_diagonal(total, 0.0)
    return total


def keyword_vectors(base: BaseSet, pages: Ids) -> tuple[Any, Floats]:
    """Unit vectors of keywords, sparse, and the number of keywords that count for each page.

    Keywords of one page alone, or of at least half of the pages, do not count.
    """
    terms, n = base.term_weights.take(pages), len(pages)
    df = np.bincount(terms.matrix.ids, minlength=len(terms.stems))
    counts = (df >= 2) & (df < max(MAX_WORD_SHARE * n, 3))
    rarity = np.where(counts, np.log(max(n, 1) / np.maximum(df, 1)), 0.0)
    matrix = csr_to_scipy(terms.matrix, len(terms.stems)).multiply(rarity[None, :]).tocsr()
    matrix.eliminate_zeros()
    return unit_rows(matrix), np.diff(matrix.indptr).astype(float)


def title_vectors(titles: Titles, pages: Ids, query_stems: frozenset[str]) -> Any:
    """Unit vectors of the stems of titles without those of the query, weighted by rarity."""
    from scipy.sparse import csr_array  # noqa: PLC0415  slow to load

    column: dict[str, int] = {}
    starts, ids = [0], list[int]()
    for page in pages.tolist():
        stems = titles.stems(page) - query_stems
        ids += sorted(column.setdefault(stem, len(column)) for stem in sorted(stems))
        starts.append(len(ids))
    n = len(pages)
    df = np.bincount(np.array(ids, int), minlength=max(len(column), 1))
    counts = (df >= 2) & (df < max(MAX_TITLE_WORD_SHARE * n, 3))
    rarity = np.where(counts, np.log(max(n, 1) / np.maximum(df, 1)), 0.0)
    weights = rarity[np.array(ids, int)]
    return unit_rows(csr_array((weights, ids, starts), (n, len(df))))


def link_vectors(rows: CSR, pages: Ids, other_way: CSR, max_degree: float) -> Any:
    """Unit vectors of the pages at the other ends of links, weighted by rarity.

    `other_way` holds the same links in the other direction: the degree of a
    page at the other end, and what makes it rare.
    """
    degrees = np.diff(other_way.starts)
    n = len(degrees)
    rarity = np.where(degrees < max_degree, np.log(max(n, 2) / np.maximum(degrees, 1)), 0.0)
    matrix = csr_to_scipy(rows, n, with_weights=False)[pages].multiply(rarity[None, :]).tocsr()
    return unit_rows(matrix)


def _linked(outlinks: CSR, pages: Ids) -> Floats:
    """One where either of two pages links to the other."""
    n = len(outlinks.starts) - 1
    links = csr_to_scipy(outlinks, n, with_weights=False)[pages][:, pages].toarray()
    either: Flags = (links + links.T) > 0
    return either.astype(float)


def unit_rows(matrix: Any) -> Any:
    """Rows of length one; rows of zeros stay."""
    lengths = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    inverse = np.divide(1.0, lengths, out=np.zeros(len(lengths)), where=lengths > 0)
    return matrix.multiply(inverse[:, None]).tocsr()


def _cosines(vectors: Any) -> Floats:
    """The products of each two rows."""
    vectors = vectors.tocsr()
    products: Floats = (vectors @ vectors.T).toarray()
    return products
