"""Hubs and authorities as what most likely made the links that there are."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from weft.core.arrays import Floats, Offsets
from weft.core.dimensions import Dimensions
from weft.core.errors import BadParameter
from weft.core.methods import method
from weft.core.params import Seed
from weft.engine import CLOSED
from weft.graph.webgraph import WebGraph
from weft.rank.hits import EMPTY
from weft.rank.parts import Parts
from weft.rank.ranking import Ranking, certain
from weft.rank.sampler import Draws, Model, sample

Mean = Annotated[
    float, Field(ge=-100, le=100, description="expected tendency of a page to link, as log odds")
]
Spread = Annotated[float, Field(gt=0, le=100, description="how much that tendency varies")]
Samples = Annotated[int, Field(ge=100, le=100_000_000, description="how many samples to average")]

PAIRS = 1_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Sides:
    """Which hub links to which authority, by page numbers in the order of their names."""

    hubs: Offsets
    authorities: Offsets
    links: Floats


LIKELY = Dimensions(
    model="probabilistic model",
    metric="hub and authority scores",
    algorithm="sampling",
    scope="single page",
    applications=("web search", "topic distillation"),
)


@method("rank", "bayesian", cites="borodin2001", dimensions=LIKELY)
def bayesian(
    graph: WebGraph,
    *,
    mean: Mean = -5.0,
    spread: Spread = 0.1,
    samples: Samples = 20_000,
    seed: Seed = 0,
) -> Ranking:
    """Score authorities and hubs by what most likely made the links.

    The log odds of a link are the hub's score times the authority's, plus the
    hub's tendency to link. Scores are taken to be small rather than large, and
    tendencies to vary little around `mean`; the scores are then their averages
    over all that could have made the links, drawn at random from `seed`. Pages
    are compared with all pairs that are not linked too, so that only graphs of
    up to a million pairs of hub and authority are ranked.

    Examples
    --------
    >>> bayesian(WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y")]))
    <Ranking of 4 pages by bayesian, led by x>
    """
    sides = arrange(graph)
    if not graph.link_count:
        return _nothing("bayesian", graph)
    draws = sample(Model(sides.links, mean, spread), samples, seed, "bayesian")
    return _ranking("bayesian", graph, sides, draws)


@method("rank", "bayesian-simple", cites="borodin2001", dimensions=LIKELY)
def bayesian_simple(graph: WebGraph, *, samples: Samples = 20_000, seed: Seed = 0) -> Ranking:
    """Score authorities and hubs by what most likely made the links, all pages tending alike.

    The odds of a link are the hub's score times the authority's. Then only
    the number of links to a page counts: the order is that of the in-degree,
    and pages of the same degree are averaged together, for they have the same
    score. Only graphs of up to a million pairs of hub and authority are ranked.

    Examples
    --------
    >>> bayesian_simple(WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y")]))
    <Ranking of 4 pages by bayesian-simple, led by x>
    """
    sides = arrange(graph)
    if not graph.link_count:
        return _nothing("bayesian-simple", graph)
    draws = sample(Model(sides.links), samples, seed, "bayesian-simple")
    into, out = sides.links.sum(axis=0), sides.links.sum(axis=1)
    return _ranking("bayesian-simple", graph, sides, draws.pooled(out, into))


def arrange(graph: WebGraph) -> Sides:
    """The table of all pairs of hub and authority; too large a one is refused."""
    hubs = np.flatnonzero(np.diff(graph.outlinks.starts))
    authorities = np.flatnonzero(np.diff(graph.inlinks.starts))
    pairs = len(hubs) * len(authorities)
    if pairs > PAIRS:
        raise BadParameter(
            f"{pairs:,} pairs of hub and authority are too many to sample",
            hint="rank a part of the graph, such as the pages around a query",
        )
    hubs, authorities = _by_name(graph, hubs), _by_name(graph, authorities)
    places = np.zeros((2, len(graph)), np.int64)
    places[0, hubs], places[1, authorities] = np.arange(len(hubs)), np.arange(len(authorities))
    sources = graph.outlinks.owners().astype(np.int64)
    links = np.zeros((len(hubs), len(authorities)))
    links[places[0, sources], places[1, graph.outlinks.ids]] = 1
    return Sides(hubs, authorities, links)


def _by_name(graph: WebGraph, pages: Offsets) -> Offsets:
    # in the order of names the same page gets the same random numbers, however pages are numbered
    order = pc.sort_indices(graph.names.take(pa.array(pages)))
    ordered: Offsets = pages[order.to_numpy()]
    return ordered


def _ranking(name: str, graph: WebGraph, sides: Sides, draws: Draws) -> Ranking:
    def spread(values: Floats, pages: Offsets) -> Floats:
        full = np.zeros(len(graph))
        full[pages] = values
        return full

    scores = {
        "authority": spread(draws.mean.authority, sides.authorities),
        "hub": spread(draws.mean.hub, sides.hubs),
    }
    errors = {
        "authority error": spread(draws.error.authority, sides.authorities),
        "hub error": spread(draws.error.hub, sides.hubs),
        "tendency": spread(draws.mean.tendency, sides.hubs),
    }
    note = f"averages of a random sample, each give or take {draws.trace.error:.2g}"
    return Ranking(
        name, graph.pages, scores, draws.trace, certain(note), _parts(graph, scores), errors
    )


def _nothing(name: str, graph: WebGraph) -> Ranking:
    scores = {"authority": np.zeros(len(graph)), "hub": np.zeros(len(graph))}
    return Ranking(name, graph.pages, scores, CLOSED, certain(EMPTY), _parts(graph, scores))


def _parts(graph: WebGraph, scores: Mapping[str, Floats]) -> dict[str, Parts]:
    """No link brings a part of its own: a score comes of all links there are and are not."""
    rows = {"authority": graph.inlinks, "hub": graph.outlinks}
    nothing = np.zeros(len(graph))
    return {
        name: Parts(rows[name], nothing, rest={"all links and missing links": score})
        for name, score in scores.items()
    }
