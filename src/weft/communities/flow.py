"""The community around some pages: the smallest cut between them and the rest."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Annotated

import numpy as np
import numpy.typing as npt
from pydantic import Field

from weft.communities.community import Communities, Community
from weft.communities.partition import communities_of
from weft.core.arrays import Flags, Ids
from weft.core.dimensions import Dimensions
from weft.core.methods import method
from weft.core.wording import count
from weft.engine import CLOSED
from weft.engine.maxflow import Cut, Network
from weft.graph.among import places
from weft.graph.baseset import ROOT, BaseSet
from weft.graph.webgraph import WebGraph
from weft.rank.hits import hits
from weft.rank.jumps import NONE, Places, marked
from weft.rank.ranking import rounded

Capacity = Annotated[
    int,
    Field(
        ge=0,
        le=1_000_000,
        description="how many units a link carries: more make a larger community; "
        "0: as many as there are seeds",
    ),
]
Scan = Annotated[
    int, Field(ge=0, le=10_000, description="tell how many pages each k up to this one leads to")
]

CHOSEN = 5


@method(
    "communities",
    "flow",
    cites="flake2000",
    dimensions=Dimensions(
        model="maximal flow",
        metric="density of links",
        algorithm="maximal flow",
        scope="multiple pages",
        applications=("web communities", "web crawling"),
    ),
)
def flow(base: BaseSet, *, seeds: Places = NONE, k: Capacity = 0, scan: Scan = 0) -> Communities:
    """Cut the community around some pages off from the rest, where links are fewest.

    Every page has one unit to bring to a seed, and a link, whichever way it
    leads, carries k units. The community is the seeds' side of the smallest
    cut: the pages from which one more unit could come. Each page of it that is
    no seed has more links with the community than with the rest. A small k
    leaves the seeds alone, a large one takes in all that is connected: `scan`
    shows where the size stays the same for many k, which speaks for it. With a
    query and no seeds, these are the best authorities that the search found.
    With neither there is no community.

    Examples
    --------
    >>> web = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "x"), ("x", "y"), ("x", "z"), ("y", "z")]
    >>> found = flow(web, seeds=["a"], k=3)
    >>> [found.base.pages[page] for page in found[0].members]
    ['a', 'b', 'c']
    """
    graph = base.graph
    start, chosen = seeds_of(base, seeds)
    if not len(start):
        return Communities("flow", base, (), CLOSED, notes=chosen)
    capacity = k or len(start)
    network = Network.of(graph.outlinks, graph.inlinks, start)
    cuts = {c: network.cut(c) for c in sorted({capacity, *range(1, scan + 1)})}
    cut = cuts[capacity]
    sizes = {c: int(np.count_nonzero(each.side)) for c, each in cuts.items()}
    facts = {
        **told(cut, capacity, len(start)),
        "pages by k": [list(size) for size in sizes.items()],
    }
    community = enclosed(base, start, np.flatnonzero(cut.side).astype(np.int32), facts)
    widest = list(cuts.values())[-1]
    whole = widest.units == int(np.count_nonzero(widest.side)) - len(start)
    scanned = _scanned(sizes, len(start), whole=whole)
    notes = (*chosen, *doubts(graph, start, cut.side), *scanned)
    return Communities("flow", base, (community,), CLOSED, facts, notes)


def seeds_of(base: BaseSet, seeds: Sequence[str]) -> tuple[Ids, tuple[str, ...]]:
    """The pages to begin with, ascending, and what is to be said of them."""
    if seeds:
        return np.flatnonzero(marked(base.graph, seeds)).astype(np.int32), ()
    found = base.origin == ROOT
    score = hits(base.graph).scores["authority"] if found.any() else np.zeros(len(base))
    order = np.argsort(-np.where(found, rounded(score), 0), kind="stable")[:CHOSEN]
    best: Ids = np.sort(order[(score * found)[order] > 0]).astype(np.int32)
    if not len(best):
        return best, ("no seeds: name pages that the community is to be around",)
    names = ", ".join(base.named(best))
    return best, (f"no seeds given: the best authorities that the search found are: {names}",)


def told(cut: Cut, capacity: int, seeds: int) -> dict[str, object]:
    """What a cut is like, in plain values."""
    pages = int(np.count_nonzero(cut.side))
    return {
        "k": capacity,
        "seeds": seeds,
        "flow": cut.units,
        "neighbours cut": (cut.units - (pages - seeds)) // capacity,
    }


def enclosed(base: BaseSet, seeds: Ids, members: Ids, facts: Mapping[str, object]) -> Community:
    """The pages on the seeds' side as a community, with the links that were cut as evidence."""
    evidence = {"seeds": seeds, "cut": cut_links(base.graph, members)}
    return communities_of(base, [members], facts=[facts], evidence=[evidence])[0]


def cut_links(graph: WebGraph, members: Ids) -> npt.NDArray[np.int32]:
    """The links that lead out of some pages, then those that lead into them, as pairs."""
    inside = np.zeros(len(graph), bool)
    inside[members] = True
    ends = []
    for rows in (graph.outlinks, graph.inlinks):
        at, own = places(rows, members)
        other = np.asarray(rows.ids[at])
        ends.append(np.stack([own, other], axis=1)[~inside[other]])
    return np.concatenate([ends[0], ends[1][:, ::-1]]).astype(np.int32)


def doubts(graph: WebGraph, seeds: Ids, side: Flags) -> Iterator[str]:
    """What makes a community no community: nobody came, or nobody was kept out."""
    size = int(np.count_nonzero(side))
    if size == len(seeds):
        yield "the seeds alone: no page has most of its links with them; a larger k asks for less"
    elif not len(cut_links(graph, np.flatnonzero(side).astype(np.int32))):
        yield f"all {count(size, 'page')} that hang together with the seeds: a smaller k cuts"


def _scanned(sizes: Mapping[int, int], seeds: int, *, whole: bool) -> Iterator[str]:
    """The sizes that k leads to, and the one that stays for most k between none and all.

    `whole` says that the last of them is all.
    """
    if len(sizes) < 2:
        return
    runs = [list(same) for _, same in groupby(sizes, key=lambda k: sizes[k])]
    yield "pages by k: " + ", ".join(f"{sizes[run[0]]:,} for {_between(run)}" for run in runs)
    proper = [run for run in (runs[:-1] if whole else runs) if sizes[run[0]] > seeds]
    proper = [run for run in proper if len(run) > 1]
    if proper:
        long = max(proper, key=len)
        yield f"{sizes[long[0]]:,} pages for every k from {_between(long)}: the steadiest size"


def _between(run: list[int]) -> str:
    return f"{run[0]:,}" if len(run) == 1 else f"{run[0]:,} to {run[-1]:,}"
