"""Build the graph of a snapshot from its segments, in memory that does not grow with the links."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import Floats, Ids, Offsets, Rows, narrowed, stacked
from weft.core.progress import track
from weft.store import segment as segments
from weft.store.distinct import distinct
from weft.store.manifest import Segment
from weft.store.mapped import Growing, Scratch, map_array, write_mapped
from weft.store.numbering import Numbering

BUCKET = 1 << 20
ENDS = [("row", "<i4"), ("id", "<i4"), ("origin", "<i4"), ("anchor", "<i4")]
COLUMNS = {"ids": "<i4", "weights": "<f4", "link_ids": "<i4", "link_anchors": "<i4"}
ANCHORS = pa.schema({"anchor": pa.large_string()})
Links = npt.NDArray[np.void]


@dataclass(frozen=True, slots=True, eq=False)
class Buckets:
    """Links spilled to disk by ranges of their row, so that each range can be sorted in memory."""

    kind: np.dtype[Any]
    bounds: Offsets
    files: list[IO[bytes]]

    def add(self, links: Links) -> None:
        """Append links to the buckets of their rows."""
        place = np.searchsorted(self.bounds, links["row"], side="right") - 1
        for bucket in np.unique(place):
            self.files[bucket].write(links[place == bucket].tobytes())

    def sorted(self) -> Iterator[Links]:
        """The links of each bucket in the order of row, then neighbour, then as they came."""
        for file in self.files:
            file.flush()
            links = np.fromfile(file.name, self.kind)
            key = stacked(links["row"], links["id"])
            yield links[np.argsort(key, kind="stable")]
            Path(file.name).unlink()


def build(folder: Path, parts: Sequence[Segment], numbering: Numbering, into: Path) -> int:
    """Write the links both ways as arrays that can be mapped; say how many links there are.

    Within one capture, or one graph that was added, parallel links add up;
    between several of them the greatest weight counts, so that adding the same
    link twice changes nothing.
    """
    into.mkdir(parents=True, exist_ok=True)
    n, total = len(numbering.pages), sum(part.links for part in parts)
    with ExitStack() as stack:
        words = stack.enter_context(Scratch(into, ANCHORS))
        codes = _anchor_words([folder / part.name for part in parts], words)
        kind = _link_kind(folder, parts)
        ends = [_buckets(stack, into / f".{name}", kind, n, total) for name in ("out", "in")]
        own = [np.zeros(0, kind)]
        for links in _live_links(folder, parts, numbering, codes, kind):
            to_itself = links["row"] == links["id"]
            own.append(links[to_itself])
            ends[0].add(links[~to_itself])
        _write_own(np.concatenate(own), into)
        anchored = words.rows > 1
        count = _write_rows(ends[0], into / "out", n, anchored=anchored, onward=ends[1])
        _write_rows(ends[1], into / "in", n, anchored=anchored, onward=None)
        if anchored:
            write_mapped(words.table(), into / "anchors.arrow")
    return count


def _link_kind(folder: Path, parts: Sequence[Segment]) -> np.dtype[Any]:
    """A link, with a weight as precise as that of any segment."""
    kinds = (segments.weight_kind(folder / part.name) for part in parts)
    return np.dtype([*ENDS, ("weight", max([np.dtype("<f4"), *kinds]))])


def _buckets(stack: ExitStack, stem: Path, kind: np.dtype[Any], n: int, total: int) -> Buckets:
    count = min(256, total // BUCKET + 1)
    bounds = np.linspace(0, n, count + 1).astype(np.int64)[:-1]
    paths = [Path(f"{stem}-{k}.bucket") for k in range(count)]
    return Buckets(kind, bounds, [stack.enter_context(path.open("wb")) for path in paths])


def _anchor_words(folders: Sequence[Path], words: Scratch) -> list[Ids]:
    """Add every anchor text once, sorted; for each segment where its own stand among them."""
    with Scratch(words.folder, ANCHORS) as every:
        every.add({"anchor": [""]})
        starts, orders = [0, 1], list[Ids]()
        for folder in folders:
            own = segments.anchors(folder).dictionary
            orders.append(pc.array_sort_indices(own).to_numpy().astype(np.int32))
            every.add({"anchor": own.take(pa.array(orders[-1]))})
            starts.append(every.rows)
        found = distinct(every, np.array(starts), words)[1:]
    codes = [np.empty_like(order) for order in orders]
    for code, order, places in zip(codes, orders, found, strict=True):
        code[order] = places
    return codes


def _live_links(
    folder: Path,
    parts: Sequence[Segment],
    numbering: Numbering,
    codes: list[Ids],
    kind: np.dtype[Any],
) -> Iterator[Links]:
    """The links of live pages by number, a segment at a time."""
    origins = {origin: k for k, origin in enumerate(sorted({part.origin for part in parts}))}
    order = sorted(range(len(parts)), key=lambda s: (parts[s].origin, parts[s].part))
    for s in track(order, "links", len(order)):
        table = segments.read(folder / parts[s].name, "links.parquet", ["page", "target", "weight"])
        links = np.empty(len(table), kind)
        links["row"] = numbering.owners[s][table["page"].to_numpy()]
        links["id"] = numbering.numbers[s][table["target"].to_numpy()]
        links["origin"] = origins[parts[s].origin]
        links["anchor"] = codes[s][segments.anchors(folder / parts[s].name).indices.to_numpy()]
        links["weight"] = table["weight"].to_numpy()
        yield links[links["row"] >= 0]


def _write_rows(
    buckets: Buckets, stem: Path, n: int, *, anchored: bool, onward: Buckets | None
) -> int:
    """Write the rows of sorted buckets; `onward` takes the links with their ends exchanged.

    The weights file is dropped again where every link weighs one. Where links
    have anchors, each link on a page is kept beside the rows, parallel or not.
    Sums that single precision does not hold are made again from the other end.
    """
    degrees, shown = np.zeros(n, np.int32), np.zeros(n, np.int32)
    useless = {"weights"} | (set() if anchored else {"link_ids", "link_anchors"})
    with ExitStack() as stack:
        column = {
            name: stack.enter_context(Growing(Path(f"{stem}_{name}.npy"), kind))
            for name, kind in COLUMNS.items()
        }
        for links in buckets.sorted():
            first, weight = _merged(links)
            edges = links[first]
            edges["weight"] = weight
            exact = bool((edges["weight"] == weight).all())
            column["ids"].write(edges["id"])
            column["weights"].write(narrowed(weight))
            _count(edges["row"], degrees)
            if (weight != 1).any():
                useless.discard("weights")
            if anchored:
                column["link_ids"].write(links["id"])
                column["link_anchors"].write(links["anchor"])
                _count(links["row"], shown)
            if onward is not None:
                onward.add(_turned(edges if exact and not anchored else links))
    _write_starts(degrees, f"{stem}_starts.npy")
    if anchored:
        _write_starts(shown, f"{stem}_link_starts.npy")
    for name in useless:
        Path(f"{stem}_{name}.npy").unlink()
    return int(degrees.sum())


def _count(rows: Ids, counts: Ids) -> None:
    """Count how often each row is there, of some that ascend."""
    first = int(rows[0]) if len(rows) else 0
    found = np.bincount(rows - first)
    counts[first : first + len(found)] += found


def _write_starts(counts: Ids, path: str) -> None:
    starts = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=starts[1:])
    np.save(path, starts, allow_pickle=False)


def _write_own(links: Links, into: Path) -> None:
    """Write the links of pages to themselves apart: no method wants them, an export does."""
    links = links[np.argsort(links["row"], kind="stable")]
    first, weight = _merged(links)
    np.save(into / "own_ids.npy", links["row"][first], allow_pickle=False)
    np.save(into / "own_weights.npy", narrowed(weight), allow_pickle=False)


def _merged(links: Links) -> tuple[Offsets, Floats]:
    """Where each distinct link begins in sorted links, and what it weighs."""
    key = stacked(links["row"], links["id"])
    within = np.flatnonzero(np.diff(key, prepend=-1) | np.diff(links["origin"], prepend=-1))
    if not len(within):
        return within, np.zeros(0)
    sums = np.add.reduceat(links["weight"].astype(np.float64), within)
    starts = np.flatnonzero(np.diff(key[within], prepend=-1))
    return within[starts], np.maximum.reduceat(sums, starts)


def _turned(links: Links) -> Links:
    turned = links.copy()
    turned["row"], turned["id"] = links["id"], links["row"]
    return turned


def read_rows(folder: Path, end: str) -> Rows:
    """Map the rows of one direction, `out` or `in`."""
    starts = map_array(folder / f"{end}_starts.npy", "<i8")
    ids, heavy = map_array(folder / f"{end}_ids.npy", "<i4"), folder / f"{end}_weights.npy"
    weights = map_array(heavy, "<f4", "<f8", length=len(ids)) if heavy.exists() else None
    return Rows(starts, ids, weights)


def read_links(folder: Path, end: str) -> tuple[Rows, Ids]:
    """Map every link as it stands on its page in one direction, and the number of its anchor."""
    starts = map_array(folder / f"{end}_link_starts.npy", "<i8")
    ids = map_array(folder / f"{end}_link_ids.npy", "<i4")
    anchors = map_array(folder / f"{end}_link_anchors.npy", "<i4", length=len(ids))
    return Rows(starts, ids), anchors
