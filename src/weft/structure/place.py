"""Why a page is in its region of the bow-tie."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from weft.core.arrays import Ids
from weft.engine.reach import NO_ROWS, way
from weft.graph.webgraph import WebGraph

LEGS = {
    "core": [("page", "page")],
    "in": [("page", "core")],
    "out": [("core", "page")],
    "tubes": [("in", "page"), ("page", "out")],
    "tendrils in": [("in", "page")],
    "tendrils out": [("page", "out")],
    "other": [("page", "core")],
}


@dataclass(frozen=True, slots=True)
class Place:
    """The region of a page, and a path that shows it.

    The path runs along links, from the page or to it; `both_ways` says that it
    joins the page with the core by links followed in either direction.
    """

    page: str
    region: str
    path: tuple[str, ...]
    both_ways: bool = False

    def __str__(self) -> str:
        if not self.path:
            why = "no links lead to the core, whichever way they are followed"
            return f"{self.page}: {self.region}" + (f", {why}" * (self.region == "disconnected"))
        arrow = " — " if self.both_ways else " → "
        return f"{self.page}: {self.region}, by {arrow.join(self.path)}"


def place(graph: WebGraph, names: Sequence[str], region: Ids, page: int) -> Place:
    """Find the path that shows why a page is in its region.

    In the core: a shortest way round. In: to the core. Out: from the core.
    Tendrils: from a page of *in*, or to a page of *out*. Tubes: both. Other: to
    the core, if links could be followed either way.
    """
    name = names[region[page]]
    here = np.zeros(len(region), np.bool_)
    here[page] = True
    sets = {part: region == names.index(part) for part in ("core", "in", "out")} | {"page": here}
    back = graph.inlinks if name == "other" else NO_ROWS
    steps: list[int] = []
    for start, goal in LEGS.get(name, ()):
        steps += way(graph.outlinks, sets[start], sets[goal], back).tolist()[bool(steps) :]
    path = tuple(graph.pages[step] for step in steps)
    return Place(graph.pages[page], name, path, name == "other")
