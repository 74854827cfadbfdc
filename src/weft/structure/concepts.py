"""Concepts, after Liu, Ma and Yu: sets of two or three terms that sentences of a page share."""

from collections import Counter
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np

from weft.core.arrays import Flags, Floats, Ids, Offsets, lower, stacked, upper
from weft.structure.sites import Said

SHARE = 0.008
LONGEST = 24
BLOCK = 1 << 17
MOST = 4_000
ROOM = 500_000
NEARLY = 0.8

Concept = tuple[int, ...]


def concepts(said: Said, *, least: int = 3, most: int = MOST) -> list[Concept]:
    """The sets of terms that come together in sentences of a page, on most pages first.

    A set counts on a page where at least `least` of its sentences have all its
    terms, and one in 125 of a long page. Of a sentence with more than 24 terms
    that frequent, those that most sentences of the page have count. The sets
    are found as a-priori does: a set of three only where its pairs are frequent.
    Should there be more than half a million at a time, those of the fewest
    pages are forgotten.
    """
    found = Counter[Concept]()
    for first, last in _blocks(said.sentences.starts, said.page):
        for sets in _frequent(said, first, last, least):
            rows, pages = np.unique(sets, axis=0, return_counts=True)
            found.update(dict(zip(map(tuple, rows.tolist()), pages.tolist(), strict=True)))
        found = _fewer(found, max(ROOM, 2 * most))
    return sorted(found, key=lambda concept: (-found[concept], concept))[:most]


def _fewer(found: Counter[Concept], room: int) -> Counter[Concept]:
    """The same without those of the fewest pages, if there are too many."""
    floor = 1
    while len(found) > room:
        found = Counter({concept: pages for concept, pages in found.items() if pages > floor})
        floor += 1
    return found


def _blocks(starts: Offsets, page: Ids) -> list[tuple[int, int]]:
    """Runs of sentences of whole pages, of some hundred thousand terms each."""
    ends = np.flatnonzero(np.diff(page, append=-1)) + 1
    cuts, at = [0], 0
    for end in ends.tolist():
        if starts[end] - starts[at] >= BLOCK or end == ends[-1]:
            cuts.append(end)
            at = end
    return list(pairwise(cuts))


class Items(NamedTuple):
    """The terms of sentences that are frequent on their page, as numbers of pages' own terms.

    `terms` are the terms behind these numbers, `need` in how many sentences of
    its page each must be.
    """

    sentence: Offsets
    item: Offsets
    terms: Offsets
    need: Floats


class Two(NamedTuple):
    """The pairs of items that are frequent, sorted, and each time that one is met.

    Met in `sentence` is the pair `number`, of the items `first` and `second`.
    """

    pairs: Offsets
    sentence: Offsets
    number: Offsets
    first: Offsets
    second: Offsets


def _frequent(said: Said, first: int, last: int, least: int) -> list[Offsets]:
    """The pairs and the triples of terms that are frequent on pages, a row for each page."""
    items = _items(said, first, last, least)
    two = _two(items)
    three = _three(items, two)
    pairs = two.pairs[upper(three)]
    return [
        np.stack([items.terms[part] for part in parts], axis=1)
        for parts in (
            (upper(two.pairs), lower(two.pairs)),
            (upper(pairs), lower(pairs), lower(three)),
        )
    ]


def _items(said: Said, first: int, last: int, least: int) -> Items:
    starts = said.sentences.starts[first : last + 1]
    sentence = np.repeat(np.arange(first, last), np.diff(starts))
    page = said.page[sentence]
    key = stacked(page, said.sentences.ids[starts[0] : starts[-1]])
    own, item, times = np.unique(key, return_inverse=True, return_counts=True)
    enough = np.maximum(least, np.ceil(SHARE * np.bincount(said.page)))
    kept = times[item] >= enough[page]
    kept[kept] = _foremost(sentence[kept], times[item[kept]])
    return Items(sentence[kept], item[kept], lower(own), enough[upper(own)])


def _two(items: Items) -> Two:
    one, two = _joined(items.sentence)
    first, second = items.item[one], items.item[two]
    key = stacked(first, second)
    pairs, number, times = np.unique(key, return_inverse=True, return_counts=True)
    often = times >= items.need[upper(pairs)]
    place, met = np.cumsum(often) - 1, often[number]
    met_at = items.sentence[one]
    return Two(pairs[often], met_at[met], place[number[met]], first[met], second[met])


def _three(items: Items, two: Two) -> Offsets:
    """The frequent triples, each the number of a pair above a third item."""
    order = np.lexsort((two.second, two.first, two.sentence))
    heads = stacked(two.sentence[order], two.first[order])
    middle, last = _joined(np.unique(heads, return_inverse=True)[1])
    second = two.second[order]
    closing = stacked(second[middle], second[last])
    closed = np.isin(closing, two.pairs)
    triples = stacked(two.number[order][middle[closed]], second[last[closed]])
    found, times = np.unique(triples, return_counts=True)
    often: Offsets = found[times >= items.need[upper(two.pairs[upper(found)])]]
    return often


def _foremost(sentence: Offsets, times: Offsets) -> Flags:
    """Whether each term is among the first of its sentence, by how many sentences have it."""
    order = np.lexsort((-times, sentence))
    ranked = np.arange(len(order)) - np.searchsorted(sentence, sentence[order])
    chosen = np.zeros(len(order), bool)
    chosen[order] = ranked < LONGEST
    return chosen


def _joined(group: Offsets) -> tuple[Offsets, Offsets]:
    """The places of every two members of a group; groups are runs."""
    ones, twos = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for apart in range(1, LONGEST):
        same = np.flatnonzero(group[apart:] == group[:-apart]) if apart < len(group) else ones[0]
        if not len(same):
            break
        ones.append(same)
        twos.append(same + apart)
    return np.concatenate(ones), np.concatenate(twos)


def times_said(said: Said, sets: list[Concept], terms: int) -> tuple[Floats, list[Ids]]:
    """In how many sentences each set of terms comes together, and on which pages."""
    rows = said.sentences
    sentence = rows.owners()
    used = np.zeros(terms, bool)
    used[[term for concept in sets for term in concept]] = True
    kept = used[rows.ids]
    term, sentence = rows.ids[kept], sentence[kept]
    sentence = sentence[np.argsort(term, kind="stable")]
    starts = np.concatenate([[0], np.cumsum(np.bincount(term, minlength=terms))]).tolist()
    times, pages = np.zeros(len(sets)), []
    for k, concept in enumerate(sets):
        inside = sorted((sentence[starts[one] : starts[one + 1]] for one in concept), key=len)
        both = inside[0]
        for more in inside[1:]:
            place = np.minimum(np.searchsorted(more, both), max(len(more) - 1, 0))
            both = both[more[place] == both] if len(more) else more
        times[k] = len(both)
        pages.append(np.unique(said.page[both]))
    return times, pages


def without_parts(sets: list[Concept], times: Floats) -> list[int]:
    """The places of sets that are more than a part of a larger one.

    A pair is a part where a set of three with it is nearly as often said.

    Examples
    --------
    >>> without_parts([(1, 2), (1, 2, 3), (2, 3)], np.array([10.0, 9.0, 20.0]))
    [1, 2]
    """
    larger: dict[Concept, float] = {}
    for concept, often in zip(sets, times.tolist(), strict=True):
        for pair in combinations(concept, 2) if len(concept) > 2 else ():
            larger[pair] = max(larger.get(pair, 0.0), often)
    return [
        k
        for k, concept in enumerate(sets)
        if larger.get(concept, 0.0) < NEARLY * times[k] or len(concept) > 2
    ]
