"""The pages whose links are known, and what is said of the others."""

from typing import Annotated, Literal

from pydantic import Field

from weft.core.wording import count
from weft.graph.views import subgraph
from weft.graph.webgraph import WebGraph

SeenPages = Annotated[
    Literal["drop", "keep"],
    Field(description="leave out pages that were linked to and never fetched, or keep them"),
]


def fetched(graph: WebGraph, seen: Literal["drop", "keep"]) -> tuple[WebGraph, tuple[str, ...]]:
    """The graph without pages that were only seen, or with them, and a sentence that says so.

    Examples
    --------
    >>> fetched(WebGraph.from_links([("a", "b")]), "drop")
    (<WebGraph: 2 pages, 1 links>, ())
    """
    if graph.seen is None or not graph.seen.any():
        return graph, ()
    unread = count(int(graph.seen.sum()), graph.level)
    if seen == "keep":
        return graph, (f"{unread} never fetched are kept, as if without links (seen=keep)",)
    kept, lost = subgraph(graph, ~graph.seen)
    told = f"{unread} linked to but never fetched and {count(lost.links, 'link')} are left out"
    return kept, (f"{told} (seen=drop)",)
