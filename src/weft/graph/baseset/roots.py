"""Find the root set of a query: the first search results, or results spread over sites."""

import re

import numpy as np
import pyarrow as pa

from weft.core.arrays import Flags, Floats, Ids
from weft.graph.baseset.baseset import GIVEN, ROOT
from weft.graph.baseset.candidates import CandidatePages
from weft.graph.baseset.page_facts import encode_page_owners, encode_titles
from weft.graph.levels import pages_in_time, uncaptured_pages
from weft.graph.selection import Selection
from weft.store.collection import Collection, SearchResults

SEARCHED_PER_ROOT = 10
MAX_SEARCHED = 10_000
SITE_DECAY = 0.92
MIN_SITES = 3
ENOUGH_WITH_ALL_WORDS = 100
MIN_REPEATED_TITLE_CHARS = 13
PLAIN_WORDS = re.compile(r"\w+(?:\s+\w+)+")
OPERATORS = {"AND", "OR", "NOT"}


def find_roots(collection: Collection, selection: Selection) -> CandidatePages:
    """The root set: the pages given, those that a search finds, or all pages."""
    if selection.pages:
        given = dict.fromkeys(collection.find_page(url) for url in selection.pages)
        numbers = np.fromiter(given, np.int32, len(given))
        return _ranked_candidates(numbers, GIVEN, np.ones(len(numbers)))
    if selection.query:
        is_diverse = selection.roots == "diverse"
        return (search_diverse_roots if is_diverse else search_first_roots)(collection, selection)
    numbers = np.flatnonzero(pages_in_time(collection, selection.time_range)).astype(np.int32)
    return CandidatePages.from_roots(numbers, GIVEN, np.zeros_like(numbers), np.ones(len(numbers)))


def _ranked_candidates(numbers: Ids, origin: int, scores: Floats) -> CandidatePages:
    rank = np.arange(1, len(numbers) + 1, dtype=np.int32)
    return CandidatePages.from_roots(numbers, origin, rank, scores)


def search_first_roots(collection: Collection, selection: Selection) -> CandidatePages:
    """The first results of a search."""
    results = _search(collection, selection, selection.query, selection.root_size)
    numbers = np.array(results.page_numbers, np.int32)
    candidates = _ranked_candidates(numbers, ROOT, results.to_table()["score"].to_numpy())
    candidates.search_total = results.total
    return candidates


def search_diverse_roots(collection: Collection, selection: Selection) -> CandidatePages:
    """Results of a search spread over sites, then the others of its first results.

    Results with all words of a query, and with its phrase, score for each of
    these again. The n-th page of a host counts 0.92^n as much where there are
    three hosts or more, and a title of a host counts once. Pages that were not
    captured are left out, unless nothing else is found.
    """
    root_size = selection.root_size
    numbers, scores, total = _search_all_forms(collection, selection)
    hosts = encode_page_owners(collection, numbers, "host")
    spread = spread_over_sites(scores, hosts)
    spread[_repeats_title(collection, numbers, hosts)] = 0.0
    diverse = np.argsort(-spread, kind="stable")[:root_size]
    diverse = diverse[spread[diverse] > 0]
    others = np.setdiff1d(np.arange(min(root_size, len(numbers))), diverse)
    order = np.concatenate([diverse, others])
    candidates = _ranked_candidates(numbers[order], ROOT, scores[order])
    candidates.search_total = total
    return candidates


def _search(collection: Collection, selection: Selection, query: str, limit: int) -> SearchResults:
    return collection.search(query, limit, time_range=selection.time_range, with_snippets=False)


def _search_all_forms(collection: Collection, selection: Selection) -> tuple[Ids, Floats, int]:
    """Captured pages by falling score, and how many pages match the query in all."""
    limit = min(SEARCHED_PER_ROOT * selection.root_size, MAX_SEARCHED)
    forms = query_forms(selection.query)
    results = [_search(collection, selection, form, limit) for form in forms]
    numbers = np.concatenate([np.array(found.page_numbers, np.int32) for found in results])
    scores = np.concatenate([found.to_table()["score"].to_numpy() for found in results])
    pages, position = np.unique(numbers, return_inverse=True)
    totals = np.bincount(position, scores, len(pages)).astype(np.float64)
    if len(results) > 1 and len(results[1]) >= ENOUGH_WITH_ALL_WORDS:
        totals[~np.isin(pages, np.array(results[1].page_numbers))] = 0.0
    captured = ~uncaptured_pages(collection)[pages]
    kept = captured & (totals > 0) if captured.any() else totals > 0
    pages, totals = pages[kept], totals[kept]
    order = np.argsort(-np.round(totals, 6), kind="stable")
    return pages[order].astype(np.int32), totals[order], results[0].total


def query_forms(query: str) -> list[str]:
    """A query of several plain words: as it is, with all words required, and as a phrase.

    Examples
    --------
    >>> query_forms("big cats")
    ['big cats', '+big +cats', '"big cats"']
    >>> query_forms("cats -dogs")
    ['cats -dogs']
    """
    words = query.split()
    if not PLAIN_WORDS.fullmatch(query.strip()) or OPERATORS & set(words):
        return [query]
    return [query, " ".join(f"+{word}" for word in words), f'"{" ".join(words)}"']


def spread_over_sites(scores: Floats, hosts: Ids) -> Floats:
    """Scores that fall with each page of a host: the n-th counts 0.92^n as much.

    Pages are in descending order of score. If they are on fewer than three
    hosts, scores stay as they are.

    Examples
    --------
    >>> spread_over_sites(np.ones(4), np.array([0, 0, 1, 2])).tolist()
    [1.0, 0.92, 1.0, 1.0]
    """
    if len(np.unique(hosts)) < MIN_SITES:
        return scores.copy()
    order = np.argsort(hosts, kind="stable")
    nth = np.empty(len(hosts), np.int64)
    nth[order] = np.arange(len(hosts)) - np.searchsorted(hosts[order], hosts[order])
    return scores * SITE_DECAY**nth


def _repeats_title(collection: Collection, numbers: Ids, hosts: Ids) -> Flags:
    """Whether a better result on the same host has the same title, unless that is short."""
    if not len(numbers):
        return np.zeros(0, bool)
    titles = encode_titles(collection, numbers)
    texts = collection.pages["title"].take(pa.array(numbers)).to_pylist()
    is_long = np.array([len(text or "") >= MIN_REPEATED_TITLE_CHARS for text in texts])
    _, first = np.unique(np.stack([hosts, titles]), axis=1, return_index=True)
    is_first = np.zeros(len(numbers), bool)
    is_first[first] = True
    repeats: Flags = ~is_first & is_long & (titles >= 0)
    return repeats
