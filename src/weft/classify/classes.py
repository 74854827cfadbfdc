"""What every classifier returns: the class of each page, with its certainty."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, SupportsIndex, cast, overload

import numpy as np
import pyarrow as pa

from weft.classify.advice import (
    MIN_DRIFT,
    ClassShare,
    CurvePoint,
    choose_next_to_tag,
    describe_imbalance,
    describe_shift,
    estimate_shares,
    learning_curve,
    measure_drift,
)
from weft.classify.labelled_pages import LabelledPages
from weft.classify.text import Estimate, TextModel
from weft.core.arrays import Floats, Ids
from weft.core.errors import UnknownName
from weft.core.json import JsonObject, to_json_value
from weft.core.register import find_method
from weft.core.tables import Tabular
from weft.core.text import pluralise

MAX_KEYWORDS = 10
MAX_WORDS_PER_PAGE = 5
MAX_NEIGHBOURS, MAX_ANCHORS, MAX_SHARES = 3, 3, 100
CLASS_SCHEMA = pa.schema({"url": pa.string(), "class": pa.string(), "certainty": pa.float64()})
SUMMARY_SCHEMA = pa.schema(
    {
        "class": pa.string(),
        "examples": pa.int64(),
        "recall": pa.float64(),
        "precision": pa.float64(),
        "pages": pa.int64(),
        "share": pa.float64(),
        "low": pa.float64(),
        "high": pa.float64(),
    }
)
CURVE_SCHEMA = pa.schema(
    {"examples": pa.int64(), "accuracy": pa.float64(), "macro_f1": pa.float64()}
)


Explain = Callable[[Ids, Ids, int], list[list[str]]]
"""Page numbers, their class numbers, and how many reasons, to reasons for each page."""


def _choose(probabilities: Floats) -> Ids:
    """The number of the most probable class of each row."""
    best = probabilities.argmax(axis=1) if len(probabilities) else np.zeros(0)
    return best.astype(np.int32)


@dataclass(frozen=True, slots=True)
class ClassifiedPage:
    """A page, its most probable class, and the probability of that class."""

    page: str
    class_: str
    certainty: float


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A page of the same class that links to a page ("in") or is linked from it ("out")."""

    page: str
    direction: str
    certainty: float
    is_example: bool


@dataclass(frozen=True, eq=False)
class Classes(Tabular):
    """The most probable class of each page without one, most certain first.

    A sequence of `ClassifiedPage`: it iterates, indexes and slices.
    `probabilities` has a row per page in the order of `labelled.unlabelled_ids`
    and a column per class of the model. `estimate` is of pages held out by
    cross-validation; None where there are too few examples. `held_out` are the
    probabilities of the examples while each was held out, where a method keeps
    them, and `views` the weight of each kind of evidence. A method without a
    model of words has `names` of classes, and may `explain` them in its own words;
    `scores`, if given, order the pages of one class in place of probabilities.
    `shift` is what the probabilities of pages were multiplied by, since their
    classes have other shares than those of examples.

    Examples
    --------
    >>> from weft.classify import linear
    >>> rows = [("a", "ball goal", "sport"), ("b", "bank loan", "money"), ("c", "a goal", "")]
    >>> found = linear(rows)
    >>> found
    <Classes of 1 page by linear: 1 sport; too few examples for an estimate>
    >>> found[0].class_, found.reasons("c")
    ('sport', ['goal'])
    """

    method: str
    labelled: LabelledPages = field(repr=False)
    model: TextModel | None = field(repr=False)
    probabilities: Floats = field(repr=False)
    estimate: Estimate | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)
    views: Mapping[str, float] = field(default_factory=dict)
    held_out: Floats | None = field(default=None, repr=False)
    names: tuple[str, ...] = field(default=(), repr=False)
    scores: Floats | None = field(default=None, repr=False)
    shift: Floats | None = field(default=None, repr=False)
    explain: Explain | None = field(default=None, repr=False)

    @property
    def classes(self) -> tuple[str, ...]:
        """The names of all classes."""
        return self.model.classes if self.model else self.names

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out of the training data, and why."""
        return self.labelled.notes

    @cached_property
    def _order(self) -> Ids:
        """Rows from the most certain to the least; ties keep page order."""
        certainty = np.round(self.certainties, 12)
        return np.argsort(-certainty, kind="stable").astype(np.int32)

    @cached_property
    def answers(self) -> Ids:
        """The number of the class of each row of `probabilities`."""
        return _choose(self.probabilities)

    @cached_property
    def certainties(self) -> Floats:
        """The probability of the class of each row of `probabilities`."""
        found: Floats = self.probabilities[np.arange(len(self)), self.answers]
        return found

    @property
    def class_counts(self) -> dict[str, int]:
        """The number of pages that were put into each class."""
        counts = np.bincount(self.answers, minlength=len(self.classes)).tolist()
        return dict(zip(self.classes, counts, strict=True))

    def ranked(self, class_: str, n: int = 10) -> list[ClassifiedPage]:
        """The pages that fit one class best, with its probability, whatever class they have."""
        rows = self._rank_rows(class_)[:n]
        number = self.classes.index(class_)
        return [
            ClassifiedPage(
                self.labelled.pages[int(self.labelled.unlabelled_ids[row])],
                class_,
                float(self.probabilities[row, number]),
            )
            for row in rows.tolist()
        ]

    def _rank_rows(self, class_: str) -> Ids:
        if class_ not in self.classes:
            raise UnknownName("class", class_, self.classes)
        values = self.probabilities if self.scores is None else self.scores
        order = np.argsort(-np.round(values[:, self.classes.index(class_)], 12), kind="stable")
        return order.astype(np.int32)

    def to_table(
        self,
        *,
        offset: int = 0,
        top: int | None = None,
        reasons: bool = False,
        class_: str = "",
    ) -> pa.Table:
        """One row per page, most certain first: url, class, certainty.

        `offset` rows are skipped, and `top` limits the others. With `reasons`
        also the words that contribute most to the class, separated by spaces,
        linked pages of the class, and anchors of links to the page. With
        `class_` the rows are of that class for all pages, the best first.
        """
        order = (self._rank_rows(class_) if class_ else self._order)[offset:][:top]
        numbers = self.answers[order]
        if class_:
            numbers = np.full(len(order), self.classes.index(class_), np.int32)
        names = self.labelled.pages
        urls = [names[k] for k in self.labelled.unlabelled_ids[order].tolist()]
        columns = [
            urls,
            [self.classes[k] for k in numbers.tolist()],
            self.probabilities[order, numbers],
        ]
        table = pa.table(columns, schema=CLASS_SCHEMA)
        if not reasons:
            return table
        words = [" ".join(found) for found in self._reasons_of(order)]
        near = [
            " ".join(dict.fromkeys(each.page for each in self.neighbours(page, MAX_NEIGHBOURS)))
            for page in urls
        ]
        anchors = [" | ".join(texts) for texts in self._anchors_of(order)]
        for name, values in (("words", words), ("neighbours", near), ("anchors", anchors)):
            table = table.append_column(name, pa.array(values, pa.string()))
        return table

    def summary_table(self) -> pa.Table:
        """One row per class: how well it is found, and its estimated share of the pages.

        Recall and precision are of examples held out; `share` is corrected for
        errors, and `low` and `high` are the ends of its 95 % interval. They are
        null where the method holds no examples out, or has too few.
        """
        sizes, counts = self.labelled.class_sizes, self.class_counts
        shares = {share.class_: share for share in self.shares()}
        right, asked, answered = self._held_out_counts
        rows = [
            {
                "class": name,
                "examples": sizes.get(name, 0),
                "recall": right[k] / asked[k] if asked[k] else None,
                "precision": right[k] / answered[k] if answered[k] else None,
                "pages": counts[name],
                "share": shares[name].share if name in shares else None,
                "low": shares[name].low if name in shares else None,
                "high": shares[name].high if name in shares else None,
            }
            for k, name in enumerate(self.classes)
        ]
        return pa.Table.from_pylist(rows, schema=SUMMARY_SCHEMA)

    def next_table(self, n: int = 10) -> pa.Table:
        """The pages whose class would teach most, with the class that they have now."""
        rows = [
            {"url": page.page, "class": page.class_, "certainty": page.certainty}
            for page in self.next_to_tag(n)
        ]
        return pa.Table.from_pylist(rows, schema=CLASS_SCHEMA)

    def curve_table(self) -> pa.Table:
        """The learning curve, a row for each number of examples."""
        return pa.Table.from_pylist(list(map(asdict, self.learning_curve())), schema=CURVE_SCHEMA)

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What may make the estimate too good: imbalance of classes, and drift of pages."""
        right, asked, _ = self._held_out_counts
        sizes = self.labelled.class_sizes
        found = {
            name: int(right[k]) for k, name in enumerate(self.classes) if self.held_out is not None
        }
        notes = describe_imbalance(sizes, found) if asked.any() else []
        if sizes and len(self):
            shares = {share.class_: share.share for share in self.shares()}
            notes += describe_shift(sizes, shares)
            drift = measure_drift(self.labelled)
            if drift >= MIN_DRIFT:
                notes.append(
                    "the other pages have other words than the examples, which can be told from"
                    f" them in {drift:.0%} of pairs; the estimate may be too good"
                )
        return tuple(notes)

    @cached_property
    def _held_out_counts(self) -> tuple[Ids, Ids, Ids]:
        """For each class the examples that were recognised, all of them, and the answers."""
        count = len(self.classes)
        if self.held_out is None:
            none = np.zeros(count, np.int32)
            return none, none, none
        best = _choose(self.held_out)
        right = np.bincount(best[best == self._truth], minlength=count)
        asked, answered = (np.bincount(found, minlength=count) for found in (self._truth, best))
        return right.astype(np.int32), asked.astype(np.int32), answered.astype(np.int32)

    @cached_property
    def _truth(self) -> Ids:
        number = {name: k for k, name in enumerate(self.classes)}
        return np.array([number[name] for name in self.labelled.training_classes], np.int32)

    def anchors(self, page: str) -> list[str]:
        """The distinct anchor texts of links to a page."""
        return self._anchors_of(np.array([self._find_row(page)], np.int32))[0]

    def _anchors_of(self, rows: Ids) -> list[list[str]]:
        lines = self.labelled.read_anchors(self.labelled.unlabelled_ids[rows])
        return [list(dict.fromkeys(filter(None, each.split("\n"))))[:MAX_ANCHORS] for each in lines]

    def reasons(self, page: str, n: int = MAX_WORDS_PER_PAGE) -> list[str]:
        """The words of a page that contribute most to its class, best first."""
        return self._reasons_of(np.array([self._find_row(page)], np.int32), n)[0]

    def _reasons_of(self, rows: Ids, n: int = MAX_WORDS_PER_PAGE) -> list[list[str]]:
        """The words of the pages in some rows, read in batches."""
        if self.explain is not None:
            return self.explain(self.labelled.unlabelled_ids[rows], self.answers[rows], n)
        if self.model is None:
            return [[] for _ in rows]
        words, best = list[list[str]](), self.answers[rows]
        for ids in self.labelled.batches(self.labelled.unlabelled_ids[rows]):
            documents = self.labelled.documents(ids, self.model.main_stemmer)
            numbers = best[len(words) : len(words) + len(ids)]
            words += self.model.document_reasons(documents, n, numbers)
        return words

    def neighbours(self, page: str, n: int = MAX_WORDS_PER_PAGE) -> list[Neighbour]:
        """The pages linked with a page that have its class, examples first, then most certain.

        Classes of pages that are no examples are those that this result gives.
        """
        row = self._find_row(page)
        number, best = int(self.labelled.unlabelled_ids[row]), int(self.answers[row])
        row_of = self._row_of_id
        found = list[Neighbour]()
        for direction, rows in (("out", self.labelled.outlinks), ("in", self.labelled.inlinks)):
            for other in rows.row(number).tolist():
                given = self.labelled.classes[other]
                is_same = (
                    given == self.classes[best] if given else self.answers[row_of[other]] == best
                )
                if is_same:
                    certainty = 1.0 if given else float(self.probabilities[row_of[other], best])
                    name = self.labelled.pages[other]
                    found.append(Neighbour(name, direction, certainty, is_example=bool(given)))
        return sorted(found, key=lambda found: -found.certainty)[:n]

    def shares(self) -> list[ClassShare]:
        """The estimated share of each class among these pages, corrected for classifier error.

        Empty where the method holds no examples out, or has too few of them, and
        where there are more than a hundred classes.
        """
        if self.held_out is None or not len(self) or len(self.classes) > MAX_SHARES:
            return []
        # the same rule for both, which the shares of classes did not change
        answers, held_out = (
            _choose(rows) for rows in (self.probabilities / self._shift, self.held_out)
        )
        return estimate_shares(self.classes, answers, self._truth, held_out)

    @property
    def _shift(self) -> Floats | float:
        return 1.0 if self.shift is None else self.shift

    def next_to_tag(self, n: int = 10) -> list[ClassifiedPage]:
        """The pages whose class would teach most: uncertain, and unlike each other."""
        rows = choose_next_to_tag(self.labelled, self.probabilities, n)
        return [self._row(row) for row in rows.tolist()]

    def learning_curve(self) -> list[CurvePoint]:
        """The estimate with a quarter, a half, three quarters and all of the examples.

        The method runs again for each.
        """
        method = find_method("classify", self.method)

        def run(labelled: LabelledPages) -> CurvePoint | None:
            estimate = cast("Classes", method(labelled, **self.options)).estimate
            count = len(labelled.training_ids)
            if estimate is None:
                return None
            return CurvePoint(count, estimate.accuracy, estimate.macro_f1)

        return learning_curve(self.labelled, run) if len(self.labelled) else []

    @cached_property
    def _row_of_id(self) -> dict[int, int]:
        return {k: row for row, k in enumerate(self.labelled.unlabelled_ids.tolist())}

    @cached_property
    def _row_of_page(self) -> dict[str, int]:
        return {self.labelled.pages[k]: row for k, row in self._row_of_id.items()}

    def _find_row(self, page: str) -> int:
        if page not in self._row_of_page:
            raise UnknownName("classified page", page, list(self._row_of_page))
        return self._row_of_page[page]

    def to_document(
        self,
        *,
        offset: int = 0,
        top: int | None = None,
        reasons: bool = False,
        class_: str = "",
        summary: bool = False,
    ) -> JsonObject:
        """The one JSON of classes; the rows are those of the table.

        With `summary` also the shares of classes, and what may make the
        estimate too good.
        """
        table = self.to_table(offset=offset, top=top, reasons=reasons, class_=class_)
        rows = table.to_pylist()
        for row in rows if reasons else ():
            near = self.neighbours(row["url"], MAX_NEIGHBOURS)
            row |= {
                "words": self.reasons(row["url"]) if self.explain else row["words"].split(),
                "neighbours": [
                    {"url": each.page, "direction": each.direction, "is_example": each.is_example}
                    for each in near
                ],
                "anchors": self.anchors(row["url"]),
            }
        sizes, counts = self.labelled.class_sizes, self.class_counts
        document: JsonObject = to_json_value(
            {
                "method": self.method,
                "level": "page",
                "options": self.options,
                "classes": [
                    {
                        "class": name,
                        "examples": sizes.get(name, 0),
                        "pages": counts[name],
                        "keywords": self.model.keywords(name, MAX_KEYWORDS) if self.model else [],
                    }
                    for name in self.classes
                ],
                "estimate": self.estimate,
                "total": len(self),
                "rows": rows,
                "notes": self.notes,
                "shares": self.summary_table().to_pylist() if summary else [],
                "warnings": self.warnings if summary else [],
                "provenance": self.provenance,
            }
        )
        return document

    @overload
    def __getitem__(self, key: SupportsIndex) -> ClassifiedPage: ...
    @overload
    def __getitem__(self, key: slice) -> list[ClassifiedPage]: ...
    def __getitem__(self, key: SupportsIndex | slice) -> ClassifiedPage | list[ClassifiedPage]:
        if isinstance(key, slice):
            return [self._row(k) for k in self._order[key].tolist()]
        return self._row(int(self._order[key]))

    def _row(self, row: int) -> ClassifiedPage:
        page = self.labelled.pages[int(self.labelled.unlabelled_ids[row])]
        best = int(self.answers[row])
        return ClassifiedPage(page, self.classes[best], float(self.probabilities[row, best]))

    def __iter__(self) -> Iterator[ClassifiedPage]:
        return (self._row(k) for k in self._order.tolist())

    def __len__(self) -> int:
        return len(self.probabilities)

    def __repr__(self) -> str:
        pages = f"{pluralise(len(self), 'page')} by {self.method}"
        if not self.classes:
            return f"<Classes of {pages}: no pages given>"
        counts = [f"{count:,} {name}" for name, count in self.class_counts.items() if count]
        untrained = self.model is None and not len(self.labelled.training_ids)
        missing = "no examples" if untrained else "too few examples for an estimate"
        estimate = self.estimate or missing
        return f"<Classes of {pages}: {', '.join(counts) or 'all have one'}; {estimate}>"
