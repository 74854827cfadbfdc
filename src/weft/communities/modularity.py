"""Groups with more links inside than chance would give them."""

from dataclasses import replace
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from weft.communities.community import Communities, Community
from weft.communities.partition import communities_of
from weft.core.arrays import Floats, Ids, Rows
from weft.core.dimensions import Dimensions
from weft.core.methods import method
from weft.core.params import Seed, Weighted
from weft.core.wording import count
from weft.engine import CLOSED
from weft.engine.leiden import leiden
from weft.engine.leiden import modularity as modularity_of
from weft.graph.baseset import BaseSet
from weft.graph.undirected import undirected

Resolution = Annotated[
    float, Field(ge=0.001, le=100, description="higher: more and smaller communities")
]
Rounds = Annotated[
    int, Field(ge=1, le=100, description="how often to go on from what was found; it costs as much")
]
Least = Annotated[int, Field(ge=1, description="leave out communities with fewer pages")]

WEAK = 0.2


@method(
    "communities",
    "modularity",
    cites="traag2019",
    dimensions=Dimensions(
        model="community",
        metric="density of links",
        algorithm="clustering",
        scope="multiple pages",
        applications=("web communities",),
    ),
)
def modularity(
    base: BaseSet,
    *,
    resolution: Resolution = 1.0,
    least: Least = 2,
    rounds: Rounds = 2,
    seed: Seed = 0,
    weighted: Weighted = True,
) -> Communities:
    """Divide the pages so that as many links as possible stay inside, beyond chance.

    Links count in both directions. The modularity of a division is the share
    of links inside communities, less the share that would be there if links
    fell at random on pages with as many of them; Leiden's algorithm looks for
    a division in which it is high, and each community is connected. Pages
    without links, and communities smaller than `least`, are left out. Small
    communities of a very large graph can hide in larger ones: a higher
    resolution brings them out.

    Examples
    --------
    >>> ring = [("a", "b"), ("b", "c"), ("c", "a")]
    >>> found = modularity([*ring, *((s.upper(), t.upper()) for s, t in ring), ("a", "A")])
    >>> found.labels.tolist(), round(found.facts["modularity"], 4)
    ([0, 0, 0, 1, 1, 1], 0.3571)
    """
    ties = undirected(base.graph, weighted=weighted)
    home = leiden(ties, resolution, seed, rounds)
    sets = groups(home, least)
    facts: dict[str, Any] = {
        "modularity": modularity_of(ties, home),
        "links inside": share_inside(ties, home),
        "communities": len(sets),
        "pages in none": len(base) - sum(map(len, sets)),
    }
    value = facts["modularity"]
    weak = f"modularity {value:.2f}: hardly more links inside than chance would put there"
    notes = left_out(ties, facts["pages in none"], least, "without links that count")
    if sets and value < WEAK:
        notes = (weak, *notes)
    made = tuple(replace(each, facts=_share(each)) for each in communities_of(base, sets))
    return Communities("modularity", base, made, CLOSED, facts, notes)


def _share(community: Community) -> dict[str, float]:
    ends = 2 * community.inside + community.leaving + community.arriving
    return {"share inside": 2 * community.inside / max(ends, 1)}


def groups(home: Ids, least: int) -> list[Ids]:
    """The points of each group that has enough of them, ascending; large groups come first."""
    order = np.argsort(home, kind="stable").astype(np.int32)
    sizes = np.bincount(home)
    kept = int(np.count_nonzero(sizes >= least))
    ends = np.cumsum(sizes[:kept])
    return [order[end - size : end] for end, size in zip(ends, sizes[:kept], strict=True)]


def share_inside(ties: Rows, home: Ids) -> float:
    """What share of all ties is inside groups."""
    weights = _weights(ties)
    inside = weights[home[ties.owners()] == home[ties.ids]].sum()
    return float(inside / weights.sum()) if len(weights) else 0.0


def left_out(ties: Rows, pages: int, least: int, alone: str) -> tuple[str, ...]:
    """What to say of pages in no community; those without ties are `alone`, in words."""
    without = int(np.count_nonzero(np.diff(ties.starts) == 0))
    said = [
        (without, f"{count(without, 'page')} {alone}: in no community"),
        (pages - without, f"{count(pages - without, 'page')} in communities below {least} pages"),
    ]
    return tuple(words for number, words in said if number > 0)


def _weights(ties: Rows) -> Floats:
    return np.ones(len(ties.ids)) if ties.weights is None else np.asarray(ties.weights, np.float64)
