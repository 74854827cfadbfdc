"""Classify by topics found in words and links together: PLSA joined with PHITS."""

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from weft.classify.calibration import calibrate, raise_to
from weft.classify.classes import Classes
from weft.classify.folds import assign_folds, estimate_from_held_out
from weft.classify.labelled_pages import LabelledPages
from weft.classify.link_method import class_numbers
from weft.classify.text import (
    Documents,
    check_classes,
    fit_documents,
    has_words,
    learn_naive_bayes,
    softmax,
)
from weft.core.arrays import Floats, Ids
from weft.core.params import MaxIter, Seed
from weft.core.register import Dimensions, method
from weft.rank.expectation_maximization import (
    COOMatrix,
    JointFactors,
    joint_em_step,
    random_joint_factors,
    run_em,
)
from weft.rank.phits import Tempering

WordWeight = Annotated[
    float, Field(ge=0, le=1, description="weight of words, alpha; links have the rest of one")
]
FactorCount = Annotated[
    int, Field(ge=0, le=1000, description="how many latent factors; 0: one for each class")
]
MAX_FEATURES, MAX_SAMPLE = 2000, 10_000
MIN_DF, MAX_DF, MIN_PAGES = 2, 0.5, 20
PAGES_PER_BLOCK, TOL = 1 << 11, 1e-5
TEMPERING = 0.6
EXPONENTS = (0.0, 7.0)  # natural logarithms


@method(
    "classify",
    "plsa-phits",
    cites="cohn2001",
    dimensions=Dimensions(
        model="probabilistic model",
        metric="likelihood",
        algorithm="expectation-maximisation",
        scope="multiple pages",
        applications=("page categorisation",),
        data="links and content",
    ),
)
def plsa_phits(
    labelled: LabelledPages,
    /,
    *,
    words: WordWeight = 0.5,
    factors: FactorCount = 0,
    tempering: Tempering = TEMPERING,
    seed: Seed = 0,
    max_iter: MaxIter = 100,
) -> Classes:
    """Classify pages by the nearest example in a space of topics.

    Topics are found in words and links of all pages, without their classes:
    each page is a mixture P(z|d) from which both its words and the pages that it
    links to are drawn. A page has the class of the example whose mixture has the
    largest cosine with its own. The result is a local optimum.

    Examples
    --------
    >>> rows = [("a", "ball goal", "sport"), ("b", "bank loan", "money")]
    >>> rows += [("c", "goal ball", ""), ("d", "loan bank", "")]
    >>> sorted((page.page, page.class_) for page in plsa_phits(rows))
    [('c', 'sport'), ('d', 'money')]
    """
    if not len(labelled):
        return Classes("plsa-phits", labelled, None, np.zeros((0, 0)))
    check_classes(labelled.training_classes)
    names = tuple(sorted(set(labelled.training_classes)))
    numbers = class_numbers(names, labelled.training_classes)
    examples = labelled.documents(labelled.training_ids)
    counts = count_words(labelled, examples)
    links = link_matrix(labelled).normalize_rows(len(labelled))
    step = partial(joint_em_step, counts, links, word_weight=words, tempering=tempering)
    shape = len(labelled), int(counts.column.max(initial=-1)) + 1, factors or len(names)
    start = start_by_name(random_joint_factors(*shape, seed, 0), labelled.pages)
    fit = run_em(step, start, TOL, max_iter, "plsa-phits")
    mixture = fit.factors.mixture.T
    lengths = np.sqrt((mixture**2).sum(axis=1, keepdims=True))
    unit = np.divide(mixture, lengths, out=np.zeros_like(mixture), where=lengths > 0)
    ids, folds = labelled.training_ids, assign_folds(labelled)
    held_out, exponent = np.zeros((len(ids), len(names))), 1.0
    if folds is not None:
        for fold in range(int(folds.max()) + 1):
            own, rest = np.flatnonzero(folds == fold), np.flatnonzero(folds != fold)
            held_out[own] = nearest_by_class(
                unit[ids[own]], unit[ids[rest]], numbers[rest], len(names)
            )
        exponent = calibrate(held_out, numbers, EXPONENTS)
        held_out = raise_to(held_out, exponent)
    found = nearest_by_class(unit[labelled.unlabelled_ids], unit[ids], numbers, len(names))
    return Classes(
        "plsa-phits",
        labelled,
        fit_documents(examples, labelled.training_classes, learn_naive_bayes)
        if has_words(examples)
        else None,
        raise_to(found, exponent),
        None if folds is None else estimate_from_held_out(numbers, held_out, folds),
        held_out=None if folds is None else held_out,
        names=names,
    )


def count_words(labelled: LabelledPages, examples: Documents) -> COOMatrix:
    """The share of each common stem among those of a page; rows without words are empty.

    Common are the 2,000 most frequent stems of the examples and of a sample of the
    other pages that are on two of these pages or more, and on half of them at most.
    """
    from scipy.sparse import vstack  # noqa: PLC0415  slow to load
    from sklearn.feature_extraction.text import CountVectorizer  # noqa: PLC0415

    others = labelled.unlabelled_ids
    sample = others[:: max(1, -(-len(others) // MAX_SAMPLE))]
    stems = [*examples.stems, *labelled.documents(sample, examples.main_stemmer).stems]
    worded = [line for line in stems if line.strip()]
    limits = {"min_df": MIN_DF, "max_df": MAX_DF} if len(worded) >= MIN_PAGES else {}
    counter = CountVectorizer(
        analyzer=str.split, dtype=np.float64, max_features=MAX_FEATURES, **limits
    )
    try:
        counter.fit(worded)
    except ValueError:  # no stem is left
        return COOMatrix(np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0))
    blocks = [
        counter.transform(labelled.documents(ids, examples.main_stemmer).stems)
        for ids in labelled.batches(np.arange(len(labelled), dtype=np.int32))
    ]
    counts: Any = vstack(blocks).tocoo()
    matrix = COOMatrix(counts.row.astype(np.int32), counts.col.astype(np.int32), counts.data)
    return matrix.normalize_rows(len(labelled))


def link_matrix(labelled: LabelledPages) -> COOMatrix:
    """A one for each link."""
    source, target = labelled.outlinks.row_ids(), np.asarray(labelled.outlinks.ids)
    return COOMatrix(source, target, np.ones(len(source)))


def start_by_name(factors: JointFactors, pages: Sequence[str]) -> JointFactors:
    """Give random factors to pages in the order of their names, however they are numbered."""
    place = np.empty(len(pages), np.int64)
    place[np.argsort(np.array(pages, np.str_), kind="stable")] = np.arange(len(pages))
    return JointFactors(factors.term, factors.target[:, place], factors.mixture[:, place])


def nearest_by_class(asked: Floats, known: Floats, numbers: Ids, class_count: int) -> Floats:
    """The largest cosine of each row with a known row of each class, as shares of exponentials."""
    order = np.argsort(numbers, kind="stable")
    present, first = np.unique(numbers[order], return_index=True)
    found = np.full((len(asked), class_count), -1.0)
    for start in range(0, len(asked), PAGES_PER_BLOCK):
        block = slice(start, start + PAGES_PER_BLOCK)
        cosines = asked[block] @ known[order].T
        found[block, present] = np.maximum.reduceat(cosines, first, axis=1)
    return softmax(found)
