"""Judge rankings by what people say of some pages: precision, discounted gain, rank correlation."""

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import Flags, Floats
from weft.core.errors import BadParameter
from weft.core.tabular import Tabular
from weft.core.wording import count, listed, shortened
from weft.graph.options import Level
from weft.graph.webgraph import as_names
from weft.rank.measures import count_pairs
from weft.rank.ranking import Ranking, best_first, foremost, rounded

COLUMNS = ("url", "rating")
HEADER = "the first line names the columns: url,rating"
DELIMITERS = ",;\t"
SHOWN = 3
SCHEMA = pa.schema(
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
    """What people say of some pages, a number for each, and which of them are relevant.

    A page that was rated several times counts by the mean. `repeated` is how
    many pages were, `unknown` has the URLs that are no page at hand, and
    `bad` what stands where a rating should. Relevant is a page that is rated
    at least `relevant`; without that, above the middle of the `scale`, which
    is the lowest and the highest rating: of 1 to 7 from 5 on, of 0 and 1 the ones.
    """

    ratings: Mapping[str, float]
    scale: tuple[float, float]
    relevant: float | None = None
    repeated: int = 0
    unknown: tuple[str, ...] = ()
    bad: tuple[str, ...] = ()
    level: Level = "page"

    @classmethod
    def of(
        cls,
        rows: Iterable[tuple[str, str | float]],
        name: Callable[[str], str] = str,
        relevant: float | None = None,
        level: Level = "page",
    ) -> "Judgements":
        """From URLs and ratings; `name` gives the page that a URL means, or nothing.

        Examples
        --------
        >>> Judgements.of([("a", "7"), ("a", "6"), ("b", "1"), ("c", "good")])
        <Judgements of 2 pages, 1 relevant: rated above 4>
        """
        given, every = dict[str, list[float]](), list[float]()
        unknown, bad = dict[str, None](), list[str]()
        for url, rating in rows:
            value = _number(rating)
            if value is None:
                bad.append(str(rating))
                continue
            every.append(value)
            if page := name(url):
                given.setdefault(page, []).append(value)
            else:
                unknown[url] = None
        means = {page: sum(values) / len(values) for page, values in given.items()}
        often = sum(len(values) > 1 for values in given.values())
        scale = min(every, default=0.0), max(every, default=0.0)
        made = cls(means, scale, relevant, often, tuple(unknown), tuple(bad), level)
        if not means:
            reasons = "; ".join(made.problems()) or "there is none"
            raise BadParameter(f"no rating can be used: {reasons}", hint=HEADER)
        return made

    @property
    def threshold(self) -> float:
        """The rating from which, or without `relevant` above which, a page is relevant."""
        return sum(self.scale) / 2 if self.relevant is None else self.relevant

    def are_relevant(self, ratings: Floats) -> Flags:
        """Which ratings are those of relevant pages."""
        return ratings > self.threshold if self.relevant is None else ratings >= self.threshold

    def problems(self) -> list[str]:
        """What could not be used as it is, a sentence each."""
        found = []
        if self.bad:
            found.append(
                f"{count(len(self.bad), 'row')} without a number, such as {_some(self.bad)}"
            )
        if self.unknown:
            what = f"{count(len(self.unknown), 'URL')} of no {self.level} here"
            found.append(f"{what}, such as {_some(self.unknown)}")
        if self.repeated:
            found.append(
                f"{count(self.repeated, self.level)} rated more than once: the mean counts"
            )
        return found

    def __len__(self) -> int:
        return len(self.ratings)

    def __repr__(self) -> str:
        relevant = int(self.are_relevant(np.array(list(self.ratings.values()))).sum())
        how = "at least" if self.relevant is not None else "above"
        size = f"{count(len(self), self.level)}, {relevant:,} relevant"
        return f"<Judgements of {size}: rated {how} {self.threshold:g}>"


def _number(rating: str | float) -> float | None:
    try:
        value = float(rating)
    except ValueError:
        return None
    return value if isfinite(value) else None


def _some(things: Sequence[str]) -> str:
    return listed([repr(shortened(thing, 80)) for thing in things[:SHOWN]])


def read_ratings(path: str | PathLike[str]) -> Iterator[tuple[str, str]]:
    """The URLs and ratings of a CSV file, whose header names the columns url and rating.

    Other columns are left alone, and so are empty lines; names of columns may
    be in capitals, and a semicolon or a tab may stand for the comma.
    """
    file = Path(path)
    try:
        with file.open(encoding="utf-8-sig", errors="replace", newline="") as lines:
            yield from _rows(lines, file)
    except OSError as error:
        raise BadParameter(f"{file} cannot be read: {error.strerror}") from error
    except csv.Error as error:
        raise BadParameter(f"{file} is no CSV: {error}", hint=HEADER) from error


def _rows(lines: Iterator[str], file: Path) -> Iterator[tuple[str, str]]:
    header = next((line for line in lines if line.strip()), "")
    if not header:
        raise BadParameter(f"{file} is empty", hint=HEADER)
    names = list[str]()
    for delimiter in DELIMITERS:
        names = [name.strip().lower() for name in next(csv.reader([header], delimiter=delimiter))]
        if set(COLUMNS) <= set(names):
            break
    else:
        known = shortened(header, 80)
        raise BadParameter(f"{file} has no columns url and rating but {known!r}", hint=HEADER)
    places = [names.index(column) for column in COLUMNS]
    for row in csv.reader(lines, delimiter=delimiter):
        if any(cell.strip() for cell in row):
            url, rating = (row[at].strip() if at < len(row) else "" for at in places)
            yield url, rating


@dataclass(frozen=True, slots=True)
class Evaluation:
    """How well a ranking agrees with the ratings of its pages.

    `precision` is the share of relevant pages among the first `k` that were
    rated, `ndcg` their discounted gain as a share of the best possible, and
    `tau` Kendall's tau-b of scores and ratings. `judged` is how many pages of
    the ranking were rated, and `judged_in_top` how many of the first `k`.
    """

    method: str
    k: int
    precision: float
    ndcg: float
    tau: float
    judged: int
    judged_in_top: int
    in_top: int

    @property
    def row(self) -> dict[str, Any]:
        """The measures by name."""
        return {
            "method": self.method,
            "top": self.k,
            "precision": self.precision,
            "ndcg": self.ndcg,
            "tau_b": self.tau,
            "judged": self.judged,
            "judged_in_top": self.judged_in_top,
            "unjudged_in_top": self.in_top - self.judged_in_top,
        }


@dataclass(frozen=True, slots=True, eq=False)
class Evaluations(Tabular):
    """Rankings judged by the same ratings."""

    judgements: Judgements
    methods: tuple[Evaluation, ...]

    def to_table(self) -> pa.Table:
        """One row per ranking, in the order given."""
        return pa.Table.from_pylist([each.row for each in self.methods], schema=SCHEMA)

    def notes(self) -> list[str]:
        """What a reader must know: how many pages were judged, and what could not be used."""
        known = len(self.judgements)
        missing = [
            f"{count(known - each.judged, 'rating')} of pages that {each.method} does not rank"
            for each in self.methods
            if each.judged < known
        ]
        return [repr(self.judgements).strip("<>"), *self.judgements.problems(), *missing]

    def __repr__(self) -> str:
        known = [each for each in self.methods if each.judged]
        if not known:
            return f"<{count(len(self.methods), 'ranking')}, no page of which is judged>"
        best = max(known, key=lambda each: each.ndcg)
        size = count(len(self.methods), "ranking")
        return f"<{size} judged by {len(self.judgements):,} ratings, nDCG best by {best.method}>"


def evaluate(
    ranking: Ranking, judgements: Judgements | Mapping[str, float], *, by: str = "", k: int = 10
) -> Evaluation:
    """Judge a ranking by ratings of some of its pages, after Amento, Terveen and Hill (2000).

    Pages without a rating are left out of the order first, so that they count
    neither for nor against it. Then precision and gain look at the first `k`
    of what is left, or all where there are fewer. The gain of a page is its
    rating, below zero nothing, divided by the logarithm to base two of its
    place plus one; the best possible is that of the rated pages in the order
    of their ratings. Pages with equal scores share the mean of what their
    places bring, so that the order of equals does not matter. What cannot be
    said, such as the correlation where all ratings are equal, is not a number.

    Examples
    --------
    >>> from weft.rank import indegree
    >>> found = evaluate(indegree([("a", "x"), ("b", "x"), ("b", "y")]), {"x": 3, "y": 1})
    >>> found.precision, found.ndcg, found.tau
    (0.5, 1.0, 1.0)
    """
    if k < 1:
        raise BadParameter(f"a head has one place or more, not {k}")
    if not isinstance(judgements, Judgements):
        judgements = Judgements.of(judgements.items())
    pages = pa.array(list(judgements.ratings), pa.large_string())
    place = pc.index_in(as_names(ranking.pages).cast(pa.large_string()), pages)
    judged = np.flatnonzero(place.is_valid().to_numpy(zero_copy_only=False))
    values = np.array(list(judgements.ratings.values()), np.float64)
    ratings = values[place.drop_null().to_numpy(zero_copy_only=False)]
    every = rounded(ranking.score(by if by in ranking.scores else ""))
    scores, top = every[judged], foremost(every, k)
    relevant = judgements.are_relevant(ratings).astype(np.float64)
    gains = np.maximum(ratings, 0.0)
    ideal = _discounted(np.sort(gains)[::-1][:k])
    head = in_order(relevant, scores)[:k]
    return Evaluation(
        ranking.method,
        k,
        float(head.mean()) if len(head) else np.nan,
        _discounted(in_order(gains, scores)[:k]) / ideal if ideal else np.nan,
        count_pairs(scores, ratings).tau,
        len(judged),
        int(np.isin(top, judged).sum()),
        len(top),
    )


def in_order(values: Floats, scores: Floats) -> Floats:
    """Values in the falling order of scores; those with equal scores become their mean.

    Examples
    --------
    >>> in_order(np.array([4.0, 1.0, 3.0]), np.array([1.0, 2.0, 1.0])).tolist()
    [1.0, 3.5, 3.5]
    """
    order = best_first(scores)
    falling = scores[order]
    group = np.concatenate([[0], np.cumsum(falling[1:] != falling[:-1])])[: len(order)]
    means = np.bincount(group, values[order]) / np.maximum(np.bincount(group), 1)
    found: Floats = means[group]
    return found


def _discounted(gains: Floats) -> float:
    return float((gains / np.log2(np.arange(2, len(gains) + 2))).sum())
