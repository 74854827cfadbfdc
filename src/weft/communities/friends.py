"""Friends and neighbours: pages that share rare words, links and lists, and their groups."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pyarrow as pa
from pydantic import Field

from weft.communities.build import build_communities
from weft.communities.modularity import (
    MinSize,
    Resolution,
    large_groups_from_labels,
    unassigned_page_notes,
)
from weft.core.arrays import (
    CSR,
    Flags,
    Floats,
    Ids,
    Offsets,
    csr_from_keys,
    link_positions,
    pack_pairs,
    round_significant,
    splitmix64,
    top_k_indices,
    unpack_first_ids,
    unpack_pairs,
    unpack_second_ids,
)
from weft.core.params import Seed
from weft.core.register import Dimensions, method
from weft.core.text import pluralise
from weft.engine import CLOSED_FORM
from weft.graph.baseset.baseset import BaseSet
from weft.graph.levels import encode_domains
from weft.graph.views import symmetric_csr
from weft.groups.groups import Groups
from weft.kernels.two_step_paths import TwoStepPaths

KindWeight = Annotated[
    float, Field(ge=0, le=100, description="weight of shared items of this kind; 0: ignored")
]
MaxDf = Annotated[
    float, Field(gt=0, le=1, description="ignore items on a larger share of all pages")
]
MaxPages = Annotated[int, Field(ge=2, description="ignore items on more pages")]
Neighbours = Annotated[
    int, Field(ge=1, le=1000, description="nearest neighbours of each page in the graph")
]
ItemNamer = Callable[[int], str]

DEFAULT_KIND_WEIGHT, DEFAULT_MAX_DF, DEFAULT_MAX_PAGES = 1.0, 0.1, 1000
MIN_DF_LIMIT = 10
MAX_SHOWN_ITEMS = 5
ITEM_KINDS = ("text", "outlinks", "inlinks", "lists")
LIST_PATH = re.compile(r"(?:.*/)?(?:ul|ol|dl|menu)(?:\[\d+\])?(?=/|$)")
NO_LISTS_NOTE = "no lists known inside pages: pages linked from one page count as in-links"


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
    text: KindWeight = DEFAULT_KIND_WEIGHT,
    outlinks: KindWeight = DEFAULT_KIND_WEIGHT,
    inlinks: KindWeight = DEFAULT_KIND_WEIGHT,
    lists: KindWeight = DEFAULT_KIND_WEIGHT,
    max_df: MaxDf = DEFAULT_MAX_DF,
    max_pages: MaxPages = DEFAULT_MAX_PAGES,
    neighbours: Neighbours = 10,
    resolution: Resolution = 1.0,
    min_size: MinSize = 2,
    seed: Seed = 0,
) -> Groups:
    """Group pages that share rare words, links and lists.

    The similarity of two pages (Adamic and Adar) is the sum of 1 / log(df) over
    the items they share, where df is the number of pages with the item. Items
    are keywords, pages linked to, pages linked from, and lists that both pages
    are linked from. Each page is joined to its most similar pages, and the
    groups are those of highest modularity (Leiden). Pages of a group need not
    link to each other.

    Examples
    --------
    >>> stars = [(s, t) for s, ts in (("ab", "xyz"), ("cd", "uvw")) for s in s for t in ts]
    >>> found = friends(stars)
    >>> [found.base.page_names(group.members) for group in found]
    [['x', 'y', 'z'], ['u', 'v', 'w'], ['a', 'b'], ['c', 'd']]
    """
    from weft.kernels import leiden  # noqa: PLC0415  loads the compiler

    weights = {"text": text, "outlinks": outlinks, "inlinks": inlinks, "lists": lists}
    similarity = ItemSimilarity.from_base_set(base, weights, max_df, max_pages)
    edges = symmetric_csr(*similarity.nearest_neighbour_pairs(len(base), neighbours), len(base))
    labels = leiden.leiden(edges, resolution, seed)
    sets = large_groups_from_labels(labels, min_size)
    within = similarity_within_groups(edges, labels, len(sets))
    communities = build_communities(
        base,
        sets,
        facts=[{"mean similarity": mean} for mean, _ in within],
        evidence=[{"most similar": pairs} for _, pairs in within],
    )
    unassigned = len(base) - sum(map(len, sets))
    facts: dict[str, Any] = {
        "modularity": leiden.modularity(edges, labels),
        "items": {
            items.kind: int(np.count_nonzero(items.rarity_weights(max_pages)))
            for items in similarity.kinds
        },
        "communities": len(sets),
        "unassigned pages": unassigned,
    }
    notes = unassigned_page_notes(edges, unassigned, min_size, "that share nothing")
    return Groups(
        "communities",
        "friends",
        base,
        communities,
        CLOSED_FORM,
        facts=facts,
        notes=(*similarity.notes, *notes),
    )


def friends_of(
    links: Any,
    page: str,
    k: int = 10,
    *,
    text: float = DEFAULT_KIND_WEIGHT,
    outlinks: float = DEFAULT_KIND_WEIGHT,
    inlinks: float = DEFAULT_KIND_WEIGHT,
    lists: float = DEFAULT_KIND_WEIGHT,
    max_df: float = DEFAULT_MAX_DF,
    max_pages: int = DEFAULT_MAX_PAGES,
) -> list["Friend"]:
    """The k pages most similar to a page, best first; options as those of `friends`.

    Examples
    --------
    >>> [friend] = friends_of([("a", "x"), ("b", "x"), ("a", "y"), ("b", "y")], "a")
    >>> friend.page, round(friend.score, 4), friend.shared_items
    ('b', 2.8854, {'outlinks': ('x', 'y')})
    """
    base = BaseSet.from_any(links)
    weights = {"text": text, "outlinks": outlinks, "inlinks": inlinks, "lists": lists}
    similarity = ItemSimilarity.from_base_set(base, weights, max_df, max_pages)
    return similarity.most_similar_pages(base, int(base.graph.page_numbers([page])[0]), k)


@dataclass(frozen=True, slots=True)
class Friend:
    """A similar page: its score, in total and by kind of item, and the rarest shared items."""

    page: str
    score: float
    score_by_kind: Mapping[str, float]
    shared_items: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class PageItems:
    """The items of one kind: a CSR row of items per page, and a row of pages per item."""

    kind: str
    items_by_page: CSR
    pages_by_item: CSR
    item_name: ItemNamer

    @property
    def document_frequencies(self) -> Offsets:
        """The document frequency df of each item: the number of pages that have it."""
        return np.diff(self.pages_by_item.starts)

    def rarity_weights(self, max_pages: float) -> Floats:
        """The weight 1 / log(df) of each item; zero for items of one page or of too many."""
        df = self.document_frequencies
        is_used = (df >= 2) & (df <= max_pages)
        return np.where(is_used, 1 / np.log(np.maximum(df, 2)), 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class ItemSimilarity:
    """The items that pages share, by kind, with the weight of each item."""

    kinds: tuple[PageItems, ...]
    item_weights: tuple[Floats, ...]
    notes: tuple[str, ...]

    @classmethod
    def from_base_set(
        cls, base: BaseSet, kind_weights: Mapping[str, float], max_df: float, max_pages: int
    ) -> "ItemSimilarity":
        """Collect and weigh the items of a base set; kinds of weight zero are left out."""
        kinds = [kind for kind, weight in kind_weights.items() if weight]
        return cls.from_items(
            collect_items(base, kinds), kind_weights, len(base), max_df, max_pages
        )

    @classmethod
    def from_items(
        cls,
        kinds: Sequence[PageItems],
        kind_weights: Mapping[str, float],
        page_count: int,
        max_df: float,
        max_pages: int,
    ) -> "ItemSimilarity":
        """Weigh items by rarity and kind; common ones get no weight."""
        limit = min(max(max_df * page_count, MIN_DF_LIMIT), max_pages)
        notes = []
        for items in kinds:
            common = int(np.count_nonzero(items.document_frequencies > limit))
            if common:
                count = pluralise(common, "item")
                notes.append(f"{items.kind}: {count} ignored, on more than {limit:,.0f} pages")
            if items.kind == "lists" and not len(items.items_by_page.ids):
                notes.append(NO_LISTS_NOTE)
        weights = (kind_weights[items.kind] * items.rarity_weights(limit) for items in kinds)
        return cls(tuple(kinds), tuple(weights), tuple(notes))

    def most_similar_pages(self, base: BaseSet, page: int, k: int) -> list[Friend]:
        """The k pages most similar to one, best first."""
        by_kind = [
            self._similarity_by_kind(kind, page, len(base)) for kind in range(len(self.kinds))
        ]
        total = np.sum([np.zeros(len(base)), *by_kind], axis=0)
        total[page] = 0
        best = top_k_indices(round_significant(total), k)
        return [
            Friend(
                base.pages[other],
                float(total[other]),
                {i.kind: float(s[other]) for i, s in zip(self.kinds, by_kind, strict=True)},
                self._top_shared_items(page, other),
            )
            for other in best[total[best] > 0].tolist()
        ]

    def _similarity_by_kind(self, kind: int, page: int, page_count: int) -> Floats:
        """The similarity of a page to every other by items of one kind."""
        own_items = self._weighted_items(kind, page)
        at, item = link_positions(self.kinds[kind].pages_by_item, own_items)
        weights = self.item_weights[kind][item]
        others = self.kinds[kind].pages_by_item.ids[at]
        return np.bincount(others, weights, page_count).astype(np.float64)

    def _weighted_items(self, kind: int, page: int) -> Ids:
        rows = self.kinds[kind].items_by_page
        items = np.asarray(rows.ids[rows.starts[page] : rows.starts[page + 1]])
        return items[self.item_weights[kind][items] > 0]

    def _top_shared_items(self, page: int, other: int) -> dict[str, tuple[str, ...]]:
        """The names of the rarest items that two pages share, by kind."""
        names = {}
        for kind, items in enumerate(self.kinds):
            shared = np.intersect1d(
                self._weighted_items(kind, page), self._weighted_items(kind, other)
            )
            order = np.argsort(-self.item_weights[kind][shared], kind="stable")
            best = shared[order][:MAX_SHOWN_ITEMS]
            names[items.kind] = tuple(items.item_name(item) for item in best.tolist())
        return {kind: shown for kind, shown in names.items() if shown}

    def nearest_neighbour_pairs(self, page_count: int, neighbours: int) -> tuple[Ids, Ids, Floats]:
        """Pairs of pages with their similarity, if one is a nearest neighbour of the other."""
        from weft.kernels.cocitation import top_similar_pages  # noqa: PLC0415  loads the compiler

        items_by_page, pages_by_item = concatenate_item_kinds(self.kinds, page_count)
        item_weights = np.concatenate([np.zeros(0), *self.item_weights])
        ones = np.ones(page_count)
        paths = TwoStepPaths(items_by_page, pages_by_item, item_weights, ones, ones, 1.0)
        starts, other, similarity = top_similar_pages(paths, neighbours, "sum")
        page = np.repeat(np.arange(page_count, dtype=np.int64), np.diff(starts))
        # a pair may be listed from both sides: keep it once
        key = pack_pairs(np.minimum(page, other), np.maximum(page, other))
        pair, first = np.unique(key, return_index=True)
        return *unpack_pairs(pair), similarity[first]


def similarity_within_groups(
    affinity: CSR, labels: Ids, group_count: int
) -> list[tuple[float, Ids]]:
    """The mean similarity of joined pages in each group, and its most similar pairs."""
    page = affinity.row_ids()
    other, weight = np.asarray(affinity.ids), np.asarray(affinity.weights, np.float64)
    # each edge once, sorted by group, then by descending similarity
    inside = np.flatnonzero(
        (page < other) & (labels[page] == labels[other]) & (labels[page] < group_count)
    )
    order = inside[np.lexsort((inside, -round_significant(weight[inside]), labels[page[inside]]))]
    starts = np.searchsorted(labels[page[order]], np.arange(group_count + 1))
    groups = []
    for start, end in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
        best = order[start : min(end, start + MAX_SHOWN_ITEMS)]
        mean = float(weight[order[start:end]].mean()) if end > start else 0.0
        groups.append((mean, np.stack([page[best], other[best]], axis=1)))
    return groups


def collect_items(base: BaseSet, kinds: Iterable[str]) -> list[PageItems]:
    """Collect the items of some kinds in a base set."""
    return [ITEM_COLLECTORS[kind](base) for kind in ITEM_KINDS if kind in set(kinds)]


def _term_items(base: BaseSet) -> PageItems:
    terms = base.term_weights
    stems = terms.stems

    def stem_name(item: int) -> str:
        return str(stems[item].as_py()).rpartition("/")[2]

    return items_from_rows("text", terms.matrix, len(stems), stem_name)


def _outlink_items(base: BaseSet) -> PageItems:
    graph = base.graph
    return PageItems("outlinks", graph.outlinks, graph.inlinks, lambda item: graph.pages[item])


def _inlink_items(base: BaseSet) -> PageItems:
    graph = base.graph
    return PageItems("inlinks", graph.inlinks, graph.outlinks, lambda item: graph.pages[item])


def _html_list_items(base: BaseSet) -> PageItems:
    """The lists that link to pages, each the innermost HTML list around a link.

    A list that is repeated on several pages of a site counts once.
    """
    table = base.blocks.combine_chunks()
    source, target = (np.asarray(table[end]) for end in ("source", "target"))
    path_ids, list_paths = innermost_html_lists(table["path"])
    in_list = path_ids >= 0
    # a list is a pair (page it is on, path); number the lists, then pair them with their targets
    lists, list_of_link = np.unique(
        pack_pairs(source[in_list], path_ids[in_list]), return_inverse=True
    )
    pairs = np.unique(pack_pairs(list_of_link, target[in_list]))
    item, page = unpack_first_ids(pairs), unpack_second_ids(pairs)
    site = encode_domains(base.graph.names)[0][unpack_first_ids(lists)] if len(lists) else item
    # drop copies, and number the remaining lists anew
    first = is_first_copy(item, page, site)
    kept = first[item]
    number = (np.cumsum(first) - 1)[item[kept]]
    kept_lists = lists[np.flatnonzero(first)]
    rows = csr_from_keys(np.sort(pack_pairs(page[kept], number)), None, len(base))

    def list_name(at: int) -> str:
        page, path = (int(ids[at]) for ids in unpack_pairs(kept_lists))
        return f"{base.pages[page]} {list_paths[path]}"

    return items_from_rows("lists", rows, len(kept_lists), list_name)


ITEM_COLLECTORS: Mapping[str, Callable[[BaseSet], PageItems]] = {
    "text": _term_items,
    "outlinks": _outlink_items,
    "inlinks": _inlink_items,
    "lists": _html_list_items,
}


def items_from_rows(kind: str, rows: CSR, item_count: int, item_name: ItemNamer = str) -> PageItems:
    """Items from a CSR row of item ids per page."""
    key = np.sort(pack_pairs(rows.ids, rows.row_ids()))
    return PageItems(kind, rows, csr_from_keys(key, None, item_count), item_name)


def innermost_html_lists(path: pa.ChunkedArray) -> tuple[Offsets, Sequence[str]]:
    """The innermost list on each DOM path as a number (-1: none), and the paths of the lists."""
    if not len(path):
        return np.zeros(0, np.int64), ()
    coded = path.combine_chunks()
    coded = coded if isinstance(coded, pa.DictionaryArray) else coded.dictionary_encode()
    matches = [LIST_PATH.match(text or "") for text in coded.dictionary.to_pylist()]
    names = sorted({match[0] for match in matches if match})
    number = {name: k for k, name in enumerate(names)}
    codes = np.array([number[match[0]] if match else -1 for match in matches], np.int64)
    return codes[coded.indices.to_numpy(zero_copy_only=False).astype(np.int64)], names


def is_first_copy(item: Offsets, page: Offsets, owner: Ids | Offsets) -> Flags:
    """Whether each item is the first of its owner with the same pages, by a hash of these."""
    size = int(item.max(initial=-1)) + 1
    page_hash = np.zeros(size, np.uint64)
    np.add.at(page_hash, item, splitmix64(page))
    item_hash = splitmix64(page_hash) ^ splitmix64(splitmix64(owner[:size]))
    _, at = np.unique(item_hash, return_index=True)
    is_first = np.zeros(size, bool)
    is_first[at] = True
    return is_first


def concatenate_item_kinds(kinds: Sequence[PageItems], page_count: int) -> tuple[CSR, CSR]:
    """Join several kinds into one: items by page and pages by item, numbered kind after kind."""
    first_item = np.cumsum([0, *(len(items.pages_by_item.starts) - 1 for items in kinds)])
    keys = [np.zeros(0, np.int64)]
    for items, shift in zip(kinds, first_item.tolist(), strict=False):
        rows = items.items_by_page
        keys.append(pack_pairs(rows.row_ids(), np.asarray(rows.ids, np.int64) + shift))
    items_by_page = csr_from_keys(np.sort(np.concatenate(keys), kind="stable"), None, page_count)
    ends = np.cumsum([0, *(len(items.pages_by_item.ids) for items in kinds)])
    starts = [
        np.asarray(items.pages_by_item.starts)[:-1] + shift
        for items, shift in zip(kinds, ends, strict=False)
    ]
    ids = [np.asarray(items.pages_by_item.ids) for items in kinds]
    pages_by_item = CSR(
        np.concatenate([*starts, ends[-1:]]).astype(np.int64),
        np.concatenate([np.zeros(0, np.int32), *ids]),
    )
    return items_by_page, pages_by_item
