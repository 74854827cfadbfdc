"""One topic for each end of several pairs of singular vectors."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from weft.core.arrays import Floats
from weft.core.methods import method
from weft.core.params import Vectors, Weighted
from weft.engine import CLOSED
from weft.graph.baseset import BaseSet
from weft.graph.webgraph import WebGraph
from weft.rank.singular import Leading, leading, vectors_of
from weft.topics.hits import Size, foremost
from weft.topics.tkc import with_sites
from weft.topics.topic import Topic, Topics


@dataclass(frozen=True, slots=True, eq=False)
class End:
    """One end of a pair of singular vectors: the scores of all pages there, zero elsewhere.

    Pairs of equal value make one end together, of which `note` tells;
    `missing` tells of pairs that were asked for and could not be told apart.
    """

    name: str
    value: float
    authority: Floats
    hub: Floats
    note: str = ""
    missing: str = ""

    def topic(self, size: int, strength: float, **facts: object) -> Topic:
        """The topic of its best authorities and hubs."""
        told = {"pair": self.name, "singular value": self.value, **facts}
        told |= {"note": self.note} if self.note else {}
        told |= {"missing": self.missing} if self.missing else {}
        return foremost(self.authority, self.hub, size, strength, told)


@method("topics", "eigen", cites="kleinberg1999")
def eigen(
    base: BaseSet, *, vectors: Vectors = 10, size: Size = 20, weighted: Weighted = False
) -> Topics:
    """Find a topic at each end of several pairs of singular vectors.

    The principal pair is that of HITS, and has one end. Each further pair has
    two, pages with positive and pages with negative entries, which hardly
    link to each other. Topics stand in the order of their singular values,
    the end that has the largest entry first; they may overlap. Pairs of equal value span a
    space without axes of its own: they make one topic, whose `note` says so.

    Examples
    --------
    >>> two = [("a", "x"), ("a", "y"), ("b", "x"), ("b", "y"), ("c", "x"), ("c", "z"), ("d", "z")]
    >>> [topic.facts["pair"] for topic in eigen(two, vectors=2)]
    ['1', '2+', '2-']
    """
    found = leading(base.graph.flow(weighted=weighted), vectors)
    made = [e.topic(size, e.value) for e in ends(base.graph, found, weighted=weighted)]
    return Topics("eigen", base, with_sites(base, made), CLOSED)


def ends(graph: WebGraph, found: Leading, *, weighted: bool) -> Iterator[End]:
    """Every end of every pair, in the order of their values."""
    nothing = np.zeros(len(graph))
    missing = f"pairs after {len(found.values)}: too many are equal" if found.cut else ""
    for group in found.groups:
        single = group.stop - group.start == 1
        made = vectors_of(graph, found, group, weighted=weighted)
        scores = {name: values for name, (values, _) in made.items()}
        number = f"{group.start + 1}" if single else f"{group.start + 1}-{group.stop}"
        note = "" if single else f"pairs {number} have one value: only their space is known"
        for end in dict.fromkeys(name.partition(" ")[2] for name in scores):
            each = [scores.get(f"{role} {end}".strip(), nothing) for role in ("authority", "hub")]
            value = float(found.values[group.start])
            yield End(end or number, value, each[0], each[1], note, missing)
