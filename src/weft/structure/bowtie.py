"""The bow-tie of a web: its core, what leads in, what leads out, and what hangs beside."""

from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

import numpy as np
import pyarrow as pa
from pydantic import Field

from weft.core.arrays import Flags, Ids, Offsets
from weft.core.dimensions import Dimensions
from weft.core.errors import UnknownName
from weft.core.methods import method
from weft.core.params import Seed
from weft.core.wording import count
from weft.engine.connected import weak
from weft.engine.reach import leading, reached
from weft.engine.strong import Condensed, condensed
from weft.graph.webgraph import WebGraph
from weft.structure.fetched import SeenPages, fetched
from weft.structure.joined import Joined, Sides, joined
from weft.structure.place import Place, place
from weft.structure.shape import Shape, Tables

REGIONS = {
    "core": "all lead to each other",
    "in": "leads to the core",
    "out": "the core leads to it",
    "tubes": "from in to out past it",
    "tendrils in": "in leads to it alone",
    "tendrils out": "leads to out alone",
    "other": "hangs on otherwise",
    "disconnected": "no links to the rest",
    "no core": "none to be beside",
}
CORE, IN, OUT, TUBES, TENDRILS_IN, TENDRILS_OUT, OTHER, DISCONNECTED, NO_CORE = range(len(REGIONS))

Least = Annotated[int, Field(ge=2, description="how many pages a core has at least")]
Sources = Annotated[
    int,
    Field(
        ge=2,
        le=1_000_000,
        description="from how many pages outside the core to estimate joined pairs, in large webs",
    ),
]


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class BowTie(Shape):
    """A bow-tie, which also knows the region of every page, by its place in `REGIONS`."""

    graph: WebGraph
    region: Ids

    def why(self, page: str) -> Place:
        """Why a page is where it is: a shortest path to or from the core, or what comes nearest."""
        number = self.graph.number(page)
        if number < 0:
            raise UnknownName(
                self.graph.level,
                page,
                (),
                hint="it is not in the graph; one that was never fetched needs seen=keep",
            )
        return place(self.graph, list(REGIONS), self.region, number)


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
)
def bow_tie(
    graph: WebGraph,
    *,
    least: Least = 2,
    seen: SeenPages = "drop",
    sources: Sources = 1024,
    seed: Seed = 0,
) -> Shape:
    """Divide a web into its core, what leads in, what leads out, and what hangs beside.

    The core is the largest set of pages that all lead to each other; of equally
    large ones that with the first page. *Tubes* lead from in to out past the
    core; *tendrils* hang off in, or lead into out. *Other* pages hang on the
    rest by links that lead neither way; Broder and others count them among the
    tendrils, and both counts are given. Where the largest set has fewer than
    `least` pages there is no core, and no bow-tie: that is said. Pages that
    were never fetched have no links that are known, and would all be *out*:
    they are left out, unless `seen=keep`.

    Examples
    --------
    >>> links = [("1", "2"), ("2", "3"), ("3", "1"), ("4", "1"), ("3", "5"), ("4", "6")]
    >>> found = bow_tie(WebGraph.from_links(links))
    >>> found
    <bow-tie: core 3, core share 0.5, in 1, out 1>
    >>> print(found.why("6"))
    6: tendrils in, by 4 → 6
    """
    graph, notes = fetched(graph, seen)
    parts = condensed(graph.outlinks)
    pieces = weak(graph.outlinks)
    core = _core(parts, least)
    region = _regions(graph, parts, pieces.label, core)
    pairs = joined(graph, parts, Sides(core, region == IN, region == OUT), sources, seed)
    sizes = np.bincount(region, minlength=len(REGIONS))
    if not core.any():
        largest = int(parts.sizes.max(initial=0))
        which = count(largest, graph.level) if largest > 1 else f"no two {graph.level}s"
        notes = (f"no core: {which} in the largest set that all lead to each other", *notes)
    facts = {
        **_facts(sizes, core=bool(core.any())),
        "joined pairs": pairs.share,
        "joined pairs error": pairs.error,
        f"{graph.level}s": len(graph),
        "links": len(graph.outlinks.ids),
        "strong components": len(parts.bounds) - 1,
        "weak components": len(pieces.sizes),
        "largest weak component": int(pieces.sizes.max(initial=0)),
    }
    tables = Tables(regions=_table(sizes, len(graph)), pages=partial(_pages, graph, region))
    told = (*notes, *_told(pairs, graph.level))
    return BowTie("bow-tie", facts, tables, told, graph=graph, region=region)


def _core(parts: Condensed, least: int) -> Flags:
    """The largest part, of equal ones that of the first page; no page if it is too small."""
    size = np.diff(parts.bounds)[parts.label]
    largest = int(size.max(initial=0))
    if largest < least:
        return np.zeros(len(size), np.bool_)
    core: Flags = parts.label == parts.label[int(np.argmax(size == largest))]
    return core


def _regions(graph: WebGraph, parts: Condensed, piece: Ids, core: Flags) -> Ids:
    region = np.full(len(core), NO_CORE, np.int32)
    if not core.any():
        return region
    links = graph.outlinks
    after, before = reached(links, core), leading(links, parts, core)
    into = before & ~core
    from_in, to_out = reached(links, into, after), leading(links, parts, after)
    region[:] = DISCONNECTED
    region[piece == piece[int(np.argmax(core))]] = OTHER
    region[to_out] = TENDRILS_OUT
    region[from_in] = TENDRILS_IN
    region[from_in & to_out] = TUBES
    region[after], region[into], region[core] = OUT, IN, CORE
    return region


def _facts(sizes: Offsets, *, core: bool) -> dict[str, Any]:
    if not core:
        return {"core": "no core"}
    names = list(REGIONS)
    told = {names[k]: int(sizes[k]) for k in range(DISCONNECTED + 1)}
    hanging = int(sizes[TENDRILS_IN] + sizes[TENDRILS_OUT] + sizes[OTHER])
    share = told["core"] / int(sizes.sum())
    return {"core": told.pop("core"), "core share": share, **told, "tendrils by Broder": hanging}


def _table(sizes: Offsets, n: int) -> pa.Table:
    shown = [NO_CORE] if sizes[NO_CORE] else list(range(NO_CORE)) if n else []
    names, meanings = list(REGIONS), list(REGIONS.values())
    return pa.table(
        {
            "region": pa.array([names[k] for k in shown], pa.string()),
            "pages": pa.array([int(sizes[k]) for k in shown], pa.int64()),
            "share": pa.array([int(sizes[k]) / n for k in shown], pa.float64()),
            "meaning": pa.array([meanings[k] for k in shown], pa.string()),
        }
    )


def _pages(graph: WebGraph, region: Ids) -> pa.Table:
    names = pa.DictionaryArray.from_arrays(pa.array(region), pa.array(list(REGIONS)))
    return pa.table({"page": graph.names, "region": names})


def _told(pairs: Joined, level: str) -> tuple[str, ...]:
    if pairs.exact:
        return ()
    from_ = count(pairs.sources, level)
    return (
        f"the share of joined pairs is estimated from {from_} outside the core,"
        f" ± {pairs.error:.2g} (one standard error); what leads through the core is counted",
    )
