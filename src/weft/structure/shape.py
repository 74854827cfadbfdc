"""What every structure method returns, and the option to drop pages that were not captured."""

from dataclasses import dataclass, replace
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from weft.core.arrays import CSR
from weft.core.fact_sheet import FactSheet
from weft.core.memoize import memoize
from weft.core.text import pluralise
from weft.graph.views import Dropped, subgraph
from weft.graph.webgraph import WebGraph


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Shape(FactSheet):
    """The structure of a graph: facts, the tables behind them, and notes."""


UncapturedPages = Annotated[
    Literal["drop", "keep"], Field(description="drop or keep pages that are linked, not captured")
]


def apply_uncaptured_option(
    graph: WebGraph, uncaptured: Literal["drop", "keep"]
) -> tuple[WebGraph, tuple[str, ...]]:
    """Drop or keep the pages that are linked, not captured, and note how many there are.

    The graph that is left has no link weights: no structure method reads them.

    Examples
    --------
    >>> apply_uncaptured_option(WebGraph.from_links([("a", "b")]), "drop")
    (<WebGraph: 2 pages, 1 link>, ())
    """
    is_uncaptured = graph.uncaptured
    if is_uncaptured is None or not is_uncaptured.any():
        return graph, ()
    pages = pluralise(int(is_uncaptured.sum()), graph.level)
    if uncaptured == "keep":
        return graph, (f"{pages} not captured, kept without links (uncaptured=keep)",)
    captured, dropped = _captured_subgraph(graph)
    links = pluralise(dropped.links, "link")
    return captured, (f"{pages} linked, not captured, dropped with {links} (uncaptured=drop)",)


@memoize
def _captured_subgraph(graph: WebGraph) -> tuple[WebGraph, Dropped]:
    """The graph of the captured pages without link weights, and what was dropped."""
    outlinks, inlinks = (CSR(rows.starts, rows.ids) for rows in (graph.outlinks, graph.inlinks))
    unweighted = replace(graph, outlinks=outlinks, inlinks=inlinks)
    return subgraph(unweighted, ~np.asarray(graph.uncaptured))
