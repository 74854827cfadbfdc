"""Pages as trees of blocks whose leaves are links, and where to cut these trees."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Annotated, Literal, NamedTuple

import numpy as np
from pydantic import Field

from weft.core.arrays import Flags, Floats, Ids, Offsets

Cut = Annotated[
    Literal["kl_u0", "kl_0u", "bic", "page", "link"],
    Field(
        description="where pages are cut: by the divergence of a block's links from those of all "
        "pages (kl_u0), the other way round (kl_0u), by the number of links (bic), nowhere (page), "
        "or everywhere (link)"
    ),
]

FLOOR = 1e-3
NEAR = 1e-9


class Level(NamedTuple):
    """Nodes equally deep, those of one block together: where each block's begin, and the blocks."""

    nodes: Offsets
    starts: Offsets
    blocks: Offsets


@dataclass(frozen=True, slots=True, eq=False)
class Forest:
    """A tree for every page: nodes are first the links, then the blocks that hold several things.

    `parent` is the block around each node, -1 for the top of a page, and
    `count` how many links are below it. `levels` has the nodes below the tops
    by how deep they lie, the upper ones first.
    """

    leaves: int
    parent: Offsets
    levels: tuple[Level, ...]
    count: Floats

    @classmethod
    def plant(cls, page: Ids, place: Ids, paths: Sequence[str]) -> "Forest":
        """The trees of links, from the page and the path that each stands at.

        A `place` is a number among the `paths`, such as `body/ul[2]/li[1]`.
        Blocks with a single thing in them are no nodes: that thing is.
        """
        own, up, depth = _trie(paths)
        size = len(up)
        key = page.astype(np.int64) * size + own[place]
        rising = np.unique(key)
        every = [rising]
        while len(rising):
            above = up[rising % size]
            rising = np.unique((rising - rising % size + above)[above >= 0])
            every.append(rising)
        nodes = np.unique(np.concatenate(every))
        above = up[nodes % size]
        around = np.where(above >= 0, np.searchsorted(nodes, nodes - nodes % size + above), -1)
        home = np.searchsorted(nodes, key)
        inside = np.bincount(around[around >= 0], minlength=len(nodes))
        kept = np.greater(inside + np.bincount(home, minlength=len(nodes)), 1)
        upper = _nearest(around, kept, depth[nodes % size])
        number = np.full(len(nodes) + 1, -1, np.int64)
        number[:-1][kept] = len(page) + np.arange(kept.sum())
        direct = np.where(kept[home], home, upper[home])
        return cls.of(len(page), np.concatenate([number[direct], number[upper[kept]]]))

    @classmethod
    def of(cls, leaves: int, parent: Offsets) -> "Forest":
        """The trees in which each node has this parent."""
        made = cls(leaves, parent, _levels(parent), np.zeros(0))
        return replace(made, count=made.sums(np.ones(leaves)))

    def only(self, live: Flags) -> "Forest":
        """The trees of some of the links, without blocks that hold none of these."""
        kept = self.sums(live.astype(float)) > 0
        number = np.full(len(kept) + 1, -1, np.int64)
        number[:-1][kept] = np.arange(kept.sum())
        return Forest.of(int(live.sum()), number[self.parent[kept]])

    def sums(self, values: Floats) -> Floats:
        """For every node the sum of values over the links below it."""
        total = np.concatenate([values, np.zeros(len(self.parent) - self.leaves)])
        for nodes, starts, blocks in reversed(self.levels):
            total[blocks] = np.add.reduceat(total[nodes], starts)
        return total

    def costs(self, total: Floats, cut: Cut = "kl_u0") -> Floats:
        """How long a description of the links below each node is, in nats, if it is cut there.

        Scores of links are drawn from an exponential law whose mean is that of
        the node; the law itself costs the more, the more it differs from that
        of all links. `total` are the sums of the links' scores.
        """
        usual = total[: self.leaves].mean()
        mean = np.maximum(total / self.count, FLOOR * usual)
        if cut == "bic":
            law = 0.5 * np.log(self.count)
        else:
            ratio = mean / usual if cut == "kl_u0" else usual / mean
            law = ratio - 1 - np.log(ratio)
        cost: Floats = self.count * np.log(mean) + total / mean + law
        return cost

    def segment(self, total: Floats, cut: Cut = "kl_u0") -> Offsets:
        """The node that each link is cut off with: the topmost that is no dearer than its parts."""
        split = np.arange(len(self.parent)) >= self.leaves
        if cut == "page":
            split[:] = False
        elif cut != "link":
            cost = self.costs(total, cut)
            parts = cost.copy()
            for nodes, starts, blocks in self.levels:
                parts[blocks] = np.add.reduceat(cost[nodes], starts)
            split = cost > parts + NEAR
        node = np.where(split, -1, np.arange(len(self.parent)))
        for nodes, _, _ in self.levels:
            above = node[self.parent[nodes]]
            node[nodes] = np.where(above >= 0, above, node[nodes])
        return node[: self.leaves]


def steps(path: str) -> list[str]:
    """The blocks that a path leads through, from the outside in."""
    return path.split("/") if path else []


def common(paths: Sequence[str]) -> str:
    """The path of the innermost block around all of some paths.

    Examples
    --------
    >>> common(["body/ul[1]/li[1]", "body/ul[1]/li[2]"])
    'body/ul[1]'
    """
    first, last = steps(min(paths, key=steps)), steps(max(paths, key=steps))
    alike = [a == b for a, b in zip(first, last, strict=False)]
    return "/".join(first[: alike.index(False) if False in alike else len(alike)])


def _trie(paths: Sequence[str]) -> tuple[Offsets, Offsets, Offsets]:
    """Every block that paths lead through: where each path ends, the block around, how deep."""
    known, up, depth = {"": 0}, [-1], [0]
    for path in paths:
        at, name = 0, ""
        if path in known:
            continue
        for step in steps(path):
            name = f"{name}/{step}" if name else step
            if name not in known:
                known[name] = len(up)
                up.append(at)
                depth.append(depth[at] + 1)
            at = known[name]
    own = np.array([known[path] for path in paths], np.int64)
    return own, np.array(up, np.int64), np.array(depth, np.int64)


def _nearest(around: Offsets, kept: Flags, depth: Offsets) -> Offsets:
    """The nearest block around each that is kept; -1 for none."""
    upper = np.full(len(around), -1, np.int64)
    order = np.argsort(depth, kind="stable")
    bounds = np.searchsorted(depth[order], np.arange(1, depth.max(initial=0) + 2))
    for at, end in pairwise(bounds):
        level = order[at:end]
        above = around[level]
        upper[level] = np.where(kept[above], above, upper[above])
    return upper


def _levels(parent: Offsets) -> tuple[Level, ...]:
    """The nodes below the tops by depth, then by the block around them."""
    depth, above = np.zeros(len(parent), np.int64), parent
    while (above >= 0).any():
        depth += above >= 0
        above = np.where(above >= 0, parent[above], -1)
    order = np.lexsort((parent, depth))
    bounds = np.searchsorted(depth[order], np.arange(1, depth.max(initial=0) + 2))
    made = []
    for at, end in pairwise(bounds):
        nodes = order[at:end]
        starts = np.flatnonzero(np.diff(parent[nodes], prepend=-1))
        made.append(Level(nodes, starts, parent[nodes[starts]]))
    return tuple(made)
