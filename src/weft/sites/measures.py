"""Unexpectedness after Liu, Ma and Yu, of terms, pages and links; and matching pages."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from weft.core.arrays import CSR, Flags, Floats, Ids, Offsets, link_positions
from weft.core.progress import track

MAX_MATCH_STEPS = 200_000_000
CANDIDATES_PER_PAGE = 20
NO_TERMS = np.zeros(0, np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class SiteTerms:
    """The terms of a site's pages and sentences, as numbers.

    `term_counts` has a row of term counts for each page, `sentence_terms` the
    ascending terms of each sentence, and `sentence_pages` its page.
    """

    term_counts: CSR
    sentence_terms: CSR
    sentence_pages: Ids

    def __len__(self) -> int:
        return len(self.term_counts.starts) - 1

    def terms_of_page(self, page: int) -> Ids:
        """The distinct terms of a page."""
        return np.asarray(self.term_counts.ids[self._page_slice(page)])

    def counts_of_page(self, page: int) -> Floats:
        """How often each of its terms occurs on a page."""
        return _row_weights(self.term_counts, self._page_slice(page))

    def _page_slice(self, page: int) -> slice:
        return slice(int(self.term_counts.starts[page]), int(self.term_counts.starts[page + 1]))


def total_term_counts(counts: CSR, vocabulary_size: int) -> Floats:
    """How often each term occurs on all pages together."""
    return np.bincount(counts.ids, _row_weights(counts), vocabulary_size).astype(np.float64)


def document_frequency(counts: CSR, vocabulary_size: int) -> Offsets:
    """How many pages have each term."""
    return np.bincount(counts.ids, minlength=vocabulary_size)


def unexpectedness(mine: Floats, theirs: Floats, expected: Ids = NO_TERMS) -> Floats:
    """How unexpected each of their terms is, given mine: 0 not at all, 1 entirely.

    The weight of a term is its count over the largest count of the side. Its
    unexpectedness is max(1 - mine / theirs, 0) in these weights. It is 0 for
    terms that they do not have, and for `expected` ones.

    Examples
    --------
    >>> unexpectedness(np.array([2.0, 1, 0, 1]), np.array([1.0, 2, 1, 0])).tolist()
    [0.0, 0.5, 1.0, 0.0]
    """
    my_weights, their_weights = _divide_by_max(mine), _divide_by_max(theirs)
    my_weights[expected] = 1
    ratio = np.divide(my_weights, their_weights, out=np.ones(len(theirs)), where=their_weights > 0)
    unexpected: Floats = np.maximum(1 - ratio, 0)
    return unexpected


def page_unexpectedness(counts: CSR, term_unexpectedness: Floats, min_terms: int) -> Floats:
    """The mean unexpectedness of the distinct terms of each page.

    It is NaN for pages with fewer than `min_terms` terms: a few rare words would
    make them the most unexpected of all.

    Examples
    --------
    >>> rows = CSR(np.array([0, 2, 3]), np.array([0, 1, 1], np.int32))
    >>> page_unexpectedness(rows, np.array([0.0, 1.0]), 2).tolist()
    [0.5, nan]
    """
    sizes = np.diff(counts.starts)
    page = np.repeat(np.arange(len(sizes)), sizes)
    total = np.bincount(page, term_unexpectedness[counts.ids], len(sizes))
    return np.where(sizes >= max(min_terms, 1), total / np.maximum(sizes, 1), np.nan)


class PagePairs(NamedTuple):
    """Matching pages, best first for each of mine; `exact` if all terms chose the candidates."""

    mine: Ids
    theirs: Ids
    cosine: Floats
    exact: bool


def match_pages(
    mine: CSR,
    theirs: CSR,
    vocabulary_size: int,
    *,
    k: int = 1,
    threshold: float = 0.2,
    max_steps: int = MAX_MATCH_STEPS,
) -> PagePairs:
    """For each of my pages find the k of theirs with the largest cosine of term counts.

    If comparing all takes more than `max_steps` steps, the most common terms
    do not choose candidates; the cosines of the twenty best candidates are
    still those of all terms.
    """
    selected, exact = _select_rare_terms(mine, theirs, vocabulary_size, max_steps)
    index = _inverted_index(theirs, vocabulary_size, selected)
    my_norms, their_norms = _row_norms(mine), _row_norms(theirs)
    pairs: list[tuple[int, int, float]] = []
    dense = np.zeros(vocabulary_size)  # the term counts of the current page, reset after use
    for page in track(np.flatnonzero(my_norms).tolist(), "match", int(np.count_nonzero(my_norms))):
        row = slice(int(mine.starts[page]), int(mine.starts[page + 1]))
        terms = np.asarray(mine.ids[row])
        dense[terms] = _row_weights(mine, row)
        near = _candidate_pages(index, terms, dense, their_norms, max(k, CANDIDATES_PER_PAGE))
        cosine = _row_dot_products(theirs, near, dense) / (my_norms[page] * their_norms[near])
        dense[terms] = 0
        best = np.argsort(-cosine.round(12), kind="stable")[:k]
        best = best[cosine[best] >= threshold]
        pairs += zip([page] * len(best), near[best].tolist(), cosine[best].tolist(), strict=True)
    columns = list(zip(*pairs, strict=True)) or [(), (), ()]
    return PagePairs(
        np.array(columns[0], np.int32), np.array(columns[1], np.int32), np.array(columns[2]), exact
    )


def _select_rare_terms(
    mine: CSR, theirs: CSR, vocabulary_size: int, max_steps: int
) -> tuple[Flags, bool]:
    """The rarest terms with at most `max_steps` pairs of pages; whether these are all terms."""
    steps = document_frequency(mine, vocabulary_size) * document_frequency(theirs, vocabulary_size)
    order = np.argsort(steps, kind="stable")
    affordable = np.cumsum(steps[order]) <= max_steps
    selected = np.zeros(vocabulary_size, bool)
    selected[order[affordable]] = True
    return selected, bool(affordable.all())


def _inverted_index(rows: CSR, vocabulary_size: int, selected: Flags) -> CSR:
    """The pages of each selected term, with its counts."""
    kept = selected[rows.ids]
    terms, pages, counts = rows.ids[kept], rows.row_ids()[kept], _row_weights(rows)[kept]
    order = np.argsort(terms, kind="stable")
    starts = np.append(0, np.cumsum(np.bincount(terms, minlength=vocabulary_size)))
    return CSR(starts, pages[order], counts[order].astype(np.float32))


def _candidate_pages(
    inverted_index: CSR, query_terms: Ids, query_weights: Floats, norms: Floats, k: int
) -> Ids:
    """The k pages with the largest cosine over the selected terms, in page order."""
    at, term = link_positions(inverted_index, query_terms)
    products = _row_weights(inverted_index, at) * query_weights[term]
    dots = np.bincount(inverted_index.ids[at], products, len(norms))
    # proportional to the cosine: the norm of the query page is the same for all
    scores = np.divide(dots, norms, out=np.zeros(len(norms)), where=norms > 0).round(12)
    threshold = np.partition(scores, -k)[-k] if len(scores) > k else 0.0
    best = np.flatnonzero(scores >= threshold if threshold else scores)
    if len(best) > k:
        best = np.sort(best[np.argsort(-scores[best], kind="stable")[:k]])
    return best.astype(np.int32)


def _row_dot_products(rows: CSR, pages: Ids, vector: Floats) -> Floats:
    """The dot products of some rows with a vector."""
    at, page = link_positions(rows, pages)
    products = _row_weights(rows, at) * vector[rows.ids[at]]
    return np.bincount(np.searchsorted(pages, page), products, len(pages)).astype(np.float64)


def _row_norms(rows: CSR) -> Floats:
    """The Euclidean norm of each row."""
    sizes = np.diff(rows.starts)
    page = np.repeat(np.arange(len(sizes)), sizes)
    return np.sqrt(np.bincount(page, _row_weights(rows) ** 2, len(sizes)))


class UnexpectedTargets(NamedTuple):
    """Targets of their links that mine do not have, and how many of their pages link to each."""

    targets: Offsets
    pages: Offsets


def find_unexpected_targets(
    my_targets: Offsets, sources: Ids, targets: Offsets
) -> UnexpectedTargets:
    """Find the targets that are not among mine, in descending order of linking pages.

    `sources` and `targets` are the ends of their links. A page that links to a
    target twice counts once.

    Examples
    --------
    >>> find_unexpected_targets(np.array([7]), np.array([1, 1, 2, 2]), np.array([7, 8, 9, 8]))
    UnexpectedTargets(targets=array([8, 9]), pages=array([2, 1]))
    """
    is_new = ~np.isin(targets, my_targets)
    links = np.unique(np.stack([targets[is_new], sources[is_new]]).astype(np.int64), axis=1)
    new_targets, pages = np.unique(links[0], return_counts=True)
    order = np.argsort(-pages, kind="stable")
    return UnexpectedTargets(new_targets[order], pages[order])


def word_jaccard(first_name: str, second_name: str) -> float:
    """The Jaccard index of the words of two paths, or two titles.

    Examples
    --------
    >>> word_jaccard("/courses/data-mining.html", "/teaching/data-mining/")
    0.4
    """
    first, second = set(_split_words(first_name)), set(_split_words(second_name))
    return len(first & second) / len(first | second) if first | second else 0.0


def _split_words(name: str) -> Iterator[str]:
    spaced = "".join(character if character.isalnum() else " " for character in name.lower())
    return iter(spaced.split())


def _divide_by_max(counts: Floats) -> Floats:
    largest = counts.max(initial=0)
    return counts / largest if largest else np.zeros(len(counts))


def _row_weights(rows: CSR, positions: slice | Offsets = slice(None)) -> Floats:
    if rows.weights is None:
        return np.ones(len(rows.ids[positions]))
    return np.asarray(rows.weights[positions], np.float64)
