"""The next page, learned from sessions and links: counts of paths, ranked by boosted trees."""

from dataclasses import dataclass, replace
from typing import Annotated, Any, NamedTuple, Self

import numpy as np
import pyarrow as pa
from pydantic import Field

from weft.core.arrays import CSR, Floats, Ids, Offsets, take_rows
from weft.core.memoize import memoize_latest
from weft.core.params import Seed, Top, ViewedPath
from weft.core.register import Dimensions, method
from weft.graph.transitions import Sessions
from weft.usage.choice_trees import (
    BoostingOptions,
    Choices,
    ChoiceTrees,
    Features,
    boost_choices,
    choice_probabilities,
)
from weft.usage.path_tables import PathQueries, PathTables, clicked_views
from weft.usage.predictor import NO_PATH, describe_prediction, predict_entries, top_pages
from weft.usage.usage import Usage

COUNTED_SHARE = 0.75  # of the sessions that counts come from while the trees are learned
MIN_CHOICES, MAX_CHOICES, MAX_ALTERNATIVES = 200, 24_000, 2_000_000
CLICKS_PER_BLOCK = 4096
FIRST_ORDER = 1  # the column of the features that a first-order Markov model goes by

HoldOut = Annotated[
    float,
    Field(ge=0, le=0.5, description="share of the sessions, the latest, that test the model"),
]


class PredictionQuality(NamedTuple):
    """How well clicks were predicted: shares of hits, and the mean reciprocal rank."""

    clicks: int
    hit_1: float
    hit_5: float
    reciprocal_rank: float

    @classmethod
    def from_ranks(cls, ranks: Floats) -> Self:
        """From the rank of each page that was clicked, infinite if it was not predicted.

        Examples
        --------
        >>> PredictionQuality.from_ranks(np.array([1, 2, np.inf]))
        PredictionQuality(clicks=3, hit_1=0.333..., hit_5=0.666..., reciprocal_rank=0.5)
        """
        if not len(ranks):
            return cls(0, 0.0, 0.0, 0.0)
        hit_1, hit_5 = (float((ranks <= top).mean()) for top in (1, 5))
        return cls(len(ranks), hit_1, hit_5, float((1 / ranks).mean()))


@dataclass(frozen=True, slots=True, eq=False)
class NextPageModel:
    """A fitted model of the next click: counts of paths, and trees that weigh what they say.

    `coverage` is the share of clicks that led to one of the candidates, and
    the sum of the probabilities of all of them.
    """

    tables: PathTables
    trees: ChoiceTrees
    coverage: float

    @classmethod
    def fit(cls, sessions: Sessions, *, seed: int = 0) -> Self:
        """Count the clicks of sessions, and learn how much to trust which count.

        The trees learn from clicks of sessions that were not counted: the
        latest quarter, or one drawn at random where times are unknown. Then
        all sessions are counted. Where clicks are few there are no trees, and
        the probabilities are those of Kneser and Ney.

        Examples
        --------
        >>> model = NextPageModel.fit(Sessions.from_paths(["abc", "abd", "abc"]))
        >>> pages, probabilities = model.predict(np.array([0, 1], np.int32), top=1)
        >>> pages, len(model.trees)
        (array([2], dtype=int32), 0)
        """
        earlier, later = split_sessions(sessions, 1 - COUNTED_SHARE, seed)
        untrained = cls(PathTables.count(earlier), ChoiceTrees.empty(), 1.0)
        trees, coverage = untrained.learn_trees(later, seed)
        return cls(PathTables.count(sessions), trees, coverage)

    def learn_trees(self, sessions: Sessions, seed: int) -> tuple[ChoiceTrees, float]:
        """Trees for the clicks of sessions that were not counted, and the coverage of them."""
        clicked = clicked_views(sessions)
        rng = np.random.default_rng(seed)
        if len(clicked) > MAX_CHOICES:
            clicked = np.sort(rng.choice(clicked, MAX_CHOICES, replace=False))
        queries = self.tables.ask(sessions.starts, sessions.pages, clicked)
        candidates, target = self._candidates(queries), sessions.pages[clicked]
        row = candidates.row_ids()
        covered = np.unique(row[candidates.ids == target[row]])
        # as if one more click had led to a candidate
        coverage = float((len(covered) + 1) / (len(clicked) + 1))
        if len(covered) < MIN_CHOICES:
            return ChoiceTrees.empty(), coverage
        if len(candidates.ids) > MAX_ALTERNATIVES:
            count = int(len(covered) * MAX_ALTERNATIVES / len(candidates.ids))
            covered = np.sort(rng.choice(covered, count, replace=False))
        queries, candidates = queries.take(covered), take_rows(candidates, covered)
        features = self._features(queries, candidates)
        is_next = candidates.ids == target[covered][candidates.row_ids()]
        choices = Choices(
            candidates.starts,
            features,
            features[:, 0].astype(np.float64),
            np.flatnonzero(is_next),
        )
        return boost_choices(choices, BoostingOptions(), seed), coverage

    def predict(self, path: Ids, top: int) -> tuple[Ids, Floats]:
        """The most probable next pages; the rest to one is any other page, not leaving."""
        if not len(path):
            return predict_entries(self.tables.facts.entries.astype(np.int64), top)
        ends = np.array([len(path)], np.int64)
        queries = self.tables.ask(np.array([0, len(path)]), np.asarray(path, np.int32), ends)
        candidates = self._candidates(queries)
        if not len(candidates.ids):
            return np.zeros(0, np.int32), np.zeros(0)
        features = self._features(queries, candidates)
        return top_pages(candidates.ids, self._probabilities(candidates, features), top)

    def rank_clicks(self, sessions: Sessions) -> tuple[Floats, Floats]:
        """The rank of each page clicked in sessions, by this model and by the first order alone.

        It is infinite where the page was not a candidate. Equal probabilities
        share the mean of their ranks.
        """
        ranks, plain = [np.zeros(0)], [np.zeros(0)]
        clicked = clicked_views(sessions)
        queries = self.tables.ask(sessions.starts, sessions.pages, clicked)
        for first in range(0, len(clicked), CLICKS_PER_BLOCK):
            block = slice(first, first + CLICKS_PER_BLOCK)
            part = queries.take(block)
            candidates = self._candidates(part)
            features, target = self._features(part, candidates), sessions.pages[clicked[block]]
            scores = self._probabilities(candidates, features)
            ranks.append(_rank_targets(candidates, scores, target))
            plain.append(_rank_targets(candidates, features[:, FIRST_ORDER], target))
        return np.concatenate(ranks), np.concatenate(plain)

    def _candidates(self, queries: PathQueries) -> CSR:
        """The candidates of each query."""
        last = queries.pages[queries.ends - 1]
        pages, place = np.unique(last, return_inverse=True)
        return take_rows(self.tables.list_candidates(pages), place.astype(np.int32))

    def _features(self, queries: PathQueries, candidates: CSR) -> Features:
        from weft.kernels.click_features import click_features  # noqa: PLC0415  loads the compiler

        outlinks = self.tables.graph.outlinks
        found: Features = click_features(
            queries,
            candidates.starts,
            candidates.ids,
            (np.asarray(outlinks.starts), np.asarray(outlinks.ids)),
            self.tables.counts,
            self.tables.facts,
        )
        return found

    def _probabilities(self, candidates: CSR, features: Features) -> Floats:
        scores = self.trees.score(features, features[:, 0].astype(np.float64))
        # without the rows of queries that have no candidates
        return self.coverage * choice_probabilities(np.unique(candidates.starts), scores)


def split_sessions(sessions: Sessions, share: float, seed: int) -> tuple[Sessions, Sessions]:
    """Split off the latest sessions, or some at random where times are unknown.

    Examples
    --------
    >>> earlier, later = split_sessions(Sessions.from_paths(["ab"] * 8), 0.25, seed=0)
    >>> len(earlier), len(later)
    (6, 2)
    """
    count = len(sessions)
    order = np.random.default_rng(seed).permutation(count)
    if sessions.times.any():
        filled = np.append(sessions.times, 0)
        order = np.argsort(filled[sessions.starts[:-1]], kind="stable")
    kept = count - int(share * count)
    return sessions.take(np.sort(order[:kept])), sessions.take(np.sort(order[kept:]))


def _rank_targets(candidates: CSR, scores: Any, target: Ids) -> Floats:
    row = candidates.row_ids()
    own = np.full(len(target), np.nan)
    is_target = candidates.ids == target[row]
    own[row[is_target]] = scores[is_target]
    above = np.bincount(row, scores > own[row], len(target))
    equal = np.bincount(row, scores == own[row], len(target))
    return np.where(np.isnan(own), np.inf, above + (equal + 1) / 2)


@method(
    "usage",
    "next",
    cites="weftnext",
    dimensions=Dimensions(
        model="probabilistic model",
        metric="transition probabilities",
        algorithm="supervised learning",
        scope="multiple pages",
        applications=("page recommendation", "link prediction", "adaptive web sites"),
        data="links and usage",
    ),
)
def next_page(
    sessions: Sessions,
    *,
    path: ViewedPath = NO_PATH,
    top: Top = 10,
    hold_out: HoldOut = 0.1,
    seed: Seed = 0,
) -> Usage:
    """Predict the next page by all that a path and its links say.

    Candidates are the pages that the last page links to, or that were clicked
    there. Counts of what followed the last one, two and three pages, and what
    sessions with the same entry page went on to, are set against the popularity
    and the links of each candidate, and against the direction of the path.
    Boosted trees learn from later sessions how much each of these says. The
    probabilities are those of a click, given that there is one. The facts say
    how well the latest sessions are predicted from those before them.

    Examples
    --------
    >>> found = next_page(["abc", "abd", "abc"], path=["a", "b"])
    >>> found["next page"], found.to_table()["page"].to_pylist()
    ('c', ['c', 'd'])
    """
    visited = sessions.graph.page_numbers(path)
    model, quality, first_order = fit_and_test(sessions, hold_out, seed)
    prediction = model.predict(visited, top)
    tested = quality.clicks > 0
    facts = {
        "hit@1": quality.hit_1 if tested else None,
        "hit@5": quality.hit_5 if tested else None,
        "MRR": quality.reciprocal_rank if tested else None,
        "MRR of the last page alone": first_order.reciprocal_rank if tested else None,
        "held-out clicks": quality.clicks,
        "trees": len(model.trees),
        "size": model.tables.size,
    }
    notes = () if tested else ("no clicks are held out to test the model",)
    found = describe_prediction("next", sessions, visited, prediction, facts, notes)
    table = found.to_table()
    counts = pa.array(_clicks_after_two(model, visited, prediction[0]))
    at = table.column_names.index("clicks") + 1
    return replace(found, tables={"next": table.add_column(at, "clicks after last two", counts)})


@memoize_latest
def fit_and_test(
    sessions: Sessions, hold_out: float, seed: int
) -> tuple[NextPageModel, PredictionQuality, PredictionQuality]:
    """A model of all sessions, and how well the held-out ones are predicted from the others.

    The second quality is that of the last page alone. The trees are those that
    were tested; they have not seen the held-out sessions, which the counts of
    the model include.
    """
    earlier, later = split_sessions(sessions, hold_out, seed)
    model = NextPageModel.fit(earlier, seed=seed)
    ranks, plain = model.rank_clicks(later)
    if len(later):
        model = replace(model, tables=PathTables.count(sessions))
    return model, PredictionQuality.from_ranks(ranks), PredictionQuality.from_ranks(plain)


def _clicks_after_two(model: NextPageModel, path: Ids, pages: Ids) -> Offsets:
    """How often each page was clicked after the last two pages, or first of all."""
    counts = np.zeros(len(model.tables.graph), np.int64)
    if len(path):
        context = model.tables.contexts.number(np.array([0, len(path)]), path)[-1, 1]
        rows = model.tables.counts.by_order[1]
        if context >= 0:
            row = slice(rows.starts[context], rows.starts[context + 1])
            counts[rows.ids[row]] = rows.weights[row]  # type: ignore[index]
    return counts[pages]
