"""Reciprocity: pages that link to each other."""

import numpy as np
import pyarrow as pa

from weft.core.register import Dimensions, method
from weft.graph.webgraph import WebGraph
from weft.kernels.csr import count_reciprocal_links
from weft.structure.shape import Shape, UncapturedPages, apply_uncaptured_option


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
def reciprocity(graph: WebGraph, *, uncaptured: UncapturedPages = "drop") -> Shape:
    """Count mutual pairs and the share of reciprocal links.

    A mutual pair has two links, so reciprocity = 2 * pairs / links. *By chance*
    is the reciprocity to expect if the same number of links were placed at
    random: the density of the graph, links / n (n - 1). The table lists the
    pages with reciprocal links in descending order of their number.

    Examples
    --------
    >>> shape = reciprocity(WebGraph.from_links([("a", "b"), ("b", "a"), ("a", "c"), ("b", "c")]))
    >>> shape
    <reciprocity: reciprocity 0.5, mutual pairs 1, links 4, by chance 0.6667>
    >>> shape.to_table().to_pylist()[0]
    {'page': 'a', 'mutual': 1, 'links out': 2, 'links in': 1}
    """
    graph, notes = apply_uncaptured_option(graph, uncaptured)
    n, links = len(graph), len(graph.outlinks.ids)
    mutual = count_reciprocal_links(graph.outlinks, graph.inlinks).astype(np.int64)
    pages = int(np.sum(mutual > 0))
    facts = {
        "reciprocity": float(mutual.sum() / links) if links else 0.0,
        "mutual pairs": int(mutual.sum()) // 2,
        "links": links,
        "by chance": links / (n * (n - 1)) if n > 1 else 0.0,
        f"{graph.level}s": n,
        f"{graph.level}s with reciprocal links": pages,
    }
    order = np.argsort(-mutual, kind="stable")[:pages]
    outdegree, indegree = (
        np.diff(np.asarray(rows.starts)) for rows in (graph.outlinks, graph.inlinks)
    )
    table = pa.table(
        {
            "page": graph.names.take(pa.array(order)),
            "mutual": mutual[order],
            "links out": outdegree[order],
            "links in": indegree[order],
        }
    )
    return Shape("reciprocity", facts, {"pages": table}, notes)
