"""Topics that words and links share, and the authorities of each."""

from functools import cache, partial
from typing import Annotated

import numpy as np
from pydantic import Field

from weft.core.arrays import Floats
from weft.core.dimensions import Dimensions
from weft.core.methods import method
from weft.core.params import Factors, Limit, Restarts, Seed, Tolerance
from weft.graph.baseset import BaseSet
from weft.rank.factors import (
    Cells,
    Fit,
    JointFactors,
    best,
    climb,
    divided,
    joint_step,
    mixed_shares,
    random_joint,
)
from weft.rank.parts import Parts
from weft.rank.phits import Temper, characteristic, shared_out
from weft.rank.ranking import Certainty, Ranking
from weft.rank.terms import tokens

Words = Annotated[
    float, Field(ge=0, le=1, description="how much words count; links count the rest of one")
]
Least = Annotated[int, Field(ge=1, description="leave out words on fewer pages")]
Common = Annotated[
    float, Field(gt=0, le=1, description="leave out words on a larger share of pages")
]
Vocabulary = Annotated[
    int, Field(ge=0, description="how many words to take at most: those on most pages")
]
LABEL = 10


@method(
    "rank",
    "plsa-phits",
    cites="cohn2001",
    dimensions=Dimensions(
        model="probabilistic model",
        metric="likelihood",
        algorithm="expectation-maximisation",
        scope="multiple pages",
        applications=("web search", "page categorisation"),
        data="links and content",
    ),
)
def plsa_phits(
    base: BaseSet,
    *,
    factors: Factors = 4,
    words: Words = 0.5,
    least: Least = 2,
    common: Common = 0.5,
    vocabulary: Vocabulary = 2000,
    restarts: Restarts = 1,
    temper: Temper = 1.0,
    seed: Seed = 0,
    tolerance: Tolerance = 1e-6,
    limit: Limit = 500,
) -> Ranking:
    """Score each page as an authority of topics that words and links share.

    Each page mixes topics in its own shares, `member 1`, `member 2` and so on,
    and both its words and the pages it links to are drawn from these. The first
    score is a page's P(c|z) P(z|c) for the topic where that is greatest, as in
    `phits`; `authority 1` is P(c|z) for the most common topic. A page without
    words is judged by its links and the other way round; without any texts the
    links decide alone. The words of each topic are in `details`. The answer is
    a local optimum.

    Examples
    --------
    >>> two = [("a", "x"), ("b", "x"), ("b", "y"), ("c", "z"), ("d", "z")]
    >>> list(plsa_phits(two, factors=2).scores)
    ['authority', 'authority 1', 'member 1', 'authority 2', 'member 2']
    """
    n = len(base)
    links = Cells.of_links(base.graph).by_row(n)
    said, terms = word_cells(base, least, common, vocabulary)
    step = partial(joint_step, said, links, alpha=words, temper=temper)
    starts = (random_joint(n, len(terms), factors, seed, s) for s in range(restarts))
    fit = best(climb(step, start, tolerance, limit, "plsa-phits") for start in starts)
    return ranked(base, (said, links), terms, fit, words, temper)


def word_cells(base: BaseSet, least: int, common: float, most: int) -> tuple[Cells, list[str]]:
    """How much of each page's text is each word, and the words that count, in their order."""
    read = tokens(base.texts or [""] * len(base))
    cells, words = read.cells(), read.vocabulary
    pages = np.bincount(cells.term, minlength=len(words))
    many = common * (np.diff(read.starts) > 0).sum()
    fit = np.flatnonzero((pages >= least) & (pages <= many)).tolist()
    kept = sorted(fit, key=lambda term: (-pages[term], words[term]))[:most]
    number = np.full(len(words), -1, np.int32)
    number[kept] = np.arange(len(kept))
    inside = number[cells.term] >= 0
    made = Cells(cells.page[inside], number[cells.term[inside]], cells.count[inside])
    return made.by_row(len(base)), [words[term] for term in kept]


def ranked(
    base: BaseSet,
    cells: tuple[Cells, Cells],
    terms: list[str],
    fit: Fit[JointFactors],
    words: float = 0.5,
    temper: float = 1.0,
) -> Ranking:
    """The ranking that joint factors make, from the most common topic on."""
    _, links = cells
    told = fit.factors.mixture.any(axis=0)
    share = fit.factors.mixture.sum(axis=1) / max(told.sum(), 1)
    order = np.argsort(-np.round(share, 9), kind="stable")
    share, target, mixture, term = (
        values[order]
        for values in (share, fit.factors.target, fit.factors.mixture, fit.factors.term)
    )
    graph, turned = base.graph, np.argsort(links.column, kind="stable")
    q = mixed_shares(links, fit.before.target, fit.before.mixture, temper)[0][order]
    given = shared_out(q)
    authority, parts = characteristic(share, target, graph.inlinks, given, turned)
    scores, whole = {"authority": authority}, {"authority": parts}
    by_links = _evidence(base, cells, words)
    for z in range(len(share)):
        scores[f"authority {z + 1}"] = target[z]
        whole[f"authority {z + 1}"] = Parts(graph.inlinks, given[z][turned], by_link=True)
        scores[f"member {z + 1}"] = mixture[z]
        own = q[z] * by_links[links.row]
        rest = mixture[z] - np.bincount(links.row, own, len(base))
        whole[f"member {z + 1}"] = Parts(graph.outlinks, own, by_link=True, rest={"words": rest})
    details = {
        "likelihood": fit.likelihood,
        "factors": JointFactors(term, target, mixture),
        "terms": [[terms[k] for k in np.argsort(-row, kind="stable")[:LABEL]] for row in term],
    }
    alone = len(share) == 1
    look = cache(lambda: Certainty(alone, note="" if alone else fit.note))
    return Ranking("plsa-phits", base.pages, scores, fit.trace, look, whole, details)


def _evidence(base: BaseSet, cells: tuple[Cells, Cells], words: float) -> Floats:
    """What the links of each page count for in its mixture."""
    said, links = (np.bincount(c.row, minlength=len(base)) > 0 for c in cells)
    return divided((1 - words) * links, words * said + (1 - words) * links)
