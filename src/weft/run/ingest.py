"""Add inputs to a collection: read, parse, keep, number, link, index, commit."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from weft import __version__
from weft.core.errors import WeftError
from weft.core.machine import cores
from weft.core.progress import listener
from weft.gather.html import Reading
from weft.gather.page import Edges, Page, Problems, Record
from weft.gather.revisits import Revisits
from weft.gather.source import Source, read_revisits
from weft.run.memory import live_within_limit
from weft.run.parse import Batch, parse_all
from weft.run.snapshot import build_snapshot
from weft.store import segment as segments
from weft.store.collection import Collection
from weft.store.schema import capture_digest, page_body
from weft.store.writer import Captures, Writer, writing

WORTH_WORKERS = 4 << 20
WORTH_SEGMENT = 8_000_000
MOST_RECENT = 1 << 18


@dataclass(frozen=True, slots=True)
class Added:
    """What an `add` did.

    `fresh` are new pages, or links of a graph, `known` captures that were there
    already, and `resumed` pages of an add that was cut short.
    """

    collection: Collection
    fresh: int
    known: int
    problems: Problems
    resumed: int = 0

    @property
    def damaged(self) -> bool:
        """Whether some input was damaged."""
        return bool(self.problems.damage)

    def __repr__(self) -> str:
        counts = {
            "known already": self.known,
            "from an interrupted add": self.resumed,
            "skipped or damaged": self.problems.counts.total(),
        }
        more = "".join(f", {times:,} {words}" for words, times in counts.items() if times)
        return f"<Added to {self.collection.folder}: {self.fresh:,} new{more}>"


@dataclass(slots=True)
class Intake:
    """The stream of pages that are new, and the count of those that are not.

    `held` are the captures known, sorted; `recent` those that wait to be put
    among them, since a set takes ten times the memory.
    """

    held: Captures
    reading: Reading
    problems: Problems
    total: int
    fresh: int = 0
    known: int = 0
    before: int = 0
    recent: set[int] = field(default_factory=set)

    def batches(self, sources: Sequence[Source]) -> Iterator[Batch]:
        """New pages of all sources in batches; the listener hears how far reading got."""
        batch = Batch()
        tell = listener.get()
        for page in self._pages(sources):
            capture, size = _digest(page)
            if self._is_known(capture):
                self.known += 1
                continue
            self.fresh += 1
            batch.pages.append(page)
            batch.captures.append(capture)
            batch.size += size
            if batch.full:
                at = self.before + (page.at if isinstance(page, Record) else 0)
                tell("read", at, self.total)
                tell("pages", self.fresh, None)
                yield batch
                batch = Batch()
        if batch.pages:
            yield batch
        tell("pages", self.fresh, None)

    def _pages(self, sources: Sequence[Source]) -> Iterator[Record | Page]:
        """The pages of all sources, and then those that were found again."""
        revisits = Revisits()
        for source in sources:
            yield from source.read(self.reading, self.problems, revisits)
            self.before += _size(source.path)
        yield from read_revisits(revisits, self.reading, self.problems)

    def _is_known(self, capture: int) -> bool:
        at = int(np.searchsorted(self.held, np.uint64(capture)))
        if capture in self.recent or (at < len(self.held) and int(self.held[at]) == capture):
            return True
        self.recent.add(capture)
        if len(self.recent) >= MOST_RECENT:
            fresh = np.sort(np.fromiter(self.recent, np.uint64, len(self.recent)))
            self.held = np.insert(self.held, np.searchsorted(self.held, fresh), fresh)
            self.recent.clear()
        return False


def add(folder: Path, sources: Sequence[Source], reading: Reading, workers: int = 0) -> Added:
    """Add inputs to the collection at `folder`, which is made if need be.

    What the collection has already is recognised and left alone, so that
    adding twice changes nothing, and repeating an interrupted add finishes it.
    """
    live_within_limit()
    problems = Problems()
    with writing(folder, reading.policy) as writer:
        resumed = sum(segment.pages for segment in writer.staged)
        graphs = [source for source in sources if source.is_graph]
        others = [source for source in sources if source.kind == "collection"]
        pages = [source for source in sources if source not in graphs and source not in others]
        total = sum(_size(source.path) for source in pages)
        intake = Intake(
            writer.held() if pages else np.zeros(0, np.uint64), reading, problems, total
        )
        count = workers or (cores() if total >= WORTH_WORKERS else 1)
        for parsed in parse_all(intake.batches(pages), reading, count, problems):
            problems.merge(parsed.problems)
            writer.append(*parsed.tables())
        writer.flush()
        for source in graphs:
            _add_graph(writer, source, intake)
        for source in others:
            intake.fresh += add_collection(writer, Collection.open(source.path))
        brought = sum(segment.pages for segment in writer.staged)
        note = _note([source.label for source in sources], brought, intake.known, problems)
        if writer.staged or not writer.manifest.snapshot:
            writer.commit(build_snapshot(writer.folder / "segments"), note)
        elif note["problems"] and not _is_told(note, writer):
            writer.tell(note)
    return Added(Collection.open(folder), intake.fresh, intake.known, problems, resumed)


def _digest(page: Record | Page) -> tuple[int, int]:
    body = page.body if isinstance(page, Record) else page_body(page)
    told = page.location if isinstance(page, Record) else ""
    return capture_digest(page.url + told, page.time, body), len(body)


def _size(path: Path) -> int:
    if path.is_dir():
        return sum(child.stat().st_size for child in path.rglob("*") if child.is_file())
    return path.stat().st_size


def _add_graph(writer: Writer, source: Source, intake: Intake) -> None:
    """Add the parts of a graph that the collection does not have yet, and count their links."""
    links = 0
    have = writer.parts_held(source.digest())
    for part, edges in enumerate(_larger(source.read_graph(intake.problems))):
        links += len(edges.links)
        listener.get()("links", links, None)
        if part in have:
            intake.known += len(edges.links)
        else:
            intake.fresh += len(edges.links)
            writer.append_graph(edges, part)
        del edges  # before more of the graph is read


def _larger(parts: Iterable[Edges]) -> Iterator[Edges]:
    """Join parts of a graph until they are worth a segment."""
    waiting: list[Edges] = []
    for part in parts:
        waiting.append(part)
        if sum(len(edges.links) + len(edges.nodes) for edges in waiting) >= WORTH_SEGMENT:
            joined, waiting = _joined(waiting), []
            del part
            yield joined
            del joined
    if waiting:
        yield _joined(waiting)


def _joined(parts: list[Edges]) -> Edges:
    tables = [edges.links for edges in parts]
    links = pa.concat_tables(tables, promote_options="permissive").unify_dictionaries()
    return Edges(parts[0].origin, pa.concat_tables([edges.nodes for edges in parts]), links)


def add_collection(writer: Writer, other: Collection) -> int:
    """Take over the segments of another collection, but for what is here already."""
    if other.policy != writer.policy:
        raise WeftError(
            f"{other.folder} was made with other URL rules", hint="add its inputs instead"
        )
    held, fresh = writer.held(), 0
    for part in other.manifest.segments:
        at = other.segment_folder(part)
        gone = len(segments.removed_rows(at, part))
        if gone == part.pages:
            continue
        if part.origin:
            if part.part not in writer.parts_held(part.origin):
                edges = segments.incoming_graph(at, part)
                writer.append_graph(edges, part.part, whole=part.whole and not gone)
                fresh += part.links
            continue
        pages, links = segments.incoming(at, part)
        new = ~np.isin(pages["capture"].to_numpy(), held)
        moved = np.cumsum(new, dtype=np.int32) - 1
        links = links.filter(pa.array(new[links["page"].to_numpy()]))
        links = links.set_column(0, "page", pa.array(moved[links["page"].to_numpy()]))
        writer.append(pages.filter(pa.array(new)), links)
        fresh += int(new.sum())
    writer.flush()
    return fresh


def _is_told(note: dict[str, Any], writer: Writer) -> bool:
    """Whether an earlier add told the same of the same inputs."""
    known = ((past["inputs"], past["problems"]) for past in writer.manifest.adds)
    return (note["inputs"], note["problems"]) in known


def _note(labels: list[str], pages: int, known: int, problems: Problems) -> dict[str, Any]:
    return {
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "version": __version__,
        "inputs": labels,
        "pages": pages,
        "known": known,
        "problems": [
            {
                "reason": reason,
                "count": count,
                "damage": reason in problems.damaged,
                "places": problems.places[reason],
            }
            for reason, count in problems.counts.most_common()
        ],
    }
