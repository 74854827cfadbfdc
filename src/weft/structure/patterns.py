"""How often pages refer to each other: directly, through another, both ways, or side by side."""

from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import pyarrow as pa
from pydantic import Field

from weft.core.arrays import Ids, Offsets, lower, unstacked, upper
from weft.core.dimensions import Dimensions
from weft.core.methods import method
from weft.core.params import Cap, HowStrong, Vote, Votes
from weft.core.wording import count
from weft.graph.alike import CAP, SYMMETRIC, Steps, measure_of, steps_of, weighed
from weft.graph.among import keys
from weft.graph.webgraph import WebGraph
from weft.structure.shape import Shape

if TYPE_CHECKING:
    from weft.engine.partners import Census

Top = Annotated[int, Field(ge=1, le=10_000, description="how many of the strongest pairs to name")]
MOST = 1e9


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
def patterns(
    graph: WebGraph,
    *,
    strength: HowStrong = "count",
    vote: Votes = "page",
    cap: Cap = CAP,
    top: Top = 20,
) -> Shape:
    """Count the ways in which pages refer to each other, and name the strongest pairs.

    Direct: one links to the other. Mutual: both do. Indirect: one reaches the
    other in two clicks. Co-citation: some page links to both. Coupling, or
    co-reference: both link to some page. The pairs of the last three are
    counted without those through pages that tie more than `cap` times `cap`,
    such as a list of all pages, which ties all to all. On large webs the cap
    is lowered until a thousand million ties are left, and that is told.

    Examples
    --------
    >>> patterns(WebGraph.from_links([("a", "x"), ("a", "y"), ("b", "x"), ("b", "y")]))
    <patterns: links 4, mutual pairs 0, reciprocity 0, indirect pairs 0>
    """
    from weft.engine.partners import census  # noqa: PLC0415  a compiler is slow to load

    mutual = _mutual(graph)
    links = graph.link_count
    facts: dict[str, Any] = {
        "links": links,
        "mutual pairs": len(mutual),
        "reciprocity": 2 * len(mutual) / links if links else 0.0,
    }
    rows = [
        {"pattern": "direct", "pairs": links, "paths": links, "left_out": 0},
        {"pattern": "mutual", "pairs": len(mutual), "paths": 2 * len(mutual), "left_out": 0},
    ]
    tables: dict[str, pa.Table] = {"mutual": _mutual_table(graph, mutual, top)}
    for name in ("indirect", *SYMMETRIC):
        steps = steps_of(graph, name, vote if name in SYMMETRIC else "page")
        bound = affordable(steps, cap)
        paths = weighed(steps, strength, bound)
        found = census(paths, top, measure_of(strength), symmetric=name in SYMMETRIC)
        tying = np.diff(paths.second.starts) > 0
        left_out = int(np.count_nonzero(tying & (paths.worth == 0)))
        facts[f"{name} pairs"] = found.pairs
        told = {"pairs": found.pairs, "paths": found.total, "left_out": left_out, "cap": bound}
        rows.append({"pattern": name, **told})
        tables[name] = _strongest(graph, found, direct=name == "indirect")
    main = pa.Table.from_pylist(rows, schema=ROWS)
    return Shape("patterns", facts, {"patterns": main, **tables}, _notes(graph, main, vote))


ROWS = pa.schema(
    {"pattern": pa.string(), "pairs": pa.int64(), "paths": pa.float64()}
    | {"left_out": pa.int64(), "cap": pa.int64()}
)


def affordable(steps: Steps, cap: int) -> int:
    """The cap, or a lower one with which a thousand million ties are looked at, at most."""
    passing = np.sort(steps.passing[steps.passing <= float(cap) ** 2])
    kept = int(np.searchsorted(np.cumsum(passing), MOST, side="right"))
    return cap if kept == len(passing) else max(int(np.ceil(np.sqrt(passing[kept]))) - 1, 1)


def _mutual(graph: WebGraph) -> Offsets:
    """Pages that link to each other, the first above the second in one number each."""
    one, other = (keys(rows) for rows in (graph.outlinks, graph.inlinks))
    one, other = (key[upper(key) < lower(key)] for key in (one, other))
    return np.intersect1d(one, other, assume_unique=True)


def _mutual_table(graph: WebGraph, mutual: Offsets, top: int) -> pa.Table:
    """The pairs that most links lead to, both pages together."""
    one, other = unstacked(mutual)
    linked = np.diff(graph.inlinks.starts)
    weight = linked[one] + linked[other]
    first = np.argsort(-weight, kind="stable")[:top]
    return pa.table({**_names(graph, one[first], other[first]), "linked": weight[first]})


def _strongest(graph: WebGraph, found: "Census", *, direct: bool) -> pa.Table:
    table = pa.table(
        {
            **_names(graph, found.one, found.other),
            "count": found.counted,
            "strength": found.strength,
        }
    )
    if not direct:
        return table
    starts, ids = graph.outlinks.starts, graph.outlinks.ids
    pairs = zip(found.one.tolist(), found.other.tolist(), strict=True)
    also = [bool((ids[starts[one] : starts[one + 1]] == other).any()) for one, other in pairs]
    return table.append_column("also_direct", pa.array(also, pa.bool_()))


def _names(graph: WebGraph, one: Ids, other: Ids) -> dict[str, pa.Array]:
    return {
        "page": graph.names.take(pa.array(one)),
        "other": graph.names.take(pa.array(other)),
    }


def _notes(graph: WebGraph, main: pa.Table, vote: Vote) -> tuple[str, ...]:
    told = []
    for row in main.to_pylist():
        tying = vote if row["pattern"] in SYMMETRIC else graph.level
        if row["left_out"]:
            told.append(
                f"{row['pattern']}: {count(row['left_out'], tying)} with too many links left out "
                f"(cap {row['cap']:,}), so that there are at least as many pairs"
            )
    silent = int(np.count_nonzero(np.diff(graph.outlinks.starts) == 0))
    if silent:
        told.append(
            f"without links, or never fetched: {count(silent, graph.level)}, which can be "
            "co-cited but not coupled"
        )
    return tuple(told)
