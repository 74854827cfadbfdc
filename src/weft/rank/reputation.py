"""Reputation: which pages are known for a topic, and for which topics a page is known."""

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
import pyarrow as pa
from pydantic import Field

from weft.core.arrays import CSR, Flags, Floats
from weft.core.errors import BadParameter
from weft.core.params import MaxIter, Tol
from weft.core.register import Dimensions, method
from weft.core.tables import Tabular
from weft.core.validation import validate_call
from weft.engine import Trace, neumann_series, operator_from_csr, safe_power
from weft.graph.baseset.baseset import BaseSet
from weft.graph.webgraph import WebGraph
from weft.rank.contributions import Contributions
from weft.rank.keywords import find_keywords
from weft.rank.ranking import Ranking, unique_certainty
from weft.rank.teleport import NO_PAGES
from weft.rank.term_matrix import find_terms

TopicPages = Annotated[
    list[str],
    Field(description="pages on the topic, by URL; default: all with the query words"),
]
Levels = Annotated[
    int, Field(ge=1, le=2, description="1: follow links; 2: forward and backward in turn")
]
JumpProbability = Annotated[
    float, Field(gt=0, lt=1, description="probability of jumping to a page on the topic")
]
LeakOrJump = Annotated[
    Literal["leak", "jump"],
    Field(description="dangling pages: lose the score (leak), or jump: scores sum to one"),
]
Terms = Annotated[
    list[Annotated[str, Field(pattern=r"\w")]],
    Field(description="words or phrases to score; default: keywords by contrast"),
]
NO_TERMS = list[str]()
MinDf = Annotated[int, Field(ge=1, description="ignore words on fewer pages")]


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
    topic: TopicPages = NO_PAGES,
    levels: Levels = 2,
    jump_probability: JumpProbability = 0.1,
    dangling: LeakOrJump = "leak",
    tol: Tol = 1e-10,
    max_iter: MaxIter = 1000,
) -> Ranking:
    """Score each page by how often surfers on a topic visit it.

    Random surfers start on the pages that have all words of the query, and
    jump back to one with `jump_probability`. With one level they follow links.
    With two they follow links forward and backward in turn: the authority of a
    page counts visits by forward steps, its hub score visits by backward steps.
    Visits to dead ends are lost, so that scores of different topics compare;
    with `dangling=jump` the surfers jump, which scales the scores to sum one.
    If no page is on the topic, all scores are zero; without query and topic
    every page is on it.

    Examples
    --------
    >>> reputation([("a", "x"), ("b", "x"), ("b", "y")], topic=["a"])
    <Ranking of 4 pages by reputation, led by x>
    """
    on_topic = topic_page_mask(base, topic)
    teleport = on_topic / max(on_topic.sum(), 1)
    walk = _two_level_walk if levels == 2 else _one_level_walk
    scores, contributions, trace = walk(base.graph, teleport, jump_probability, tol, max_iter)
    if dangling == "jump":
        total = sum(float(values.sum()) for values in scores.values())
        factor = 1 / total if total else 1.0
        scores = {name: values * factor for name, values in scores.items()}
        contributions = {name: c.multiply(factor) for name, c in contributions.items()}
    empty = len(base) and not on_topic.any()
    return Ranking(
        "reputation",
        base.pages,
        scores,
        trace,
        unique_certainty("no page is on the topic: all scores are zero" if empty else ""),
        contributions,
        {"topic pages": int(on_topic.sum())},
    )


def topic_page_mask(base: BaseSet, topic: list[str] = NO_PAGES) -> Flags:
    """Which pages are on the topic: the given ones, or those with all terms of the query.

    Without texts, those with a positive text score.
    """
    if topic:
        given: Flags = np.zeros(len(base), bool)
        given[base.graph.page_numbers(topic)] = True
        return given
    if not base.query or not any(base.texts):
        return base.text_score > 0
    has_all_terms: Flags = np.logical_and.reduce(find_terms(base.texts, base.query_terms))
    return has_all_terms


WalkResult = tuple[dict[str, Floats], dict[str, Contributions], Trace]


def _one_level_walk(
    graph: WebGraph, teleport: Floats, jump_probability: float, tol: float, max_iter: int
) -> WalkResult:
    """Personalised PageRank that leaks at dead ends."""
    transition_weights = (1 - jump_probability) * safe_power(graph.outdegrees(), -1)
    visits, trace = neumann_series(
        graph.operator(),
        jump_probability * teleport,
        transition_weights,
        tol,
        max_iter,
        "reputation",
        damping=1 - jump_probability,
    )
    contributions = Contributions(
        graph.inlinks,
        transition_weights * visits,
        other_sources={"jumps": jump_probability * teleport},
    )
    return {"score": visits}, {"score": contributions}, trace


def _two_level_walk(
    graph: WebGraph, teleport: Floats, jump_probability: float, tol: float, max_iter: int
) -> WalkResult:
    """The walk on two copies of each page: authorities (first n), which lead back to hubs."""
    n, half = len(graph), jump_probability / 2 * teleport
    links = _two_level_adjacency(graph)
    degrees = np.diff(links.starts).astype(np.float64)
    transition_weights = (1 - jump_probability) * safe_power(degrees, -1)
    visits, trace = neumann_series(
        operator_from_csr(links, links),  # symmetric
        np.concatenate([half, half]),
        transition_weights,
        tol,
        max_iter,
        "reputation",
        damping=1 - jump_probability,
    )
    passed_on, jumps = transition_weights * visits, {"jumps": half}
    scores = {"authority": visits[:n], "hub": visits[n:]}
    contributions = {
        "authority": Contributions(graph.inlinks, passed_on[n:], other_sources=jumps),
        "hub": Contributions(graph.outlinks, passed_on[:n], other_sources=jumps),
    }
    return scores, contributions, trace


def _two_level_adjacency(graph: WebGraph) -> CSR:
    """The block matrix [[0, A'], [A, 0]]: authorities lead back to hubs, hubs to authorities."""
    out, into = graph.outlinks, graph.inlinks
    starts = np.concatenate([into.starts, into.starts[-1] + out.starts[1:]])
    return CSR(starts, np.concatenate([into.ids + np.int32(len(graph)), out.ids]))


@dataclass(frozen=True, slots=True, eq=False)
class KnownFor(Tabular):
    """The words and phrases that a page is known for.

    `reputation` is the score of the one-level walk with the term as topic,
    `penetration` the share of pages with the term that link to the page, and
    `focus` the share of pages that link to it that have the term.
    """

    page: str
    table: pa.Table

    def to_table(self) -> pa.Table:
        """One row per term, best first, with its measures and how many pages have it."""
        return self.table

    def __len__(self) -> int:
        return len(self.table)

    def __repr__(self) -> str:
        lead = ", ".join(self.table["term"].slice(0, 3).to_pylist())
        return f"<{self.page}: known for {lead or 'nothing'}>"


@validate_call
def known_for(
    base: BaseSet,
    page: str,
    *,
    terms: Terms = NO_TERMS,
    jump_probability: JumpProbability = 0.1,
    min_pages: MinDf = 2,
) -> KnownFor:
    """Find the words and phrases for which a page has the highest reputation.

    The terms are those given, or the keywords of the page: phrases of anchor
    texts and titles that are used for it more than for others. One backward walk
    from the page gives its reputation for all of them. Only terms on pages that
    link to it count: a page is known for what others say. Terms on fewer than
    `min_pages` pages are ignored. The order is by reputation times focus, so
    that a term of many linking pages precedes one of few.
    """
    texts = base.texts
    if not any(texts):
        raise BadParameter(
            "the words a page is known for need texts",
            hint="use a base set from a collection of captured pages",
        )
    graph = base.graph
    page_id = int(graph.page_numbers([page])[0])
    names = terms or find_keywords(base, page_id)
    titled = map("\n".join, zip(base.titles, texts, strict=True)) if base.titles else texts
    has_term = find_terms(list(titled), names)
    visits = jump_probability * _expected_visits_to_page(graph, page_id, jump_probability)
    sources, pages = graph.inlinks.row(page_id), has_term.sum(axis=1)
    linking = has_term[:, sources].sum(axis=1)
    known = (pages >= min_pages) & (linking > 0)
    pages, linking = pages[known], linking[known]
    table = pa.table(
        {
            "term": pa.array(np.array(names, object)[known], pa.string()),
            "reputation": has_term[known] @ visits / pages,
            "penetration": linking / pages,
            "focus": linking / max(len(sources), 1),
            "pages": pages,
        }
    )
    return KnownFor(page, _sort_by_reputation_and_focus(table))


def _expected_visits_to_page(graph: WebGraph, page_id: int, jump_probability: float) -> Floats:
    """The expected visits to one page before the next jump, by the page of the start.

    The column of (I - (1-d) P)^-1 for that page, with d the jump probability
    and P the transition matrix, summed along reversed links.
    """
    transition_weights = (1 - jump_probability) * safe_power(graph.outdegrees(), -1)
    target = np.zeros(len(graph))
    target[page_id] = 1.0
    reverse = operator_from_csr(graph.inlinks, graph.outlinks)
    later_visits, _ = neumann_series(
        reverse,
        reverse.rmatvec(target),
        transition_weights,
        1e-12,
        10_000,
        "known for",
        damping=1 - jump_probability,
    )
    return target + transition_weights * later_visits


def _sort_by_reputation_and_focus(table: pa.Table) -> pa.Table:
    """Sort by the product of both, to twelve digits, then by term."""
    products = table["reputation"].to_numpy() * table["focus"].to_numpy()
    digits = np.round(products / products.max(initial=1e-300), 12)
    terms = table["term"].to_pylist()
    order = sorted(range(len(terms)), key=lambda k: (-digits[k], terms[k]))
    return table.take(pa.array(order, pa.int64()))
