"""Every capture of a collection and its links, segment by segment, as they were stored."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import Flags, Ids
from weft.store import segment as segments
from weft.store.collection import Collection
from weft.store.manifest import Segment

CAPTURES_PER_BATCH, LINKS_PER_BATCH = 1 << 10, 1 << 16
LINK_TYPES = {"weight": pa.float64()}
TIME = pa.timestamp("s", "UTC")


@dataclass(frozen=True, slots=True, eq=False)
class StoredSegment:
    """A segment with the page of each of its URLs and rows, -1 for a row that was removed.

    `live` marks the rows that are the capture that their page has now.
    """

    folder: Path
    is_graph: bool
    urls: pa.Array
    page_of_url: Ids
    page_of_row: Ids
    live: Flags

    @classmethod
    def open(cls, collection: Collection, number: int) -> "StoredSegment":
        """Look up the pages of a segment by its place in the manifest."""
        part: Segment = collection.manifest.segments[number]
        folder = collection.checked_segment_folder(part)
        urls = segments.read_table(folder, "urls.parquet")
        page_of_url = collection.page_numbers_of_keys(urls["key"].combine_chunks())
        rows = segments.read_table(folder, "pages.parquet", ["url"])["url"].to_numpy()
        page_of_row = page_of_url[rows]
        page_of_row[segments.read_removed_rows(folder, part)] = -1
        live = np.zeros(part.pages, bool)
        pages = collection.pages
        live[pages["row"].to_numpy()[pages["segment"].to_numpy() == number]] = True
        names = urls["url"].combine_chunks()
        return cls(folder, bool(part.input_digest), names, page_of_url, page_of_row, live)

    def urls_of(self, ids: Ids) -> pa.Array:
        """URLs by number; empty for -1."""
        return pc.fill_null(self.urls.take(pa.array(ids, mask=np.asarray(ids) < 0)), "")


def open_segments(collection: Collection) -> Iterator[StoredSegment]:
    """The segments with pages, oldest first."""
    for number, part in enumerate(collection.manifest.segments):
        if part.pages:
            yield StoredSegment.open(collection, number)


def iter_captures(
    collection: Collection, columns: Sequence[str], pages: Flags | None = None
) -> Iterator[pa.Table]:
    """Columns of the captures of some pages, with `page` (its number), `url` and `live`.

    Redirects are captures of the page that they lead to. Names of graphs
    without text are no captures.
    """
    for segment in open_segments(collection):
        if segment.is_graph:
            continue
        start = 0
        for batch in segments.iter_batches(
            segment.folder, "pages.parquet", ["url", *columns], CAPTURES_PER_BATCH
        ):
            page = segment.page_of_row[start : start + len(batch)]
            kept = page >= 0 if pages is None else (page >= 0) & pages[page]
            table = pa.table(batch).filter(pa.array(kept))
            for name in ("url", "canonical", "redirect"):
                if name in table.column_names:
                    at, ids = table.column_names.index(name), table[name].to_numpy()
                    table = table.set_column(at, name, segment.urls_of(ids))
            live = segment.live[start : start + len(batch)][kept]
            start += len(batch)
            yield table.append_column("page", pa.array(page[kept])).append_column(
                "live", pa.array(live)
            )


def iter_capture_links(
    collection: Collection,
    columns: Sequence[str],
    pages: Flags | None = None,
    *,
    live_only: bool = True,
) -> Iterator[pa.Table]:
    """The links of the captures of some pages: `source`, `target`, `time`, and columns of links.

    With `live_only`, those of the capture that each page has now; links of
    graphs without text always count. A column that a segment lacks is null.
    """
    kinds = {
        name: LINK_TYPES.get(name, segments.COLUMN_TYPES["links.parquet"][name][0])
        for name in columns
    }
    for segment in open_segments(collection):
        page, kept = segment.page_of_row, segment.page_of_row >= 0
        if pages is not None:
            kept &= pages[page]
        if live_only and not segment.is_graph:
            kept &= segment.live
        if not kept.any():
            continue
        stored = segments.read_table(segment.folder, "pages.parquet", ["url", "time", "kind"])
        if not live_only and not segment.is_graph:
            captured = pc.equal(stored["kind"].cast(pa.string()), "captured")
            kept &= captured.to_numpy(zero_copy_only=False)
        urls = stored["url"].to_numpy()
        times = (
            stored["time"].to_numpy() if "time" in stored.column_names else np.zeros(len(urls), int)
        )
        for batch in segments.iter_batches(
            segment.folder, "links.parquet", ["page", "target", *columns], LINKS_PER_BATCH
        ):
            inside = kept[batch["page"].to_numpy()]
            table = pa.table(batch).filter(pa.array(inside))
            row = table["page"].to_numpy()
            present = set(table.column_names)
            yield pa.table(
                {
                    "source": segment.urls_of(urls[row]),
                    "target": segment.urls_of(table["target"].to_numpy()),
                    "time": pa.array(times[row]),
                    **{
                        name: table[name].cast(kind)
                        if name in present
                        else pa.nulls(len(table), kind)
                        for name, kind in kinds.items()
                    },
                }
            )


def to_times(seconds: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Seconds since 1970 as a time, null where it is not known."""
    return pc.if_else(pc.greater(seconds, 0), seconds, None).cast(TIME)
