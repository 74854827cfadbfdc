"""How well classifiers do: `python -m benchmarks.classify`.

Cora: 20 examples a class, and 1,000 other pages, as usual and drawn at random;
and 60 % of the pages as examples, another 20 % to classify, on five splits and
for `auto` on eleven others. The spread is over splits. WebKB, leave one
university out: the pages of each of four universities are classified by what the
other three and all other sites teach. With six classes, pages of the class
*other* are left out; with seven they are not. Pages with two labels are left
out. Growth: the CPU time of `prm`, `relaxation` and `auto` on
random webs. It needs the real data beside the project.
"""

import argparse
import csv
import gzip
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from sklearn.metrics import f1_score, roc_auc_score

from benchmarks.measure import versions
from benchmarks.realwebs import DATA, added
from weft.classify import Classes, LabelledPages, silk
from weft.core.arrays import Flags, Floats, Ids
from weft.core.register import find_method
from weft.graph.webgraph import WebGraph
from weft.workspace.classify import load_labelled_pages
from weft.workspace.workspace import Workspace

UNIVERSITIES = ("cornell", "texas", "washington", "wisconsin")
METHODS = (
    "linear",
    "naive-bayes",
    "label-spreading",
    "link-context",
    "relaxation",
    "prm",
    "plsa-phits",
    "silk",
    "auto",
)
GROWTH_OPTIONS: dict[str, dict[str, Any]] = {
    "relaxation": {"max_iter": 10},
    "prm": {"max_iter": 10, "tol": 1e-9},
    "auto": {},
}
SPLITS, OTHER_SPLITS = 5, range(100, 111)
LINKS_PER_PAGE, WORDS_PER_PAGE = 10, 30
CALIBRATION_BINS = 10


@dataclass(frozen=True, slots=True, eq=False)
class WebKB:
    """The pages of WebKB with a single label, their classes and universities."""

    labelled: LabelledPages
    universities: Sequence[str]

    @classmethod
    def from_workspace(cls, workspace: Workspace) -> "WebKB":
        """The labels of the pages that the collection has."""
        with gzip.open(DATA / "webkb-labels.csv.gz", "rt", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        collection = workspace.collection
        labelled = load_labelled_pages(collection, [(row["url"], row["class"]) for row in rows])
        by_page = {collection.page_number(row["url"]): row["university"] for row in rows}
        numbers = [collection.page_number(page) for page in labelled.pages]
        return cls(labelled, [by_page.get(number, "") for number in numbers])

    def without(self, university: str, left_out: Flags) -> tuple[LabelledPages, list[str]]:
        """The pages with the classes of one university hidden, and the hidden classes."""
        kept = self.labelled.select(~left_out)
        universities = np.array(self.universities)[~left_out]
        hidden = np.flatnonzero(universities == university)
        names = [kept.classes[k] for k in hidden.tolist()]
        return kept.hide(hidden), names


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """Accuracy and macro-F1 of each fold and of all, and the calibration error of all."""

    accuracy: float
    macro_f1: float
    accuracies: Sequence[float]
    macro_f1s: Sequence[float]
    calibration_error: float
    seconds: float


def evaluate(web: WebKB, method: str, *, with_other: bool) -> Scores:
    """Classify each university by the others."""
    classes = np.array(web.labelled.classes)
    left_out = (classes == "") | ((classes == "other") & (not with_other))
    truth, found, certainty = list[str](), list[str](), list[Floats]()
    folds, start = list[slice](), time.perf_counter()
    for university in UNIVERSITIES:
        pages, hidden = web.without(university, left_out)
        result = find_method("classify", method)(pages)
        assert isinstance(result, Classes)
        folds.append(slice(len(truth), len(truth) + len(hidden)))
        truth += hidden
        found += [result.classes[k] for k in result.answers.tolist()]
        certainty.append(result.certainties)
    seconds = time.perf_counter() - start
    each = [measure(truth[fold], found[fold]) for fold in folds]
    right = np.array(truth) == np.array(found)
    return Scores(
        *measure(truth, found),
        [accuracy for accuracy, _ in each],
        [macro_f1 for _, macro_f1 in each],
        calibration_error(right, np.concatenate(certainty)),
        seconds,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Cora:
    """The pages of Cora, their links and classes, and the usual examples and test pages."""

    pages: LabelledPages
    classes: Sequence[str]
    train: Ids
    test: Ids

    @classmethod
    def read(cls) -> "Cora":
        """Read the data; words are numbers there, and links have no direction."""
        data = np.load(DATA / "cora" / "cora.npz")
        names = [f"p{k}" for k in range(len(data["labels"]))]
        ends, words = data["word_ptr"].tolist(), [f"w{k}" for k in data["words"].tolist()]
        texts = [" ".join(words[a:b]) for a, b in pairwise(ends)]
        graph = WebGraph.from_arrays(names, data["edges"][:, 0], data["edges"][:, 1])
        pages = replace(LabelledPages.from_lists(names, texts, [""] * len(names)), graph=graph)
        classes = [f"c{k}" for k in data["labels"].tolist()]
        return cls(pages, classes, data["train"], data["test"])

    def split_few(self, seed: int) -> tuple[Ids, Ids]:
        """Twenty examples a class, and a thousand of the other pages."""
        random, classes = np.random.default_rng(seed), np.array(self.classes)
        train = np.concatenate(
            [
                random.choice(np.flatnonzero(classes == c), 20, replace=False)
                for c in np.unique(classes)
            ]
        )
        rest = random.permutation(np.setdiff1d(np.arange(len(classes)), train))
        return train.astype(np.int32), rest[500:1500].astype(np.int32)

    def split_many(self, seed: int) -> tuple[Ids, Ids]:
        """Three fifths of the pages as examples, and another fifth."""
        order = np.random.default_rng(seed).permutation(len(self.classes)).astype(np.int32)
        return order[: len(order) * 3 // 5], order[len(order) * 4 // 5 :]

    def evaluate(self, method: str, train: Ids, test: Ids) -> tuple[float, float]:
        """Accuracy and macro-F1 on the test pages."""
        shown = [""] * len(self.classes)
        for k in train.tolist():
            shown[k] = self.classes[k]
        result = find_method("classify", method)(self.pages.with_classes(shown))
        assert isinstance(result, Classes)
        found = {page.page: page.class_ for page in result}
        names = [self.pages.pages[k] for k in test.tolist()]
        truth = [self.classes[k] for k in test.tolist()]
        return measure(truth, [found[name] for name in names])


def report_cora(cora: Cora, methods: Sequence[str]) -> Iterator[str]:
    """The lines of the table for Cora."""
    yield f"{'Cora':<15}{'method':<17}{'accuracy':>16}{'macro-F1':>18}"
    splits = {
        "usual split": [(cora.train, cora.test)],
        "20 a class": [cora.split_few(seed) for seed in range(SPLITS)],
        "60 % labelled": [cora.split_many(seed) for seed in range(SPLITS)],
    }
    rows = [
        (name, method, pairs)
        for name, pairs in splits.items()
        for method in methods
        if method not in {"link-context", "silk"}
    ]
    if "auto" in methods:
        rows += [("60 % again", "auto", [cora.split_many(seed) for seed in OTHER_SPLITS])]
    for name, method, pairs in rows:
        scores = np.array([cora.evaluate(method, *pair) for pair in pairs])
        cells = "".join(
            f"{mean:>10.3f} ± {spread:.3f}"
            for mean, spread in zip(scores.mean(axis=0), scores.std(axis=0), strict=True)
        )
        yield f"{name:<15}{method:<17}{cells}"


def report_growth(sizes: Sequence[int]) -> Iterator[str]:
    """The lines of the growth table: CPU time and memory on random webs, ten iterations each."""
    yield f"{'pages':>10}{'links':>12}  {'method':<12}{'CPU seconds':>12}{'peak MB':>9}"
    for size in sizes:
        pages = random_web(size)
        for method, options in GROWTH_OPTIONS.items():
            start = time.process_time()
            find_method("classify", method)(pages, **options)
            seconds, peak = time.process_time() - start, getrusage(RUSAGE_SELF).ru_maxrss / 1024
            links = len(pages.outlinks.ids)
            yield f"{size:>10,}{links:>12,}  {method:<12}{seconds:>12.1f}{peak:>9.0f}"


def random_web(size: int, seed: int = 0) -> LabelledPages:
    """Pages of five classes, 500 of them examples; most links stay in a class."""
    random = np.random.default_rng(seed)
    classes = random.integers(0, 5, size)
    source = random.integers(0, size, size * LINKS_PER_PAGE)
    target = random.integers(0, size, size * LINKS_PER_PAGE)
    kept = (classes[source] == classes[target]) | (random.random(len(source)) < 0.3)
    graph = WebGraph.from_arrays(size, source[kept], target[kept])

    def read_texts(ids: Ids) -> list[str]:
        own = np.random.default_rng(int(ids[0]) if len(ids) else 0)
        words = own.zipf(1.3, (len(ids), WORDS_PER_PAGE)) % 20_000
        words[:, :3] = 20_000 + 100 * classes[ids, None] + own.integers(0, 100, (len(ids), 3))
        return [" ".join(f"w{word}" for word in row) for row in words.tolist()]

    names = [f"c{k}" if number < 500 else "" for number, k in enumerate(classes.tolist())]
    return LabelledPages(graph.pages, names, read_texts, lambda ids: ["en"] * len(ids), graph=graph)


def measure(truth: Sequence[str], found: Sequence[str]) -> tuple[float, float]:
    """Accuracy, and F1 averaged over the classes."""
    right = float(np.mean(np.array(truth) == np.array(found)))
    return right, float(f1_score(truth, found, average="macro", zero_division=0))


def calibration_error(right: Flags, certainty: Floats) -> float:
    """The mean difference of certainty and share of right pages, over ten bins of certainty."""
    bins = np.minimum((certainty * CALIBRATION_BINS).astype(int), CALIBRATION_BINS - 1)
    return sum(
        abs(float(right[bins == k].mean() - certainty[bins == k].mean()))
        * float((bins == k).mean())
        for k in np.unique(bins)
    )


def report(web: WebKB, methods: Sequence[str]) -> Iterator[str]:
    """The lines of the table."""
    heads = f"{'accuracy':>18}{'macro-F1':>18}{'calibration':>13}{'seconds':>9}"
    yield f"{'WebKB':<8}{'method':<17}{heads}"
    for count, with_other in (("six", False), ("seven", True)):
        for method in methods:
            scores = evaluate(web, method, with_other=with_other)
            spread = [f"± {np.std(values):.3f}" for values in (scores.accuracies, scores.macro_f1s)]
            yield (
                f"{count:<8}{method:<17}{scores.accuracy:>10.3f} {spread[0]}"
                f"{scores.macro_f1:>10.3f} {spread[1]}{scores.calibration_error:>13.3f}"
                f"{scores.seconds:>9.1f}"
            )


def report_silk(web: WebKB) -> Iterator[str]:
    """How well the table of functional types, which sees no class, finds home pages of people.

    The share of pairs of such a page and another one that each type orders that
    way: pages of students, faculty and staff against courses and projects.
    """
    pages = web.labelled
    truth = np.array(pages.classes)
    found = silk(pages.hide(pages.training_ids))
    counted = np.isin(truth, ("student", "faculty", "staff", "course", "project"))
    is_home = np.isin(truth[counted], ("student", "faculty", "staff"))
    assert found.scores is not None
    yield f"{'silk':<23}{'AUC, home pages of people':>26}"
    for number, name in enumerate(found.classes):
        auc = roc_auc_score(is_home, found.scores[counted, number])
        yield f"{name:<23}{auc:>26.3f}"


def main() -> None:
    """Print the table; the spread is over universities."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--webkb", type=lambda name: Workspace(Path(name)), help="its collection; default: add it"
    )
    parser.add_argument("--grow", type=int, nargs="*", default=[10_000, 20_000, 40_000])
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=METHODS)
    asked = parser.parse_args()
    print(versions("numpy", "scikit-learn"))
    for line in (*report_growth(asked.grow), ""):
        print(line, flush=True)
    for line in report_cora(Cora.read(), asked.methods):
        print(line, flush=True)
    print()
    with TemporaryDirectory() as folder:
        archive = DATA / "webkb.warc.gz"
        workspace = asked.webkb or added(Path(folder), "webkb", archive)
        web = WebKB.from_workspace(workspace)
        for line in (*report_silk(web), "", *report(web, asked.methods)):
            print(line, flush=True)


if __name__ == "__main__":
    main()
