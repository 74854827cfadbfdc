"""Communities of pages whose links match a small pattern."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations
from typing import Annotated

import numpy as np
from pydantic import Field

from weft.communities.bipartite_cores import SiteRule, filter_core_links
from weft.communities.build import build_communities
from weft.communities.trawling import MaxCommunities, label_overlapping_sets
from weft.core.arrays import Flags, Ids, Offsets
from weft.core.errors import BadParameter
from weft.core.register import Dimensions, method
from weft.core.text import describe_dropped, pluralise
from weft.engine import CLOSED_FORM
from weft.graph.baseset.baseset import BaseSet
from weft.groups.groups import Groups
from weft.kernels.bipartite_cores import IdTable
from weft.kernels.subgraph_matching import find_pattern_matches

NAMED_PATTERNS = {
    "mutual": "a>b b>a c>a c>b",
    "ring": "a>b b>c c>a",
    "clique": "a>b b>a a>c c>a b>c c>b",
    "star": "a>b a>c a>d",
    "core": "a>x a>y a>z b>x b>y b>z c>x c>y c>z",
}
PatternText = Annotated[
    str,
    Field(
        description="links of at most six pages, such as 'a>b b>c c>a', or "
        f"{', '.join(NAMED_PATTERNS)}"
    ),
]
MaxTries = Annotated[
    int, Field(ge=1, le=1_000_000, description="maximum number of pages tried from each page")
]

MAX_PATTERN_NODES = 6
MAX_MATCHES = 200_000
MAX_MATCHES_SHOWN = 1000
LINK_SYNTAX = re.compile(r"(\w+)>(\w+)")


@dataclass(frozen=True, slots=True, eq=False)
class LinkPattern:
    """A small directed graph, its nodes in an order in which each is adjacent to one before it.

    `adjacency[i, j]` means that node i links to node j. `symmetry_order[i, j]`
    means that the page of i must have a smaller number than that of j, so that
    matches which differ by a symmetry of the pattern are found once.
    """

    nodes: tuple[str, ...]
    adjacency: Flags
    symmetry_order: Flags

    @classmethod
    def parse(cls, text: str) -> "LinkPattern":
        """Parse a pattern, given by name or as links.

        Examples
        --------
        >>> LinkPattern.parse("x>a y>a").nodes
        ('a', 'x', 'y')
        """
        words = NAMED_PATTERNS.get(text, text).replace(",", " ").split()
        edges = [link.groups() for word in words if (link := LINK_SYNTAX.fullmatch(word))]
        nodes = list(dict.fromkeys(name for edge in edges for name in edge))
        error = ""
        if not words or len(edges) < len(words) or any(a == b for a, b in edges):
            error = "it must be links between different pages"
        elif len(nodes) > MAX_PATTERN_NODES:
            error = f"it has {len(nodes)} pages, more than {MAX_PATTERN_NODES}"
        elif len(order := _connected_node_order(nodes, edges)) < len(nodes):
            error = "its pages must be connected"
        if error:
            hint = f"write links such as 'a>b b>c c>a', or one of {', '.join(NAMED_PATTERNS)}"
            raise BadParameter(f"pattern {text!r}: {error}", hint=hint)
        number = {name: k for k, name in enumerate(order)}
        adjacency = np.zeros((len(order), len(order)), bool)
        for source, target in edges:
            adjacency[number[source], number[target]] = True
        return cls(tuple(order), adjacency, _symmetry_breaking_constraints(adjacency))


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
    pattern: PatternText = "mutual",
    site: SiteRule = "auto",
    max_communities: MaxCommunities = 100,
    max_tries: MaxTries = 10_000,
) -> Groups:
    """Find matches of a link pattern and merge overlapping ones.

    A pattern is a small directed graph, such as two pages that link to each
    other and a third that links to both. Distinct pages match if they have its
    links; further links among them are allowed. Matches that share at least
    half of their pages form one community, whose strength is the number of its
    matches. Communities may overlap.

    The survey has one sentence on communities by patterns (Argyros and others
    2002); their paper could not be read, and this is not their method.

    Examples
    --------
    >>> found = patterns([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")], pattern="ring")
    >>> [found.base.page_names(community.members) for community in found]
    [['a', 'b', 'c']]
    """
    parsed, graph = LinkPattern.parse(pattern), base.graph
    links = filter_core_links(graph, site, 0, 0)
    rows, truncated_pages, next_page = find_pattern_matches(
        links.outlinks[:2],
        links.inlinks[:2],
        parsed.adjacency,
        parsed.symmetry_order,
        (max_tries, MAX_MATCHES),
    )
    matches = np.unique(np.sort(rows, axis=1), axis=0)
    groups, total = _group_overlapping_matches(matches, max_communities)
    communities = build_communities(
        base,
        [np.unique(own).astype(np.int32) for own in groups],
        strength=[float(len(own)) for own in groups],
        facts=[{"matches": len(own)} for own in groups],
        evidence=[{"matches": own[:MAX_MATCHES_SHOWN]} for own in groups],
    )
    notes = [describe_dropped(d.reason, 0, d.links) for d in links.dropped]
    if not total and links.dropped:
        notes.append("no match: site=page also counts links inside a site")
    notes += _search_limit_notes(base, max_tries, truncated_pages, next_page)
    if total > len(groups):
        notes.append(f"{total:,} communities found, the first {len(groups):,} shown")
    facts = {"pattern": pattern, "matches": len(matches), "communities": total}
    return Groups(
        "communities", "patterns", base, communities, CLOSED_FORM, facts=facts, notes=tuple(notes)
    )


def _search_limit_notes(
    base: BaseSet, max_tries: int, truncated_pages: int, next_page: int
) -> Iterator[str]:
    """Notes on matches that may be missing because a limit was reached."""
    if truncated_pages:
        pages = pluralise(truncated_pages, base.level)
        yield f"matches may be missing: {pages} with more than {max_tries:,} to try"
    if next_page < len(base):
        start = base.pages[next_page]
        yield f"matches may be missing: {MAX_MATCHES:,} found, {base.level}s from {start} not tried"


def _group_overlapping_matches(matches: IdTable, max_communities: int) -> tuple[list[IdTable], int]:
    """Group overlapping matches; return the groups with most matches, and the number of all."""
    if not len(matches):
        return [], 0
    labels = label_overlapping_sets(matches)
    sizes: Offsets = np.bincount(labels)
    best = np.argsort(-sizes, kind="stable")[:max_communities]
    order = np.argsort(labels, kind="stable")
    ends = np.concatenate([[0], np.cumsum(sizes)])
    return [matches[order[ends[label] : ends[label + 1]]] for label in best.tolist()], len(sizes)


def _connected_node_order(nodes: list[str], edges: list[tuple[str, ...]]) -> list[str]:
    """Order nodes by degree, then by the number of edges with the nodes before.

    Nodes that are not connected with the first one are left out.
    """
    order: list[str] = []
    while len(order) < len(nodes):
        candidates = {
            node: [edge for edge in edges if node in edge and (not order or {*edge} & {*order})]
            for node in nodes
            if node not in order
        }
        best = max(candidates, key=lambda node: len(candidates[node]))
        if not candidates[best]:
            break
        order.append(best)
    return order


def _symmetry_breaking_constraints(adjacency: Flags) -> Flags:
    """Order constraints that leave one match of all that differ by an automorphism.

    Of the nodes that automorphisms put in the place of the first node, the one
    with the smallest page stays there; then the same for the next node, with
    the automorphisms that fix those before.
    """
    size = len(adjacency)
    all_permutations = (np.array(order) for order in permutations(range(size)))
    automorphisms: list[Ids] = [
        order for order in all_permutations if (adjacency[np.ix_(order, order)] == adjacency).all()
    ]
    precedes = np.zeros((size, size), bool)
    for node in range(size):
        precedes[node, [int(a[node]) for a in automorphisms if a[node] != node]] = True
        automorphisms = [a for a in automorphisms if a[node] == node]
    return precedes
