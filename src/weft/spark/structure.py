"""Components and the bow-tie of an edge table: flags and labels here, links on executors."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from weft.core.arrays import CSR, Flags, Floats, Ids, Offsets
from weft.core.errors import WeftError
from weft.core.fact_sheet import LazyTables
from weft.core.progress import listener
from weft.engine.operator import sum_rows
from weft.kernels.bipartite_components import BipartiteComponents, number_by_first_hub
from weft.kernels.block_reach import reach_from_rows
from weft.kernels.components import (
    ComponentLabels,
    strongly_connected_components,
    weakly_connected_components,
)
from weft.kernels.csr import csr_from_edges
from weft.spark.blocks import Block, BlockFiles, Direction, LinkBlocks
from weft.spark.edge_table import EdgeTable
from weft.spark.ranking import page_names
from weft.structure.bowtie import (
    REGIONS,
    Reachability,
    assign_regions,
    find_core,
    region_facts,
    region_table,
)
from weft.structure.components import component_facts, largest_components_table, size_table
from weft.structure.shape import Shape

MAX_COLLECTED_LINKS = 50_000_000
MAX_NODES = np.iinfo(np.int32).max
MAX_TRIM_ROUNDS, MIN_TRIMMED_SHARE = 20, 0.001
UNLABELLED = -1
DIRECTIONS: tuple[Direction, Direction] = "out", "in"


def connected_components(
    table: EdgeTable, *, uncaptured: Literal["drop", "keep"] = "drop", max_rows: int = 20
) -> Shape:
    """Find the strongly and weakly connected components of an edge table."""
    del uncaptured  # an edge table does not say which pages were captured
    _check_node_count(table.names.count)
    blocks = table.blocks
    components = {"strong": strong_components(blocks), "weak": weak_components(blocks)}
    labels = {kind: pa.array(found.labels) for kind, found in components.items()}
    names = partial(_names_of, table)
    tables = LazyTables(
        sizes=pa.concat_tables(size_table(kind, found) for kind, found in components.items()),
        largest=pa.concat_tables(
            largest_components_table(names, kind, found, max_rows)
            for kind, found in components.items()
        ),
        pages=lambda: pa.table({"page": page_names(table), **labels}),
    )
    facts = component_facts(components, blocks.page_count, table.level)
    return Shape("components", facts, tables, blocks.notes, provenance={"level": table.level})


def bow_tie(
    table: EdgeTable,
    *,
    min_size: int = 2,
    uncaptured: Literal["drop", "keep"] = "drop",
    sources: int = 1024,
    seed: int = 0,
) -> Shape:
    """Divide an edge table into core, in, out, tubes and tendrils.

    The share of connected pairs is not estimated: it takes a search of the whole
    graph for each sampled page.
    """
    del uncaptured, sources, seed
    _check_node_count(table.names.count)
    blocks = table.blocks
    strong, weak = strong_components(blocks), weak_components(blocks)
    core = find_core(strong.labels, strong.sizes, min_size)
    regions = assign_regions(core, weak.labels, partial(_reachability, blocks))
    sizes = np.bincount(regions, minlength=len(REGIONS))
    facts = {
        **region_facts(sizes, has_core=bool(core.any())),
        f"{table.level}s": blocks.page_count,
        "links": blocks.link_count,
        "strong components": len(strong.sizes),
        "weak components": len(weak.sizes),
        "largest weak component": int(weak.sizes.max(initial=0)),
    }
    names = pa.DictionaryArray.from_arrays(pa.array(regions), pa.array(list(REGIONS)))
    tables = LazyTables(
        regions=region_table(sizes, blocks.page_count),
        pages=lambda: pa.table({"page": page_names(table), "region": names}),
    )
    return Shape("bow-tie", facts, tables, blocks.notes, provenance={"level": table.level})


def _check_node_count(count: int) -> None:
    """Refuse more nodes than labels have numbers."""
    if count > MAX_NODES:
        raise WeftError(
            f"components of {count:,} nodes are more than {MAX_NODES:,}",
            hint="look at hosts instead: --level host",
        )


def _names_of(table: EdgeTable, numbers: Sequence[int]) -> list[str]:
    """The names of a few pages."""
    found = page_names(table, numbers)
    return [str(name) for name in found.to_pylist()]


def _reachability(blocks: LinkBlocks, core: Flags) -> Reachability:
    """What the core reaches and what reaches it; the same of in and out, past the core."""
    from_core, to_core = reach(blocks, core, "out"), reach(blocks, core, "in")
    in_pages = to_core & ~core
    from_in = reach(blocks, in_pages, "out", blocked=from_core)
    return Reachability(from_core, to_core, from_in, reach(blocks, from_core, "in"))


def reach(
    blocks: LinkBlocks, sources: Flags, direction: Direction, blocked: Flags | None = None
) -> Flags:
    """The pages reachable from some sources, including these; blocked pages are not entered.

    Breadth-first over blocks: each block follows its own links as far as they lead
    within it, and reports the pages it reaches elsewhere, from which the next round
    starts. A round passes each link at most once, and all rounds together do.
    """
    visited = sources.copy() if blocked is None else sources | blocked
    frontier, files, report = sources.copy(), blocks.files, listener.get()
    while frontier.any():
        active = [block for block in range(files.count) if frontier[files.page_slice(block)].any()]
        with blocks.cluster.broadcast((visited, frontier)) as shared:
            step = partial(_reach_in_block, files, direction=direction, shared=shared)
            found = blocks.cluster.run(step, active)
        frontier = np.zeros_like(visited)
        for block, pages in zip(active, found, strict=True):
            own = files.page_slice(block)
            is_elsewhere = (pages < own.start) | (pages >= own.stop)
            # What another block reached as well has not been followed from there yet.
            frontier[pages[is_elsewhere & ~visited[pages]]] = True
        for block, pages in zip(active, found, strict=True):
            own = files.page_slice(block)
            inside = pages[(pages >= own.start) & (pages < own.stop)]
            frontier[inside] = False
            visited[pages] = True
        report("reached", int(visited.sum()), None)
    return visited if blocked is None else visited & (sources | ~blocked)


def _reach_in_block(files: BlockFiles, block: int, direction: Direction, shared: Any) -> Offsets:
    own, (visited, frontier) = files.load(direction, block), shared.value
    pages, neighbours = files.page_slice(block), np.asarray(own.neighbours)
    is_inside = (neighbours >= pages.start) & (neighbours < pages.stop)
    row = np.where(is_inside, neighbours - pages.start, -1).astype(np.int32)
    start = np.flatnonzero(frontier[pages]).astype(np.int32)
    found = reach_from_rows(own.rows, row, visited[neighbours], start)
    reached: Offsets = neighbours[found]
    return reached


def weak_components(blocks: LinkBlocks) -> ComponentLabels:
    """The weakly connected components, by the forests of all blocks."""
    forests = blocks.map(_spanning_forest, "weak components")
    return _unite(forests, blocks.page_count)


def bipartite_components(blocks: LinkBlocks) -> BipartiteComponents:
    """The connected components of hubs and authorities; authority p is node n + p."""
    n = blocks.page_count
    _check_node_count(2 * n)
    forests = blocks.map(_bipartite_forest, "components of hubs and authorities")
    labels = _unite(forests, 2 * n).labels
    present = [blocks.degrees(direction) > 0 for direction in ("out", "in")]
    return number_by_first_hub(labels, np.concatenate(present))


def _unite(forests: Sequence[Offsets], n: int) -> ComponentLabels:
    """The components of n nodes, from pairs of a node and its root in each block."""
    pairs = np.concatenate([np.zeros((2, 0), np.int64), *forests], axis=1).astype(np.int32)
    return weakly_connected_components(csr_from_edges(pairs[0], pairs[1], n))


def _spanning_forest(files: BlockFiles, block: int) -> Offsets:
    """Each page of a block's links, and the first page of its component within the block."""
    own = files.load("in", block)
    pages = own.first_page + np.arange(own.page_count)
    nodes = np.union1d(own.neighbours, pages[np.diff(own.rows.starts) > 0])
    return _local_roots(own, nodes, pages, np.asarray(own.neighbours))


def _bipartite_forest(files: BlockFiles, block: int) -> Offsets:
    """The same with a node for each page as a hub, and another as an authority."""
    own = files.load("in", block)
    pages = files.page_count + own.first_page + np.arange(own.page_count)
    nodes = np.concatenate([own.neighbours, pages[np.diff(own.rows.starts) > 0]])
    return _local_roots(own, nodes, pages, np.asarray(own.neighbours))


def _local_roots(own: Block, nodes: Offsets, pages: Offsets, neighbours: Offsets) -> Offsets:
    """Pairs of nodes and their roots; `pages` are the nodes of rows, `nodes` are sorted."""
    degrees = np.zeros(len(nodes), np.int64)
    linked = np.diff(own.rows.starts) > 0
    degrees[np.searchsorted(nodes, pages[linked])] = np.diff(own.rows.starts)[linked]
    ids = np.searchsorted(nodes, neighbours)[own.rows.ids].astype(np.int32)
    labels = weakly_connected_components(CSR(np.append(0, np.cumsum(degrees)), ids)).labels
    first = np.empty(int(labels.max(initial=-1)) + 1, np.int64)
    first[labels[::-1]] = np.arange(len(nodes))[::-1]  # the first node is written last
    return np.stack([nodes, nodes[first[labels]]])


def strong_components(blocks: LinkBlocks) -> ComponentLabels:
    """The strongly connected components, by reachability from pivots.

    The component of a pivot, the page with the most pairs of in-link and out-link, are
    the pages that it reaches and that reach it. Pages that nothing links to, or that
    link to nothing, among those left are components of their own. Once the links
    between the pages left fit this machine, it finds their components.
    """
    label = np.full(blocks.page_count, UNLABELLED, np.int64)
    into, out = (blocks.degrees(direction) for direction in ("in", "out"))
    links_left = blocks.link_count
    while links_left > MAX_COLLECTED_LINKS:
        left = label == UNLABELLED
        pivot = np.zeros_like(left)
        pivot[int(np.argmax(np.where(left, into * out, -1.0)))] = True
        found = reach(blocks, pivot, "out", ~left) & reach(blocks, pivot, "in", ~left)
        label[found] = np.argmax(found)
        links_left = _trim(blocks, label)
    pages = np.flatnonzero(label == UNLABELLED)
    ends = np.concatenate(
        [np.zeros((2, 0), np.int32), *_map_left(blocks, label, _links_between)], axis=1
    )
    rest = strongly_connected_components(csr_from_edges(ends[0], ends[1], len(pages)))
    first = np.full(len(rest.sizes), len(pages), np.int64)
    np.minimum.at(first, rest.labels, np.arange(len(pages)))
    label[pages] = pages[first[rest.labels]]
    # Components have the number of their first page as label: count these in order.
    numbers, labels = np.unique(label, return_inverse=True)
    sizes = np.bincount(labels, minlength=len(numbers)).astype(np.int32)
    return ComponentLabels(labels.astype(np.int32), sizes)


def _trim(blocks: LinkBlocks, label: Offsets) -> int:
    """Label pages without in-links or out-links among those left, while there are many.

    Returns the number of links between the pages that are left.
    """
    for _ in range(MAX_TRIM_ROUNDS):
        out, into = (
            np.concatenate(_map_left(blocks, label, partial(_count_left, direction=direction)))
            for direction in DIRECTIONS
        )
        left = label == UNLABELLED
        trimmed = np.flatnonzero(left & ((out == 0) | (into == 0)))
        label[trimmed] = trimmed
        if len(trimmed) <= MIN_TRIMMED_SHARE * len(label):
            break
    return int(out[left].sum())


def _map_left(blocks: LinkBlocks, label: Offsets, function: Callable[..., Any]) -> list[Any]:
    """Call a function for each block, with flags of the pages that have no label yet."""
    with blocks.cluster.broadcast(label == UNLABELLED) as shared:
        return blocks.map(partial(function, shared=shared), "strong components")


def _count_left(files: BlockFiles, block: int, direction: Direction, shared: Any) -> Floats:
    """How many of the links of each page lead to a page that is left."""
    own = files.load(direction, block)
    return sum_rows(own.rows, shared.value[own.neighbours].astype(np.float64))


def _links_between(files: BlockFiles, block: int, shared: Any) -> Ids:
    """The links between pages that are left, as positions among these."""
    own, left = files.load("out", block), shared.value
    position = np.cumsum(left) - 1
    pages, neighbours = files.page_slice(block), np.asarray(own.neighbours)
    row = own.rows.row_ids()
    kept = left[pages][row] & left[neighbours][own.rows.ids]
    source = position[pages.start + row[kept]]
    target = position[neighbours[own.rows.ids[kept]]]
    return np.stack([source, target]).astype(np.int32)
