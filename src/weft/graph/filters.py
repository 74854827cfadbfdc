"""Which links among some pages count: each filter marks those that do not."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache, partial

import numpy as np
import pyarrow as pa

from weft.core.arrays import Flags, Floats, Ids, Rows, Weights, stacked
from weft.gather.url import domain, host, site
from weft.graph.among import inner
from weft.graph.options import Between, Level
from weft.graph.views import Dropped
from weft.graph.webgraph import (
    Names,
    WebGraph,
    compress,
    link_weights,
    reverse,
    rows_of,
    spelled,
)

Owner = Callable[[str], str]
REMEMBERED = lru_cache(maxsize=1 << 16)
OWNERS: dict[str, Owner] = {
    name: REMEMBERED(of) for name, of in (("host", host), ("domain", domain), ("site", site))
}
MANY = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """The two ends of each link among some pages, by their places, and what it weighs."""

    source: Ids
    target: Ids
    weight: Weights

    def __len__(self) -> int:
        return len(self.source)

    def __getitem__(self, chosen: Flags) -> "Links":
        at = np.flatnonzero(chosen)
        return Links(self.source.take(at), self.target.take(at), self.weight.take(at))

    def graph(self, names: pa.Array, level: Level) -> WebGraph:
        """The pages with these links, parallel ones added up."""
        key = stacked(self.source, self.target)
        if (np.diff(key) > 0).all() and (self.source != self.target).all():
            out = rows_of(key, self.weight, len(names))
        else:
            out = compress(self.source, self.target, self.weight, len(names))
        return WebGraph(Names(names), out, reverse(out, len(names)), level)


def links_of(outlinks: Rows, pages: Ids) -> Links:
    """The links among some pages, which ascend."""
    if len(pages) == len(outlinks.starts) - 1:
        source = np.repeat(pages, np.diff(outlinks.starts))
        return Links(source, np.asarray(outlinks.ids), np.asarray(link_weights(outlinks)))
    at, source, target = inner(outlinks, pages)
    weight = np.ones(len(at), np.float32) if outlinks.weights is None else outlinks.weights[at]
    return Links(source, target, weight)


def owners(names: pa.Array, of: str) -> tuple[Ids, list[str]]:
    """The host, domain or site of each page as a number, and their names by number.

    Only beginnings of URLs are looked at that differ from the one before.
    """
    from weft.engine.heads import heads  # noqa: PLC0415  which loads a compiler

    starts, letters = spelled(names)
    fresh, ends = heads(starts, letters, of == "site")
    owned = dict[str, int]()
    firsts, text = np.flatnonzero(fresh), letters.data
    numbers = [
        owned.setdefault(OWNERS[of](str(text[begin:end], "utf-8")), len(owned))
        for begin, end in zip(starts[firsts].tolist(), ends[firsts].tolist(), strict=True)
    ]
    return np.array(numbers, np.int32)[np.cumsum(fresh) - 1], list(owned)


def inside(links: Links, left: Flags, group: Ids) -> Flags:
    """Of the links left those inside a group, such as a domain: the intrinsic ones."""
    from weft.engine.votes import staying  # noqa: PLC0415  which loads a compiler

    same: Flags = staying((links.source, links.target), left, group)
    return same


def own_links(
    links: Links, left: Flags, owner: Callable[[str], Ids], between: Between
) -> tuple[Flags, tuple[Dropped, ...]]:
    """Of the links left those from no owner to another, and what is to be said of them.

    With `auto` owners are domains; where few links would be left, as on the
    pages of one site, hosts, or else every link counts. Few are less than half
    of the links, and less than one for each page that has a link: they cannot
    hold the pages together.
    """
    if between in ("page", "any"):
        return np.zeros(len(links), bool), ()
    if between != "auto":
        own = inside(links, left, owner(between))
        return own, (Dropped(f"same {between}", 0, int(np.count_nonzero(own))),)
    few, every = "few links lead to another domain", int(np.count_nonzero(left))
    pages = cache(partial(linked, links, left))
    for level, why in (("domain", ""), ("host", f", as {few}")):
        own = inside(links, left, owner(level))
        count = int(np.count_nonzero(own))
        if every - count >= MANY * every or every - count >= pages():
            return own, (Dropped(f"same {level}{why}", 0, count),)
    return np.zeros(len(links), bool), (Dropped(f"inside a site, as {few} or host", 0, 0),)


def linked(links: Links, left: Flags) -> int:
    """How many pages the links left are from or to."""
    found = np.zeros(max(int(links.source.max()), int(links.target.max())) + 1, bool)
    found[links.source[left]] = found[links.target[left]] = True
    return int(np.count_nonzero(found))


def crowded(links: Links, left: Flags, group: Ids, place: Floats, most: int) -> Flags:
    """Of the links left those beyond the first `most` that a group has to a page of another.

    The pages of a group come first whose `place` is smallest; equal ones keep
    page order. Links are by source, ascending.
    """
    from weft.engine.votes import crowding  # noqa: PLC0415  which loads a compiler

    ends, order = (links.source, links.target), np.lexsort((place, group))
    gone: Flags = crowding(ends, left, order, group, most)
    return gone


def boilerplate(
    links: Links, group: Ids, place: Floats, wide: Callable[[Links, Flags], Flags]
) -> Flags:
    """The links that most pages of their site carry, except that of its first page here.

    A site that links to a page from everywhere says so once. Its first page is
    that of the smallest `place`, as in `crowded`. `wide` decides which of the
    marked links most pages of the whole site carry; it is asked about those that
    another link of the site repeats. Links are by source, ascending.
    """
    from weft.engine.votes import repeated  # noqa: PLC0415  which loads a compiler

    again: Flags = repeated((links.source, links.target), np.lexsort((place, group)), group)
    return wide(links, again) if again.any() else again
