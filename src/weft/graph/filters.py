"""Which links among some pages count: each filter marks those that do not."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import Flags, Floats, Ids, Offsets, Rows, Weights
from weft.gather.url import domain, host, site
from weft.graph.among import inner
from weft.graph.options import Between
from weft.graph.views import Dropped
from weft.graph.webgraph import Level, Names, WebGraph, compress, link_weights, reverse, rows_of

Owner = Callable[[str], str]
REMEMBERED = lru_cache(maxsize=1 << 16)
OWNERS: dict[str, Owner] = {
    name: REMEMBERED(of) for name, of in (("host", host), ("domain", domain), ("site", site))
}
ENOUGH = 0.05
SITE, MOST = 5, 0.5
DENSE = 1 << 21
SCHEME = "(?:https?|ftp|file)://"
HEADS = {
    "host": f"^(?P<head>{SCHEME}[^/?#]+)",
    "domain": f"^(?P<head>{SCHEME}[^/?#]+)",
    "site": f"^(?P<head>{SCHEME}[^/]+(?:/[^/]*)?)",
}


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """The two ends of each link among some pages, by their places, and what it weighs."""

    source: Ids
    target: Ids
    weight: Weights

    def __len__(self) -> int:
        return len(self.source)

    def __getitem__(self, chosen: Flags) -> "Links":
        return Links(self.source[chosen], self.target[chosen], self.weight[chosen])

    def among(self, kept: Flags) -> "Links":
        """The links among some of the pages, by their places there."""
        place = (np.cumsum(kept) - 1).astype(np.int32)
        some = self[kept[self.source] & kept[self.target]]
        return Links(place[some.source], place[some.target], some.weight)

    def graph(self, names: pa.Array, level: Level) -> WebGraph:
        """The pages with these links, parallel ones added up."""
        key = self.source.astype(np.int64) << 32 | self.target
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
    at, key = inner(outlinks, pages)
    weight = np.ones(len(at), np.float32) if outlinks.weights is None else outlinks.weights[at]
    return Links((key >> 32).astype(np.int32), (key & 0xFFFFFFFF).astype(np.int32), weight)


def owners(names: pa.Array, of: str) -> tuple[Ids, list[str]]:
    """The host, domain or site of each page as a number, and their names by number.

    Only the heads of URLs that differ are looked at.
    """
    heads = pc.struct_field(pc.extract_regex(names, HEADS[of]), "head")
    encoded = pc.coalesce(heads, names).dictionary_encode()
    found = pa.array([OWNERS[of](head) for head in encoded.dictionary.to_pylist()], pa.string())
    owned = found.dictionary_encode()
    numbers: Ids = owned.indices.to_numpy()[encoded.indices.to_numpy()].astype(np.int32)
    return numbers, owned.dictionary.to_pylist()


def inside(links: Links, group: npt.NDArray[np.integer]) -> Flags:
    """The links that stay inside a group, such as a domain: the intrinsic ones."""
    same: Flags = group[links.source] == group[links.target]
    return same


def own_links(
    links: Links, owner: Callable[[str], Ids], between: Between
) -> tuple[Flags, tuple[Dropped, ...]]:
    """The links that do not lead from one owner to another, and what is to be said of them.

    With `auto` owners are domains; where hardly any link would be left, as on
    the pages of one site, hosts, or else every link counts.
    """
    if between == "page":
        return np.zeros(len(links), bool), ()
    if between != "auto":
        own = inside(links, owner(between))
        return own, (Dropped(f"same {between}", 0, int(own.sum())),)
    scarce = "hardly any link leads to another domain"
    for level, why in (("domain", ""), ("host", f", as {scarce}")):
        own = inside(links, owner(level))
        if np.count_nonzero(~own) >= ENOUGH * len(links):
            return own, (Dropped(f"same {level}{why}", 0, int(own.sum())),)
    return np.zeros(len(links), bool), (Dropped(f"{scarce} or host", 0, 0),)


def crowded(links: Links, group: Ids, place: Floats, most: int) -> Flags:
    """The links beyond the first `most` that the pages of one group have to a page of another.

    Those pages come first whose `place` is smallest; equal ones keep page order.
    """
    gone, pair = np.zeros(len(links), bool), _votes(links, group)
    many = np.bincount(pair)[pair] > most if len(pair) else gone
    chosen = np.flatnonzero(many & ~inside(links, group))
    order = chosen[np.lexsort((_places(place)[links.source[chosen]], pair[chosen]))]
    gone[order] = np.arange(len(order)) - np.searchsorted(pair[order], pair[order]) >= most
    return gone


def boilerplate(links: Links, group: Ids, place: Floats, speaking: Flags) -> Flags:
    """The links that more than half of a site's pages carry, where it has five or more.

    The first of them is not meant, as in `crowded`: a site that links to a page
    from everywhere says so once. Only pages that are `speaking`, having links
    at all, are counted.
    """
    again = np.zeros(len(links), bool)
    if not len(links):
        return again
    size = np.bincount(group[speaking], minlength=int(group.max()) + 1)[group]
    bar = np.where(size >= SITE, MOST * size, np.inf)[links.source]
    some = np.flatnonzero(np.bincount(links.target)[links.target] > bar)
    part = Links(links.source[some], links.target[some], links.weight[some])
    pair, turn = _votes(part, group), _places(place)[part.source]
    carried, first = np.bincount(pair), np.full(int(pair.max(initial=0)) + 1, len(place))
    np.minimum.at(first, pair, turn)
    again[some] = (carried[pair] > bar[some]) & (turn > first[pair])
    return again


def _votes(links: Links, group: Ids) -> Offsets:
    """A number for each link that is the same where it leads from one group to one page."""
    pages = int(links.target.max(initial=-1)) + 1
    pair = group[links.source].astype(np.int64) * pages + links.target
    if pair.max(initial=0) > max(DENSE, 8 * len(pair)):
        pair = np.unique(pair, return_inverse=True)[1].astype(np.int64)
    return pair


def _places(place: Floats) -> Offsets:
    """The turn of each page: by its place, then by its number."""
    turn = np.empty(len(place), np.int64)
    turn[np.argsort(place, kind="stable")] = np.arange(len(place))
    return turn
