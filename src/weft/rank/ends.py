"""The two ends of pairs of singular vectors, each with pages that stand together."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from weft.core.arrays import Floats, Ids
from weft.engine.components import sums
from weft.graph.webgraph import WebGraph
from weft.rank.ranking import foremost, rounded
from weft.rank.singular import Leading, turned, vectors_of

LITTLE = 1e-6
NEAR = 1e-6
SLIGHT = 1e-2


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


def ends(
    graph: WebGraph, found: Leading, *, weighted: bool, by_component: bool = False
) -> Iterator[End]:
    """Every end of every pair, in the order of their values.

    With `by_component` pairs of equal value are separated by the components
    that they lie in.
    """
    nothing = np.zeros(len(graph))
    missing = f"pairs after {len(found.values)}: too many are equal" if found.cut else ""
    for group in found.groups:
        single = group.stop - group.start == 1
        number = f"{group.start + 1}" if single else f"{group.start + 1}-{group.stop}"
        value = float(found.values[group.start])
        note = "" if single else f"pairs {number} have one value: only their space is known"
        if by_component and not single:
            blend = End(number, value, nothing, nothing, note, missing)
            yield from component_ends(graph, found, group, blend)
            continue
        made = vectors_of(graph, found, group, weighted=weighted)
        scores = {name: values for name, (values, _) in made.items()}
        for end in dict.fromkeys(name.partition(" ")[2] for name in scores):
            each = [scores.get(f"{role} {end}".strip(), nothing) for role in ("authority", "hub")]
            yield End(end or number, value, each[0], each[1], note, missing)


def component_ends(graph: WebGraph, found: Leading, group: slice, blend: End) -> Iterator[End]:
    """The ends of pairs of equal value, component by component; last what stays a `blend`.

    Singular vectors of one value can be chosen so that each lies in one
    component. Where a component has one of them, that is unique; it is the part
    in the component of any vector of their space. Where it has several, they
    are separated if they have different pages, as equal topics have that
    hardly link to each other. Components of more pages come first, and there
    are at most as many as there are pairs.
    """
    parts = graph.flow().components()
    source, target = found.source[:, group], found.target[:, group]
    weight = sums(np.square(target).sum(axis=1), parts.target, parts.count)
    size = np.bincount(np.concatenate([parts.source, parts.target]) + 1, minlength=parts.count + 1)
    chosen = np.flatnonzero(weight > LITTLE)
    chosen = chosen[np.argsort(-size[1:][chosen], kind="stable")][: group.stop - group.start]
    mixed = np.zeros(parts.count + 1, bool)
    for place, part in enumerate(chosen.tolist(), start=1):
        own_axes = sparse_axes(target[parts.target == part])
        mixed[part] = not own_axes
        for number, axis in enumerate(own_axes, start=1):
            hub, authority = (
                np.where(labels == part, side @ axis, 0.0)
                for side, labels in ((source, parts.source), (target, parts.target))
            )
            length = np.linalg.norm(authority)
            name = f"{blend.name}, component {place}"
            name += f" part {number}" if len(own_axes) > 1 else ""
            end = replace(blend, name=name, note="")
            yield from signed_ends(graph, end, authority / length, hub / length)
    if mixed.any():
        authority, hub = (
            np.where(mixed[labels], np.sqrt(np.square(side).sum(axis=1)), 0.0)
            for side, labels in ((target, parts.target), (source, parts.source))
        )
        yield replace(blend, authority=authority, hub=hub)


def sparse_axes(rows: Floats) -> list[Floats]:
    """The directions of a space in which each page has an entry along one alone; or none.

    Each row is the entries of a page along some axes of the space. Where they
    all lie on a few lines that are at right angles, those lines are the axes
    that the space has of itself, whichever were chosen. Pages whose entries are
    a hundredth of the largest do not count: they may link to several.
    """
    rank = int(np.linalg.matrix_rank(rows, NEAR * np.abs(rows).max()))
    size = np.linalg.norm(rows, axis=1)
    left = rows[size > SLIGHT * size.max()]
    found: list[Floats] = []
    while len(left):
        size = np.linalg.norm(left, axis=1)
        first = np.flatnonzero(size > size.max() * (1 - NEAR))[0]  # by page, not by noise
        axis = left[first] / size[first]
        cosine = np.abs(left @ axis) / size
        own = cosine > 0.5
        if (np.square(cosine[own]) < 1 - SLIGHT).any() or (cosine[~own] > SLIGHT).any():
            return []
        # the line that the pages of the topic are nearest to, by all of their entries
        found.append(np.linalg.svd(left[own], full_matrices=False).Vh[0])
        left = left[~own]
    return found if len(found) == rank else []


def signed_ends(graph: WebGraph, end: End, authority: Floats, hub: Floats) -> Iterator[End]:
    """The positive and the negative end of a pair; one without sign where all entries agree."""
    zero = NEAR * np.abs(authority).max()
    turn = -1.0 if turned(graph, authority) else 1.0
    sides = [
        [np.where(values > zero, values, 0.0) for values in (sign * authority, sign * hub)]
        for sign in (turn, -turn)
    ]
    two = any(side.any() for side in sides[1])
    for sign, (own, other) in zip("+-" if two else [""], sides, strict=False):
        yield replace(end, name=end.name + sign, authority=own, hub=other)
