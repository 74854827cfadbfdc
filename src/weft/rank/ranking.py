"""`Ranking`, the result of every ranking method, and how scores are ordered."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, SupportsIndex, overload

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import (
    CSR,
    Floats,
    Ids,
    argsort_descending,
    count_better,
    round_significant,
    top_k_scores,
)
from weft.core.errors import BadParameter, UnknownName
from weft.core.html import titled_table
from weft.core.json import JsonObject, to_json_value
from weft.core.register import validate_call
from weft.core.tables import MAX_PREVIEW_ROWS, Tabular
from weft.core.text import pluralise
from weft.engine import Trace
from weft.graph.selection import Level
from weft.graph.webgraph import to_name_array


@dataclass(frozen=True, slots=True, eq=False)
class ScoreBreakdown:
    """The score of one page, split by neighbour and other sources; the amounts add up to it."""

    page: str
    score: float
    neighbours: Sequence[str]
    amounts: Floats
    other_sources: Mapping[str, float]

    def to_table(self) -> pa.Table:
        """One row per neighbour or other source, largest amount first."""
        return self.group_by(lambda name: [name]).drop_columns(["pages"])

    def group_by(self, groups_of: Callable[[str], Sequence[str]]) -> pa.Table:
        """One row per group of neighbours or other source, largest amount first.

        `groups_of` gives one or more groups for each neighbour, whose amount is
        split equally among them. The column `pages` counts the neighbours in a
        group; other sources are in parentheses.
        """
        amounts: defaultdict[str, float] = defaultdict(float)
        pages: Counter[str] = Counter()
        for name, amount in zip(self.neighbours, self.amounts.tolist(), strict=True):
            groups = groups_of(name)
            pages.update(set(groups))
            for group in groups:
                amounts[group] += amount / len(groups)
        rows = [(group, pages[group], amount) for group, amount in amounts.items()]
        rows += [(f"({source})", 0, amount) for source, amount in self.other_sources.items()]
        rows.sort(key=lambda row: (-row[2], row[0]))
        share = [amount / self.score if self.score else 0.0 for *_, amount in rows]
        return pa.table(
            {
                "from": pa.array([group for group, *_ in rows], pa.string()),
                "pages": pa.array([count for _, count, _ in rows], pa.int64()),
                "amount": pa.array([amount for *_, amount in rows], pa.float64()),
                "share": pa.array(share, pa.float64()),
            }
        )

    def __repr__(self) -> str:
        links = pluralise(len(self.neighbours), "link")
        return f"<ScoreBreakdown of {self.page}: {self.score:.4g} from {links}>"


class LazyContributions(Mapping[str, "Contributions"]):
    """The contributions to several scores, computed when one of them is first read."""

    def __init__(
        self, compute: Callable[[], Mapping[str, "Contributions"]], score_names: Iterable[str]
    ) -> None:
        self.compute, self.score_names = cache(compute), tuple(score_names)

    def __getitem__(self, name: str) -> "Contributions":
        return self.compute()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.score_names)

    def __len__(self) -> int:
        return len(self.score_names)


@dataclass(frozen=True, slots=True, eq=False)
class Contributions:
    """A score as a sum over links: `values[i] * weight(i, j) * scale[j]`, plus other sources.

    `links` are the links that count, in rows by the page j that is scored:
    `inlinks` for an authority, `outlinks` for a hub. `values` has an entry per
    page i at the other end, or with `per_link` one per link in the order of
    `links.ids`. Link weights count only if `weighted`.
    """

    links: CSR
    values: Floats
    scale: Floats | None = None
    weighted: bool = False
    per_link: bool = False
    other_sources: Mapping[str, Floats] = field(default_factory=dict)

    def for_page(self, page_id: int, pages: Sequence[str], score: float) -> ScoreBreakdown:
        """Split the score of one page."""
        row = slice(int(self.links.starts[page_id]), int(self.links.starts[page_id + 1]))
        ids = np.array(self.links.ids[row])
        amounts = self.values[row] if self.per_link else self.values[ids]
        if self.weighted and self.links.weights is not None:
            amounts = amounts * self.links.weights[row]
        if self.scale is not None:
            amounts = amounts * self.scale[page_id]
        others = {source: float(values[page_id]) for source, values in self.other_sources.items()}
        names = [pages[int(i)] for i in ids]
        return ScoreBreakdown(pages[page_id], score, names, np.asarray(amounts, float), others)

    def multiply(self, factor: float) -> "Contributions":
        """The contributions to the score times `factor`."""
        others = {source: amount * factor for source, amount in self.other_sources.items()}
        return replace(self, values=self.values * factor, other_sources=others)


@dataclass(frozen=True, slots=True)
class Certainty:
    """Whether the solution is unique, and how close the next one is.

    `components` counts the connected components that the method cannot compare
    by their links, `multiplicity` those that tie for the leading value, and
    `gap` is the relative gap between the leading value and the next. Unknown
    values are 0 or NaN. `note` is a remark for readers, such as "no links".
    """

    unique: bool = True
    components: int = 0
    multiplicity: int = 0
    gap: float = np.nan
    note: str = ""


def unique_certainty(note: str = "") -> Callable[[], Certainty]:
    """The certainty of a solution that is unique by definition."""
    return cache(lambda: Certainty(note=note))


@dataclass(frozen=True, slots=True)
class RankedPage:
    """A page with its place in a ranking, counted from 1, and its scores by name.

    Pages with equal scores share the best of their places.
    """

    page: str
    place: int
    scores: Mapping[str, float]

    @property
    def score(self) -> float:
        """The score that orders the ranking: the first."""
        return next(iter(self.scores.values()))


@dataclass(frozen=True, slots=True, eq=False)
class Ranking(Tabular):
    """Pages with one or more scores; the first score orders them.

    A ranking iterates over its pages, best first. `ranking[0]` is the best
    page, `ranking[:10]` a list of the ten best and `ranking["http://…"]` the
    page of that name, each a `RankedPage`. An index or slice near the top does
    not sort the whole ranking.

    `contributions` splits a score into what each link adds, and `details` holds
    other results of the method: singular values, likelihoods, factors.

    Examples
    --------
    >>> from weft.engine import CLOSED_FORM
    >>> scores = {"score": np.array([0.2, 0.5, 0.3])}
    >>> ranking = Ranking("toy", ["a", "b", "c"], scores, CLOSED_FORM)
    >>> [row.page for row in ranking]
    ['b', 'c', 'a']
    >>> ranking[0]
    RankedPage(page='b', place=1, scores={'score': 0.5})
    >>> [(row.place, row.page, row.score) for row in ranking[:2]]
    [(1, 'b', 0.5), (2, 'c', 0.3)]
    >>> ranking["a"].place
    3
    """

    method: str
    pages: Sequence[str]
    scores: Mapping[str, Floats]
    trace: Trace
    compute_certainty: Callable[[], Certainty] = field(default_factory=unique_certainty, repr=False)
    contributions: Mapping[str, Contributions] = field(default_factory=dict, repr=False)
    details: Mapping[str, Any] = field(default_factory=dict, repr=False)
    options: Mapping[str, Any] = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)

    @property
    def certainty(self) -> Certainty:
        """Whether the scores are unique; computed on first use, at about the cost of the scores."""
        return self.compute_certainty()

    @property
    def level(self) -> Level:
        """What is ranked: pages, hosts or domains."""
        level: Level = self.provenance.get("level", "page")
        return level

    def order(self, by: str = "") -> Ids:
        """Page numbers from best to worst; ties (to 12 significant digits) keep page order."""
        return argsort_descending(round_significant(self.score(by)))

    @validate_call
    def score(self, by: str = "") -> Floats:
        """The score of a given name, by default the first."""
        name = by or next(iter(self.scores))
        if name not in self.scores:
            raise UnknownName("score", name, (), hint=f"{self.method} has {', '.join(self.scores)}")
        return self.scores[name]

    @validate_call
    def explain(self, page: str, by: str = "") -> ScoreBreakdown:
        """Split a page's score into what each link and other source adds to it."""
        values, name = self.score(by), by or next(iter(self.scores))
        if name not in self.contributions:
            known = ", ".join(self.contributions) or "none of its scores"
            raise BadParameter(
                f"{self.method} cannot explain {name!r}", hint=f"it explains {known}"
            )
        page_id = self._page_id(page)
        return self.contributions[name].for_page(page_id, self.pages, float(values[page_id]))

    def to_table(self, by: str = "") -> pa.Table:
        """One row per page, best first: the page, then a column per score."""
        columns = {name: pa.array(values) for name, values in self.scores.items()}
        return pa.table({"page": to_name_array(self.pages), **columns}).take(
            pa.array(self.order(by))
        )

    def to_document(self, by: str = "", *, offset: int = 0, top: int | None = None) -> JsonObject:
        """The one JSON of a ranking: how it was made, and its rows from `offset` on."""
        stop = len(self) if top is None else min(offset + top, len(self))
        document: JsonObject = to_json_value(
            {
                "method": self.method,
                "level": self.level,
                "query": self.provenance.get("query", ""),
                "options": self.options,
                "by": by or next(iter(self.scores)),
                "scores": list(self.scores),
                "total": len(self),
                "offset": offset,
                "rows": [
                    {"url": row.page, "place": row.place, "scores": row.scores}
                    for row in self._rows(range(offset, stop), by)
                ],
                "trace": self.trace.to_document(),
                "certainty": self.certainty,
                "left_out": self.provenance.get("left_out", []),
                "provenance": self.provenance,
            }
        )
        return document

    def _page_id(self, page: str) -> int:
        page_id = int(pc.index(to_name_array(self.pages), page).as_py())
        if page_id < 0:
            raise UnknownName("page", page, (), hint="names are as the ranking has them")
        return page_id

    def _row(self, page_id: int, place: int) -> RankedPage:
        scores = {name: float(values[page_id]) for name, values in self.scores.items()}
        return RankedPage(self.pages[page_id], place, scores)

    def _rows(self, positions: range, by: str = "") -> Iterator[RankedPage]:
        """Rows at positions of the order, which is sorted only as far as the last of them."""
        if not positions:
            return
        order, values = top_k_scores(self.score(by), max(positions[0], positions[-1]) + 1)
        # the place of a page is the position of the first that is equal to it
        is_first = np.append(True, values[1:] != values[:-1])
        places = np.maximum.accumulate(np.where(is_first, np.arange(1, len(values) + 1), 0))
        for position in positions:
            yield self._row(int(order[position]), int(places[position]))

    def __iter__(self) -> Iterator[RankedPage]:
        # few loops read all rows of a large graph: those that stop soon need no sort
        top = min(len(self), 1000)
        yield from self._rows(range(top))
        yield from self._rows(range(top, len(self)))

    @overload
    def __getitem__(self, key: SupportsIndex | str) -> RankedPage: ...
    @overload
    def __getitem__(self, key: slice) -> list[RankedPage]: ...
    def __getitem__(self, key: SupportsIndex | str | slice) -> RankedPage | list[RankedPage]:
        if isinstance(key, slice):
            return list(self._rows(range(len(self))[key]))
        if isinstance(key, str):
            page_id = self._page_id(key)
            return self._row(page_id, count_better(self.score(), page_id) + 1)
        position = range(len(self))[key]
        return next(self._rows(range(position, position + 1)))

    def __contains__(self, page: object) -> bool:
        name = page.page if isinstance(page, RankedPage) else page
        return isinstance(name, str) and pc.index(to_name_array(self.pages), name).as_py() >= 0

    def __len__(self) -> int:
        return len(self.pages)

    def __repr__(self) -> str:
        first = next(iter(self.scores.values()))
        lead = f", led by {self.pages[int(first.argmax())]}" if len(self) else ""
        state = "" if self.trace.converged else ", not converged"
        return f"<Ranking of {pluralise(len(self), self.level)} by {self.method}{lead}{state}>"

    def _repr_html_(self) -> str:
        rows = [(row.place, row.page, *row.scores.values()) for row in self[:MAX_PREVIEW_ROWS]]
        source = self.provenance.get("collection", "")
        return titled_table(repr(self).strip("<>"), ["", self.level, *self.scores], rows, source)
