"""Stability of a ranking under random loss of links or pages."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
import pyarrow as pa
from pydantic import Field

from weft.core.arrays import Floats
from weft.core.params import Seed, Top
from weft.core.progress import track
from weft.core.register import validate_call
from weft.core.tables import Tabular
from weft.core.text import pluralise
from weft.engine import singular_triplets
from weft.graph.views import subgraph
from weft.graph.webgraph import WebGraph, link_weights
from weft.rank.compare import RankingAgreement, compare
from weft.rank.ranking import Ranking

DropUnit = Literal["links", "pages"]


@dataclass(frozen=True, slots=True, eq=False)
class Stability(Tabular):
    """Agreement of a ranking with the rankings of randomly thinned graphs.

    Each trial is compared with the ranking of the full graph, on the pages
    that remain. `eigengap` is the difference of the two largest eigenvalues of
    the co-citation matrix A'A, and `eigenvalue_ratio` the second over the
    first: near one, a few links can change the order of eigenvector methods.
    """

    method: str
    trials: tuple[RankingAgreement, ...]
    drop: float
    dropping: DropUnit
    eigengap: float
    eigenvalue_ratio: float

    @property
    def row(self) -> dict[str, Any]:
        """The mean and the minimum of each measure over the trials."""
        measures = {
            "tau_b": [trial.pair_counts.tau_b for trial in self.trials],
            "rbo": [trial.rbo.extrapolated for trial in self.trials],
            "overlap": [trial.overlap.share for trial in self.trials],
        }
        return {
            "method": self.method,
            "trials": len(self.trials),
            "drop": self.drop,
            **{f"{name}_mean": float(np.mean(values)) for name, values in measures.items()},
            **{f"{name}_min": float(np.min(values)) for name, values in measures.items()},
            "gap": self.eigengap,
            "ratio": self.eigenvalue_ratio,
        }

    def to_table(self) -> pa.Table:
        """One row: mean and minimum over the trials, and the eigengap."""
        return pa.Table.from_pylist([self.row])

    def __repr__(self) -> str:
        row = self.row
        return (
            f"<Stability of {self.method}: tau-b mean {row['tau_b_mean']:.2f}, "
            f"min {row['tau_b_min']:.2f}, {self.drop:.0%} of {self.dropping} dropped "
            f"in {pluralise(row['trials'], 'trial')}>"
        )


TrialCount = Annotated[int, Field(ge=1, le=1_000_000, description="number of trials")]
DropShare = Annotated[float, Field(ge=0, lt=1, description="share of links or pages to drop")]


@validate_call
def stability(
    graph: Any,
    method: Callable[[WebGraph], Ranking],
    *,
    trials: TrialCount = 20,
    drop: DropShare = 0.1,
    dropping: DropUnit = "links",
    seed: Seed = 0,
    by: str = "",
    top: Top = 10,
) -> Stability:
    """Rank again with links or pages dropped at random, and compare.

    Each link, or each page with its links, is dropped with probability `drop`.
    `by` names the score to compare, and `top` the size of the overlap.

    Examples
    --------
    >>> from weft.rank import indegree
    >>> links = [("a", "x"), ("b", "x"), ("c", "x"), ("b", "y"), ("c", "y"), ("c", "z")]
    >>> stability(links, indegree)
    <Stability of indegree: tau-b mean 0.94, min 0.67, 10% of links dropped in 20 trials>
    """
    web = WebGraph.from_any(graph)
    full = method(web)
    rng = np.random.default_rng(seed)
    agreements: list[RankingAgreement] = []
    for _ in track(range(trials), f"{full.method} trials", trials):
        thinned = method(_drop_at_random(web, drop, dropping, rng))
        agreements += compare([full, thinned], by=by, top=top).agreements
    eigenvalues = np.square(singular_triplets(web.operator(), 2).values)
    first, second = (*eigenvalues, 0.0, 0.0)[:2]
    ratio = float(second / first) if first else np.nan
    return Stability(full.method, tuple(agreements), drop, dropping, float(first - second), ratio)


def _drop_at_random(
    graph: WebGraph, drop: float, dropping: DropUnit, rng: np.random.Generator
) -> WebGraph:
    if dropping == "pages":
        return subgraph(graph, rng.random(len(graph)) >= drop)[0]
    links = graph.outlinks
    keep = rng.random(graph.link_count) >= drop
    source, target = links.row_ids()[keep], np.asarray(links.ids)[keep]
    weights: Floats = np.asarray(link_weights(links), np.float64)[keep]
    return WebGraph.from_arrays(graph.pages, source, target, weights, self_links=True)
