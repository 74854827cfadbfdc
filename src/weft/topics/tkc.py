"""Whether the pages of a topic speak for many, or for one owner: tightly knit communities."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from weft.core.arrays import Ids
from weft.engine.mutual import among
from weft.graph.baseset import BaseSet
from weft.graph.owners import owners
from weft.topics.topic import Topic

FEWEST = 5
EFFECTIVE = 3.0
TOP_SHARE = 0.5
SPREAD = 0.2
NEAR = 1e-9
SOME = 500


@dataclass(frozen=True, slots=True)
class Knit:
    """Whose pages some pages are, and how they link to each other.

    `effective` is how many sites of equal size would be as mixed: exp(H) of
    the entropy H of the sites' shares. `mutual` is the share of the links
    among the pages that are returned.
    """

    pages: int
    sites: int
    top: str
    top_share: float
    effective: float
    mutual: float

    @property
    def reason(self) -> str:
        """Why the pages are tightly knit, in words; nothing where they are not."""
        if self.pages < FEWEST:
            return ""
        if self.top_share > TOP_SHARE:
            return f"{self.top_share:.0%} of the pages are of {self.top}"
        if self.effective < EFFECTIVE - NEAR:
            return f"no more mixed than {self.effective:.1f} equal sites"
        if self.sites / self.pages < SPREAD:
            return f"{self.sites} sites have all {self.pages} pages"
        return ""

    def facts(self) -> dict[str, Any]:
        """What is known, as facts of a topic."""
        return {
            "sites": self.sites,
            "top site": self.top,
            "top share": self.top_share,
            "effective sites": self.effective,
            "mutual": self.mutual,
        }


def knit(base: BaseSet, members: Ids) -> Knit:
    """Look at some pages of a base set.

    Examples
    --------
    >>> base = BaseSet.of(
    ...     [("http://a.org/1", "http://b.org/"), ("http://a.org/2", "http://b.org/")]
    ... )
    >>> found = knit(base, np.arange(3))
    >>> found.sites, found.top, round(found.effective, 2), found.mutual
    (2, 'a.org', 1.89, 0.0)
    """
    return Looking.at(base, members).knit(members)


@dataclass(frozen=True, slots=True, eq=False)
class Looking:
    """What it takes to look at several topics of a base set: the sites of its pages."""

    base: BaseSet
    owner: Ids
    names: Sequence[str]

    @classmethod
    def at(cls, base: BaseSet, pages: Ids) -> "Looking":
        """To look at some pages, or at parts of them."""
        owner = np.full(len(base), -1, np.int32)
        codes, names = owners(base.graph.names.take(pa.array(pages)))
        owner[pages] = codes
        return cls(base, owner, names)

    def knit(self, members: Ids) -> Knit:
        """Whose pages some of them are."""
        counts = np.bincount(self.owner[members], minlength=len(self.names))
        shares = counts[counts > 0] / max(len(members), 1)
        return Knit(
            len(members),
            len(shares),
            self.names[int(counts.argmax())] if len(members) else "",
            float(shares.max(initial=0)),
            float(np.exp(-(shares * np.log(shares)).sum())) if len(shares) else 0.0,
            self.mutual(members),
        )

    def mutual(self, members: Ids) -> float:
        """What share of the links among some pages are returned."""
        out, into = self.base.graph.outlinks, self.base.graph.inlinks
        links, returned = among(
            (np.asarray(out.starts), np.asarray(out.ids)),
            (np.asarray(into.starts), np.asarray(into.ids)),
            members,
            len(self.base),
        )
        return returned / links if links else 0.0


def with_sites(base: BaseSet, topics: Sequence[Topic]) -> tuple[Topic, ...]:
    """Topics with the facts about their sites, and why one is `tightly knit`.

    Where the base set itself is of few sites, by some of its pages from first
    to last, that says nothing about a topic of it, and none is called so.
    """
    if not topics:
        return ()
    some = np.unique(np.linspace(0, len(base) - 1, min(len(base), SOME)).astype(np.int32))
    chosen = np.zeros(len(base), bool)
    for pages in (some, *(topic.members for topic in topics)):
        chosen[pages] = True
    looking = Looking.at(base, np.flatnonzero(chosen).astype(np.int32))
    few_anyway = bool(looking.knit(some).reason)
    made = []
    for topic in topics:
        found = looking.knit(topic.members)
        reason = "" if few_anyway else found.reason
        made.append(replace(topic, facts={**topic.facts, **found.facts(), "tightly knit": reason}))
    return tuple(made)
