"""`Predictor`, what every model of the next page offers, and its answer as a result."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from weft.core.arrays import Floats, Ids, Offsets
from weft.core.text import pluralise
from weft.graph.transitions import Sessions
from weft.graph.webgraph import link_weights
from weft.usage.usage import Usage

NO_PATH: list[str] = []
NO_SESSIONS_NOTE = "there are no sessions"
PREDICTION_SCHEMA = pa.schema(
    {
        "page": pa.string(),
        "probability": pa.float64(),
        "clicks": pa.int64(),
        "views": pa.int64(),
        "linked": pa.bool_(),
    }
)


class Predictor(Protocol):
    """A fitted model of the page that a visitor views next."""

    def predict(self, path: Ids, top: int) -> tuple[Ids, Floats]:
        """The most probable next pages after a path, at most `top`, and their probabilities.

        The path is in order of time, and the prediction for an empty one is
        where sessions begin. Pages of probability zero are left out, and equal
        probabilities are in page order. Leaving the site is not a page: the
        probabilities of all pages sum to one less that of leaving, or to one
        in a model without leaving.
        """


def top_pages(pages: Ids, probabilities: Floats, top: int) -> tuple[Ids, Floats]:
    """The most probable of some pages, each given once; ties are in page order.

    Examples
    --------
    >>> top_pages(np.array([7, 2, 5], np.int32), np.array([0.25, 0.25, 0.5]), 2)
    (array([5, 2], dtype=int32), array([0.5 , 0.25]))
    """
    if top < len(pages):
        threshold = np.partition(probabilities, -top)[-top]
        near = probabilities >= threshold - 1e-12
        pages, probabilities = pages[near], probabilities[near]
    order = np.lexsort((pages, -np.round(probabilities, 12)))[:top]
    order = order[probabilities[order] > 0]
    return pages[order], probabilities[order]


def predict_entries(entries: Offsets, top: int) -> tuple[Ids, Floats]:
    """The pages where most sessions begin, and the shares of sessions that do."""
    pages = np.flatnonzero(entries).astype(np.int32)
    return top_pages(pages, entries[pages] / max(entries.sum(), 1), top)


def predict_unseen(model: Predictor, path: Ids, top: int) -> tuple[Ids, Floats]:
    """The most probable next pages that are not in the path."""
    seen = np.unique(path)
    pages, probabilities = model.predict(path, top + len(seen))
    unseen = ~np.isin(pages, seen)
    return pages[unseen][:top], probabilities[unseen][:top]


def describe_prediction(
    method: str,
    sessions: Sessions,
    path: Ids,
    prediction: tuple[Ids, Floats],
    facts: Mapping[str, Any],
    notes: Sequence[str] = (),
) -> Usage:
    """The result of a predictor: the next pages with the clicks and links behind them.

    `clicks` counts clicks from the last page of the path, or sessions that
    begin at the page if the path is empty.
    """
    pages, probabilities = prediction
    transitions, graph = sessions.transitions, sessions.graph
    if len(path):
        last = int(path[-1])
        row = slice(transitions.counts.starts[last], transitions.counts.starts[last + 1])
        clicks = np.zeros(len(graph), np.int64)
        clicks[transitions.counts.ids[row]] = link_weights(transitions.counts)[row]
        linked = np.isin(pages, graph.outlinks.row(last))
    else:
        clicks, linked = transitions.entries, np.zeros(len(pages), bool)
    table = pa.table(
        [
            graph.names.take(pa.array(pages)),
            probabilities,
            clicks[pages],
            transitions.views[pages],
            linked,
        ],
        schema=PREDICTION_SCHEMA,
    )
    best = graph.pages[int(pages[0])] if len(pages) else None
    head: dict[str, Any] = {
        "next page": best,
        "probability": float(probabilities[0]) if len(pages) else None,
    }
    return Usage(
        method,
        {**head, **facts, "sessions": len(sessions), "clicks": transitions.clicks},
        {"next": table},
        (*_prediction_notes(sessions, path, pages), *notes),
    )


def _prediction_notes(sessions: Sessions, path: Ids, pages: Ids) -> list[str]:
    if not len(sessions.pages):
        return [NO_SESSIONS_NOTE]
    notes = []
    if not len(path):
        notes.append("no path is given: these are the pages where sessions begin")
    unseen = np.unique(path[sessions.transitions.views[path] == 0])
    if len(unseen):
        names = ", ".join(sessions.names(unseen[:3])) + (", …" if len(unseen) > 3 else "")
        notes.append(f"{pluralise(len(unseen), 'page')} of the path never viewed: {names}")
    if not len(pages):
        notes.append("the model knows no click after this path")
    return notes
