"""Friends and neighbours: pages that share rare things, and the groups they make."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from weft.communities.community import Communities
from weft.communities.items import Items, items_of, joined
from weft.communities.modularity import Least, Resolution, groups, left_out
from weft.communities.partition import communities_of
from weft.core.arrays import Floats, Ids, Rows, stacked, unstacked
from weft.core.dimensions import Dimensions
from weft.core.methods import method
from weft.core.params import Seed
from weft.core.wording import count
from weft.engine import CLOSED
from weft.engine.leiden import leiden, modularity
from weft.engine.strength import Paths
from weft.graph.among import places
from weft.graph.baseset import BaseSet
from weft.graph.undirected import symmetric
from weft.rank.ranking import foremost, rounded

Counts = Field(ge=0, le=100, description="how much it counts to share items of this kind; 0: not")
Counting = Annotated[float, Counts]
Stop = Annotated[
    float, Field(gt=0, le=1, description="leave out items that a larger share of all pages has")
]
Most = Annotated[int, Field(ge=2, description="leave out items that more pages have")]
Partners = Annotated[int, Field(ge=1, le=1000, description="tie each page to so many others")]

ALIKE, STOP, MOST = 1.0, 0.1, 1000
FEW = 10
SHOWN = 5
NO_LISTS = "no list is known apart from the page that it is on: pages in one count as in-links"


@dataclass(frozen=True, slots=True)
class Friend:
    """A page that shares items with another: how much by kind, and the most telling items."""

    page: str
    score: float
    by_kind: Mapping[str, float]
    shared: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class Common:
    """All that pages have in common: items of each kind, and what sharing one is worth."""

    kinds: tuple[Items, ...]
    worth: tuple[Floats, ...]
    notes: tuple[str, ...]

    @classmethod
    def of(cls, base: BaseSet, weights: Mapping[str, float], stop: float, most: int) -> "Common":
        """What the pages of a base set have in common, by the weight of each kind."""
        wanted = [kind for kind, weight in weights.items() if weight]
        return cls.among(items_of(base, wanted), weights, len(base), stop, most)

    @classmethod
    def among(
        cls, kinds: Sequence[Items], weights: Mapping[str, float], n: int, stop: float, most: int
    ) -> "Common":
        """What n pages have in common; an item that very many have tells nothing."""
        limit = min(max(stop * n, FEW), most)
        notes = []
        for each in kinds:
            common = int(np.count_nonzero(each.frequency > limit))
            if common:
                many = f"{count(common, 'item')} that more than {limit:,.0f} pages have"
                notes.append(f"{each.kind}: left out {many}")
            if each.kind == "lists" and not len(each.rows.ids):
                notes.append(NO_LISTS)
        worth = tuple(weights[each.kind] * each.worth(limit) for each in kinds)
        return cls(tuple(kinds), worth, tuple(notes))

    def friends(self, base: BaseSet, page: int, k: int) -> list[Friend]:
        """The pages that share most with one, best first."""
        shares = [self._shares(kind, page, len(base)) for kind in range(len(self.kinds))]
        total = np.sum([np.zeros(len(base)), *shares], axis=0)
        total[page] = 0
        best = [other for other in foremost(rounded(total), k).tolist() if total[other] > 0]
        return [
            Friend(
                base.pages[other],
                float(total[other]),
                {e.kind: float(s[other]) for e, s in zip(self.kinds, shares, strict=True)},
                self._shared(page, other),
            )
            for other in best
        ]

    def _shares(self, kind: int, page: int, n: int) -> Floats:
        """What a page shares with each other of one kind."""
        own = self._own(kind, page)
        at, item = places(self.kinds[kind].back, own)
        worth = self.worth[kind][item]
        return np.bincount(self.kinds[kind].back.ids[at], worth, n).astype(np.float64)

    def _own(self, kind: int, page: int) -> Ids:
        rows = self.kinds[kind].rows
        own = np.asarray(rows.ids[rows.starts[page] : rows.starts[page + 1]])
        return own[self.worth[kind][own] > 0]

    def _shared(self, page: int, other: int) -> dict[str, tuple[str, ...]]:
        """The items that two pages share, the most telling first."""
        made = {}
        for kind, each in enumerate(self.kinds):
            both = np.intersect1d(self._own(kind, page), self._own(kind, other))
            best = both[np.argsort(-self.worth[kind][both], kind="stable")][:SHOWN]
            made[each.kind] = tuple(each.called(item) for item in best.tolist())
        return {kind: items for kind, items in made.items() if items}

    def pairs(self, n: int, partners: int) -> tuple[Ids, Ids, Floats]:
        """Pairs of pages and what they share, of which one is among the other's best partners."""
        from weft.engine.partners import top_partners  # noqa: PLC0415  which is compiled

        rows, back = joined(self.kinds, n)
        worth, none = np.concatenate([np.zeros(0), *self.worth]), np.ones(n)
        starts, other, shared = top_partners(
            Paths(rows, back, worth, none, none, 1.0), partners, "sum"
        )
        page = np.repeat(np.arange(n, dtype=np.int64), np.diff(starts))
        key = stacked(np.minimum(page, other), np.maximum(page, other))
        pair, first = np.unique(key, return_index=True)
        ends = unstacked(pair)
        return *ends, shared[first]


@method(
    "communities",
    "friends",
    cites="adamic2003",
    dimensions=Dimensions(
        model="co-citation and co-reference",
        metric="similarity",
        algorithm="counting",
        scope="multiple pages",
        applications=("web communities",),
        data="links and content",
    ),
)
def friends(
    base: BaseSet,
    *,
    text: Counting = ALIKE,
    outlinks: Counting = ALIKE,
    inlinks: Counting = ALIKE,
    lists: Counting = ALIKE,
    stop: Stop = STOP,
    most: Most = MOST,
    partners: Partners = 10,
    resolution: Resolution = 1.0,
    least: Least = 2,
    seed: Seed = 0,
) -> Communities:
    """Group pages that share rare words, links and lists, as friends do.

    Two pages are as similar as the items they share are rare: each counts one
    over the logarithm of how many pages have it. Items are telling words, pages
    linked to, pages linked from, and lists that both stand in. Each page is
    tied to those most similar to it, and the groups are those of highest
    modularity. Pages need not link to each other to be in one group.

    Examples
    --------
    >>> stars = [(s, t) for s, ts in (("ab", "xyz"), ("cd", "uvw")) for s in s for t in ts]
    >>> found = friends(stars)
    >>> [[found.base.pages[page] for page in group.members] for group in found]
    [['x', 'y', 'z'], ['u', 'v', 'w'], ['a', 'b'], ['c', 'd']]
    """
    weights = {"text": text, "outlinks": outlinks, "inlinks": inlinks, "lists": lists}
    common = Common.of(base, weights, stop, most)
    ties = symmetric(*common.pairs(len(base), partners), len(base))
    home = leiden(ties, resolution, seed)
    sets = groups(home, least)
    alike = likeness(ties, home, len(sets))
    made = communities_of(
        base,
        sets,
        facts=[{"mean similarity": mean} for mean, _ in alike],
        evidence=[{"most alike": pairs} for _, pairs in alike],
    )
    facts: dict[str, Any] = {
        "modularity": modularity(ties, home),
        "items": {e.kind: int(np.count_nonzero(e.worth(most))) for e in common.kinds},
        "communities": len(sets),
        "pages in none": len(base) - sum(map(len, sets)),
    }
    notes = left_out(ties, facts["pages in none"], least, "that share nothing")
    return Communities("friends", base, made, CLOSED, facts, (*common.notes, *notes))


def likeness(ties: Rows, home: Ids, sets: int) -> list[tuple[float, Ids]]:
    """For each group the mean similarity of the pages tied in it, and its most similar pairs."""
    page = ties.owners()
    other, weight = np.asarray(ties.ids), np.asarray(ties.weights, np.float64)
    inside = np.flatnonzero((page < other) & (home[page] == home[other]) & (home[page] < sets))
    order = inside[np.lexsort((inside, -rounded(weight[inside]), home[page[inside]]))]
    starts = np.searchsorted(home[page[order]], np.arange(sets + 1))
    made = []
    for at, end in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
        best = order[at : min(end, at + SHOWN)]
        mean = float(weight[order[at:end]].mean()) if end > at else 0.0
        made.append((mean, np.stack([page[best], other[best]], axis=1)))
    return made


def friends_of(
    links: Any,
    page: str,
    k: int = 10,
    *,
    text: float = ALIKE,
    outlinks: float = ALIKE,
    inlinks: float = ALIKE,
    lists: float = ALIKE,
    stop: float = STOP,
    most: int = MOST,
) -> list[Friend]:
    """The pages that share most with a page, best first; options are as those of `friends`.

    Examples
    --------
    >>> [friend] = friends_of([("a", "x"), ("b", "x"), ("a", "y"), ("b", "y")], "a")
    >>> friend.page, round(friend.score, 4), friend.shared
    ('b', 2.8854, {'outlinks': ('x', 'y')})
    """
    base = BaseSet.of(links)
    weights = {"text": text, "outlinks": outlinks, "inlinks": inlinks, "lists": lists}
    common = Common.of(base, weights, stop, most)
    return common.friends(base, int(base.graph.numbers([page])[0]), k)
