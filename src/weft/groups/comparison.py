"""The groups of two methods side by side."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from weft.core.arrays import Floats, Ids, Offsets
from weft.core.errors import BadParameter
from weft.core.tables import Tabular
from weft.groups.group import NO_IDS
from weft.groups.groups import Groups

MIN_SIMILARITY = 0.05


@dataclass(frozen=True, slots=True)
class GroupPair:
    """A group of the first method and the one of the other that it matches.

    Either number is zero where the other method has no such group. `jaccard`
    is the share of their pages that both have.
    """

    number: int
    other: int
    label: str
    other_label: str
    pages: int
    other_pages: int
    shared: int
    jaccard: float


@dataclass(frozen=True, slots=True, eq=False)
class GroupsComparison(Tabular):
    """Pairs of groups, and the pages that one method has in a group and the other in none."""

    first: Groups
    other: Groups
    pairs: tuple[GroupPair, ...]
    both: int
    only_first: int
    only_other: int

    def to_table(self) -> pa.Table:
        """One row per pair, in the order of the first method; then what only the other has."""
        names = GroupPair.__dataclass_fields__
        columns = {name: [getattr(pair, name) for pair in self.pairs] for name in names}
        return pa.table(columns)

    def __repr__(self) -> str:
        matched = sum(pair.number > 0 and pair.other > 0 for pair in self.pairs)
        return (
            f"<{matched} matching {self.first.kind} of {self.first.method} and {self.other.method}>"
        )


def compare_groups(first: Groups, other: Groups) -> GroupsComparison:
    """Match the groups of two methods so that they share as many pages as possible.

    The sum of the Jaccard similarities of the pairs is the largest of all
    matchings (Kuhn 1955); pairs below 0.05 are not matched. The base sets
    may differ, but are of one collection.
    """
    from scipy.optimize import linear_sum_assignment  # noqa: PLC0415  slow to load

    if first.kind != other.kind or first.base.level != other.base.level:
        raise BadParameter("only groups of one kind and level can be compared")
    members, others = (
        [each.base.page_numbers[group.members] for group in each] for each in (first, other)
    )
    shared = np.array([[len(np.intersect1d(a, b)) for b in others] for a in members])
    shared = shared.reshape(len(members), len(others))
    sizes = np.array([len(a) for a in members])[:, None] + np.array([len(b) for b in others])[None]
    jaccard: Floats = shared / np.maximum(sizes - shared, 1)
    rows, columns = linear_sum_assignment(-jaccard)
    partner = {
        int(a): int(b)
        for a, b in zip(rows, columns, strict=True)
        if jaccard[a, b] >= MIN_SIMILARITY
    }
    pairs = [_pair(first, other, k, partner.get(k), shared) for k in range(len(first))]
    lonely = sorted(set(range(len(other))) - set(partner.values()))
    pairs += [_pair(first, other, None, k, shared) for k in lonely]
    mine, theirs = _union(members), _union(others)
    return GroupsComparison(
        first,
        other,
        tuple(pairs),
        both=len(np.intersect1d(mine, theirs)),
        only_first=len(np.setdiff1d(mine, theirs)),
        only_other=len(np.setdiff1d(theirs, mine)),
    )


def _pair(
    first: Groups, other: Groups, number: int | None, match: int | None, shared: Offsets
) -> GroupPair:
    mine = None if number is None else first[number]
    theirs = None if match is None else other[match]
    common = 0 if number is None or match is None else int(shared[number, match])
    size, other_size = (0 if group is None else len(group) for group in (mine, theirs))
    return GroupPair(
        0 if number is None else number + 1,
        0 if match is None else match + 1,
        mine.name if mine else "",
        theirs.name if theirs else "",
        size,
        other_size,
        common,
        round(common / max(size + other_size - common, 1), 4),
    )


def _union(members: list[Ids]) -> Ids:
    return np.unique(np.concatenate([NO_IDS, *members]))
