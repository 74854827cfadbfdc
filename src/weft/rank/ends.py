"""The two ends of pairs of singular vectors, each with pages that stand together."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from weft.core.arrays import Floats, Ids
from weft.graph.webgraph import WebGraph
from weft.rank.ranking import foremost, rounded
from weft.rank.singular import Leading, vectors_of


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

    def facts(self) -> dict[str, Any]:
        """What is known of it besides the scores."""
        told = {"pair": self.name, "singular value": self.value}
        said = {"note": self.note, "missing": self.missing}
        return told | {name: words for name, words in said.items() if words}

    def foremost(self, size: int) -> tuple[Ids, Floats, Floats]:
        """The best authorities and the best hubs, ascending, with their scores as each.

        A page scores as an authority only where it is among the best of them,
        and so for hubs.
        """
        sides = [(scores, best(scores, size)) for scores in (self.authority, self.hub)]
        members = np.union1d(*(pages for _, pages in sides)).astype(np.int32)
        authority, hub = (
            np.where(np.isin(members, pages), scores[members], 0.0) for scores, pages in sides
        )
        return members, authority, hub


def best(scores: Floats, size: int) -> Ids:
    """The pages of the largest scores, the best first; pages that score nothing are none."""
    order = foremost(rounded(scores), size)
    return order[scores[order] > 0]


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
