"""Links that are answered: pages that refer to each other."""

import numpy as np
import pyarrow as pa

from weft.core.dimensions import Dimensions
from weft.core.methods import method
from weft.engine.mutual import answered
from weft.graph.webgraph import WebGraph
from weft.structure.fetched import SeenPages, fetched
from weft.structure.shape import Shape


@method(
    "structure",
    "reciprocity",
    cites="efe2000",
    dimensions=Dimensions(
        model="direct and indirect reference",
        metric="bibliometric measures",
        algorithm="counting",
        scope="multiple pages",
        applications=("modelling the web graph",),
    ),
)
def reciprocity(graph: WebGraph, *, seen: SeenPages = "drop") -> Shape:
    """Count the pairs that refer to each other, and the share of links that are answered.

    Each such pair has two of the links, so that the share is twice the number
    of pairs by that of links. As much would be answered by chance, were the
    same number of links spread evenly, as the share of all ordered pairs that
    have a link. The table lists who has answered links, most first.

    Examples
    --------
    >>> found = reciprocity(WebGraph.from_links([("a", "b"), ("b", "a"), ("a", "c"), ("b", "c")]))
    >>> found
    <reciprocity: reciprocity 0.5, mutual pairs 1, links 4, by chance 0.6667>
    >>> found.to_table().to_pylist()[0]
    {'page': 'a', 'mutual': 1, 'links out': 2, 'links in': 1}
    """
    graph, notes = fetched(graph, seen)
    n, links = len(graph), len(graph.outlinks.ids)
    both = answered(graph.outlinks, graph.inlinks).astype(np.int64)
    facts = {
        "reciprocity": float(both.sum() / links) if links else 0.0,
        "mutual pairs": int(both.sum()) // 2,
        "links": links,
        "by chance": links / (n * (n - 1)) if n > 1 else 0.0,
        f"{graph.level}s": n,
        f"{graph.level}s with answered links": int(np.sum(both > 0)),
    }
    order = np.argsort(-both, kind="stable")[: int(np.sum(both > 0))]
    out, into = (np.diff(np.asarray(rows.starts)) for rows in (graph.outlinks, graph.inlinks))
    table = pa.table(
        {
            "page": graph.names.take(pa.array(order)),
            "mutual": both[order],
            "links out": out[order],
            "links in": into[order],
        }
    )
    return Shape("reciprocity", facts, {"pages": table}, notes)
