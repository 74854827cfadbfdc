"""Sarukkai's prediction: the next page by a weighted history of clicks."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Self

import numpy as np
import pyarrow as pa
from pydantic import Field

from weft.core.arrays import Floats, Ids, Offsets
from weft.core.errors import BadParameter
from weft.core.params import SkipSeen, Top, ViewedPath
from weft.core.register import Dimensions, method
from weft.graph.transitions import Sessions
from weft.usage.chain import MarkovChain
from weft.usage.predictor import (
    NO_PATH,
    describe_prediction,
    predict_entries,
    predict_unseen,
    top_pages,
)
from weft.usage.usage import Usage

HistoryWeights = Annotated[
    list[Annotated[float, Field(ge=0)]],
    Field(description="weights of the last page, the one before it, and so on; repeatable"),
]
TourLength = Annotated[
    int, Field(ge=0, le=1000, description="extend the path by this many pages, without loops")
]
DEFAULT_HISTORY_WEIGHTS = [0.5, 0.3, 0.2]
TOUR_SCHEMA = pa.schema({"step": pa.int64(), "page": pa.string(), "probability": pa.float64()})


@dataclass(frozen=True, slots=True, eq=False)
class HistoryModel:
    """A first-order chain, asked m clicks ahead from the page m clicks ago, for several m."""

    chain: MarkovChain
    entries: Offsets
    weights: tuple[float, ...]

    @classmethod
    def fit(cls, sessions: Sessions, weights: Sequence[float] = DEFAULT_HISTORY_WEIGHTS) -> Self:
        """Count the clicks of sessions.

        Examples
        --------
        >>> model = HistoryModel.fit(Sessions.from_paths(["abc", "ac", "bc"]), [0.5, 0.5])
        >>> model.predict(np.array([0, 1], np.int32), top=2)
        (array([2], dtype=int32), array([1.]))
        """
        transitions = sessions.transitions
        chain = MarkovChain.from_counts(transitions.counts)
        return cls(chain, transitions.entries, check_history_weights(weights))

    def predict(self, path: Ids, top: int) -> tuple[Ids, Floats]:
        """The most probable next pages; their probabilities sum to one, without leaving."""
        if not len(path):
            return predict_entries(self.entries, top)
        recent = path[: -len(self.weights) - 1 : -1]
        shares = self.chain.weigh_history(self.chain.states(recent).tolist(), self.weights)
        return top_pages(self.chain.pages, shares, top)


def check_history_weights(weights: Sequence[float]) -> tuple[float, ...]:
    """The weights of a history, scaled to sum one."""
    total = sum(weights)
    if total <= 0:
        raise BadParameter(
            "the history weights add up to zero", hint="give one a positive weight, such as 0.5"
        )
    return tuple(weight / total for weight in weights)


@method(
    "usage",
    "sarukkai",
    cites="sarukkai2000",
    dimensions=Dimensions(
        model="Markov model",
        metric="transition probabilities",
        algorithm="counting",
        scope="multiple pages",
        applications=("page recommendation", "link prediction", "adaptive web sites"),
        data="usage",
    ),
)
def sarukkai(
    sessions: Sessions,
    *,
    path: ViewedPath = NO_PATH,
    top: Top = 10,
    history_weights: HistoryWeights = DEFAULT_HISTORY_WEIGHTS,
    skip_seen: SkipSeen = True,
    tour: TourLength = 0,
) -> Usage:
    """Predict the next page by a weighted history of clicks.

    With A the chain of clicks, the page m clicks ago predicts m clicks ahead, by
    its row of A^m, and the predictions are added up by `history_weights`. So
    pages before the last one have a say, at the cost of a first-order model.
    Leaving the site is no state. `tour` extends the path by the most probable
    page that is not on it, again and again.

    Examples
    --------
    >>> found = sarukkai(["abc", "abd", "abc"], path=["a"], tour=2)
    >>> found.to_table("tour")["page"].to_pylist()
    ['b', 'c']
    """
    model = HistoryModel.fit(sessions, history_weights)
    visited = sessions.graph.page_numbers(path)
    prediction = predict_unseen(model, visited, top) if skip_seen else model.predict(visited, top)
    facts = {
        "history": min(len(visited), len(model.weights)),
        "states": len(model.chain),
        "size": len(model.chain.rows.ids),
    }
    found = describe_prediction("sarukkai", sessions, visited, prediction, facts)
    tables = {"tour": _tour_table(sessions, model, visited, tour)} if tour else {}
    return replace(found, tables={**found.tables, **tables})


def _tour_table(sessions: Sessions, model: HistoryModel, path: Ids, steps: int) -> pa.Table:
    """The most probable unseen page after the path, again and again, while there is one."""
    rows = []
    for step in range(1, steps + 1):
        pages, probabilities = predict_unseen(model, path, 1)
        if not len(pages):
            break
        path = np.append(path, pages)
        name = sessions.graph.pages[int(pages[0])]
        rows.append({"step": step, "page": name, "probability": float(probabilities[0])})
    return pa.Table.from_pylist(rows, TOUR_SCHEMA)
