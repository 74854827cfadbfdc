"""Folds of examples, held out in turn, and the estimate that they give."""

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa

from weft.classify.labelled_pages import LabelledPages
from weft.classify.text import MAX_FOLDS, Estimate
from weft.core.arrays import Floats, Ids
from weft.core.progress import track
from weft.graph.levels import encode_domains

MIN_SITES = 2 * MAX_FOLDS


def assign_folds(labelled: LabelledPages) -> Ids | None:
    """The fold of each example, or None where less than two classes have two examples.

    Folds are like the pages to classify. Where most of these lie on sites without
    any example, whole sites are held out; otherwise the examples of each class
    are dealt out in turn.
    """
    classes = labelled.training_classes
    repeated = sorted((size for size in Counter(classes).values() if size > 1), reverse=True)
    if len(repeated) < 2:
        return None
    fold_count = min(MAX_FOLDS, repeated[1])
    sites, _ = encode_domains(pa.array(labelled.pages, pa.large_string()))
    own = sites[labelled.training_ids]
    is_foreign = ~np.isin(sites[labelled.unlabelled_ids], own)
    if len(is_foreign) and is_foreign.mean() > 0.5 and len(np.unique(own)) >= MIN_SITES:
        folds = _deal_sites(own, fold_count)
        if _has_all_classes(folds, classes, fold_count):
            return folds
    return deal_classes(classes, fold_count)


def holds_out_sites(labelled: LabelledPages, folds: Ids) -> bool:
    """Whether folds hold out whole sites, some of which have several examples."""
    sites, _ = encode_domains(pa.array(labelled.pages, pa.large_string()))
    own = sites[labelled.training_ids]
    count = len(np.unique(own))
    return count < len(own) and len(np.unique(np.stack([own, folds]), axis=1).T) == count


def deal_classes(classes: Sequence[str], fold_count: int) -> Ids:
    """Deal the examples of each class out to the folds in turn."""
    names, folds = np.array(classes, np.str_), np.zeros(len(classes), np.int32)
    for name in np.unique(names):
        own = np.flatnonzero(names == name)
        folds[own] = np.arange(len(own)) % fold_count
    return folds


def _deal_sites(sites: Ids, fold_count: int) -> Ids:
    """Give whole sites to folds, the largest first, each to the fold with fewest examples."""
    numbers, inverse, sizes = np.unique(sites, return_inverse=True, return_counts=True)
    fold_of, load = np.zeros(len(numbers), np.int32), np.zeros(fold_count)
    for site in np.argsort(-sizes, kind="stable").tolist():
        fold_of[site] = load.argmin()
        load[fold_of[site]] += sizes[site]
    return fold_of[inverse]


def _has_all_classes(folds: Ids, classes: Sequence[str], fold_count: int) -> bool:
    """Whether every class that has two examples is left when any fold is held out."""
    names = np.array(classes, np.str_)
    common = {name for name, size in Counter(classes).items() if size > 1}
    return all(common <= set(names[folds != fold].tolist()) for fold in range(fold_count))


def held_out_probabilities(
    labelled: LabelledPages, folds: Ids, run: Callable[[LabelledPages], Floats]
) -> Floats:
    """The probabilities that a method gives to each example while its fold is held out.

    `run` returns a row for each page, examples too, and a column for each class
    of all the examples.
    """
    examples, fold_count = labelled.training_ids, int(folds.max(initial=0)) + 1
    found = list[tuple[Ids, Floats]]()
    for fold in track(range(fold_count), "estimate", fold_count):
        hidden = examples[folds == fold]
        found.append((hidden, run(labelled.hide(hidden))[hidden]))
    order = np.argsort(np.concatenate([hidden for hidden, _ in found]))
    return np.concatenate([rows for _, rows in found])[order]


def estimate_from_held_out(numbers: Ids, probabilities: Floats, folds: Ids) -> Estimate:
    """Accuracy and macro-averaged F1 of held-out examples."""
    from sklearn.metrics import f1_score  # noqa: PLC0415  slow to import

    best = probabilities.argmax(axis=1)
    labels = np.unique(numbers)
    macro_f1 = f1_score(numbers, best, average="macro", labels=labels, zero_division=0)
    return Estimate(float(np.mean(best == numbers)), float(macro_f1), int(folds.max()) + 1)
