"""What speaks for each page that a visitor may click next: features of paths and pages."""

from typing import Any

import numpy as np
import numpy.typing as npt

from weft.core.arrays import Floats, Ids, Offsets
from weft.kernels.compiler import njit

DISCOUNT = 0.75
PATH_DECAY = 0.7  # a page counts this much less in the mean of a path than the one after it
FEATURES = (
    "Kneser-Ney",
    "after the last page",
    "lift of the last two pages",
    "lift of the last page in sessions with this entry",
    "lift two clicks after the page before",
    "lift of sessions with this entry",
    "clicks from the last page",
    "clicks to it",
    "links to it",
    "links from it",
    "share of its views that end a session",
    "views in the path",
    "share of earlier pages that link to it",
    "linked from the last page",
    "length of the path",
    "clicks after the last page",
    "candidates",
    "similarity to the last page",
    "similarity to the page before",
    "nearer to the last page than to the one before",
    "similarity to the entry",
    "nearer to the last page than to the entry",
    "similarity to the path",
)
FEATURE_COUNT = len(FEATURES)


@njit(nogil=True, cache=True)
def click_features(
    queries: Any,
    starts: Offsets,
    ids: Ids,
    links: tuple[Offsets, Ids],
    counts: Any,
    facts: Any,
) -> npt.NDArray[np.float32]:
    """The features of every candidate of every query, in the order of `FEATURES`.

    The queries are `PathQueries`, the counts `PathCounts` and the facts
    `PageFacts` of `weft.usage.path_tables`. The candidates of query k are
    `ids[starts[k]:starts[k + 1]]`, ascending.
    """
    features = np.zeros((ids.size, FEATURE_COUNT), np.float32)
    for query in range(queries.firsts.size):
        path = queries.pages[queries.firsts[query] : queries.ends[query]]
        first, end = starts[query], starts[query + 1]
        pages, part = ids[first:end], features[first:end]
        entry, contexts = queries.entries[query], queries.contexts[query]
        _describe_clicks(path, entry, contexts, pages, counts, facts, part)
        _describe_links(path, pages, links, facts, part)
        _describe_similarity(path, entry, pages, facts.vectors, part)
    return features


@njit(nogil=True, cache=True)
def _describe_clicks(
    path: Any, entry: int, contexts: Any, pages: Any, counts: Any, facts: Any, features: Any
) -> None:
    """What was clicked after such paths."""
    last, before = path[-1], path[-2] if path.size > 1 else -1
    after_last = _find_counts(counts.by_order[0], contexts[0], pages)
    after_two = _find_counts(counts.by_order[1], contexts[1], pages)
    by_entry = _find_counts(counts.by_entry, contexts[3], pages)
    two_later = _find_counts(counts.two_later, before, pages)
    with_entry = _find_counts(counts.with_entry, entry, pages)
    popularity = facts.sources[pages] + 0.5
    popularity /= popularity.sum()
    first_order = _discount(counts.by_order[0], contexts[0], pages, popularity)
    features[:, 0] = np.log(_kneser_ney(contexts, pages, counts, popularity))
    features[:, 1] = np.log(first_order)
    features[:, 2] = _lift(after_two, _row_total(counts.by_order[1], contexts[1]), first_order, 3.0)
    features[:, 3] = _lift(by_entry, _row_total(counts.by_entry, contexts[3]), first_order, 3.0)
    share = (facts.clicks[pages] + 0.5) / (facts.clicks.sum() + 1.0)
    features[:, 4] = _lift(two_later, _row_total(counts.two_later, before), share, 10.0)
    features[:, 5] = _lift(with_entry, facts.entries[entry], facts.view_rates[pages], 5.0)
    features[:, 6] = np.log1p(after_last)
    features[:, 7] = np.log1p(facts.clicks[pages])
    features[:, 10] = facts.exit_rates[pages]
    features[:, 14] = path.size
    features[:, 15] = np.log1p(_row_total(counts.by_order[0], last))
    features[:, 16] = pages.size


@njit(nogil=True, cache=True)
def _kneser_ney(contexts: Any, pages: Any, counts: Any, popularity: Any) -> Any:
    """Interpolated Kneser-Ney over the candidates: raw counts for the longest known context.

    Shorter contexts count in how many different ways they were reached, and
    order 0 is the share of pages from which a candidate was clicked.
    """
    longest = 0
    for order in range(3):
        if _row_total(counts.by_order[order], contexts[order]) > 0:
            longest = order
    probabilities = popularity
    if longest > 0:
        probabilities = _discount(counts.continuations[0], contexts[0], pages, probabilities)
    if longest > 1:
        probabilities = _discount(counts.continuations[1], contexts[1], pages, probabilities)
    return _discount(counts.by_order[longest], contexts[longest], pages, probabilities)


@njit(nogil=True, cache=True)
def _discount(rows: Any, row: int, pages: Any, lower: Any) -> Any:
    """Absolute discounting: (n - D)+ / N, and the mass D c / N by the lower order."""
    total = _row_total(rows, row)
    if total == 0:
        return lower.copy()
    kept = np.maximum(_find_counts(rows, row, pages) - DISCOUNT, 0.0)
    spread = DISCOUNT * (rows.starts[row + 1] - rows.starts[row])
    return (kept + spread * lower) / total


@njit(nogil=True, cache=True)
def _lift(found: Any, total: float, prior: Any, strength: float) -> Any:
    """The logarithm of a share, smoothed towards the prior, over the prior."""
    return np.log((found + strength * prior) / ((total + strength) * prior))


@njit(nogil=True, cache=True)
def _row_total(rows: Any, row: int) -> float:
    return rows.weights[rows.starts[row] : rows.starts[row + 1]].sum() if row >= 0 else 0.0


@njit(nogil=True, cache=True)
def _find_counts(rows: Any, row: int, pages: Any) -> Floats:
    """The counts of sorted pages in a sorted row; zero where they are not in it."""
    found = np.zeros(pages.size)
    if row < 0:
        return found
    first, end = rows.starts[row], rows.starts[row + 1]
    at = first + np.searchsorted(rows.ids[first:end], pages)
    for k in range(pages.size):
        if at[k] < end and rows.ids[at[k]] == pages[k]:
            found[k] = rows.weights[at[k]]
    return found


@njit(nogil=True, cache=True)
def _describe_links(path: Any, pages: Any, links: Any, facts: Any, features: Any) -> None:
    """How the candidates are linked, from the last page and from those before it."""
    starts, targets = links
    features[:, 8] = np.log1p(facts.indegrees[pages])
    features[:, 9] = np.log1p(facts.outdegrees[pages])
    for k in range(path.size):
        is_last = k == path.size - 1
        row = targets[starts[path[k]] : starts[path[k] + 1]]
        at = np.searchsorted(row, pages)
        for candidate in range(pages.size):
            features[candidate, 11] += pages[candidate] == path[k]
            if at[candidate] < row.size and row[at[candidate]] == pages[candidate]:
                if is_last:
                    features[candidate, 13] = 1.0
                else:
                    features[candidate, 12] += 1.0 / (path.size - 1)


@njit(nogil=True, cache=True)
def _describe_similarity(path: Any, entry: int, pages: Any, vectors: Any, features: Any) -> None:
    """Cosines of the candidates with pages of the path, and with its weighted mean."""
    mean = np.zeros(vectors.shape[1], np.float32)
    weight = np.float32(1.0)
    for k in range(path.size):
        mean += weight * vectors[path[path.size - 1 - k]]
        weight *= np.float32(PATH_DECAY)
    mean /= np.sqrt((mean * mean).sum()) + np.float32(1e-9)
    last, before, first = vectors[path[-1]], vectors[path[max(path.size - 2, 0)]], vectors[entry]
    for candidate in range(pages.size):
        vector = vectors[pages[candidate]]
        row = features[candidate]
        row[17], row[18] = (vector * last).sum(), (vector * before).sum()
        row[20], row[22] = (vector * first).sum(), (vector * mean).sum()
        row[19], row[21] = row[17] - row[18], row[17] - row[20]
