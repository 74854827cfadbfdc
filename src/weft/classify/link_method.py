"""What every classifier by links does: texts first, then links, and an estimate."""

from collections.abc import Callable, Sequence

import numpy as np

from weft.classify.classes import Classes, Explain
from weft.classify.folds import assign_folds, estimate_from_held_out
from weft.classify.labelled_pages import LabelledPages
from weft.classify.text import (
    Learner,
    TextModel,
    check_classes,
    fit_documents,
    has_words,
    learn_naive_bayes,
)
from weft.core.arrays import Flags, Floats, Ids
from weft.core.progress import track

RunLinks = Callable[[LabelledPages, Floats, Ids], Floats]
"""Known pages, probabilities of all pages by text, and class numbers of the known ones, to
probabilities of all pages."""


def classify_with_links(
    labelled: LabelledPages,
    method_name: str,
    run: RunLinks,
    learn: Learner = learn_naive_bayes,
    explain: Explain | None = None,
) -> Classes:
    """Classify pages by text, let a method improve that by links, and estimate how well.

    The estimate hides the classes of each fold of examples in turn, from texts
    and links alike. Where no example has a word, the text says nothing but the
    share of each class.
    """
    if not len(labelled):
        return Classes(method_name, labelled, None, np.zeros((0, 0)))
    check_classes(labelled.training_classes)
    names = tuple(sorted(set(labelled.training_classes)))
    numbers = class_numbers(names, labelled.training_classes)
    examples = labelled.documents(labelled.training_ids)
    folds = assign_folds(labelled)
    ids, count = labelled.training_ids, 0 if folds is None else int(folds.max()) + 1
    everything = np.ones(len(ids), bool)
    shown: list[Flags] = [] if folds is None else [folds != fold for fold in range(count)]
    models, priors = list[TextModel | None](), list[Floats]()
    for kept in track([everything, *shown], "learn", count + 1):
        own = examples.take(np.flatnonzero(kept))
        given = [names[k] for k in numbers[kept].tolist()]
        models.append(fit_documents(own, given, learn) if has_words(own) else None)
        priors.append(np.bincount(numbers[kept], minlength=len(names)) / max(kept.sum(), 1))
    texts = text_probabilities(labelled, names, models, priors)
    held_out = np.zeros((len(ids), len(names)))
    for kept, text in zip(track(shown, "estimate", count), texts[1:], strict=True):
        known = labelled.hide(ids[~kept])
        held_out[~kept] = run(known, text, numbers[kept])[ids[~kept]]
    final = run(labelled, texts[0], numbers)
    return Classes(
        method_name,
        labelled,
        models[0],
        final[labelled.unlabelled_ids],
        None if folds is None else estimate_from_held_out(numbers, held_out, folds),
        held_out=None if folds is None else held_out,
        names=names,
        explain=explain,
    )


def class_numbers(names: Sequence[str], classes: Sequence[str]) -> Ids:
    """The number of each class among some names."""
    number = {name: k for k, name in enumerate(names)}
    return np.array([number[name] for name in classes], np.int32)


def text_probabilities(
    labelled: LabelledPages,
    names: Sequence[str],
    models: Sequence[TextModel | None],
    priors: Sequence[Floats],
) -> list[Floats]:
    """The probabilities of every page by several models of the same texts, in one pass.

    A class that a model never saw has the probability zero there. In place of a
    missing model stands the prior.
    """
    found = [
        np.zeros((len(labelled), len(names))) if model else np.tile(prior, (len(labelled), 1))
        for model, prior in zip(models, priors, strict=True)
    ]
    known = [
        (rows, class_numbers(names, model.classes), model)
        for rows, model in zip(found, models, strict=True)
        if model
    ]
    if not known:
        return found
    for ids in labelled.batches(np.arange(len(labelled), dtype=np.int32)):
        documents = labelled.documents(ids, known[0][2].main_stemmer)
        for rows, own, model in known:
            rows[np.ix_(ids, own)] = model.document_probabilities(documents)
    return found
