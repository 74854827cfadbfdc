"""Evaluate rankings by relevance judgements: precision, nDCG and rank correlation."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from os import PathLike
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import Flags, Floats, argsort_descending, round_significant, top_k_indices
from weft.core.csv_columns import read_csv_columns
from weft.core.errors import BadParameter
from weft.core.tables import Tabular
from weft.core.text import join_with_and, pluralise, shorten
from weft.graph.selection import Level
from weft.graph.webgraph import to_name_array
from weft.rank.rank_correlation import count_concordant_pairs
from weft.rank.ranking import Ranking

REQUIRED_COLUMNS = ("url", "rating")
HEADER_HINT = "the first line names the columns: url,rating"
MAX_EXAMPLES = 3
EVALUATION_SCHEMA = pa.schema(
    {
        "method": pa.string(),
        "top": pa.int64(),
        "precision": pa.float64(),
        "ndcg": pa.float64(),
        "tau_b": pa.float64(),
        "judged": pa.int64(),
        "judged_in_top": pa.int64(),
        "unjudged_in_top": pa.int64(),
    }
)


@dataclass(frozen=True, slots=True, eq=False)
class Judgements:
    """Ratings of some pages by people, and which of these pages are relevant.

    A page rated several times has the mean of its ratings. A page is relevant
    if rated at least `min_relevant`, or without that, above the middle of
    `rating_range` (lowest and highest rating): of ratings from 1 to 7 those
    above 4, of 0 and 1 the ones. `unknown_urls` are not in the collection, and
    `bad_ratings` are not numbers.
    """

    ratings: Mapping[str, float]
    rating_range: tuple[float, float]
    min_relevant: float | None = None
    repeated_pages: int = 0
    unknown_urls: tuple[str, ...] = ()
    bad_ratings: tuple[str, ...] = ()
    level: Level = "page"

    @classmethod
    def from_rows(
        cls,
        rows: Iterable[tuple[str, str | float]],
        resolve_page: Callable[[str], str] = str,
        min_relevant: float | None = None,
        level: Level = "page",
    ) -> "Judgements":
        """From URLs and ratings; `resolve_page` maps a URL to a page, or to "" if unknown.

        Examples
        --------
        >>> Judgements.from_rows([("a", "7"), ("a", "6"), ("b", "1"), ("c", "good")])
        <Judgements of 2 pages, 1 relevant: rated above 4>
        """
        by_page, all_ratings = dict[str, list[float]](), list[float]()
        unknown, bad = dict[str, None](), list[str]()
        for url, rating in rows:
            value = _parse_rating(rating)
            if value is None:
                bad.append(str(rating))
                continue
            all_ratings.append(value)
            if page := resolve_page(url):
                by_page.setdefault(page, []).append(value)
            else:
                unknown[url] = None
        judgements = cls(
            {page: sum(values) / len(values) for page, values in by_page.items()},
            (min(all_ratings, default=0.0), max(all_ratings, default=0.0)),
            min_relevant,
            sum(len(values) > 1 for values in by_page.values()),
            tuple(unknown),
            tuple(bad),
            level,
        )
        if not by_page:
            reasons = "; ".join(judgements.problems()) or "there are none"
            raise BadParameter(f"no usable ratings: {reasons}", hint=HEADER_HINT)
        return judgements

    @property
    def relevance_threshold(self) -> float:
        """The lowest relevant rating, or without `min_relevant` the highest irrelevant one."""
        return sum(self.rating_range) / 2 if self.min_relevant is None else self.min_relevant

    def are_relevant(self, ratings: Floats) -> Flags:
        """Which ratings make a page relevant."""
        if self.min_relevant is None:
            return ratings > self.relevance_threshold
        return ratings >= self.relevance_threshold

    def problems(self) -> list[str]:
        """What was ignored or merged, a line each."""
        notes = []
        if self.bad_ratings:
            count = pluralise(len(self.bad_ratings), "row")
            notes.append(f"{count} without a number, such as {_quote_examples(self.bad_ratings)}")
        if self.unknown_urls:
            count = pluralise(len(self.unknown_urls), "unknown URL")
            notes.append(f"{count}, such as {_quote_examples(self.unknown_urls)}")
        if self.repeated_pages:
            count = pluralise(self.repeated_pages, self.level)
            notes.append(f"{count} rated more than once: the mean counts")
        return notes

    def __len__(self) -> int:
        return len(self.ratings)

    def __repr__(self) -> str:
        relevant = int(self.are_relevant(np.array(list(self.ratings.values()))).sum())
        bound = "at least" if self.min_relevant is not None else "above"
        size = f"{pluralise(len(self), self.level)}, {relevant:,} relevant"
        return f"<Judgements of {size}: rated {bound} {self.relevance_threshold:g}>"


def _parse_rating(rating: str | float) -> float | None:
    try:
        value = float(rating)
    except ValueError:
        return None
    return value if isfinite(value) else None


def _quote_examples(values: Sequence[str]) -> str:
    return join_with_and([repr(shorten(value, 80)) for value in values[:MAX_EXAMPLES]])


def read_ratings(path: str | PathLike[str]) -> Iterator[tuple[str, str]]:
    """Read URLs and ratings from a CSV file with the columns url and rating.

    Other columns and empty lines are ignored, as is the case of column names;
    semicolons or tabs may separate the columns.
    """
    return ((url, rating) for url, rating in read_csv_columns(path, REQUIRED_COLUMNS))


@dataclass(frozen=True, slots=True)
class Evaluation:
    """How well a ranking agrees with the ratings of its pages.

    `precision` is the share of relevant pages among the top `k` rated pages,
    `ndcg` their normalised discounted cumulative gain, and `tau_b` Kendall's
    tau-b of scores and ratings. `judged_pages` of the ranking are rated, and
    `judged_in_top` of its top `k`.
    """

    method: str
    k: int
    precision: float
    ndcg: float
    tau_b: float
    judged_pages: int
    judged_in_top: int
    top_size: int

    @property
    def row(self) -> dict[str, Any]:
        """The measures by column name."""
        return {
            "method": self.method,
            "top": self.k,
            "precision": self.precision,
            "ndcg": self.ndcg,
            "tau_b": self.tau_b,
            "judged": self.judged_pages,
            "judged_in_top": self.judged_in_top,
            "unjudged_in_top": self.top_size - self.judged_in_top,
        }


@dataclass(frozen=True, slots=True, eq=False)
class Evaluations(Tabular):
    """Evaluations of several rankings by the same judgements."""

    judgements: Judgements
    evaluations: tuple[Evaluation, ...]

    def to_table(self) -> pa.Table:
        """One row per ranking, in the order given."""
        return pa.Table.from_pylist(
            [evaluation.row for evaluation in self.evaluations], schema=EVALUATION_SCHEMA
        )

    def notes(self) -> list[str]:
        """How many pages are judged, and which ratings were not used."""
        total = len(self.judgements)
        unranked = [
            f"{pluralise(total - evaluation.judged_pages, 'rating')} of pages "
            f"that {evaluation.method} does not rank"
            for evaluation in self.evaluations
            if evaluation.judged_pages < total
        ]
        return [repr(self.judgements).strip("<>"), *self.judgements.problems(), *unranked]

    def __repr__(self) -> str:
        size = pluralise(len(self.evaluations), "ranking")
        judged = [evaluation for evaluation in self.evaluations if evaluation.judged_pages]
        if not judged:
            return f"<Evaluations of {size}: no page is judged>"
        best = max(judged, key=lambda evaluation: evaluation.ndcg)
        ratings = pluralise(len(self.judgements), "rating")
        return f"<Evaluations of {size} by {ratings}, best nDCG by {best.method}>"


def evaluate(
    ranking: Ranking, judgements: Judgements | Mapping[str, float], *, by: str = "", k: int = 10
) -> Evaluation:
    """Evaluate a ranking by ratings of some of its pages, after Amento, Terveen and Hill (2000).

    Pages without a rating are removed first and count neither for nor against
    the ranking; precision and gain are those of the top `k` that remain. DCG is
    the sum of rating / log2(place + 1), negative ratings counting zero, and
    nDCG its share of the DCG of the ideal order. Pages with equal scores share
    the mean of their gains, so that their order does not matter. Undefined
    values, such as the correlation if all ratings are equal, are NaN.

    Examples
    --------
    >>> from weft.rank import indegree
    >>> result = evaluate(indegree([("a", "x"), ("b", "x"), ("b", "y")]), {"x": 3, "y": 1})
    >>> result.precision, result.ndcg, result.tau_b
    (0.5, 1.0, 1.0)
    """
    if k < 1:
        raise BadParameter(f"k must be at least 1, not {k}")
    if not isinstance(judgements, Judgements):
        judgements = Judgements.from_rows(judgements.items())
    # the ranked pages that have a rating, and these ratings in page order
    rated_names = pa.array(list(judgements.ratings), pa.large_string())
    matches = pc.index_in(to_name_array(ranking.pages).cast(pa.large_string()), rated_names)
    judged = np.flatnonzero(matches.is_valid().to_numpy(zero_copy_only=False))
    all_ratings = np.array(list(judgements.ratings.values()), np.float64)
    ratings = all_ratings[matches.drop_null().to_numpy(zero_copy_only=False)]
    all_scores = round_significant(ranking.score(by if by in ranking.scores else ""))
    scores, top = all_scores[judged], top_k_indices(all_scores, k)
    relevant = sort_averaging_ties(judgements.are_relevant(ratings).astype(np.float64), scores)[:k]
    gains = np.maximum(ratings, 0.0)
    dcg = _discounted_cumulative_gain(sort_averaging_ties(gains, scores)[:k])
    ideal_dcg = _discounted_cumulative_gain(np.sort(gains)[::-1][:k])
    return Evaluation(
        ranking.method,
        k,
        float(relevant.mean()) if len(relevant) else np.nan,
        dcg / ideal_dcg if ideal_dcg else np.nan,
        count_concordant_pairs(scores, ratings).tau_b,
        len(judged),
        int(np.isin(top, judged).sum()),
        len(top),
    )


def sort_averaging_ties(values: Floats, scores: Floats) -> Floats:
    """Values by descending score; values with equal scores are replaced by their mean.

    Examples
    --------
    >>> sort_averaging_ties(np.array([4.0, 1.0, 3.0]), np.array([1.0, 2.0, 1.0])).tolist()
    [1.0, 3.5, 3.5]
    """
    order = argsort_descending(scores)
    descending = scores[order]
    # the number of the group of equal scores at each place
    group = np.concatenate([[0], np.cumsum(descending[1:] != descending[:-1])])[: len(order)]
    means = np.bincount(group, values[order]) / np.maximum(np.bincount(group), 1)
    averaged: Floats = means[group]
    return averaged


def _discounted_cumulative_gain(gains: Floats) -> float:
    return float((gains / np.log2(np.arange(2, len(gains) + 2))).sum())
