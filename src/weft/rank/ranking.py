"""What every ranking method returns."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import Floats, Ids
from weft.core.errors import BadParameter, UnknownName
from weft.core.markup import card
from weft.core.tabular import CARD, Tabular
from weft.core.validate import validated
from weft.core.wording import count
from weft.engine import Trace
from weft.graph.options import Level
from weft.graph.webgraph import as_names
from weft.rank.parts import Parts, Why


@dataclass(frozen=True, slots=True)
class Certainty:
    """Whether the answer is the only one, and how near another comes.

    `components` is how many parts of the graph cannot be compared by their
    links, as the method sees them; `multiplicity` how many of them tie for the
    answer; `gap` how far the leading value stands above the next, as a share
    of it. What is not known is zero or not a number. `note` says in words what
    a reader must know, such as that there are no links at all.
    """

    unique: bool = True
    components: int = 0
    multiplicity: int = 0
    gap: float = np.nan
    note: str = ""


def certain(note: str = "") -> Callable[[], Certainty]:
    """The certainty of an answer that is unique by its definition."""
    return cache(lambda: Certainty(note=note))


@dataclass(frozen=True, slots=True, eq=False)
class Ranking(Tabular):
    """Pages with one or more scores; the first score orders them.

    `parts` says for a score what each link brought to it, and `details` holds
    what else the method found: singular values, likelihoods, factors.
    """

    method: str
    pages: Sequence[str]
    scores: Mapping[str, Floats]
    trace: Trace
    look: Callable[[], Certainty] = field(default_factory=certain, repr=False)
    parts: Mapping[str, Parts] = field(default_factory=dict, repr=False)
    details: Mapping[str, Any] = field(default_factory=dict, repr=False)
    options: Mapping[str, Any] = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)

    @property
    def certainty(self) -> Certainty:
        """Whether the answer is the only one; found when first asked for, at the cost of scores."""
        return self.look()

    @property
    def level(self) -> Level:
        """What was ranked: pages, hosts or domains."""
        level: Level = self.provenance.get("level", "page")
        return level

    def order(self, by: str = "") -> Ids:
        """Page numbers from best to worst; ties (to twelve digits) keep page order."""
        return best_first(rounded(self.score(by)))

    @validated
    def score(self, by: str = "") -> Floats:
        """One of the scores by its name; the first where none is named."""
        name = by or next(iter(self.scores))
        if name not in self.scores:
            raise UnknownName("score", name, (), hint=f"{self.method} has {', '.join(self.scores)}")
        return self.scores[name]

    @validated
    def why(self, page: str, by: str = "") -> Why:
        """What each link brought to a page's score; with the rest it adds up to the score."""
        values, name = self.score(by), by or next(iter(self.scores))
        if name not in self.parts:
            known = ", ".join(self.parts) or "none of its scores"
            raise BadParameter(
                f"{self.method} cannot explain {name!r}", hint=f"it explains {known}"
            )
        number = int(pc.index(as_names(self.pages), page).as_py())
        if number < 0:
            raise UnknownName("page", page, (), hint="names are as the ranking has them")
        return self.parts[name].of(number, self.pages, float(values[number]))

    def to_table(self, by: str = "") -> pa.Table:
        """One row per page, best first: the page, then a column per score."""
        columns = {name: pa.array(values) for name, values in self.scores.items()}
        return pa.table({"page": as_names(self.pages), **columns}).take(pa.array(self.order(by)))

    def __len__(self) -> int:
        return len(self.pages)

    def __repr__(self) -> str:
        first = next(iter(self.scores.values()))
        lead = f", led by {self.pages[int(first.argmax())]}" if len(self) else ""
        state = "" if self.trace.converged else ", not converged"
        return f"<Ranking of {count(len(self), self.level)} by {self.method}{lead}{state}>"

    def _repr_html_(self) -> str:
        best = foremost(rounded(self.score()), CARD).tolist()
        rows = [
            (place, self.pages[page], *(float(scores[page]) for scores in self.scores.values()))
            for place, page in enumerate(best, start=1)
        ]
        return card(repr(self).strip("<>"), ["", self.level, *self.scores], rows)


def best_first(values: Floats) -> Ids:
    """Numbers from the largest value to the smallest; equals keep their order."""
    return np.argsort(-values, kind="stable").astype(np.int32)


def foremost(values: Floats, k: int) -> Ids:
    """Numbers of the `k` largest values in their order, without putting all in order.

    Examples
    --------
    >>> foremost(np.array([1.0, 3.0, 2.0, 3.0]), 3).tolist()
    [1, 3, 2]
    """
    if len(values) <= k:
        return best_first(values)
    near = np.flatnonzero(values >= np.partition(values, -k)[-k]).astype(np.int32)
    return near[best_first(values[near])[:k]]


def rounded(values: Floats) -> Floats:
    """Scores to twelve significant digits, so that noise does not tell apart what is equal.

    What is below the twelfth digit of the largest counts as zero.

    Examples
    --------
    >>> rounded(np.array([3.0, 1 / 3, 1e-13, np.inf])).tolist()
    [3.0, 0.333333333333, 0.0, inf]
    """
    size = np.where(np.isfinite(values), np.abs(values), 0.0)
    live = size > 1e-12 * size.max(initial=0)
    scale = 10.0 ** np.minimum(11 - np.floor(np.log10(np.where(live, size, 1.0))), 300)
    digits = np.round(np.where(live, values, 0.0) * scale) / scale
    return np.where(np.isfinite(values), digits, values)
