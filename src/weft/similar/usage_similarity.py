"""Similar pages by what visitors did: viewed in the same sessions, followed from the same pages."""

from typing import Any

import numpy as np

from weft.core.arrays import Floats, Ids
from weft.core.errors import WeftError
from weft.core.memoize import memoize
from weft.core.register import Dimensions, method
from weft.graph.cocitation import top_k
from weft.graph.webgraph import csr_to_scipy
from weft.similar.context import PageUsage, WebContext
from weft.similar.similarity import (
    MAX_WITNESSES,
    PageName,
    SimilarPage,
    SimilarPages,
    Top,
    Witness,
)

SAME_SESSIONS, FOLLOWED_FROM = "same sessions", "followed from"


@method(
    "similar",
    "usage",
    cites="deshpande2004",
    dimensions=Dimensions(
        model="co-citation and co-reference",
        metric="similarity",
        algorithm="cosine similarity",
        scope="multiple pages",
        applications=("page recommendation",),
        data="usage",
    ),
)
def usage_similarity(context: WebContext, *, page: PageName = "", top: Top = 10) -> SimilarPages:
    """Find pages that the same visitors view.

    The score is the sum of two cosines: of the sessions that viewed each page,
    and of the clicks that led to each, by the page that they came from. The
    witnesses are these pages. Without usage data nothing is found.

    Examples
    --------
    >>> usage_similarity([("a", "b")], page="a").notes
    ('nothing is known about visitors',)
    """
    names = (SAME_SESSIONS, FOLLOWED_FROM)
    if not page:
        return SimilarPages("usage", "", (), names, ("no page was given",))
    number = context.require_page_number(page)
    if context.usage is None:
        return SimilarPages("usage", page, (), names, ("nothing is known about visitors",))
    shared, together = session_cosine(context, number)
    followed = click_cosine(context, number)
    score = together + followed
    best = top_k(score, top).astype(np.int32)
    found = [
        SimilarPage(
            context.graph.pages[other],
            title,
            kind,
            float(score[other]),
            {SAME_SESSIONS: float(together[other]), FOLLOWED_FROM: float(followed[other])},
            {SAME_SESSIONS: int(shared[other]), FOLLOWED_FROM: len(origins)},
            _make_witnesses(context, number, other, origins[:MAX_WITNESSES]),
        )
        for other, title, kind in zip(
            best.tolist(), context.titles(best), context.kinds(best), strict=True
        )
        for origins in [_common_origins(context, number, other)]
    ]
    notes = () if found else ("no session has this page and another",)
    return SimilarPages("usage", page, tuple(found), names, notes)


def session_cosine(context: WebContext, page: int) -> tuple[Floats, Floats]:
    """The number of sessions that viewed a page and each other, and the cosine."""
    by_session, by_page = _session_matrices(context)
    views = np.diff(by_page.indptr).astype(np.float64)
    own = by_page.indices[by_page.indptr[page] : by_page.indptr[page + 1]]
    shared = np.bincount(by_session[own].indices, minlength=len(views)).astype(np.float64)
    shared[page] = 0.0
    cosine = np.zeros(len(views))
    np.divide(shared, np.sqrt(views * max(views[page], 1.0)), out=cosine, where=shared > 0)
    return shared, cosine


def click_cosine(context: WebContext, page: int) -> Floats:
    """The cosine of the clicks to a page with those to every other, by where they came from."""
    clicks = _click_matrix(context)
    dots = np.asarray((clicks[:, [page]].T @ clicks).todense(), float).ravel()
    norms = np.sqrt(np.asarray(clicks.multiply(clicks).sum(axis=0), float).ravel())
    cosine = np.zeros(len(dots))
    np.divide(dots, norms * norms[page], out=cosine, where=dots > 0)
    cosine[page] = 0.0
    return cosine


@memoize
def _session_matrices(context: WebContext) -> tuple[Any, Any]:
    by_session = csr_to_scipy(_require_usage(context).sessions, len(context.graph))
    return by_session, by_session.tocsc()


@memoize
def _click_matrix(context: WebContext) -> Any:
    return csr_to_scipy(_require_usage(context).clicks, len(context.graph)).tocsc()


def _require_usage(context: WebContext) -> PageUsage:
    if context.usage is None:
        raise WeftError("nothing is known about visitors", hint="add an access log")
    return context.usage


def _common_origins(context: WebContext, page: int, other: int) -> Ids:
    """The pages that visitors went to both pages from, those with most clicks first."""
    clicks = _click_matrix(context)
    one, two = (clicks[:, [end]].toarray()[:, 0] for end in (page, other))
    both = np.flatnonzero((one > 0) & (two > 0)).astype(np.int32)
    return both[np.argsort(-np.minimum(one, two)[both], kind="stable")]


def _make_witnesses(
    context: WebContext, page: int, other: int, origins: Ids
) -> tuple[Witness, ...]:
    ends = np.repeat(origins, 2), np.tile(np.array([page, other], np.int32), len(origins))
    texts = [found[0] if found else "" for found in context.anchor_texts(*ends)]
    return tuple(
        Witness(FOLLOWED_FROM, context.graph.pages[origin], *texts[2 * at : 2 * at + 2])
        for at, origin in enumerate(origins.tolist())
    )
