"""What one site says that another does not, after Liu, Ma and Yu: terms, pages and links."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from weft.core.arrays import Flags, Floats, Ids, Offsets, Rows
from weft.core.progress import track
from weft.graph.among import places

WORK = 200_000_000
CANDIDATES = 20
NONE = np.zeros(0, np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class Said:
    """What the pages of a site say, in terms that are numbers.

    `counts` are the terms of each page with how often it says them, `sentences`
    those of each sentence, ascending, and `page` is the page of each sentence.
    """

    counts: Rows
    sentences: Rows
    page: Ids

    def __len__(self) -> int:
        return len(self.counts.starts) - 1

    def terms_of(self, page: int) -> Ids:
        """The different terms of a page."""
        return np.asarray(self.counts.ids[self._inside(page)])

    def times_of(self, page: int) -> Floats:
        """How often a page says each of its terms."""
        return _weights(self.counts, self._inside(page))

    def _inside(self, page: int) -> slice:
        return slice(int(self.counts.starts[page]), int(self.counts.starts[page + 1]))


def pooled(counts: Rows, terms: int) -> Floats:
    """How often each term is said on all pages together."""
    return np.bincount(counts.ids, _weights(counts), terms).astype(np.float64)


def spread(counts: Rows, terms: int) -> Offsets:
    """How many pages say each term."""
    return np.bincount(counts.ids, minlength=terms)


def unexpected(mine: Floats, theirs: Floats, known: Ids = NONE) -> Floats:
    """How unexpected each term of theirs is to who wrote mine: 0 not at all, 1 entirely.

    A term weighs as often as it is said, by the one said most often. It is
    unexpected by the part of its weight that is missing on my side:
    1 - mine/theirs, and never less than 0. A term that they do not say is 0,
    and so is one that I know, as if I said it most often.

    Examples
    --------
    >>> unexpected(np.array([2.0, 1, 0, 1]), np.array([1.0, 2, 1, 0])).tolist()
    [0.0, 0.5, 1.0, 0.0]
    """
    own, other = _by_largest(mine), _by_largest(theirs)
    own[known] = 1
    ratio = np.divide(own, other, out=np.ones(len(other)), where=other > 0)
    missing: Floats = np.maximum(1 - ratio, 0)
    return missing


def unexpected_pages(counts: Rows, surprise: Floats, least: int) -> Floats:
    """The mean unexpectedness of the different terms of each page.

    Pages with fewer than `least` terms have none, which is NaN: few words
    would make them the most unexpected of all.

    Examples
    --------
    >>> rows = Rows(np.array([0, 2, 3]), np.array([0, 1, 1], np.int32))
    >>> unexpected_pages(rows, np.array([0.0, 1.0]), 2).tolist()
    [0.5, nan]
    """
    size = np.diff(counts.starts)
    page = np.repeat(np.arange(len(size)), size)
    total = np.bincount(page, surprise[counts.ids], len(size))
    return np.where(size >= max(least, 1), total / np.maximum(size, 1), np.nan)


class Pairs(NamedTuple):
    """Pages side by side, the best first for each of mine; whether all terms chose them."""

    mine: Ids
    theirs: Ids
    cosine: Floats
    exact: bool


def corresponding(
    mine: Rows, theirs: Rows, terms: int, *, k: int = 1, threshold: float = 0.2, work: int = WORK
) -> Pairs:
    """For each of my pages the k of theirs most like it by the cosine of their terms.

    Where comparing all would take more than `work` steps, the terms that most
    of their pages say do not choose the candidates; the cosines of the twenty
    best of these are still those of all terms.
    """
    common, exact = _rare_enough(mine, theirs, terms, work)
    pages_of = _turned(theirs, terms, common)
    own, other = _lengths(mine), _lengths(theirs)
    found: list[tuple[int, int, float]] = []
    dense = np.zeros(terms)
    for page in track(np.flatnonzero(own).tolist(), "match", int(np.count_nonzero(own))):
        inside = slice(int(mine.starts[page]), int(mine.starts[page + 1]))
        term = np.asarray(mine.ids[inside])
        dense[term] = _weights(mine, inside)
        near = _candidates(pages_of, term, dense, other, max(k, CANDIDATES))
        cosine = _dots(theirs, near, dense) / (own[page] * other[near])
        dense[term] = 0
        best = np.argsort(-cosine.round(12), kind="stable")[:k]
        best = best[cosine[best] >= threshold]
        found += zip([page] * len(best), near[best].tolist(), cosine[best].tolist(), strict=True)
    columns = list(zip(*found, strict=True)) or [(), (), ()]
    return Pairs(
        np.array(columns[0], np.int32), np.array(columns[1], np.int32), np.array(columns[2]), exact
    )


def _rare_enough(mine: Rows, theirs: Rows, terms: int, work: int) -> tuple[Flags, bool]:
    """The terms rare enough that all pages of both sites can be compared by them."""
    steps = spread(mine, terms) * spread(theirs, terms)
    order = np.argsort(steps, kind="stable")
    affordable = np.cumsum(steps[order]) <= work
    chosen = np.zeros(terms, bool)
    chosen[order[affordable]] = True
    return chosen, bool(affordable.all())


def _turned(rows: Rows, terms: int, chosen: Flags) -> Rows:
    """The pages of each chosen term."""
    page = rows.owners()
    kept = chosen[rows.ids]
    term, page, times = rows.ids[kept], page[kept], _weights(rows)[kept]
    order = np.argsort(term, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(term, minlength=terms))])
    return Rows(starts, page[order], times[order].astype(np.float32))


def _candidates(pages_of: Rows, term: Ids, dense: Floats, other: Floats, k: int) -> Ids:
    """The pages with the largest products over the terms that choose, in page order."""
    at, owner = places(pages_of, term)
    product = np.bincount(pages_of.ids[at], _weights(pages_of, at) * dense[owner], len(other))
    share = np.divide(product, other, out=np.zeros(len(other)), where=other > 0).round(12)
    enough = np.partition(share, -k)[-k] if len(share) > k else 0.0
    near = np.flatnonzero(share >= enough if enough else share)
    if len(near) > k:
        near = np.sort(near[np.argsort(-share[near], kind="stable")[:k]])
    return near.astype(np.int32)


def _dots(rows: Rows, pages: Ids, dense: Floats) -> Floats:
    """The product of some rows with a vector."""
    at, owner = places(rows, pages)
    place = np.searchsorted(pages, owner)
    products = _weights(rows, at) * dense[rows.ids[at]]
    return np.bincount(place, products, len(pages)).astype(np.float64)


def _lengths(rows: Rows) -> Floats:
    size = np.diff(rows.starts)
    page = np.repeat(np.arange(len(size)), size)
    return np.sqrt(np.bincount(page, _weights(rows) ** 2, len(size)))


class Outward(NamedTuple):
    """Where pages of theirs link to and mine do not: targets, and how many pages link there."""

    targets: Offsets
    pages: Offsets


def unexpected_links(mine: Offsets, sources: Ids, targets: Offsets) -> Outward:
    """The targets of their links that are none of mine, those that most pages link to first.

    `mine` are the targets of all my links; sources and targets are the ends of
    theirs. A page that links to a target twice counts once.

    Examples
    --------
    >>> unexpected_links(np.array([7]), np.array([1, 1, 2, 2]), np.array([7, 8, 9, 8]))
    Outward(targets=array([8, 9]), pages=array([2, 1]))
    """
    fresh = ~np.isin(targets, mine)
    links = np.unique(np.stack([targets[fresh], sources[fresh]]).astype(np.int64), axis=1)
    found, pages = np.unique(links[0], return_counts=True)
    order = np.argsort(-pages, kind="stable")
    return Outward(found[order], pages[order])


def likeness(one: str, two: str) -> float:
    """The share of the words of two names that both have: of two paths, or two titles.

    Examples
    --------
    >>> likeness("/courses/data-mining.html", "/teaching/data-mining/")
    0.4
    """
    first, second = set(_words(one)), set(_words(two))
    return len(first & second) / len(first | second) if first | second else 0.0


def _words(name: str) -> Iterator[str]:
    spaced = "".join(sign if sign.isalnum() else " " for sign in name.lower())
    return iter(spaced.split())


def _by_largest(times: Floats) -> Floats:
    most = times.max(initial=0)
    return times / most if most else np.zeros(len(times))


def _weights(rows: Rows, at: slice | Offsets = slice(None)) -> Floats:
    if rows.weights is None:
        return np.ones(len(rows.ids[at]))
    return np.asarray(rows.weights[at], np.float64)
