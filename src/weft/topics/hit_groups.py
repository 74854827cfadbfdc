"""Group search results: small groups of similar pages, of which those that cover most are kept."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from weft.core.arrays import CSR, Flags, Floats, Ids, Offsets
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


NEIGHBOURS = 12
RESOLUTIONS = (2.5, 1.6, 1.0, 0.6)
MIN_GROUPED_SHARE = 0.8
CORE_PAGES = 5
COVERAGE_EXPONENT = 0.5
WEIGHT_EXPONENT = 0.75
MIN_JOIN_RATIO = 0.15
MIN_MERGE_RATIO = 1 / 3


class HitGroup(NamedTuple):
    """A group of pages: positions of its `core`, and of all its `members`, which ascend."""

    core: Offsets
    members: Offsets


def group_hits(
    similarity: Floats, weight: Floats, max_groups: int, min_size: int
) -> list[HitGroup]:
    """Group pages by similarity into at most `max_groups` groups; the rest is in none.

    Leiden on the graph of each page's twelve nearest neighbours gives small
    tight groups. Of these the ones that together cover
    the pages best are chosen one by one (facility location): a page is covered
    by its similarity to the nearest core, to the power 1/2, and counts by its
    weight. A group that is a third as similar to a chosen one as both are
    inside is part of that one. Pages of groups that were not chosen join the
    nearest group, unless they are much less similar to it than its own pages.
    """
    tight = find_tight_groups(similarity, min_size)
    if not tight:
        return []
    nearness = np.stack([_nearness(similarity, weight, group) for group in tight], axis=1)
    for k, group in enumerate(tight):  # its own group covers a page best
        nearness[group, k] = nearness[group].max(axis=1)
    order = order_by_coverage(nearness, weight**WEIGHT_EXPONENT)
    merged = merge_similar(order, group_affinity(similarity, tight), max_groups)
    group_of = np.full(len(weight), -1, np.int64)
    for number, parts in enumerate(merged):
        for k in parts:
            group_of[tight[k]] = number
    cores = [np.flatnonzero(group_of == number) for number in range(len(merged))]
    rest = np.flatnonzero(group_of < 0)
    if len(rest):
        near = np.stack([nearness[rest][:, parts].max(axis=1) for parts in merged], axis=1)
        own = [np.median(nearness[tight[k], k]) for parts in merged for k in parts]
        joins = near.max(axis=1) >= MIN_JOIN_RATIO * float(np.median(own))
        group_of[rest[joins]] = near.argmax(axis=1)[joins]
    return [HitGroup(core, np.flatnonzero(group_of == number)) for number, core in enumerate(cores)]


def group_affinity(similarity: Floats, groups: Sequence[Offsets]) -> Floats:
    """The mean similarity between each two groups over the geometric mean of that inside."""
    between = np.array(
        [[similarity[np.ix_(one, other)].sum() for other in groups] for one in groups]
    )
    sizes = np.array([len(group) for group in groups], float)
    pairs = np.outer(sizes, sizes)
    np.fill_diagonal(pairs, np.maximum(sizes * (sizes - 1), 1.0))  # no page with itself
    mean = between / pairs
    inside = np.sqrt(np.maximum(np.diag(mean), 1e-12))
    ratio: Floats = mean / np.outer(inside, inside)
    return ratio


def merge_similar(order: Sequence[int], affinity: Floats, max_groups: int) -> list[list[int]]:
    """Take groups in their order until there are `max_groups` that are unlike each other.

    A group that is similar to an earlier one becomes a part of it.

    Examples
    --------
    >>> affinity = np.array([[1, 0.4, 0.0], [0.4, 1, 0.1], [0.0, 0.1, 1]])
    >>> merge_similar([0, 1, 2], affinity, 2)
    [[0, 1], [2]]
    """
    merged: list[list[int]] = []
    for k in order:
        ratios = [float(affinity[k, parts].max()) for parts in merged]
        best = int(np.argmax(ratios)) if ratios else 0
        if ratios and ratios[best] >= MIN_MERGE_RATIO:
            merged[best].append(k)
        elif len(merged) < max_groups:
            merged.append([k])
    return merged


def find_tight_groups(similarity: Floats, min_size: int) -> list[Offsets]:
    """Leiden communities of the graph of nearest neighbours with at least `min_size` pages.

    Of several resolutions it is the highest that leaves few pages in smaller
    ones: where there are only two or three subjects, a high one takes all apart.
    """
    from weft.kernels.leiden import leiden  # noqa: PLC0415  loads the compiler

    neighbours = nearest_neighbours(similarity, NEIGHBOURS)
    similar = np.flatnonzero(similarity.any(axis=1))
    tight: list[Offsets] = []
    for resolution in RESOLUTIONS:
        labels = leiden(neighbours, resolution)
        groups = [np.flatnonzero(labels == k) for k in range(int(labels.max(initial=-1)) + 1)]
        tight = [group for group in groups if len(group) >= min_size]
        if sum(map(len, tight)) >= MIN_GROUPED_SHARE * len(similar):
            break
    return tight if tight or not len(similar) else [similar]


def nearest_neighbours(similarity: Floats, k: int) -> CSR:
    """The graph in which two pages are linked if one is among the k most similar to the other."""
    from scipy.sparse import csr_array  # noqa: PLC0415  slow to load

    n = len(similarity)
    nearest = np.argsort(-similarity, axis=1, kind="stable")[:, :k]
    rows = np.repeat(np.arange(n), nearest.shape[1])
    kept = np.zeros_like(similarity)
    kept[rows, nearest.ravel()] = similarity[rows, nearest.ravel()]
    graph = csr_array(np.maximum(kept, kept.T))
    graph.sort_indices()
    return CSR(
        graph.indptr.astype(np.int64),
        graph.indices.astype(np.int32),
        graph.data.astype(np.float32),
    )


def _nearness(similarity: Floats, weight: Floats, group: Offsets) -> Floats:
    """The mean similarity of each page to the core of a group: its best and most central pages."""
    inside = similarity[np.ix_(group, group)].mean(axis=1)
    value = weight[group] / max(weight[group].max(), 1e-12) + inside / max(inside.max(), 1e-12)
    core = group[np.argsort(-np.round(value, 12), kind="stable")[:CORE_PAGES]]
    others = np.full(len(weight), len(core))
    others[core] -= 1  # a page is not compared with itself
    near: Floats = similarity[:, core].sum(axis=1) / np.maximum(others, 1)
    return near


def order_by_coverage(nearness: Floats, weight: Floats) -> list[int]:
    """Order groups (columns) so that the first ones cover the pages (rows) best, one by one.

    Examples
    --------
    >>> near = np.array([[1.0, 0.9, 0.0], [1.0, 0.9, 0.0], [0.0, 0.0, 0.5]])
    >>> order_by_coverage(near, np.ones(3))
    [0, 2, 1]
    """
    cover = np.round(nearness, 12) ** COVERAGE_EXPONENT
    covered = np.zeros(len(nearness))
    order: list[int] = []
    for _ in range(nearness.shape[1]):
        gain = weight @ np.maximum(cover - covered[:, None], 0.0)
        gain[order] = -1.0
        best = int(np.argmax(np.round(gain, 9)))
        order.append(best)
        covered = np.maximum(covered, cover[:, best])
    return order
