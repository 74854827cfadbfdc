"""Answers about rankings: the order by a method, methods side by side, why a page scores."""

from dataclasses import asdict
from typing import Any

import numpy as np
import pyarrow.compute as pc

from weft.core.arrays import Floats, Ids
from weft.core.documents import plain
from weft.engine import Trace
from weft.graph.webgraph import as_names
from weft.rank.ranking import Ranking, foremost, rounded
from weft.run.explain import explain
from weft.run.workspace import USUAL
from weft.show.api.asks import Compare, Rank, Scores, View, Why, base_options
from weft.show.api.desk import Desk, frozen
from weft.show.api.files import File, table_file
from weft.show.api.findings import (
    Certain,
    Compared,
    Ended,
    Explained,
    PageScores,
    Pair,
    Part,
    Parting,
    Ranked,
    RankingFound,
    Scored,
)
from weft.show.api.shapes import Left

VIEW = tuple(View.model_fields)


def rank(desk: Desk, ask: Rank) -> RankingFound | File:
    """Pages, hosts or domains in the order of a method."""
    ranking = ranked(desk, ask, ask.method_name, ask.chosen)
    if ask.format != "json":
        table = ranking.to_table(ask.by)
        return table_file(table, desk.file(ask.format), f"rank-{ask.method_name}")
    values = rounded(ranking.score(ask.by))
    order = foremost(values, ask.offset + ask.top)[ask.offset :]
    places = shared(values, order, ask.offset)
    names = desk.names([ranking.pages[int(k)] for k in order], ask.level)
    scores = {name: values[order].tolist() for name, values in ranking.scores.items()}
    return RankingFound(
        snapshot=desk.snapshot,
        method=ranking.method,
        level=ask.level,
        query=ask.query,
        options=plain(ranking.options),
        by=ask.by or next(iter(ranking.scores)),
        scores=list(ranking.scores),
        total=len(ranking),
        offset=ask.offset,
        rows=[
            Ranked(
                **name,
                place=place,
                scores={score: values[k] for score, values in scores.items()},
            )
            for k, (name, place) in enumerate(zip(names, places, strict=True))
        ],
        ended=ended(ranking.trace),
        certainty=Certain(**plain(asdict(ranking.certainty))),
        left_out=[Left(**left) for left in ranking.provenance["left_out"]],
        provenance=told(ranking.provenance),
    )


def shared(values: Floats, order: Ids, offset: int = 0) -> list[int]:
    """The places of some numbers that stand in order; equals share the best of theirs.

    Examples
    --------
    >>> shared(np.array([3.0, 1.0, 3.0, 2.0]), np.array([2, 3, 1]), offset=1)
    [1, 3, 4]
    """
    if not len(order):
        return []
    own, at = values[order], np.arange(offset, offset + len(order))
    at[0] = np.sum(values > own[0])
    at[1:][own[1:] == own[:-1]] = 0
    places: list[int] = (np.maximum.accumulate(at) + 1).tolist()
    return places


def ranked(desk: Desk, ask: View, method: str, options: dict[str, Any]) -> Ranking:
    """The ranking of a view by a method, found once."""
    base = base_options(ask)
    key = ("rank", method, ask.level, ask.query, base, frozen(options))
    return desk.recall(
        key,
        lambda: desk.workspace.rank(method, level=ask.level, query=ask.query, base=base, **options),
    )


def ended(trace: Trace) -> Ended:
    """How an iteration ended."""
    return Ended(
        converged=trace.converged,
        rounds=trace.rounds,
        change=plain(float(trace.change)),
        stopped=trace.stopped,
    )


def told(provenance: Any) -> dict[str, Any]:
    """Where a result comes from, without the folder: a reader elsewhere has no use for it."""
    kept: dict[str, Any] = plain({k: v for k, v in provenance.items() if k != "collection"})
    return kept


def compare(desk: Desk, ask: Compare) -> Compared:
    """How alike the orders of several methods are, and where they part."""
    from weft.rank import compare as side_by_side  # noqa: PLC0415  a name of ours too

    names = list(dict.fromkeys(ask.method or USUAL))
    found = side_by_side([ranked(desk, ask, name, {}) for name in names], by=ask.by, top=ask.top)
    parted = found.disagreements(ask.top).to_pylist()
    pages = desk.names([row["page"] for row in parted], ask.level)
    at = [int(pc.index(as_names(found.pages), row["page"]).as_py()) for row in parted]
    return Compared(
        snapshot=desk.snapshot,
        methods=names,
        level=ask.level,
        query=ask.query,
        pages=len(found.pages),
        left_out=dict(found.left_out),
        unsettled=list(found.unsettled),
        matrix=[plain([row[name] for name in names]) for row in found.matrix().to_pylist()],
        pairs=[Pair(**plain(row)) for row in found.to_table().to_pylist()],
        disagreements=[
            Parting(
                **name,
                doublings=row["doublings"],
                places={method: row[method] for method in names},
                equals={method: int(found.equals[method][number]) for method in names},
            )
            for name, row, number in zip(pages, parted, at, strict=True)
        ],
    )


def scores(desk: Desk, ask: Scores) -> PageScores:
    """A page's score and place by several methods; a base set without the page is no error."""
    page, rows = desk.named(ask.url, ask.level), []
    for method in dict.fromkeys(ask.method or USUAL):
        ranking = ranked(desk, ask, method, {})
        number = int(pc.index(as_names(ranking.pages), page).as_py())
        for by in ranking.scores if number >= 0 else ():
            values = rounded(ranking.score(by))
            place = int(np.sum(values > values[number])) + 1
            score = plain(float(values[number]))
            rows.append(Scored(method=method, by=by, score=score, place=place, of=len(ranking)))
    return PageScores(snapshot=desk.snapshot, page=page, rows=rows)


def why(desk: Desk, ask: Why) -> Explained:
    """Which links brought a page how much of its score."""
    page = desk.named(ask.url, ask.level)
    found = explain(desk.collection, ranked(desk, ask, ask.method_name, ask.chosen), page, ask.by)
    rows = found.table(ask.group).rename_columns({"from": "source"}).to_pylist()
    beyond = sum(row["amount"] for row in rows[ask.top :])
    return Explained(
        snapshot=desk.snapshot,
        page=page,
        method=found.method,
        by=found.by,
        score=plain(found.why.score),
        place=found.place,
        of=found.of,
        total=len(rows),
        more=plain(float(beyond)) or 0.0,
        rows=[Part(**plain(row)) for row in rows[: ask.top]],
    )
