"""Depth of pages below the home page, and orphans that no path leads to."""

from typing import Annotated, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from weft.core.arrays import Flags, Ids, Offsets
from weft.core.register import Dimensions, method
from weft.core.text import pluralise, strip_scheme
from weft.graph.webgraph import WebGraph
from weft.structure.shape import Shape

HOST_PATTERN = r"^[A-Za-z][A-Za-z0-9+.-]*://(?P<host>[^/?#]*)"
ROOT_PAGE_PATTERN = r"^[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*/?$"
CANDIDATES_PER_ORDER = 8
REACHES_MOST = "reaches the most pages"
NO_PAGES: list[str] = []
HomePages = Annotated[
    list[str],
    Field(description="home pages; default: root page of the largest host, or of every host"),
]
WithinClicks = Annotated[
    int, Field(ge=0, le=1_000_000, description="count the pages within this many clicks")
]
MaxListedPages = Annotated[
    int, Field(ge=0, le=100_000, description="how many of the deepest pages to list")
]


class HomeChoice(NamedTuple):
    """The home pages, what they are called, and whether a path should lead to every page."""

    pages: Ids | Offsets
    description: str
    expects_all_reached: bool


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
def depth(
    graph: WebGraph,
    *,
    home: HomePages = NO_PAGES,
    within: WithinClicks = 3,
    max_rows: MaxListedPages = 20,
) -> Shape:
    """Count pages by clicks from home, and find orphans.

    Home is the root page of the host that has more than half of the pages. In
    a web of many hosts it is the root page of each; a host whose root page is
    missing or has no links starts at its shortest address that has some. If the
    root page of the one large host is unusable, or pages have no hosts, home is
    the page that reaches the most others in the fewest clicks: among the eight
    with the shortest addresses, the eight most linked and the eight with the
    most links. The choice is noted. Pages that were not captured do not count.
    An *orphan* is a page without in-links; from a single home also a page that
    is linked only from pages that home does not reach.

    Examples
    --------
    >>> shape = depth(WebGraph.from_links([("a", "b"), ("b", "c"), ("x", "b")]), home=["a"])
    >>> shape["deepest"], shape.to_table("orphans")["page"].to_pylist()
    (2, ['x'])
    """
    from weft.kernels.traversal import bfs_distances  # noqa: PLC0415  loads the compiler

    captured = np.ones(len(graph), bool) if graph.uncaptured is None else ~graph.uncaptured
    start = _choose_home(graph, captured, home)
    distance, predecessors = bfs_distances([graph.outlinks], start.pages.tolist())
    distance = np.where(captured, distance, -2)  # -1: not reached, -2: does not count
    indegree = np.diff(graph.inlinks.starts)
    is_orphan = captured & (
        (distance < 0) if start.expects_all_reached else (indegree == 0) & (distance != 0)
    )
    reached = distance[distance >= 0]
    n, near = int(captured.sum()), int((reached <= within).sum())
    clicks = pluralise(within, "click")
    facts: dict[str, Any] = {
        f"share within {clicks}": float(near) / max(n, 1),
        "average depth": float(reached.mean()) if len(reached) else None,
        "deepest": int(reached.max(initial=0)),
        "orphans": int(is_orphan.sum()),
        "home": start.description,
        f"within {clicks}": near,
        "not reached from home": int((distance == -1).sum()),
        "orphans without in-links": int((is_orphan & (indegree == 0)).sum()),
        f"{graph.level}s": n,
    }
    tables = {
        "depth": _depth_histogram(reached, n),
        "orphans": _orphans_table(graph, is_orphan),
        "deepest": _deepest_pages_table(graph, distance, predecessors, max_rows),
    }
    return Shape("depth", facts, tables, _write_notes(graph, start, captured))


def _write_notes(graph: WebGraph, start: HomeChoice, captured: Flags) -> tuple[str, ...]:
    if len(start.pages):
        notes = [f"home is {start.description}"]
    else:
        notes = ["there is no page to start from"]
    uncaptured = len(graph) - int(captured.sum())
    if uncaptured:
        notes.append(f"{pluralise(uncaptured, graph.level)} linked, not captured, left out")
    if not start.expects_all_reached and len(start.pages):
        notes.append(f"orphans are the {graph.level}s without in-links, reached or not")
    return tuple(notes)


def _choose_home(graph: WebGraph, captured: Flags, home: list[str]) -> HomeChoice:
    """Take the home pages that are given, or choose them as `depth` says."""
    if home:
        listed = ", ".join(map(strip_scheme, home[:3])) + (", …" if len(home) > 3 else "")
        return HomeChoice(graph.page_numbers(home), listed, expects_all_reached=True)
    if not captured.any():
        return HomeChoice(np.zeros(0, np.int32), "nowhere", expects_all_reached=False)
    hosts = pc.extract_regex(graph.names, HOST_PATTERN)
    pages = np.flatnonzero(captured & pc.is_valid(hosts).to_numpy(zero_copy_only=False))
    if not len(pages):
        page = _page_reaching_most(graph, np.flatnonzero(captured))
        return _single_home_choice(graph, page, REACHES_MOST, expects_all_reached=False)
    codes = pc.struct_field(hosts.take(pa.array(pages)), "host").dictionary_encode().indices
    host, names = np.asarray(codes), graph.names.take(pa.array(pages))
    no_links = np.diff(graph.outlinks.starts)[pages] == 0
    is_root = pc.match_substring_regex(names, ROOT_PAGE_PATTERN).to_numpy(zero_copy_only=False)
    usable_root = is_root & ~no_links
    indegree = np.diff(graph.inlinks.starts)[pages]
    # of each host: pages with links, then its root page, then short addresses, then in-degree
    order = np.lexsort((pages, -indegree, pc.utf8_length(names), ~usable_root, no_links, host))
    first = order[np.flatnonzero(np.diff(host[order], prepend=-1))]
    sizes = np.bincount(host)
    largest = int(np.argmax(sizes))
    if 2 * sizes[largest] > captured.sum():
        if usable_root[first[largest]]:
            page, reason = int(pages[first[largest]]), "root page"
        else:
            page = _page_reaching_most(graph, pages[host == largest])
            reason = f"no root page; {REACHES_MOST}"
        return _single_home_choice(graph, page, reason, expects_all_reached=True)
    roots = int(usable_root[first].sum())
    description = f"the root page of {pluralise(roots, 'host')}"
    if roots < len(first):
        others = pluralise(len(first) - roots, "host")
        description += f" and the shortest address of {others} without one"
    return HomeChoice(pages[first], description, expects_all_reached=False)


def _single_home_choice(
    graph: WebGraph, page: int, reason: str, *, expects_all_reached: bool
) -> HomeChoice:
    description = f"{strip_scheme(graph.pages[page])} ({reason})"
    return HomeChoice(np.array([page]), description, expects_all_reached)


def _page_reaching_most(graph: WebGraph, candidates: Offsets) -> int:
    """Of some pages the one that reaches the most others, in the fewest clicks.

    Searches start only from the most promising: the first by length of their
    address, by in-degree and by out-degree.
    """
    from weft.kernels.traversal import count_pages_by_distance  # noqa: PLC0415  loads the compiler

    outdegree, indegree = (
        np.diff(rows.starts)[candidates] for rows in (graph.outlinks, graph.inlinks)
    )
    length = np.asarray(pc.utf8_length(graph.names.take(pa.array(candidates))))
    orders = [
        np.lexsort((-indegree, key, outdegree == 0))[:CANDIDATES_PER_ORDER]
        for key in (length, -indegree, -outdegree)
    ]
    promising = candidates[list(dict.fromkeys(np.concatenate(orders).tolist()))].astype(np.int32)
    counts = count_pages_by_distance([graph.outlinks], promising)
    return int(promising[np.lexsort((counts.total_distance, -counts.reachable))[0]])


def _depth_histogram(depths: Ids, total_pages: int) -> pa.Table:
    pages = np.bincount(depths)
    return pa.table(
        {
            "clicks": np.arange(len(pages)),
            "pages": pages,
            "share": pages / max(total_pages, 1),
            "share within": np.cumsum(pages) / max(total_pages, 1),
        }
    )


def _orphans_table(graph: WebGraph, is_orphan: Flags) -> pa.Table:
    """Orphans in page order, with their degrees and the reason."""
    orphans = np.flatnonzero(is_orphan)
    indegree = np.diff(graph.inlinks.starts)[orphans]
    reason = np.where(indegree == 0, "no in-links", "no path from home")
    return pa.table(
        {
            "page": graph.names.take(pa.array(orphans)),
            "links in": indegree,
            "links out": np.diff(graph.outlinks.starts)[orphans],
            "reason": pa.array(reason.tolist(), pa.string()),
        }
    )


def _deepest_pages_table(
    graph: WebGraph, distance: Ids, predecessors: Ids, max_rows: int
) -> pa.Table:
    from weft.kernels.traversal import path_to  # noqa: PLC0415  loads the compiler

    deepest = np.argsort(-distance, kind="stable")[:max_rows]
    deepest = deepest[distance[deepest] > 0]
    paths = [[graph.pages[step] for step in path_to(int(page), predecessors)] for page in deepest]
    return pa.table(
        {
            "page": graph.names.take(pa.array(deepest)),
            "clicks": distance[deepest],
            "path": pa.array(paths, pa.list_(pa.string())),
        }
    )
