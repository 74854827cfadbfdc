"""Agora pages: between communities, where these may meet."""

from dataclasses import dataclass, fields, replace
from typing import Annotated, Literal, cast

import numpy as np
import pyarrow as pa
from pydantic import Field

from weft.communities.community import Communities, Community
from weft.core.arrays import Flags, Floats, Ids, stacked, upper
from weft.core.dimensions import Dimensions
from weft.core.methods import find, method
from weft.core.wording import count
from weft.graph.among import places
from weft.graph.baseset import BaseSet
from weft.graph.owners import voters
from weft.rank.pagerank import pagerank
from weft.rank.ranking import best_first, rounded

By = Annotated[
    Literal["hits", "modularity", "friends", "trawling"],
    Field(description="the method that finds the communities"),
]
Archives = Annotated[
    int, Field(ge=1, description="how many pages of highest PageRank speak for a community")
]
Least = Annotated[int, Field(ge=2, description="from how many communities a page must be linked")]
MOSTLY = 0.5
SIDES: tuple[Literal["left"], Literal["right"]] = ("left", "right")


@dataclass(frozen=True, slots=True)
class Meeting:
    """A page between communities: which link to it, and through which of their pages."""

    page: int
    communities: tuple[int, ...]
    archives: tuple[int, ...]
    inlinks: int
    pagerank: float


@dataclass(frozen=True, slots=True, eq=False)
class Agora(Communities):
    """Communities, and the pages between them; the one that most communities link to first.

    `between` holds those pages. The numbers of communities count from one.
    """

    between: tuple[Meeting, ...] = ()

    def to_table(self, name: str = "agora") -> pa.Table:
        """One row per page between communities; or another table, as of `Communities`."""
        if name != "agora":
            return Communities.to_table(self, name)
        pages = self.base.pages
        return pa.table(
            {
                "page": pa.array([pages[m.page] for m in self.between], pa.string()),
                "communities": pa.array([len(m.communities) for m in self.between], pa.int32()),
                "of": pa.array([list(m.communities) for m in self.between], pa.list_(pa.int32())),
                "through": pa.array(
                    [[pages[page] for page in m.archives] for m in self.between],
                    pa.list_(pa.string()),
                ),
                "inlinks": pa.array([m.inlinks for m in self.between], pa.int64()),
                "pagerank": pa.array([m.pagerank for m in self.between], pa.float64()),
            }
        )

    def __repr__(self) -> str:
        many, first = count(len(self.between), "page"), self.between[:1]
        lead = f", first {self.base.pages[first[0].page]}" if first else ""
        return f"<{many} between {count(len(self.communities), 'community')} by agora{lead}>"


@method(
    "communities",
    "agora",
    cites="matsumura2001",
    dimensions=Dimensions(
        model="community",
        metric="PageRank",
        algorithm="PageRank",
        scope="multiple pages",
        applications=("web communities",),
    ),
)
def agora(base: BaseSet, *, by: By = "hits", archives: Archives = 1, least: Least = 2) -> Agora:
    """Find pages that several communities link to, and that belong to none.

    After Matsumura, Ohsawa and Ishizuka, as the survey tells it: the archive
    page of a community is its page of highest PageRank, and an agora page is
    linked from archive pages of two communities or more. Those that more
    communities link to come first, then those with fewer links to them: they
    are new, or not yet known. Communities with the same archive page count as
    one. Pages of the archive pages' own sites are none.
    Where communities take in all pages, a page whose links mostly lead
    elsewhere is a member of none.

    Examples
    --------
    >>> rings = [(f"{c}{i}", f"{c}{(i + 1) % 3}") for c in "pqr" for i in range(3)]
    >>> loops = [(t, s) for s, t in rings]
    >>> meet = [("p0", "x"), ("q0", "x"), ("r0", "x"), ("p0", "y"), ("q0", "y"), ("r1", "y")]
    >>> found = agora([*rings, *loops, *meet], by="modularity")
    >>> found.to_table()["page"].to_pylist()
    ['x', 'y']
    """
    found = cast("Communities", find("communities", by)(base))
    ranks = pagerank(base.graph).scores["score"] if len(base) else np.zeros(0)
    members = firm(found)
    made = meetings(found, members, ranks, archives, least)
    notes = [*found.notes, f"{count(len(found), 'community')} by {by}"]
    told = {f.name: getattr(found, f.name) for f in fields(Communities)}
    told |= {"method": "agora", "notes": tuple(notes), "facts": {"pages between": len(made)}}
    told["communities"] = tuple(
        _with_archives(community, ranks, archives) for community in found.communities
    )
    return Agora(**told, between=made)


def firm(found: Communities) -> Flags:
    """The pages that are in a community; where all are, those whose links mostly stay in theirs."""
    home = found.labels
    inside = home >= 0
    linked = np.diff(found.graph.outlinks.starts) + np.diff(found.graph.inlinks.starts) > 0
    if found.overlapping or not inside[linked].all():
        return inside
    return inside & (staying(found, home) > MOSTLY)


def staying(found: Communities, home: Ids) -> Floats:
    """What share of the links of each page, both ways, stays in its community."""
    n = len(home)
    kept, every = np.zeros(n), np.zeros(n)
    for rows in (found.graph.outlinks, found.graph.inlinks):
        source = rows.owners().astype(np.int64)
        kept += np.bincount(source[home[source] == home[rows.ids]], minlength=n)
        every += np.diff(rows.starts)
    return kept / np.maximum(every, 1)


def archive_pages(community: Community, ranks: Floats, archives: int) -> Ids:
    """The pages of a community with the highest PageRank."""
    return community.members[best_first(rounded(ranks[community.members]))[:archives]]


def _with_archives(community: Community, ranks: Floats, archives: int) -> Community:
    kept = archive_pages(community, ranks, archives)
    return replace(community, evidence={**community.evidence, "archive": kept})


def meetings(
    found: Communities, members: Flags, ranks: Floats, archives: int, least: int
) -> tuple[Meeting, ...]:
    """The pages between communities, of which some pages are firm members."""
    graph = found.graph
    speaking = [archive_pages(community, ranks, archives) for community in found]
    first: dict[bytes, int] = {}
    alike = [first.setdefault(each.tobytes(), k) for k, each in enumerate(speaking)]
    number = np.repeat(alike, [len(each) for each in speaking])
    page = np.concatenate([np.zeros(0, np.int32), *speaking]).astype(np.int32)
    if not len(page):
        return ()
    at, archive = places(graph.outlinks, page)
    who = np.repeat(number, np.diff(graph.outlinks.starts)[page])
    target = np.asarray(graph.outlinks.ids[at])
    owner = voters(graph)
    strange = ~members[target] & ~np.isin(owner[target], owner[page])
    order = np.flatnonzero(strange)[np.argsort(target[strange], kind="stable")]
    who, archive, target = who[order], archive[order], target[order]
    pairs = np.unique(stacked(target, who))
    counts = np.bincount(upper(pairs), minlength=len(graph))
    chosen, into = np.flatnonzero(counts >= least), np.diff(graph.inlinks.starts)
    best = chosen[np.lexsort((chosen, into[chosen], -counts[chosen]))]
    made = []
    edges = [np.searchsorted(target, best, side).tolist() for side in SIDES]
    for k, at, end in zip(best.tolist(), *edges, strict=True):
        homes = tuple((np.unique(who[at:end]) + 1).tolist())
        through = tuple(np.unique(archive[at:end]).tolist())
        made.append(Meeting(k, homes, through, int(into[k]), float(ranks[k])))
    return tuple(made)
