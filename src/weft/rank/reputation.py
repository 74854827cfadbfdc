"""Reputation: which pages are known for a topic, and for which topics a page is known."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
import pyarrow as pa
from pydantic import Field

from weft.core.arrays import Flags, Floats, Ids, Rows
from weft.core.dimensions import Dimensions
from weft.core.errors import BadParameter
from weft.core.methods import method
from weft.core.params import Limit, Tolerance
from weft.core.tabular import Tabular
from weft.core.validate import validated
from weft.engine import Trace, flow, powers, series
from weft.graph.baseset import BaseSet
from weft.graph.webgraph import WebGraph
from weft.rank.parts import Parts
from weft.rank.ranking import Ranking, certain
from weft.rank.terms import occurrences, tokens

Topic = Annotated[
    list[str],
    Field(description="pages on the topic, by URL; else those with the words of the query"),
]
Levels = Annotated[
    int, Field(ge=1, le=2, description="1: readers follow links; 2: they also go back along links")
]
Jump = Annotated[
    float, Field(gt=0, lt=1, description="probability of jumping to a page on the topic")
]
Stuck = Annotated[
    Literal["leak", "jump"],
    Field(description="readers who cannot go on are lost (leak), or jump: scores then sum to one"),
]
Least = Annotated[int, Field(ge=1, description="leave out words on fewer pages")]
NONE: list[str] = []


@method(
    "rank",
    "reputation",
    cites="rafiei2000",
    dimensions=Dimensions(
        model="Markov model",
        metric="page reputation",
        algorithm="PageRank",
        scope="single page",
        applications=("topic distillation", "page categorisation"),
        data="links and content",
    ),
)
def reputation(
    base: BaseSet,
    *,
    topic: Topic = NONE,
    levels: Levels = 2,
    jump: Jump = 0.1,
    dangling: Stuck = "leak",
    tolerance: Tolerance = 1e-10,
    limit: Limit = 1000,
) -> Ranking:
    """Score each page by how often readers of a topic come upon it.

    Readers start on the pages that have every word of the query, and now and
    then jump back to one. With one level they follow links. With two, they go
    forward and backward in turn: a page's authority counts those who came by a
    link, its hub score those who came back along one. Readers who cannot go on
    are lost, so that scores of different topics compare; with `dangling=jump`
    they jump, which scales the same scores to sum one. Where no page is on the
    topic all scores are zero; without query and topic every page is on it.

    Examples
    --------
    >>> reputation([("a", "x"), ("b", "x"), ("b", "y")], topic=["a"])
    <Ranking of 4 pages by reputation, led by x>
    """
    chosen = topic_pages(base, topic)
    start = chosen / max(chosen.sum(), 1)
    walk = _two_levels if levels == 2 else _one_level
    scores, parts, trace = walk(base.graph, start, jump, tolerance, limit)
    if dangling == "jump":
        total = sum(float(values.sum()) for values in scores.values())
        factor = 1 / total if total else 1.0
        scores = {name: values * factor for name, values in scores.items()}
        parts = {name: _scaled(made, factor) for name, made in parts.items()}
    note = "" if chosen.any() or not len(base) else "no page is on the topic: every score is zero"
    details = {"topic pages": int(chosen.sum())}
    return Ranking("reputation", base.pages, scores, trace, certain(note), parts, details)


def topic_pages(base: BaseSet, topic: list[str] = NONE) -> Flags:
    """Which pages are on the topic: those given, or those that have every term of the query.

    Where there are no texts to look into, those that the search found.
    """
    chosen = np.zeros(len(base), bool)
    if topic:
        chosen[base.graph.numbers(topic)] = True
        return chosen
    if not base.query or not any(base.texts):
        return base.text_score > 0
    found: Flags = np.logical_and.reduce(occurrences(base.texts, base.terms) > 0)
    return found


Walked = tuple[dict[str, Floats], dict[str, Parts], Trace]


def _one_level(graph: WebGraph, start: Floats, jump: float, tolerance: float, limit: int) -> Walked:
    each = (1 - jump) * powers(graph.outdegrees(), -1)
    found, trace = series(
        graph.flow(), jump * start, each, tolerance, limit, "reputation", share=1 - jump
    )
    parts = Parts(graph.inlinks, each * found, rest={"jumps": jump * start})
    return {"score": found}, {"score": parts}, trace


def _two_levels(
    graph: WebGraph, start: Floats, jump: float, tolerance: float, limit: int
) -> Walked:
    """Walk from authority copies (first) to hub copies (second) of pages and back."""
    n, half = len(graph), jump / 2 * start
    rows = _both_ways(graph)
    each = (1 - jump) * powers(np.diff(rows.starts).astype(np.float64), -1)
    found, trace = series(
        flow(rows, rows),
        np.concatenate([half, half]),
        each,
        tolerance,
        limit,
        "reputation",
        share=1 - jump,
    )
    sent, rest = each * found, {"jumps": half}
    scores = {"authority": found[:n], "hub": found[n:]}
    parts = {
        "authority": Parts(graph.inlinks, sent[n:], rest=rest),
        "hub": Parts(graph.outlinks, sent[:n], rest=rest),
    }
    return scores, parts, trace


def _both_ways(graph: WebGraph) -> Rows:
    """Links from the authority copy of each page back to hub copies, and from these forward."""
    out, into = graph.outlinks, graph.inlinks
    starts = np.concatenate([into.starts, into.starts[-1] + out.starts[1:]])
    return Rows(starts, np.concatenate([into.ids + np.int32(len(graph)), out.ids]))


def _scaled(parts: Parts, factor: float) -> Parts:
    rest = {reason: amount * factor for reason, amount in parts.rest.items()}
    return Parts(parts.rows, parts.each * factor, rest=rest)


@dataclass(frozen=True, slots=True, eq=False)
class KnownFor(Tabular):
    """The words that a page is known for.

    `reputation` is that of one level, `penetration` the share of the pages
    with the word that link to the page, and `focus` the share of the pages
    that link to it that have the word.
    """

    page: str
    table: pa.Table

    def to_table(self) -> pa.Table:
        """One row per word, best first: term, reputation, penetration, focus, pages with it."""
        return self.table

    def __len__(self) -> int:
        return len(self.table)

    def __repr__(self) -> str:
        lead = ", ".join(self.table["term"].slice(0, 3).to_pylist())
        return f"<{self.page}: known for {lead or 'nothing'}>"


@validated
def known_for(base: BaseSet, page: str, *, jump: Jump = 0.1, least: Least = 5) -> KnownFor:
    """The words that a page is known for: those whose readers come upon it most often.

    One walk backward from the page gives its reputation for every word at
    once. Only words that pages linking to it have are counted: it is known for
    what others say. Words on fewer than `least` pages tell of those pages
    rather than of a topic, and are left out.
    """
    if not any(base.texts):
        raise BadParameter(
            "nobody can say what a page is known for without texts",
            hint="use a base set of a collection of fetched pages",
        )
    graph, read = base.graph, tokens(base.texts)
    number, cells = int(graph.numbers([page])[0]), read.cells()
    size = len(read.vocabulary)
    pages = np.bincount(cells.term, minlength=size)
    visits = jump * _leading_to(graph, number, jump)
    inside = graph.inlinks.ids[graph.inlinks.starts[number] : graph.inlinks.starts[number + 1]]
    near = np.isin(np.arange(len(graph)), inside)
    linking = np.bincount(cells.term, near[cells.page], size)
    columns = {
        "reputation": np.bincount(cells.term, visits[cells.page], size) / pages,
        "penetration": linking / pages,
        "focus": linking / max(len(inside), 1),
        "pages": pages,
    }
    kept = np.flatnonzero((pages >= least) & (linking > 0))
    return KnownFor(page, _best_first(read.vocabulary, columns, kept.astype(np.int32)))


def _leading_to(graph: WebGraph, number: int, jump: float) -> Floats:
    """How often a reader who starts on each page is on one page, until they jump."""
    each = (1 - jump) * powers(graph.outdegrees(), -1)
    end = np.zeros(len(graph))
    end[number] = 1.0
    back = flow(graph.inlinks, graph.outlinks)
    further, _ = series(back, back.forward(end), each, 1e-12, 10_000, "known for", share=1 - jump)
    return end + each * further


def _best_first(vocabulary: Sequence[str], columns: dict[str, np.ndarray], kept: Ids) -> pa.Table:
    chosen = {name: values[kept] for name, values in columns.items()}
    terms = np.array(vocabulary, object)[kept]
    digits = np.round(chosen["reputation"] / chosen["reputation"].max(initial=1e-300), 12)
    order = sorted(range(len(kept)), key=lambda k: (-digits[k], terms[k]))
    table = pa.table({"term": pa.array(terms, pa.string()), **chosen})
    return table.take(pa.array(order, pa.int64()))
