"""What the links among some pages say, and where they stand: anchors, words around, blocks."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import Ids, Offsets, Rows, lower, stacked, upper
from weft.graph.among import inner, keys
from weft.graph.baseset import ANCHORS, BLOCKS
from weft.graph.build import ANCHORS as TEXTS
from weft.graph.build import read_links
from weft.graph.options import End
from weft.store import segment as segments
from weft.store.collection import Collection
from weft.store.mapped import check_ids, check_rows, read_checked

WINDOW = pa.schema({name: pa.string() for name in ("before", "after")})
PLACE = pa.schema([BLOCKS.field(name) for name in ("position", "path")])


def read_anchors(collection: Collection, numbers: Ids, outlinks: Rows) -> pa.Table:
    """Every link among some pages of a collection, with its anchor and the words around it.

    `numbers` are the pages, ascending, and `outlinks` the links that count, by
    places among them. The graph of the collection knows every link and its
    anchor; the words around it lie in the segment of the page it stands on.
    """
    if not (collection.path("graph") / "anchors.arrow").exists():
        return ANCHORS.empty_table()
    key, columns = _said(collection, numbers, outlinks)
    for name, column in _beside(collection, numbers, key, WINDOW).items():
        columns[name] = pc.fill_null(column, "").cast(pa.large_string())
    return pa.table(columns, schema=ANCHORS)


def read_blocks(collection: Collection, numbers: Ids, outlinks: Rows) -> pa.Table:
    """The same links with their places: where in the text of the page, and in which block of it.

    A position is -1 and a path empty where they are not known, as in edge lists.
    """
    if not (collection.path("graph") / "anchors.arrow").exists():
        return BLOCKS.empty_table()
    key, columns = _said(collection, numbers, outlinks)
    found = _beside(collection, numbers, key, PLACE)
    columns["position"] = pc.fill_null(found["position"], -1)
    columns["path"] = pc.fill_null(found["path"].cast(pa.string()), "").dictionary_encode()
    return pa.table(columns, schema=BLOCKS)


def read_said(
    collection: Collection, numbers: Ids, sources: Ids, targets: Ids
) -> tuple[Offsets, pa.Array]:
    """What the links from pages to others say, and where each pair begins in it; last, its end.

    Only the links of these pairs are read, each as often as it stands on its page.
    """
    from weft.engine.inner import spans  # noqa: PLC0415  which loads a compiler

    folder = collection.path("graph")
    if not (folder / "anchors.arrow").exists():
        return np.zeros(len(sources) + 1, np.int64), pa.array([], pa.large_string())
    rows, said = every_link(collection, "out")
    pairs = numbers[sources], numbers[targets]
    first, last = spans(np.asarray(rows.starts), np.asarray(rows.ids), *pairs)
    ends = np.concatenate([[0], np.cumsum(last - first)])
    at = np.arange(ends[-1]) + np.repeat(first - ends[:-1], last - first)
    numbers, place = np.unique(said[at], return_inverse=True)
    words = anchor_texts(collection).take(pa.array(numbers))
    return ends, pa.DictionaryArray.from_arrays(pa.array(place.astype(np.int32)), words)


def every_link(collection: Collection, end: End) -> tuple[Rows, Ids]:
    """Every link as it stands on its page, and the number of its anchor; checked once."""

    def read() -> tuple[Rows, Ids]:
        folder, n = collection.path("graph"), len(collection)
        rows, anchors = read_links(folder, end)
        check_rows(f"{folder}/{end}_link_", rows, n, count=n, parallel=True)
        texts = len(anchor_texts(collection))
        check_ids(folder / f"{end}_link_anchors.npy", anchors, texts)
        return rows, anchors

    return collection.once(f"{end} links", read)


def anchor_texts(collection: Collection) -> pa.Array:
    """Every anchor text by its number."""
    path = collection.path("graph") / "anchors.arrow"
    table = collection.once("anchors", lambda: read_checked(path, TEXTS))
    return table["anchor"].combine_chunks()


def _said(
    collection: Collection, numbers: Ids, outlinks: Rows
) -> tuple[Offsets, dict[str, pa.Array]]:
    """The key of every link as often as it stands on its page, and its ends and anchor."""
    key, said = _shown(collection, numbers, outlinks)
    return key, {
        "source": pa.array(upper(key).astype(np.int32)),
        "target": pa.array(lower(key).astype(np.int32)),
        "anchor": anchor_texts(collection).take(pa.array(said)),
    }


def _shown(collection: Collection, numbers: Ids, outlinks: Rows) -> tuple[Offsets, Ids]:
    """The key of every link as often as it stands on its page, and the number of its anchor."""
    rows, said = every_link(collection, "out")
    at, source, target = inner(rows, numbers)
    key = stacked(source, target)
    counted = np.isin(key, keys(outlinks))
    return key[counted], np.asarray(said[at[counted]])


def _beside(
    collection: Collection, numbers: Ids, key: Offsets, columns: pa.Schema
) -> dict[str, pa.ChunkedArray]:
    """What segments keep of every link; null where no page tells."""
    where = collection.pages.select(["segment", "row"]).take(pa.array(numbers))
    home, row = (where[name].to_numpy() for name in ("segment", "row"))
    names, named = _spellings(collection, numbers)
    at, tables = [np.zeros(0, np.int64)], [columns.empty_table()]
    for s in np.unique(home[home >= 0]):
        part = collection.manifest.segments[s]
        if part.origin:
            continue
        folder, own = collection.segment_folder(part), np.flatnonzero(home == s)
        source, target = np.full(part.pages, -1, np.int64), _targets(folder, names, named)
        source[row[own]] = own
        places, links = _matched(folder, source, target, key)
        at.append(places)
        tables.append(_kept(folder, links, columns))
    place = np.full(len(key), -1, np.int64)
    known = np.concatenate(at)
    place[known] = np.arange(len(known))
    table = pa.concat_tables(tables).unify_dictionaries()
    return {name: table[name].take(pa.array(place, mask=place < 0)) for name in columns.names}


def _spellings(collection: Collection, numbers: Ids) -> tuple[pa.Array, Ids]:
    """The keys that URLs of some pages have, those of their aliases too, and which page each is."""
    aliases = collection.aliases
    folded = np.flatnonzero(np.isin(aliases["page"].to_numpy(), numbers))
    own, other = (
        collection.pages["key"].take(pa.array(numbers)),
        aliases["key"].take(pa.array(folded)),
    )
    pages = np.concatenate([numbers, aliases["page"].to_numpy()[folded]])
    names = pa.chunked_array([*own.chunks, *other.chunks], pa.large_string()).combine_chunks()
    return names, np.searchsorted(numbers, pages).astype(np.int32)


def _targets(folder: Path, names: pa.Array, named: Ids) -> Ids:
    """For each URL of a segment which of the pages it leads to, -1 for none of them."""
    own = segments.read(folder, "urls.parquet", ["key"])["key"].cast(pa.large_string())
    found = pc.fill_null(pc.index_in(own, names), -1).to_numpy()
    return np.where(found >= 0, named[found], -1)


def _matched(folder: Path, source: Ids, target: Ids, key: Offsets) -> tuple[Offsets, Offsets]:
    """Places in `key` of links of a segment, and where these stand in the segment.

    Where a link stands on its page several times, both sides have it in the
    order of the page.
    """
    ends = segments.read(folder, "links.parquet", ["page", "target"])
    from_page, to_page = source[ends["page"].to_numpy()], target[ends["target"].to_numpy()]
    links = np.flatnonzero((from_page >= 0) & (to_page >= 0))
    own = stacked(from_page[links], to_page[links])
    order = np.argsort(own, kind="stable")
    links, own = links[order], own[order]
    first = np.searchsorted(key, own)
    place = first + np.arange(len(own)) - np.searchsorted(own, own)
    counted = np.searchsorted(key, own, side="right") > place
    return place[counted], links[counted]


def _kept(folder: Path, links: Offsets, columns: pa.Schema) -> pa.Table:
    """What a segment keeps of some of its links, in their order."""
    order = np.argsort(links, kind="stable")
    ascending, start, pieces = links[order], 0, [columns.empty_table()]
    if len(links):
        names = columns.names
        for batch in segments.batches(folder, "links.parquet", names, segments.LINK_ROWS):
            bounds = np.searchsorted(ascending, [start, start + len(batch)])
            inside = ascending[slice(*bounds)] - start
            pieces.append(pa.table(batch.take(pa.array(inside))))
            start += len(batch)
    back = np.empty(len(links), np.int64)
    back[order] = np.arange(len(links))
    return pa.concat_tables(pieces).take(pa.array(back))
