"""The captures of one page, and how many captures there are in each period."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from weft.core.arrays import Ids, Offsets
from weft.core.memoize import memoize
from weft.store import segment as segments
from weft.store.collection import Collection

MAX_PERIODS = 62
CAPTURE_SCHEMA = pa.schema(
    {
        "time": pa.timestamp("s", "UTC"),
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
        keys = segments.read_table(folder, "urls.parquet", ["key"])["key"].combine_chunks()
        page_of_url = collection.page_numbers_of_keys(keys)
        table = segments.read_table(folder, "pages.parquet", ["url", "time"])
        urls, seconds = table["url"].to_numpy(), table["time"].to_numpy()
        page_of_row = page_of_url[urls]
        page_of_row[segments.read_removed_rows(folder, part)] = -1
        pages.append(page_of_row)
        owners.append(np.full(len(urls), number, np.int32))
        rows.append(np.arange(len(urls), dtype=np.int32))
        times.append(seconds)
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
