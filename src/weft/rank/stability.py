"""Whether a ranking stands when the graph is a little different."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
import pyarrow as pa
from pydantic import Field

from weft.core.arrays import Floats
from weft.core.params import Seed, Top
from weft.core.progress import track
from weft.core.tabular import Tabular
from weft.core.validate import validated
from weft.engine import triplets
from weft.graph.views import subgraph
from weft.graph.webgraph import WebGraph, link_weights
from weft.rank.compare import Agreement, compare
from weft.rank.ranking import Ranking

Dropping = Literal["links", "pages"]


@dataclass(frozen=True, slots=True, eq=False)
class Stability(Tabular):
    """How much of a ranking is left after each of several random losses.

    Each trial is measured against the ranking of the whole graph, on the pages
    that survive. `gap` is how far the two leading eigenvalues of co-citation
    (A^T A) are apart, and `ratio` the second as a share of the first: a ratio near one lets a
    few links turn the order of methods that look for a leading vector.
    """

    method: str
    trials: tuple[Agreement, ...]
    drop: float
    dropping: Dropping
    gap: float
    ratio: float

    @property
    def row(self) -> dict[str, Any]:
        """The mean and the worst of the trials."""
        measures = {
            "tau_b": [trial.pairs.tau for trial in self.trials],
            "rbo": [trial.rbo.ext for trial in self.trials],
            "overlap": [trial.overlap.share for trial in self.trials],
        }
        return {
            "method": self.method,
            "trials": len(self.trials),
            "drop": self.drop,
            **{f"{name}_mean": float(np.mean(values)) for name, values in measures.items()},
            **{f"{name}_min": float(np.min(values)) for name, values in measures.items()},
            "gap": self.gap,
            "ratio": self.ratio,
        }

    def to_table(self) -> pa.Table:
        """One row: the mean and the worst of the trials, with the gap."""
        return pa.Table.from_pylist([self.row])

    def __repr__(self) -> str:
        row = self.row
        return (
            f"<Stability of {self.method}: tau-b {row['tau_b_mean']:.2f} on average, "
            f"{row['tau_b_min']:.2f} at worst, {self.drop:.0%} of {self.dropping} dropped "
            f"{row['trials']} times>"
        )


Trials = Annotated[int, Field(ge=1, le=1_000_000, description="how often to rank again")]
Drop = Annotated[float, Field(ge=0, lt=1, description="share of links or pages to leave out")]


@validated
def stability(
    graph: Any,
    method: Callable[[WebGraph], Ranking],
    *,
    trials: Trials = 20,
    drop: Drop = 0.1,
    dropping: Dropping = "links",
    seed: Seed = 0,
    by: str = "",
    top: Top = 10,
) -> Stability:
    """Rank again and again with some links or pages left out at random.

    Each link, or each page with its links, is left out with probability `drop`.
    Orders `by` a score, where a method gives several, are compared, and of
    these the `top` first places.

    Examples
    --------
    >>> from weft.rank import indegree
    >>> links = [("a", "x"), ("b", "x"), ("c", "x"), ("b", "y"), ("c", "y"), ("c", "z")]
    >>> stability(links, indegree)
    <Stability of indegree: tau-b 0.94 on average, 0.67 at worst, 10% of links dropped 20 times>
    """
    web = WebGraph.of(graph)
    whole = method(web)
    random = np.random.default_rng(seed)
    rounds = [
        compare([whole, method(_thinned(web, drop, dropping, random))], by=by, top=top).agreements[
            0
        ]
        for _ in track(range(trials), f"{whole.method} trials", trials)
    ]
    values = np.square(triplets(web.flow(), 2).values)
    first, second = (*values, 0.0, 0.0)[:2]
    ratio = float(second / first) if first else np.nan
    return Stability(whole.method, tuple(rounds), drop, dropping, float(first - second), ratio)


def _thinned(
    graph: WebGraph, drop: float, dropping: Dropping, random: np.random.Generator
) -> WebGraph:
    if dropping == "pages":
        return subgraph(graph, random.random(len(graph)) >= drop)[0]
    rows = graph.outlinks
    kept = random.random(graph.link_count) >= drop
    source = rows.owners()[kept]
    weights: Floats = np.asarray(link_weights(rows), np.float64)[kept]
    ends = source, np.asarray(rows.ids)[kept]
    return WebGraph.from_arrays(graph.pages, *ends, weights, self_links=True)
