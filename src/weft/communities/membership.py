"""The communities of one page: its role and neighbours in each, or why it has none."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from weft.communities.community import Communities, Community
from weft.core.arrays import CSR, Floats, Ids
from weft.core.tables import Tabular
from weft.core.text import pluralise, strip_scheme
from weft.rank.ranking import argsort_descending, round_significant

MAX_SHOWN = 5


@dataclass(frozen=True, slots=True)
class CommunityRole:
    """The role of a page in one community.

    `centre` and `hub` are its places by authority and hub score, from one, and
    zero if the score is zero. `inside_in` and `inside_out` count its links from
    and to other members; `linked_from` and `links_to` name the best of these.
    """

    community: int
    label: str
    centre: int
    hub: int
    inside_in: int
    inside_out: int
    linked_from: tuple[str, ...]
    links_to: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CommunityMembership(Tabular):
    """The roles of one page in its communities, or `unassigned_reason` if it has none.

    `links_in` and `links_out` count its links from and to all pages.
    `links_elsewhere` are pairs: a community that the page is not in, and the
    number of links between them.
    """

    page: str
    roles: tuple[CommunityRole, ...]
    links_in: int
    links_out: int
    links_elsewhere: tuple[tuple[int, int], ...]
    unassigned_reason: str = ""

    def lines(self) -> Iterator[str]:
        """The membership as text, line by line."""
        yield f"{self.page}: {pluralise(self.links_in, 'link')} in, {self.links_out:,} out"
        if self.unassigned_reason:
            yield self.unassigned_reason
        for role in self.roles:
            label = f" ({role.label})" if role.label else ""
            places = [
                f"{name} {place:,}"
                for name, place in (("centre", role.centre), ("hub", role.hub))
                if place
            ]
            yield f"community {role.community}{label}: {', '.join(places) or 'member'}"
            yield f"  {role.inside_in:,} of its links in and {role.inside_out:,} out are inside"
            for sign, pages in (("←", role.linked_from), ("→", role.links_to)):
                yield from (f"  {sign} {strip_scheme(page)}" for page in pages)
        for number, links in self.links_elsewhere[:MAX_SHOWN]:
            yield f"also {pluralise(links, 'link')} with community {number}"

    def to_table(self) -> pa.Table:
        """One row per community of the page."""
        names = [name for name in ROLE_SCHEMA.names if name not in ("linked_from", "links_to")]
        rows = [
            {name: getattr(role, name) for name in names}
            | {"linked_from": list(role.linked_from), "links_to": list(role.links_to)}
            for role in self.roles
        ]
        return pa.Table.from_pylist(rows, schema=ROLE_SCHEMA)

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def __repr__(self) -> str:
        communities = ", ".join(f"community {role.community}" for role in self.roles)
        return f"<{self.page}: {communities or self.unassigned_reason}>"


ROLE_SCHEMA = pa.schema(
    {
        "community": pa.int32(),
        "label": pa.string(),
        "centre": pa.int32(),
        "hub": pa.int32(),
        "inside_in": pa.int64(),
        "inside_out": pa.int64(),
        "linked_from": pa.list_(pa.string()),
        "links_to": pa.list_(pa.string()),
    }
)


def find_community_membership(communities: Communities, page: str) -> CommunityMembership:
    """Find the communities of a page by its name."""
    graph = communities.graph
    number = int(graph.page_numbers([page])[0])
    sources, targets = (_neighbours(rows, number) for rows in (graph.inlinks, graph.outlinks))
    own = {k: c for k, c in enumerate(communities, start=1) if number in c}
    roles = tuple(
        _role_in_community(communities, k, community, number, (sources, targets))
        for k, community in own.items()
    )
    # links with each community, by the first community of the neighbour; label -1 goes to bin 0
    neighbour_labels = communities.labels[np.concatenate([sources, targets])]
    links = np.bincount(neighbour_labels + 1, minlength=len(communities) + 1)[1:]
    elsewhere = tuple(
        (k + 1, int(links[k]))
        for k in np.argsort(-links, kind="stable").tolist()
        if links[k] and k + 1 not in own
    )
    reason = "" if own else _unassigned_reason(len(sources) + len(targets), communities.method)
    return CommunityMembership(page, roles, len(sources), len(targets), elsewhere, reason)


def _unassigned_reason(link_count: int, method: str) -> str:
    if not link_count:
        return "in no community: it has no links that count"
    return f"in no community: {method} finds none that it belongs to"


def _neighbours(links: CSR, page_id: int) -> Ids:
    return np.asarray(links.ids[links.starts[page_id] : links.starts[page_id + 1]])


def _role_in_community(
    communities: Communities,
    number: int,
    community: Community,
    page: int,
    neighbours: tuple[Ids, Ids],
) -> CommunityRole:
    sources, targets = (np.intersect1d(pages, community.members) for pages in neighbours)
    return CommunityRole(
        number,
        community.name,
        _rank_in_community(community, community.authority, page),
        _rank_in_community(community, community.hub, page),
        len(sources),
        len(targets),
        _best_linked_members(communities, community, sources, score_field="hub"),
        _best_linked_members(communities, community, targets, score_field="authority"),
    )


def _rank_in_community(community: Community, scores: Floats, page: int) -> int:
    at = int(np.searchsorted(community.members, page))
    if scores[at] <= 0:
        return 0
    return int(np.flatnonzero(argsort_descending(round_significant(scores)) == at)[0]) + 1


def _best_linked_members(
    communities: Communities, community: Community, pages: Ids, *, score_field: str
) -> tuple[str, ...]:
    scores = getattr(community, score_field)[np.searchsorted(community.members, pages)]
    best = pages[np.argsort(-round_significant(scores), kind="stable")][:MAX_SHOWN]
    return tuple(communities.base.page_names(best))
