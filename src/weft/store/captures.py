"""The captures of a collection: of each segment with their links, of one page, by period."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import Flags, Ids, Offsets
from weft.core.memoize import memoize
from weft.store import segment as segments
from weft.store.collection import Collection
from weft.store.manifest import Segment

CAPTURES_PER_BATCH, LINKS_PER_BATCH = 1 << 10, 1 << 16
LINK_TYPES = {"weight": pa.float64()}
TIME = pa.timestamp("s", "UTC")
MAX_PERIODS = 62
CAPTURE_SCHEMA = pa.schema(
    {
        "time": TIME,
        "url": pa.string(),
        "status": pa.int32(),
        "type": pa.string(),
        "language": pa.string(),
        "title": pa.string(),
        "characters": pa.int64(),
        "is_live": pa.bool_(),
    }
)


@dataclass(frozen=True, slots=True, eq=False)
class StoredSegment:
    """A segment with the page of each of its rows, -1 for a row that was removed.

    `live` marks the rows that are the capture that their page has now.
    """

    folder: Path
    is_graph: bool
    urls: pa.Array
    page_of_row: Ids
    live: Flags

    @classmethod
    def open(cls, collection: Collection, number: int) -> "StoredSegment":
        """Look up the pages of a segment by its place in the manifest."""
        part: Segment = collection.manifest.segments[number]
        folder = collection.checked_segment_folder(part)
        page_of_row = _page_of_row(collection, part, folder)
        live = np.zeros(part.pages, bool)
        pages = collection.pages
        live[pages["row"].to_numpy()[pages["segment"].to_numpy() == number]] = True
        names = segments.read_table(folder, "urls.parquet", ["url"])["url"].combine_chunks()
        return cls(folder, bool(part.input_digest), names, page_of_row, live)

    def urls_of(self, ids: Ids) -> pa.Array:
        """URLs by number; empty for -1."""
        return pc.fill_null(self.urls.take(pa.array(ids, mask=np.asarray(ids) < 0)), "")


def _page_of_row(collection: Collection, part: Segment, folder: Path) -> Ids:
    """The page of each row of a segment, under its own URL or an alias; -1 for a removed row."""
    keys = segments.read_table(folder, "urls.parquet", ["key"])["key"].combine_chunks()
    urls = segments.read_table(folder, "pages.parquet", ["url"])["url"].to_numpy()
    page_of_row: Ids = collection.page_numbers_of_keys(keys)[urls]
    page_of_row[segments.read_removed_rows(folder, part)] = -1
    return page_of_row


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


@dataclass(frozen=True, slots=True, eq=False)
class Captures:
    """The captures of all pages, ordered by page, then by time.

    `page` is the page of each, under its own URL or an alias, `segment` and
    `row` where it is stored, `time` in Unix seconds, zero if it is not known.
    """

    page: Ids
    segment: Ids
    row: Ids
    time: Offsets

    def of(self, page: int) -> slice:
        """Where the captures of a page are."""
        first, last = np.searchsorted(self.page, [page, page + 1])
        return slice(int(first), int(last))


@memoize
def read_captures(collection: Collection) -> Captures:
    """The captures of a collection; those of graphs and logs are none."""
    pages, owners, rows, times = (list[np.ndarray]() for _ in range(4))
    for number, part in enumerate(collection.manifest.segments):
        if part.input_digest or "pages.parquet" not in part.files:
            continue
        folder = collection.checked_segment_folder(part, "pages.parquet", "urls.parquet")
        pages.append(_page_of_row(collection, part, folder))
        owners.append(np.full(part.pages, number, np.int32))
        rows.append(np.arange(part.pages, dtype=np.int32))
        times.append(segments.read_table(folder, "pages.parquet", ["time"])["time"].to_numpy())
    if not pages:
        empty = np.zeros(0, np.int32)
        return Captures(empty, empty, empty, empty.astype(np.int64))
    page, segment, row, time = map(np.concatenate, (pages, owners, rows, times))
    order = np.lexsort((row, segment, time, page))
    order = order[page[order] >= 0]
    return Captures(page[order], segment[order], row[order], time[order].astype(np.int64))


def captures_of_page(collection: Collection, page: int) -> pa.Table:
    """The captures of a page, latest first: time, URL, status, type, language, title, characters.

    `is_live` says which of them the page is, in searches and rankings.
    """
    captures = read_captures(collection)
    own = captures.of(page)
    live = tuple(collection.pages[name][page].as_py() for name in ("segment", "row"))
    rows = [
        _read_capture(collection, int(owner), int(row), is_live=(owner, row) == live)
        for owner, row in zip(captures.segment[own], captures.row[own], strict=True)
    ][::-1]
    return pa.Table.from_pylist(rows, CAPTURE_SCHEMA)


def _read_capture(
    collection: Collection, owner: int, row: int, *, is_live: bool
) -> dict[str, object]:
    folder = collection.checked_segment_folder(
        collection.manifest.segments[owner], "pages.parquet", "urls.parquet"
    )
    columns = ["time", "status", "mime", "language", "title", "text", "url"]
    [found] = segments.read_page_rows(folder, [row], columns).to_pylist()
    return {
        "time": found["time"] or None,
        "url": segments.read_url(folder, found["url"]),
        "status": found["status"],
        "type": media_type(found["mime"]),
        "language": found["language"],
        "title": found["title"],
        "characters": len(found["text"] or ""),
        "is_live": is_live,
    }


def media_type(mime: str | None) -> str:
    """A media type without its parameters.

    Examples
    --------
    >>> media_type("Text/HTML; charset=utf-8")
    'text/html'
    """
    return (mime or "").partition(";")[0].strip().lower()


def count_by_period(times: Offsets) -> tuple[str, list[tuple[str, int]]]:
    """The numbers of captures a year, a month or a day, whichever shows most; without gaps.

    Times that are not known are not counted.

    Examples
    --------
    >>> day = 86_400
    >>> count_by_period(np.array([0, day, day, 3 * day]))
    ('day', [('1970-01-02', 2), ('1970-01-03', 0), ('1970-01-04', 1)])
    """
    known = times[times > 0].astype("datetime64[s]")
    if not len(known):
        return "year", []
    first, last = known.min(), known.max()
    unit = next(
        (name for name in ("day", "month") if _periods(first, last, name) <= MAX_PERIODS), "year"
    )
    code: str = {"day": "D", "month": "M", "year": "Y"}[unit]
    starts = known.astype(f"datetime64[{code}]").astype(np.int64)
    counts = np.bincount(starts - starts.min())
    labels = np.arange(starts.min(), starts.max() + 1).astype(f"datetime64[{code}]").astype(str)
    return unit, list(zip(labels.tolist(), counts.tolist(), strict=True))


def _periods(first: np.datetime64, last: np.datetime64, unit: str) -> int:
    code: str = {"day": "D", "month": "M"}[unit]
    ends = np.array([first, last]).astype(f"datetime64[{code}]").astype(np.int64)
    return int(ends[1] - ends[0]) + 1
