"""Give every page of a snapshot its number, in the order of reversed host and path."""

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
from weft.gather.url import domain
from weft.store import segment as segments
from weft.store.manifest import Segment
from weft.store.mapped import Scratch, read_mapped, write_mapped
from weft.store.urls import URLS, all_urls

KINDS = {"fetched": 0, "error": 1, "listed": 2, "seen": 3}
REDIRECT, GONE = 4, -1
CAPTURED = (KINDS["fetched"], KINDS["error"], REDIRECT)
BLOCK = 1 << 16

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
ALIASES = pa.schema(
    {
        "key": pa.large_string(),
        "url": pa.large_string(),
        "page": pa.int32(),
        "reason": pa.string(),
    }
)
RECORDS = pa.schema(
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
UNTOLD = {"redirect": -1, "canonical": -1, "time": 0, "capture": 0, "reason": "", "language": ""}
WORDS = ("reason", "title", "language")
NUMBERS = pa.schema({"number": pa.int32()})


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
    """Every row of every segment, with URLs numbered over all segments.

    Those of segment s are `starts[s]` to `starts[s + 1]`, a batch of rows after
    the other, each in the order of URLs: what is near in a table of pages is
    near here. `row` is where a record came from, counted over all segments, and
    `kind` a code of `KINDS`, or `REDIRECT`, or `GONE` where it was taken out.
    """

    starts: Offsets
    words: Scratch
    url: Ids
    redirect: Ids
    canonical: Ids
    kind: npt.NDArray[np.int8]
    row: Ids
    time: Offsets
    capture: npt.NDArray[np.uint64]

    def __len__(self) -> int:
        return len(self.url)

    def of_kind(self, *kinds: int) -> Iterator[Offsets]:
        """Which records are of some kinds, a block at a time."""
        for start, end in _spans(len(self)):
            yield start + np.flatnonzero(np.isin(self.kind[start:end], kinds))


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """What is known of every URL: its live record, the URL that stands for it, its kind.

    `live` is -1 for none; `status` a code of `KINDS`, -1 where another URL
    stands for it or nothing that lives speaks of it.
    """

    live: Ids
    root: Ids
    status: npt.NDArray[np.int8]


def number_pages(folder: Path, parts: Sequence[Segment], into: Path) -> Numbering:
    """Decide which captures live, fold what stands for the same page, and number the rest.

    Of several captures of a URL the latest lives. A redirect, an immediate
    refresh and a canonical URL of the same domain fold a page into another; a
    page that nobody fetched under its own URL takes over the latest capture of
    those that name it as canonical. The tables of pages and aliases are written
    to `into`, a block of rows at a time: words wait on disk, memory has numbers.
    """
    folders = [folder / part.name for part in parts]
    with Scratch(into, URLS) as urls, Scratch(into, RECORDS) as every:
        local = all_urls(folders, urls)
        records = _read_records(folders, parts, local, every)
        live = _latest(records, urls.rows)
        root = _resolve(_folds(records, live, urls))
        _adopt(records, live, root)
        known = Known(live, root, np.full(urls.rows, -1, np.int8))
        owner = _owners(records, known)
        owners = [owner[start:end] for start, end in pairwise(records.starts)]
        _see_targets(folders, owners, local, known)
        _see_folded(records, known)
        _describe_listed(records, known, parts)
        node = known.status >= 0
        number = np.where(node, np.cumsum(node, dtype=np.int32) - 1, np.int32(-1))[root]
        pages = _page_table(urls, records, known, into / "pages.arrow")
        aliases = _alias_table(urls, records, known, number, into / "aliases.arrow")
    for start, end in _spans(len(owner)):
        places = owner[start:end]
        owner[start:end] = np.where(places >= 0, number[places], -1)
    return Numbering(pages, aliases, _numbers(number, local, into), owners)


def _spans(end: int, start: int = 0) -> Iterator[tuple[int, int]]:
    """Cut what may be long into pieces."""
    for at in range(start, end, BLOCK):
        yield at, min(at + BLOCK, end)


def _read_records(
    folders: Sequence[Path], parts: Sequence[Segment], local: list[Ids], every: Scratch
) -> Records:
    starts = [0]
    for folder, part, ids in zip(folders, parts, local, strict=True):
        alive = np.ones(part.pages, bool)
        alive[segments.removed_rows(folder, part)] = False
        for batch in segments.batches(folder, "pages.parquet", RECORDS.names, BLOCK):
            at = every.rows - starts[-1]
            every.add(_records_of(batch, ids, alive[at : at + len(batch)], every.rows))
        starts.append(every.rows)
    table = every.table()
    numbers = [name for name in RECORDS.names if name not in WORDS]
    arrays = {name: table[name].chunk(0).to_numpy() for name in numbers}
    return Records(np.array(starts), every, **arrays)


def _records_of(batch: pa.RecordBatch, ids: Ids, alive: Flags, first: int) -> pa.Table:
    """Rows of a segment in the order of their URLs; a graph leaves some things untold."""
    told: dict[str, Any] = {
        name: pa.repeat(pa.scalar(nothing, RECORDS.field(name).type), len(batch))
        for name, nothing in UNTOLD.items()
    }
    told |= {name: batch[name] for name in batch.schema.names}
    for name in ("url", "redirect", "canonical"):
        values = told[name].to_numpy()
        told[name] = np.where(values >= 0, ids[values], -1)
    kinds = pc.index_in(told["kind"], pa.array([*KINDS, "redirect"])).to_numpy()
    told["kind"] = np.where(alive, kinds, GONE).astype(np.int8)
    told["row"] = np.arange(first, first + len(batch), dtype=np.int32)
    order = np.argsort(told["url"], kind="stable")
    return pa.table(told).take(pa.array(order))


def _latest(records: Records, n: int) -> Ids:
    """The live capture of each URL; -1 for none."""
    live = np.full(n, -1, np.int32)
    url, time, capture = records.url, records.time, records.capture
    for some in records.of_kind(*CAPTURED):
        order = np.lexsort((capture[some], time[some], url[some]))
        rows = some[order][np.flatnonzero(np.diff(url[some[order]], append=-1))]
        held = live[url[rows]]
        same = time[rows] == time[held]
        later = np.where(same, capture[rows] >= capture[held], time[rows] > time[held])
        rows = rows[later | (held < 0)]
        live[url[rows]] = rows
    return live


def _folds(records: Records, live: Ids, urls: Scratch) -> Ids:
    """For each URL the one that stands for it, one step away; itself where there is none."""
    target = np.arange(len(live), dtype=np.int32)
    for start, end in _spans(len(live)):
        have = start + np.flatnonzero(live[start:end] >= 0)
        sent, named = (column[live[have]] for column in (records.redirect, records.canonical))
        target[have[sent >= 0]] = sent[sent >= 0]
        asked = (named >= 0) & (sent < 0) & (named != have)
        ends = (
            urls.take(pa.array(each[asked]), ["url"])["url"].to_pylist() for each in (have, named)
        )
        same = [domain(one) == domain(two) for one, two in zip(*ends, strict=True)]
        asked[asked] = same
        target[have[asked]] = named[asked]
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


def _adopt(records: Records, live: Ids, root: Ids) -> None:
    """Give a page that was not fetched itself the latest of those that name it canonical."""
    pairs = [np.zeros((2, 0), np.int32)]
    for start, end in _spans(len(live)):
        have = start + np.flatnonzero(live[start:end] >= 0)
        rows, roots = live[have], root[have]
        chosen = records.kind[rows] == KINDS["fetched"]
        chosen &= (records.canonical[rows] >= 0) & (records.redirect[rows] < 0)
        chosen &= (live[roots] < 0) | (records.kind[live[roots]] != KINDS["fetched"])
        pairs.append(np.stack([rows[chosen], roots[chosen]]))
    rows, roots = np.concatenate(pairs, axis=1)
    order = np.lexsort((records.url[rows], records.capture[rows], records.time[rows], roots))
    live[roots[order]] = rows[order]


def _owners(records: Records, known: Known) -> Ids:
    """For each row the place of the URL it speaks for, -1 where another lives; note its kind."""
    owner = np.full(len(records), -1, np.int32)
    for rows in records.of_kind(KINDS["listed"]):
        owner[records.row[rows]] = roots = known.root[records.url[rows]]
        known.status[roots] = KINDS["listed"]
    for start, end in _spans(len(known.root)):
        own = start + np.flatnonzero(known.root[start:end] == np.arange(start, end))
        own = own[known.live[own] >= 0]
        own = own[records.kind[known.live[own]] != REDIRECT]
        rows = known.live[own]
        owner[records.row[rows]] = own
        known.status[own] = records.kind[rows]
    return owner


def _see_targets(
    folders: Sequence[Path], owners: list[Ids], local: list[Ids], known: Known
) -> None:
    """Mark the pages that live pages link to and nobody fetched as seen."""
    for folder, owner, ids in zip(folders, owners, local, strict=True):
        for batch in segments.batches(folder, "links.parquet", ["page", "target"], 1 << 20):
            alive = owner[batch["page"].to_numpy()] >= 0
            _see(known.root[ids[batch["target"].to_numpy()[alive]]], known)


def _see_folded(records: Records, known: Known) -> None:
    """Mark the pages that a live redirect leads to as seen."""
    for rows in records.of_kind(*CAPTURED):
        _see(known.root[records.url[rows[records.redirect[rows] >= 0]]], known)


def _see(places: Ids, known: Known) -> None:
    known.status[places[known.status[places] < 0]] = KINDS["seen"]


def _describe_listed(records: Records, known: Known, parts: Sequence[Segment]) -> None:
    """Find a row that lists each page: titled if one is, whichever was added first."""
    known.live[np.isin(known.status, [KINDS["listed"], KINDS["seen"]])] = -1
    graphs = [s for s, part in enumerate(parts) if part.origin]
    graphs.sort(key=lambda s: (parts[s].origin, parts[s].part), reverse=True)
    for s, titled in ((s, titled) for titled in (False, True) for s in graphs):
        for start, end in _spans(records.starts[s + 1], records.starts[s]):
            chosen = records.kind[start:end] == KINDS["listed"]
            chosen &= known.status[records.url[start:end]] == KINDS["listed"]
            if titled:
                titles = records.words.take(pa.array(np.arange(start, end)), ["title"])["title"]
                chosen &= pc.not_equal(titles, "").to_numpy()
            rows = start + np.flatnonzero(chosen)
            known.live[records.url[rows]] = rows


def _page_table(urls: Scratch, records: Records, known: Known, path: Path) -> pa.Table:
    """Write the pages that have numbers, in their order, with what is known of each."""
    captures = np.zeros(urls.rows, np.int32)
    for captured in records.of_kind(*CAPTURED):
        np.add.at(captures, known.root[records.url[captured]], 1)
    with Scratch(path.parent, PAGES) as pages:
        for start, end in _spans(urls.rows):
            places = start + np.flatnonzero(known.status[start:end] >= 0)
            rows = known.live[places]
            segment = np.searchsorted(records.starts, rows, side="right") - 1
            pages.add(
                {
                    **_words(urls, places, ["key", "url"]),
                    **_words(records.words, rows, ["title", "language"]),
                    "time": np.where(rows >= 0, records.time[rows], 0),
                    "kind": known.status[places],
                    "captures": captures[places],
                    "segment": segment,
                    "row": np.where(rows >= 0, records.row[rows] - records.starts[segment], -1),
                }
            )
        return _written(pages, path)


def _alias_table(
    urls: Scratch, records: Records, known: Known, number: Ids, path: Path
) -> pa.Table:
    """Write the URLs that another page stands for, in the order of keys, and why."""
    with Scratch(path.parent, ALIASES) as aliases:
        for start, end in _spans(urls.rows):
            folded = known.root[start:end] != np.arange(start, end)
            places = start + np.flatnonzero(folded & (number[start:end] >= 0))
            words = _words(records.words, known.live[places], ["reason"])["reason"]
            words = pc.if_else(pc.equal(words, ""), "canonical", words)
            named = _words(urls, places, ["key", "url"])
            aliases.add({**named, "page": number[places], "reason": words})
        return _written(aliases, path)


def _words(scratch: Scratch, rows: Ids | Offsets, columns: Sequence[str]) -> dict[str, pa.Array]:
    """What some rows say; -1 says nothing."""
    found = scratch.take(pa.array(rows, mask=rows < 0), columns)
    return {name: pc.fill_null(found[name], "") for name in columns}


def _written(scratch: Scratch, path: Path) -> pa.Table:
    write_mapped(scratch.table(), path)
    return read_mapped(path)


def _numbers(number: Ids, local: list[Ids], scratch: Path) -> list[Ids]:
    """The numbers of the URLs of each segment."""
    with Scratch(scratch, NUMBERS) as every:
        for ids in local:
            every.add({"number": number[ids]})
        numbers = every.table()["number"].chunk(0).to_numpy()
    return np.split(numbers, np.cumsum([len(ids) for ids in local]))[:-1]
