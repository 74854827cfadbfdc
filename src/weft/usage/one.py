"""ONE: a compressed Markov chain of forward paths, after Zhu, Hong and Hughes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, Self

import numpy as np
import pyarrow as pa
from pydantic import Field

from weft.core.arrays import CSR, Floats, Ids, Offsets, pack_pairs, unpack_pairs
from weft.core.params import SkipSeen, Top, ViewedPath
from weft.core.register import Dimensions, method
from weft.core.text import pluralise
from weft.engine import safe_power
from weft.graph.transitions import Sessions
from weft.graph.webgraph import build_csr
from weft.usage.chain import MarkovChain
from weft.usage.forward_references import ForwardReferences, forward_path
from weft.usage.predictor import (
    NO_PATH,
    describe_prediction,
    predict_entries,
    predict_unseen,
    top_pages,
)
from weft.usage.sarukkai import DEFAULT_HISTORY_WEIGHTS, HistoryWeights, check_history_weights
from weft.usage.usage import Usage

RECONSTRUCTION_NOTE = (
    "after Zhu, Hong and Hughes (2002): the similarity of pages and the sharing are reconstructed"
)
MergeRule = Literal["sum", "product"]
MergeError = Annotated[
    MergeRule,
    Field(
        description="error of merging two pages: differences of rows and of columns added (sum), "
        "or multiplied as by Spears (product)"
    ),
]
MaxMergeError = Annotated[
    float, Field(ge=0, le=1000, description="merge pages while the error is below this")
]
ModelSize = Annotated[
    int, Field(ge=0, description="merge pages until N states are left; 0: by the error")
]
MaxModelPages = Annotated[
    int, Field(ge=1, le=10_000, description="how many of the most viewed pages to model")
]
STATES_SCHEMA = pa.schema(
    {"state": pa.int64(), "page": pa.string(), "share": pa.float64(), "arrivals": pa.float64()}
)


@dataclass(frozen=True, slots=True, eq=False)
class CompressedModel:
    """A Markov chain whose states are groups of pages that visitors use alike.

    `group` is the state of each page of `pages`, and `share` the part of the
    state's visits that goes to the page, by its `mass`: the sum of the
    transition probabilities into it. `merge_errors` has the error of each merge.
    """

    pages: Ids
    group: Ids
    mass: Floats
    share: Floats
    chain: MarkovChain
    entries: Offsets
    weights: tuple[float, ...]
    merge_errors: Floats
    coverage: float

    @classmethod
    def fit(
        cls,
        sessions: Sessions,
        *,
        weights: Sequence[float] = DEFAULT_HISTORY_WEIGHTS,
        threshold: float = 0.5,
        size: int = 0,
        error: MergeRule = "sum",
        max_pages: int = 2000,
    ) -> Self:
        """Count the steps of forward paths and merge pages; `size` 0: as far as `threshold`.

        Examples
        --------
        >>> model = CompressedModel.fit(Sessions.from_paths(["ab", "ac", "ab"]))
        >>> model.group.tolist(), model.share.round(3).tolist()
        ([0, 1, 1], [1.0, 0.667, 0.333])
        """
        from weft.kernels.markov_compression import compress_chain  # noqa: PLC0415  compiles

        counts, coverage = _count_steps(sessions, max_pages)
        whole = MarkovChain.from_counts(counts)
        source, n = whole.rows.row_ids(), len(whole)
        matrix = np.zeros((n, n))
        matrix[source, whole.rows.ids] = whole.probabilities
        mass = matrix.sum(axis=0)
        stop_at, limit = (size, np.inf) if size else (1, threshold)
        group, errors = compress_chain(matrix, mass, limit, stop_at, add=error == "sum")
        share = _share_of_group(group, mass)
        chain = merge_states(whole, group, share)
        return cls(
            whole.pages,
            group,
            mass,
            share,
            chain,
            sessions.transitions.entries,
            check_history_weights(weights),
            errors,
            coverage,
        )

    def predict(self, path: Ids, top: int) -> tuple[Ids, Floats]:
        """The most probable next pages; their probabilities sum to one, without leaving."""
        if not len(path):
            return predict_entries(self.entries, top)
        if not len(self.pages):
            return np.zeros(0, np.int32), np.zeros(0)
        latest = np.array(forward_path(path.tolist())[: -len(self.weights) - 1 : -1])
        place = np.minimum(np.searchsorted(self.pages, latest), len(self.pages) - 1)
        states = np.where(self.pages[place] == latest, self.group[place], -1)
        visits = self.chain.weigh_history(states.tolist(), self.weights)
        return top_pages(self.pages, visits[self.group] * self.share, top)


def merge_states(chain: MarkovChain, group: Ids, share: Floats) -> MarkovChain:
    """The chain of groups of states: rows are means by share, columns are sums."""
    source = chain.rows.row_ids()
    keys, place = np.unique(pack_pairs(group[source], group[chain.rows.ids]), return_inverse=True)
    probabilities = np.bincount(place, chain.probabilities * share[source]).astype(np.float64)
    states = np.arange(int(group.max(initial=-1)) + 1, dtype=np.int32)
    group_of, target = unpack_pairs(keys)
    starts = np.searchsorted(group_of, np.arange(len(states) + 1)).astype(np.int64)
    return MarkovChain(states, CSR(starts, target), probabilities)


def _count_steps(sessions: Sessions, max_pages: int) -> tuple[CSR, float]:
    """The steps of forward paths between the pages that occur most, and their share of all."""
    references, page_count = ForwardReferences.from_sessions(sessions), len(sessions.graph.pages)
    occurrences = np.bincount(references.pages, minlength=page_count)
    kept = np.zeros(page_count, bool)
    kept[np.argsort(-occurrences, kind="stable")[:max_pages]] = True
    is_step = np.ones(len(references.pages), bool)
    is_step[references.starts[:-1]] = False  # the first page of a path follows none
    target = np.flatnonzero(is_step)
    ends = references.pages[target - 1], references.pages[target]
    both = kept[ends[0]] & kept[ends[1]]
    steps = build_csr(ends[0][both], ends[1][both], None, page_count, self_links=True)
    return steps, float(both.mean()) if len(both) else 0.0


def _share_of_group(group: Ids, mass: Floats) -> Floats:
    """The share of each state in the mass of its group; equal shares where there is none."""
    group_mass = np.bincount(group, mass).astype(np.float64)[group]
    equal = 1.0 / np.bincount(group)[group]
    shares: Floats = np.where(group_mass > 0, mass * safe_power(group_mass, -1.0), equal)
    return shares


@method(
    "usage",
    "one",
    cites="zhu2002",
    dimensions=Dimensions(
        model="Markov model",
        metric="transition probabilities",
        algorithm="clustering",
        scope="multiple pages",
        applications=("page recommendation", "link prediction", "adaptive web sites"),
        data="usage",
    ),
)
def one(
    sessions: Sessions,
    *,
    path: ViewedPath = NO_PATH,
    top: Top = 10,
    history_weights: HistoryWeights = DEFAULT_HISTORY_WEIGHTS,
    error: MergeError = "sum",
    threshold: MaxMergeError = 0.5,
    size: ModelSize = 0,
    max_pages: MaxModelPages = 2000,
    skip_seen: SkipSeen = True,
) -> Usage:
    """Predict the next page by a compressed Markov chain.

    The chain is that of the maximal forward references of sessions, and the
    history that of the current forward path: pages that the visitor went back
    from do not count. Pages with similar in- and out-clicks are merged into one
    state, least error first, while the error is below `threshold`, or until
    `size` states are left. The probability of a state is shared out among its
    pages by the sum of the transition probabilities into each. The table
    `merges` has the error of each merge: a model is best cut where it rises.

    Examples
    --------
    >>> found = one(["abd", "acd", "abd"], path=["a"])
    >>> found.to_table()["page"].to_pylist(), found["states"]
    (['b', 'c'], 3)
    """
    model = CompressedModel.fit(
        sessions,
        weights=history_weights,
        threshold=threshold,
        size=size,
        error=error,
        max_pages=max_pages,
    )
    visited = sessions.graph.page_numbers(path)
    predict = predict_unseen if skip_seen else CompressedModel.predict
    facts: dict[str, Any] = {
        "states": len(model.chain),
        "pages modelled": len(model.pages),
        "size": len(model.chain.rows.ids),
        "coverage": model.coverage,
        "largest error": float(model.merge_errors.max(initial=0)),
    }
    notes = [RECONSTRUCTION_NOTE]
    left_out = int(np.count_nonzero(sessions.transitions.views)) - max_pages
    if left_out > 0:
        notes.append(f"{pluralise(left_out, 'page')} viewed less often are not in the model")
    left = len(model.pages) - np.arange(1, len(model.merge_errors) + 1)
    tables = {
        "states": _states_table(sessions, model),
        "merges": pa.table({"states": left, "error": model.merge_errors}),
    }
    prediction = predict(model, visited, top)
    found = describe_prediction("one", sessions, visited, prediction, facts, notes)
    return replace(found, tables={**found.tables, **tables})


def _states_table(sessions: Sessions, model: CompressedModel) -> pa.Table:
    """The pages of each state of several, largest state first."""
    sizes = np.bincount(model.group)
    merged = np.flatnonzero(sizes[model.group] > 1) if len(sizes) else np.zeros(0, np.int64)
    group = model.group[merged]
    order = np.lexsort((model.pages[merged], -model.mass[merged], group, -sizes[group]))
    chosen = merged[order]
    return pa.table(
        [
            model.group[chosen].astype(np.int64),
            sessions.graph.names.take(pa.array(model.pages[chosen])),
            model.share[chosen],
            model.mass[chosen],
        ],
        schema=STATES_SCHEMA,
    )
