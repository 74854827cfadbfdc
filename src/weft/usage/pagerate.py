"""PageRate: ratings of pages by clicks, after Zhu, Hong and Hughes."""

from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np
import pyarrow as pa
from pydantic import Field

from weft.core.arrays import Floats, Offsets, round_significant
from weft.core.params import Damping, MaxIter, Tol
from weft.core.register import Dimensions, method
from weft.core.text import pluralise
from weft.engine import Trace, safe_power
from weft.graph.transitions import Transitions
from weft.graph.webgraph import link_weights, row_sums
from weft.usage.usage import Usage

CountEntries = Annotated[
    bool, Field(description="count the beginning of a session as a click to its page")
]
LISTED_PAGES = 5
RECONSTRUCTION_NOTE = (
    "after Zhu, Hong and Hughes (2001): the formula is reconstructed from their abstract"
)
RATE_SCHEMA = pa.schema(
    {
        "page": pa.string(),
        "rate": pa.float64(),
        "clicks in": pa.int64(),
        "clicks out": pa.int64(),
        "entries": pa.int64(),
        "gain": pa.float64(),
    }
)


@method(
    "usage",
    "pagerate",
    cites="zhu2001",
    dimensions=Dimensions(
        model="Markov model",
        metric="PageRank",
        algorithm="PageRank",
        scope="single page",
        applications=("adaptive web sites", "web search"),
        data="usage",
    ),
)
def pagerate(
    transitions: Transitions,
    *,
    damping: Damping = 0.85,
    count_entries: CountEntries = False,
    tol: Tol = 1e-10,
    max_iter: MaxIter = 1000,
) -> Usage:
    """Rate pages by clicks, as PageRate does.

    The rate of a page is (1-d) + d times the sum, over the pages that visitors
    came from, of their rate times the clicks from there divided by all clicks
    *into* there. The division fails for pages that no click leads to: such
    pages, where sessions only begin, pass nothing on, and are named. A page with
    few clicks in and many out passes on many times what it has: its `gain` is
    above one. `count_entries` counts sessions that begin at a page as clicks
    into it, which cures both. `weft rank usage-pagerank` is the stable
    alternative.

    Examples
    --------
    >>> found = pagerate(["ab", "cab"], damping=0.5)
    >>> [(row["page"], row["rate"]) for row in found.to_table().to_pylist()]
    [('b', 1.0), ('a', 0.5), ('c', 0.5)]
    >>> found.notes[0]
    '1 page where sessions begin has no clicks in, which divides by zero: c'
    """
    into = np.bincount(
        transitions.counts.ids, link_weights(transitions.counts), len(transitions.graph)
    ).astype(np.float64)
    out = row_sums(transitions.counts, weighted=True)
    arrivals = into + transitions.entries if count_entries else into
    scale = damping * safe_power(arrivals, -1.0)
    rates, trace = _solve_rates(transitions, scale, 1 - damping, tol, max_iter)
    undefined, gain = np.flatnonzero((arrivals == 0) & (out > 0)), out * scale
    viewed = np.flatnonzero(transitions.views)
    order = viewed[np.lexsort((viewed, -into[viewed], -round_significant(rates[viewed])))]
    table = pa.table(
        [
            transitions.graph.names.take(pa.array(order)),
            rates[order],
            into[order].astype(np.int64),
            out[order].astype(np.int64),
            transitions.entries[order],
            pa.array(gain[order], mask=arrivals[order] == 0),
        ],
        schema=RATE_SCHEMA,
    )
    facts: dict[str, Any] = {
        "best page": table["page"][0].as_py() if len(table) else None,
        "converged": trace.converged,
        "iterations": trace.iterations,
        "divisions by zero": len(undefined),
        "pages with gain above one": int(np.count_nonzero(gain > 1)),
        "largest gain": float(gain.max(initial=0)),
        "pages": len(viewed),
        "clicks": transitions.clicks,
    }
    notes = _write_notes(transitions, undefined, trace)
    return Usage("pagerate", facts, {"rates": table}, (*notes, RECONSTRUCTION_NOTE))


def _solve_rates(
    transitions: Transitions, scale: Floats, constant: float, tol: float, max_iter: int
) -> tuple[Floats, Trace]:
    """Iterate x = constant + M'x, M(q, p) = scale[q] N(q, p).

    With scale d / N_in, M has the eigenvalues of N(q, p) d / N_in(p), whose
    columns sum to d: the iteration converges.
    """
    counts = transitions.counts
    source = counts.row_ids()
    weight = link_weights(counts) * scale[source]
    rates: Floats = np.full(len(transitions.graph), constant, np.float64)
    change = 0.0
    for iteration in range(1, max_iter + 1):
        last = rates
        arrived = np.bincount(counts.ids, last[source] * weight, len(last))
        rates = constant + arrived.astype(np.float64)
        change = float(np.abs(rates - last).sum() / max(rates.sum(), constant))
        if change < tol:
            return rates, Trace(iteration, change, converged=True)
    return rates, Trace(max_iter, change, converged=False, stopped="max_iter")


def _write_notes(transitions: Transitions, undefined: Offsets, trace: Trace) -> Iterator[str]:
    if not transitions.clicks:
        yield "there are no clicks: all rates are equal"
    if len(undefined):
        pages = pluralise(len(undefined), "page")
        have = "has" if len(undefined) == 1 else "have"
        names = [transitions.graph.pages[int(page)] for page in undefined[:LISTED_PAGES]]
        listed = ", ".join(names) + (", …" if len(undefined) > LISTED_PAGES else "")
        yield f"{pages} where sessions begin {have} no clicks in, which divides by zero: {listed}"
    if not trace.converged:
        yield f"not converged after {pluralise(trace.iterations, 'iteration')}"
