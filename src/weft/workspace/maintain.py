"""Maintain a collection: remove pages and requests, merge segments, find damage."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import CSR, Flags, Offsets, link_keys
from weft.core.errors import DamagedFile, MalformedFile, WeftError
from weft.core.progress import track
from weft.gather.page import Problems
from weft.gather.url import sort_key
from weft.graph.build import find_host_ranges
from weft.graph.levels import (
    LEVELS,
    add_self_links,
    group_pages,
    link_digest,
    load_graph,
    read_hosts,
    read_page_csr,
)
from weft.graph.link_facts import (
    read_links_with_anchors,
    read_name_hashes,
    read_nofollow_links,
    read_rare_links,
    select_rare_links,
)
from weft.graph.transitions import USAGE_FOLDER, VISIT_COUNTS, load_sessions, load_transitions
from weft.store import segment as segments
from weft.store.arrow_files import SortedColumn, check_weights, hash_names
from weft.store.collection import Collection
from weft.store.entities import read_entities
from weft.store.index import searchable_pages
from weft.store.manifest import REQUESTS_TABLE, InputPart, Manifest, Segment, refuse_symlinks
from weft.store.numbering import PAGE_KINDS
from weft.store.search import site_page_range
from weft.store.tags import read_tags
from weft.store.writer import CollectionWriter, open_writer
from weft.workspace.ingest import (
    add_collection,
    check_address_space_limit,
    commit_snapshot,
    history_entry,
    snapshot_counts,
)

PAGES_PER_BLOCK = 1 << 16
Check = Callable[[Collection], None]


def find_inconsistencies(collection: Collection) -> Iterator[str]:
    """Compare the files of a collection with each other; a sentence for each that is wrong."""
    own = [partial(_check_segment, segment=segment) for segment in collection.manifest.segments]
    checks: list[Check] = [*own, *CHECKS]
    for check in track(checks, "checks", len(checks)):
        try:
            check(collection)
        except DamagedFile as error:
            yield str(error)


def _check_segment(collection: Collection, segment: Segment) -> None:
    """The tables of a segment can be read, URLs ascend, and the link counts of pages are right."""
    folder = collection.checked_segment_folder(segment)
    segments.read_removed_rows(folder, segment)
    if not _is_strictly_ascending(segments.read_table(folder, "urls.parquet")["key"]):
        raise MalformedFile(folder / "urls.parquet", "URLs are not in order, each once")
    pages = segments.read_table(folder, "pages.parquet")
    links = segments.read_table(folder, "links.parquet")
    if "links" in pages.column_names:
        counts = np.bincount(links["page"].to_numpy(), minlength=len(pages))
        if not np.array_equal(counts, pages["links"].to_numpy()):
            raise MalformedFile(folder / "links.parquet", "link counts of pages are wrong")
    check_weights(folder / "links.parquet", links["weight"].to_numpy())
    if segment.inputs:
        segments.read_table(folder, REQUESTS_TABLE)


def _is_strictly_ascending(values: pa.ChunkedArray) -> bool:
    """Whether each value is greater than the one before."""
    before, after = values.slice(0, max(len(values) - 1, 0)), values.slice(1)
    return all(pc.less(before, after).to_numpy())


def _check_pages(collection: Collection) -> None:
    """Pages and aliases are in the order of their keys, which match their URLs."""
    for name, table in (("pages.arrow", collection.pages), ("aliases.arrow", collection.aliases)):
        path = collection.checked_snapshot_path(name)
        if not _is_strictly_ascending(table["key"]):
            raise MalformedFile(path, "URLs are not in order, each once")
        for start in range(0, len(table), PAGES_PER_BLOCK):
            block = table.slice(start, PAGES_PER_BLOCK).select(["key", "url"]).to_pydict()
            if [sort_key(url) for url in block["url"]] != block["key"]:
                raise MalformedFile(path, "the key of a page is not that of its URL")


def _check_counts(collection: Collection) -> None:
    """The counts in the manifest are those of the pages and links."""
    known = collection.manifest.counts
    read_hosts(collection)  # raises if hosts cannot be counted
    counts = snapshot_counts(collection.pages, collection.checked_snapshot_path("graph"))
    counts |= {"links": load_graph(collection).link_count, "folded": len(collection.aliases)}
    if "sessions" in known:
        sessions = load_sessions(collection)
        inferred = int(np.count_nonzero(sessions.inferred))
        counts |= {
            "sessions": len(sessions),
            "visitors": len(np.unique(sessions.visitors)),
            "views": len(sessions.inferred) - inferred,
        }
        if "inferred views" in known:  # older collections do not count them
            counts |= {"inferred views": inferred, "reloads": known.get("reloads", 0)}
    if counts != known:
        path = collection.folder / "collection.json"
        raise MalformedFile(path, "counts differ from those of the pages and links")


def _check_hosts(collection: Collection) -> None:
    """Every page belongs to the host of its URL."""
    groups, names = group_pages(collection, "host")
    first, hosts = find_host_ranges(collection.pages)
    starts = np.flatnonzero(np.diff(groups, prepend=-1))
    if not np.array_equal(starts, first) or names != hosts.combine_chunks():
        path = collection.checked_snapshot_path("graph/hosts.arrow")
        raise MalformedFile(path, "a page belongs to another host")


def _check_graph(collection: Collection) -> None:
    """The graph can be read in both directions, and what is derived from its links agrees."""
    for level in LEVELS:
        load_graph(collection, level)
    rows = read_page_csr(collection, "out")
    if (rows.row_ids() == rows.ids).any():
        raise MalformedFile(
            collection.checked_snapshot_path("graph/out_ids.npy"), "a page links to itself"
        )
    add_self_links(collection)
    if not np.isin(read_nofollow_links(collection).key, link_keys(rows)).all():
        raise MalformedFile(
            collection.checked_snapshot_path("graph/nofollow_links.npy"),
            "a link is not in the graph",
        )
    if not np.array_equal(
        read_rare_links(collection).ids,
        select_rare_links(rows, read_page_csr(collection, "in")).ids,
    ):
        raise MalformedFile(
            collection.checked_snapshot_path("graph/rare_link_ids.npy"),
            "other links are the rarest",
        )
    names = load_graph(collection).names
    if not np.array_equal(read_name_hashes(collection), hash_names(names)):
        raise MalformedFile(
            collection.checked_snapshot_path("graph/name_hashes.npy"),
            "hashes are not those of the URLs",
        )


def _check_anchors(collection: Collection) -> None:
    """Links with anchors are those of the graph, and have the same anchors in both directions."""
    graph = collection.checked_snapshot_path("graph")
    if not (graph / "anchors.arrow").exists():
        return
    digests = []
    for direction in ("out", "in"):
        rows, anchors = read_links_with_anchors(collection, direction)
        anchored = CSR(rows.starts, rows.ids, anchors.astype(np.float64))
        digests.append(link_digest(anchored, transposed=direction == "in"))
    if digests[0] != digests[1]:
        raise MalformedFile(graph / "in_link_anchors.npy", "anchors differ between the directions")
    rows, _ = read_links_with_anchors(collection, "out")
    if not np.array_equal(np.unique(link_keys(rows)), link_keys(read_page_csr(collection, "out"))):
        raise MalformedFile(graph / "out_link_ids.npy", "links differ from those of the graph")


def _check_usage(collection: Collection) -> None:
    """The transitions are those of the sessions."""
    if "sessions" not in collection.manifest.counts:
        return
    stored, counted = load_transitions(collection), load_sessions(collection).transitions
    pairs: list[Any] = [*zip(stored.counts, counted.counts, strict=True)]
    pairs += [(getattr(stored, name), getattr(counted, name)) for name in VISIT_COUNTS]
    if not all(np.array_equal(own, other) for own, other in pairs):
        raise MalformedFile(
            collection.checked_snapshot_path(USAGE_FOLDER), "transitions differ from sessions"
        )


def _check_keywords(collection: Collection) -> None:
    """The term weights of every page can be read, and their stems ascend."""
    weights = collection.term_weights(np.arange(len(collection), dtype=np.int32))
    if not _is_strictly_ascending(pa.chunked_array([weights.stems])):
        raise MalformedFile(
            collection.checked_snapshot_path("term_weights/stems.arrow"),
            "stems are not in order, each once",
        )


def _check_index(collection: Collection) -> None:
    """Every page that can be searched is in the index exactly once."""
    searchable = np.flatnonzero(searchable_pages(collection.pages))
    indexed = collection.text_index.indexed_pages()
    if not np.array_equal(np.sort(indexed), searchable):
        raise MalformedFile(
            collection.checked_snapshot_path("index"), "other pages are in the index"
        )


CHECKS: tuple[Check, ...] = (
    _check_pages,
    _check_graph,
    _check_hosts,
    _check_counts,
    _check_anchors,
    _check_keywords,
    _check_index,
    _check_usage,
)


@dataclass(frozen=True, slots=True)
class PageSelector:
    """Pages to remove: by URL, by host or domain, by a pattern such as `*/print/*`."""

    urls: Sequence[str] = ()
    hosts: Sequence[str] = ()
    patterns: Sequence[str] = ()


def select_pages(collection: Collection, selector: PageSelector) -> list[int]:
    """The numbers of the pages that a selector matches; uncaptured pages cannot be removed."""
    pages = collection.pages
    selected = np.zeros(len(pages), bool)
    for url in selector.urls:
        selected[collection.find_page(url)] = True
    for host in selector.hosts:
        selected[slice(*site_page_range(host, SortedColumn(pages["key"])))] = True
    for pattern in selector.patterns:
        selected |= pc.match_substring_regex(pages["url"], _wildcard_to_regex(pattern)).to_numpy()
    selected &= pages["kind"].to_numpy() != PAGE_KINDS["uncaptured"]
    numbers: list[int] = np.flatnonzero(selected).tolist()
    return numbers


def _wildcard_to_regex(pattern: str) -> str:
    """The RE2 expression of a pattern with the wildcards `*` and `?`."""
    wildcards = {"*": ".*", "?": "."}
    return f"(?s)^{''.join(wildcards.get(char) or re.escape(char) for char in pattern)}$"


def remove_pages(folder: Path, selector: PageSelector) -> int:
    """Remove every capture of some pages; the number of pages.

    Pages that others link to stay in the graph as uncaptured pages.
    """
    with _open_recovered_writer(folder) as writer:
        count, urls = _urls_to_remove(Collection.open(folder), selector)
        if count:
            rows_of_segment = {
                segment.name: _rows_with_urls(writer.segment_folder(segment), urls)
                for segment in writer.segments
            }
            writer.remove_rows({name: rows for name, rows in rows_of_segment.items() if len(rows)})
            commit_snapshot(writer, history_entry([f"removed {count} pages"], Problems()))
    return count


def _urls_to_remove(collection: Collection, selector: PageSelector) -> tuple[int, pa.Array]:
    """The number of selected pages, and their URLs with those of their aliases."""
    numbers = pa.array(select_pages(collection, selector), pa.int32())
    aliases = collection.aliases
    folded = aliases.filter(pc.is_in(aliases["page"], numbers))["url"]
    urls = pa.chunked_array([*collection.pages["url"].take(numbers).chunks, *folded.chunks])
    return len(numbers), urls.cast(pa.string()).combine_chunks()


def _rows_with_urls(segment_folder: Path, urls: pa.Array) -> Sequence[int]:
    """The rows of a segment's pages that have one of the URLs."""
    known_urls = segments.read_table(segment_folder, "urls.parquet", ["url"])["url"]
    matches = pc.is_in(known_urls, urls).to_numpy()
    url_of_row = segments.read_table(segment_folder, "pages.parquet", ["url"])["url"].to_numpy()
    rows: list[int] = np.flatnonzero(matches[url_of_row]).tolist()
    return rows


def remove_requests(folder: Path, before: int | None = None) -> int:
    """Remove usage data, or the requests before a time; the number of requests.

    Requests of unknown time are removed only with all others. What remains of a
    segment is written anew at once, so that nothing removed stays on disk.
    """
    with _open_recovered_writer(folder) as writer:
        kept_rows = {
            segment.name: _requests_to_keep(writer.segment_folder(segment), before)
            for segment in writer.segments
            if segment.inputs
        }
        removed = sum(int(np.count_nonzero(~kept)) for kept in kept_rows.values())
        cut = [s for s in writer.segments if s.inputs and not kept_rows[s.name].all()]
        writer.begin_compaction(tuple(s for s in writer.segments if s not in cut))
        for segment in cut:
            kept = kept_rows[segment.name]
            table = segments.read_requests(writer.segment_folder(segment))
            parts = list(_cut_parts(segment.inputs, table["time"].to_numpy(), kept))
            if parts:
                writer.append_requests(table.filter(pa.array(kept)), parts, segment.salt_id)
        if removed:
            commit_snapshot(writer, history_entry([f"removed {removed} requests"], Problems()))
    return removed


def _requests_to_keep(folder: Path, before: int | None) -> Flags:
    time = segments.read_table(folder, REQUESTS_TABLE, ["time"])["time"].to_numpy()
    return np.zeros(len(time), bool) if before is None else (time >= before) | (time == 0)


def _cut_parts(parts: Sequence[InputPart], time: Offsets, kept: Flags) -> Iterator[InputPart]:
    """The parts of inputs with the rows that are kept; none for a part without any."""
    bounds = np.cumsum([0, *(part.rows for part in parts)])
    for part, start, end in zip(parts, bounds[:-1], bounds[1:], strict=True):
        own = kept[start:end]
        if own.any():
            yield part._replace(
                rows=int(np.count_nonzero(own)),
                first_time=int(time[start:end][own].min()),
                is_complete=part.is_complete and bool(own.all()),
            )


def compact(folder: Path) -> tuple[int, int]:
    """Merge the segments and drop removed rows; the number of segments before and after."""
    with _open_recovered_writer(folder) as writer:
        before = len(writer.segments)
        writer.begin_compaction()
        add_collection(writer, Collection.open(folder))
        commit_snapshot(writer, history_entry(["compacted"], Problems()))
        return before, len(writer.segments)


@contextmanager
def _open_recovered_writer(folder: Path) -> Iterator[CollectionWriter]:
    """A writer for an existing collection that has committed what an interrupted add left."""
    check_address_space_limit()
    Manifest.read(folder)
    with open_writer(folder) as writer:
        if writer.staged:
            commit_snapshot(writer, history_entry(["an interrupted add"], Problems()))
        yield writer


def find_damaged_files(folder: Path, *, deep: bool = False) -> list[str]:
    """Check every committed file against its digest, and that tags and entities can be read.

    A sentence for each that is wrong.

    `deep` also compares the files with each other: a collection from elsewhere
    can have valid digests and inconsistent contents.
    """
    if not folder.is_dir():
        raise WeftError(f"{folder} is not a collection", hint="name a collection's folder")
    try:
        collection = Collection(folder, Manifest.read(folder))
        refuse_symlinks(folder)
    except DamagedFile as error:
        return [str(error)]
    damage = []
    files = collection.committed_files()
    for path, file in track(files.items(), "files", len(files)):
        try:
            file.check(folder / path, max_rehash_bytes=file.size)
        except DamagedFile as error:
            damage.append(str(error))
        except OSError as error:
            damage.append(f"{folder / path} cannot be read ({error.strerror})")
    damage += _damaged_user_data(folder)
    if deep and not damage:
        try:
            damage.extend(find_inconsistencies(Collection.open(folder)))
        except DamagedFile as error:
            damage.append(str(error))
    return damage


def _damaged_user_data(folder: Path) -> Iterator[str]:
    """A sentence each if the tags or the entities cannot be read."""
    for read in (read_tags, read_entities):
        try:
            read(folder)
        except DamagedFile as error:
            yield str(error)
