"""Where jumps lead: pages chosen by their URLs, or by their hosts."""

import re
from collections.abc import Sequence
from typing import Annotated

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from weft.core.arrays import Flags, Floats, Ids
from weft.core.errors import BadParameter, UnknownName
from weft.engine import unit
from weft.graph.webgraph import WebGraph
from weft.rank.pagerank import evenly

Places = Annotated[list[str], Field(description="pages by URL, or whole hosts; may be repeated")]
SeedWeights = Annotated[
    list[Annotated[float, Field(ge=0)]],
    Field(description="how much each seed counts, in their order; if none are given, alike"),
]
NONE: list[str] = []
ALIKE: list[float] = []
HINT = "a URL as the graph has it, or the name of a host with pages in it"


def places(graph: WebGraph, wanted: Sequence[str]) -> list[Ids]:
    """The numbers of the pages that each name stands for: the page of that name, or a host's.

    Examples
    --------
    >>> graph = WebGraph.from_links([("http://a.org/1", "http://a.org/2")])
    >>> [found.tolist() for found in places(graph, ["http://a.org/2", "a.org"])]
    [[1], [0, 1]]
    """
    names = graph.names
    place = pc.index_in(names, value_set=pa.array(wanted, names.type))
    number: dict[str, int] = {}
    for i in np.flatnonzero(place.is_valid()).tolist():
        number[wanted[place[i].as_py()]] = i
    return [
        np.array([number[name]], np.int32) if name in number else on_host(names, name)
        for name in wanted
    ]


def on_host(names: pa.Array, host: str) -> Ids:
    """The numbers of the pages on a host; a host without any is an error."""
    pattern = rf"^(?:(?:https?|ftp|file)://)?{re.escape(host)}(?::\d+)?(?:[/?#]|$)"
    found: Ids = np.flatnonzero(pc.match_substring_regex(names, pattern)).astype(np.int32)
    if not len(found) or not host or set(host) & set("/?#:"):
        raise UnknownName("page", host, (), hint=HINT)
    return found


def jumps_to(graph: WebGraph, seeds: Sequence[str], weights: Sequence[float] = ALIKE) -> Floats:
    """Jumps to the seeds alone, in the measure of their weights; to any page where none is given.

    Without weights each page counts once, however often it is named. The pages
    of a host share its weight, and weights of one page add up.
    """
    if weights and len(weights) != len(seeds):
        raise BadParameter(
            f"there are {len(seeds)} seeds and {len(weights)} weights",
            hint="give each seed a weight, or none of them",
        )
    if not seeds:
        return evenly(len(graph))
    if weights and sum(weights) <= 0:
        raise BadParameter("all seeds weigh nothing", hint="give one of them a positive weight")
    jump = np.zeros(len(graph))
    for k, numbers in enumerate(places(graph, seeds)):
        jump[numbers] = jump[numbers] + weights[k] / len(numbers) if weights else 1.0
    return unit(jump)


def marked(graph: WebGraph, wanted: Sequence[str]) -> Flags:
    """Which pages are meant by the names of pages and hosts."""
    marks = np.zeros(len(graph), bool)
    for numbers in places(graph, wanted):
        marks[numbers] = True
    return marks
