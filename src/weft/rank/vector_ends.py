"""The positive and negative ends of singular vectors, as groups of pages."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from weft.core.arrays import Floats, Ids, top_k_scores
from weft.graph.webgraph import WebGraph
from weft.kernels.bipartite_components import sum_by_component
from weft.rank.hits_vectors import LeadingTriplets, needs_sign_flip, pair_or_subspace_scores

MIN_COMPONENT_WEIGHT = 1e-6
RELATIVE_TOLERANCE = 1e-6
ALIGNMENT_TOLERANCE = 1e-2


@dataclass(frozen=True, slots=True, eq=False)
class VectorEnd:
    """One end of a pair of singular vectors: the scores of its pages, zero elsewhere.

    Pairs with equal singular value form one end, described in `note`;
    `missing_note` names requested pairs that ties made impossible to compute.
    """

    name: str
    singular_value: float
    authority: Floats
    hub: Floats
    note: str = ""
    missing_note: str = ""

    def facts(self) -> dict[str, Any]:
        """Name, singular value and what is missing, as shown beside a topic."""
        facts = {"pair": self.name, "singular value": self.singular_value}
        return facts | ({"missing": self.missing_note} if self.missing_note else {})

    def top_members(self, max_size: int) -> tuple[Ids, Floats, Floats]:
        """The best authorities and hubs, in page order, with both of their scores.

        A page has an authority score only if it is among the best authorities,
        and a hub score only if it is among the best hubs.
        """
        sides = [
            (scores, top_scoring_pages(scores, max_size)) for scores in (self.authority, self.hub)
        ]
        members = np.union1d(*(pages for _, pages in sides)).astype(np.int32)
        authority, hub = (
            np.where(np.isin(members, pages), scores[members], 0.0) for scores, pages in sides
        )
        return members, authority, hub


def top_scoring_pages(scores: Floats, max_size: int) -> Ids:
    """The pages with the largest positive scores, best first."""
    order, _ = top_k_scores(scores, max_size)
    return order[scores[order] > 0]


def iter_vector_ends(
    graph: WebGraph, triplets: LeadingTriplets, *, weighted: bool, by_component: bool = False
) -> Iterator[VectorEnd]:
    """All ends of all pairs, by descending singular value.

    With `by_component`, pairs with equal singular value are separated by
    connected component.
    """
    zeros = np.zeros(len(graph))
    missing = f"pairs after {len(triplets.values)}: too many ties" if triplets.may_miss_ties else ""
    for group in triplets.tied_groups:
        single = group.stop - group.start == 1
        number = f"{group.start + 1}" if single else f"{group.start + 1}-{group.stop}"
        value = float(triplets.values[group.start])
        note = "" if single else f"pairs {number} tie: only their span is unique"
        if by_component and not single:
            mixed_end = VectorEnd(number, value, zeros, zeros, note, missing)
            yield from split_ends_by_component(graph, triplets, group, mixed_end)
            continue
        scored = pair_or_subspace_scores(graph, triplets, group, weighted=weighted)
        scores = {name: values for name, (values, _) in scored.items()}
        # score names are "authority 2+": role and end
        for end in dict.fromkeys(name.partition(" ")[2] for name in scores):
            authority, hub = (
                scores.get(f"{role} {end}".strip(), zeros) for role in ("authority", "hub")
            )
            yield VectorEnd(end or number, value, authority, hub, note, missing)


def split_ends_by_component(
    graph: WebGraph, triplets: LeadingTriplets, group: slice, mixed_end: VectorEnd
) -> Iterator[VectorEnd]:
    """The ends of pairs with equal singular value, by connected component; then the mixed rest.

    Singular vectors of one value can be chosen so that each lies in one
    component. If a component has only one of them, it is unique: the part in
    that component of any vector of the span. If it has several, they are
    separated if their pages are disjoint, as for equal topics that hardly link
    to each other; the others stay together in `mixed_end`. Larger components
    come first, and there are at most as many as pairs.
    """
    components = graph.operator().hub_authority_components()
    hub_labels, authority_labels = components.hub_labels, components.authority_labels
    source, target = triplets.source[:, group], triplets.target[:, group]
    weight = sum_by_component(np.square(target).sum(axis=1), authority_labels, components.count)
    # labels start at -1, for pages in no component
    all_labels = np.concatenate([hub_labels, authority_labels])
    size = np.bincount(all_labels + 1, minlength=components.count + 1)[1:]
    chosen = np.flatnonzero(weight > MIN_COMPONENT_WEIGHT)
    chosen = chosen[np.argsort(-size[chosen], kind="stable")][: group.stop - group.start]
    mixed = np.zeros(components.count + 1, bool)
    for place, component in enumerate(chosen.tolist(), start=1):
        axes = find_sparse_axes(target[authority_labels == component])
        mixed[component] = not axes
        for number, axis in enumerate(axes, start=1):
            hub = np.where(hub_labels == component, source @ axis, 0.0)
            authority = np.where(authority_labels == component, target @ axis, 0.0)
            length = np.linalg.norm(authority)
            name = f"{mixed_end.name}, component {place}"
            name += f" part {number}" if len(axes) > 1 else ""
            end = replace(mixed_end, name=name, note="")
            yield from split_end_by_sign(graph, end, authority / length, hub / length)
    if mixed.any():
        # the length of each page's projection, as in subspace_scores
        authority, hub = (
            np.where(mixed[labels], np.sqrt(np.square(side).sum(axis=1)), 0.0)
            for side, labels in ((target, authority_labels), (source, hub_labels))
        )
        yield replace(mixed_end, authority=authority, hub=hub)


def find_sparse_axes(vectors: Floats) -> list[Floats]:
    """Orthogonal axes of a space such that each page lies on one of them; [] if there are none.

    The rows of `vectors` are the coordinates of a page in some basis. If all
    lie on a few orthogonal lines, these lines do not depend on the basis. Pages
    shorter than a hundredth of the longest do not count: they may lie between.
    """
    rank = int(np.linalg.matrix_rank(vectors, RELATIVE_TOLERANCE * np.abs(vectors).max()))
    size = np.linalg.norm(vectors, axis=1)
    remaining = vectors[size > ALIGNMENT_TOLERANCE * size.max()]
    axes: list[Floats] = []
    while len(remaining):
        size = np.linalg.norm(remaining, axis=1)
        # the first of the longest, so that rounding errors do not choose
        first = np.flatnonzero(size > size.max() * (1 - RELATIVE_TOLERANCE))[0]
        axis = remaining[first] / size[first]
        cosine = np.abs(remaining @ axis) / size
        aligned = cosine > 0.5
        if (np.square(cosine[aligned]) < 1 - ALIGNMENT_TOLERANCE).any() or (
            cosine[~aligned] > ALIGNMENT_TOLERANCE
        ).any():
            return []
        # the least-squares line through all pages on this axis
        axes.append(np.linalg.svd(remaining[aligned], full_matrices=False).Vh[0])
        remaining = remaining[~aligned]
    return axes if len(axes) == rank else []


def split_end_by_sign(
    graph: WebGraph, end: VectorEnd, authority: Floats, hub: Floats
) -> Iterator[VectorEnd]:
    """The positive and the negative end of a pair; one end without sign if all entries agree."""
    zero = RELATIVE_TOLERANCE * np.abs(authority).max()
    first_sign = -1.0 if needs_sign_flip(graph, authority) else 1.0
    ends = [
        [np.where(values > zero, values, 0.0) for values in (sign * authority, sign * hub)]
        for sign in (first_sign, -first_sign)
    ]
    has_negative = any(scores.any() for scores in ends[1])
    for suffix, (authorities, hubs) in zip("+-" if has_negative else [""], ends, strict=False):
        yield replace(end, name=end.name + suffix, authority=authorities, hub=hubs)
