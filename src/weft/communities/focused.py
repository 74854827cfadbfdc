"""The community around some pages, found on what lies near them alone."""

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from weft.communities.community import Communities
from weft.communities.cores import Site, owner_of
from weft.communities.flow import Capacity, doubts, enclosed, seeds_of, told
from weft.core.arrays import Flags, Ids, Offsets, Rows, lower, stacked, upper
from weft.core.dimensions import Dimensions
from weft.core.methods import method
from weft.core.wording import count
from weft.engine import CLOSED
from weft.engine.maxflow import Network
from weft.graph.among import inner, places
from weft.graph.baseset import BaseSet
from weft.graph.webgraph import WebGraph, reverse, rows_of
from weft.rank.jumps import NONE, Places

Depth = Annotated[int, Field(ge=1, le=10, description="how many links away from the seeds to look")]
Rounds = Annotated[
    int, Field(ge=1, le=100, description="how often to look; each round has more seeds")
]
Rim = Annotated[
    Literal["sink", "open"],
    Field(description="whether what lies beyond counts as outside the community, or not at all"),
]


@method(
    "communities",
    "focused-flow",
    cites="flake2000",
    dimensions=Dimensions(
        model="maximal flow",
        metric="density of links",
        algorithm="maximal flow",
        scope="multiple pages",
        applications=("web communities", "web crawling"),
    ),
)
def focused_flow(
    base: BaseSet,
    *,
    seeds: Places = NONE,
    k: Capacity = 0,
    depth: Depth = 2,
    rounds: Rounds = 4,
    rim: Rim = "sink",
    site: Site = "auto",
) -> Communities:
    """Cut off the community around some pages within a few links of them, and look again from it.

    After the approximate flow communities of Flake, Lawrence and Giles: in
    each round the pages up to `depth` links away, either way, are gathered as
    a crawler would, links inside sites left out; the community among them is
    that of `flow`, with all that lies further away on the other side. Its
    pages with most links from inside, and with most links to inside, then are
    seeds too, all of them where several have as many, and the next round
    begins. Without seeds or a query there is no community.

    Examples
    --------
    >>> web = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "x"), ("x", "y"), ("x", "z"), ("y", "z")]
    >>> found = focused_flow(web, seeds=["a", "b"], rounds=1)
    >>> [found.base.pages[page] for page in found[0].members]
    ['a', 'b', 'c']
    """
    graph = base.graph
    start, chosen = seeds_of(base, seeds)
    if not len(start):
        return Communities("focused-flow", base, (), CLOSED, notes=chosen)
    owner, steps, own = owner_of(graph, site), [], start
    for turn in range(rounds):
        near = around(graph, own, depth, owner)
        at = np.searchsorted(near.pages, own).astype(np.int32)
        capacity = k or len(own)
        units = 1 + (capacity * near.beyond if rim == "sink" else 0 * near.beyond)
        cut = Network.of(near.outlinks, near.inlinks, at, units).cut(capacity)
        steps.append([len(own), len(near.pages), int(np.count_nonzero(cut.side))])
        more = leaders(near, cut.side, at)
        if turn + 1 == rounds or not len(more):
            break
        own = np.union1d(own, near.pages[more]).astype(np.int32)
    members = near.pages[cut.side]
    facts = {**told(cut, capacity, len(own)), "seeds, pages near, members by round": steps}
    side = np.zeros(len(graph), bool)
    side[members] = True
    community = enclosed(base, own, members, facts)
    notes = (*chosen, *_notes(len(start), len(own), steps), *doubts(graph, start, side))
    return Communities("focused-flow", base, (community,), CLOSED, facts, notes)


@dataclass(frozen=True, slots=True, eq=False)
class Near:
    """The pages near some others, ascending, and the links among them that count.

    `beyond` is how many pages further away each has links with.
    """

    pages: Ids
    outlinks: Rows
    inlinks: Rows
    beyond: Offsets


def around(graph: WebGraph, seeds: Ids, depth: int, owner: Ids) -> Near:
    """The pages that so few links between sites lead to from the seeds, either way."""
    seen, rim = np.zeros(len(graph), bool), seeds
    seen[seeds] = True
    for _ in range(depth):
        rim = np.unique(lower(_leaving(graph, rim, seen, owner))).astype(np.int32)
        seen[rim] = True
    pages = np.flatnonzero(seen).astype(np.int32)
    further = upper(np.unique(_leaving(graph, rim, seen, owner)))
    _, source, target = inner(graph.outlinks, pages)
    key = stacked(source, target)
    between = owner[pages[upper(key)]] != owner[pages[lower(key)]]
    out = rows_of(key[between], None, len(pages))
    beyond = np.bincount(np.searchsorted(pages, further), minlength=len(pages))
    return Near(pages, out, reverse(out, len(pages)), beyond)


def _leaving(graph: WebGraph, pages: Ids, seen: Flags, owner: Ids) -> Offsets:
    """The links between sites, either way, of some pages with pages not seen yet, as keys."""
    found = []
    for rows in (graph.outlinks, graph.inlinks):
        at, own = places(rows, pages)
        other = np.asarray(rows.ids[at])
        kept = ~seen[other] & (owner[own] != owner[other])
        found.append(stacked(own[kept], other[kept]))
    return np.concatenate(found)


def leaders(near: Near, side: Flags, seeds: Ids) -> Ids:
    """The members that are no seeds with most links from inside, and with most links to inside."""
    source = near.outlinks.owners().astype(np.int64)
    target = near.outlinks.ids
    inside = side[source] & side[target]
    fresh = side.copy()
    fresh[seeds] = False
    found = []
    for ends in (target, source):
        links = np.where(fresh, np.bincount(ends[inside], minlength=len(side)), 0)
        most = links.max(initial=0)
        found.append(np.flatnonzero((links == most) & fresh & (most > 0)))
    return np.union1d(*found).astype(np.int32)


def _notes(given: int, seeds: int, steps: list[list[int]]) -> tuple[str, ...]:
    if seeds == given:
        return ()
    return (f"{count(given, 'seed')} became {seeds:,} in {count(len(steps), 'round')}",)
