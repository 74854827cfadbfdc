"""What every method of this folder returns."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from weft.core.arrays import Floats, Ids, Offsets
from weft.core.errors import UnknownName
from weft.core.markup import card, links
from weft.core.tabular import CARD, Tabular
from weft.core.wording import count
from weft.engine import Trace
from weft.graph.baseset import BaseSet
from weft.graph.webgraph import WebGraph, as_names
from weft.rank.ranking import best_first, rounded

if TYPE_CHECKING:
    from weft.communities.place import Place

CELLS = 50


@dataclass(frozen=True, slots=True, eq=False)
class Community:
    """A group of pages that belong together by their links.

    `members` are numbers of pages in the base set, ascending, with a score as
    a centre (`authority`) and as a hub beside each. `inside` counts the links
    among members, `leaving` those to other pages and `arriving` those from
    them. `strength` orders communities. `facts` are plain values; `evidence`
    holds what speaks for the community: pages by their numbers, or links as
    pairs of numbers, under the name of what they are.
    """

    members: Ids
    authority: Floats
    hub: Floats
    inside: int
    leaving: int
    arriving: int
    strength: float
    label: tuple[str, ...] = ()
    title: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)
    evidence: Mapping[str, npt.NDArray[np.int32]] = field(default_factory=dict)

    def centres(self, k: int = 10) -> Ids:
        """The best pages as numbers in the base set; pages that score nothing are none."""
        return self._best(self.authority, k)

    def hubs(self, k: int = 10) -> Ids:
        """The best hubs as numbers in the base set; pages that score nothing are none."""
        return self._best(self.hub, k)

    def _best(self, scores: Floats, k: int) -> Ids:
        order = best_first(rounded(scores))
        return self.members[order[scores[order] > 0][:k]]

    def order(self) -> Ids:
        """All members, the best centres first, then the best hubs."""
        order = np.lexsort((-rounded(self.hub), -rounded(self.authority)))
        return self.members[order]

    @property
    def name(self) -> str:
        """The label in one line."""
        return " · ".join(self.label) or self.title

    def __contains__(self, page: int) -> bool:
        at = int(np.searchsorted(self.members, page))
        return at < len(self.members) and int(self.members[at]) == page

    def __len__(self) -> int:
        return len(self.members)

    def __repr__(self) -> str:
        named = f" {self.name!r}" if self.name else ""
        return (
            f"<Community{named}: {count(len(self), 'page')}, {count(self.inside, 'link')} inside>"
        )

    def _repr_html_(self) -> str:
        links = {"links inside": self.inside, "leaving": self.leaving, "arriving": self.arriving}
        told = {"title": self.title, **links, "strength": self.strength, **self.facts}
        rows = [pair for pair in told.items() if isinstance(pair[1], str | int | float)]
        return card(repr(self).strip("<>"), ["fact", ""], rows)


@dataclass(frozen=True, slots=True, eq=False)
class Communities(Tabular):
    """The communities of a base set, the one that matters most first.

    They may overlap, and need not take in all pages. `facts` are single values
    about all of them, such as the modularity; `notes` are sentences: what was
    capped or left out, and what follows from it.
    """

    method: str
    base: BaseSet
    communities: tuple[Community, ...]
    trace: Trace
    facts: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)

    @property
    def graph(self) -> WebGraph:
        """The pages and the links among them."""
        return self.base.graph

    @property
    def labels(self) -> Ids:
        """The community of each page, from zero, and -1 for none; the first where it is in many."""
        home = np.full(len(self.base), -1, np.int32)
        for number in range(len(self) - 1, -1, -1):
            home[self.communities[number].members] = number
        return home

    @property
    def overlapping(self) -> bool:
        """Whether a page is in several communities."""
        return int(np.count_nonzero(self.labels >= 0)) < sum(map(len, self.communities))

    def of(self, page: str) -> Sequence[int]:
        """The numbers, from one, of the communities that a page is in."""
        number = self.graph.number(page)
        return [k for k, found in enumerate(self.communities, start=1) if number in found]

    def explain(self, page: str) -> "Place":
        """In which communities a page is, as what and through whom; or why in none."""
        from weft.communities.place import place  # noqa: PLC0415  which is made of communities

        return place(self, page)

    def matrix(self, top: int = CELLS) -> Offsets:
        """How many links lead from each of the first communities (row) to each (column)."""
        from weft.communities.partition import links_between  # noqa: PLC0415  as above

        return links_between(self.graph, [found.members for found in self.communities[:top]])

    def links(self, source: int, target: int) -> tuple[Ids, Ids]:
        """The links of a cell of the matrix: their pages, and where they lead.

        Communities are told by their numbers, from one. What most of the links
        lead to comes first; equals by their numbers.
        """
        from weft.communities.partition import links_from  # noqa: PLC0415  as above

        return links_from(self.graph, self[source - 1].members, self[target - 1].members)

    def to_table(self, name: str = "communities") -> pa.Table:
        """One row per community, per `members` page of one, or per cell of the `matrix`."""
        if name not in TABLES:
            raise UnknownName("table", name, TABLES)
        return TABLES[name](self)

    def __getitem__(self, at: int) -> Community:
        return self.communities[at]

    def __iter__(self) -> Iterator[Community]:
        return iter(self.communities)

    def __len__(self) -> int:
        return len(self.communities)

    def __repr__(self) -> str:
        about = f" of {self.base.query!r}" if self.base.query else ""
        named = self.communities[0].name if self.communities else ""
        first = f", first {named!r}" if named else ""
        many = count(len(self), "community")
        return f"<{many}{about} by {self.method}{first}>"

    def _repr_html_(self) -> str:
        rows = [
            (
                number,
                found.name,
                len(found),
                links(self.base.named(found.centres(3))),
                links(self.base.named(found.hubs(3))),
            )
            for number, found in enumerate(self.communities[:CARD], start=1)
        ]
        columns = ["", "community", f"{self.base.level}s", "centres", "hubs"]
        return card(repr(self).strip("<>"), columns, rows)


def _summary(found: Communities) -> pa.Table:
    """Each community in a row, with its best centre and its best hub."""
    each, pages = found.communities, found.base.pages

    def first(best: Ids) -> str:
        return pages[int(best[0])] if len(best) else ""

    return pa.table(
        {
            "community": pa.array(range(1, len(each) + 1), pa.int32()),
            "label": pa.array([c.name for c in each], pa.string()),
            "pages": pa.array([len(c) for c in each], pa.int64()),
            "inside": pa.array([c.inside for c in each], pa.int64()),
            "leaving": pa.array([c.leaving for c in each], pa.int64()),
            "arriving": pa.array([c.arriving for c in each], pa.int64()),
            "strength": pa.array([c.strength for c in each], pa.float64()),
            "centre": pa.array([first(c.centres(1)) for c in each], pa.string()),
            "hub": pa.array([first(c.hubs(1)) for c in each], pa.string()),
        }
    )


def _members(found: Communities) -> pa.Table:
    """Each member of each community in a row, best first, with its two scores."""
    orders = [c.order() for c in found.communities]
    sizes = [len(order) for order in orders]
    pages = np.concatenate([np.zeros(0, np.int32), *orders])
    at = [np.searchsorted(c.members, o) for c, o in zip(found.communities, orders, strict=True)]
    nothing = np.zeros(0)
    scores = {
        role: np.concatenate(
            [nothing, *(getattr(c, role)[i] for c, i in zip(found.communities, at, strict=True))]
        )
        for role in ("authority", "hub")
    }
    places = np.concatenate([nothing, *(np.arange(1, size + 1) for size in sizes)])
    return pa.table(
        {
            "community": pa.array(np.repeat(np.arange(1, len(sizes) + 1), sizes), pa.int32()),
            "place": pa.array(places.astype(np.int32)),
            "page": as_names(found.base.pages).take(pa.array(pages)),
            "authority": pa.array(scores["authority"]),
            "hub": pa.array(scores["hub"]),
        }
    )


def _cells(found: Communities) -> pa.Table:
    """Each pair of communities with links from one to the other in a row."""
    cells = found.matrix()
    source, target = np.nonzero(cells)
    return pa.table(
        {
            "source": pa.array(source + 1, pa.int32()),
            "target": pa.array(target + 1, pa.int32()),
            "links": pa.array(cells[source, target], pa.int64()),
        }
    )


TABLES: dict[str, Callable[[Communities], pa.Table]] = {
    "communities": _summary,
    "members": _members,
    "matrix": _cells,
}
