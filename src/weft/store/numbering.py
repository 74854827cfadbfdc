"""Give every page of a snapshot its number, in the order of reversed host and path."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import Flags, Ids, Offsets
from weft.gather.url import domain
from weft.store import segment as segments
from weft.store.manifest import Segment
from weft.store.urls import all_urls

Listings = dict[int, Ids]
KINDS = {"fetched": 0, "error": 1, "listed": 2, "seen": 3}
REDIRECT = 4
PAGE_COLUMNS = ("url", "kind", "time", "capture", "redirect", "reason", "canonical")

PAGES = pa.schema(
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


@dataclass(frozen=True, slots=True, eq=False)
class Numbering:
    """The pages of a snapshot, and the way from each segment's own numbers to theirs.

    `numbers[s][u]` is the number of URL u of segment s, -1 where nothing that
    lives refers to it; `owners[s][r]` the number of the page that row r of
    segment s speaks for, -1 where the row is not the live one.
    """

    pages: pa.Table
    aliases: pa.Table
    numbers: list[Ids]
    owners: list[Ids]


@dataclass(frozen=True, slots=True, eq=False)
class Records:
    """Every capture of every segment of pages, with URLs numbered over all segments."""

    url: Ids
    kind: npt.NDArray[np.int8]
    time: Offsets
    capture: npt.NDArray[np.uint64]
    redirect: Ids
    canonical: Ids
    segment: Ids
    row: Ids
    alive: Flags
    reason: pa.Array


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """What is known of every URL: its live record, the URL that stands for it, how often captured.

    `live` is a row of the records, -1 for none; `status` a code of `KINDS`, -1
    where nothing that lives speaks of the URL.
    """

    keys: pa.Array
    urls: pa.Array
    live: Offsets
    root: Ids
    captures: Ids
    status: npt.NDArray[np.int8]


def number_pages(folder: Path, parts: Sequence[Segment]) -> Numbering:
    """Decide which captures live, fold what stands for the same page, and number the rest.

    Of several captures of a URL the latest lives. A redirect, an immediate
    refresh and a canonical URL of the same domain fold a page into another; a
    page that nobody fetched under its own URL takes over the latest capture of
    those that name it as canonical.
    """
    folders = [folder / part.name for part in parts]
    keys, urls, local = all_urls(folders)
    listed = _listings(folders, parts, local)
    records = _read_records(folders, parts, local)
    live, captures = _latest(records, len(keys))
    root = _resolve(_folds(records, live, urls))
    live = _adopt(records, live, root)
    owners = _owners(records, live, root, parts, listed)
    known = Known(keys, urls, live, root, captures, _status(records, live, root, listed))
    _see_targets(folders, owners, local, known)
    _see_folded(records, known)
    listing = _listed_where(folders, parts, listed, len(keys))
    node = (root == np.arange(len(keys))) & (known.status >= 0)
    number = np.where(node, np.cumsum(node, dtype=np.int32) - 1, -1).astype(np.int32)[root]
    return Numbering(
        _page_table(folders, known, records, listing, np.flatnonzero(node)),
        _alias_table(known, records, number),
        [number[ids] for ids in local],
        [np.where(rows >= 0, number[rows], -1).astype(np.int32) for rows in owners],
    )


def _listings(folders: Sequence[Path], parts: Sequence[Segment], local: list[Ids]) -> Listings:
    """For each segment of a graph the URLs that its rows list, -1 where a row was taken out."""
    found = {}
    for s, part in enumerate(parts):
        if part.origin:
            own = segments.read(folders[s], "pages.parquet", ["url"])["url"].to_numpy()
            found[s] = local[s][own]
            found[s][segments.removed_rows(folders[s], part)] = -1
    return found


def _read_records(folders: Sequence[Path], parts: Sequence[Segment], local: list[Ids]) -> Records:
    columns: dict[str, list[Any]] = {name: [] for name in Records.__slots__}
    codes = pa.array(["fetched", "error", "listed", "seen", "redirect"])
    for s, (folder, part) in enumerate(zip(folders, parts, strict=True)):
        if part.origin:
            continue
        table = segments.read(folder, "pages.parquet", PAGE_COLUMNS)
        alive = np.ones(len(table), bool)
        alive[segments.removed_rows(folder, part)] = False
        columns["alive"].append(alive)
        columns["url"].append(local[s][table["url"].to_numpy()])
        columns["kind"].append(pc.index_in(table["kind"], codes).to_numpy().astype(np.int8))
        for name in ("time", "capture"):
            columns[name].append(table[name].to_numpy())
        for name in ("redirect", "canonical"):
            columns[name].append(_mapped(table, name, local[s]))
        columns["segment"].append(np.full(len(table), s, np.int32))
        columns["row"].append(np.arange(len(table), dtype=np.int32))
        columns["reason"].append(table["reason"].combine_chunks())
    reasons = pa.chunked_array(columns.pop("reason"), pa.string()).combine_chunks()
    kinds: dict[str, Any] = {"kind": np.int8, "time": np.int64, "capture": np.uint64, "alive": bool}
    arrays = {
        name: np.concatenate([np.zeros(0, kinds.get(name, np.int32)), *values])
        for name, values in columns.items()
    }
    return Records(**arrays, reason=reasons)


def _mapped(table: pa.Table, name: str, ids: Ids) -> Ids:
    """URLs of a column as places among all; -1 stays -1."""
    values = table[name].to_numpy()
    return np.where(values >= 0, ids[values], -1).astype(np.int32)


def _latest(records: Records, n: int) -> tuple[Offsets, Ids]:
    """The live capture of each URL (-1: none), and how many captures there are of it."""
    rows = np.flatnonzero(records.alive)
    order = np.lexsort((records.capture[rows], records.time[rows], records.url[rows]))
    rows = rows[order]
    live = np.full(n, -1, np.int64)
    live[records.url[rows]] = rows
    return live, np.bincount(records.url[rows], minlength=n).astype(np.int32)


def _folds(records: Records, live: Offsets, urls: pa.Array) -> Ids:
    """For each URL the one that stands for it, one step away; itself where there is none."""
    target = np.arange(len(live), dtype=np.int32)
    have = np.flatnonzero(live >= 0)
    rows = live[have]
    sent = records.redirect[rows]
    target[have[sent >= 0]] = sent[sent >= 0]
    named = records.canonical[rows]
    candidates = np.flatnonzero((named >= 0) & (sent < 0) & (named != have))
    for k in candidates:
        if domain(urls[int(have[k])].as_py()) == domain(urls[int(named[k])].as_py()):
            target[have[k]] = named[k]
    return target


def _resolve(target: Ids) -> Ids:
    """Follow folds to their end; the first page of a circle stands for the circle."""
    end = _follow(target)
    circling = np.unique(end[target[end] != end])
    while len(circling):
        member = start = int(circling[0])
        circle = [start]
        while (member := int(target[member])) != start:
            circle.append(member)
        target[min(circle)] = min(circle)
        circling = np.setdiff1d(circling, circle)
    return _follow(target)


def _follow(target: Ids) -> Ids:
    for _ in range(32):
        further = target[target]
        if np.array_equal(further, target):
            break
        target = further
    return target


def _adopt(records: Records, live: Offsets, root: Ids) -> Offsets:
    """Give a page that was not fetched itself the latest of those that name it canonical."""
    live = live.copy()
    have = np.flatnonzero(live >= 0)
    rows = live[have]
    fetched = np.append(records.kind == KINDS["fetched"], False)
    candidate = fetched[rows] & (records.canonical[rows] >= 0) & (records.redirect[rows] < 0)
    candidate &= ~fetched[live[root[have]]]
    rows, roots = rows[candidate], root[have[candidate]]
    order = np.lexsort((records.url[rows], records.capture[rows], records.time[rows], roots))
    live[roots[order]] = rows[order]
    return live


def _owners(
    records: Records, live: Offsets, root: Ids, parts: Sequence[Segment], listed: Listings
) -> list[Ids]:
    """For each row the place of the URL it speaks for, -1 where another row lives."""
    owner = np.full(len(records.url), -1, np.int32)
    own = np.flatnonzero((live >= 0) & (root == np.arange(len(live))))
    rows = live[own]
    fetched = np.isin(records.kind[rows], [KINDS["fetched"], KINDS["error"]])
    owner[rows[fetched]] = own[fetched]
    owners, at = [], 0
    for s, part in enumerate(parts):
        if s in listed:
            owners.append(np.where(listed[s] >= 0, root[listed[s]], -1).astype(np.int32))
        else:
            owners.append(owner[at : at + part.pages])
            at += part.pages
    return owners


def _status(records: Records, live: Offsets, root: Ids, listed: Listings) -> npt.NDArray[np.int8]:
    """How each URL is known."""
    status = np.full(len(root), -1, np.int8)
    for urls in listed.values():
        status[root[urls[urls >= 0]]] = KINDS["listed"]
    own = np.flatnonzero((live >= 0) & (root == np.arange(len(root))))
    kinds = records.kind[live[own]]
    captured = kinds != REDIRECT
    status[own[captured]] = kinds[captured]
    return status


def _see_targets(
    folders: Sequence[Path], owners: list[Ids], local: list[Ids], known: Known
) -> None:
    """Mark the pages that live pages link to and nobody fetched as seen."""
    for folder, owner, ids in zip(folders, owners, local, strict=True):
        for batch in segments.batches(folder, "links.parquet", ["page", "target"], 1 << 20):
            alive = owner[batch["page"].to_numpy()] >= 0
            targets = known.root[ids[batch["target"].to_numpy()[alive]]]
            known.status[targets[known.status[targets] < 0]] = KINDS["seen"]


def _see_folded(records: Records, known: Known) -> None:
    """Mark the pages that a live redirect leads to as seen."""
    ends = known.root[records.url[records.alive & (records.redirect >= 0)]]
    known.status[ends[known.status[ends] < 0]] = KINDS["seen"]


def _page_table(
    folders: Sequence[Path],
    known: Known,
    records: Records,
    listing: tuple[Ids, Ids],
    places: Offsets,
) -> pa.Table:
    """The pages that have numbers, in their order, with what is known of each."""
    status = known.status[places]
    rows = np.where(status == KINDS["seen"], -1, known.live[places])
    about = {
        name: np.append(getattr(records, name), nothing)[rows]
        for name, nothing in (("segment", -1), ("row", -1), ("time", 0))
    }
    only_listed = status == KINDS["listed"]
    segment, row = (values[places] for values in listing)
    about["segment"] = np.where(only_listed, segment, about["segment"])
    about["row"] = np.where(only_listed, row, about["row"])
    about["time"] = np.where(only_listed, 0, about["time"])
    titles, languages = _described(folders, about["segment"], about["row"])
    captures = np.bincount(known.root, known.captures, len(known.root))
    return pa.table(
        {
            "key": known.keys.take(pa.array(places)),
            "url": known.urls.take(pa.array(places)),
            "title": titles,
            "language": languages,
            "time": about["time"],
            "kind": status,
            "captures": captures[places].astype(np.int32),
            "segment": about["segment"].astype(np.int32),
            "row": about["row"].astype(np.int32),
        },
        schema=PAGES,
    )


def _listed_where(
    folders: Sequence[Path], parts: Sequence[Segment], listed: Listings, n: int
) -> tuple[Ids, Ids]:
    """For each URL a segment and row that list it: titled if one is, whichever was added first."""
    segment, row = np.full(n, -1, np.int32), np.full(n, -1, np.int32)
    order = sorted(listed, key=lambda s: (parts[s].origin, parts[s].part), reverse=True)
    for titled in (False, True):
        for s in order:
            rows = np.flatnonzero(listed[s] >= 0)
            if titled:
                titles = segments.read(folders[s], "pages.parquet", ["title"])["title"]
                rows = rows[pc.not_equal(titles, "").to_numpy()[rows]]
            segment[listed[s][rows]], row[listed[s][rows]] = s, rows
    return segment, row


def _described(
    folders: Sequence[Path], segment: Offsets, row: Offsets
) -> tuple[pa.Array, pa.Array]:
    """Titles and languages of the rows, gathered a segment at a time."""
    titles, languages, order = [], [], []
    for s, folder in enumerate(folders):
        at = np.flatnonzero(segment == s)
        table = segments.read(folder, "pages.parquet", ["title", "language"]).take(
            pa.array(row[at])
        )
        titles.append(table["title"].combine_chunks().cast(pa.large_string()))
        has = "language" in table.column_names
        words = table["language"].combine_chunks() if has else pa.repeat("", len(at))
        languages.append(words.cast(pa.large_string()))
        order.append(at)
    place = np.full(len(segment), -1, np.int64)
    known = np.concatenate([np.zeros(0, np.int64), *order])
    place[known] = np.arange(len(known))
    index = pa.array(place, mask=place < 0)
    columns = [
        pc.fill_null(pa.chunked_array(part, pa.large_string()).combine_chunks().take(index), "")
        for part in (titles, languages)
    ]
    return columns[0], columns[1]


def _alias_table(known: Known, records: Records, number: Ids) -> pa.Table:
    """URLs that another page stands for, in the order of keys, and why."""
    folded = np.flatnonzero((known.root != np.arange(len(known.root))) & (number >= 0))
    own = known.live[folded]
    words = records.reason.take(pa.array(own, mask=own < 0))
    words = pc.if_else(pc.equal(pc.fill_null(words, ""), ""), "canonical", words)
    return pa.table(
        {
            "key": known.keys.take(pa.array(folded)),
            "url": known.urls.take(pa.array(folded)),
            "page": number[folded],
            "reason": words,
        }
    )
