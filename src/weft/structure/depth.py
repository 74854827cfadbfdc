"""How deep pages lie below home, and which no way leads to."""

from typing import Annotated, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from weft.core.arrays import Flags, Ids, Offsets
from weft.core.dimensions import Dimensions
from weft.core.methods import method
from weft.core.wording import address, count
from weft.graph.webgraph import WebGraph
from weft.structure.shape import Shape

HOST = r"^[A-Za-z][A-Za-z0-9+.-]*://(?P<host>[^/?#]*)"
ROOT = r"^[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*/?$"
FEW = 8
LEADING = "which leads to most"
NONE: list[str] = []
Home = Annotated[
    list[str],
    Field(
        description="the pages where readers start; without them the root page of the host that "
        "has most of the pages, or of every host where none has; where it has no links, another"
    ),
]
Clicks = Annotated[int, Field(ge=0, le=1_000_000, description="how many clicks are few")]
Most = Annotated[int, Field(ge=0, le=100_000, description="how many of the deepest pages to list")]


class Start(NamedTuple):
    """Where readers start, in numbers and in words, and whether all pages should hang on it."""

    pages: Ids | Offsets
    said: str
    whole: bool


@method(
    "structure",
    "depth",
    cites="broder2000",
    dimensions=Dimensions(
        model="whole graph",
        metric="distance between pages",
        algorithm="graph traversal",
        scope="multiple pages",
        applications=("adaptive web sites",),
    ),
)
def depth(graph: WebGraph, *, home: Home = NONE, clicks: Clicks = 3, most: Most = 20) -> Shape:
    """Count the pages at each number of clicks from home, and find those that no way leads to.

    Home is the root page of the host that has more than half of the pages; in
    a web of many hosts it is the root page of each, or of a host whose root page
    is not there or has no links, the page with the shortest address that has
    some. For the one large host, and for pages without hosts, that is the page
    that leads to most others, by the fewest clicks: of the eight with the
    shortest addresses, the eight most linked and the eight with most links.
    Which it was is said. Pages that were never fetched are left out. An
    *orphan* is a page that no page links to; where there is one home, also a
    page that is linked to, but not from any page that home leads to.

    Examples
    --------
    >>> found = depth(WebGraph.from_links([("a", "b"), ("b", "c"), ("x", "b")]), home=["a"])
    >>> found["deepest"], found.to_table("orphans")["page"].to_pylist()
    (2, ['x'])
    """
    from weft.engine.hops import clicks as plain_clicks  # noqa: PLC0415  loads the compiler

    known = np.ones(len(graph), bool) if graph.seen is None else ~graph.seen
    start = _start(graph, known, home)
    distance, before = plain_clicks([graph.outlinks], start.pages.tolist())
    distance = np.where(known, distance, -2)
    linked = np.diff(graph.inlinks.starts)
    alone = known & ((distance < 0) if start.whole else (linked == 0) & (distance != 0))
    reached = distance[distance >= 0]
    n = int(known.sum())
    facts: dict[str, Any] = {
        f"share within {count(clicks, 'click')}": float((reached <= clicks).sum()) / max(n, 1),
        "average depth": float(reached.mean()) if len(reached) else None,
        "deepest": int(reached.max(initial=0)),
        "orphans": int(alone.sum()),
        "home": start.said,
        f"within {count(clicks, 'click')}": int((reached <= clicks).sum()),
        "not reached from home": int((distance == -1).sum()),
        "nothing links to them": int((alone & (linked == 0)).sum()),
        f"{graph.level}s": n,
    }
    tables = {
        "depth": _histogram(reached, n),
        "orphans": _orphans(graph, alone),
        "deepest": _deepest(graph, distance, before, most),
    }
    return Shape("depth", facts, tables, _notes(graph, start, known))


def _notes(graph: WebGraph, start: Start, known: Flags) -> tuple[str, ...]:
    unread = len(graph) - int(known.sum())
    told = [f"home is {start.said}"] if len(start.pages) else ["there is no page to start from"]
    if unread:
        told.append(f"{count(unread, graph.level)} linked to but never fetched are left out")
    if not start.whole and len(start.pages):
        told.append(f"orphans are {graph.level}s that nothing links to, reached or not")
    return tuple(told)


def _start(graph: WebGraph, known: Flags, home: list[str]) -> Start:
    if home:
        listed = ", ".join(map(address, home[:3])) + (", …" if len(home) > 3 else "")
        return Start(graph.numbers(home), listed, whole=True)
    if not known.any():
        return Start(np.zeros(0, np.int32), "nowhere", whole=False)
    hosts = pc.extract_regex(graph.names, HOST)
    has = np.flatnonzero(known & pc.is_valid(hosts).to_numpy(zero_copy_only=False))
    if not len(has):
        page = _leading(graph, np.flatnonzero(known))
        return Start(np.array([page]), f"{_name(graph, page)} ({LEADING})", whole=False)
    coded = pc.struct_field(hosts.take(pa.array(has)), "host").dictionary_encode().indices
    code, names = np.asarray(coded), graph.names.take(pa.array(has))
    stuck = np.diff(graph.outlinks.starts)[has] == 0
    proper = pc.match_substring_regex(names, ROOT).to_numpy(zero_copy_only=False) & ~stuck
    linked = np.diff(graph.inlinks.starts)[has]
    order = np.lexsort((has, -linked, pc.utf8_length(names), ~proper, stuck, code))
    first = order[np.flatnonzero(np.diff(code[order], prepend=-1))]
    sizes = np.bincount(code)
    largest = int(np.argmax(sizes))
    if 2 * sizes[largest] > known.sum():
        page, which = int(has[first[largest]]), "the root page"
        if not proper[first[largest]]:
            page, which = _leading(graph, has[code == largest]), f"{LEADING}, without a root"
        return Start(np.array([page]), f"{_name(graph, page)} ({which})", whole=True)
    roots = int(proper[first].sum())
    said = f"the root page of {count(roots, 'host')}"
    if roots < len(first):
        said += f" and the shortest address of {count(len(first) - roots, 'host')} without one"
    return Start(has[first], said, whole=False)


def _leading(graph: WebGraph, pages: Offsets) -> int:
    """Of some pages the one that leads to most, by the fewest clicks; of few that are likely."""
    from weft.engine.hops import hops  # noqa: PLC0415  loads the compiler

    links, linked = (np.diff(rows.starts)[pages] for rows in (graph.outlinks, graph.inlinks))
    short = np.asarray(pc.utf8_length(graph.names.take(pa.array(pages))))
    orders = [np.lexsort((-linked, by, links == 0))[:FEW] for by in (short, -linked, -links)]
    likely = pages[list(dict.fromkeys(np.concatenate(orders).tolist()))].astype(np.int32)
    found = hops([graph.outlinks], likely)
    return int(likely[np.lexsort((found.total, -found.reached))[0]])


def _name(graph: WebGraph, page: int) -> str:
    return address(graph.pages[page])


def _histogram(reached: Ids, n: int) -> pa.Table:
    pages = np.bincount(reached)
    return pa.table(
        {
            "clicks": np.arange(len(pages)),
            "pages": pages,
            "share": pages / max(n, 1),
            "share within": np.cumsum(pages) / max(n, 1),
        }
    )


def _orphans(graph: WebGraph, alone: Flags) -> pa.Table:
    """Orphans in the order of pages, with how many links lead there and away."""
    chosen = np.flatnonzero(alone)
    linked = np.diff(graph.inlinks.starts)[chosen]
    return pa.table(
        {
            "page": graph.names.take(pa.array(chosen)),
            "links to it": linked,
            "links of it": np.diff(graph.outlinks.starts)[chosen],
            "why": pa.array(
                np.where(linked == 0, "nothing links to it", "no way from home").tolist(),
                pa.string(),
            ),
        }
    )


def _deepest(graph: WebGraph, distance: Ids, before: Ids, most: int) -> pa.Table:
    from weft.engine.nearest import way_to  # noqa: PLC0415  loads the compiler

    chosen = np.argsort(-distance, kind="stable")[:most]
    chosen = chosen[distance[chosen] > 0]
    ways = [[graph.pages[step] for step in way_to(int(page), before)] for page in chosen]
    return pa.table(
        {
            "page": graph.names.take(pa.array(chosen)),
            "clicks": distance[chosen],
            "path": pa.array(ways, pa.list_(pa.string())),
        }
    )
