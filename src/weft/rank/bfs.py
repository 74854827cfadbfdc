"""Authorities by how many pages are near them, link by link back and forth."""

from typing import Annotated

import numpy as np
import numpy.typing as npt
from pydantic import Field

from weft.core.arrays import Floats, Offsets, Rows
from weft.core.dimensions import Dimensions
from weft.core.methods import method
from weft.core.progress import track
from weft.engine import CLOSED
from weft.graph.webgraph import WebGraph
from weft.rank.hits import EMPTY
from weft.rank.parts import Parts
from weft.rank.ranking import Ranking, certain

Depth = Annotated[
    int, Field(ge=0, le=1000, description="how many levels to walk; 0 walks to the end")
]
Bits = npt.NDArray[np.uint64]

WORD = 64


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
def bfs(graph: WebGraph, *, depth: Depth = 0) -> Ranking:
    """Score each page by how many others it can be reached from, the near ones first.

    Walk back along links, then forth, then back: the hubs that link to the
    page count one each, the authorities first met from these one half, the
    next hubs one quarter, and so on. A page counts once as a hub and once as
    an authority. The score lies between the in-degree, which is its first
    level, and what HITS sees in the whole component.

    Examples
    --------
    >>> bfs(WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y")])).scores["authority"]
    array([0.  , 2.5 , 0.  , 1.75])
    """
    pages = np.flatnonzero(np.diff(graph.inlinks.starts))
    score = np.zeros(len(graph))
    for first in track(range(0, len(pages), WORD), "bfs", -(-len(pages) // WORD)):
        block = pages[first : first + WORD]
        score[block] = _walk(graph, block, depth or 2 * len(graph))
    further = {"further levels": score - graph.indegrees()}
    parts = {"authority": Parts(graph.inlinks, np.ones(len(graph)), rest=further)}
    look = certain("" if len(pages) else EMPTY)
    return Ranking("bfs", graph.pages, {"authority": score}, CLOSED, look, parts)


def _walk(graph: WebGraph, block: Offsets, depth: int) -> Floats:
    """The scores of up to 64 pages, of which each has a bit of its own on every page it met."""
    newly = np.zeros(len(graph), np.uint64)
    newly[block] = np.uint64(1) << np.arange(len(block), dtype=np.uint64)
    seen = [np.zeros_like(newly), newly.copy()]
    score = np.zeros(WORD)
    for level in range(depth):
        side = level % 2
        newly = _met(graph.inlinks if side else graph.outlinks, newly) & ~seen[side]
        if not newly.any():
            break
        seen[side] |= newly
        bits = newly[newly > 0].astype("<u8").view(np.uint8).reshape(-1, 8)
        score += 0.5**level * np.unpackbits(bits, axis=1, bitorder="little").sum(axis=0)
    return score[: len(block)]


def _met(rows: Rows, bits: Bits) -> Bits:
    """For each page the bits of all pages that its links lead to."""
    filled = np.flatnonzero(np.diff(rows.starts))
    found = np.zeros_like(bits)
    found[filled] = np.bitwise_or.reduceat(bits[rows.ids], rows.starts[:-1][filled])
    return found
