"""Cores that overlap made one, and the pages around them that belong to them."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from weft.communities.cores import Cores, Table, voices
from weft.core.arrays import Floats, Ids, Offsets, Rows, stacked
from weft.engine.connected import weak
from weft.graph.among import inner, places
from weft.graph.webgraph import WebGraph, reverse, rows_of
from weft.rank.hits import hits
from weft.rank.ranking import best_first, rounded


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Cores of one community by their places, their fans and centres, and the fans' sites.

    `members` are these and what was found around them, with a score as centre
    and as hub beside each where they were grown.
    """

    cores: Offsets
    fans: Ids
    centres: Ids
    sites: int
    members: Ids
    scores: tuple[Floats, Floats] | None = None


def merged(centres: Table) -> Ids:
    """A number for each core that is the same for cores that share half their centres or more.

    Examples
    --------
    >>> merged(np.array([[0, 1, 2], [5, 6, 7], [1, 2, 3]], np.int32)).tolist()
    [0, 1, 0]
    """
    many, size = centres.shape
    shared = [list(chosen) for chosen in combinations(range(size), (size + 1) // 2)]
    key = _numbered(np.concatenate([centres[:, chosen] for chosen in shared]))
    core = np.tile(np.arange(many, dtype=np.int64), len(shared))
    keys = int(key.max(initial=-1)) + 1
    return weak(rows_of(np.sort(stacked(core, many + key)), None, many + keys)).label[:many]


def _numbered(rows: Table) -> Offsets:
    """A number for each row that is the same for equal rows."""
    number = rows[:, 0].astype(np.int64)
    for column in range(1, rows.shape[1]):
        number = np.unique(stacked(number, rows[:, column]), return_inverse=True)[1]
    return np.unique(number, return_inverse=True)[1]


def groups(found: Cores, most: int) -> tuple[list[Group], int]:
    """Cores by community, the first so many by the sites of their fans; and how many there are."""
    home = merged(found.centres)
    sites = voices(found.known, found.cleaned.owner, home)
    best = np.argsort(-sites, kind="stable")[:most]
    place = np.full(len(sites), -1, np.int32)
    place[best] = np.arange(len(best), dtype=np.int32)
    group = place[home]
    fans = found.fans(group, len(best))
    asked = np.flatnonzero(group >= 0)
    whose = np.repeat(group[asked], found.centres.shape[1])
    centres = rows_of(np.unique(stacked(whose, found.centres[asked].ravel())), None, len(best))
    order = asked[np.argsort(group[asked], kind="stable")]
    ends = np.searchsorted(group[order], np.arange(len(best) + 1))
    made = [
        Group(
            order[ends[k] : ends[k + 1]],
            (own := row(fans, k)),
            (middle := row(centres, k)),
            int(sites[best[k]]),
            np.union1d(own, middle),
        )
        for k in range(len(best))
    ]
    return made, len(sites)


def row(rows: Rows, number: int) -> Ids:
    """One row."""
    return rows.ids[rows.starts[number] : rows.starts[number + 1]]


def grown(found: Cores, cores: list[Group], expand: int) -> Iterator[Group]:
    """Each group with the best centres and hubs around it, by HITS.

    Around it is what its fans link to and what links to its centres, over
    links between sites to pages that are not too popular.
    """
    out = found.cleaned.between
    into = reverse(out, len(found.graph))
    for group in cores:
        near = [out.ids[places(out, group.fans)[0]], into.ids[places(into, group.centres)[0]]]
        pages = np.unique(np.concatenate([group.members, *near]))
        _, source, target = inner(out, pages)
        key = stacked(source, target)
        rows = rows_of(key, None, len(pages))
        names = [str(page) for page in pages.tolist()]
        ranking = hits(WebGraph(names, rows, reverse(rows, len(pages))))
        scores = ranking.scores["authority"], ranking.scores["hub"]
        best = [best_first(rounded(each))[:expand] for each in scores]
        added = [pages[own[each[own] > 0]] for own, each in zip(best, scores, strict=True)]
        members = np.unique(np.concatenate([group.members, *added])).astype(np.int32)
        at = np.searchsorted(pages, members)
        yield replace(group, members=members, scores=(scores[0][at], scores[1][at]))
