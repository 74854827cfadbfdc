"""What the links among some pages say: their anchors, and the words around them."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import Ids, Offsets, Rows
from weft.graph.among import inner, keys
from weft.graph.baseset import ANCHORS
from weft.store import segment as segments
from weft.store.collection import Collection
from weft.store.mapped import read_mapped

WINDOW = ("before", "after")
NOTHING = pa.schema({name: pa.string() for name in WINDOW}).empty_table()


def read_anchors(
    collection: Collection, numbers: Ids, outlinks: Rows, *, around: bool = True
) -> pa.Table:
    """Every link among some pages of a collection, with its anchor and the words around it.

    `numbers` are the pages, ascending, and `outlinks` the links that count, by
    places among them. The graph of the collection knows every link and its
    anchor; the words around it lie in the segment of the page it stands on,
    take far longer to read, and are empty where `around` is false.
    """
    folder = collection.path("graph")
    if not (folder / "anchors.arrow").exists():
        return ANCHORS.empty_table()
    key, said = _shown(collection, numbers, outlinks)
    words = read_mapped(folder / "anchors.arrow")["anchor"].chunk(0)
    columns = {
        "source": pa.array((key >> 32).astype(np.int32)),
        "target": pa.array((key & 0xFFFFFFFF).astype(np.int32)),
        "anchor": words.take(pa.array(said)),
    }
    if not around:
        empty = pa.repeat(pa.scalar("", pa.large_string()), len(key))
        return pa.table({**columns, **dict.fromkeys(WINDOW, empty)}, schema=ANCHORS)
    for name, column in _around(collection, numbers, key).items():
        columns[name] = pc.fill_null(column, "").cast(pa.large_string())
    return pa.table(columns, schema=ANCHORS)


def _shown(collection: Collection, numbers: Ids, outlinks: Rows) -> tuple[Offsets, Ids]:
    """The key of every link as often as it stands on its page, and the number of its anchor."""
    folder = collection.path("graph")
    starts, ids, said = (
        np.load(folder / f"out_{name}.npy", mmap_mode="r")
        for name in ("link_starts", "link_ids", "link_anchors")
    )
    at, key = inner(Rows(starts, ids), numbers)
    counted = np.isin(key, keys(outlinks))
    return key[counted], np.asarray(said[at[counted]])


def _around(collection: Collection, numbers: Ids, key: Offsets) -> dict[str, pa.ChunkedArray]:
    """The words before and after every link; null where no page tells."""
    where = collection.pages.select(["segment", "row"]).take(pa.array(numbers))
    home, row = (where[name].to_numpy() for name in ("segment", "row"))
    names, named = spellings(collection, numbers)
    at, tables = [np.zeros(0, np.int64)], [NOTHING]
    for s in np.unique(home[home >= 0]):
        part = collection.manifest.segments[s]
        if part.origin:
            continue
        folder, own = collection.segment_folder(part), np.flatnonzero(home == s)
        source, target = np.full(part.pages, -1, np.int64), _targets(folder, names, named)
        source[row[own]] = own
        places, links = _matched(folder, source, target, key)
        at.append(places)
        tables.append(_window(folder, links))
    place = np.full(len(key), -1, np.int64)
    known = np.concatenate(at)
    place[known] = np.arange(len(known))
    table = pa.concat_tables(tables)
    return {name: table[name].take(pa.array(place, mask=place < 0)) for name in WINDOW}


def spellings(collection: Collection, numbers: Ids) -> tuple[pa.Array, Ids]:
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
    own = from_page[links] << 32 | to_page[links]
    order = np.argsort(own, kind="stable")
    links, own = links[order], own[order]
    first = np.searchsorted(key, own)
    place = first + np.arange(len(own)) - np.searchsorted(own, own)
    counted = np.searchsorted(key, own, side="right") > place
    return place[counted], links[counted]


def _window(folder: Path, links: Offsets) -> pa.Table:
    """The words around some links of a segment, in their order."""
    order = np.argsort(links, kind="stable")
    ascending, start, pieces = links[order], 0, [NOTHING]
    if len(links):
        for batch in segments.batches(folder, "links.parquet", WINDOW, segments.LINK_ROWS):
            bounds = np.searchsorted(ascending, [start, start + len(batch)])
            inside = ascending[slice(*bounds)] - start
            pieces.append(pa.table(batch.take(pa.array(inside))))
            start += len(batch)
    back = np.empty(len(links), np.int64)
    back[order] = np.arange(len(links))
    return pa.concat_tables(pieces).take(pa.array(back))
