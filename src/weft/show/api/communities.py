"""Answers about communities: all of a part of the graph, one with its members, those of a page."""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from weft.communities import Agora, Communities
from weft.communities import Community as FoundCommunity
from weft.core.arrays import Floats, Ids, Offsets, Rows
from weft.core.documents import plain
from weft.core.errors import UnknownName
from weft.graph.among import places
from weft.run.analyse import View
from weft.run.grouping import found_before
from weft.show.api.desk import Desk, frozen
from weft.show.api.files import File, table_file
from weft.show.api.questions import (
    Agreeing,
    GroupLinks,
    GroupMap,
    Groups,
    OneGroup,
    PageGroups,
)
from weft.show.api.rankings import VIEW, told
from weft.show.api.shapes import Left, Named
from weft.show.api.surveyed import (
    CommunitiesFound,
    CommunitiesOfPage,
    Community,
    CommunityFound,
    Elsewhere,
    Looked,
    Matrix,
    Meeting,
    Member,
    Membership,
    Proof,
    Tie,
)

CELLS = 30
FEW, MANY = 5, 50
TIES = 20
WAYS = ("linked_from", "links_to")
NOT_YET = "the communities were not found yet: ask without kept=true to have them found"
NOT_THERE = "in no community: it is not among the pages looked at"
Question = Groups | OneGroup | PageGroups | GroupMap | GroupLinks | Agreeing
Names = Mapping[int, dict[str, str]]


def communities(desk: Desk, ask: Groups) -> CommunitiesFound | File:
    """Groups of pages that link among themselves, each with centres, hubs and links."""
    found = grouped(desk, ask)
    if ask.format != "json":
        table = found.to_table(ask.table) if ask.table else found.to_table()
        name = ask.table or ("agora" if isinstance(found, Agora) else "communities")
        return table_file(table, desk.file(ask.format), f"{found.method}-{name}")
    first = list(enumerate(found.communities[: ask.communities], start=1))
    meetings = found.between[: ask.communities] if isinstance(found, Agora) else ()
    shown = [page for _, one in first for page in _spoken_of(one, ask.top, FEW)]
    shown += [np.array([each.page, *each.archives], np.int32) for each in meetings]
    names = names_of(desk, found, shown)
    provenance = dict(found.provenance)
    cells = desk.recall(("cells", _key(ask)), lambda: found.matrix(CELLS))
    return CommunitiesFound(
        snapshot=desk.snapshot,
        method=found.method,
        level=ask.level,
        query=ask.query,
        options=plain(found.options),
        facts=plain(found.facts),
        notes=[note for note in (provenance["note"], *found.notes) if note],
        base=Looked(**provenance["base"]),
        left_out=[Left(**left) for left in provenance["left_out"]],
        total=len(found),
        inside=int(np.count_nonzero(found.labels >= 0)),
        overlapping=found.overlapping,
        communities=[_community(number, one, ask.top, FEW, names) for number, one in first],
        matrix=Matrix(
            communities=list(range(1, len(cells) + 1)),
            labels=[one.name for one in found.communities[:CELLS]],
            cells=cells.tolist(),
        ),
        between=[
            Meeting(
                **names[each.page],
                communities=list(each.communities),
                through=[Named(**names[page]) for page in each.archives],
                inlinks=each.inlinks,
                pagerank=each.pagerank,
            )
            for each in meetings
        ],
        provenance=told(provenance),
    )


def grouped(desk: Desk, ask: Question, other: str = "") -> Communities:
    """All communities of a view by a method, or by another with its usual options; found once."""
    view = {name: getattr(ask, name) for name in VIEW}
    method, options = (other, {}) if other else (ask.method_name, ask.chosen)
    return desk.recall(
        _key(ask, other), lambda: desk.workspace.communities(method=method, **view, **options)
    )


def kept(desk: Desk, ask: Question) -> Communities | None:
    """The same if they were found before; else none."""
    if _key(ask) not in desk.known:
        view = View.of(ask.level, ask.query, ask.without, ask.between)
        found = found_before(desk.collection, view, ask.method_name, ask.chosen)
        if found is None:
            return None
        desk.recall(_key(ask), lambda: found)
    return grouped(desk, ask)


def _key(ask: Question, other: str = "") -> Hashable:
    view = {name: getattr(ask, name) for name in VIEW}
    options = {} if other else ask.chosen
    return ("communities", other or ask.method_name, frozen(view), frozen(options))


def chosen(found: Communities, number: int) -> FoundCommunity:
    """One community by its number, from one."""
    if number > len(found):
        known = f"there are {len(found)}" if len(found) else "there are none"
        raise UnknownName("community", str(number), (), hint=known)
    return found[number - 1]


def _spoken_of(one: FoundCommunity, top: int, proofs: int) -> list[Ids]:
    return [one.centres(top), one.hubs(top), *(e[:proofs].ravel() for e in one.evidence.values())]


def names_of(desk: Desk, found: Communities, pages: Iterable[Ids]) -> Names:
    """Page, title and kind of pages by their numbers in the base set, all looked up at once."""
    every = np.unique(np.concatenate([np.zeros(0, np.int32), *pages]))
    return dict(zip(every.tolist(), desk.inside(found.base, every), strict=True))


def _community(number: int, one: FoundCommunity, top: int, proofs: int, names: Names) -> Community:
    return Community(
        community=number,
        label=one.name,
        terms=list(one.label),
        title=one.title,
        pages=len(one),
        inside=one.inside,
        leaving=one.leaving,
        arriving=one.arriving,
        strength=plain(float(one.strength)),
        facts=plain(one.facts),
        centres=_members(one, one.centres(top), names),
        hubs=_members(one, one.hubs(top), names),
        evidence=[
            Proof(
                what=what,
                total=len(every),
                rows=[
                    [Named(**names[page]) for page in np.atleast_1d(row).tolist()]
                    for row in every[:proofs]
                ],
            )
            for what, every in one.evidence.items()
        ],
    )


def _members(one: FoundCommunity, pages: Ids, names: Names) -> list[Member]:
    at = np.searchsorted(one.members, pages)

    def score(values: Floats) -> list[float]:
        return [float(value) for value in values[at]]

    rows = zip(pages.tolist(), score(one.authority), score(one.hub), strict=True)
    return [Member(**names[page], authority=a, hub=h) for page, a, h in rows]


def one(desk: Desk, ask: OneGroup) -> CommunityFound | File:
    """One community with its members, the best centres first."""
    found = grouped(desk, ask)
    own = chosen(found, ask.community)
    if ask.format != "json":
        table = _alone(found, own).to_table("members").drop_columns(["community"])
        return table_file(table, desk.file(ask.format), f"community-{ask.community}")
    pages = own.order()[ask.offset : ask.offset + ask.top]
    names = names_of(desk, found, [pages, *_spoken_of(own, MANY, MANY)])
    return CommunityFound(
        snapshot=desk.snapshot,
        community=_community(ask.community, own, MANY, MANY, names),
        ties=_ties(found, ask.community),
        total=len(own),
        offset=ask.offset,
        rows=_members(own, pages, names),
    )


def _alone(found: Communities, one: FoundCommunity) -> Communities:
    return Communities(found.method, found.base, (one,), found.trace)


def _ties(found: Communities, number: int) -> list[Tie]:
    """The communities with most links to one or from it; a page in several counts in the first."""
    own, home = found[number - 1], found.labels

    def ends(rows: Rows) -> Offsets:
        at, _ = places(rows, own.members)
        others = home[np.asarray(rows.ids[at])]
        return np.bincount(others[others >= 0], minlength=len(found)).astype(np.int64)

    to, by = ends(found.graph.outlinks), ends(found.graph.inlinks)
    both = to + by
    both[number - 1] = 0
    best = np.argsort(-both, kind="stable")[:TIES]
    return [
        Tie(community=k + 1, label=found[k].name, to=int(to[k]), by=int(by[k]))
        for k in best[both[best] > 0].tolist()
    ]


def of_page(desk: Desk, ask: PageGroups) -> CommunitiesOfPage:
    """The communities that a page is in, as what and through whom; or why it is in none."""
    page = desk.named(ask.url, ask.level)
    found = kept(desk, ask) if ask.kept else grouped(desk, ask)
    about: dict[str, Any] = {"snapshot": desk.snapshot, "page": page, "level": ask.level}
    if found is None or found.graph.number(page) < 0:
        return CommunitiesOfPage(
            **about,
            known=found is not None,
            links_in=0,
            links_out=0,
            rows=[],
            elsewhere=[],
            alone=NOT_YET if found is None else NOT_THERE,
        )
    place = found.explain(page)
    return CommunitiesOfPage(
        **about,
        known=True,
        links_in=place.links_in,
        links_out=place.links_out,
        rows=[
            Membership(
                **asdict(one) | {way: desk.names(getattr(one, way), ask.level) for way in WAYS}
            )
            for one in place.found
        ],
        elsewhere=[
            Elsewhere(community=k, label=found[k - 1].name, links=links)
            for k, links in place.elsewhere[:TIES]
        ],
        alone=place.alone,
    )
