"""Hubs and authorities with one vote per host, and votes that count by relevance."""

from typing import Annotated, Literal

import numpy as np
import pyarrow as pa
from pydantic import Field

from weft.core.arrays import Flags, Floats, Ids, Offsets, lower, stacked, upper
from weft.core.dimensions import Dimensions
from weft.core.methods import method
from weft.core.params import Limit, Tolerance
from weft.gather.url import host
from weft.graph.among import keys
from weft.graph.baseset import BaseSet
from weft.graph.webgraph import WebGraph
from weft.rank.factors import divided
from weft.rank.hits import Norm
from weft.rank.mutual import Votes, judged, settle
from weft.rank.ranking import Ranking
from weft.rank.terms import Cells, tokens

Regulated = Annotated[
    bool, Field(description="let pages count by how near their text is to that of the root pages")
]
Opening = Annotated[
    int, Field(ge=1, description="how many words of each root page make up the text of the query")
]
Prune = Annotated[
    Literal["none", "median", "root-median", "tenth"],
    Field(
        description="leave out pages less relevant than the median page, the median root page, "
        "or a tenth of the most relevant page"
    ),
]


@method(
    "rank",
    "bharat-henzinger",
    cites="bharat1998",
    dimensions=Dimensions(
        model="hubs and authorities",
        metric="hub and authority scores",
        algorithm="HITS",
        scope="single page",
        applications=("topic distillation",),
        data="links and content",
    ),
)
def bharat_henzinger(
    base: BaseSet,
    *,
    regulated: Regulated = True,
    opening: Opening = 1000,
    prune: Prune = "none",
    norm: Norm = "L2",
    tolerance: Tolerance = 1e-10,
    limit: Limit = 1000,
) -> Ranking:
    """Score hubs and authorities with one vote per host, counted by relevance.

    Where k pages of a host link to a page, each link gives 1/k to its
    authority; where a page links to l pages of a host, each link gives 1/l to
    its hub score; links inside a host count for nothing. A page's opinion
    counts by the likeness of its text to the opening words of the root pages.
    A page that was never fetched counts as the median page does; without texts
    or without a query all count the same. With each page on a host of its own
    and no texts this is HITS.

    Examples
    --------
    >>> bharat_henzinger([("a.com/1", "x.org"), ("a.com/2", "x.org"), ("b.com", "y.org")])
    <Ranking of 5 pages by bharat-henzinger, led by x.org>
    """
    weights = relevance(base, opening) if regulated or prune != "none" else np.ones(len(base))
    kept = weights >= _threshold(base, weights, prune)
    counted = weights if regulated else np.ones(len(base))
    votes = host_votes(base.graph, np.where(kept, counted, 0.0), kept)
    pair = settle(votes, tolerance, limit, "bharat-henzinger")
    return judged("bharat-henzinger", base.pages, votes, pair, norm)


def host_votes(graph: WebGraph, relevance: Floats, kept: Flags | None = None) -> Votes:
    """Weigh links so that a host has one vote for a page, and a page one for a host."""
    hosts = _hosts(graph)
    key = keys(graph.outlinks)
    source, target = upper(key), lower(key)
    counted = hosts[source] != hosts[target]
    if kept is not None:
        counted &= kept[source] & kept[target]
    key, source, target = key[counted], source[counted], target[counted]
    authority = _shared(stacked(hosts[source], target))
    hub = _shared(stacked(source, hosts[target]))
    return Votes.of(key, authority, hub, relevance)


def relevance(base: BaseSet, opening: int = 1000) -> Floats:
    """How near each page's text is to the opening words of the root pages.

    The cosine of word counts, each word weighing the logarithm of how rare it
    is among the pages. Pages without text get the median of the others.
    """
    texts = base.texts
    if not base.query or not any(texts):
        return np.ones(len(base))
    read = tokens(texts)
    cells = read.cells()
    fetched = np.diff(read.starts) > 0
    size = len(read.vocabulary)
    rarity = np.log(fetched.sum() / np.bincount(cells.term, minlength=size))
    roots = np.zeros(len(base), bool)
    roots[base.roots] = True
    asked = read.cells(read.opening(opening) & roots[read.page])
    query = np.bincount(asked.term, asked.count, size) * rarity
    found = _cosine(cells, query, rarity, len(base))
    return np.where(fetched, found, np.median(found[fetched]))


def _cosine(cells: Cells, query: Floats, rarity: Floats, n: int) -> Floats:
    weight = cells.count * rarity[cells.term]
    lengths = np.sqrt(np.bincount(cells.page, weight**2, n) * np.square(query).sum())
    products = np.bincount(cells.page, weight * query[cells.term], n)
    return divided(products, lengths)


def _threshold(base: BaseSet, relevance: Floats, prune: str) -> float:
    if prune == "none" or not len(base):
        return 0.0
    if prune == "tenth":
        return float(relevance.max() / 10)
    return float(np.median(relevance if prune == "median" else relevance[base.roots]))


def _hosts(graph: WebGraph) -> Ids:
    names = pa.array([host(page) for page in graph.pages], pa.large_string())
    codes: Ids = names.dictionary_encode().indices.to_numpy()
    return codes


def _shared(group: Offsets) -> Floats:
    """One vote shared among the links of each group."""
    _, place, count = np.unique(group, return_inverse=True, return_counts=True)
    return 1.0 / count[place]
