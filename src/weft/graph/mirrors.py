"""Pages that mirror others: nearly all of their links agree."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from weft.core.arrays import Flags, Ids, Offsets, Rows
from weft.graph.among import places

LEAST = 5
SHARE = (4, 5)
BLOCK = 1 << 22


@dataclass(frozen=True, slots=True, eq=False)
class Looks:
    """What tells pages apart besides their links: whose they are, and their titles as numbers.

    Pages of one owner share its menus, so that two of them mirror each other
    only with the same title; a title of -1 is none.
    """

    owner: Ids
    title: Ids

    def alike(self, one: Ids, two: Ids) -> Flags:
        """Whether pages may mirror each other at all."""
        titled = (self.title[one] == self.title[two]) & (self.title[one] >= 0)
        may: Flags = titled | (self.owner[one] != self.owner[two])
        return may


@dataclass(frozen=True, slots=True, eq=False)
class Sets:
    """The links of pages, the rarest of each page first; pages with few links have none.

    `key` holds page and link as one number each, ascending.
    """

    key: Offsets
    counts: Offsets

    @property
    def page(self) -> Offsets:
        """The page of each link."""
        return self.key >> 32

    @property
    def link(self) -> Offsets:
        """Where each link leads, the rarest targets numbered first."""
        return self.key & 0xFFFFFFFF


def mirrors(outlinks: Rows, pages: Ids, looks: Looks) -> Ids:
    """For each page the place of the earlier one that it mirrors, -1 for none.

    Two pages with five links or more mirror each other where over four fifths
    of the links of the larger agree. Pages are looked at in the order given,
    and only those that stay are mirrored: nothing is left out for being like a
    page that was left out itself.
    """
    sets = _rarest_first(outlinks, pages)
    pairs = np.unique(np.concatenate([np.zeros(0, np.int64), *_candidates(sets, looks)]))
    earlier, later = (pairs & 0xFFFFFFFF).astype(np.int32), (pairs >> 32).astype(np.int32)
    agree = SHARE[1] * _shared(sets, earlier, later) > SHARE[0] * np.maximum(
        sets.counts[earlier], sets.counts[later]
    )
    found = np.full(len(pages), -1, np.int32)
    for one, other in zip(earlier[agree].tolist(), later[agree].tolist(), strict=True):
        if found[one] < 0 and found[other] < 0:
            found[other] = one
    return found


def _rarest_first(outlinks: Rows, pages: Ids) -> Sets:
    starts = np.asarray(outlinks.starts)
    counts = starts[pages + 1] - starts[pages]
    at, _ = places(outlinks, pages)
    page = np.repeat(np.arange(len(pages), dtype=np.int64), counts)
    some = (counts >= LEAST)[page]
    link = np.asarray(outlinks.ids[at[some]])
    often = np.bincount(link)
    known = np.flatnonzero(often)
    turn = np.zeros(len(often), np.int64)
    turn[known[np.argsort(often[known], kind="stable")]] = np.arange(len(known))
    return Sets(np.sort(page[some] << 32 | turn[link]), counts)


def _candidates(sets: Sets, looks: Looks) -> Iterator[Offsets]:
    """Pairs of pages, the later above the earlier, that share one of their rarest links.

    Who shares over four fifths of the links shares one of the rarest fifth.
    """
    page, link = sets.page, sets.link
    counts = sets.counts[page]
    held = np.where(sets.counts >= LEAST, sets.counts, 0)
    place = np.arange(len(page)) - (np.cumsum(held) - held)[page]
    rare = place < counts - SHARE[0] * counts // SHARE[1]
    page, link = page[rare], link[rare]
    _, label, often = np.unique(
        looks.owner.astype(np.int64) << 32 | looks.title, return_inverse=True, return_counts=True
    )
    twins = ((looks.title >= 0) & (often[label] > 1))[page]
    yield from _pairs(link[twins] << 32 | label[page[twins]], page[twins], sets, looks)
    several = _several(link, looks.owner[page])
    yield from _pairs(link[several], page[several], sets, looks)


def _several(link: Offsets, owner: Ids) -> Flags:
    """Which links stand on pages of more than one owner."""
    last = np.zeros(int(link.max(initial=-1)) + 1, owner.dtype)
    last[link] = owner
    mixed = np.zeros(len(last), bool)
    mixed[link[last[link] != owner]] = True
    return mixed[link]


def _pairs(group: Offsets, page: Ids, sets: Sets, looks: Looks) -> Iterator[Offsets]:
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
        small, large = np.sort([sets.counts[one], sets.counts[two]], axis=0)
        likely = (SHARE[1] * small > SHARE[0] * large) & looks.alike(one, two)
        yield np.unique(two[likely].astype(np.int64) << 32 | one[likely])
        start = end


def _shared(sets: Sets, one: Ids, two: Ids) -> Offsets:
    """How many links two pages share, for each pair of them."""
    starts = np.searchsorted(sets.key, np.arange(len(sets.counts) + 1) << 32)
    at, _ = places(Rows(starts, np.zeros(0, np.int32)), one)
    pair = np.repeat(np.arange(len(one)), starts[one + 1] - starts[one])
    wanted = two[pair].astype(np.int64) << 32 | sets.link[at]
    place = np.searchsorted(sets.key, wanted)
    place[place == len(sets.key)] = 0
    hit = sets.key[place] == wanted if len(sets.key) else np.zeros(0, bool)
    return np.bincount(pair[hit], minlength=len(one))
