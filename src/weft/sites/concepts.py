"""Concepts after Liu, Ma and Yu: frequent sets of two or three terms in the sentences of a page."""

from collections import Counter
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np

from weft.core.arrays import (
    Flags,
    Floats,
    Ids,
    Offsets,
    pack_pairs,
    unpack_first_ids,
    unpack_second_ids,
)
from weft.sites.measures import SiteTerms

MIN_SENTENCE_SHARE = 0.008
MAX_SENTENCE_TERMS = 24
BLOCK_TERMS = 1 << 17
MAX_CONCEPTS = 4_000
MAX_COUNTED_SETS = 500_000
REDUNDANT_SHARE = 0.8

Concept = tuple[int, ...]


def find_concepts(
    site_terms: SiteTerms, *, min_sentences: int = 3, max_concepts: int = MAX_CONCEPTS
) -> list[Concept]:
    """Find the frequent term sets of pages, those of the most pages first.

    A set is frequent on a page if at least `min_sentences` of its sentences,
    and 0.8% of them, have all its terms. Of a sentence with more than 24
    frequent terms, the 24 most frequent count. The sets are found by Apriori: a
    triple is tried only if its pairs are frequent. If there are more than half
    a million at a time, those of the fewest pages are dropped.
    """
    page_counts = Counter[Concept]()
    for first, last in _split_into_page_blocks(
        site_terms.sentence_terms.starts, site_terms.sentence_pages
    ):
        for sets in _frequent_term_sets(site_terms, first, last, min_sentences):
            rows, pages = np.unique(sets, axis=0, return_counts=True)
            page_counts.update(dict(zip(map(tuple, rows.tolist()), pages.tolist(), strict=True)))
        page_counts = _drop_rarest_sets(page_counts, max(MAX_COUNTED_SETS, 2 * max_concepts))
    concepts = sorted(page_counts, key=lambda concept: (-page_counts[concept], concept))
    return concepts[:max_concepts]


def _drop_rarest_sets(page_counts: Counter[Concept], max_sets: int) -> Counter[Concept]:
    """Drop the sets of the fewest pages until at most `max_sets` remain."""
    min_pages = 2
    while len(page_counts) > max_sets:
        page_counts = Counter(
            {concept: pages for concept, pages in page_counts.items() if pages >= min_pages}
        )
        min_pages += 1
    return page_counts


def _split_into_page_blocks(starts: Offsets, sentence_pages: Ids) -> list[tuple[int, int]]:
    """Split sentences into blocks of whole pages, of about `BLOCK_TERMS` terms each."""
    ends = np.flatnonzero(np.diff(sentence_pages, append=-1)) + 1
    cuts = [0]
    for end in ends.tolist():
        if starts[end] - starts[cuts[-1]] >= BLOCK_TERMS or end == ends[-1]:
            cuts.append(end)
    return list(pairwise(cuts))


class FrequentTerms(NamedTuple):
    """The occurrences of frequent terms in sentences.

    An `item` is a term on a page: the same term on another page is another
    item. `terms` is the term of each item, `min_sentences` in how many
    sentences of its page it must occur.
    """

    sentence: Offsets
    item: Offsets
    terms: Offsets
    min_sentences: Floats


class FrequentPairs(NamedTuple):
    """The frequent pairs of items, sorted, and their occurrences.

    In a `sentence` occurs a `pair`, of the items `first` and `second`; `pair`
    is a position in `pairs`.
    """

    pairs: Offsets
    sentence: Offsets
    pair: Offsets
    first: Offsets
    second: Offsets


def _frequent_term_sets(
    site_terms: SiteTerms, first: int, last: int, min_sentences: int
) -> list[Offsets]:
    """The frequent pairs and triples of terms: a row for each page on which one is frequent."""
    items = _frequent_terms(site_terms, first, last, min_sentences)
    found = _frequent_pairs(items)
    triples = _frequent_triples(items, found)
    # a triple packs the number of its pair and its third item; a pair packs two items
    pairs, pairs_of_triples = found.pairs, found.pairs[unpack_first_ids(triples)]
    item_sets = (
        (unpack_first_ids(pairs), unpack_second_ids(pairs)),
        (
            unpack_first_ids(pairs_of_triples),
            unpack_second_ids(pairs_of_triples),
            unpack_second_ids(triples),
        ),
    )
    return [np.stack([items.terms[part] for part in parts], axis=1) for parts in item_sets]


def _frequent_terms(
    site_terms: SiteTerms, first: int, last: int, min_sentences: int
) -> FrequentTerms:
    starts = site_terms.sentence_terms.starts[first : last + 1]
    sentence = np.repeat(np.arange(first, last), np.diff(starts))
    page = site_terms.sentence_pages[sentence]
    key = pack_pairs(page, site_terms.sentence_terms.ids[starts[0] : starts[-1]])
    items, item, counts = np.unique(key, return_inverse=True, return_counts=True)
    page_sentences = np.bincount(site_terms.sentence_pages)
    needed = np.maximum(min_sentences, np.ceil(MIN_SENTENCE_SHARE * page_sentences))
    kept = counts[item] >= needed[page]
    kept[kept] = _is_among_most_frequent(sentence[kept], counts[item[kept]])
    return FrequentTerms(
        sentence[kept], item[kept], unpack_second_ids(items), needed[unpack_first_ids(items)]
    )


def _frequent_pairs(terms: FrequentTerms) -> FrequentPairs:
    at_first, at_second = _pairs_within_groups(terms.sentence)
    first, second = terms.item[at_first], terms.item[at_second]
    key = pack_pairs(first, second)
    pairs, number, counts = np.unique(key, return_inverse=True, return_counts=True)
    frequent = counts >= terms.min_sentences[unpack_first_ids(pairs)]
    # occurrences of frequent pairs, with the pairs numbered anew
    new_number, kept = np.cumsum(frequent) - 1, frequent[number]
    sentence = terms.sentence[at_first]
    return FrequentPairs(
        pairs[frequent], sentence[kept], new_number[number[kept]], first[kept], second[kept]
    )


def _frequent_triples(terms: FrequentTerms, pairs: FrequentPairs) -> Offsets:
    """The frequent triples, each packed from the number of its first pair and its third item."""
    order = np.lexsort((pairs.second, pairs.first, pairs.sentence))
    # two pairs (i, j) and (i, k) of a sentence make a triple if (j, k) is frequent too
    heads = pack_pairs(pairs.sentence[order], pairs.first[order])
    at_j, at_k = _pairs_within_groups(np.unique(heads, return_inverse=True)[1])
    second = pairs.second[order]
    closed = np.isin(pack_pairs(second[at_j], second[at_k]), pairs.pairs)
    occurrences = pack_pairs(pairs.pair[order][at_j[closed]], second[at_k[closed]])
    triples, counts = np.unique(occurrences, return_counts=True)
    first_items = unpack_first_ids(pairs.pairs[unpack_first_ids(triples)])
    frequent: Offsets = triples[counts >= terms.min_sentences[first_items]]
    return frequent


def _is_among_most_frequent(sentence: Offsets, sentence_counts: Offsets) -> Flags:
    """Whether each term is among the `MAX_SENTENCE_TERMS` most frequent of its sentence."""
    order = np.lexsort((-sentence_counts, sentence))
    rank = np.arange(len(order)) - np.searchsorted(sentence, sentence[order])
    is_among = np.zeros(len(order), bool)
    is_among[order] = rank < MAX_SENTENCE_TERMS
    return is_among


def _pairs_within_groups(group: Offsets) -> tuple[Offsets, Offsets]:
    """The positions of every two members of a group; groups are runs of equal numbers."""
    firsts, seconds = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for gap in range(1, min(MAX_SENTENCE_TERMS, len(group))):
        at = np.flatnonzero(group[gap:] == group[:-gap])
        if not len(at):
            break
        firsts.append(at)
        seconds.append(at + gap)
    return np.concatenate(firsts), np.concatenate(seconds)


def count_concept_sentences(
    site_terms: SiteTerms, concepts: list[Concept], vocabulary_size: int
) -> tuple[Floats, list[Ids]]:
    """Count the sentences that have all terms of each concept, and find their pages."""
    # an inverted index of the terms in concepts: for each term its sentences, ascending
    rows = site_terms.sentence_terms
    used = np.zeros(vocabulary_size, bool)
    used[[term for concept in concepts for term in concept]] = True
    kept = used[rows.ids]
    terms, sentences = rows.ids[kept], rows.row_ids()[kept]
    sentences = sentences[np.argsort(terms, kind="stable")]
    starts = np.append(0, np.cumsum(np.bincount(terms, minlength=vocabulary_size))).tolist()
    counts, pages = np.zeros(len(concepts)), []
    for k, concept in enumerate(concepts):
        postings = (sentences[starts[term] : starts[term + 1]] for term in concept)
        shortest, *longer = sorted(postings, key=len)
        common = shortest
        for posting in longer:
            at = np.minimum(np.searchsorted(posting, common), max(len(posting) - 1, 0))
            common = common[posting[at] == common] if len(posting) else posting
        counts[k] = len(common)
        pages.append(np.unique(site_terms.sentence_pages[common]))
    return counts, pages


def drop_redundant_pairs(concepts: list[Concept], sentence_counts: Floats) -> list[int]:
    """The positions of the concepts without the pairs that a triple makes redundant.

    A pair is redundant if a triple with it occurs in nearly as many sentences.

    Examples
    --------
    >>> drop_redundant_pairs([(1, 2), (1, 2, 3), (2, 3)], np.array([10.0, 9.0, 20.0]))
    [1, 2]
    """
    triple_counts: dict[Concept, float] = {}  # of the most frequent triple with each pair
    for concept, count in zip(concepts, sentence_counts.tolist(), strict=True):
        for pair in combinations(concept, 2) if len(concept) > 2 else ():
            triple_counts[pair] = max(triple_counts.get(pair, 0.0), count)
    return [
        k
        for k, concept in enumerate(concepts)
        if len(concept) > 2
        or triple_counts.get(concept, 0.0) < REDUNDANT_SHARE * sentence_counts[k]
    ]
