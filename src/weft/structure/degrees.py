"""Degree distributions: whether in-degrees and out-degrees follow a power law."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np
import pyarrow as pa
from pydantic import Field

from weft.core.arrays import Floats
from weft.core.params import Seed
from weft.core.register import Dimensions, method
from weft.core.text import join_with_and, pluralise
from weft.graph.webgraph import WebGraph
from weft.structure.power_law import (
    AlternativeFit,
    PowerLaw,
    TailSearch,
    ValueCounts,
    bootstrap_p_value,
    fit_alternatives,
    fit_power_law,
)
from weft.structure.shape import Shape

BootstrapSamples = Annotated[
    int, Field(ge=0, le=100_000, description="bootstrap samples for the p-value; 0: no test")
]
MinTail = Annotated[int, Field(ge=10, description="minimum number of pages in a fitted tail")]
MAX_REJECTED_P_VALUE, MAX_EXPONENT, CURVE_POINTS = 0.1, 5.99, 80
FITS_SCHEMA = pa.schema(
    {
        "direction": pa.string(),
        "exponent": pa.float64(),
        "verdict": pa.string(),
        "standard error": pa.float64(),
        "x_min": pa.int64(),
        "pages fitted": pa.int64(),
        "KS distance": pa.float64(),
        "p-value": pa.float64(),
        "pages": pa.int64(),
        "without links": pa.int64(),
        "mean": pa.float64(),
        "largest": pa.int64(),
    }
)
HEAD_COLUMNS = ("direction", "exponent", "verdict")
ALTERNATIVES_SCHEMA = pa.schema(
    {
        "direction": pa.string(),
        "alternative": pa.string(),
        "verdict": pa.string(),
        "Vuong ratio": pa.float64(),
        "p-value": pa.float64(),
        "parameters": pa.string(),
    }
)


@dataclass(frozen=True, slots=True, eq=False)
class DegreeFit:
    """The degrees in one direction, the power law fitted to them, and the alternatives."""

    direction: str
    pages: int
    links: int
    degree_counts: ValueCounts
    power_law: PowerLaw | None = None
    p_value: float | None = None
    alternatives: Sequence[AlternativeFit] = ()

    @property
    def zero_share(self) -> float:
        """The share of pages without a link."""
        return 1 - len(self.degree_counts) / self.pages if self.pages else 0.0

    @property
    def verdict(self) -> str:
        """Whether the power law is plausible, in words."""
        if self.power_law is None:
            return "too few pages or degrees to tell"
        better = [fit.name for fit in self.alternatives if fit.verdict == "better"]
        equal = [fit.name for fit in self.alternatives if fit.verdict == "as well"]
        if self.p_value is not None and self.p_value <= MAX_REJECTED_P_VALUE:
            return "ruled out" + (f", {_fits_phrase(better)} better" if better else "")
        tested = "not tested" if self.p_value is None else "possible"
        if better:
            return f"{tested}, but {_fits_phrase(better)} better"
        if equal:
            return f"{tested}, {_fits_phrase(equal)} as well"
        return f"{tested}, and the alternatives fit worse"


def _fits_phrase(names: list[str]) -> str:
    return f"{join_with_and(names)} {'fits' if len(names) == 1 else 'fit'}"


@method(
    "structure",
    "degrees",
    cites="clauset2009",
    dimensions=Dimensions(
        model="whole graph",
        metric="whole-graph properties",
        algorithm="distribution fitting",
        scope="whole web",
        applications=("modelling the web graph",),
    ),
)
def degree_distribution(
    graph: WebGraph,
    *,
    bootstrap_samples: BootstrapSamples = 250,
    min_tail: MinTail = 50,
    seed: Seed = 0,
) -> Shape:
    """Fit and test power laws of in- and out-degrees.

    A power law holds from some degree x_min on, with at least `min_tail` pages:
    the one with the smallest KS distance. The exponent is the maximum-likelihood
    estimate. The p-value is the share of bootstrap samples whose own best fit is
    no closer; a law with a p-value up to 0.1 is ruled out. A law that is not
    ruled out may still be wrong, so a log-normal, an exponential and a truncated
    power law are fitted to the same tail and compared by Vuong's test. Pages
    without links are in none of these. Out-degrees are those of captured pages,
    where that is known.

    Examples
    --------
    >>> from weft.graph.synthetic import copying_graph
    >>> shape = degree_distribution(copying_graph(20_000, 5, seed=1))
    >>> 1.9 < shape["in-degree exponent"] < 2.3
    True
    """
    search = TailSearch(min_tail)
    fits = [
        _fit_degrees(direction, degrees, search, bootstrap_samples, seed)
        for direction, degrees in (("in", graph.indegrees()), ("out", _captured_outdegrees(graph)))
    ]
    rows = {fit.direction: _fit_row(fit) for fit in fits}
    facts: dict[str, Any] = {}
    for direction, row in rows.items():
        facts |= {f"{direction}-degree {name}": row[name] for name in HEAD_COLUMNS[1:]}
    for direction, row in rows.items():
        others = [name for name in row if name not in HEAD_COLUMNS]
        facts |= {f"{direction}-degree {name}": row[name] for name in others}
    notes = tuple(_write_notes(fits, graph, bootstrap_samples))
    return Shape("degrees", facts, _build_tables(fits), notes)


def _captured_outdegrees(graph: WebGraph) -> Floats:
    outdegrees = graph.outdegrees()
    return outdegrees if graph.uncaptured is None else outdegrees[~graph.uncaptured]


def _fit_degrees(
    direction: str, degrees: Floats, search: TailSearch, bootstrap_samples: int, seed: int
) -> DegreeFit:
    counts = ValueCounts.of(degrees)
    law = fit_power_law(counts, search)
    fit = DegreeFit(direction, len(degrees), int(degrees.sum()), counts, law)
    if law is None:
        return fit
    p_value = None
    if bootstrap_samples:
        p_value = bootstrap_p_value(counts, law, search, bootstrap_samples, seed)
    return replace(fit, p_value=p_value, alternatives=fit_alternatives(counts, law))


def _fit_row(fit: DegreeFit) -> dict[str, Any]:
    law = fit.power_law
    return {
        "direction": fit.direction,
        "exponent": law and law.exponent,
        "verdict": fit.verdict,
        "standard error": law and law.standard_error,
        "x_min": law and int(law.x_min),
        "pages fitted": law and law.tail_size,
        "KS distance": law and law.ks_distance,
        "p-value": fit.p_value,
        "pages": fit.pages,
        "without links": fit.pages - len(fit.degree_counts),
        "mean": fit.links / fit.pages if fit.pages else 0.0,
        "largest": int(fit.degree_counts.values.max(initial=0)),
    }


def _build_tables(fits: Sequence[DegreeFit]) -> Mapping[str, pa.Table]:
    """The fits, the alternatives, and what a plot needs: degree counts and fitted curves."""
    alternatives = [
        {
            "direction": fit.direction,
            "alternative": alternative.name,
            "verdict": alternative.verdict,
            "Vuong ratio": alternative.vuong_ratio,
            "p-value": alternative.p_value,
            "parameters": alternative.parameter_summary,
        }
        for fit in fits
        for alternative in fit.alternatives
    ]
    return {
        "fits": pa.Table.from_pylist([_fit_row(fit) for fit in fits], FITS_SCHEMA),
        "alternatives": pa.Table.from_pylist(alternatives, ALTERNATIVES_SCHEMA),
        "degrees": pa.concat_tables(_degree_counts_table(fit) for fit in fits),
        "curves": pa.concat_tables(curve for fit in fits for curve in _curve_tables(fit)),
    }


def _degree_counts_table(fit: DegreeFit) -> pa.Table:
    counts = fit.degree_counts
    return pa.table(
        {
            "direction": pa.array([fit.direction] * len(counts.values), pa.string()),
            "degree": counts.values.astype(np.int64),
            "pages": counts.counts.astype(np.int64),
            "share at least": counts.tail_counts[:-1] / max(fit.pages, 1),
        }
    )


def _curve_tables(fit: DegreeFit) -> Iterator[pa.Table]:
    """The survival function of each distribution, scaled by the share of pages in the tail."""
    yield _curve_table(fit, "power law", np.zeros(0), np.zeros(0))
    if fit.power_law is None:
        return
    x_min, x_max = fit.power_law.x_min, float(fit.degree_counts.values[-1])
    x = np.unique(np.geomspace(x_min, x_max, CURVE_POINTS).round())
    scale = fit.power_law.tail_size / fit.pages
    yield _curve_table(fit, "power law", x, scale * fit.power_law.survival(x))
    for alternative in fit.alternatives:
        survival = scale * alternative.distribution.survival(x, x_min)
        yield _curve_table(fit, alternative.name, x, survival)


def _curve_table(fit: DegreeFit, distribution: str, degrees: Floats, survival: Floats) -> pa.Table:
    return pa.table(
        {
            "direction": pa.array([fit.direction] * len(degrees), pa.string()),
            "distribution": pa.array([distribution] * len(degrees), pa.string()),
            "degree": degrees.astype(np.int64),
            "share at least": survival,
        }
    )


def _write_notes(
    fits: Sequence[DegreeFit], graph: WebGraph, bootstrap_samples: int
) -> Iterator[str]:
    for fit in fits:
        law, name = fit.power_law, f"{fit.direction}-degree"
        if fit.zero_share:
            yield f"{fit.zero_share:.1%} of {graph.level}s have {name} zero and are in no fit"
        if law is None:
            continue
        tail = pluralise(law.tail_size, graph.level)
        yield (
            f"the {name} fit is about the {tail} with {int(law.x_min):,} or more links,"
            f" {law.tail_size / fit.pages:.1%} of all"
        )
        if law.exponent < 2:
            yield f"an {name} exponent below 2 means that the mean grows with the web"
        if law.exponent > MAX_EXPONENT:
            yield f"the {name} exponent is at the end of the range searched: no power law"
        if fit.p_value is not None:
            # standard error of a share, at least that of one success
            variance = max(fit.p_value * (1 - fit.p_value), 1 / bootstrap_samples)
            error = np.sqrt(variance / bootstrap_samples)
            samples = pluralise(bootstrap_samples, "bootstrap sample")
            yield f"the {name} p-value is from {samples}, ± {error:.2g}"
    if graph.uncaptured is not None and graph.uncaptured.any():
        pages = pluralise(int(graph.uncaptured.sum()), graph.level)
        yield f"{pages} not captured are left out of the out-degrees: their links are unknown"
