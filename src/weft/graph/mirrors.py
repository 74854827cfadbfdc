"""Pages that mirror others: nearly all of their links agree."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from weft.core.arrays import Flags, Ids, Offsets, Rows
from weft.graph.among import places
from weft.graph.rare import SHARE

BLOCK = 1 << 22
LOW = 0xFFFFFFFF


@dataclass(frozen=True, slots=True, eq=False)
class Looks:
    """What tells pages apart besides their links: whose they are, and their titles as numbers.

    Pages of one owner share its menus, so that two of them mirror each other
    only with the same title; a title of -1 is none.
    """

    owner: Ids
    title: Ids

    def alike(self, one: Offsets, two: Offsets) -> Flags:
        """Whether pages may mirror each other at all."""
        titled = (self.title[one] == self.title[two]) & (self.title[one] >= 0)
        may: Flags = titled | (self.owner[one] != self.owner[two])
        return may


def mirrors(outlinks: Rows, rare: Rows, pages: Ids, looks: Looks) -> Ids:
    """For each page the place of the earlier one that it mirrors, -1 for none.

    Two pages with five links or more mirror each other where over four fifths
    of the links of the larger agree. Pages are looked at in the order given,
    and only those that stay are mirrored: nothing is left out for being like a
    page that was left out itself. `rare` has the rarest links of every page,
    one of which two that mirror each other share.
    """
    starts = np.asarray(outlinks.starts)
    counts = starts[pages + 1] - starts[pages]
    pairs = np.unique(
        np.concatenate([np.zeros(0, np.int64), *_candidates(rare, pages, counts, looks)])
    )
    earlier, later = (pairs & LOW).astype(np.int32), (pairs >> 32).astype(np.int32)
    agree = SHARE[1] * _shared(outlinks, pages[earlier], pages[later]) > SHARE[0] * np.maximum(
        counts[earlier], counts[later]
    )
    found = np.full(len(pages), -1, np.int32)
    for one, other in zip(earlier[agree].tolist(), later[agree].tolist(), strict=True):
        if found[one] < 0 and found[other] < 0:
            found[other] = one
    return found


def _candidates(rare: Rows, pages: Ids, counts: Offsets, looks: Looks) -> Iterator[Offsets]:
    """Pairs of pages, the later above the earlier, that share one of their rarest links."""
    at, _ = places(rare, pages)
    link = np.asarray(rare.ids[at]).astype(np.int64)
    page = np.repeat(np.arange(len(pages)), np.asarray(rare.starts[pages + 1]) - rare.starts[pages])
    _, label, often = np.unique(
        looks.owner.astype(np.int64) << 32 | looks.title, return_inverse=True, return_counts=True
    )
    twins = ((looks.title >= 0) & (often[label] > 1))[page]
    yield from _pairs(link[twins] << 32 | label[page[twins]], page[twins], counts, looks)
    several = _several(link, looks.owner[page])
    yield from _pairs(link[several], page[several], counts, looks)


def _several(link: Offsets, owner: Ids) -> Flags:
    """Which links stand on pages of more than one owner."""
    last = np.zeros(int(link.max(initial=-1)) + 1, owner.dtype)
    last[link] = owner
    mixed = np.zeros(len(last), bool)
    mixed[link[last[link] != owner]] = True
    return mixed[link]


def _pairs(group: Offsets, page: Offsets, counts: Offsets, looks: Looks) -> Iterator[Offsets]:
    """Every two of the ascending pages of a group that are alike, a block at a time."""
    order = np.argsort(group, kind="stable")
    group, page = group[order], page[order]
    after = np.searchsorted(group, group, side="right") - np.arange(len(group)) - 1
    sums, start = np.cumsum(after), 0
    while start < len(group):
        done = int(sums[start - 1]) if start else 0
        end = max(start + 1, int(np.searchsorted(sums, done + BLOCK, side="right")))
        own = after[start:end]
        first = np.repeat(np.arange(start, end), own)
        step = np.arange(len(first)) - np.repeat(np.cumsum(own) - own, own) + 1
        one, two = page[first], page[first + step]
        small, large = np.minimum(counts[one], counts[two]), np.maximum(counts[one], counts[two])
        likely = (SHARE[1] * small > SHARE[0] * large) & looks.alike(one, two)
        yield np.unique(two[likely] << 32 | one[likely])
        start = end


def _shared(outlinks: Rows, one: Ids, two: Ids) -> Offsets:
    """How many links two pages share, for each pair of them."""
    sides = []
    for pages in (one, two):
        at, _ = places(outlinks, pages)
        counts = np.asarray(outlinks.starts[pages + 1]) - outlinks.starts[pages]
        sides.append(np.repeat(np.arange(len(pages)) << 32, counts) | outlinks.ids[at])
    key = np.sort(np.concatenate(sides))
    return np.bincount(key[1:][key[1:] == key[:-1]] >> 32, minlength=len(one))
