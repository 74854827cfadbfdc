"""Anchor texts: of the links among some pages, and of the links of one page."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import CSR, Ids, Offsets, pack_pairs, unpack_first_ids, unpack_second_ids
from weft.core.memoize import memoize
from weft.graph.baseset.baseset import ANCHOR_SCHEMA, BLOCK_SCHEMA
from weft.graph.build import ANCHOR_TEXT_SCHEMA, read_anchored_links
from weft.graph.levels import read_page_csr
from weft.graph.selection import LinkDirection
from weft.graph.views import induced_links, link_keys
from weft.store import segment as segments
from weft.store.arrow_files import check_csr, check_ids, map_checked_table
from weft.store.collection import Collection

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
    at = np.arange(offsets[-1]) + np.repeat(first - offsets[:-1], last - first)
    codes, index = np.unique(anchor_codes[at], return_inverse=True)
    texts = distinct_anchor_texts(collection).take(pa.array(codes))
    return offsets, pa.DictionaryArray.from_arrays(pa.array(index.astype(np.int32)), texts)


@memoize
def read_links_with_anchors(collection: Collection, direction: LinkDirection) -> tuple[CSR, Ids]:
    """Every link on its page, parallel ones apart, and the code of its anchor; checked once."""
    folder, n = collection.checked_snapshot_path("graph"), len(collection)
    rows, anchor_codes = read_anchored_links(folder, direction)
    check_csr(f"{folder}/{direction}_link_", rows, n, row_count=n, allow_parallel=True)
    text_count = len(distinct_anchor_texts(collection))
    check_ids(folder / f"{direction}_link_anchors.npy", anchor_codes, text_count)
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
