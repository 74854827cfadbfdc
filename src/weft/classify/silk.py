"""Functional types of pages: what a page is for, by its size, links, visitors and words."""

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from typing import Annotated, Any

import numpy as np
import pyarrow as pa
from pydantic import Field

from weft.classify.classes import Classes
from weft.classify.folds import assign_folds, estimate_from_held_out, held_out_probabilities
from weft.classify.labelled_pages import LabelledPages
from weft.classify.text import check_classes, softmax
from weft.core.arrays import Floats, Ids
from weft.core.errors import BadParameter, UnknownName
from weft.core.register import Dimensions, method
from weft.graph.levels import encode_domains

Edits = Annotated[
    list[str], Field(description="change a weight of the table: TYPE.FEATURE=NUMBER; repeatable")
]
NO_EDITS: list[str] = []
HASHED_WORDS, LINKS_PER_BATCH = 1 << 18, 1 << 16
TRAINING_COST = 1.0
EDIT_HINT = "write a type, a dot, a feature, and a number: index.outlinks=2"


@method(
    "classify",
    "silk",
    cites="pirolli1996",
    dimensions=Dimensions(
        model="vector space",
        metric="term weights",
        algorithm="supervised learning",
        scope="multiple pages",
        applications=("page categorisation", "adaptive web sites"),
        data="links, content and usage",
    ),
)
def silk(labelled: LabelledPages, /, *, weights: Edits = NO_EDITS) -> Classes:
    """Classify pages by function: heads, indexes, content, others.

    Seven features of a page, each relative to its site: size, links in and out,
    views and first views of visits where access logs were added, likeness to the
    pages that it links to, and how deep these are. Without examples each of
    eight types weighs them by a table, which `weights` changes, and the types
    compete: the certainty is a share of scores, not calibrated. With examples
    the weights are learned from these, for any classes.

    Examples
    --------
    >>> pages = [("http://a.example/", "menu", "")]
    >>> pages += [(f"http://a.example/{k}", "a long story " * 50, "") for k in "xyz"]
    >>> links = [("http://a.example/", page) for page, _, _ in pages[1:]]
    >>> found = silk(LabelledPages.from_any(pages).with_links(links))
    >>> {page.page: page.class_ for page in found}["http://a.example/"]
    'personal-home'
    """
    if not len(labelled):
        return Classes("silk", labelled, None, np.zeros((0, 0)))
    features = describe_pages(labelled)
    ids = labelled.unlabelled_ids
    if not len(labelled.training_ids):
        table = TypeWeights.from_table(weights)
        return Classes(
            "silk",
            labelled,
            None,
            table.probabilities(features[ids]),
            names=table.types,
            scores=table.scores(features[ids]),
            explain=partial(explain_types, features, table),
        )
    if weights:
        raise BadParameter(
            "silk learns its weights from the examples",
            hint="leave out weights=, or classify without examples",
        )
    check_classes(labelled.training_classes)
    table, folds = TypeWeights.fit(features, labelled), assign_folds(labelled)
    numbers = table.numbers(labelled.training_classes)

    def run(known: LabelledPages) -> Floats:
        own = TypeWeights.fit(features, known)
        found = np.zeros((len(labelled), len(table.types)))
        found[:, table.numbers(own.types)] = own.probabilities(features)
        return found

    held_out = None if folds is None else held_out_probabilities(labelled, folds, run)
    return Classes(
        "silk",
        labelled,
        None,
        table.probabilities(features[ids]),
        None
        if folds is None or held_out is None
        else estimate_from_held_out(numbers, held_out, folds),
        held_out=held_out,
        names=table.types,
        explain=partial(explain_types, features, table),
    )


@dataclass(frozen=True, slots=True, eq=False)
class TypeWeights:
    """The weight of each feature for each type, a row per type; the largest score wins."""

    types: tuple[str, ...]
    weights: Floats
    intercepts: Floats

    @classmethod
    def from_table(cls, edits: Sequence[str] = ()) -> "TypeWeights":
        """The table that comes with the program, with some weights changed.

        Examples
        --------
        >>> bool(2.0 in TypeWeights.from_table(["index.outlinks=2"]).weights)
        True
        """
        types, features = read_weight_table()
        rows = {name: dict(row) for name, row in types.items()}
        for edit in edits:
            name, feature, value = _parse_edit(edit)
            if name not in rows:
                raise UnknownName("functional type", name, rows, hint=EDIT_HINT)
            if feature not in features:
                raise UnknownName("feature", feature, features, hint=EDIT_HINT)
            rows[name][feature] = value
        weights = np.array([[row.get(feature, 0) for feature in features] for row in rows.values()])
        return cls(tuple(rows), weights.astype(float), np.zeros(len(rows)))

    @classmethod
    def fit(cls, features: Floats, labelled: LabelledPages) -> "TypeWeights":
        """Learn the weights from examples by multinomial logistic regression."""
        from sklearn.linear_model import LogisticRegression  # noqa: PLC0415  slow to import

        names, numbers = np.unique(
            np.array(labelled.training_classes, np.str_), return_inverse=True
        )
        own, types = features[labelled.training_ids], tuple(names.tolist())
        if len(types) == 1:  # all others are held out
            return cls(types, np.zeros((1, features.shape[1])), np.zeros(1))
        fitted = LogisticRegression(C=TRAINING_COST, max_iter=1000).fit(own, numbers)
        weights, intercepts = fitted.coef_, fitted.intercept_
        if len(types) == 2:  # of two classes only the score of the second is fitted
            weights, intercepts = (
                np.vstack([-weights, weights]) / 2,
                np.array([-1, 1]) * intercepts / 2,
            )
        return cls(types, weights, intercepts)

    def scores(self, features: Floats) -> Floats:
        """The score of each page for each type."""
        return np.asarray(features @ self.weights.T + self.intercepts)

    def probabilities(self, features: Floats) -> Floats:
        """Scores as probabilities: shares of their exponentials."""
        return softmax(self.scores(features))

    def numbers(self, names: Sequence[str]) -> Ids:
        """The number of each of some types."""
        number = {name: k for k, name in enumerate(self.types)}
        return np.array([number[name] for name in names], np.int32)


@cache
def read_weight_table() -> tuple[dict[str, dict[str, float]], tuple[str, ...]]:
    """The weights of features by type, and the names of the features."""
    table: dict[str, Any] = tomllib.loads((files("weft.classify") / "silk.toml").read_text("utf-8"))
    return table["types"], tuple(table["features"])


def _parse_edit(edit: str) -> tuple[str, str, float]:
    place, equals, number = edit.partition("=")
    name, dot, feature = place.strip().rpartition(".")
    try:
        value = float(number)
    except ValueError:
        value = np.nan
    if not (equals and dot and np.isfinite(value)):
        raise BadParameter(f"{edit!r} changes no weight", hint=EDIT_HINT)
    return name, feature, value


def explain_types(
    features: Floats, table: TypeWeights, ids: Ids, numbers: Ids, n: int
) -> list[list[str]]:
    """The features that speak most for the type of each page, such as `many outlinks`."""
    names = read_weight_table()[1]
    amounts = features[ids] * (table.weights[numbers] - table.weights.mean(axis=0))
    found = list[list[str]]()
    for row, page in zip(amounts, ids.tolist(), strict=True):
        best = [k for k in np.argsort(-row, kind="stable")[:n].tolist() if row[k] > 0]
        found.append([f"{'high' if features[page, k] > 0 else 'low'} {names[k]}" for k in best])
    return found


def describe_pages(labelled: LabelledPages) -> Floats:
    """The seven features of each page as z-scores over its site, counts as their logarithms."""
    pages = labelled.pages
    sites, _ = encode_domains(pa.array(pages, pa.large_string()))
    outlinks = labelled.outlinks
    source, target = outlinks.row_ids(), np.asarray(outlinks.ids)
    inside = sites[source] == sites[target]
    source, target = source[inside], target[inside]
    sizes, likeness = _measure_texts(labelled, source, target)
    depth = np.array([count_folders(page) for page in pages], float)
    children = np.bincount(source, minlength=len(pages))
    columns = {
        "size": np.log1p(sizes),
        "inlinks": np.log1p(np.diff(labelled.inlinks.starts)),
        "outlinks": np.log1p(np.diff(outlinks.starts)),
        "csim": likeness,
        "cdepth": np.bincount(source, depth[target], len(pages)) / np.maximum(children, 1),
    }
    visits = labelled.read_visits()
    if visits is not None:
        columns |= {"frequency": np.log1p(visits.views), "sources": np.log1p(visits.entries)}
    zero = np.zeros(len(pages))
    found = [columns.get(name, zero) for name in read_weight_table()[1]]
    has_children = {"csim", "cdepth"}
    everywhere = np.ones(len(pages), bool)
    return np.column_stack(
        [
            standardize(values, sites, children > 0 if name in has_children else everywhere)
            for name, values in zip(read_weight_table()[1], found, strict=True)
        ]
    )


def _measure_texts(labelled: LabelledPages, source: Ids, target: Ids) -> tuple[Floats, Floats]:
    """The length of each text, and its mean TF-IDF cosine with the pages that it links to."""
    from scipy.sparse import vstack  # noqa: PLC0415  slow to load
    from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer  # noqa: PLC0415

    hasher = HashingVectorizer(
        n_features=HASHED_WORDS,
        analyzer=str.split,
        alternate_sign=False,
        norm=None,
        dtype=np.float32,
    )
    sizes, blocks = np.zeros(len(labelled)), list[Any]()
    stemmer = ""
    for ids in labelled.batches(np.arange(len(labelled), dtype=np.int32)):
        sizes[ids] = [len(text) for text in labelled.read_texts(ids)]
        documents = labelled.documents(ids, stemmer)
        stemmer = documents.main_stemmer
        blocks.append(hasher.transform(documents.stems))
    vectors = TfidfTransformer(sublinear_tf=True).fit_transform(vstack(blocks).tocsr())
    total = np.zeros(len(labelled))
    for start in range(0, len(source), LINKS_PER_BATCH):
        own, child = (ends[start : start + LINKS_PER_BATCH] for ends in (source, target))
        cosine = np.asarray(vectors[own].multiply(vectors[child]).sum(axis=1), float).ravel()
        total += np.bincount(own, cosine, len(total))
    return sizes, total / np.maximum(np.bincount(source, minlength=len(total)), 1)


def count_folders(url: str) -> int:
    """The depth of a page on its site.

    Examples
    --------
    >>> [count_folders(url) for url in ("http://a.example/", "http://a.example/x/y.html", "a")]
    [0, 2, 0]
    """
    if "://" not in url:
        return 0
    path = url.partition("://")[2].partition("/")[2]
    return sum(1 for part in re.split(r"[?#]", path)[0].split("/") if part)


def standardize(values: Floats, sites: Ids, counted: Any) -> Floats:
    """Subtract the mean of each site, and divide by its standard deviation, over counted pages.

    The others, and pages of sites that are all alike, have zero.
    """
    n = int(sites.max(initial=-1)) + 1
    weights = counted.astype(float)
    sizes = np.maximum(np.bincount(sites, weights, n), 1)
    mean = np.bincount(sites, weights * values, n) / sizes
    centred = np.where(counted, values - mean[sites], 0.0)
    deviation = np.sqrt(np.bincount(sites, centred**2, n) / sizes)[sites]
    return np.divide(centred, deviation, out=np.zeros(len(values)), where=deviation > 1e-9)
