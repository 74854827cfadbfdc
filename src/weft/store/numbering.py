"""Number the pages of a snapshot by reversed host and path, and resolve their aliases."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import Flags, Ids, Offsets
from weft.core.progress import track
from weft.gather.url import domain
from weft.store import segment as segments
from weft.store.arrow_files import (
    ScratchTable,
    map_arrow_file,
    merge_distinct_rows,
    write_arrow_file,
)
from weft.store.manifest import Segment

PAGE_KINDS = {"captured": 0, "error": 1, "listed": 2, "uncaptured": 3}
PAGE_KIND_NAMES = pa.array(list(PAGE_KINDS))
REDIRECT_KIND, REMOVED_KIND = 4, -1
CAPTURE_KINDS = (PAGE_KINDS["captured"], PAGE_KINDS["error"], REDIRECT_KIND)
BLOCK_ROWS = 1 << 16

PAGE_SCHEMA = pa.schema(
    {
        "key": pa.large_string(),
        "url": pa.large_string(),
        "title": pa.large_string(),
        "language": pa.large_string(),
        "time": pa.int64(),
        "kind": pa.int8(),
        "captures": pa.int32(),
        "segment": pa.int32(),
        "row": pa.int32(),
    }
)
ALIAS_SCHEMA = pa.schema(
    {"key": pa.large_string(), "url": pa.large_string(), "page": pa.int32(), "reason": pa.string()}
)
RECORD_SCHEMA = pa.schema(
    {
        "url": pa.int32(),
        "redirect": pa.int32(),
        "canonical": pa.int32(),
        "kind": pa.int8(),
        "row": pa.int32(),
        "time": pa.int64(),
        "capture": pa.uint64(),
        "reason": pa.large_string(),
        "title": pa.large_string(),
        "language": pa.large_string(),
    }
)
RECORD_DEFAULTS = {
    "redirect": -1,
    "canonical": -1,
    "time": 0,
    "capture": 0,
    "reason": "",
    "language": "",
}
TEXT_COLUMNS = ("reason", "title", "language")
NUMBER_SCHEMA = pa.schema({"number": pa.int32()})
URL_SCHEMA = pa.schema({"key": pa.large_string(), "url": pa.large_string()})
URL_BATCH_ROWS = 1 << 17


@dataclass(frozen=True, slots=True, eq=False)
class Numbering:
    """The pages of a snapshot, and the page number of every URL and row of its segments.

    `page_of_url[s][u]` is the page of URL u of segment s, -1 where no live row
    refers to it; `page_of_row[s][r]` is the page that row r of segment s holds
    the content of, -1 where another row does.
    """

    pages: pa.Table
    aliases: pa.Table
    page_of_url: list[Ids]
    page_of_row: list[Ids]


@dataclass(frozen=True, slots=True, eq=False)
class Records:
    """The rows of `pages.parquet` of all segments, with URLs numbered over all segments.

    The records of segment s are `starts[s]` to `starts[s + 1]`, batch by batch,
    each batch sorted by URL, which keeps reads of the scratch table local. `row`
    is the row a record came from, counted over all segments; `kind` is a code
    of `PAGE_KINDS`, `REDIRECT_KIND`, or `REMOVED_KIND` for a removed row.
    """

    starts: Offsets
    texts: ScratchTable
    url: Ids
    redirect: Ids
    canonical: Ids
    kind: npt.NDArray[np.int8]
    row: Ids
    time: Offsets
    capture: npt.NDArray[np.uint64]

    def __len__(self) -> int:
        return len(self.url)

    def iter_of_kind(self, *kinds: int) -> Iterator[Offsets]:
        """Yield the positions of the records of some kinds, a block at a time."""
        for start, end in _block_bounds(len(self)):
            yield start + np.flatnonzero(np.isin(self.kind[start:end], kinds))


@dataclass(frozen=True, slots=True, eq=False)
class UrlStates:
    """Of every URL: its live record, the URL that represents it, and its kind.

    `live_record` is -1 for none. `kind` is a code of `PAGE_KINDS`, and -1 for an
    alias of another URL and for a URL that no live record mentions.
    """

    live_record: Ids
    representative: Ids
    kind: npt.NDArray[np.int8]


def number_pages(folder: Path, parts: Sequence[Segment], into: Path) -> Numbering:
    """Choose the live capture of each URL, resolve aliases, and number the pages.

    Of several captures of a URL the latest is live. A redirect, an immediate
    refresh and a canonical URL of the same domain make a URL an alias of
    another page; a page that was never captured under its own URL adopts the
    latest capture of those that name it as canonical. The tables of pages and
    aliases are written to `into` in blocks of rows: memory holds numbers alone,
    texts stay in scratch files.
    """
    folders = [folder / part.name for part in parts]
    with ScratchTable(into, URL_SCHEMA) as urls, ScratchTable(into, RECORD_SCHEMA) as scratch:
        url_ids = merge_segment_urls(folders, urls)
        records = _read_records(folders, parts, url_ids, scratch)
        live_record = _latest_captures(records, urls.row_count)
        representative = _resolve_aliases(_alias_targets(records, live_record, urls))
        _adopt_canonical_captures(records, live_record, representative)
        states = UrlStates(live_record, representative, np.full(urls.row_count, -1, np.int8))
        url_of_row = _assign_rows_to_urls(records, states)
        segment_rows = [url_of_row[start:end] for start, end in pairwise(records.starts)]
        _mark_uncaptured_targets(folders, parts, segment_rows, url_ids, states)
        _mark_uncaptured_redirects(records, states)
        _mark_requested_pages(folders, parts, url_ids, states)
        _choose_listed_records(records, states, parts)
        # URLs are sorted, so that counting the pages among them numbers these in order.
        is_page = states.kind >= 0
        numbers = np.where(is_page, np.cumsum(is_page, dtype=np.int32) - 1, np.int32(-1))
        page_of_url = numbers[representative]
        pages = _write_page_table(urls, records, states, into / "pages.arrow")
        aliases = _write_alias_table(urls, records, states, page_of_url, into / "aliases.arrow")
    for start, end in _block_bounds(len(url_of_row)):
        url = url_of_row[start:end]
        # In place: `segment_rows` are views, which hold page numbers from here on.
        url_of_row[start:end] = np.where(url >= 0, page_of_url[url], -1)
    return Numbering(
        pages, aliases, _page_numbers_by_segment(page_of_url, url_ids, into), segment_rows
    )


def _block_bounds(end: int, start: int = 0) -> Iterator[tuple[int, int]]:
    """Cut the range from `start` to `end` into blocks of `BLOCK_ROWS`."""
    for at in range(start, end, BLOCK_ROWS):
        yield at, min(at + BLOCK_ROWS, end)


def _read_records(
    folders: Sequence[Path], parts: Sequence[Segment], url_ids: list[Ids], scratch: ScratchTable
) -> Records:
    starts = [0]
    for folder, part, ids in zip(folders, parts, url_ids, strict=True):
        kept = np.ones(part.pages, bool)
        kept[segments.read_removed_rows(folder, part)] = False
        for batch in segments.iter_batches(
            folder, "pages.parquet", RECORD_SCHEMA.names, BLOCK_ROWS
        ):
            at = scratch.row_count - starts[-1]
            scratch.append(
                _batch_to_records(batch, ids, kept[at : at + len(batch)], scratch.row_count)
            )
        starts.append(scratch.row_count)
    table = scratch.to_table()
    numeric = [name for name in RECORD_SCHEMA.names if name not in TEXT_COLUMNS]
    arrays = {name: table[name].chunk(0).to_numpy() for name in numeric}
    return Records(np.array(starts), scratch, **arrays)


def _batch_to_records(batch: pa.RecordBatch, url_ids: Ids, kept: Flags, first_row: int) -> pa.Table:
    """Turn rows of a segment into records sorted by URL; a graph's missing columns get defaults."""
    columns: dict[str, Any] = {
        name: pa.repeat(pa.scalar(default, RECORD_SCHEMA.field(name).type), len(batch))
        for name, default in RECORD_DEFAULTS.items()
    }
    columns |= {name: batch[name] for name in batch.schema.names}
    for name in ("url", "redirect", "canonical"):
        values = columns[name].to_numpy()
        columns[name] = np.where(values >= 0, url_ids[values], -1)
    # "redirect" comes after the page kinds, so that its code is REDIRECT_KIND.
    kinds = pc.index_in(columns["kind"], pa.array([*PAGE_KINDS, "redirect"])).to_numpy()
    columns["kind"] = np.where(kept, kinds, REMOVED_KIND).astype(np.int8)
    columns["row"] = np.arange(first_row, first_row + len(batch), dtype=np.int32)
    order = np.argsort(columns["url"], kind="stable")
    return pa.table(columns).take(pa.array(order))


def _latest_captures(records: Records, url_count: int) -> Ids:
    """The live record of each URL: its latest capture, ties by digest; -1 for none."""
    live = np.full(url_count, -1, np.int32)
    url, time, capture = records.url, records.time, records.capture
    for block in records.iter_of_kind(*CAPTURE_KINDS):
        # Of each URL the last record of the block, by time, then by digest.
        order = np.lexsort((capture[block], time[block], url[block]))
        rows = block[order][np.flatnonzero(np.diff(url[block[order]], append=-1))]
        # It replaces the record of an earlier block where it is later.
        held = live[url[rows]]
        same = time[rows] == time[held]
        later = np.where(same, capture[rows] >= capture[held], time[rows] > time[held])
        rows = rows[later | (held < 0)]
        live[url[rows]] = rows
    return live


def _alias_targets(records: Records, live_record: Ids, urls: ScratchTable) -> Ids:
    """For each URL the URL it redirects to or names as canonical, itself for none.

    A redirect wins; a canonical URL counts on the same domain alone.
    """
    target = np.arange(len(live_record), dtype=np.int32)
    for start, end in _block_bounds(len(live_record)):
        captured = start + np.flatnonzero(live_record[start:end] >= 0)
        redirect, canonical = (
            column[live_record[captured]] for column in (records.redirect, records.canonical)
        )
        target[captured[redirect >= 0]] = redirect[redirect >= 0]
        candidate = (canonical >= 0) & (redirect < 0) & (canonical != captured)
        own_urls, canonical_urls = (
            urls.take(pa.array(ids[candidate]), ["url"])["url"].to_pylist()
            for ids in (captured, canonical)
        )
        candidate[candidate] = [
            domain(own) == domain(other)
            for own, other in zip(own_urls, canonical_urls, strict=True)
        ]
        target[captured[candidate]] = canonical[candidate]
    return target


def _resolve_aliases(target: Ids) -> Ids:
    """Follow aliases to their ends; the first URL of a cycle represents the cycle."""
    end = _pointer_jump(target)
    # An end that leads on lies on a cycle: cut each cycle at its first member.
    on_cycle = np.unique(end[target[end] != end])
    while len(on_cycle):
        member = start = int(on_cycle[0])
        cycle = [start]
        while (member := int(target[member])) != start:
            cycle.append(member)
        target[min(cycle)] = min(cycle)
        on_cycle = np.setdiff1d(on_cycle, cycle)
    return _pointer_jump(target)


def _pointer_jump(target: Ids) -> Ids:
    """Double the steps 32 times, enough for a path of 2^32 aliases."""
    for _ in range(32):
        further = target[target]
        if np.array_equal(further, target):
            break
        target = further
    return target


def _adopt_canonical_captures(records: Records, live_record: Ids, representative: Ids) -> None:
    """Give a page that was not captured itself the latest capture that names it as canonical."""
    pairs = [np.zeros((2, 0), np.int32)]
    for start, end in _block_bounds(len(live_record)):
        captured = start + np.flatnonzero(live_record[start:end] >= 0)
        rows, roots = live_record[captured], representative[captured]
        chosen = records.kind[rows] == PAGE_KINDS["captured"]
        chosen &= (records.canonical[rows] >= 0) & (records.redirect[rows] < 0)
        chosen &= (live_record[roots] < 0) | (
            records.kind[live_record[roots]] != PAGE_KINDS["captured"]
        )
        pairs.append(np.stack([rows[chosen], roots[chosen]]))
    rows, roots = np.concatenate(pairs, axis=1)
    # Of several assignments to one root the last stays: the latest capture.
    order = np.lexsort((records.url[rows], records.capture[rows], records.time[rows], roots))
    live_record[roots[order]] = rows[order]


def _assign_rows_to_urls(records: Records, states: UrlStates) -> Ids:
    """The URL that each row holds the content of, -1 for none; set the kinds of these URLs."""
    url_of_row = np.full(len(records), -1, np.int32)
    for rows in records.iter_of_kind(PAGE_KINDS["listed"]):
        url_of_row[records.row[rows]] = roots = states.representative[records.url[rows]]
        states.kind[roots] = PAGE_KINDS["listed"]
    for start, end in _block_bounds(len(states.representative)):
        urls = start + np.flatnonzero(states.representative[start:end] == np.arange(start, end))
        urls = urls[states.live_record[urls] >= 0]
        urls = urls[records.kind[states.live_record[urls]] != REDIRECT_KIND]
        rows = states.live_record[urls]
        url_of_row[records.row[rows]] = urls
        states.kind[urls] = records.kind[rows]
    return url_of_row


def _mark_uncaptured_targets(
    folders: Sequence[Path],
    parts: Sequence[Segment],
    segment_rows: list[Ids],
    url_ids: list[Ids],
    states: UrlStates,
) -> None:
    """Mark the link targets of live pages as uncaptured, unless they have a kind."""
    for folder, part, url_of_row, ids in zip(folders, parts, segment_rows, url_ids, strict=True):
        if part.input_digest and not part.removed:
            continue  # every target is a listed page
        for batch in segments.iter_batches(folder, "links.parquet", ["page", "target"], 1 << 20):
            live = url_of_row[batch["page"].to_numpy()] >= 0
            _mark_uncaptured(states.representative[ids[batch["target"].to_numpy()[live]]], states)


def _mark_uncaptured_redirects(records: Records, states: UrlStates) -> None:
    """Mark the targets of redirects as uncaptured, unless they have a kind."""
    for rows in records.iter_of_kind(*CAPTURE_KINDS):
        _mark_uncaptured(
            states.representative[records.url[rows[records.redirect[rows] >= 0]]], states
        )


def _mark_requested_pages(
    folders: Sequence[Path], parts: Sequence[Segment], url_ids: list[Ids], states: UrlStates
) -> None:
    """Mark the pages of requests as uncaptured, unless they have a kind."""
    for folder, part, ids in zip(folders, parts, url_ids, strict=True):
        if part.inputs:
            requested = segments.requested_urls(folder, len(ids))
            _mark_uncaptured(states.representative[ids[requested]], states)


def _mark_uncaptured(urls: Ids, states: UrlStates) -> None:
    states.kind[urls[states.kind[urls] < 0]] = PAGE_KINDS["uncaptured"]


def _choose_listed_records(records: Records, states: UrlStates, parts: Sequence[Segment]) -> None:
    """Choose a record for each listed page: one with a title if there is any.

    Of several the one of the graph with the smallest digest counts, so that the
    order of additions does not matter.
    """
    states.live_record[np.isin(states.kind, [PAGE_KINDS["listed"], PAGE_KINDS["uncaptured"]])] = -1
    graphs = [s for s, part in enumerate(parts) if part.input_digest]
    graphs.sort(key=lambda s: (parts[s].input_digest, parts[s].part), reverse=True)
    # Later assignments win: records with titles come second.
    for s, titled in ((s, titled) for titled in (False, True) for s in graphs):
        for start, end in _block_bounds(records.starts[s + 1], records.starts[s]):
            chosen = records.kind[start:end] == PAGE_KINDS["listed"]
            chosen &= states.kind[records.url[start:end]] == PAGE_KINDS["listed"]
            if titled:
                titles = records.texts.take(pa.array(np.arange(start, end)), ["title"])["title"]
                chosen &= pc.not_equal(titles, "").to_numpy()
            rows = start + np.flatnonzero(chosen)
            states.live_record[records.url[rows]] = rows


def _write_page_table(
    urls: ScratchTable, records: Records, states: UrlStates, path: Path
) -> pa.Table:
    """Write the pages in the order of their numbers, and map the table."""
    captures = np.zeros(urls.row_count, np.int32)
    for block in records.iter_of_kind(*CAPTURE_KINDS):
        np.add.at(captures, states.representative[records.url[block]], 1)
    with ScratchTable(path.parent, PAGE_SCHEMA) as pages:
        for start, end in _block_bounds(urls.row_count):
            page_urls = start + np.flatnonzero(states.kind[start:end] >= 0)
            rows = states.live_record[page_urls]
            segment = np.searchsorted(records.starts, rows, side="right") - 1
            pages.append(
                {
                    **_take_texts(urls, page_urls, ["key", "url"]),
                    **_take_texts(records.texts, rows, ["title", "language"]),
                    "time": _take_or(records.time, rows, 0),
                    "kind": states.kind[page_urls],
                    "captures": captures[page_urls],
                    "segment": segment,
                    "row": _take_or(records.row, rows, -1) - records.starts[segment] * (rows >= 0),
                }
            )
        return _write_and_map(pages, path)


def _write_alias_table(
    urls: ScratchTable, records: Records, states: UrlStates, page_of_url: Ids, path: Path
) -> pa.Table:
    """Write the URLs that are aliases of a page, sorted by key, with the reason; map the table."""
    with ScratchTable(path.parent, ALIAS_SCHEMA) as aliases:
        for start, end in _block_bounds(urls.row_count):
            is_alias = states.representative[start:end] != np.arange(start, end)
            alias_urls = start + np.flatnonzero(is_alias & (page_of_url[start:end] >= 0))
            rows = states.live_record[alias_urls]
            reason = _take_texts(records.texts, rows, ["reason"])["reason"]
            reason = pc.if_else(pc.equal(reason, ""), "canonical", reason)
            names = _take_texts(urls, alias_urls, ["key", "url"])
            aliases.append({**names, "page": page_of_url[alias_urls], "reason": reason})
        return _write_and_map(aliases, path)


def _take_or(values: Ids | Offsets, rows: Ids, default: int) -> Offsets:
    """The values of some rows; a default for row -1, also where there are no values."""
    taken = np.full(len(rows), default, np.int64)
    taken[rows >= 0] = values[rows[rows >= 0]]
    return taken


def _take_texts(
    scratch: ScratchTable, rows: Ids | Offsets, columns: Sequence[str]
) -> dict[str, pa.Array]:
    """Text columns of some rows; empty for row -1."""
    table = scratch.take(pa.array(rows, mask=rows < 0), columns)
    return {name: pc.fill_null(table[name], "") for name in columns}


def _write_and_map(scratch: ScratchTable, path: Path) -> pa.Table:
    write_arrow_file(scratch.to_table(), path)
    return map_arrow_file(path)


def _page_numbers_by_segment(page_of_url: Ids, url_ids: list[Ids], folder: Path) -> list[Ids]:
    """The page numbers of the URLs of each segment, in a mapped scratch file."""
    with ScratchTable(folder, NUMBER_SCHEMA) as scratch:
        for ids in url_ids:
            scratch.append({"number": page_of_url[ids]})
        numbers = scratch.to_table()["number"].chunk(0).to_numpy()
    return np.split(numbers, np.cumsum([len(ids) for ids in url_ids]))[:-1]


def merge_segment_urls(folders: Sequence[Path], merged: ScratchTable) -> list[Ids]:
    """Append each distinct URL to `merged`, sorted by key; return each segment's URLs as ids.

    Of URLs with equal keys that of the first segment is taken.
    """
    with ScratchTable(merged.folder, URL_SCHEMA) as all_urls:
        starts = [0]
        for folder in track(folders, "urls", len(folders)):
            for batch in segments.iter_batches(
                folder, "urls.parquet", URL_SCHEMA.names, URL_BATCH_ROWS
            ):
                all_urls.append(batch)
            starts.append(all_urls.row_count)
        return merge_distinct_rows(all_urls, np.array(starts), merged)
