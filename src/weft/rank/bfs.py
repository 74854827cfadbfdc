"""BFS authorities: pages within alternating back and forth steps, nearer ones counting more."""

from typing import Annotated

import numpy as np
import numpy.typing as npt
from pydantic import Field

from weft.core.arrays import CSR, Floats, Offsets
from weft.core.progress import track
from weft.core.register import Dimensions, method
from weft.engine import CLOSED_FORM
from weft.graph.webgraph import WebGraph
from weft.rank.hits import NO_LINKS_ZERO_NOTE
from weft.rank.ranking import Contributions, Ranking, unique_certainty

MaxDepth = Annotated[
    int, Field(ge=0, le=1000, description="maximum depth of the search; 0 for all levels")
]
BitMasks = npt.NDArray[np.uint64]

BITS_PER_WORD = 64


@method(
    "rank",
    "bfs",
    cites="borodin2001",
    dimensions=Dimensions(
        model="hubs and authorities",
        metric="hub and authority scores",
        algorithm="graph traversal",
        scope="single page",
        applications=("web search", "topic distillation"),
    ),
)
def bfs(graph: WebGraph, *, depth: MaxDepth = 0) -> Ranking:
    """Score authorities by breadth-first search, near pages first.

    Follow links backward, then forward, then backward again: the hubs that
    link to a page count 1 each, the authorities first reached from these 1/2,
    the next hubs 1/4, and so on. A page counts once as a hub and once as an
    authority. The first level is the in-degree; all levels cover the connected
    component, as HITS does.

    Examples
    --------
    >>> bfs(WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y")])).scores["authority"]
    array([0.  , 2.5 , 0.  , 1.75])
    """
    pages = np.flatnonzero(np.diff(graph.inlinks.starts))
    score = np.zeros(len(graph))
    for first in track(range(0, len(pages), BITS_PER_WORD), "bfs", -(-len(pages) // BITS_PER_WORD)):
        block = pages[first : first + BITS_PER_WORD]
        score[block] = _score_block(graph, block, depth or 2 * len(graph))
    contributions = Contributions(
        graph.inlinks,
        np.ones(len(graph)),
        other_sources={"further levels": score - graph.indegrees()},
    )
    return Ranking(
        "bfs",
        graph.pages,
        {"authority": score},
        CLOSED_FORM,
        unique_certainty("" if len(pages) else NO_LINKS_ZERO_NOTE),
        {"authority": contributions},
    )


def _score_block(graph: WebGraph, pages: Offsets, depth: int) -> Floats:
    """The scores of up to 64 pages: 64 searches at once, with one bit for each."""
    frontier = np.zeros(len(graph), np.uint64)
    frontier[pages] = np.uint64(1) << np.arange(len(pages), dtype=np.uint64)
    visited = [np.zeros_like(frontier), frontier.copy()]  # as hubs, as authorities
    score = np.zeros(BITS_PER_WORD)
    for level in range(depth):
        side = level % 2
        links = graph.inlinks if side else graph.outlinks
        frontier = _or_neighbour_bits(links, frontier) & ~visited[side]
        if not frontier.any():
            break
        visited[side] |= frontier
        # count, for each of the 64 bits, the pages that have it
        bits = frontier[frontier > 0].astype("<u8").view(np.uint8).reshape(-1, 8)
        score += 0.5**level * np.unpackbits(bits, axis=1, bitorder="little").sum(axis=0)
    return score[: len(pages)]


def _or_neighbour_bits(links: CSR, bits: BitMasks) -> BitMasks:
    """The bits of all neighbours of each page, combined."""
    nonempty = np.flatnonzero(np.diff(links.starts))
    combined = np.zeros_like(bits)
    combined[nonempty] = np.bitwise_or.reduceat(bits[links.ids], links.starts[:-1][nonempty])
    return combined
