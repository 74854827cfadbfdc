"""Add inputs to a collection: read, parse, store, build a snapshot, commit."""

import resource
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from itertools import chain, groupby, takewhile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft import __version__
from weft.core.arrays import Ids
from weft.core.cpu import available_cores
from weft.core.errors import WeftError
from weft.core.memory import return_free_memory, share_one_arena
from weft.core.progress import listener
from weft.gather.formats import InputSource, read_revisits
from weft.gather.html import ParseOptions
from weft.gather.logs.options import LogOptions
from weft.gather.page import (
    REQUEST_SCHEMA,
    EdgeBatch,
    GraphBatch,
    NodeScores,
    Page,
    Problems,
    RawPage,
    RequestBatch,
)
from weft.gather.revisits import RevisitIndex
from weft.gather.text import forget_language_model
from weft.graph.build import count_hosts, write_graph, write_hosts
from weft.graph.link_facts import write_name_hashes, write_nofollow_links, write_rare_links
from weft.graph.sessions import USAGE_COUNTS, SessionRules, write_usage
from weft.graph.transitions import USAGE_FOLDER
from weft.store import segment as segments
from weft.store.arrow_files import map_arrow_file
from weft.store.collection import Collection
from weft.store.index import PageTexts, build_index, iter_page_texts
from weft.store.manifest import InputPart, Segment
from weft.store.numbered_graph import NumberedGraph
from weft.store.numbering import PAGE_KINDS, number_pages
from weft.store.salt import create_salt, read_salt, salt_folder
from weft.store.segment import body_for_digest, capture_digest
from weft.store.term_weights import TermWeightWriter
from weft.store.writer import CaptureDigests, CollectionWriter, open_writer
from weft.workspace.parse import Batch, ParsedBatch, classify_missing_languages, parse_batches
from weft.workspace.parsed_pages import ParsedPages

MAX_ANCHORS_PER_PAGE = 200
MIN_FREE_ADDRESS_BYTES = 800 << 20
MIN_PARALLEL_BYTES = 4 << 20
MIN_SEGMENT_ROWS = 8_000_000
UNKNOWN_RANKS = "ranks of names that the graph does not have"
REQUESTS_PER_SEGMENT, REQUESTS_PER_MERGED_SEGMENT = 1 << 18, 1 << 21
MAX_RECENT_CAPTURES = 1 << 18
MIN_BYTES_WITHOUT_MODEL = 16 << 20  # of pages and links, whose index needs the memory
CRAWL_BUFFER_BYTES = 24 << 20  # beside which the crawl has its own memory


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
    share_one_arena()


@dataclass(frozen=True, slots=True)
class AddResult:
    """What an `add` did.

    `new` counts new pages, links of a graph or requests, `known` those that were
    already stored, and `resumed` pages and requests that an interrupted add had
    left. `requests` are the lines of logs that were accepted, and `log_problems`
    the others; all of them are lines that were read.
    """

    collection: Collection
    new: int
    known: int
    problems: Problems
    resumed: int = 0
    requests: int = 0
    log_problems: Problems = field(default_factory=Problems)

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
    ten times the memory of an array. Captures in `parsed` are not parsed again: those that
    are new go to `parsed_captures`.
    """

    known_captures: CaptureDigests
    parse_options: ParseOptions
    problems: Problems
    total_bytes: int
    new: int = 0
    known: int = 0
    bytes_read: int = 0
    recent_captures: set[int] = field(default_factory=set)
    parsed: ParsedPages | None = None
    parsed_captures: set[int] = field(default_factory=set)

    def batches(self, pages: Iterable[RawPage | Page]) -> Iterator[Batch]:
        """The pages that are new and not parsed, in batches, with progress."""
        batch = Batch()
        report_progress = listener.get()
        for page in pages:
            capture, size = capture_digest_and_size(page)
            if self._is_known(capture):
                self.known += 1
                continue
            self.new += 1
            if self.parsed is not None and capture in self.parsed.pages.captures:
                self.parsed_captures.add(capture)
                continue
            batch.append(page, capture, size)
            if batch.is_full:
                offset = page.offset if isinstance(page, RawPage) else 0
                report_progress("read", self.bytes_read + offset, self.total_bytes)
                report_progress("pages", self.new, None)
                yield batch
                batch = Batch()
        if batch.pages:
            yield batch
        report_progress("pages", self.new, None)

    def read_pages(self, sources: Sequence[InputSource]) -> Iterator[RawPage | Page]:
        """The pages of all sources, then those that revisit records refer to."""
        revisits = RevisitIndex()
        for source in sources:
            pages = source.read_pages(self.parse_options, self.problems, revisits)
            if self.parsed is not None and source.path == self.parsed.path:
                pages = takewhile(partial(_is_before, self.parsed.end), pages)
            yield from pages
            self.bytes_read += _input_size(source.path)
        yield from read_revisits(revisits, self.parse_options, self.problems)

    def parsed_batches(self) -> Iterator[ParsedBatch]:
        """The pages that are new and parsed."""
        if self.parsed is not None:
            yield from self.parsed.pages.read(self.parsed_captures)

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


@dataclass(frozen=True, slots=True)
class UsageOptions:
    """What is asked of usage data, as in `Workspace.add`."""

    log_options: LogOptions = field(default_factory=LogOptions)
    session_rules: Mapping[str, Any] = field(default_factory=dict)
    new_visitors: bool = False


def add_sources(
    folder: Path,
    sources: Sequence[InputSource],
    parse_options: ParseOptions,
    workers: int = 0,
    usage: UsageOptions | None = None,
    parsed: ParsedPages | None = None,
) -> AddResult:
    """Add inputs to the collection at `folder`, which is created if necessary.

    Captures that are stored already are skipped, so that adding twice changes
    nothing, and repeating an interrupted add completes it. Without `workers`,
    inputs of at least 4 MB get one process a core. `parsed` has pages of the inputs
    that were parsed before.
    """
    check_address_space_limit()
    usage = usage or UsageOptions()
    problems, log_problems, requests = Problems(), Problems(), 0
    with open_writer(folder, parse_options.url_policy) as writer:
        if parsed is not None:
            writer.buffer.max_bytes = CRAWL_BUFFER_BYTES
        resumed = sum(segment.pages + segment.requests for segment in writer.staged)
        graphs = [source for source in sources if source.is_graph]
        logs = [source for source in sources if source.is_log]
        collections = [source for source in sources if source.format.yields == "segments"]
        archives = [s for s in sources if s not in (*graphs, *logs, *collections)]
        total = sum(_input_size(source.path) for source in archives)
        stored = writer.stored_capture_digests() if archives else np.zeros(0, np.uint64)
        stream = NewPageStream(stored, parse_options, problems, total, parsed=parsed)
        count = workers or (available_cores() if total >= MIN_PARALLEL_BYTES else 1)
        changes = usage.session_rules
        rules_changed = bool(changes) and _change_session_rules(writer, changes)
        _store_pages(writer, stream, stream.read_pages(archives), count)
        for source in graphs:
            _add_missing_graph_parts(writer, source, stream)
        if logs:
            salt_id, options = _salt_log_options(writer, usage)
            log_stream = replace(stream, problems=log_problems, new=0, known=0)
            for source in logs:
                requests += _add_missing_requests(writer, source, log_stream, options, salt_id)
            stream.new, stream.known = stream.new + log_stream.new, stream.known + log_stream.known
            problems.merge(log_problems)
        for source in collections:
            stream.new += add_collection(
                writer, Collection.open(source.path), new_visitors=usage.new_visitors
            )
        names = [source.display_name for source in sources]
        commit_added(writer, names, stream.known, problems, rebuild=rules_changed)
    return AddResult(
        Collection.open(folder), stream.new, stream.known, problems, resumed, requests, log_problems
    )


def _change_session_rules(writer: CollectionWriter, changes: Mapping[str, Any]) -> bool:
    """Change the session rules of a collection; whether that changes sessions."""
    old = SessionRules(**writer.manifest.session_rules)
    new = replace(old, **changes)
    if new == old:
        return False
    writer.set_session_rules(asdict(new))
    return True


def _salt_log_options(writer: CollectionWriter, usage: UsageOptions) -> tuple[str, LogOptions]:
    """The id of the salt of new visitors, and log options with the salt."""
    salt_id = next((known for known in writer.salt_ids if read_salt(known)), "")
    if writer.salt_ids and not salt_id and not usage.new_visitors:
        raise WeftError(
            f"{writer.folder} has visitors that were hashed with a salt that is not here",
            hint=f"copy {salt_folder() / writer.salt_ids[0]} from where it was made, remove what"
            " there is with `weft remove --usage`, or keep old and new visitors apart with"
            " --new-visitors",
        )
    salt_id = salt_id or create_salt()
    return salt_id, replace(usage.log_options, salt=read_salt(salt_id) or b"")


def _add_missing_requests(
    writer: CollectionWriter,
    source: InputSource,
    stream: NewPageStream,
    options: LogOptions,
    salt_id: str,
) -> int:
    """Add the parts of a log that are not stored yet; the number of requests that were read.

    A log that is stored from its first part to its last is not read again.
    """
    digest = source.digest()
    stored = writer.stored_requests.get(digest, {})
    if any(part.is_last and stored.keys() >= {*range(part.part)} for part in stored.values()):
        stream.known += sum(part.rows for part in stored.values())
        return 0
    requests = 0
    batches = source.read_requests(stream.problems, options)
    for number, (table, is_last) in enumerate(_merge_request_batches(batches)):
        requests += len(table)
        listener.get()("requests", requests, None)
        if number in stored:
            stream.known += len(table)
        else:
            stream.new += len(table)
            first_time = int(pc.min(table["time"]).as_py())
            part = InputPart(digest, number, len(table), first_time, is_last, is_complete=True)
            writer.append_requests(table, [part], salt_id)
        del table
        pa.default_memory_pool().release_unused()
    return requests


def _merge_request_batches(batches: Iterable[RequestBatch]) -> Iterator[tuple[pa.Table, bool]]:
    """Merge batches to the size of a segment; the last one is marked."""
    pending: list[pa.Table] = []
    for batch in batches:
        if sum(map(len, pending)) >= REQUESTS_PER_SEGMENT:
            yield _concat_requests(pending), False
            pending = []
        if len(batch.requests):
            pending.append(batch.requests)
    if pending:
        yield _concat_requests(pending), True


def _concat_requests(tables: Sequence[pa.Table]) -> pa.Table:
    return pa.concat_tables([table.cast(REQUEST_SCHEMA) for table in tables]).unify_dictionaries()


def add_pages(
    folder: Path, pages: Iterable[RawPage | Page], source: str, parse_options: ParseOptions
) -> AddResult:
    """Add pages that come from no file, such as those of a crawl; `source` is for the history."""
    check_address_space_limit()
    problems = Problems()
    with open_writer(folder, parse_options.url_policy) as writer:
        resumed = sum(segment.pages for segment in writer.staged)
        stream = NewPageStream(writer.stored_capture_digests(), parse_options, problems, 0)
        _store_pages(writer, stream, pages, 1)
        commit_added(writer, [source], stream.known, problems)
    return AddResult(Collection.open(folder), stream.new, stream.known, problems, resumed)


def _store_pages(
    writer: CollectionWriter,
    stream: NewPageStream,
    pages: Iterable[RawPage | Page],
    workers: int,
) -> None:
    """Parse pages and write those that are new as segments."""
    batches, size = stream.batches(pages), 0
    newly_parsed = parse_batches(batches, stream.parse_options, workers, stream.problems)
    for parsed in chain(newly_parsed, stream.parsed_batches()):
        stream.problems.merge(parsed.problems)
        writer.append_pages(classify_missing_languages(parsed.pages), parsed.links)
        size += parsed.pages.nbytes + parsed.links.nbytes
    writer.flush()
    if size > MIN_BYTES_WITHOUT_MODEL:
        forget_language_model()


def commit_added(
    writer: CollectionWriter,
    inputs: list[str],
    known: int,
    problems: Problems,
    *,
    rebuild: bool = False,
) -> None:
    """Commit what was written; problems are recorded also where nothing is new."""
    pages = sum(segment.pages for segment in writer.staged)
    entry = history_entry(inputs, problems, pages=pages, known=known)
    if writer.staged or not writer.manifest.snapshot or rebuild:
        commit_snapshot(writer, entry)
    elif entry["problems"] and not _are_problems_recorded(entry, writer):
        writer.commit_history_entry(entry)


def capture_digest_and_size(page: RawPage | Page) -> tuple[int, int]:
    """The digest by which a capture is recognised, and the bytes of its body."""
    body = page.body if isinstance(page, RawPage) else body_for_digest(page)
    location = page.location if isinstance(page, RawPage) else ""
    return capture_digest(page.url + location, page.time, body), len(body)


def _is_before(end: int, page: RawPage | Page) -> bool:
    return isinstance(page, Page) or page.offset < end


def _input_size(path: Path) -> int:
    if path.is_dir():
        return sum(child.stat().st_size for child in path.rglob("*") if child.is_file())
    return path.stat().st_size


def _add_missing_graph_parts(
    writer: CollectionWriter, source: InputSource, stream: NewPageStream
) -> None:
    """Add the parts of a graph that are not stored yet, and count their links.

    All links between numbers are the last part.
    """
    links = part = 0
    digest = source.digest()
    stored = writer.complete_graph_parts(digest)
    with NumberedGraph(writer.folder / "segments", digest) as numbered:
        batches = source.read_graph(stream.problems)
        for part, edges in enumerate(_merge_small_parts(_divert_numbers(batches, numbered)), 1):
            links += len(edges.links)
            listener.get()("links", links, None)
            if part - 1 in stored:
                stream.known += len(edges.links)
            else:
                stream.new += len(edges.links)
                writer.append_graph(edges, part - 1)
            del edges  # frees the memory before the next part is read
        if part in stored:
            stream.known += numbered.link_count
        elif not numbered.is_empty:
            stream.new += numbered.link_count
            writer.append_numbered_graph(numbered, part)
            if numbered.unknown_scores:
                location, count = str(source.ranks), numbered.unknown_scores
                stream.problems.add(UNKNOWN_RANKS, location, damage=False, count=count)


def _divert_numbers(batches: Iterable[GraphBatch], numbered: NumberedGraph) -> Iterator[EdgeBatch]:
    """Collect the links between numbers, and yield the other batches."""
    for batch in batches:
        if isinstance(batch, EdgeBatch):
            yield batch
        elif isinstance(batch, NodeScores):
            numbered.append_scores(batch)
        else:
            numbered.append(batch)
            listener.get()("links", numbered.link_count, None)


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


def add_collection(
    writer: CollectionWriter, other: Collection, *, new_visitors: bool = False
) -> int:
    """Copy the segments of another collection, without captures stored already."""
    if other.url_policy != writer.url_policy:
        raise WeftError(
            f"{other.folder} was made with other URL rules", hint="add its inputs instead"
        )
    stored = writer.stored_capture_digests()
    added = _copy_requests(writer, other, new_visitors=new_visitors)
    for segment in other.manifest.segments:
        if segment.inputs:
            continue
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
        writer.append_pages(*segments.select_pages(pages, links, is_new))
        added += int(is_new.sum())
    writer.flush()
    return added


def _copy_requests(writer: CollectionWriter, other: Collection, *, new_visitors: bool) -> int:
    """Copy the requests of another collection that are not stored yet; small segments are merged.

    Segments are merged in the order of time, those with the same salt.
    """
    request_segments = [segment for segment in other.manifest.segments if segment.inputs]
    salts = {segment.salt_id for segment in request_segments}
    if writer.salt_ids and not salts <= {*writer.salt_ids} and not new_visitors:
        cure = "keep them apart with --new-visitors, or add its logs instead"
        raise WeftError(f"the visitors of {other.folder} were hashed with another salt", hint=cure)
    stored, added = writer.stored_requests, 0
    known = {part for segment in writer.segments for part in segment.inputs}
    order = sorted(request_segments, key=lambda own: (own.salt_id, own.inputs[0].first_time))
    for salt_id, own_segments in groupby(order, lambda segment: segment.salt_id):
        pending: list[tuple[pa.Table, InputPart]] = []
        for segment in own_segments:
            table, start = segments.read_requests(other.checked_segment_folder(segment)), 0
            for part in segment.inputs:
                if part not in known and part.part not in stored.get(part.input_digest, {}):
                    pending.append((table.slice(start, part.rows), part))
                    added += part.rows
                start += part.rows
            if sum(part.rows for _, part in pending) >= REQUESTS_PER_MERGED_SEGMENT:
                _flush_requests(writer, pending, salt_id)
        _flush_requests(writer, pending, salt_id)
    return added


def _flush_requests(
    writer: CollectionWriter, pending: list[tuple[pa.Table, InputPart]], salt_id: str
) -> None:
    if pending:
        tables, parts = zip(*pending, strict=True)
        writer.append_requests(_concat_requests(tables), parts, salt_id)
        pending.clear()


def _are_problems_recorded(entry: dict[str, Any], writer: CollectionWriter) -> bool:
    """Whether an earlier add had the same problems with the same inputs."""
    recorded = ((past["inputs"], past["problems"]) for past in writer.manifest.history)
    return (entry["inputs"], entry["problems"]) in recorded


def history_entry(
    inputs: list[str], problems: Problems, *, pages: int = 0, known: int = 0
) -> dict[str, Any]:
    """What the history says of a commit: what was added or done, and the problems."""
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
    """Build the next snapshot from all segments, and commit it with a history entry.

    Where only requests for known pages are new, all but usage data stays as it is.
    """
    target, folder = writer.begin_snapshot(), writer.folder / "segments"
    pages_of_urls = _find_requested_pages(writer)
    if pages_of_urls is None:
        counts, pages_of_urls = write_snapshot(folder, writer.segments, target)
    else:
        counts = _reuse_snapshot(writer, target)
    pa.default_memory_pool().release_unused()
    if any(segment.requests for segment in writer.segments):
        rules = SessionRules(**writer.manifest.session_rules)
        counts |= write_usage(folder, writer.segments, pages_of_urls, target, rules)
    writer.commit(counts, entry)


def _find_requested_pages(writer: CollectionWriter) -> dict[int, Ids] | None:
    """The page of each URL of requests in the last snapshot.

    None if that snapshot lacks one of these pages, or if segments other than
    new requests have changed.
    """
    old, new = writer.committed, writer.segments
    is_extended = new[: len(old.segments)] == old.segments
    if not (old.snapshot and is_extended and all(s.inputs for s in new[len(old.segments) :])):
        return None
    collection, pages_of_urls = Collection(writer.folder, old), {}
    for number, segment in enumerate(new):
        if segment.inputs:
            folder = writer.segment_folder(segment)
            keys = segments.read_table(folder, "urls.parquet", ["key"])["key"].combine_chunks()
            pages_of_urls[number] = pages = collection.page_numbers_of_keys(keys)
            if (pages[segments.requested_urls(folder, len(keys))] < 0).any():
                return None
    return pages_of_urls


def _reuse_snapshot(writer: CollectionWriter, target: Path) -> dict[str, int]:
    """Take over the files of the last snapshot, except usage data; its counts."""
    old = writer.committed
    for path in old.files:
        name = Path(path).relative_to(old.snapshot_folder)
        if name.parts[0] != USAGE_FOLDER:
            (target / name).parent.mkdir(exist_ok=True)
            try:
                (target / name).hardlink_to(writer.folder / path)
            except OSError:  # a file system without hard links
                shutil.copy2(writer.folder / path, target / name)
    return {name: count for name, count in old.counts.items() if name not in USAGE_COUNTS}


def write_snapshot(
    folder: Path, segments: tuple[Segment, ...], target: Path
) -> tuple[dict[str, int], dict[int, Ids]]:
    """Number the pages of all segments, write their graph and index, and count them.

    Also returns the page of each URL of the segments that hold requests.
    """
    numbering = number_pages(folder, segments, target)
    pages, aliases = numbering.pages, len(numbering.aliases)
    graph = target / "graph"
    links = write_graph(folder, segments, numbering, graph)
    write_rare_links(graph)
    write_name_hashes(pages["url"], graph)
    write_nofollow_links(folder, segments, numbering, graph)
    pages_of_urls = {s: numbering.page_of_url[s] for s, own in enumerate(segments) if own.inputs}
    del numbering
    write_hosts(pages, graph)
    return_free_memory()
    with TermWeightWriter(target / "term_weights", len(pages)) as weights:
        anchors = InlinkAnchors(graph)
        texts = iter_page_texts(folder, [segment.name for segment in segments], pages)
        with_anchors = (PageTexts(*page_texts, anchors.of(page_texts[0])) for page_texts in texts)
        build_index(pages, with_anchors, target / "index", weights)
    counts = {**snapshot_counts(pages, graph), "links": links, "folded": aliases}
    return counts, pages_of_urls


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
    counts |= count_hosts(captured, graph)
    counts["captures"] = int(pages["captures"].to_numpy().sum())
    return counts
