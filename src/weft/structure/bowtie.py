"""The bow-tie structure of a web: core, IN, OUT, tubes, tendrils and what is disconnected."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, NamedTuple

import numpy as np
import pyarrow as pa
from pydantic import Field

from weft.core.arrays import Flags, Ids, Offsets
from weft.core.errors import UnknownName
from weft.core.fact_sheet import LazyTables
from weft.core.params import Seed
from weft.core.register import Dimensions, method
from weft.core.text import pluralise
from weft.graph.webgraph import WebGraph
from weft.kernels.components import Condensation, condensation, weakly_connected_components
from weft.kernels.traversal import (
    EMPTY_CSR,
    SOURCES_PER_PASS,
    count_reachable,
    nodes_reaching,
    reachable_from,
    shortest_path,
)
from weft.structure.shape import Shape, UncapturedPages, apply_uncaptured_option

MAX_EXACT_WORK = 400_000_000
REGIONS = {
    "core": "largest strong component",
    "in": "leads to the core",
    "out": "reached from the core",
    "tubes": "from in to out, past the core",
    "tendrils in": "reached from in only",
    "tendrils out": "leads to out only",
    "other": "connected by links either way",
    "disconnected": "not connected to the core",
    "no core": "there is no core",
}
CORE, IN, OUT, TUBES, TENDRILS_IN, TENDRILS_OUT, OTHER, DISCONNECTED, NO_CORE = range(len(REGIONS))
# the path that proves a region, as legs from one set of pages to another
PATH_LEGS = {
    "core": [("page", "page")],
    "in": [("page", "core")],
    "out": [("core", "page")],
    "tubes": [("in", "page"), ("page", "out")],
    "tendrils in": [("in", "page")],
    "tendrils out": [("page", "out")],
    "other": [("page", "core")],
}

MinCoreSize = Annotated[int, Field(ge=2, description="minimum number of pages in the core")]
Sources = Annotated[
    int, Field(ge=2, le=1_000_000, description="sample size for connected pairs, in large webs")
]


@dataclass(frozen=True, slots=True)
class RegionPath:
    """The region of a page and a shortest path that proves it.

    The path follows links, from the page or to it; with `undirected` it connects
    the page with the core by links in either direction.
    """

    page: str
    region: str
    path: tuple[str, ...]
    undirected: bool = False

    def __str__(self) -> str:
        if self.path:
            arrow = " — " if self.undirected else " → "
            return f"{self.page}: {self.region}, by {arrow.join(self.path)}"
        reason = ", no links connect it with the core in either direction"
        return f"{self.page}: {self.region}{reason if self.region == 'disconnected' else ''}"


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class BowTie(Shape):
    """A bow-tie; `page_regions` has the region of each page as its position in `REGIONS`."""

    graph: WebGraph
    page_regions: Ids

    def explain(self, page: str) -> RegionPath:
        """Find a shortest path that shows why a page is in its region."""
        number = self.graph.page_number(page)
        if number < 0:
            hint = "it is not in the graph; a page that was not captured needs uncaptured=keep"
            raise UnknownName(self.graph.level, page, (), hint=hint)
        return find_region_path(self.graph, list(REGIONS), self.page_regions, number)


@method(
    "structure",
    "bow-tie",
    cites="broder2000",
    dimensions=Dimensions(
        model="whole graph",
        metric="whole-graph properties",
        algorithm="graph traversal",
        scope="whole web",
        applications=("modelling the web graph", "web crawling"),
    ),
    spark="weft.spark.structure:bow_tie",
)
def bow_tie(
    graph: WebGraph,
    *,
    min_size: MinCoreSize = 2,
    uncaptured: UncapturedPages = "drop",
    sources: Sources = 1024,
    seed: Seed = 0,
) -> Shape:
    """Divide a web into core, in, out, tubes and tendrils.

    The core is the largest strongly connected component; of equal ones, that
    with the first page. *In* leads to it, *out* is reached from it. *Tubes* lead
    from in to out past the core; *tendrils* are reached from in, or lead to out.
    *Other* pages are connected only by links of both directions; Broder et al.
    count them among the tendrils, and both counts are given. If the largest
    component has fewer than `min_size` pages there is no core and no bow-tie.
    The links of pages that were not captured are unknown, so that all of these
    would be *out*: they are dropped, unless `uncaptured=keep`.

    Examples
    --------
    >>> links = [("1", "2"), ("2", "3"), ("3", "1"), ("4", "1"), ("3", "5"), ("4", "6")]
    >>> shape = bow_tie(WebGraph.from_links(links))
    >>> shape
    <bow-tie: core 3, core share 0.5, in 1, out 1>
    >>> print(shape.explain("6"))
    6: tendrils in, by 4 → 6
    """
    graph, notes = apply_uncaptured_option(graph, uncaptured)
    strong = condensation(graph.outlinks)
    weak = weakly_connected_components(graph.outlinks)
    core = find_core(strong.labels, strong.sizes, min_size)
    regions = assign_regions(core, weak.labels, partial(find_reachability, graph, strong))
    sides = CoreInOut(core, regions == IN, regions == OUT)
    pairs = count_connected_pairs(graph, strong, sides, sources, seed)
    sizes = np.bincount(regions, minlength=len(REGIONS))
    if not core.any():
        largest = int(strong.sizes.max(initial=0))
        pages = pluralise(largest, graph.level) if largest > 1 else f"no two {graph.level}s"
        notes = (f"no core: {pages} in the largest strong component", *notes)
    facts = {
        **region_facts(sizes, has_core=bool(core.any())),
        "share of connected pairs": pairs.share,
        "error of the share of connected pairs": pairs.standard_error,
        f"{graph.level}s": len(graph),
        "links": len(graph.outlinks.ids),
        "strong components": len(strong.bounds) - 1,
        "weak components": len(weak.sizes),
        "largest weak component": int(weak.sizes.max(initial=0)),
    }
    tables = LazyTables(
        regions=region_table(sizes, len(graph)), pages=partial(_page_region_table, graph, regions)
    )
    notes = (*notes, *_sampling_notes(pairs, graph.level))
    return BowTie("bow-tie", facts, tables, notes, graph=graph, page_regions=regions)


def find_core(labels: Ids, sizes: Ids, min_size: int) -> Flags:
    """The largest component, of equal ones that with the first page; empty if it is too small."""
    size = sizes[labels]
    largest = int(size.max(initial=0))
    if largest < min_size:
        return np.zeros(len(size), np.bool_)
    core: Flags = labels == labels[int(np.argmax(size == largest))]
    return core


class Reachability(NamedTuple):
    """The pages from the core and to it, from in past the core, and to core or out.

    Each has the pages themselves that it starts from.
    """

    from_core: Flags
    to_core: Flags
    from_in: Flags
    to_out: Flags


def find_reachability(graph: WebGraph, components: Condensation, core: Flags) -> Reachability:
    """What is reachable from the core, in and out, and what reaches them."""
    links = graph.outlinks
    from_core, to_core = reachable_from(links, core), nodes_reaching(links, components, core)
    from_in = reachable_from(links, to_core & ~core, from_core)
    return Reachability(from_core, to_core, from_in, nodes_reaching(links, components, from_core))


def assign_regions(core: Flags, weak_labels: Ids, find: Callable[[Flags], Reachability]) -> Ids:
    """The region of each page; later assignments override earlier ones."""
    region = np.full(len(core), NO_CORE, np.int32)
    if not core.any():
        return region
    from_core, to_core, from_in, to_out = find(core)
    region[:] = DISCONNECTED
    region[weak_labels == weak_labels[int(np.argmax(core))]] = OTHER
    region[to_out] = TENDRILS_OUT
    region[from_in] = TENDRILS_IN
    region[from_in & to_out] = TUBES
    region[from_core], region[to_core & ~core], region[core] = OUT, IN, CORE
    return region


class CoreInOut(NamedTuple):
    """The pages of the core, of in and of out."""

    core: Flags
    in_: Flags
    out: Flags


class ConnectedPairs(NamedTuple):
    """The share of ordered pairs with a path from one page to the other."""

    share: float
    standard_error: float
    exact: bool
    sources: int


def count_connected_pairs(
    graph: WebGraph, components: Condensation, regions: CoreInOut, max_sources: int, seed: int
) -> ConnectedPairs:
    """Count the connected pairs, or estimate them where that takes too long.

    A page of the core reaches all of core and out; a page of in does too, and
    perhaps more. Only this remainder, and what the other pages reach, needs a
    search for each page outside the core: for all of them, or for a random
    sample, whose mean then stands for all.
    """
    n, (core, in_pages, out) = len(graph), regions
    if n < 2:
        return ConnectedPairs(0.0, 0.0, exact=True, sources=0)
    outside = np.flatnonzero(~core).astype(np.int32)
    links = int(np.diff(np.asarray(graph.outlinks.starts))[outside].sum())
    passes = len(outside) / SOURCES_PER_PASS + 1
    exact = len(outside) <= max_sources or passes * (links + len(outside)) < MAX_EXACT_WORK
    rng = np.random.default_rng(seed)
    chosen = outside if exact else np.sort(rng.choice(outside, max_sources, replace=False))
    beyond = _count_reachable_beyond_core(graph, components, chosen, core | out, in_pages)
    # pairs through the core: |core| (|core| + |out| - 1) + |in| (|core| + |out|)
    core_and_out = int(core.sum()) + int(out.sum())
    through_core = int(core.sum()) * (core_and_out - 1) + int(in_pages.sum()) * core_and_out
    pairs = n * (n - 1)
    if exact:
        share = (through_core + int(beyond.sum())) / pairs
        return ConnectedPairs(share, 0.0, exact=True, sources=len(chosen))
    estimate = len(outside) * float(beyond.mean())
    # standard error of a total, with the finite population correction
    correction = 1 - len(chosen) / len(outside)
    error = float(beyond.std(ddof=1)) * np.sqrt(correction / len(chosen)) * len(outside)
    share = (through_core + estimate) / pairs
    return ConnectedPairs(share, float(error / pairs), exact=False, sources=len(chosen))


def _count_reachable_beyond_core(
    graph: WebGraph, components: Condensation, sources: Ids, core_and_out: Flags, in_pages: Flags
) -> Offsets:
    """How many pages each source reaches; for pages of in, without core and out."""
    counts = np.zeros(len(sources), np.int64)
    is_in = in_pages[sources]
    nothing = np.zeros_like(core_and_out)
    counts[is_in] = count_reachable(graph.outlinks, components, sources[is_in], core_and_out)
    counts[~is_in] = count_reachable(graph.outlinks, components, sources[~is_in], nothing)
    return counts


def find_region_path(
    graph: WebGraph, region_names: Sequence[str], page_regions: Ids, page: int
) -> RegionPath:
    """Find a shortest path that proves the region of a page.

    Core: a cycle through the page. In: to the core. Out: from the core.
    Tendrils: from a page of in, or to a page of out. Tubes: both. Other: to the
    core, following links in either direction.
    """
    region = region_names[page_regions[page]]
    is_page = np.zeros(len(page_regions), np.bool_)
    is_page[page] = True
    sets = {name: page_regions == region_names.index(name) for name in ("core", "in", "out")}
    sets["page"] = is_page
    backlinks = graph.inlinks if region == "other" else EMPTY_CSR
    steps: list[int] = []
    for start, goal in PATH_LEGS.get(region, ()):
        leg = shortest_path(graph.outlinks, sets[start], sets[goal], backlinks).tolist()
        steps += leg[1:] if steps else leg  # a second leg begins where the first ended
    path = tuple(graph.pages[step] for step in steps)
    return RegionPath(graph.pages[page], region, path, region == "other")


def region_facts(sizes: Offsets, *, has_core: bool) -> dict[str, Any]:
    """The number of pages of each region."""
    if not has_core:
        return {"core": "no core"}
    counts = {name: int(size) for name, size in zip(REGIONS, sizes[:NO_CORE], strict=False)}
    tendrils = int(sizes[TENDRILS_IN] + sizes[TENDRILS_OUT] + sizes[OTHER])
    core = counts.pop("core")
    share = core / int(sizes.sum())
    return {"core": core, "core share": share, **counts, "tendrils by Broder": tendrils}


def region_table(sizes: Offsets, total_pages: int) -> pa.Table:
    """One row for each region: its pages, their share, and what the region is."""
    shown = [NO_CORE] if sizes[NO_CORE] else list(range(NO_CORE)) if total_pages else []
    names, meanings = list(REGIONS), list(REGIONS.values())
    return pa.table(
        {
            "region": pa.array([names[k] for k in shown], pa.string()),
            "pages": pa.array([int(sizes[k]) for k in shown], pa.int64()),
            "share": pa.array([int(sizes[k]) / total_pages for k in shown], pa.float64()),
            "meaning": pa.array([meanings[k] for k in shown], pa.string()),
        }
    )


def _page_region_table(graph: WebGraph, page_regions: Ids) -> pa.Table:
    names = pa.DictionaryArray.from_arrays(pa.array(page_regions), pa.array(list(REGIONS)))
    return pa.table({"page": graph.names, "region": names})


def _sampling_notes(pairs: ConnectedPairs, level: str) -> tuple[str, ...]:
    if pairs.exact:
        return ()
    sample = pluralise(pairs.sources, level)
    return (
        f"the share of connected pairs is estimated from a sample of {sample} outside the core,"
        f" ± {pairs.standard_error:.2g} (standard error); pairs through the core are counted",
    )
