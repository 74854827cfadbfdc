"""`Ranking`, the result of every ranking method, and how scores are ordered."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, SupportsIndex, overload

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import Floats, Ids
from weft.core.errors import BadParameter, UnknownName
from weft.core.html import titled_table
from weft.core.json import JsonObject, to_json_value
from weft.core.tables import MAX_PREVIEW_ROWS, Tabular
from weft.core.text import pluralise
from weft.core.validation import validate_call
from weft.engine import Trace
from weft.graph.selection import Level
from weft.graph.webgraph import to_name_array
from weft.rank.contributions import Contributions, ScoreBreakdown


@dataclass(frozen=True, slots=True)
class Certainty:
    """Whether the solution is unique, and how close the next one is.

    `components` counts the connected components that the method cannot compare
    by their links, `multiplicity` those that tie for the leading value, and
    `gap` is the relative gap between the leading value and the next. Unknown
    values are 0 or NaN. `note` is a remark for readers, such as "no links".
    """

    unique: bool = True
    components: int = 0
    multiplicity: int = 0
    gap: float = np.nan
    note: str = ""


def unique_certainty(note: str = "") -> Callable[[], Certainty]:
    """The certainty of a solution that is unique by definition."""
    return cache(lambda: Certainty(note=note))


@dataclass(frozen=True, slots=True)
class RankedPage:
    """A page with its place in a ranking, counted from 1, and its scores by name.

    Pages with equal scores share the best of their places.
    """

    page: str
    place: int
    scores: Mapping[str, float]

    @property
    def score(self) -> float:
        """The score that orders the ranking: the first."""
        return next(iter(self.scores.values()))


@dataclass(frozen=True, slots=True, eq=False)
class Ranking(Tabular):
    """Pages with one or more scores; the first score orders them.

    A ranking iterates over its pages, best first. `ranking[0]` is the best
    page, `ranking[:10]` a list of the ten best and `ranking["http://…"]` the
    page of that name, each a `RankedPage`. An index or slice near the top does
    not sort the whole ranking.

    `contributions` splits a score into what each link adds, and `details` holds
    other results of the method: singular values, likelihoods, factors.

    Examples
    --------
    >>> from weft.engine import CLOSED_FORM
    >>> scores = {"score": np.array([0.2, 0.5, 0.3])}
    >>> ranking = Ranking("toy", ["a", "b", "c"], scores, CLOSED_FORM)
    >>> [row.page for row in ranking]
    ['b', 'c', 'a']
    >>> ranking[0]
    RankedPage(page='b', place=1, scores={'score': 0.5})
    >>> [(row.place, row.page, row.score) for row in ranking[:2]]
    [(1, 'b', 0.5), (2, 'c', 0.3)]
    >>> ranking["a"].place
    3
    """

    method: str
    pages: Sequence[str]
    scores: Mapping[str, Floats]
    trace: Trace
    compute_certainty: Callable[[], Certainty] = field(default_factory=unique_certainty, repr=False)
    contributions: Mapping[str, Contributions] = field(default_factory=dict, repr=False)
    details: Mapping[str, Any] = field(default_factory=dict, repr=False)
    options: Mapping[str, Any] = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)

    @property
    def certainty(self) -> Certainty:
        """Whether the scores are unique; computed on first use, at about the cost of the scores."""
        return self.compute_certainty()

    @property
    def level(self) -> Level:
        """What is ranked: pages, hosts or domains."""
        level: Level = self.provenance.get("level", "page")
        return level

    def order(self, by: str = "") -> Ids:
        """Page numbers from best to worst; ties (to 12 significant digits) keep page order."""
        return argsort_descending(round_significant(self.score(by)))

    @validate_call
    def score(self, by: str = "") -> Floats:
        """The score of a given name, by default the first."""
        name = by or next(iter(self.scores))
        if name not in self.scores:
            raise UnknownName("score", name, (), hint=f"{self.method} has {', '.join(self.scores)}")
        return self.scores[name]

    @validate_call
    def explain(self, page: str, by: str = "") -> ScoreBreakdown:
        """Split a page's score into what each link and other source adds to it."""
        values, name = self.score(by), by or next(iter(self.scores))
        if name not in self.contributions:
            known = ", ".join(self.contributions) or "none of its scores"
            raise BadParameter(
                f"{self.method} cannot explain {name!r}", hint=f"it explains {known}"
            )
        page_id = self._page_id(page)
        return self.contributions[name].for_page(page_id, self.pages, float(values[page_id]))

    def to_table(self, by: str = "") -> pa.Table:
        """One row per page, best first: the page, then a column per score."""
        columns = {name: pa.array(values) for name, values in self.scores.items()}
        return pa.table({"page": to_name_array(self.pages), **columns}).take(
            pa.array(self.order(by))
        )

    def to_document(self, by: str = "", *, offset: int = 0, top: int | None = None) -> JsonObject:
        """The one JSON of a ranking: how it was made, and its rows from `offset` on."""
        stop = len(self) if top is None else min(offset + top, len(self))
        document: JsonObject = to_json_value(
            {
                "method": self.method,
                "level": self.level,
                "query": self.provenance.get("query", ""),
                "options": self.options,
                "by": by or next(iter(self.scores)),
                "scores": list(self.scores),
                "total": len(self),
                "offset": offset,
                "rows": [
                    {"url": row.page, "place": row.place, "scores": row.scores}
                    for row in self._rows(range(offset, stop), by)
                ],
                "trace": self.trace.to_document(),
                "certainty": self.certainty,
                "left_out": self.provenance.get("left_out", []),
                "provenance": self.provenance,
            }
        )
        return document

    def _page_id(self, page: str) -> int:
        page_id = int(pc.index(to_name_array(self.pages), page).as_py())
        if page_id < 0:
            raise UnknownName("page", page, (), hint="names are as the ranking has them")
        return page_id

    def _row(self, page_id: int, place: int) -> RankedPage:
        scores = {name: float(values[page_id]) for name, values in self.scores.items()}
        return RankedPage(self.pages[page_id], place, scores)

    def _rows(self, positions: range, by: str = "") -> Iterator[RankedPage]:
        """Rows at positions of the order, which is sorted only as far as the last of them."""
        if not positions:
            return
        order, values = top_k_scores(self.score(by), max(positions[0], positions[-1]) + 1)
        # the place of a page is the position of the first that is equal to it
        is_first = np.append(True, values[1:] != values[:-1])
        places = np.maximum.accumulate(np.where(is_first, np.arange(1, len(values) + 1), 0))
        for position in positions:
            yield self._row(int(order[position]), int(places[position]))

    def __iter__(self) -> Iterator[RankedPage]:
        # few loops read all rows of a large graph: those that stop soon need no sort
        top = min(len(self), 1000)
        yield from self._rows(range(top))
        yield from self._rows(range(top, len(self)))

    @overload
    def __getitem__(self, key: SupportsIndex | str) -> RankedPage: ...
    @overload
    def __getitem__(self, key: slice) -> list[RankedPage]: ...
    def __getitem__(self, key: SupportsIndex | str | slice) -> RankedPage | list[RankedPage]:
        if isinstance(key, slice):
            return list(self._rows(range(len(self))[key]))
        if isinstance(key, str):
            page_id = self._page_id(key)
            return self._row(page_id, count_better(self.score(), page_id) + 1)
        position = range(len(self))[key]
        return next(self._rows(range(position, position + 1)))

    def __contains__(self, page: object) -> bool:
        name = page.page if isinstance(page, RankedPage) else page
        return isinstance(name, str) and pc.index(to_name_array(self.pages), name).as_py() >= 0

    def __len__(self) -> int:
        return len(self.pages)

    def __repr__(self) -> str:
        first = next(iter(self.scores.values()))
        lead = f", led by {self.pages[int(first.argmax())]}" if len(self) else ""
        state = "" if self.trace.converged else ", not converged"
        return f"<Ranking of {pluralise(len(self), self.level)} by {self.method}{lead}{state}>"

    def _repr_html_(self) -> str:
        rows = [(row.place, row.page, *row.scores.values()) for row in self[:MAX_PREVIEW_ROWS]]
        return titled_table(repr(self).strip("<>"), ["", self.level, *self.scores], rows)


def argsort_descending(values: Floats) -> Ids:
    """Indices from the largest value to the smallest; equal values keep their order."""
    return np.argsort(-values, kind="stable").astype(np.int32)


def top_k_indices(values: Floats, k: int) -> Ids:
    """Indices of the `k` largest values, largest first, without sorting all.

    Examples
    --------
    >>> top_k_indices(np.array([1.0, 3.0, 2.0, 3.0]), 3).tolist()
    [1, 3, 2]
    """
    if len(values) <= k:
        return argsort_descending(values)
    # all values that tie with the k-th, so that the stable sort decides among them
    candidates = np.flatnonzero(values >= np.partition(values, -k)[-k]).astype(np.int32)
    return candidates[argsort_descending(values[candidates])[:k]]


def top_k_scores(scores: Floats, k: int) -> tuple[Ids, Floats]:
    """Page numbers and rounded values of the `k` best scores, without rounding or sorting all.

    Examples
    --------
    >>> order, values = top_k_scores(np.array([0.5, 2.0, 1 / 3, 2.0 + 1e-15]), 3)
    >>> order.tolist(), values.tolist()
    ([1, 3, 0], [2.0, 2.0, 0.5])
    """
    largest, candidates = _largest_magnitude(scores), np.arange(len(scores), dtype=np.int32)
    if k < len(scores):
        kth = float(np.partition(scores, -k)[-k])
        candidates = candidates[scores >= kth - _tie_tolerance(kth, largest)]
    rounded = round_significant(scores[candidates], largest)
    order = argsort_descending(rounded)[:k]
    return candidates[order], rounded[order]


def count_better(scores: Floats, page_id: int) -> int:
    """How many scores are greater than that of one page, once rounded."""
    own, largest = float(scores[page_id]), _largest_magnitude(scores)
    slack = _tie_tolerance(own, largest)
    near = scores[(scores >= own - slack) & (scores <= own + slack)]
    rounded = round_significant(np.append(near, own), largest)
    return int((scores > own + slack).sum() + (rounded > rounded[-1]).sum())


def _largest_magnitude(scores: Floats) -> float:
    return float(np.abs(scores[np.isfinite(scores)]).max(initial=0))


def _tie_tolerance(score: float, largest: float) -> float:
    """A bound of how far scores are apart that `round_significant` makes equal."""
    return 0.0 if np.isinf(score) else 2e-11 * abs(score) + 2e-12 * largest


def round_significant(values: Floats, largest: float | None = None) -> Floats:
    """Round scores to 12 significant digits, so that rounding errors break no ties.

    Values below 1e-12 of the largest, by default that of `values`, become zero.

    Examples
    --------
    >>> round_significant(np.array([3.0, 1 / 3, 1e-13, np.inf])).tolist()
    [3.0, 0.333333333333, 0.0, inf]
    """
    magnitude = np.where(np.isfinite(values), np.abs(values), 0.0)
    nonzero = magnitude > 1e-12 * (magnitude.max(initial=0) if largest is None else largest)
    # the power of ten that moves twelve digits before the point; 1e308 is the largest float
    scale = 10.0 ** np.minimum(11 - np.floor(np.log10(np.where(nonzero, magnitude, 1.0))), 300)
    digits = np.round(np.where(nonzero, values, 0.0) * scale) / scale
    return np.where(np.isfinite(values), digits, values)
