"""Community and Communities: the result of every community method."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, SupportsIndex, overload

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from weft.core.arrays import Floats, Ids, Offsets
from weft.core.errors import UnknownName
from weft.core.html import page_links, titled_table
from weft.core.tables import MAX_PREVIEW_ROWS, Tabular
from weft.core.text import pluralise
from weft.engine import Trace
from weft.graph.baseset.baseset import BaseSet
from weft.graph.webgraph import WebGraph, to_name_array
from weft.rank.ranking import argsort_descending, round_significant

if TYPE_CHECKING:
    from weft.communities.membership import CommunityMembership

MAX_MATRIX_COMMUNITIES = 50


@dataclass(frozen=True, slots=True, eq=False)
class Community:
    """A group of pages that belong together by their links.

    `members` are page numbers in the base set, ascending, each with its score
    as a centre (`authority`) and as a `hub`. `internal_links` counts the links
    among members, `outgoing_links` those to other pages, `incoming_links` those
    from other pages. `strength` orders communities. `facts` are plain values.
    `evidence` holds page numbers, or links as pairs of page numbers, by name.
    """

    members: Ids
    authority: Floats
    hub: Floats
    internal_links: int
    outgoing_links: int
    incoming_links: int
    strength: float
    label: tuple[str, ...] = ()
    title: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)
    evidence: Mapping[str, npt.NDArray[np.int32]] = field(default_factory=dict)

    def centres(self, k: int = 10) -> Ids:
        """The k best authorities with a positive score, as page numbers in the base set."""
        return self._top_members(self.authority, k)

    def hubs(self, k: int = 10) -> Ids:
        """The k best hubs with a positive score, as page numbers in the base set."""
        return self._top_members(self.hub, k)

    def _top_members(self, scores: Floats, k: int) -> Ids:
        order = argsort_descending(round_significant(scores))
        return self.members[order[scores[order] > 0][:k]]

    def members_by_score(self) -> Ids:
        """All members in descending order of authority, then of hub score."""
        order = np.lexsort((-round_significant(self.hub), -round_significant(self.authority)))
        return self.members[order]

    @property
    def name(self) -> str:
        """The label in one line, or the title if there is no label."""
        return " · ".join(self.label) or self.title

    def __contains__(self, page: int) -> bool:
        at = int(np.searchsorted(self.members, page))
        return at < len(self.members) and int(self.members[at]) == page

    def __len__(self) -> int:
        return len(self.members)

    def __repr__(self) -> str:
        name = f" {self.name!r}" if self.name else ""
        size, links = pluralise(len(self), "page"), pluralise(self.internal_links, "internal link")
        return f"<Community{name}: {size}, {links}>"

    def _repr_html_(self) -> str:
        facts = {
            "title": self.title,
            "internal links": self.internal_links,
            "outgoing links": self.outgoing_links,
            "incoming links": self.incoming_links,
            "strength": self.strength,
            **self.facts,
        }
        rows = [pair for pair in facts.items() if isinstance(pair[1], str | int | float)]
        return titled_table(repr(self).strip("<>"), ["fact", ""], rows)


@dataclass(frozen=True, slots=True, eq=False)
class Communities(Tabular):
    """The communities of a base set, strongest first.

    A sequence: it iterates, indexes and slices. Communities may overlap and
    need not cover all pages. `facts` are single values about all of them, such
    as the modularity; `notes` are sentences on what was capped or left out.

    Examples
    --------
    >>> from weft.communities import modularity
    >>> ring = [("a", "b"), ("b", "c"), ("c", "a")]
    >>> found = modularity([*ring, ("x", "y"), ("y", "x")])
    >>> found, len(found)
    (<2 communities by modularity>, 2)
    >>> found[0]
    <Community: 3 pages, 3 internal links>
    >>> [len(community) for community in found], found[:1] == [found[0]]
    ([3, 2], True)
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
        """The pages of the base set and the links among them."""
        return self.base.graph

    @property
    def labels(self) -> Ids:
        """The community of each page, from zero; -1 for none, the first one of several."""
        labels = np.full(len(self.base), -1, np.int32)
        for number in range(len(self) - 1, -1, -1):
            labels[self.communities[number].members] = number
        return labels

    @property
    def is_overlapping(self) -> bool:
        """Whether some page is in several communities."""
        return int(np.count_nonzero(self.labels >= 0)) < sum(map(len, self.communities))

    def community_numbers(self, page: str) -> Sequence[int]:
        """The numbers, from one, of the communities of a page."""
        number = self.graph.page_number(page)
        return [k for k, community in enumerate(self.communities, start=1) if number in community]

    def explain(self, page: str) -> "CommunityMembership":
        """The communities of a page, its role and neighbours in each, or why it has none."""
        # imported here, because that file imports this one
        from weft.communities.membership import find_community_membership  # noqa: PLC0415

        return find_community_membership(self, page)

    def link_matrix(self, top: int = MAX_MATRIX_COMMUNITIES) -> Offsets:
        """Number of links from each of the first communities (row) to each (column)."""
        # imported here, because that file imports this one
        from weft.communities.build import count_links_between  # noqa: PLC0415

        return count_links_between(self.graph, [c.members for c in self.communities[:top]])

    def links_between(self, source: int, target: int) -> tuple[Ids, Ids]:
        """The sources and targets of the links from one community to another.

        Communities are given by their numbers, from one. Links to the most
        linked target come first; ties in order of page numbers.
        """
        # imported here, because that file imports this one
        from weft.communities.build import links_from_to  # noqa: PLC0415

        return links_from_to(self.graph, self[source - 1].members, self[target - 1].members)

    def to_table(self, name: str = "communities") -> pa.Table:
        """One row per community; per page with `members`, per pair of communities with `matrix`."""
        if name not in TABLE_BUILDERS:
            raise UnknownName("table", name, TABLE_BUILDERS)
        return TABLE_BUILDERS[name](self)

    @overload
    def __getitem__(self, key: SupportsIndex) -> Community: ...
    @overload
    def __getitem__(self, key: slice) -> list[Community]: ...
    def __getitem__(self, key: SupportsIndex | slice) -> Community | list[Community]:
        return list(self.communities[key]) if isinstance(key, slice) else self.communities[key]

    def __iter__(self) -> Iterator[Community]:
        return iter(self.communities)

    def __len__(self) -> int:
        return len(self.communities)

    def __repr__(self) -> str:
        query = f" of {self.base.query!r}" if self.base.query else ""
        name = self.communities[0].name if self.communities else ""
        first = f", first {name!r}" if name else ""
        state = "" if self.trace.converged else ", not converged"
        return f"<{pluralise(len(self), 'community')}{query} by {self.method}{first}{state}>"

    def _repr_html_(self) -> str:
        rows = [
            (
                number,
                community.name,
                len(community),
                page_links(self.base.page_names(community.centres(3))),
                page_links(self.base.page_names(community.hubs(3))),
            )
            for number, community in enumerate(self[:MAX_PREVIEW_ROWS], start=1)
        ]
        columns = ["", "community", f"{self.base.level}s", "centres", "hubs"]
        return titled_table(repr(self).strip("<>"), columns, rows)


def _communities_table(result: Communities) -> pa.Table:
    """One row per community, with its best centre and its best hub."""
    communities, pages = result.communities, result.base.pages

    def first_page(best: Ids) -> str:
        return pages[int(best[0])] if len(best) else ""

    return pa.table(
        {
            "community": pa.array(range(1, len(communities) + 1), pa.int32()),
            "label": pa.array([c.name for c in communities], pa.string()),
            "pages": pa.array([len(c) for c in communities], pa.int64()),
            "internal_links": pa.array([c.internal_links for c in communities], pa.int64()),
            "outgoing_links": pa.array([c.outgoing_links for c in communities], pa.int64()),
            "incoming_links": pa.array([c.incoming_links for c in communities], pa.int64()),
            "strength": pa.array([c.strength for c in communities], pa.float64()),
            "centre": pa.array([first_page(c.centres(1)) for c in communities], pa.string()),
            "hub": pa.array([first_page(c.hubs(1)) for c in communities], pa.string()),
        }
    )


def _members_table(result: Communities) -> pa.Table:
    """One row per member of each community, best first, with its two scores."""
    no_values = np.zeros(0)
    orders = [c.members_by_score() for c in result]
    positions = [np.searchsorted(c.members, o) for c, o in zip(result, orders, strict=True)]
    sizes = [len(order) for order in orders]
    pages = np.concatenate([np.zeros(0, np.int32), *orders])
    places = np.concatenate([no_values, *(np.arange(1, size + 1) for size in sizes)])
    scores = {
        role: np.concatenate(
            [no_values, *(getattr(c, role)[at] for c, at in zip(result, positions, strict=True))]
        )
        for role in ("authority", "hub")
    }
    return pa.table(
        {
            "community": pa.array(np.repeat(np.arange(1, len(sizes) + 1), sizes), pa.int32()),
            "place": pa.array(places.astype(np.int32)),
            "page": to_name_array(result.base.pages).take(pa.array(pages)),
            "authority": pa.array(scores["authority"]),
            "hub": pa.array(scores["hub"]),
        }
    )


def _matrix_table(result: Communities) -> pa.Table:
    """One row per ordered pair of communities with links from one to the other."""
    cells = result.link_matrix()
    source, target = np.nonzero(cells)
    return pa.table(
        {
            "source": pa.array(source + 1, pa.int32()),
            "target": pa.array(target + 1, pa.int32()),
            "links": pa.array(cells[source, target], pa.int64()),
        }
    )


TABLE_BUILDERS: dict[str, Callable[[Communities], pa.Table]] = {
    "communities": _communities_table,
    "members": _members_table,
    "matrix": _matrix_table,
}
