"""Facts on links that are written with a snapshot: what base sets filter by, and anchor texts.

The rarest links of each page: two pages that share most of their links share
one of these. This is the prefix filter of similarity joins: of n links, more
than 4/5 shared leave at most n - 4n/5 unshared, so that the rarest
n - floor(4n/5) hold a shared one. Links marked nofollow, sponsored or ugc.
Hashes of the names of pages, by which inlinks are sampled. Mirrors are the pages
that share nearly all of their outlinks.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import (
    CSR,
    Flags,
    Floats,
    Hashes,
    Ids,
    Offsets,
    Weights,
    concatenate_ranges,
    link_keys,
    link_positions,
    pack_pairs,
    splitmix64,
    unpack_first_ids,
    unpack_pairs,
    unpack_second_ids,
)
from weft.core.errors import MalformedFile
from weft.core.memoize import memoize
from weft.graph.baseset.baseset import ANCHOR_SCHEMA, BLOCK_SCHEMA
from weft.graph.build import ANCHOR_TEXT_SCHEMA
from weft.graph.levels import read_page_csr
from weft.graph.selection import LinkDirection, Sampling
from weft.graph.webgraph import WebGraph, induced_links
from weft.store import segment as segments
from weft.store.arrow_files import (
    check_csr,
    check_ids,
    hash_names,
    map_array,
    map_checked_table,
    map_csr,
)
from weft.store.collection import Collection
from weft.store.manifest import Segment
from weft.store.numbering import Numbering

MIN_MIRROR_LINKS = 5
MIRROR_SHARE = (4, 5)
RARE_LINKS_FILE = "rare_link_ids.npy"
LINKS_PER_BLOCK = 1 << 22
NOFOLLOW_PATTERN = r"(?i)(?:^|[\s,])(?:nofollow|sponsored|ugc)(?:$|[\s,])"
NOFOLLOW_FILES = {"key": "nofollow_links.npy", "weight": "nofollow_weights.npy"}  # by field
SegmentNumbers = tuple[Path, Ids, Ids]
NAME_HASH_FILE = "name_hashes.npy"


def rare_link_quota(counts: Offsets) -> Offsets:
    """The number of rare links to keep of pages with `counts` links: n - floor(4n/5), n >= 5."""
    kept: Offsets = np.where(
        counts >= MIN_MIRROR_LINKS, counts - MIRROR_SHARE[0] * counts // MIRROR_SHARE[1], 0
    )
    return kept


def select_rare_links(outlinks: CSR, inlinks: CSR) -> CSR:
    """The rarest links of each page with five or more: those to targets of smallest in-degree."""
    page_order = _order_by_inlinks(np.diff(inlinks.starts))
    ids = [np.zeros(0, np.int32), *_iter_rare_blocks(outlinks, page_order)]
    return CSR(_rare_starts(np.asarray(outlinks.starts)), np.concatenate(ids))


def _rare_starts(starts: Offsets) -> Offsets:
    return np.concatenate([[0], np.cumsum(rare_link_quota(np.diff(starts)))])


def _order_by_inlinks(inlink_counts: Offsets) -> tuple[Ids, Ids]:
    """The pages sorted by in-degree, and the rank of each page in that order."""
    order = np.argsort(inlink_counts, kind="stable").astype(np.int32)
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return order, rank


def _iter_rare_blocks(outlinks: CSR, page_order: tuple[Ids, Ids]) -> Iterator[Ids]:
    """Yield the rarest links of a block of pages with about `LINKS_PER_BLOCK` links."""
    starts, (order, rank) = np.asarray(outlinks.starts), page_order
    at = 0
    while at < len(starts) - 1:
        block_end = int(np.searchsorted(starts, starts[at] + LINKS_PER_BLOCK, side="right")) - 1
        end = max(at + 1, block_end)
        counts = np.diff(starts[at : end + 1])
        page = np.repeat(np.arange(len(counts), dtype=np.int64), counts)
        # Sort the links of each page by the rank of their targets, and keep the first.
        key = np.sort(pack_pairs(page, rank[outlinks.ids[starts[at] : starts[end]]]))
        position = np.arange(len(key)) - np.repeat(starts[at:end] - starts[at], counts)
        yield order[unpack_second_ids(key[position < np.repeat(rare_link_quota(counts), counts)])]
        at = end


def write_rare_links(folder: Path) -> None:
    """Write the rarest links of a new graph beside it."""
    rows = select_rare_links(map_csr(f"{folder}/out_"), map_csr(f"{folder}/in_"))
    np.save(folder / RARE_LINKS_FILE, rows.ids, allow_pickle=False)


@memoize
def read_rare_links(collection: Collection) -> CSR:
    """The rarest links of each page of a snapshot."""
    folder = collection.checked_snapshot_path("graph")
    starts = _rare_starts(read_page_csr(collection, "out").starts)
    ids = map_array(folder / RARE_LINKS_FILE, "<i4", length=int(starts[-1]))
    check_ids(folder / RARE_LINKS_FILE, ids, len(collection))
    return CSR(starts, ids)


@dataclass(frozen=True, slots=True, eq=False)
class NofollowLinks:
    """The nofollow links of a snapshot: sorted packed pairs, and the weight that is marked."""

    key: Offsets
    weight: Floats

    @classmethod
    def from_segments(cls, parts: Iterable[SegmentNumbers]) -> "NofollowLinks":
        """From segments, each with the pages of its rows and of its URLs, -1 for none."""
        keys, weights = [np.zeros(0, np.int64)], list[Weights]([np.zeros(0)])
        for folder, page_of_row, page_of_url in parts:
            row, url, weight = _read_segment_nofollow(folder)
            source, target = page_of_row[row], page_of_url[url]
            live = (source >= 0) & (target >= 0)
            keys.append(pack_pairs(source[live], target[live]))
            weights.append(weight[live])
        key, index = np.unique(np.concatenate(keys), return_inverse=True)
        return cls(key, np.bincount(index, np.concatenate(weights), len(key)).astype(float))

    def on_pages(self, pages: Ids) -> "NofollowLinks":
        """The nofollow links on some pages, which ascend."""
        first, end = (np.searchsorted(self.key, pack_pairs(pages + k, 0)) for k in (0, 1))
        at = concatenate_ranges(first, end - first)
        return NofollowLinks(np.asarray(self.key[at]), np.asarray(self.weight[at]))


def nofollow_positions(collection: Collection, outlinks: CSR, pages: Ids) -> Offsets:
    """The positions in `outlinks` of links of some pages whose every occurrence is nofollow.

    A link that is also on its page without the mark counts as a recommendation.
    Pages and positions ascend.
    """
    from weft.kernels.csr import find_link_ranges  # noqa: PLC0415  which loads a compiler

    links = read_nofollow_links(collection).on_pages(pages)
    rows = np.asarray(outlinks.starts), np.asarray(outlinks.ids)
    at, end = find_link_ranges(*rows, *unpack_pairs(links.key))
    present = at < end
    at, marked = at[present], links.weight[present]
    # Every occurrence is marked where the marked weight is all of the weight.
    total = 1 if outlinks.weights is None else outlinks.weights[at]
    positions: Offsets = at[marked >= total]
    return positions


def count_nofollow_inlinks(links: NofollowLinks, n: int) -> Ids:
    """The number of nofollow links to each of n pages."""
    return np.bincount(unpack_second_ids(links.key), minlength=n).astype(np.int32)


def write_nofollow_links(
    folder: Path, parts: Sequence[Segment], numbering: Numbering, into: Path
) -> None:
    """Write the nofollow links of a new snapshot beside its graph."""
    numbered = zip(parts, numbering.page_of_row, numbering.page_of_url, strict=True)
    links = NofollowLinks.from_segments(
        (folder / part.name, page_of_row, page_of_url)
        for part, page_of_row, page_of_url in numbered
        if not part.input_digest
    )
    for field, file in NOFOLLOW_FILES.items():
        np.save(into / file, getattr(links, field), allow_pickle=False)


@memoize
def read_nofollow_links(collection: Collection) -> NofollowLinks:
    """Map and check the nofollow links of a snapshot."""
    links, weights = (
        collection.checked_snapshot_path("graph") / file for file in NOFOLLOW_FILES.values()
    )
    key = map_array(links, "<i8")
    check_ids(links, unpack_first_ids(key), len(collection))
    check_ids(links, unpack_second_ids(key), len(collection))
    if (key[1:] <= key[:-1]).any():
        raise MalformedFile(links, "links do not ascend")
    return NofollowLinks(key, map_array(weights, "<f8", length=len(key)))


def _read_segment_nofollow(folder: Path) -> tuple[Ids, Ids, Weights]:
    """The nofollow links of a segment: the row of the page, the URL, the weight."""
    rel = segments.read_link_column(folder, "rel")
    matches = pc.fill_null(pc.match_substring_regex(rel.dictionary, NOFOLLOW_PATTERN), False)  # noqa: FBT003
    is_mark = matches.to_numpy(zero_copy_only=False).astype(bool)
    marked = np.flatnonzero(is_mark[rel.indices.to_numpy()]) if is_mark.any() else np.zeros(0, int)
    if not len(marked):
        return np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0, np.float32)
    table = segments.read_table(folder, "links.parquet", ["page", "target", "weight"])
    table = table.take(pa.array(marked))
    return tuple(table[name].to_numpy() for name in table.column_names)


def sample_inlinks(
    graph: WebGraph,
    pages: Ids,
    max_inlinks: int,
    seed: int,
    name_hashes: Hashes,
    sampling: Sampling = "shared",
) -> tuple[Ids, Ids, Ids]:
    """Take at most `max_inlinks` of the pages that link to each page.

    Returns the linking pages, beside each the page it links to, and the linking
    pages left out. Those with the smallest hashes of their names are taken. In a
    `shared` sample a page has one hash for all pages it links to, so that pages
    cited together stay so; in a `random` one it has a hash for each. Samples
    depend on names and the seed alone. `first` takes the smallest page numbers.
    `name_hashes` are those of `hash_names`, for every page.
    """
    at, target = link_positions(graph.inlinks, pages)
    ids, taken = np.asarray(graph.inlinks.ids[at]), np.ones(len(at), bool)
    counts = np.asarray(graph.inlinks.starts[pages + 1]) - graph.inlinks.starts[pages]
    ends = np.cumsum(counts)
    for k in np.flatnonzero(counts > max_inlinks):
        links = slice(int(ends[k] - counts[k]), int(ends[k]))
        if sampling == "first":
            taken[links.start + max_inlinks : links.stop] = False
            continue
        hashes = mix_hashes_with_seed(np.asarray(name_hashes[ids[links]]), seed)
        if sampling == "random":
            hashes = splitmix64(hashes ^ name_hashes[pages[k]])
        taken[links] = _smallest_hashes(hashes, max_inlinks)
    return ids[taken], target[taken], ids[~taken]


def _smallest_hashes(hashes: Hashes, k: int) -> Flags:
    """Mark the k smallest of more than k hashes; of equal ones the first."""
    if not k:
        return np.zeros(len(hashes), bool)
    kth = np.partition(hashes, k - 1)[k - 1]
    smallest: Flags = hashes < kth
    smallest[np.flatnonzero(hashes == kth)[: k - np.count_nonzero(smallest)]] = True
    return smallest


def mix_hashes_with_seed(name_hashes: Hashes, seed: int) -> Hashes:
    """Mix hashes of names with a seed, by SplitMix64.

    Examples
    --------
    >>> both, one = (
    ...     mix_hashes_with_seed(hash_names(pa.array(names)), 0) for names in (["a", "b"], ["b"])
    ... )
    >>> bool(both[1] == one[0])
    True
    """
    return splitmix64(splitmix64(np.full(1, seed, np.uint64)) ^ name_hashes)


def write_name_hashes(names: pa.ChunkedArray, folder: Path) -> None:
    """Write the hashes of all page names of a new snapshot beside its graph."""
    parts = [hash_names(chunk) for chunk in names.chunks]
    hashes = np.concatenate([np.zeros(0, np.uint64), *parts])
    np.save(folder / NAME_HASH_FILE, hashes, allow_pickle=False)


@memoize
def read_name_hashes(collection: Collection) -> Hashes:
    """Map the hashes of all page names of a snapshot."""
    path, n = collection.checked_snapshot_path("graph") / NAME_HASH_FILE, len(collection)
    return map_array(path, "<u8", length=n)


@dataclass(frozen=True, slots=True, eq=False)
class PageTraits:
    """The owners and titles of pages as numbers; a title of -1 is none.

    Pages of one owner share its menus, so that two of them are mirrors only
    with the same title.
    """

    owner: Ids
    title: Ids

    @classmethod
    def uniform(cls, page_count: int) -> "PageTraits":
        """The same traits for all pages, so that links alone decide."""
        return cls(np.zeros(page_count, np.int32), np.zeros(page_count, np.int32))


def find_mirrors(outlinks: CSR, rare_links: CSR, pages: Ids, traits: PageTraits) -> Ids:
    """The position of the earlier page that each page mirrors, -1 for none.

    Two pages with at least five links are mirrors where they share more than
    4/5 of the links of the larger one. Pages are compared in the order given,
    with those that mirror no other: no page is dropped for its likeness to a
    dropped page. Mirrors share one of the `rare_links` of each page, which
    limits the pairs to compare.
    """
    from weft.kernels.near_duplicates import find_near_duplicates  # noqa: PLC0415  which loads a compiler

    links, rare = (
        (np.asarray(rows.starts), np.asarray(rows.ids)) for rows in (outlinks, rare_links)
    )
    mirrored: Ids = find_near_duplicates(
        links, rare, pages, (traits.owner, traits.title), MIRROR_SHARE
    )
    return mirrored


def find_identically_linked_pages(outlinks: CSR, pages: Ids) -> Ids:
    """The position of the first page with exactly the same links, -1 for none before it.

    This is the only way in which pages with fewer than five links are mirrors.

    Examples
    --------
    >>> rows = CSR(np.array([0, 1, 2, 3]), np.array([2, 2, 0], np.int32))
    >>> find_identically_linked_pages(rows, np.arange(3, dtype=np.int32)).tolist()
    [-1, 0, -1]
    """
    first, mirrored = dict[bytes, int](), np.full(len(pages), -1, np.int32)
    for k, page in enumerate(pages.tolist()):
        links = np.asarray(outlinks.ids[outlinks.starts[page] : outlinks.starts[page + 1]])
        earlier = first.setdefault(links.tobytes(), k)
        mirrored[k] = earlier if earlier < k else -1
    return mirrored


CONTEXT_SCHEMA = pa.schema({name: pa.string() for name in ("before", "after")})
POSITION_SCHEMA = pa.schema([BLOCK_SCHEMA.field(name) for name in ("position", "path")])


def read_anchor_table(collection: Collection, page_numbers: Ids, outlinks: CSR) -> pa.Table:
    """Every link among some pages of a collection, with its anchor and the text around it.

    `page_numbers` ascend, and `outlinks` are the links that count, by positions
    in them. Links and anchors are read from the graph of the collection, the
    text around a link from the segment of its page.
    """
    if not (collection.checked_snapshot_path("graph") / "anchors.arrow").exists():
        return ANCHOR_SCHEMA.empty_table()
    key, columns = _link_columns(collection, page_numbers, outlinks)
    for name, column in _read_segment_columns(
        collection, page_numbers, key, CONTEXT_SCHEMA
    ).items():
        columns[name] = pc.fill_null(column, "").cast(pa.large_string())
    return pa.table(columns, schema=ANCHOR_SCHEMA)


def read_block_table(collection: Collection, page_numbers: Ids, outlinks: CSR) -> pa.Table:
    """The same links with their position in the text of the page, and the path of their block.

    Where these are unknown, as in edge lists, the position is -1 and the path empty.
    """
    if not (collection.checked_snapshot_path("graph") / "anchors.arrow").exists():
        return BLOCK_SCHEMA.empty_table()
    key, columns = _link_columns(collection, page_numbers, outlinks)
    stored = _read_segment_columns(collection, page_numbers, key, POSITION_SCHEMA)
    columns["position"] = pc.fill_null(stored["position"], -1)
    columns["path"] = pc.fill_null(stored["path"].cast(pa.string()), "").dictionary_encode()
    return pa.table(columns, schema=BLOCK_SCHEMA)


def read_anchor_texts(
    collection: Collection, page_numbers: Ids, sources: Ids, targets: Ids
) -> tuple[Offsets, pa.Array]:
    """The anchor texts of the links between pairs of pages: offsets of the pairs, and texts.

    Only the links of these pairs are read; parallel links have a text each.
    """
    from weft.kernels.csr import find_link_ranges  # noqa: PLC0415  which loads a compiler

    folder = collection.checked_snapshot_path("graph")
    if not (folder / "anchors.arrow").exists():
        return np.zeros(len(sources) + 1, np.int64), pa.array([], pa.large_string())
    rows, anchor_codes = read_links_with_anchors(collection, "out")
    pairs = page_numbers[sources], page_numbers[targets]
    first, last = find_link_ranges(np.asarray(rows.starts), np.asarray(rows.ids), *pairs)
    offsets = np.concatenate([[0], np.cumsum(last - first)])
    at = concatenate_ranges(first, last - first)
    codes, index = np.unique(anchor_codes[at], return_inverse=True)
    texts = distinct_anchor_texts(collection).take(pa.array(codes))
    return offsets, pa.DictionaryArray.from_arrays(pa.array(index.astype(np.int32)), texts)


@memoize
def read_links_with_anchors(collection: Collection, direction: LinkDirection) -> tuple[CSR, Ids]:
    """Every link on its page, parallel ones apart, and the code of its anchor; checked once."""
    path_prefix = f"{collection.checked_snapshot_path('graph')}/{direction}_link_"
    rows, n = map_csr(path_prefix), len(collection)
    check_csr(path_prefix, rows, n, row_count=n, allow_parallel=True)
    codes_path = Path(f"{path_prefix}anchors.npy")
    anchor_codes = map_array(codes_path, "<i4", length=len(rows.ids))
    check_ids(codes_path, anchor_codes, len(distinct_anchor_texts(collection)))
    return rows, anchor_codes


@memoize
def distinct_anchor_texts(collection: Collection) -> pa.Array:
    """The distinct anchor texts of a collection, by code."""
    path = collection.checked_snapshot_path("graph") / "anchors.arrow"
    return map_checked_table(path, ANCHOR_TEXT_SCHEMA)["anchor"].combine_chunks()


def _link_columns(
    collection: Collection, page_numbers: Ids, outlinks: CSR
) -> tuple[Offsets, dict[str, pa.Array]]:
    """The key, source, target and anchor text of every link on its page."""
    key, anchor_codes = _induced_links_with_anchors(collection, page_numbers, outlinks)
    return key, {
        "source": pa.array(unpack_first_ids(key).astype(np.int32)),
        "target": pa.array(unpack_second_ids(key).astype(np.int32)),
        "anchor": distinct_anchor_texts(collection).take(pa.array(anchor_codes)),
    }


def _induced_links_with_anchors(
    collection: Collection, page_numbers: Ids, outlinks: CSR
) -> tuple[Offsets, Ids]:
    """The key of every link on its page, if it is one of `outlinks`, and the code of its anchor."""
    rows, anchor_codes = read_links_with_anchors(collection, "out")
    at, source, target = induced_links(rows, page_numbers)
    key = pack_pairs(source, target)
    counts = np.isin(key, link_keys(outlinks))
    return key[counts], np.asarray(anchor_codes[at[counts]])


def _read_segment_columns(
    collection: Collection, page_numbers: Ids, key: Offsets, columns: pa.Schema
) -> dict[str, pa.ChunkedArray]:
    """Columns of the links from the segments of their pages; null where these have none."""
    rows = collection.pages.select(["segment", "row"]).take(pa.array(page_numbers))
    segment, row = (rows[name].to_numpy() for name in ("segment", "row"))
    alias_keys, alias_pages = _url_aliases(collection, page_numbers)
    positions, tables = [np.zeros(0, np.int64)], [columns.empty_table()]
    for s in np.unique(segment[segment >= 0]):
        part = collection.manifest.segments[s]
        if part.input_digest:
            continue
        folder, own = collection.checked_segment_folder(part), np.flatnonzero(segment == s)
        source = np.full(part.pages, -1, np.int64)
        source[row[own]] = own
        target = _match_urls(folder, alias_keys, alias_pages)
        matched, links = _match_links(folder, source, target, key)
        positions.append(matched)
        tables.append(_take_link_rows(folder, links, columns))
    # The row of each link in the concatenated tables, -1 for none.
    row_of_link = np.full(len(key), -1, np.int64)
    known = np.concatenate(positions)
    row_of_link[known] = np.arange(len(known))
    table = pa.concat_tables(tables).unify_dictionaries()
    indices = pa.array(row_of_link, mask=row_of_link < 0)
    return {name: table[name].take(indices) for name in columns.names}


def _url_aliases(collection: Collection, page_numbers: Ids) -> tuple[pa.Array, Ids]:
    """The URL keys of some pages and their aliases, and the position of the page of each."""
    aliases = collection.aliases
    rows = np.flatnonzero(np.isin(aliases["page"].to_numpy(), page_numbers))
    own_keys = collection.pages["key"].take(pa.array(page_numbers))
    other_keys = aliases["key"].take(pa.array(rows))
    pages = np.concatenate([page_numbers, aliases["page"].to_numpy()[rows]])
    chunks = [*own_keys.chunks, *other_keys.chunks]
    keys = pa.chunked_array(chunks, pa.large_string()).combine_chunks()
    return keys, np.searchsorted(page_numbers, pages).astype(np.int32)


def _match_urls(folder: Path, alias_keys: pa.Array, alias_pages: Ids) -> Ids:
    """The position of the page of each URL of a segment, -1 for none."""
    keys = segments.read_table(folder, "urls.parquet", ["key"])["key"].cast(pa.large_string())
    index = pc.fill_null(pc.index_in(keys, alias_keys), -1).to_numpy()
    return np.where(index >= 0, alias_pages[index], -1)


def _match_links(folder: Path, source: Ids, target: Ids, key: Offsets) -> tuple[Offsets, Offsets]:
    """Match the links of a segment with `key`: positions in `key`, and rows of the segment.

    Parallel links are matched in the order of the page, which both sides have.
    """
    table = segments.read_table(folder, "links.parquet", ["page", "target"])
    from_page, to_page = source[table["page"].to_numpy()], target[table["target"].to_numpy()]
    links = np.flatnonzero((from_page >= 0) & (to_page >= 0))
    own_key = pack_pairs(from_page[links], to_page[links])
    order = np.argsort(own_key, kind="stable")
    links, own_key = links[order], own_key[order]
    # The k-th link of a pair matches the k-th of the equal keys, if there are as many.
    first = np.searchsorted(key, own_key)
    position = first + np.arange(len(own_key)) - np.searchsorted(own_key, own_key)
    matched = np.searchsorted(key, own_key, side="right") > position
    return position[matched], links[matched]


def _take_link_rows(folder: Path, links: Offsets, columns: pa.Schema) -> pa.Table:
    """Columns of some links of a segment, in their order."""
    order = np.argsort(links, kind="stable")
    ascending, start, parts = links[order], 0, [columns.empty_table()]
    if len(links):
        for batch in segments.iter_batches(
            folder, "links.parquet", columns.names, segments.LINK_GROUP_ROWS
        ):
            bounds = np.searchsorted(ascending, [start, start + len(batch)])
            inside = ascending[slice(*bounds)] - start
            parts.append(pa.table(batch.take(pa.array(inside))))
            start += len(batch)
    # Undo the sort.
    inverse = np.empty(len(links), np.int64)
    inverse[order] = np.arange(len(links))
    return pa.concat_tables(parts).take(pa.array(inverse))


def neighbour_table(collection: Collection, page_number: int, direction: LinkDirection) -> pa.Table:
    """The links of a page in one direction: one row per link, by the URL of the other page."""
    if (collection.checked_snapshot_path("graph") / "anchors.arrow").exists():
        rows, anchor_codes = read_links_with_anchors(collection, direction)
        inside = slice(int(rows.starts[page_number]), int(rows.starts[page_number + 1]))
        others = rows.ids[inside]
        anchors = distinct_anchor_texts(collection).take(pa.array(anchor_codes[inside]))
    else:
        others = read_page_csr(collection, direction).row(page_number)
        anchors = pa.repeat("", len(others)).cast(pa.large_string())
    pages = collection.pages.select(["url", "title"]).take(pa.array(others))
    return pa.table(
        {
            "direction": pa.repeat(direction, len(others)),
            "url": pages["url"],
            "anchor": anchors,
            "title": pages["title"],
            "kind": collection.page_kinds(others),
        }
    )
