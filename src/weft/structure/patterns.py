"""Patterns of reference between two pages: direct, mutual, indirect, co-citation, coupling."""

from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import pyarrow as pa
from pydantic import Field

from weft.core.arrays import (
    Ids,
    Offsets,
    link_keys,
    unpack_first_ids,
    unpack_pairs,
    unpack_second_ids,
)
from weft.core.params import CountVotesBy, MaxDegree, Similarity, VoteUnit
from weft.core.register import Dimensions, method
from weft.core.text import pluralise
from weft.graph.cocitation import (
    MAX_DEGREE,
    SYMMETRIC_PATTERNS,
    PatternSteps,
    pattern_steps,
    to_path_measure,
    weigh_witnesses,
)
from weft.graph.webgraph import WebGraph
from weft.structure.shape import Shape

if TYPE_CHECKING:
    from weft.kernels.cocitation import PairSummary

MaxPairs = Annotated[
    int, Field(ge=1, le=10_000, description="how many of the strongest pairs to list")
]
MAX_PATHS = 1e9
PATTERNS_SCHEMA = pa.schema(
    {
        "pattern": pa.string(),
        "pairs": pa.int64(),
        "paths": pa.float64(),
        "left_out": pa.int64(),
        "max_degree": pa.int64(),
    }
)


@method(
    "structure",
    "patterns",
    cites="efe2000",
    dimensions=Dimensions(
        model="direct and indirect reference",
        metric="bibliometric measures",
        algorithm="enumeration",
        scope="multiple pages",
        applications=("modelling the web graph", "web communities"),
    ),
)
def link_patterns(
    graph: WebGraph,
    *,
    similarity: Similarity = "count",
    vote: CountVotesBy = "page",
    max_degree: MaxDegree = MAX_DEGREE,
    max_pairs: MaxPairs = 20,
) -> Shape:
    """Count the patterns of reference and list the top pairs.

    Direct: one page links to the other. Mutual: both do. Indirect: a path of
    two links leads from one to the other. Co-citation: some page links to both.
    Coupling (co-reference): both link to some page. A page on more than
    `max_degree` squared of the paths of the last three, such as a list of all
    pages, does not count. On large webs `max_degree` is lowered until at most
    10^9 paths remain, which is noted.

    Examples
    --------
    >>> link_patterns(WebGraph.from_links([("a", "x"), ("a", "y"), ("b", "x"), ("b", "y")]))
    <patterns: links 4, mutual pairs 0, reciprocity 0, indirect pairs 0>
    """
    from weft.kernels.cocitation import count_and_rank_pairs  # noqa: PLC0415  loads the compiler

    mutual, links = _mutual_pairs(graph), graph.link_count
    facts: dict[str, Any] = {
        "links": links,
        "mutual pairs": len(mutual),
        "reciprocity": 2 * len(mutual) / links if links else 0.0,
    }
    rows = [
        {"pattern": "direct", "pairs": links, "paths": links, "left_out": 0},
        {"pattern": "mutual", "pairs": len(mutual), "paths": 2 * len(mutual), "left_out": 0},
    ]
    tables: dict[str, pa.Table] = {"mutual": _mutual_table(graph, mutual, max_pairs)}
    for name in ("indirect", *SYMMETRIC_PATTERNS):
        symmetric = name in SYMMETRIC_PATTERNS
        steps = pattern_steps(graph, name, vote if symmetric else "page")
        bound = affordable_max_degree(steps, max_degree)
        paths = weigh_witnesses(steps, similarity, bound)
        summary = count_and_rank_pairs(
            paths, max_pairs, to_path_measure(similarity), symmetric=symmetric
        )
        on_paths = np.diff(paths.second_step.starts) > 0
        facts[f"{name} pairs"] = summary.pair_count
        rows.append(
            {
                "pattern": name,
                "pairs": summary.pair_count,
                "paths": summary.total_weight,
                "left_out": int(np.count_nonzero(on_paths & (paths.witness_weights == 0))),
                "max_degree": bound,
            }
        )
        tables[name] = _strongest_pairs_table(graph, summary, mark_direct=name == "indirect")
    main = pa.Table.from_pylist(rows, schema=PATTERNS_SCHEMA)
    return Shape("patterns", facts, {"patterns": main, **tables}, _write_notes(graph, main, vote))


def affordable_max_degree(steps: PatternSteps, max_degree: int) -> int:
    """The bound, or a lower one with which at most `MAX_PATHS` paths remain."""
    path_counts = np.sort(steps.path_counts[steps.path_counts <= float(max_degree) ** 2])
    kept = int(np.searchsorted(np.cumsum(path_counts), MAX_PATHS, side="right"))
    if kept == len(path_counts):
        return max_degree
    return max(int(np.ceil(np.sqrt(path_counts[kept]))) - 1, 1)


def _mutual_pairs(graph: WebGraph) -> Offsets:
    """Pairs that link to each other, each packed into one key with the smaller page first."""
    forward, backward = (link_keys(rows) for rows in (graph.outlinks, graph.inlinks))
    forward, backward = (
        key[unpack_first_ids(key) < unpack_second_ids(key)] for key in (forward, backward)
    )
    return np.intersect1d(forward, backward, assume_unique=True)


def _mutual_table(graph: WebGraph, pairs: Offsets, max_pairs: int) -> pa.Table:
    """The mutual pairs in descending order of the in-degrees of both pages together."""
    page, other = unpack_pairs(pairs)
    indegree = np.diff(graph.inlinks.starts)
    linked = indegree[page] + indegree[other]
    first = np.argsort(-linked, kind="stable")[:max_pairs]
    return pa.table(
        {**_page_name_columns(graph, page[first], other[first]), "linked": linked[first]}
    )


def _strongest_pairs_table(
    graph: WebGraph, summary: "PairSummary", *, mark_direct: bool
) -> pa.Table:
    table = pa.table(
        {
            **_page_name_columns(graph, summary.first, summary.second),
            "count": summary.path_weight,
            "similarity": summary.similarity,
        }
    )
    if not mark_direct:
        return table
    starts, ids = graph.outlinks.starts, graph.outlinks.ids
    pairs = zip(summary.first.tolist(), summary.second.tolist(), strict=True)
    direct = [bool((ids[starts[page] : starts[page + 1]] == other).any()) for page, other in pairs]
    return table.append_column("also_direct", pa.array(direct, pa.bool_()))


def _page_name_columns(graph: WebGraph, pages: Ids, others: Ids) -> dict[str, pa.Array]:
    return {"page": graph.names.take(pa.array(pages)), "other": graph.names.take(pa.array(others))}


def _write_notes(graph: WebGraph, pattern_table: pa.Table, vote: VoteUnit) -> tuple[str, ...]:
    notes = []
    for row in pattern_table.to_pylist():
        unit = vote if row["pattern"] in SYMMETRIC_PATTERNS else graph.level
        if row["left_out"]:
            notes.append(
                f"{row['pattern']}: {pluralise(row['left_out'], unit)} with too many links left out"
                f" (max_degree {row['max_degree']:,}); the number of pairs is a lower bound"
            )
    without_links = int(np.count_nonzero(np.diff(graph.outlinks.starts) == 0))
    if without_links:
        notes.append(
            f"{pluralise(without_links, graph.level)} without links, or not captured:"
            " co-cited perhaps, never coupled"
        )
    return tuple(notes)
