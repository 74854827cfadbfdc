"""Bipartite cores: so many fans that all link to so many centres."""

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pydantic import Field

from weft.core.arrays import Flags, Ids, Offsets, Rows, stacked, upper
from weft.engine.cores import common, cores
from weft.engine.prune import sides
from weft.graph.among import keys
from weft.graph.mirrors import Looks, mirrors
from weft.graph.owners import owners
from weft.graph.rare import rarest
from weft.graph.views import Dropped
from weft.graph.webgraph import Numbers, WebGraph, reverse, rows_of

Fans = Annotated[int, Field(ge=1, le=1000, description="how many fans a core has at least")]
Centres = Annotated[int, Field(ge=2, le=20, description="how many centres a core has")]
Site = Annotated[
    Literal["auto", "domain", "page"],
    Field(
        description="links inside whose pages do not count: of one registrable domain, of nobody, "
        "or (auto) of a domain unless hardly any link leads to another"
    ),
]
Sites = Annotated[int, Field(ge=0, description="a fan links to so many sites at least")]
Popular = Annotated[
    int, Field(ge=0, description="leave out centres with more links from elsewhere; 0: none")
]
Mirrors = Annotated[
    Literal["drop", "keep"],
    Field(description="what becomes of fans nearly all of whose links another fan has"),
]
Nepotism = Annotated[
    Literal["drop", "keep"],
    Field(description="what becomes of cores whose fans are of fewer sites than a core has fans"),
]
Sets = Annotated[
    int, Field(ge=1000, description="how many sets of centres to try before sharing them out")
]
Table = npt.NDArray[np.int32]
BLOCK = 1 << 16
ENOUGH = 0.05


@dataclass(frozen=True, slots=True, eq=False)
class Cleaned:
    """The links that count for cores, and what was told of the others.

    `between` are the links between different sites to pages that are not too
    popular; `outlinks` and `inlinks` those of them that fans have. `owner` is
    the site of each page.
    """

    between: Rows
    outlinks: Rows
    inlinks: Rows
    owner: Ids
    told: tuple[Dropped, ...]

    @property
    def alone(self) -> bool:
        """Whether each page is a site of its own."""
        return len(np.unique(self.owner)) == len(self.owner)


@dataclass(frozen=True, slots=True, eq=False)
class Cores:
    """The centres of each core, a row each; and how they were found.

    `known` are the fans of each by the links that count, `votes` how many
    sites they are from. `counts` tells what each step left out and left;
    `nepotistic` how many cores had fans of too few sites.
    """

    graph: WebGraph
    centres: Table
    known: Rows
    votes: Offsets
    cleaned: Cleaned
    counts: dict[str, int]
    nepotistic: int

    def fans(self, group: Ids, count: int) -> Rows:
        """All pages that link to all centres of a core of each group; of -1 none is asked for.

        Links that the cleaning left out count here.
        """
        asked = np.flatnonzero(group >= 0)
        targets, place = np.unique(self.centres[asked], return_inverse=True)
        sets, followers = (
            place.reshape(len(asked), self.centres.shape[1]).astype(np.int32),
            self._linking(targets),
        )
        found = [np.zeros(0, np.int64)]
        for start in range(0, len(asked), BLOCK):
            fans = common(followers, sets[start : start + BLOCK])
            whose = np.repeat(group[asked[start : start + BLOCK]], np.diff(fans.starts))
            found.append(np.unique(stacked(whose, fans.ids)))
        return rows_of(np.unique(np.concatenate(found)), None, count)

    def _linking(self, targets: Ids) -> Rows:
        """The pages that link to each of some pages."""
        rows = self.graph.outlinks
        number = np.full(len(self.graph), -1, np.int32)
        number[targets] = np.arange(len(targets), dtype=np.int32)
        to = number[rows.ids]
        found = np.flatnonzero(to >= 0)
        source = np.searchsorted(rows.starts, found, side="right") - 1
        return rows_of(np.sort(stacked(to[found], source)), None, len(targets))

    def to_table(self, top: int = 1000) -> pa.Table:
        """One row per core, those with fans of most sites first: its centres and all its fans."""
        order = np.argsort(-self.votes, kind="stable")[:top]
        group = np.full(len(self), -1, np.int32)
        group[order] = np.arange(len(order), dtype=np.int32)
        fans, names = self.fans(group, len(order)), self.graph.names
        starts = np.arange(len(order) + 1) * self.centres.shape[1]
        sides = ((starts, self.centres[order].ravel()), fans[:2])
        columns = [
            pa.LargeListArray.from_arrays(starts, names.take(pa.array(ids)))
            for starts, ids in sides
        ]
        votes = pa.array(self.votes[order], pa.int64())
        return pa.table({"centres": columns[0], "fans": columns[1], "sites": votes})

    def __len__(self) -> int:
        return len(self.centres)

    def __repr__(self) -> str:
        return f"<{len(self):,} cores with {self.centres.shape[1]} centres>"


def find_cores(
    graph: WebGraph,
    *,
    fans: Fans = 3,
    centres: Centres = 3,
    site: Site = "auto",
    sites: Sites = 6,
    popular: Popular = 50,
    mirrors: Mirrors = "drop",
    nepotism: Nepotism = "drop",
    limit: Sets = 2_000_000,
) -> Cores:
    """Every set of so many centres that enough fans of enough sites link to.

    Links are cleaned first. A page can be a fan of one core and a centre of
    another. Cores stand in the order of their centres.

    Examples
    --------
    >>> web = WebGraph.from_links([(fan, page) for fan in "abc" for page in "xyz"])
    >>> find_cores(web, sites=0).to_table().to_pylist()
    [{'centres': ['x', 'y', 'z'], 'fans': ['a', 'b', 'c'], 'sites': 3}]
    """
    cleaned = clean(graph, site, sites, popular)
    if mirrors == "drop":
        cleaned = without_mirrors(cleaned, (fans, centres))
    found = cores(cleaned.outlinks, cleaned.inlinks, (fans, centres), limit)
    known = common(cleaned.inlinks, found.centres)
    votes = voices(known, cleaned.owner, np.arange(len(known.starts) - 1))
    if nepotism == "keep" or (votes >= fans).all():
        return Cores(graph, found.centres, known, votes, cleaned, found.counts, 0)
    kept = votes >= fans
    many = np.where(kept, np.diff(known.starts), 0)
    starts = np.concatenate([[0], np.cumsum(many[kept])])
    some = Rows(starts, known.ids[np.repeat(kept, np.diff(known.starts))])
    lost = int(np.count_nonzero(~kept))
    return Cores(graph, found.centres[kept], some, votes[kept], cleaned, found.counts, lost)


def clean(graph: WebGraph, site: str, sites: int, popular: int) -> Cleaned:
    """Leave out links inside sites, links to popular pages, and links of pages that are no fans."""
    owner, rows, n = owner_of(graph, site), graph.outlinks, len(graph)
    source = rows.owners()
    target, told = np.asarray(rows.ids), []
    own = owner[source] == owner[target]
    if own.any():
        told.append(Dropped("inside one site", 0, int(own.sum())))
        source, target = source[~own], target[~own]
    wide = _sites_linked(source, owner[target], n) >= sites
    often = np.bincount(target, minlength=n)
    loud = often > popular if popular else np.zeros(n, bool)
    if loud.any():
        gone = loud[target]
        told.append(Dropped("too popular to be a centre", int(loud.sum()), int(gone.sum())))
        source, target = source[~gone], target[~gone]
    between = _rows(source, target, n)
    few = (np.diff(between.starts) > 0) & ~wide
    if few.any():
        gone = few[source]
        told.append(
            Dropped(f"linking to fewer than {sites} sites", int(few.sum()), int(gone.sum()))
        )
        source, target = source[~gone], target[~gone]
    out = _rows(source, target, n)
    return Cleaned(between, out, reverse(out, n), owner, tuple(told))


def without_mirrors(cleaned: Cleaned, least: tuple[int, int]) -> Cleaned:
    """Leave out fans that could be in a core, but have nearly all links in common with another.

    Two of the same site are not looked at: cores whose fans are of few sites
    are left out anyway.
    """
    out, into, n = cleaned.outlinks, cleaned.inlinks, len(cleaned.owner)
    fans = np.flatnonzero(sides(out, into, least).fans >= 0).astype(np.int32)
    looks = Looks(cleaned.owner[fans], np.full(len(fans), -1, np.int32))
    copies = fans[mirrors(out, rarest(out, into), fans, looks) >= 0]
    if not len(copies):
        return cleaned
    gone = np.zeros(n, bool)
    gone[copies] = True
    links = np.repeat(gone, np.diff(out.starts))
    told = Dropped("mirrors of another fan", len(copies), int(links.sum()))
    kept = rows_of(keys(out)[~links], None, n)
    return Cleaned(cleaned.between, kept, reverse(kept, n), cleaned.owner, (*cleaned.told, told))


def voices(fans: Rows, owner: Ids, group: Ids | Offsets) -> Offsets:
    """From how many sites the fans of each group of cores are."""
    whose = np.repeat(group, np.diff(fans.starts))
    key = np.sort(stacked(whose, owner[fans.ids]))
    return np.bincount(upper(key[_fresh(key)]), minlength=int(group.max(initial=-1)) + 1)


def owner_of(graph: WebGraph, site: str) -> Ids:
    """Whose each page is, as a number: its registrable domain, or nobody but itself."""
    alone = np.arange(len(graph), dtype=np.int32)
    if site == "page" or isinstance(graph.pages, Numbers) or not len(graph):
        return alone
    owner, _ = owners(graph.names)
    if site == "auto":
        source = np.repeat(owner, np.diff(graph.outlinks.starts))
        leaving = np.count_nonzero(source != owner[graph.outlinks.ids])
        if leaving < ENOUGH * len(source):
            return alone
    return owner


def _sites_linked(source: Ids, owner: Ids, n: int) -> Offsets:
    """To how many sites each page links."""
    key = np.sort(stacked(source, owner))
    return np.bincount(upper(key[_fresh(key)]), minlength=n)


def _fresh(key: Offsets) -> Flags:
    """Which of some sorted numbers stand there for the first time."""
    fresh: Flags = np.diff(key, prepend=-1) > 0
    return fresh


def _rows(source: Ids, target: Ids, n: int) -> Rows:
    """Rows of links that are sorted and distinct already."""
    starts = np.zeros(n + 1, np.int64)
    np.cumsum(np.bincount(source, minlength=n), out=starts[1:])
    return Rows(starts, np.ascontiguousarray(target))
