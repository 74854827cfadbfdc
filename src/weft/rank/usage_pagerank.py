"""PageRank of the clicks of visitors."""

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from weft.core.arrays import Floats
from weft.core.params import Damping, MaxIter, Tol
from weft.core.register import Dimensions, method
from weft.engine import normalize_l1
from weft.graph.transitions import Transitions
from weft.graph.webgraph import WebGraph, link_weights
from weft.rank.pagerank import NO_LINKS_TELEPORT_NOTE, RandomSurfer, uniform_distribution
from weft.rank.ranking import LazyContributions, Ranking, unique_certainty

MAX_MEASURED_DAMPING = 0.999
PseudoClicks = Annotated[
    float, Field(ge=0, le=1e6, description="clicks added to each link, so that none counts nothing")
]
TeleportBy = Annotated[
    Literal["entries", "uniform"],
    Field(description="jump to pages as often as sessions begin there, or to any page"),
]
MeasuredDamping = Annotated[
    bool, Field(description="take the damping factor from how often visitors leave")
]


@method(
    "rank",
    "usage-pagerank",
    cites="liu2008",
    dimensions=Dimensions(
        model="Markov model",
        metric="PageRank",
        algorithm="PageRank",
        scope="single page",
        applications=("web search", "adaptive web sites"),
        data="links and usage",
    ),
    on_gpu=True,
)
def usage_pagerank(
    transitions: Transitions,
    *,
    damping: Damping = 0.85,
    measured_damping: MeasuredDamping = False,
    pseudo_clicks: PseudoClicks = 1.0,
    teleport: TeleportBy = "entries",
    tol: Tol = 1e-10,
    max_iter: MaxIter = 1000,
) -> Ranking:
    """Score pages by PageRank with links weighted by clicks.

    A random surfer follows links as often as visitors did, and jumps to pages
    as often as sessions begin there. Each link that exists counts as
    `pseudo_clicks` more, and each page as one more session, so that pages that
    no visitor has found are not lost. `measured_damping` is the share of views
    after which visitors clicked on. Reloads of a page do not count. Without any
    clicks it is PageRank.

    Examples
    --------
    >>> usage_pagerank(["ab", "ab", "ac"], pseudo_clicks=0, teleport="uniform")
    <Ranking of 3 pages by usage-pagerank, led by b>
    """
    graph = weigh_links(transitions, pseudo_clicks)
    jumps = _teleport(transitions) if teleport == "entries" else uniform_distribution(len(graph))
    used = _measure_damping(transitions, damping) if measured_damping else damping
    surfer = RandomSurfer.from_graph(graph, used, "teleport", weighted=True)
    scores, trace = surfer.stationary_distribution(jumps, tol, max_iter)
    return Ranking(
        "usage-pagerank",
        transitions.graph.pages,
        {"score": scores},
        trace,
        unique_certainty("" if graph.link_count else NO_LINKS_TELEPORT_NOTE),
        LazyContributions(lambda: {"score": surfer.contributions(scores, jumps)}, ["score"]),
        details={"damping": used, "clicks": transitions.clicks},
    )


def weigh_links(transitions: Transitions, pseudo_clicks: float) -> WebGraph:
    """The graph of links and clicks: each link weighs its clicks plus `pseudo_clicks`.

    Examples
    --------
    >>> weigh_links(Transitions.from_any(["ab", "ab", "ac"]), 0.5).outlinks.weights
    array([2., 1.], dtype=float32)
    """
    links, clicks = transitions.graph.outlinks, transitions.counts
    source = np.concatenate([links.row_ids(), clicks.row_ids()])
    target = np.concatenate([links.ids, clicks.ids])
    weight = np.concatenate([np.full(len(links.ids), pseudo_clicks), link_weights(clicks)])
    return WebGraph.from_arrays(transitions.graph.pages, source, target, weight)


def _teleport(transitions: Transitions) -> Floats:
    return normalize_l1(transitions.entries.astype(np.float64) + 1.0)


def _measure_damping(transitions: Transitions, default: float) -> float:
    """The share of views after which visitors clicked on; the default without views."""
    clicks, exits = transitions.clicks, int(transitions.exits.sum())
    if not clicks + exits:
        return default
    return float(np.clip(clicks / (clicks + exits), 1 - MAX_MEASURED_DAMPING, MAX_MEASURED_DAMPING))
