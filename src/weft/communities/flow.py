"""The community around seed pages by minimum cut: on the whole graph, or near the seeds."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from typing import Annotated, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from weft.communities.bipartite_cores import SiteRule, assign_sites
from weft.communities.build import build_communities
from weft.core.arrays import (
    CSR,
    Flags,
    Ids,
    Offsets,
    csr_from_keys,
    link_positions,
    pack_pairs,
    round_significant,
    unpack_first_ids,
    unpack_second_ids,
)
from weft.core.errors import BadParameter
from weft.core.register import Dimensions, method
from weft.core.text import pluralise
from weft.engine import CLOSED_FORM
from weft.graph.baseset.baseset import ROOT, BaseSet
from weft.graph.views import undirected_edges
from weft.graph.webgraph import NumericNames, WebGraph, induced_links, transpose
from weft.groups.group import Group
from weft.groups.groups import Groups
from weft.rank.hits import hits
from weft.rank.teleport import NO_PAGES, PagesOrHosts, named_page_mask

LinkCapacity = Annotated[
    int,
    Field(
        ge=0,
        le=1_000_000,
        description="capacity of a link; higher: larger community; 0: seed count",
    ),
]
MaxScan = Annotated[
    int, Field(ge=0, le=10_000, description="also report the size for each k up to this one")
]
Depth = Annotated[int, Field(ge=1, le=10, description="maximum distance from the seeds, in links")]
Iterations = Annotated[
    int, Field(ge=1, le=100, description="maximum iterations; each one adds seeds")
]
Boundary = Annotated[
    Literal["sink", "open"],
    Field(description="treat pages beyond depth as a sink, or ignore them (open)"),
]

MAX_DEFAULT_SEEDS = 5
MAX_CAPACITY = np.iinfo(np.int32).max
STEPS_FACT = "seeds, nearby pages, members by iteration"
FLOW_DIMENSIONS = Dimensions(
    model="maximal flow",
    metric="density of links",
    algorithm="maximal flow",
    scope="multiple pages",
    applications=("web communities", "web crawling"),
)


@method("communities", "flow", cites="flake2000", dimensions=FLOW_DIMENSIONS)
def flow(
    base: BaseSet, *, seeds: PagesOrHosts = NO_PAGES, k: LinkCapacity = 0, scan: MaxScan = 0
) -> Groups:
    """Find the community around seed pages by a minimum cut.

    Each page sends one unit of flow to the seeds; a link carries k units in
    either direction. The community is the seeds' side of the minimum cut:
    the pages from which one more unit could reach a seed. Each member except
    the seeds has more links with the community than with the rest of the graph.
    A small k leaves the seeds alone, a large k takes in their whole connected
    component; `scan` shows for which k the size stays the same. With a query
    and without seeds, the best authorities among the pages that the search
    found are the seeds. With neither there is no community.

    Examples
    --------
    >>> web = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "x"), ("x", "y"), ("x", "z"), ("y", "z")]
    >>> found = flow(web, seeds=["a"], k=3)
    >>> found.base.page_names(found[0].members)
    ['a', 'b', 'c']
    """
    graph = base.graph
    seed_ids, seed_notes = choose_seeds(base, seeds)
    seed_count = len(seed_ids)
    if not seed_count:
        return Groups("communities", "flow", base, (), CLOSED_FORM, notes=seed_notes)
    capacity = k or seed_count
    edges, none_outside = undirected_edges(graph), np.zeros(len(graph), np.int64)
    cut_for = cache(lambda c: min_cut(edges, seed_ids, none_outside, c))
    sizes = _sizes_by_k(lambda c: len(cut_for(c)), range(1, scan + 1))
    cut = cut_for(capacity)
    sizes = dict(sorted({**sizes, capacity: len(cut)}.items()))
    facts = {
        **cut_facts(cut, capacity, seed_count),
        "pages by k": [list(size) for size in sizes.items()],
    }
    members = np.flatnonzero(cut.seed_side).astype(np.int32)
    community = community_from_cut(base, seed_ids, members, facts)
    includes_all = cut_for(max(sizes)).neighbours_cut == 0
    notes = (
        *seed_notes,
        *trivial_cut_notes(graph, seed_ids, cut.seed_side),
        *_size_by_k_notes(sizes, seed_count, includes_all=includes_all),
    )
    return Groups("communities", "flow", base, (community,), CLOSED_FORM, facts=facts, notes=notes)


@method("communities", "focused-flow", cites="flake2000", dimensions=FLOW_DIMENSIONS)
def focused_flow(
    base: BaseSet,
    *,
    seeds: PagesOrHosts = NO_PAGES,
    k: LinkCapacity = 0,
    depth: Depth = 2,
    iterations: Iterations = 4,
    boundary: Boundary = "sink",
    site: SiteRule = "auto",
) -> Groups:
    """Find a flow community near the seeds, adding seeds.

    The approximate flow communities of Flake, Lawrence and Giles. Each
    iteration collects the pages up to `depth` links from the seeds, in either
    direction, as a crawler would, without links inside sites. The community
    among them is that of `flow`, with everything further away on the other
    side. Then the members with most links from inside, and those with most
    links to inside, become seeds too, including all ties, and the next
    iteration begins. Without seeds or a query there is no community.

    Examples
    --------
    >>> web = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "x"), ("x", "y"), ("x", "z"), ("y", "z")]
    >>> found = focused_flow(web, seeds=["a", "b"], iterations=1)
    >>> found.base.page_names(found[0].members)
    ['a', 'b', 'c']
    """
    graph = base.graph
    first_seeds, seed_notes = choose_seeds(base, seeds)
    if not len(first_seeds):
        return Groups("communities", "focused-flow", base, (), CLOSED_FORM, notes=seed_notes)
    site_ids, steps, seed_ids = assign_sites(graph, site), [], first_seeds
    for iteration in range(iterations):
        near = neighbourhood_of_seeds(graph, seed_ids, depth, site_ids)
        at = np.searchsorted(near.pages, seed_ids).astype(np.int32)
        capacity = k or len(seed_ids)
        outside = near.outside_neighbours if boundary == "sink" else 0 * near.outside_neighbours
        cut = min_cut(undirected_edges(near.links), at, outside, capacity)
        steps.append([len(seed_ids), len(near.pages), len(cut)])
        new_seeds = most_linked_members(near, cut.seed_side, at)
        if iteration + 1 == iterations or not len(new_seeds):
            break
        seed_ids = np.union1d(seed_ids, near.pages[new_seeds]).astype(np.int32)
    members = near.pages[cut.seed_side]
    facts = {**cut_facts(cut, capacity, len(seed_ids)), STEPS_FACT: steps}
    in_community = np.zeros(len(graph), bool)
    in_community[members] = True
    community = community_from_cut(base, seed_ids, members, facts)
    notes = (
        *seed_notes,
        *_seed_growth_notes(len(first_seeds), len(seed_ids), len(steps)),
        *trivial_cut_notes(graph, first_seeds, in_community),
    )
    return Groups(
        "communities", "focused-flow", base, (community,), CLOSED_FORM, facts=facts, notes=notes
    )


def choose_seeds(base: BaseSet, given_seeds: Sequence[str]) -> tuple[Ids, tuple[str, ...]]:
    """The seed pages, ascending, and notes on how they were chosen.

    Without given seeds these are the best authorities that the search found.
    """
    if given_seeds:
        return np.flatnonzero(named_page_mask(base.graph, given_seeds)).astype(np.int32), ()
    is_root = base.origin == ROOT
    authority = hits(base.graph).scores["authority"] if is_root.any() else np.zeros(len(base))
    root_scores = np.where(is_root, round_significant(authority), 0)
    order = np.argsort(-root_scores, kind="stable")[:MAX_DEFAULT_SEEDS]
    best: Ids = np.sort(order[(authority * is_root)[order] > 0]).astype(np.int32)
    if not len(best):
        return best, ("no seeds: name the pages to find the community of",)
    names = ", ".join(base.page_names(best))
    return best, (f"no seeds given, best authorities of the search used: {names}",)


@dataclass(frozen=True, slots=True, eq=False)
class MinCut:
    """The seeds' side of a minimum cut, and how many pairs of neighbours the cut separates."""

    seed_side: Flags
    neighbours_cut: int

    def __len__(self) -> int:
        return int(np.count_nonzero(self.seed_side))


def min_cut(edges: CSR, seeds: Ids, outside_neighbours: Offsets, k: int) -> MinCut:
    """The minimum cut between the seeds and all other pages, the smallest side in a tie.

    A page sends one unit over edges of capacity k, and k more for each of its
    neighbours outside of the graph, which are on the other side.

    Examples
    --------
    >>> chain = CSR(np.array([0, 1, 3, 4]), np.array([1, 0, 2, 1], np.int32))
    >>> [len(min_cut(chain, np.array([0]), np.zeros(3, np.int64), k)) for k in (2, 3)]
    [1, 3]
    """
    from scipy.sparse import csr_array  # noqa: PLC0415  slow to load
    from scipy.sparse.csgraph import breadth_first_order, maximum_flow  # noqa: PLC0415

    n = len(outside_neighbours)
    # members number less than n: from k = n on, fewer edges cut outweigh any number of members
    capacity = min(k, n)
    to_sink = 1 + capacity * outside_neighbours
    to_sink[seeds] = 0
    from_source = 1 + capacity * np.diff(edges.starts)[seeds]  # never exhausted
    if max(to_sink.max(), from_source.max()) > MAX_CAPACITY:
        raise BadParameter(f"k is {k:,}, and the flow too large", hint="try a smaller k")
    # page n is the source, page n + 1 the sink; the edge to the sink is the last of each page
    ends = np.asarray(edges.starts[1:])
    network = csr_array(
        (
            np.append(np.insert(np.full(len(edges.ids), capacity), ends, to_sink), from_source),
            np.append(np.insert(edges.ids, ends, n + 1), seeds),
            np.append(edges.starts + np.arange(n + 1), [len(edges.ids) + n + len(seeds)] * 2),
        ),
        shape=(n + 2, n + 2),
        dtype=np.int32,
    )
    found = maximum_flow(network, n, n + 1)
    reachable = breadth_first_order(network - found.flow, n, return_predecessors=False)
    side = np.zeros(n + 2, bool)
    side[reachable] = True
    members = len(reachable) - 1 - len(seeds)
    return MinCut(side[:n], (int(found.flow_value) - members) // capacity)


def _sizes_by_k(size: Callable[[int], int], ks: range) -> dict[int, int]:
    """The size for each k; it never shrinks as k grows, so that bisection finds all steps."""
    if len(ks) < 3 or size(ks[0]) == size(ks[-1]):
        return {k: size(ks[0 if k < ks[-1] else -1]) for k in ks}
    middle = len(ks) // 2
    return _sizes_by_k(size, ks[: middle + 1]) | _sizes_by_k(size, ks[middle:])


def cut_facts(cut: MinCut, capacity: int, seed_count: int) -> dict[str, object]:
    """The facts of a minimum cut.

    The flow is one unit per member that is no seed, and k per pair of
    neighbours that the cut separates.
    """
    return {
        "k": capacity,
        "seeds": seed_count,
        "flow": len(cut) - seed_count + capacity * cut.neighbours_cut,
        "neighbours cut": cut.neighbours_cut,
    }


def community_from_cut(
    base: BaseSet, seeds: Ids, members: Ids, facts: Mapping[str, object]
) -> Group:
    """Build the community on the seeds' side of a cut, with the cut links as evidence."""
    evidence = {"seeds": seeds, "cut": cut_links(base.graph, members)}
    return build_communities(base, [members], facts=[facts], evidence=[evidence])[0]


def cut_links(graph: WebGraph, members: Ids) -> npt.NDArray[np.int32]:
    """The links that leave a set of pages, then those that enter it, as (source, target) rows."""
    is_member = np.zeros(len(graph), bool)
    is_member[members] = True
    pairs = []
    for rows in (graph.outlinks, graph.inlinks):
        at, own = link_positions(rows, members)
        other = np.asarray(rows.ids[at])
        pairs.append(np.stack([own, other], axis=1)[~is_member[other]])
    return np.concatenate([pairs[0], pairs[1][:, ::-1]]).astype(np.int32)


def trivial_cut_notes(graph: WebGraph, seeds: Ids, in_community: Flags) -> Iterator[str]:
    """Notes on a trivial cut: only the seeds, or a whole connected component."""
    size = int(np.count_nonzero(in_community))
    if size == len(seeds):
        yield "the seeds alone: no page has most of its links with them; try a larger k"
    elif not len(cut_links(graph, np.flatnonzero(in_community).astype(np.int32))):
        pages = pluralise(size, "page")
        yield f"all {pages} connected with the seeds: try a smaller k"


def _size_by_k_notes(
    sizes: Mapping[int, int], seed_count: int, *, includes_all: bool
) -> Iterator[str]:
    """Notes on the community size by k, and the size that is stable for most values of k.

    `includes_all` means that the last size is that of all connected pages.
    """
    if len(sizes) < 2:
        return
    runs = [list(run) for _, run in groupby(sizes, key=lambda k: sizes[k])]
    yield "pages by k: " + ", ".join(f"{sizes[run[0]]:,} for {_format_range(run)}" for run in runs)
    stable = [
        run
        for run in (runs[:-1] if includes_all else runs)
        if sizes[run[0]] > seed_count and len(run) > 1
    ]
    if stable:
        longest = max(stable, key=len)
        yield f"most stable size: {sizes[longest[0]]:,} pages for k from {_format_range(longest)}"


def _format_range(run: list[int]) -> str:
    return f"{run[0]:,}" if len(run) == 1 else f"{run[0]:,} to {run[-1]:,}"


@dataclass(frozen=True, slots=True, eq=False)
class Neighbourhood:
    """The pages near some seeds, ascending, and the links between sites among them.

    In `links` pages are numbered by position in `pages`. `outside_neighbours` is
    the number of pages further away that each page has links with.
    """

    pages: Ids
    links: WebGraph
    outside_neighbours: Offsets


def neighbourhood_of_seeds(graph: WebGraph, seeds: Ids, depth: int, site_ids: Ids) -> Neighbourhood:
    """The pages within `depth` links of the seeds, in either direction, by links between sites."""
    visited, frontier = np.zeros(len(graph), bool), seeds
    visited[seeds] = True
    for _ in range(depth):
        links = _links_to_unvisited(graph, frontier, visited, site_ids)
        frontier = np.unique(unpack_second_ids(links)).astype(np.int32)
        visited[frontier] = True
    pages = np.flatnonzero(visited).astype(np.int32)
    # only the last frontier has neighbours outside
    boundary = unpack_first_ids(np.unique(_links_to_unvisited(graph, frontier, visited, site_ids)))
    outside_neighbours = np.bincount(np.searchsorted(pages, boundary), minlength=len(pages))
    _, source, target = induced_links(graph.outlinks, pages)
    key = pack_pairs(source, target)
    is_cross_site = (
        site_ids[pages[unpack_first_ids(key)]] != site_ids[pages[unpack_second_ids(key)]]
    )
    outlinks = csr_from_keys(key[is_cross_site], None, len(pages))
    near = WebGraph(NumericNames(len(pages)), outlinks, transpose(outlinks, len(pages)))
    return Neighbourhood(pages, near, outside_neighbours)


def _links_to_unvisited(graph: WebGraph, pages: Ids, visited: Flags, site_ids: Ids) -> Offsets:
    """Links of some pages, in either direction, with unvisited pages of other sites, as keys."""
    keys = []
    for rows in (graph.outlinks, graph.inlinks):
        at, own = link_positions(rows, pages)
        other = np.asarray(rows.ids[at])
        kept = ~visited[other] & (site_ids[own] != site_ids[other])
        keys.append(pack_pairs(own[kept], other[kept]))
    return np.concatenate(keys)


def most_linked_members(neighbourhood: Neighbourhood, in_community: Flags, seeds: Ids) -> Ids:
    """The non-seed members with most links from inside, and those with most links to inside."""
    outlinks = neighbourhood.links.outlinks
    source, target = outlinks.row_ids(), outlinks.ids
    is_inside = in_community[source] & in_community[target]
    is_candidate = in_community.copy()
    is_candidate[seeds] = False
    best = []
    for ends in (target, source):
        degrees = np.bincount(ends[is_inside], minlength=len(in_community))
        degrees = np.where(is_candidate, degrees, 0)
        maximum = degrees.max(initial=0)
        best.append(np.flatnonzero((degrees == maximum) & is_candidate & (maximum > 0)))
    return np.union1d(*best).astype(np.int32)


def _seed_growth_notes(given_seeds: int, final_seeds: int, iterations: int) -> tuple[str, ...]:
    if final_seeds == given_seeds:
        return ()
    seeds = f"{pluralise(given_seeds, 'seed')} became {final_seeds:,}"
    return (f"{seeds} in {pluralise(iterations, 'iteration')}",)
