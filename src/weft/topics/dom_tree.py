"""DOM trees of pages with links as leaves, and their segmentation by description length."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Annotated, Literal, NamedTuple

import numpy as np
from pydantic import Field

from weft.core.arrays import Flags, Floats, Ids, Offsets

CutRule = Annotated[
    Literal["kl_u0", "kl_0u", "bic", "page", "link"],
    Field(
        description="segment pages by KL divergence (kl_u0, kl_0u) or BIC, or keep whole pages or "
        "single links"
    ),
]

MIN_MEAN_RATIO = 1e-3
COST_TOLERANCE = 1e-9


class TreeLevel(NamedTuple):
    """The nodes of one depth, grouped by parent block: nodes, start of each group, blocks."""

    nodes: Offsets
    block_starts: Offsets
    blocks: Offsets


@dataclass(frozen=True, slots=True, eq=False)
class DomForest:
    """A tree for every page. Nodes are first the links, then blocks with several children.

    `parent` is the block around each node, -1 for the root of a page.
    `links_below` is the number of links below each node. `levels` has the nodes
    below the roots by depth, top down.
    """

    link_count: int
    parent: Offsets
    levels: tuple[TreeLevel, ...]
    links_below: Floats

    @classmethod
    def from_paths(cls, page_ids: Ids, path_ids: Ids, paths: Sequence[str]) -> "DomForest":
        """Build the trees from the page and the DOM path of each link.

        `path_ids` are positions in `paths`, such as `body/ul[2]/li[1]`. A block
        with a single child is replaced by the child.
        """
        # every pair (page, trie node) from the links up to the roots
        trie_nodes, trie_parent, depth = _build_path_trie(paths)
        size = len(trie_parent)
        key = page_ids.astype(np.int64) * size + trie_nodes[path_ids]
        frontier = np.unique(key)
        all_keys = [frontier]
        while len(frontier):
            parent = trie_parent[frontier % size]
            frontier = np.unique((frontier - frontier % size + parent)[parent >= 0])
            all_keys.append(frontier)
        nodes = np.unique(np.concatenate(all_keys))
        parent = trie_parent[nodes % size]
        parent_node = np.where(
            parent >= 0, np.searchsorted(nodes, nodes - nodes % size + parent), -1
        )
        # keep blocks with several children: blocks or links
        node_of_link = np.searchsorted(nodes, key)
        child_blocks = np.bincount(parent_node[parent_node >= 0], minlength=len(nodes))
        is_kept = np.greater(child_blocks + np.bincount(node_of_link, minlength=len(nodes)), 1)
        # renumber: links first, then the kept blocks
        kept_ancestor = _nearest_kept_ancestor(parent_node, is_kept, depth[nodes % size])
        number = np.full(len(nodes) + 1, -1, np.int64)
        number[:-1][is_kept] = len(page_ids) + np.arange(is_kept.sum())
        parent_of_link = np.where(is_kept[node_of_link], node_of_link, kept_ancestor[node_of_link])
        return cls.from_parents(
            len(page_ids), np.concatenate([number[parent_of_link], number[kept_ancestor[is_kept]]])
        )

    @classmethod
    def from_parents(cls, link_count: int, parent: Offsets) -> "DomForest":
        """Build the trees from the parent of each node."""
        forest = cls(link_count, parent, _levels_from_parents(parent), np.zeros(0))
        return replace(forest, links_below=forest.subtree_sums(np.ones(link_count)))

    def prune_to_links(self, mask: Flags) -> "DomForest":
        """The trees of some of the links, without empty blocks."""
        is_kept = self.subtree_sums(mask.astype(float)) > 0
        number = np.full(len(is_kept) + 1, -1, np.int64)
        number[:-1][is_kept] = np.arange(is_kept.sum())
        return DomForest.from_parents(int(mask.sum()), number[self.parent[is_kept]])

    def subtree_sums(self, values: Floats) -> Floats:
        """Sum values over the links below each node."""
        total = np.concatenate([values, np.zeros(len(self.parent) - self.link_count)])
        for nodes, starts, blocks in reversed(self.levels):
            total[blocks] = np.add.reduceat(total[nodes], starts)
        return total

    def description_lengths(self, total: Floats, cut: CutRule = "kl_u0") -> Floats:
        """The description length in nats of the links below each node, if it is a segment.

        Link scores are coded by an exponential distribution with the mean of
        the node, n log(mean) + total / mean. The distribution itself costs its
        KL divergence from that of all links, or 0.5 log(n) with `bic`. `total`
        is the sum of the scores below each node.
        """
        overall_mean = total[: self.link_count].mean()
        mean = np.maximum(total / self.links_below, MIN_MEAN_RATIO * overall_mean)
        if cut == "bic":
            model_cost = 0.5 * np.log(self.links_below)
        else:
            ratio = mean / overall_mean if cut == "kl_u0" else overall_mean / mean
            model_cost = ratio - 1 - np.log(ratio)
        cost: Floats = self.links_below * np.log(mean) + total / mean + model_cost
        return cost

    def link_segments(self, total: Floats, cut: CutRule = "kl_u0") -> Offsets:
        """The segment of each link: the topmost node that costs no more than its children."""
        is_split = np.arange(len(self.parent)) >= self.link_count
        if cut == "page":
            is_split[:] = False
        elif cut != "link":
            cost = self.description_lengths(total, cut)
            child_cost = cost.copy()
            for nodes, starts, blocks in self.levels:
                child_cost[blocks] = np.add.reduceat(cost[nodes], starts)
            is_split = cost > child_cost + COST_TOLERANCE
        # top down: a node whose parent is in a segment belongs to that segment
        segment = np.where(is_split, -1, np.arange(len(self.parent)))
        for nodes, _, _ in self.levels:
            parent_segment = segment[self.parent[nodes]]
            segment[nodes] = np.where(parent_segment >= 0, parent_segment, segment[nodes])
        return segment[: self.link_count]


def split_path(path: str) -> list[str]:
    """The steps of a DOM path, from the outside in."""
    return path.split("/") if path else []


def common_ancestor_path(paths: Sequence[str]) -> str:
    """The path of the innermost block that contains all paths.

    Examples
    --------
    >>> common_ancestor_path(["body/ul[1]/li[1]", "body/ul[1]/li[2]"])
    'body/ul[1]'
    """
    first, last = split_path(min(paths, key=split_path)), split_path(max(paths, key=split_path))
    is_equal = [a == b for a, b in zip(first, last, strict=False)]
    return "/".join(first[: is_equal.index(False) if False in is_equal else len(is_equal)])


def _build_path_trie(paths: Sequence[str]) -> tuple[Offsets, Offsets, Offsets]:
    """A trie of all paths: the node of each path, the parent and the depth of each node."""
    node_of_path, parent, depth = {"": 0}, [-1], [0]
    for path in paths:
        node, name = 0, ""
        if path in node_of_path:
            continue
        for step in split_path(path):
            name = f"{name}/{step}" if name else step
            if name not in node_of_path:
                node_of_path[name] = len(parent)
                parent.append(node)
                depth.append(depth[node] + 1)
            node = node_of_path[name]
    path_nodes = np.array([node_of_path[path] for path in paths], np.int64)
    return path_nodes, np.array(parent, np.int64), np.array(depth, np.int64)


def _nearest_kept_ancestor(parent: Offsets, kept: Flags, depth: Offsets) -> Offsets:
    """The nearest ancestor of each node that is kept; -1 for none."""
    ancestor = np.full(len(parent), -1, np.int64)
    order = np.argsort(depth, kind="stable")
    bounds = np.searchsorted(depth[order], np.arange(1, depth.max(initial=0) + 2))
    for start, end in pairwise(bounds):
        level = order[start:end]
        parents = parent[level]
        ancestor[level] = np.where(kept[parents], parents, ancestor[parents])
    return ancestor


def _levels_from_parents(parent: Offsets) -> tuple[TreeLevel, ...]:
    """Group the nodes below the roots by depth, then by parent."""
    depth, ancestor = np.zeros(len(parent), np.int64), parent
    while (ancestor >= 0).any():
        depth += ancestor >= 0
        ancestor = np.where(ancestor >= 0, parent[ancestor], -1)
    order = np.lexsort((parent, depth))
    bounds = np.searchsorted(depth[order], np.arange(1, depth.max(initial=0) + 2))
    levels = []
    for start, end in pairwise(bounds):
        nodes = order[start:end]
        starts = np.flatnonzero(np.diff(parent[nodes], prepend=-1))
        levels.append(TreeLevel(nodes, starts, parent[nodes[starts]]))
    return tuple(levels)
