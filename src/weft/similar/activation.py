"""Spreading activation: what a page is related to by links, words and visitors together."""

from collections.abc import Callable
from typing import Annotated

import numpy as np
from pydantic import Field

from weft.core.arrays import Floats
from weft.core.errors import BadParameter
from weft.core.params import MaxIter, Tol
from weft.core.register import Dimensions, method
from weft.engine import Trace, fixed_point
from weft.graph.cocitation import top_k
from weft.graph.webgraph import csr_to_scipy
from weft.similar.context import WebContext
from weft.similar.similarity import PageName, SimilarPage, SimilarPages, Top

Relaxation = Annotated[
    float, Field(gt=0, le=1, description="share of its activation that a page loses a step, gamma")
]
Spread = Annotated[
    float, Field(ge=0, lt=1, description="share that it passes on; less than relaxation")
]
Share = Annotated[float, Field(ge=0, le=1, description="weight of this kind of relation")]
Multiply = Callable[[Floats], Floats]
RELAXATION, SPREAD = 0.8, 0.3


@method(
    "similar",
    "activation",
    cites="pirolli1996",
    dimensions=Dimensions(
        model="vector space",
        metric="similarity",
        algorithm="spreading activation",
        scope="multiple pages",
        applications=("page recommendation", "page categorisation"),
        data="links, content and usage",
    ),
)
def activation(
    context: WebContext,
    *,
    page: PageName = "",
    relaxation: Relaxation = RELAXATION,
    spread: Spread = SPREAD,
    links: Share = 1.0,
    text: Share = 1.0,
    usage: Share = 1.0,
    tol: Tol = 1e-9,
    max_iter: MaxIter = 1000,
    top: Top = 10,
) -> SimilarPages:
    """Find the pages that activation from a page reaches.

    Activation flows into the page at every step, spreads to the pages that it
    links to or that link to it, to pages with similar words, and to those that
    visitors go to next, and decays: A = C + (1 - relaxation) A + spread R A. The
    score is the activation in the limit. Each kind of relation passes on all
    that a page gives, divided by strength; the three are averaged by their
    weights, leaving out those that the collection does not have.

    Examples
    --------
    >>> activation([("a", "b"), ("b", "c")], page="a")
    <2 pages similar to a by activation, first b>
    """
    if not page:
        return SimilarPages("activation", "", (), (), ("no page was given",))
    number = context.require_page_number(page)
    wanted = {"links": links, "text": text, "usage": usage}
    relations = {
        name: multiply for name, multiply in relation_operators(context).items() if wanted[name] > 0
    }
    if not relations:
        return SimilarPages("activation", page, (), (), ("nothing relates the pages",))
    total = sum(wanted[name] for name in relations)
    source = np.zeros(len(context.graph))
    source[number] = 1.0

    def multiply(values: Floats) -> Floats:
        flows = [wanted[name] / total * run(values) for name, run in relations.items()]
        return np.asarray(sum(flows))

    found, trace = spread_activation(multiply, source, relaxation, spread, tol, max_iter)
    shares = {
        name: spread / relaxation * wanted[name] / total * run(found)
        for name, run in relations.items()
    }
    score = found.copy()
    score[number] = 0.0
    best = top_k(score, top).astype(np.int32)
    rows = zip(best.tolist(), context.titles(best), context.kinds(best), strict=True)
    pages = tuple(
        SimilarPage(
            context.graph.pages[other],
            title,
            kind,
            float(score[other]),
            {name: float(values[other]) for name, values in shares.items()},
            {},
        )
        for other, title, kind in rows
    )
    notes = () if trace.converged else (f"not converged after {trace.iterations:,} steps",)
    return SimilarPages("activation", page, pages, tuple(relations), notes)


def spread_activation(
    multiply: Multiply,
    source: Floats,
    relaxation: float = RELAXATION,
    spread: float = SPREAD,
    tol: float = 1e-9,
    max_iter: int = 1000,
) -> tuple[Floats, Trace]:
    """Iterate A = C + (1 - gamma) A + alpha R A from A = C, where `multiply` gives R A.

    It converges if 1 - gamma + alpha rho(R) < 1; columns of R sum to at most one,
    so that rho(R) is at most one.

    Examples
    --------
    >>> chain = np.array([[0, 0.5, 0], [1, 0, 1], [0, 0.5, 0]])
    >>> found, _ = spread_activation(lambda values: chain @ values, np.array([1.0, 0, 0]))
    >>> found.round(4).tolist()
    [1.3523, 0.5455, 0.1023]
    """
    if spread >= relaxation:
        raise BadParameter(
            f"activation grows without end: spread {spread:g}, relaxation {relaxation:g}",
            hint="give a spread less than the relaxation",
        )

    def step(values: Floats) -> Floats:
        return source + (1 - relaxation) * values + spread * multiply(values)

    return fixed_point(step, source, tol, max_iter, "activation")


def relation_operators(context: WebContext) -> dict[str, Multiply]:
    """For each kind of relation that there is, a function from activation to what it passes on."""
    graph = context.undirected_graph
    found: dict[str, Multiply] = {}
    if len(graph.outlinks.ids):
        found["links"] = share_out(graph.operator().rmatvec, len(graph))
    terms = context.base.term_weights
    if len(terms.stems):
        rows = csr_to_scipy(terms.matrix, len(terms.stems)).astype(np.float64)
        lengths = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1), float).ravel())
        unit = rows.multiply(1 / np.maximum(lengths, 1e-30)[:, None]).tocsr()
        own = (lengths > 0).astype(np.float64)
        # the cosines of all pairs of pages, without those of pages with themselves
        found["text"] = share_out(lambda values: unit @ (unit.T @ values) - own * values, len(own))
    if context.usage is not None:
        clicks = csr_to_scipy(context.usage.clicks, len(context.graph)).astype(np.float64)
        both = clicks + clicks.T
        found["usage"] = share_out(lambda values: both @ values, len(context.graph))
    return found


def share_out(strengths: Multiply, n: int) -> Multiply:
    """Multiply by a symmetric matrix of strengths whose columns are divided by their sums."""
    sums = strengths(np.ones(n))
    shares = np.divide(1.0, sums, out=np.zeros(n), where=sums > 1e-12)
    return lambda values: np.asarray(strengths(values * shares))
