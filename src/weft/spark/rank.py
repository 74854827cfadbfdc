"""Ranking methods on edge tables: the solvers of one machine, with links on executors.

Where the scores of all pages fit an executor, they are sent to each; beyond that, the
functions of `weft.spark.exchange` keep them in blocks.
"""

from typing import TYPE_CHECKING, Literal

import numpy as np

from weft.core.arrays import Floats, Ids
from weft.core.errors import BadParameter
from weft.core.params import Dangling
from weft.engine import (
    CLOSED_FORM,
    Trace,
    normalize_l1,
    principal_singular_pair,
    safe_power,
    sum_by_component,
)
from weft.rank.hits import NO_LINKS_ZERO_NOTE
from weft.rank.pagerank import NO_LINKS_TELEPORT_NOTE, solve_surfer, uniform_distribution
from weft.rank.ranking import Certainty
from weft.rank.teleport import (
    EQUAL_WEIGHTS,
    NO_PAGES,
    check_seed_weights,
    distribute_weights,
    host_pattern,
    require_pages,
)
from weft.spark import exchange
from weft.spark.blocks import BroadcastOperator
from weft.spark.edge_table import EdgeTable
from weft.spark.ranking import SparkRanking

if TYPE_CHECKING:
    from pyspark.sql import Column


def pagerank(
    table: EdgeTable,
    *,
    damping: float = 0.85,
    dangling: Dangling = "teleport",
    normalization: Literal["sum", "classic"] = "sum",
    weighted: bool = False,
    tol: float = 1e-10,
    max_iter: int = 1000,
) -> SparkRanking:
    """Score each page of an edge table by PageRank."""
    classic = normalization == "classic"
    surfer = exchange.Surfer(damping, "leak" if classic else dangling, weighted, tol, max_iter)
    ranking = _surf(table, "pagerank", None, surfer)
    if not classic:
        return ranking
    scores = ranking.scores["score"] * len(ranking)
    return _ranking(table, "pagerank", {"score": scores}, ranking.trace, ranking.certainty.note)


def personalised_pagerank(
    table: EdgeTable,
    *,
    seeds: list[str] = NO_PAGES,
    seed_weights: list[float] = EQUAL_WEIGHTS,
    damping: float = 0.85,
    dangling: Dangling = "teleport",
    weighted: bool = False,
    tol: float = 1e-10,
    max_iter: int = 1000,
) -> SparkRanking:
    """Score the pages of an edge table by PageRank with jumps to the seeds only."""
    check_seed_weights(seeds, seed_weights)
    surfer = exchange.Surfer(damping, dangling, weighted, tol, max_iter)
    if not seeds:
        return _surf(table, "personalised", None, surfer)
    pages = [_resolve(table, seed) for seed in seeds]
    teleport = distribute_weights(table.names.count, pages, seed_weights)
    return _surf(table, "personalised", teleport, surfer)


def _resolve(table: EdgeTable, seed: str) -> Ids:
    """The page of a name, or all of a host."""
    from pyspark.sql import functions as f  # noqa: PLC0415  an extra

    def numbers(condition: "Column") -> Ids:
        with table.cluster.watch("seeds"):
            found = table.names.table.where(condition).select("number").toArrow()
        return np.sort(found["number"].to_numpy())

    page = numbers(f.col("text") == seed)
    if len(page):
        return page
    return require_pages(seed, numbers(f.col("text").rlike(host_pattern(seed))))


def _surf(
    table: EdgeTable, method: str, teleport: Floats | None, surfer: "exchange.Surfer"
) -> SparkRanking:
    blocks = table.blocks
    note = "" if blocks.link_count else NO_LINKS_TELEPORT_NOTE
    if exchanges(table):
        folder, trace = exchange.surf(blocks, surfer, teleport)
        certainty = Certainty(note=note)
        return SparkRanking(method, table, {"score": folder}, trace, certainty)
    if teleport is None:
        teleport = uniform_distribution(blocks.page_count)
    outdegrees = blocks.degrees("out", weighted=surfer.weighted)
    visits, trace = solve_surfer(
        BroadcastOperator(blocks, surfer.weighted),
        surfer.damping * safe_power(outdegrees, -1.0),
        teleport,
        surfer.damping,
        surfer.dangling,
        tol=surfer.tol,
        max_iter=surfer.max_iter,
    )
    return _ranking(table, method, {"score": visits}, trace, note)


def exchanges(table: EdgeTable) -> bool:
    """Whether the scores of all pages are too large to be sent to every executor."""
    return table.names.count * np.dtype(np.float64).itemsize > table.cluster.max_broadcast_bytes


def _ranking(
    table: EdgeTable, method: str, scores: dict[str, Floats], trace: Trace, note: str = ""
) -> SparkRanking:
    folders = table.blocks.save_columns(scores)
    return SparkRanking(method, table, folders, trace, Certainty(note=note))


def hits(
    table: EdgeTable,
    *,
    norm: Literal["L2", "L1"] = "L2",
    weighted: bool = False,
    tol: float = 1e-10,
    max_iter: int = 1000,
) -> SparkRanking:
    """Score each page of an edge table as an authority and as a hub."""
    blocks = table.blocks
    if exchanges(table):
        folders, trace = exchange.alternate(blocks, norm, tol, max_iter, weighted=weighted)
        note = "" if blocks.link_count else NO_LINKS_ZERO_NOTE
        return SparkRanking("hits", table, folders, trace, Certainty(note=note))
    operator = BroadcastOperator(blocks, weighted)
    pair = principal_singular_pair(operator, np.ones(operator.n), tol, max_iter, "hits")
    scores = {"authority": pair.target, "hub": pair.source}
    if norm == "L1":
        scores = {name: normalize_l1(values) for name, values in scores.items()}
    note = "" if pair.value else NO_LINKS_ZERO_NOTE
    if pair.tied_components > 1:
        note = f"{pair.tied_components} components tie: the scores mix them, from equal pages"
    return _ranking(table, "hits", scores, pair.trace, note)


def salsa(
    table: EdgeTable,
    *,
    solver: Literal["closed", "walk"] = "closed",
    weighted: bool = False,
    tol: float = 1e-10,
    max_iter: int = 1000,
) -> SparkRanking:
    """Score authorities and hubs of an edge table by random walks, in closed form."""
    del tol, max_iter
    if solver == "walk":
        hint = "the closed form has the same scores: solver=closed"
        raise BadParameter("Spark does not iterate the random walk of SALSA", hint=hint)
    blocks = table.blocks
    components = BroadcastOperator(blocks).hub_authority_components()
    scores = {}
    for name, direction, labels in (
        ("authority", "in", components.authority_labels),
        ("hub", "out", components.hub_labels),
    ):
        degrees = blocks.degrees("in" if direction == "in" else "out", weighted=weighted)
        pages = sum_by_component((degrees > 0).astype(np.float64), labels, components.count)
        totals = sum_by_component(degrees, labels, components.count)
        per_link = pages * safe_power(totals, -1.0) / max(pages.sum(), 1)
        scores[name] = degrees * np.append(per_link, 0.0)[labels]
    count = components.count
    notes = {0: NO_LINKS_ZERO_NOTE, 1: ""}
    several = f"{count} components, each with its share of the pages: compare within a component"
    return _ranking(table, "salsa", scores, CLOSED_FORM, notes.get(count, several))


def indegree(table: EdgeTable, *, weighted: bool = False) -> SparkRanking:
    """Score each page of an edge table by its share of all links."""
    counts = table.blocks.degrees("in", weighted=weighted)
    note = "" if table.blocks.link_count else NO_LINKS_ZERO_NOTE
    return _ranking(table, "indegree", {"share": normalize_l1(counts)}, CLOSED_FORM, note)
