"""Classify the pages of a collection by the words of their titles and texts."""

from functools import partial

import numpy as np

from weft.classify.classes import Classes
from weft.classify.labelled_pages import LabelledPages
from weft.classify.text import (
    COST,
    MAX_WORDS,
    SMOOTHING,
    Cost,
    Learner,
    MaxWords,
    Smoothing,
    fit_documents,
    hold_out,
    learn_logistic_regression,
    learn_naive_bayes,
)
from weft.core.register import Dimensions, method


@method(
    "classify",
    "naive-bayes",
    cites="mccallum1998",
    dimensions=Dimensions(
        model="probabilistic model",
        metric="likelihood",
        algorithm="supervised learning",
        scope="multiple pages",
        applications=("page categorisation", "web crawling"),
        data="content",
    ),
)
def naive_bayes(
    labelled: LabelledPages, /, *, smoothing: Smoothing = SMOOTHING, max_words: MaxWords = MAX_WORDS
) -> Classes:
    """Classify pages by multinomial naive Bayes.

    The most probable class if words were drawn independently, each class with
    word frequencies of its own. Longer texts count as texts of `max_words`
    words with the same shares of words.

    Examples
    --------
    >>> rows = [("a", "ball goal", "sport"), ("b", "bank loan", "money"), ("c", "goal", "")]
    >>> [(page.page, page.class_, round(page.certainty, 2)) for page in naive_bayes(rows)]
    [('c', 'sport', 0.92)]
    """
    learn = partial(learn_naive_bayes, smoothing=smoothing, max_words=max_words)
    return classify_by_text(labelled, "naive-bayes", learn)


@method(
    "classify",
    "linear",
    cites="genkin2007",
    dimensions=Dimensions(
        model="vector space",
        metric="term weights",
        algorithm="supervised learning",
        scope="multiple pages",
        applications=("page categorisation", "web crawling"),
        data="content",
    ),
)
def linear(labelled: LabelledPages, /, *, cost: Cost = COST) -> Classes:
    """Classify pages by logistic regression on TF-IDF.

    A weighted sum of the words of a page for each class, against all others.
    Pages have vectors of the same length, however long their texts are.

    Examples
    --------
    >>> rows = [("a", "ball goal", "sport"), ("b", "bank loan", "money"), ("c", "goal", "")]
    >>> [(page.page, page.class_) for page in linear(rows)]
    [('c', 'sport')]
    """
    return classify_by_text(labelled, "linear", partial(learn_logistic_regression, cost=cost))


def classify_by_text(labelled: LabelledPages, method_name: str, learn: Learner) -> Classes:
    """Learn from the pages that have a class, classify the others, and estimate how well."""
    if not len(labelled):
        return Classes(method_name, labelled, None, np.zeros((0, 0)))
    examples = labelled.documents(labelled.training_ids)
    model = fit_documents(examples, labelled.training_classes, learn)
    held_out = hold_out(examples, labelled.training_classes, learn)
    found = [
        model.document_probabilities(labelled.documents(ids, model.main_stemmer))
        for ids in labelled.batches(labelled.unlabelled_ids)
    ]
    probabilities = np.concatenate([np.zeros((0, len(model.classes))), *found])
    return Classes(
        method_name,
        labelled,
        model,
        probabilities,
        held_out.estimate if held_out else None,
        held_out=held_out.probabilities if held_out else None,
    )
