"""The pages whose links are known, and what is said of the others."""

from dataclasses import replace
from typing import Annotated, Literal

from pydantic import Field

from weft.core.arrays import Rows
from weft.core.wording import count
from weft.graph.views import subgraph
from weft.graph.webgraph import WebGraph

SeenPages = Annotated[
    Literal["drop", "keep"],
    Field(description="leave out pages that were linked to and never fetched, or keep them"),
]


def fetched(graph: WebGraph, seen: Literal["drop", "keep"]) -> tuple[WebGraph, tuple[str, ...]]:
    """The graph without pages that were only seen, or with them, and a sentence that says so.

    Without them its links have no weights, which no method of this folder looks at.

    Examples
    --------
    >>> fetched(WebGraph.from_links([("a", "b")]), "drop")
    (<WebGraph: 2 pages, 1 link>, ())
    """
    unfetched = graph.seen
    if unfetched is None or not unfetched.any():
        return graph, ()
    unread = count(int(unfetched.sum()), graph.level)
    if seen == "keep":
        return graph, (f"{unread} never fetched are kept, as if without links (seen=keep)",)
    kept, lost = graph.once("fetched", lambda: subgraph(_plain(graph), ~unfetched))
    told = f"{unread} linked to but never fetched and {count(lost.links, 'link')} are left out"
    return kept, (f"{told} (seen=drop)",)


def _plain(graph: WebGraph) -> WebGraph:
    """The same pages and links, none of which weighs more than another."""
    out, into = (Rows(rows.starts, rows.ids) for rows in (graph.outlinks, graph.inlinks))
    return replace(graph, outlinks=out, inlinks=into)
