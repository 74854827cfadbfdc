"""Where a page stands among communities: in which, as what, through whom, or why in none."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from weft.communities.community import Communities, Community
from weft.core.arrays import Floats, Ids, Rows
from weft.core.tabular import Tabular
from weft.core.wording import address, count
from weft.rank.ranking import best_first, rounded

SHOWN = 5


@dataclass(frozen=True, slots=True)
class Membership:
    """What a page is in one community.

    `centre` and `hub` are its places among the members, from one, and zero
    where it scores nothing. `linked_from` and `links_to` are members it is
    linked with, best first; `inside_in` and `inside_out` count all of them.
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
class Place(Tabular):
    """What communities say of one page; `alone` says why it is in none.

    `links_in` and `links_out` count its links with all pages. `elsewhere`
    holds, by number of community, the links it has with those it is not in.
    """

    page: str
    found: tuple[Membership, ...]
    links_in: int
    links_out: int
    elsewhere: tuple[tuple[int, int], ...]
    alone: str = ""

    def lines(self) -> Iterator[str]:
        """All of it in words, a line each."""
        yield f"{self.page}: {count(self.links_in, 'link')} in, {self.links_out:,} out"
        if self.alone:
            yield self.alone
        for one in self.found:
            named = f" ({one.label})" if one.label else ""
            roles = [
                f"{role} {at:,}" for role, at in (("centre", one.centre), ("hub", one.hub)) if at
            ]
            yield f"community {one.community}{named}: {', '.join(roles) or 'member'}"
            yield f"  {one.inside_in:,} of its links in and {one.inside_out:,} out are inside"
            for sign, pages in (("←", one.linked_from), ("→", one.links_to)):
                yield from (f"  {sign} {address(page)}" for page in pages)
        for number, links in self.elsewhere[:SHOWN]:
            yield f"also {count(links, 'link')} with community {number}"

    def to_table(self) -> pa.Table:
        """One row per community of the page."""
        names = [name for name in MEMBERSHIP.names if name not in ("linked_from", "links_to")]
        rows = [
            {name: getattr(one, name) for name in names}
            | {"linked_from": list(one.linked_from), "links_to": list(one.links_to)}
            for one in self.found
        ]
        return pa.Table.from_pylist(rows, schema=MEMBERSHIP)

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def __repr__(self) -> str:
        homes = ", ".join(f"community {one.community}" for one in self.found)
        return f"<{self.page}: {homes or self.alone}>"


MEMBERSHIP = pa.schema(
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


def place(found: Communities, page: str) -> Place:
    """Where a page stands, by its name."""
    graph = found.graph
    number = int(graph.numbers([page])[0])
    into, out = (_ends(rows, number) for rows in (graph.inlinks, graph.outlinks))
    homes = [(k, c) for k, c in enumerate(found.communities, start=1) if number in c]
    inside = tuple(_membership(found, k, home, number, (into, out)) for k, home in homes)
    homely = {k for k, _ in homes}
    near = np.bincount(found.labels[np.concatenate([into, out])] + 1, minlength=len(found) + 1)[1:]
    others = [(k + 1, int(near[k])) for k in np.argsort(-near, kind="stable") if near[k]]
    elsewhere = tuple(pair for pair in others if pair[0] not in homely)
    alone = "" if homes else _solitude(len(into) + len(out), found.method)
    return Place(page, inside, len(into), len(out), elsewhere, alone)


def _solitude(links: int, method: str) -> str:
    if not links:
        return "in no community: no link that counts leads to it or from it"
    return f"in no community: {method} finds none that it belongs to"


def _ends(rows: Rows, number: int) -> Ids:
    return np.asarray(rows.ids[rows.starts[number] : rows.starts[number + 1]])


def _membership(
    found: Communities, number: int, home: Community, page: int, ends: tuple[Ids, Ids]
) -> Membership:
    sources, targets = (np.intersect1d(each, home.members) for each in ends)
    return Membership(
        number,
        home.name,
        _standing(home, home.authority, page),
        _standing(home, home.hub, page),
        len(sources),
        len(targets),
        _best(found, home, sources, by="hub"),
        _best(found, home, targets, by="authority"),
    )


def _standing(home: Community, scores: Floats, page: int) -> int:
    at = int(np.searchsorted(home.members, page))
    if scores[at] <= 0:
        return 0
    return int(np.flatnonzero(best_first(rounded(scores)) == at)[0]) + 1


def _best(found: Communities, home: Community, pages: Ids, *, by: str) -> tuple[str, ...]:
    scores = getattr(home, by)[np.searchsorted(home.members, pages)]
    best = pages[np.argsort(-rounded(scores), kind="stable")][:SHOWN]
    return tuple(found.base.named(best))
