"""Communities of pages whose links have the shape of a small pattern."""

import re
from dataclasses import dataclass
from itertools import permutations
from typing import Annotated

import numpy as np
from pydantic import Field

from weft.communities.community import Communities
from weft.communities.cores import Site, Table, clean
from weft.communities.growing import merged
from weft.communities.partition import communities_of
from weft.communities.trawling import Most
from weft.core.arrays import Flags, Ids, Offsets
from weft.core.dimensions import Dimensions
from weft.core.errors import BadParameter
from weft.core.methods import method
from weft.core.wording import count
from weft.engine import CLOSED
from weft.engine.matching import matches
from weft.graph.baseset import BaseSet

PATTERNS = {
    "mutual": "a>b b>a c>a c>b",
    "ring": "a>b b>c c>a",
    "clique": "a>b b>a a>c c>a b>c c>b",
    "star": "a>b a>c a>d",
    "core": "a>x a>y a>z b>x b>y b>z c>x c>y c>z",
}
Shape = Annotated[
    str,
    Field(
        description="links among at most six pages, such as 'a>b b>c c>a', or the name of a "
        f"pattern: {', '.join(PATTERNS)}"
    ),
]
Tries = Annotated[
    int, Field(ge=1, le=1_000_000, description="how many pages to try from each page at most")
]

LARGEST = 6
KEPT = 200_000
SHOWN = 1000
LINK = re.compile(r"(\w+)>(\w+)")


@dataclass(frozen=True, slots=True, eq=False)
class Pattern:
    """The links of a small graph, each node after the first tied to one before it.

    `need[i, j]` says that node i links to j. `less[i, j]` says that the page of
    i has the smaller number, so that nodes which can change places are found once.
    """

    names: tuple[str, ...]
    need: Flags
    less: Flags

    @classmethod
    def read(cls, text: str) -> "Pattern":
        """A pattern by its name or its links.

        Examples
        --------
        >>> Pattern.read("x>a y>a").names
        ('a', 'x', 'y')
        """
        words = PATTERNS.get(text, text).replace(",", " ").split()
        ends = [found.groups() for word in words if (found := LINK.fullmatch(word))]
        nodes = list(dict.fromkeys(name for both in ends for name in both))
        why = ""
        if not words or len(ends) < len(words) or any(a == b for a, b in ends):
            why = "it must be links between different pages"
        elif len(nodes) > LARGEST:
            why = f"it has {len(nodes)} pages, more than {LARGEST}"
        elif len(order := _order(nodes, ends)) < len(nodes):
            why = "its pages must be connected"
        if why:
            cure = f"write links such as 'a>b b>c c>a', or one of {', '.join(PATTERNS)}"
            raise BadParameter(f"pattern {text!r}: {why}", hint=cure)
        place = {name: number for number, name in enumerate(order)}
        need = np.zeros((len(order), len(order)), bool)
        for source, target in ends:
            need[place[source], place[target]] = True
        return cls(tuple(order), need, _turns(need))


@method(
    "communities",
    "patterns",
    cites="desikan2002",
    dimensions=Dimensions(
        model="community",
        metric="density of links",
        algorithm="enumeration",
        scope="multiple pages",
        applications=("web communities",),
    ),
)
def patterns(
    base: BaseSet,
    *,
    pattern: Shape = "mutual",
    site: Site = "auto",
    most: Most = 100,
    tries: Tries = 10_000,
) -> Communities:
    """Find places where links have the shape of a pattern, and merge those that overlap.

    A pattern is a small directed graph, such as two pages that link to each
    other and a third that links to both. Wherever different pages have its
    links, and perhaps further ones, they match. Matches that share half of
    their pages or more are of one community, which is as strong as it has
    matches. Communities may overlap.

    The survey has one sentence on communities by patterns (Argyros and others
    2002); their paper could not be read, and this is not their method.

    Examples
    --------
    >>> found = patterns([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")], pattern="ring")
    >>> [found.base.named(community.members) for community in found]
    [['a', 'b', 'c']]
    """
    wanted, graph = Pattern.read(pattern), base.graph
    cleaned = clean(graph, site, 0, 0)
    out, into = cleaned.outlinks[:2], cleaned.inlinks[:2]
    found, cut, reached = matches(out, into, wanted.need, wanted.less, (tries, KEPT))
    table = np.unique(np.sort(found, axis=1), axis=0)
    groups, many = _groups(table, most)
    made = communities_of(
        base,
        [np.unique(own).astype(np.int32) for own in groups],
        strength=[float(len(own)) for own in groups],
        facts=[{"matches": len(own)} for own in groups],
        evidence=[{"matches": own[:SHOWN]} for own in groups],
    )
    notes = [f"{each.reason}: {count(each.links, 'link')} left out" for each in cleaned.told]
    if not many and cleaned.told:
        notes.append("no match: with site=page links inside a site count")
    if cut:
        notes.append(
            f"{count(cut, base.level)} with more than {tries:,} to try: not all matches were found"
        )
    if reached < len(graph):
        notes.append(f"{KEPT:,} matches kept: {base.level}s from {base.pages[reached]} on left out")
    if many > len(groups):
        notes.append(f"{many:,} communities found: the first {len(groups):,} are shown")
    facts = {"pattern": pattern, "matches": len(table), "communities": many}
    return Communities("patterns", base, made, CLOSED, facts, tuple(notes))


def _groups(table: Table, most: int) -> tuple[list[Table], int]:
    """Matches by community, the first so many by how many they are; and how many there are."""
    if not len(table):
        return [], 0
    home = merged(table)
    sizes: Offsets = np.bincount(home)
    best = np.argsort(-sizes, kind="stable")[:most]
    order = np.argsort(home, kind="stable")
    ends = np.concatenate([[0], np.cumsum(sizes)])
    return [table[order[ends[own] : ends[own + 1]]] for own in best.tolist()], len(sizes)


def _order(nodes: list[str], ends: list[tuple[str, ...]]) -> list[str]:
    """The nodes, that with most links first, then always the one with most links to those before.

    Nodes that are not connected with the first are missing.
    """
    order: list[str] = []
    while len(order) < len(nodes):
        links = {
            node: [both for both in ends if node in both and (not order or {*both} & {*order})]
            for node in nodes
            if node not in order
        }
        best = max(links, key=lambda node: len(links[node]))
        if not links[best]:
            break
        order.append(best)
    return order


def _turns(need: Flags) -> Flags:
    """Which page must have the smaller number, so that of equal choices one is left.

    Of the nodes that a symmetry of the pattern can put in the place of one, the
    smallest page stands there; then the next node, by the symmetries that are left.
    """
    size = len(need)
    every = [np.array(turn) for turn in permutations(range(size))]
    same: list[Ids] = [turn for turn in every if (need[np.ix_(turn, turn)] == need).all()]
    less = np.zeros((size, size), bool)
    for node in range(size):
        less[node, [int(turn[node]) for turn in same if turn[node] != node]] = True
        same = [turn for turn in same if turn[node] == node]
    return less
