"""PLSA-PHITS: topics in words and links together, and the authorities of each topic."""

from functools import cache, partial
from typing import Annotated

import numpy as np
from pydantic import Field

from weft.core.arrays import Floats
from weft.core.params import Factors, MaxIter, Restarts, Seed, Tol
from weft.core.register import Dimensions, method
from weft.graph.baseset.baseset import BaseSet
from weft.rank.expectation_maximization import (
    COOMatrix,
    EMFit,
    JointFactors,
    best_fit,
    joint_em_step,
    mixture_responsibilities,
    random_joint_factors,
    run_em,
    safe_divide,
)
from weft.rank.phits import Tempering, characteristic_scores, normalize_responsibilities
from weft.rank.ranking import Certainty, Contributions, Ranking
from weft.rank.term_matrix import tokenize_texts

WordWeight = Annotated[
    float, Field(ge=0, le=1, description="weight of words, alpha; links have the rest of one")
]
MinDf = Annotated[int, Field(ge=1, description="ignore words on fewer pages")]
MaxDf = Annotated[float, Field(gt=0, le=1, description="ignore words on a larger share of pages")]
MaxFeatures = Annotated[
    int, Field(ge=0, description="maximum size of the vocabulary: words on most pages")
]
MAX_LABEL_TERMS = 10


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
    words: WordWeight = 0.5,
    min_df: MinDf = 2,
    max_df: MaxDf = 0.5,
    max_features: MaxFeatures = 2000,
    restarts: Restarts = 1,
    tempering: Tempering = 1.0,
    seed: Seed = 0,
    tol: Tol = 1e-6,
    max_iter: MaxIter = 500,
) -> Ranking:
    """Score authorities of topics found in words and links.

    Each page is a mixture of topics z, P(z|d) (`member 1`, `member 2`, …), from
    which both its words and the pages it links to are drawn. `authority` is the
    largest P(c|z) P(z|c) of a page, as in `phits`; `authority 1` is P(c|z) of
    the most common topic. A page without words is placed by its links, and the
    other way round; without any texts only links count. The top words of each
    topic are in `details`. The result is a local optimum.

    Examples
    --------
    >>> two = [("a", "x"), ("b", "x"), ("b", "y"), ("c", "z"), ("d", "z")]
    >>> list(plsa_phits(two, factors=2).scores)
    ['authority', 'authority 1', 'member 1', 'authority 2', 'member 2']
    """
    n = len(base)
    links = COOMatrix.from_links(base.graph).normalize_rows(n)
    counts, terms = build_term_matrix(base, min_df, max_df, max_features)
    step = partial(joint_em_step, counts, links, word_weight=words, tempering=tempering)
    starts = (random_joint_factors(n, len(terms), factors, seed, s) for s in range(restarts))
    fit = best_fit(run_em(step, start, tol, max_iter, "plsa-phits") for start in starts)
    return ranking_from_joint_factors(base, (counts, links), terms, fit, words, tempering)


def build_term_matrix(
    base: BaseSet, min_df: int, max_df: float, max_features: int
) -> tuple[COOMatrix, list[str]]:
    """Term frequencies by page, over the vocabulary that the limits leave, and that vocabulary."""
    tokens = tokenize_texts(base.texts or [""] * len(base))
    counts, words = tokens.count_terms(), tokens.vocabulary
    df = np.bincount(counts.term_ids, minlength=len(words))
    largest_df = max_df * (np.diff(tokens.starts) > 0).sum()
    allowed = np.flatnonzero((df >= min_df) & (df <= largest_df)).tolist()
    features = sorted(allowed, key=lambda term: (-df[term], words[term]))[:max_features]
    column = np.full(len(words), -1, np.int32)
    column[features] = np.arange(len(features))
    keep = column[counts.term_ids] >= 0
    matrix = COOMatrix(counts.page_ids[keep], column[counts.term_ids[keep]], counts.counts[keep])
    return matrix.normalize_rows(len(base)), [words[term] for term in features]


def ranking_from_joint_factors(
    base: BaseSet,
    matrices: tuple[COOMatrix, COOMatrix],
    terms: list[str],
    fit: EMFit[JointFactors],
    words: float = 0.5,
    tempering: float = 1.0,
) -> Ranking:
    """The ranking of fitted joint factors, numbered from the most common topic."""
    _, links = matrices
    has_mixture = fit.factors.mixture.any(axis=0)
    prior = fit.factors.mixture.sum(axis=1) / max(has_mixture.sum(), 1)  # P(z)
    order = np.argsort(-np.round(prior, 9), kind="stable")
    prior, target, mixture, term = (
        values[order]
        for values in (prior, fit.factors.target, fit.factors.mixture, fit.factors.term)
    )
    graph = base.graph
    by_target = np.argsort(links.column, kind="stable")  # from the order of outlinks to inlinks
    # the factors are sums of the responsibilities of the iteration before
    q, _ = mixture_responsibilities(links, fit.previous.target, fit.previous.mixture, tempering)
    q = q[order]
    per_link = normalize_responsibilities(q)
    scores, contributions = dict[str, Floats](), dict[str, Contributions]()
    scores["authority"], contributions["authority"] = characteristic_scores(
        prior, target, graph.inlinks, per_link, by_target
    )
    link_share = _link_evidence_share(base, matrices, words)
    for z in range(len(prior)):
        scores[f"authority {z + 1}"] = target[z]
        contributions[f"authority {z + 1}"] = Contributions(
            graph.inlinks, per_link[z][by_target], per_link=True
        )
        scores[f"member {z + 1}"] = mixture[z]
        amounts = q[z] * link_share[links.row]
        from_words = mixture[z] - np.bincount(links.row, amounts, len(base))
        contributions[f"member {z + 1}"] = Contributions(
            graph.outlinks, amounts, per_link=True, other_sources={"words": from_words}
        )
    details = {
        "likelihood": fit.likelihood,
        "factors": JointFactors(term, target, mixture),
        "terms": [
            [terms[k] for k in np.argsort(-row, kind="stable")[:MAX_LABEL_TERMS]] for row in term
        ],
    }
    unique = len(prior) == 1
    certainty = cache(lambda: Certainty(unique, note="" if unique else fit.local_optimum_note))
    return Ranking("plsa-phits", base.pages, scores, fit.trace, certainty, contributions, details)


def _link_evidence_share(
    base: BaseSet, matrices: tuple[COOMatrix, COOMatrix], words: float
) -> Floats:
    """The share of links, as against words, in the mixture of each page."""
    has_words, has_links = (np.bincount(m.row, minlength=len(base)) > 0 for m in matrices)
    return safe_divide((1 - words) * has_links, words * has_words + (1 - words) * has_links)
