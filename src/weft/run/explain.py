"""Say which links brought a page its score."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.errors import BadParameter, WeftError
from weft.core.tabular import Tabular
from weft.core.validate import validated
from weft.gather.url import site
from weft.graph.baseset import BaseSet
from weft.graph.expand import expand
from weft.graph.neighbours import neighbours
from weft.graph.options import UNFILTERED, BaseOptions, End
from weft.graph.webgraph import as_names
from weft.rank.parts import Why
from weft.rank.ranking import Ranking, rounded
from weft.run.analyse import View, refuse_idle
from weft.store.collection import Collection

Group = Literal["page", "site", "anchor"]
NO_WORDS = "(no words)"
AROUND = frozenset({"root", "steps", "between"})  # what readers around a page do not go by
Said = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True, eq=False)
class Explanation(Tabular):
    """A page's score taken apart: by linking page, by site, or by the words of the links.

    `place` is the best place that the score gives among `of` pages.
    """

    why: Why
    method: str
    by: str
    place: int
    of: int
    read_said: Callable[[], Said] | None = field(default=None, repr=False)

    @validated
    def table(self, group: Group = "page") -> pa.Table:
        """What each page, site or anchor brought, and the rest; the amounts add up to the score."""
        if group == "anchor":
            return self.why.grouped(self._anchors())
        return self.why.grouped((lambda name: [site(name)]) if group == "site" else lambda n: [n])

    def _anchors(self) -> Callable[[str], Sequence[str]]:
        if self.read_said is None:
            raise BadParameter("links between hosts or domains say nothing", hint="explain a page")
        said = self.read_said()
        return lambda name: said.get(name) or [NO_WORDS]

    def to_table(self) -> pa.Table:
        """What each page brought, and the rest."""
        return self.table()

    def __repr__(self) -> str:
        return (
            f"<{self.why.page} scores {self.why.score:.4g} by {self.method}, "
            f"place {self.place:,} of {self.of:,}>"
        )


def explain(collection: Collection, ranking: Ranking, page: str, by: str = "") -> Explanation:
    """Take a page's score apart; `page` is as the ranking names it."""
    number = int(pc.index(as_names(ranking.pages), page).as_py())
    if number < 0:
        raise WeftError(
            f"{page} is not among the {len(ranking):,} that were ranked",
            hint="leave out the query or the stop-list, or check the level",
        )
    why = ranking.why(page, by)
    values = rounded(ranking.score(by))
    place = int(np.sum(values > values[number])) + 1
    name = by or next(iter(ranking.scores))
    at_pages = ranking.level == "page"
    read = (lambda: anchors(collection, page, why.names)) if at_pages else None
    return Explanation(why, ranking.method, name, place, len(ranking), read)


def anchors(collection: Collection, page: str, others: Sequence[str]) -> dict[str, list[str]]:
    """What the links between a page and others say, by the other page.

    They are links into the page, or out of it where the others are those it
    links to.
    """
    number, wanted = collection.find(page), set(others)
    best: dict[str, list[str]] = {}
    ends: tuple[End, ...] = ("in", "out")
    for end in ends:
        found: defaultdict[str, list[str]] = defaultdict(list)
        for row in neighbours(collection, number, end).to_pylist():
            if row["url"] in wanted:
                found[row["url"]].append(row["anchor"] or NO_WORDS)
        if len(found) > len(best):
            best = dict(found)
    return best


def readers(
    collection: Collection, page: str, query: str = "", base: BaseOptions = UNFILTERED
) -> BaseSet:
    """The pages whose readers may come upon a page: those of a query, or those around it."""
    refuse_idle(View("page", query, base), AROUND, UNFILTERED)
    if query or base.pages:
        return expand(collection, query, base)
    return expand(collection, "", base, pages=(page,), steps=2, between="page")
