"""What to make of an answer: the shares of classes, what more examples bring, and which to tag."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from weft.classify.labelled_pages import LabelledPages
from weft.classify.text import Documents, has_words
from weft.core.arrays import Floats, Ids
from weft.core.text import join_with_and

MAX_CANDIDATES = 500
RESAMPLES = 1000
INTERVAL = (2.5, 97.5)
MAX_RATIO, MAX_NAMES, MIN_SHIFT = 10, 3, 0.2
MIN_DRIFT_PAGES, MIN_DRIFT = 20, 0.8


@dataclass(frozen=True, slots=True)
class ClassShare:
    """The share of pages put into a class, and the estimate corrected for classifier error.

    `low` and `high` are the ends of a 95 % interval.
    """

    class_: str
    predicted: float
    share: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """The estimate of a method that learns from fewer examples."""

    examples: int
    accuracy: float
    macro_f1: float


def estimate_shares(
    classes: Sequence[str], predicted: Ids, truth: Ids, held_out: Ids, seed: int = 0
) -> list[ClassShare]:
    """Estimate the share of each class among pages from the class that each was put into.

    Examples held out show how often class i is taken for class j, C(i, j). Shares
    p predict the shares of answers q = C' p, which are known: p are the shares,
    not negative, that come nearest. The interval is of a thousand resamples of
    the pages and of the examples of each class.
    """
    count, random = len(classes), np.random.default_rng(seed)
    observed = np.bincount(predicted, minlength=count)
    confusion = np.zeros((count, count))
    np.add.at(confusion, (truth, held_out), 1)
    best = _solve_shares(observed, confusion)
    rates = (confusion + 1 / count) / (confusion + 1 / count).sum(axis=1, keepdims=True)
    sizes, total = confusion.sum(axis=1).astype(int), max(int(observed.sum()), 1)
    found = np.stack(
        [
            _solve_shares(
                random.multinomial(total, observed / total),
                np.stack([random.multinomial(n, row) for n, row in zip(sizes, rates, strict=True)]),
            )
            for _ in range(RESAMPLES)
        ]
    )
    low, high = np.percentile(found, INTERVAL, axis=0)
    return [
        ClassShare(
            name,
            float(observed[k] / total),
            float(best[k]),
            float(min(low[k], best[k])),
            float(max(high[k], best[k])),
        )
        for k, name in enumerate(classes)
    ]


def _solve_shares(observed: npt.NDArray[np.integer[Any]], confusion: Floats) -> Floats:
    """The shares p, not negative, for which C' p is nearest to the observed shares."""
    from scipy.optimize import nnls  # noqa: PLC0415  slow to load

    sizes = confusion.sum(axis=1, keepdims=True)
    rates = np.where(sizes > 0, confusion / np.maximum(sizes, 1), np.eye(len(confusion)))
    shares = np.asarray(observed, float) / max(float(np.sum(observed)), 1)
    found, _ = nnls(rates.T, shares)
    return np.asarray(found / max(found.sum(), 1e-12))


def describe_imbalance(sizes: Mapping[str, int], found: Mapping[str, int]) -> list[str]:
    """What to know of classes with few examples; `found` are those recognised while held out."""
    notes = list[str]()
    if sizes and max(sizes.values()) >= MAX_RATIO * min(sizes.values()):
        largest, smallest = (pick(sizes, key=lambda name: sizes[name]) for pick in (max, min))
        notes.append(
            f"classes are imbalanced: {sizes[largest]:,} examples of {largest},"
            f" {sizes[smallest]:,} of {smallest}; rare classes are found less often"
        )
    missed = [name for name, size in sizes.items() if size > 1 and not found.get(name, 1)]
    if missed:
        shown = join_with_and(missed[:MAX_NAMES])
        more = f" and {len(missed) - MAX_NAMES:,} more" if len(missed) > MAX_NAMES else ""
        notes.append(f"no held-out example of {shown}{more} was recognised; tag more of them")
    return notes


def describe_shift(examples: Mapping[str, int], shares: Mapping[str, float]) -> list[str]:
    """Whether classes are distributed otherwise among the pages than among the examples."""
    total = max(sum(examples.values()), 1)
    changes = {name: share - examples.get(name, 0) / total for name, share in shares.items()}
    if not changes or sum(map(abs, changes.values())) / 2 < MIN_SHIFT:
        return []
    name = max(changes, key=lambda name: abs(changes[name]))
    return [
        f"classes are distributed differently: {name} is {examples.get(name, 0) / total:.0%} of"
        f" the examples, and {shares[name]:.0%} of the other pages"
    ]


def measure_drift(labelled: LabelledPages) -> float:
    """How well words tell the examples from the other pages: AUC, 0.5 where they are alike.

    Two-fold cross-validation on at most 500 pages of each kind; 0.5 where there
    are less than twenty.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer  # noqa: PLC0415
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415
    from sklearn.metrics import roc_auc_score  # noqa: PLC0415

    kinds = (labelled.training_ids, labelled.unlabelled_ids)
    if min(map(len, kinds)) < MIN_DRIFT_PAGES:
        return 0.5
    sample = [ids[:: -(-len(ids) // MAX_CANDIDATES)] for ids in kinds]
    ids = np.concatenate(sample)
    is_example = np.repeat([True, False], [len(own) for own in sample])
    documents = labelled.documents(ids)
    if not has_words(documents):
        return 0.5
    vectors = TfidfVectorizer(analyzer=str.split, sublinear_tf=True).fit_transform(documents.stems)
    fold, scores = np.arange(len(ids)) % 2 == 0, np.zeros(len(ids))
    for held_out in (fold, ~fold):
        model = LogisticRegression(solver="liblinear", dual=True, random_state=0)
        model.fit(vectors[~held_out], is_example[~held_out])
        scores[held_out] = model.decision_function(vectors[held_out])
    return float(roc_auc_score(is_example, scores))


def choose_next_to_tag(labelled: LabelledPages, probabilities: Floats, n: int = 10) -> Ids:
    """Rows of pages whose class would teach most: uncertain ones that differ from each other.

    Uncertainty is one less the difference of the two highest probabilities. Each
    page in turn has the highest uncertainty, times one less the highest cosine
    of its words with those of a page chosen before.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer  # noqa: PLC0415

    if not len(probabilities):
        return np.zeros(0, np.int32)
    ordered = np.sort(probabilities, axis=1)
    uncertainty = 1 - (ordered[:, -1] - ordered[:, -2])
    candidates = np.argsort(-np.round(uncertainty, 12), kind="stable")[:MAX_CANDIDATES]
    documents: Documents = labelled.documents(labelled.unlabelled_ids[candidates])
    if not has_words(documents):
        return candidates[:n].astype(np.int32)
    vectors = TfidfVectorizer(analyzer=str.split).fit_transform(documents.stems)
    worth, novelty = uncertainty[candidates], np.ones(len(candidates))
    chosen = list[int]()
    while len(chosen) < min(n, len(candidates)):
        scores = worth * novelty
        scores[chosen] = -1
        chosen.append(int(np.argmax(np.round(scores, 12))))
        cosine = np.asarray((vectors @ vectors[[chosen[-1]]].T).toarray()).ravel()
        novelty = np.minimum(novelty, 1 - cosine)
    return candidates[chosen].astype(np.int32)


def thin_examples(labelled: LabelledPages, share: float) -> LabelledPages:
    """The pages with the classes of only a share of the examples, at least two of each class."""
    names, ids = np.array(labelled.training_classes, np.str_), labelled.training_ids
    hidden = list[int]()
    for name in np.unique(names):
        own = ids[names == name]
        kept = max(2, int(np.ceil(share * len(own))))
        order = np.random.default_rng(0).permutation(len(own))
        hidden += own[order[kept:]].tolist()
    return labelled.hide(np.array(hidden, np.int64))


def learning_curve(
    labelled: LabelledPages, run: Callable[[LabelledPages], "CurvePoint | None"]
) -> list[CurvePoint]:
    """The estimate of a method with a quarter, a half, three quarters and all of the examples."""
    points = [run(thin_examples(labelled, share)) for share in (0.25, 0.5, 0.75, 1.0)]
    return [point for point in points if point is not None]
