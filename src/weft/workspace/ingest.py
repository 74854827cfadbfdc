"""Add inputs to a collection: read, parse, store, build a snapshot, commit."""

import ctypes
import resource
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft import __version__
from weft.core.arrays import Ids
from weft.core.cpu import available_cores
from weft.core.errors import WeftError
from weft.core.progress import listener
from weft.gather.formats import InputSource, read_revisits
from weft.gather.html import ParseOptions
from weft.gather.page import EdgeBatch, Page, Problems, RawPage
from weft.gather.revisits import RevisitIndex
from weft.graph.build import read_page_groups, write_graph, write_hosts
from weft.graph.link_facts import write_name_hashes, write_nofollow_links, write_rare_links
from weft.store import segment as segments
from weft.store.arrow_files import map_arrow_file
from weft.store.collection import Collection
from weft.store.index import PageTexts, build_index, iter_page_texts
from weft.store.manifest import Segment
from weft.store.numbering import PAGE_KINDS, number_pages
from weft.store.segment import body_for_digest, capture_digest
from weft.store.term_weights import TermWeightWriter
from weft.store.writer import CaptureDigests, CollectionWriter, open_writer
from weft.workspace.parse import Batch, classify_missing_languages, parse_batches

MAX_ANCHORS_PER_PAGE = 200
MIN_FREE_ADDRESS_BYTES = 800 << 20
M_ARENA_MAX = -8  # the parameter of glibc's mallopt
MIN_PARALLEL_BYTES = 4 << 20
MIN_SEGMENT_ROWS = 8_000_000
MAX_RECENT_CAPTURES = 1 << 18


def check_address_space_limit() -> None:
    """Refuse a limit on address space (`ulimit -v`) that is too low to write.

    The libraries that parse, compress and index abort when an allocation fails,
    which cannot be caught, so 800 MB must be free. Under a sufficient limit
    malloc gets one arena, since each thread's arena reserves 64 MB of addresses.
    """
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    memory_status = Path("/proc/self/statm")
    if limit == resource.RLIM_INFINITY or not memory_status.exists():
        return
    used = int(memory_status.read_text().split()[0]) * resource.getpagesize()
    if limit - used < MIN_FREE_ADDRESS_BYTES:
        raise WeftError(
            f"this needs {used + MIN_FREE_ADDRESS_BYTES >> 20:,} MB of address space, the limit is"
            f" {limit >> 20:,} MB",
            hint="raise it with `ulimit -v`, or set ARROW_DEFAULT_MEMORY_POOL=system to need less",
        )
    libc = ctypes.CDLL(None)
    if hasattr(libc, "mallopt"):
        libc.mallopt(M_ARENA_MAX, 1)


@dataclass(frozen=True, slots=True)
class AddResult:
    """What an `add` did.

    `new` counts new pages, or links of a graph, `known` those that were already
    stored, and `resumed` pages that an interrupted add had left.
    """

    collection: Collection
    new: int
    known: int
    problems: Problems
    resumed: int = 0

    @property
    def has_damage(self) -> bool:
        """Whether some input was damaged."""
        return bool(self.problems.damage_count)

    def __repr__(self) -> str:
        counts = {
            "known already": self.known,
            "from an interrupted add": self.resumed,
            "skipped or damaged": self.problems.counts.total(),
        }
        more = "".join(f", {count:,} {what}" for what, count in counts.items() if count)
        return f"<Added to {self.collection.folder}: {self.new:,} new{more}>"


@dataclass(slots=True)
class NewPageStream:
    """The pages of the inputs that are not stored yet, with counts.

    `known_captures` are the digests of stored captures, sorted. New digests are
    collected in `recent_captures` and merged in now and then, since a set takes
    ten times the memory of an array.
    """

    known_captures: CaptureDigests
    parse_options: ParseOptions
    problems: Problems
    total_bytes: int
    new: int = 0
    known: int = 0
    bytes_read: int = 0
    recent_captures: set[int] = field(default_factory=set)

    def batches(self, sources: Sequence[InputSource]) -> Iterator[Batch]:
        """The new pages of all sources in batches, with progress."""
        batch = Batch()
        report_progress = listener.get()
        for page in self._read_pages(sources):
            capture, size = _capture_digest_and_size(page)
            if self._is_known(capture):
                self.known += 1
                continue
            self.new += 1
            batch.pages.append(page)
            batch.captures.append(capture)
            batch.size += size
            if batch.is_full:
                offset = page.offset if isinstance(page, RawPage) else 0
                report_progress("read", self.bytes_read + offset, self.total_bytes)
                report_progress("pages", self.new, None)
                yield batch
                batch = Batch()
        if batch.pages:
            yield batch
        report_progress("pages", self.new, None)

    def _read_pages(self, sources: Sequence[InputSource]) -> Iterator[RawPage | Page]:
        """The pages of all sources, then those that revisit records refer to."""
        revisits = RevisitIndex()
        for source in sources:
            yield from source.read_pages(self.parse_options, self.problems, revisits)
            self.bytes_read += _input_size(source.path)
        yield from read_revisits(revisits, self.parse_options, self.problems)

    def _is_known(self, capture: int) -> bool:
        known, recent = self.known_captures, self.recent_captures
        at = int(np.searchsorted(known, np.uint64(capture)))
        if capture in recent or (at < len(known) and int(known[at]) == capture):
            return True
        recent.add(capture)
        if len(recent) >= MAX_RECENT_CAPTURES:
            digests = np.sort(np.fromiter(recent, np.uint64, len(recent)))
            self.known_captures = np.insert(known, np.searchsorted(known, digests), digests)
            recent.clear()
        return False


def add_sources(
    folder: Path, sources: Sequence[InputSource], parse_options: ParseOptions, workers: int = 0
) -> AddResult:
    """Add inputs to the collection at `folder`, which is created if necessary.

    Captures that are stored already are skipped, so that adding twice changes
    nothing, and repeating an interrupted add completes it. Without `workers`,
    inputs of at least 4 MB get one process a core.
    """
    check_address_space_limit()
    problems = Problems()
    with open_writer(folder, parse_options.url_policy) as writer:
        resumed = sum(segment.pages for segment in writer.staged)
        graphs = [source for source in sources if source.is_graph]
        collections = [source for source in sources if source.format.yields == "segments"]
        archives = [s for s in sources if s not in graphs and s not in collections]
        total = sum(_input_size(source.path) for source in archives)
        stored = writer.stored_capture_digests() if archives else np.zeros(0, np.uint64)
        stream = NewPageStream(stored, parse_options, problems, total)
        count = workers or (available_cores() if total >= MIN_PARALLEL_BYTES else 1)
        for parsed in parse_batches(stream.batches(archives), parse_options, count, problems):
            problems.merge(parsed.problems)
            writer.append_pages(classify_missing_languages(parsed.pages), parsed.links)
        writer.flush()
        for source in graphs:
            _add_missing_graph_parts(writer, source, stream)
        for source in collections:
            stream.new += add_collection(writer, Collection.open(source.path))
        pages = sum(segment.pages for segment in writer.staged)
        names = [source.display_name for source in sources]
        entry = _history_entry(names, pages, stream.known, problems)
        if writer.staged or not writer.manifest.snapshot:
            commit_snapshot(writer, entry)
        elif entry["problems"] and not _are_problems_recorded(entry, writer):
            writer.commit_history_entry(entry)
    return AddResult(Collection.open(folder), stream.new, stream.known, problems, resumed)


def _capture_digest_and_size(page: RawPage | Page) -> tuple[int, int]:
    body = page.body if isinstance(page, RawPage) else body_for_digest(page)
    location = page.location if isinstance(page, RawPage) else ""
    return capture_digest(page.url + location, page.time, body), len(body)


def _input_size(path: Path) -> int:
    if path.is_dir():
        return sum(child.stat().st_size for child in path.rglob("*") if child.is_file())
    return path.stat().st_size


def _add_missing_graph_parts(
    writer: CollectionWriter, source: InputSource, stream: NewPageStream
) -> None:
    """Add the parts of a graph that are not stored yet, and count their links."""
    links = 0
    stored = writer.complete_graph_parts(source.digest())
    for part, edges in enumerate(_merge_small_parts(source.read_graph(stream.problems))):
        links += len(edges.links)
        listener.get()("links", links, None)
        if part in stored:
            stream.known += len(edges.links)
        else:
            stream.new += len(edges.links)
            writer.append_graph(edges, part)
        del edges  # frees the memory before the next part is read


def _merge_small_parts(parts: Iterable[EdgeBatch]) -> Iterator[EdgeBatch]:
    """Merge parts of a graph until they have enough rows for a segment."""
    pending: list[EdgeBatch] = []
    for part in parts:
        pending.append(part)
        if sum(len(edges.links) + len(edges.nodes) for edges in pending) >= MIN_SEGMENT_ROWS:
            merged, pending = _concat_edges(pending), []
            del part
            yield merged
            del merged
    if pending:
        yield _concat_edges(pending)


def _concat_edges(parts: list[EdgeBatch]) -> EdgeBatch:
    tables = [edges.links for edges in parts]
    links = pa.concat_tables(tables, promote_options="permissive").unify_dictionaries()
    return EdgeBatch(
        parts[0].input_digest, pa.concat_tables([edges.nodes for edges in parts]), links
    )


def add_collection(writer: CollectionWriter, other: Collection) -> int:
    """Copy the segments of another collection, without captures stored already."""
    if other.url_policy != writer.url_policy:
        raise WeftError(
            f"{other.folder} was made with other URL rules", hint="add its inputs instead"
        )
    stored, added = writer.stored_capture_digests(), 0
    for segment in other.manifest.segments:
        folder = other.checked_segment_folder(segment)
        removed = len(segments.read_removed_rows(folder, segment))
        if removed == segment.pages:
            continue
        if segment.input_digest:
            if segment.part not in writer.complete_graph_parts(segment.input_digest):
                edges = segments.read_graph_segment(folder, segment)
                complete = segment.complete and not removed
                writer.append_graph(edges, segment.part, complete=complete)
                added += segment.links
            continue
        pages, links = segments.read_page_segment(folder, segment)
        is_new = ~np.isin(pages["capture"].to_numpy(), stored)
        new_row = np.cumsum(is_new, dtype=np.int32) - 1  # of each row that stays
        links = links.filter(pa.array(is_new[links["page"].to_numpy()]))
        links = links.set_column(0, "page", pa.array(new_row[links["page"].to_numpy()]))
        writer.append_pages(pages.filter(pa.array(is_new)), links)
        added += int(is_new.sum())
    writer.flush()
    return added


def _are_problems_recorded(entry: dict[str, Any], writer: CollectionWriter) -> bool:
    """Whether an earlier add had the same problems with the same inputs."""
    recorded = ((past["inputs"], past["problems"]) for past in writer.manifest.history)
    return (entry["inputs"], entry["problems"]) in recorded


def _history_entry(inputs: list[str], pages: int, known: int, problems: Problems) -> dict[str, Any]:
    return {
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "version": __version__,
        "inputs": inputs,
        "pages": pages,
        "already_stored": known,
        "problems": [
            {
                "reason": reason,
                "count": count,
                "damage": reason in problems.damage_reasons,
                "places": problems.locations[reason],
            }
            for reason, count in problems.counts.most_common()
        ],
    }


def commit_snapshot(writer: CollectionWriter, entry: dict[str, Any]) -> None:
    """Build the next snapshot from all segments, and commit it with a history entry."""
    target = writer.begin_snapshot()
    writer.commit(write_snapshot(writer.folder / "segments", writer.segments, target), entry)


def write_snapshot(folder: Path, segments: tuple[Segment, ...], target: Path) -> dict[str, int]:
    """Number the pages of all segments, write their graph and index, and count them."""
    numbering = number_pages(folder, segments, target)
    pages, aliases = numbering.pages, len(numbering.aliases)
    graph = target / "graph"
    links = write_graph(folder, segments, numbering, graph)
    write_rare_links(graph)
    write_name_hashes(pages["url"], graph)
    write_nofollow_links(folder, segments, numbering, graph)
    del numbering
    write_hosts(pages, graph)
    with TermWeightWriter(target / "term_weights", len(pages)) as weights:
        anchors = InlinkAnchors(graph)
        texts = iter_page_texts(folder, [segment.name for segment in segments], pages)
        with_anchors = (PageTexts(*page_texts, anchors.of(page_texts[0])) for page_texts in texts)
        build_index(pages, with_anchors, target / "index", weights)
    return {**snapshot_counts(pages, graph), "links": links, "folded": aliases}


class InlinkAnchors:
    """The anchors of the links into each page of a graph."""

    def __init__(self, graph: Path) -> None:
        self.anchors = None
        if (graph / "anchors.arrow").exists():
            self.anchors = map_arrow_file(graph / "anchors.arrow")["anchor"].chunk(0)
            self.starts = np.load(graph / "in_link_starts.npy", mmap_mode="r")
            self.anchor_of_link = np.load(graph / "in_link_anchors.npy", mmap_mode="r")

    def of(self, numbers: Ids) -> pa.Array:
        """The distinct anchors of the links into each page, one a line."""
        if self.anchors is None:
            return pa.repeat("", len(numbers))
        spans = zip(self.starts[numbers].tolist(), self.starts[numbers + 1].tolist(), strict=True)
        codes = [np.unique(self.anchor_of_link[a:b])[:MAX_ANCHORS_PER_PAGE] for a, b in spans]
        offsets = pa.array(np.cumsum([0, *map(len, codes)], dtype=np.int32))
        every_code = pa.array(np.concatenate([self.anchor_of_link[:0], *codes]))
        texts = self.anchors.take(every_code).cast(pa.string())
        return pc.binary_join(pa.ListArray.from_arrays(offsets, texts), "\n")


def snapshot_counts(pages: pa.Table, graph: Path) -> dict[str, int]:
    """The number of pages of each kind, hosts, domains and captures.

    Hosts and domains that have only uncaptured pages do not count.
    """
    kinds = pages["kind"].to_numpy()
    captured = kinds != PAGE_KINDS["uncaptured"]
    counts = {name: int((kinds == code).sum()) for name, code in PAGE_KINDS.items()}
    for level in ("host", "domain"):
        group, _ = read_page_groups(graph, level)
        counts[f"{level}s"] = len(np.unique(group[captured]))
    counts["captures"] = int(pages["captures"].to_numpy().sum())
    return counts
