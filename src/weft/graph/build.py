"""Build the graph of a snapshot from its segments, by an external sort of the links."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import Flags, Floats, Ids, Offsets, pack_pairs, to_float32_if_exact
from weft.core.progress import track
from weft.gather.url import domains_of, hosts_of
from weft.graph.sorted_links import write_sorted_graph
from weft.store import segment as segments
from weft.store.arrow_files import (
    NpyWriter,
    ScratchTable,
    map_arrow_file,
    merge_distinct_rows,
    write_arrow_file,
)
from weft.store.manifest import Segment
from weft.store.numbering import Numbering

LINKS_PER_BUCKET = 1 << 20
LINK_FIELDS = [("row", "<i4"), ("id", "<i4"), ("input", "<i4"), ("anchor", "<i4")]
COLUMN_DTYPES = {"ids": "<i4", "weights": "<f4", "link_ids": "<i4", "link_anchors": "<i4"}
ANCHOR_TEXT_SCHEMA = pa.schema({"anchor": pa.large_string()})
LinkRecords = npt.NDArray[np.void]
HOSTS_FILE, DOMAINS_FILE = "hosts.arrow", "domains.arrow"
HOST_BLOCK_PAGES = 1 << 16
EncodedGroups = tuple[Ids, pa.Array]


@dataclass(frozen=True, slots=True, eq=False)
class LinkBuckets:
    """Links spilled to disk by ranges of rows, each of which is sorted in memory."""

    dtype: np.dtype[Any]
    bounds: Offsets
    files: list[IO[bytes]]

    def add(self, links: LinkRecords) -> None:
        """Append links to the buckets of their rows."""
        bucket_of_link = (np.searchsorted(self.bounds, links["row"], side="right") - 1).astype(
            np.uint8
        )
        grouped = links[np.argsort(bucket_of_link, kind="stable")]
        ends = np.cumsum(np.bincount(bucket_of_link, minlength=len(self.files)))
        for file, start, end in zip(self.files, [0, *ends[:-1]], ends, strict=True):
            file.write(grouped[start:end].data)

    def iter_sorted(self) -> Iterator[LinkRecords]:
        """Yield the links of each bucket, sorted by row and id; equal ones keep their order."""
        for file in self.files:
            file.flush()
            links = np.fromfile(file.name, self.dtype)
            yield links[np.argsort(pack_pairs(links["row"], links["id"]), kind="stable")]
            Path(file.name).unlink()


def write_graph(folder: Path, parts: Sequence[Segment], numbering: Numbering, into: Path) -> int:
    """Write the links in both directions as CSR arrays; return the number of links.

    Within one capture, or one graph that was added, the weights of parallel
    links are added up; of several inputs the largest sum counts, so that adding
    a link again changes nothing.
    """
    into.mkdir(parents=True, exist_ok=True)
    if _are_sorted(folder, parts, numbering):
        return write_sorted_graph(folder / parts[0].name, numbering, into)
    n, total = len(numbering.pages), sum(part.links for part in parts)
    with ExitStack() as stack:
        texts = stack.enter_context(ScratchTable(into, ANCHOR_TEXT_SCHEMA))
        codes = _merge_anchor_texts([folder / part.name for part in parts], texts)
        dtype = _link_dtype(folder, parts)
        out, back = (
            open_buckets(stack, into / f".{name}", dtype, n, total // LINKS_PER_BUCKET + 1)
            for name in ("out", "in")
        )
        self_links = [np.zeros(0, dtype)]
        for links in _iter_live_links(folder, parts, numbering, codes, dtype):
            is_self_link = links["row"] == links["id"]
            self_links.append(links[is_self_link])
            out.add(links[~is_self_link])
        _write_self_links(np.concatenate(self_links), into)
        with_anchors = texts.row_count > 1
        count = _write_csr(out, into / "out", n, with_anchors=with_anchors, transposed=back)
        _write_csr(back, into / "in", n, with_anchors=with_anchors, transposed=None)
        if with_anchors:
            write_arrow_file(texts.to_table(), into / "anchors.arrow")
    return count


def _are_sorted(folder: Path, parts: Sequence[Segment], numbering: Numbering) -> bool:
    """Whether all links are in one segment, in the order of pages, and have no anchors."""
    return (
        len(parts) == 1
        and bool(parts[0].input_digest)
        and not segments.has_link_column(folder / parts[0].name, "anchor")
        and _ascends(numbering.page_of_row[0])
        and _ascends(numbering.page_of_url[0])
    )


def _ascends(pages: Ids) -> bool:
    live = pages[pages >= 0]
    return bool((live[1:] > live[:-1]).all())


def _link_dtype(folder: Path, parts: Sequence[Segment]) -> np.dtype[Any]:
    """The record of a link, with the widest weight type of all segments."""
    dtypes = (segments.weight_dtype(folder / part.name) for part in parts)
    return np.dtype([*LINK_FIELDS, ("weight", max([np.dtype("<f4"), *dtypes]))])


def open_buckets(
    stack: ExitStack, path_prefix: Path, dtype: np.dtype[Any], page_count: int, count: int
) -> LinkBuckets:
    """Open up to 256 buckets for links between pages, whose records have `row` and `id`."""
    count = min(256, count)
    bounds = np.linspace(0, page_count, count + 1).astype(np.int64)[:-1]
    paths = [Path(f"{path_prefix}-{k}.bucket") for k in range(count)]
    return LinkBuckets(dtype, bounds, [stack.enter_context(path.open("wb")) for path in paths])


def _merge_anchor_texts(folders: Sequence[Path], merged: ScratchTable) -> list[Ids]:
    """Merge the sorted anchor texts of all segments; return the codes of each segment's texts."""
    with ScratchTable(merged.folder, ANCHOR_TEXT_SCHEMA) as all_texts:
        all_texts.append({"anchor": [""]})
        starts, orders = [0, 1], list[Ids]()
        for folder in folders:
            texts = segments.read_link_anchors(folder).dictionary
            orders.append(pc.array_sort_indices(texts).to_numpy().astype(np.int32))
            all_texts.append({"anchor": texts.take(pa.array(orders[-1]))})
            starts.append(all_texts.row_count)
        positions = merge_distinct_rows(all_texts, np.array(starts), merged)[1:]
    # Undo the sort of each segment's texts.
    codes = [np.empty_like(order) for order in orders]
    for code, order, position in zip(codes, orders, positions, strict=True):
        code[order] = position
    return codes


def _iter_live_links(
    folder: Path,
    parts: Sequence[Segment],
    numbering: Numbering,
    anchor_codes: list[Ids],
    dtype: np.dtype[Any],
) -> Iterator[LinkRecords]:
    """Yield the links of live pages by page number, a segment at a time."""
    input_ids = {
        digest: k for k, digest in enumerate(sorted({part.input_digest for part in parts}))
    }
    order = sorted(range(len(parts)), key=lambda s: (parts[s].input_digest, parts[s].part))
    for s in track(order, "links", len(order)):
        table = segments.read_table(
            folder / parts[s].name, "links.parquet", ["page", "target", "weight"]
        )
        links = np.empty(len(table), dtype)
        links["row"] = numbering.page_of_row[s][table["page"].to_numpy()]
        links["id"] = numbering.page_of_url[s][table["target"].to_numpy()]
        links["input"] = input_ids[parts[s].input_digest]
        links["anchor"] = anchor_codes[s][
            segments.read_link_anchors(folder / parts[s].name).indices.to_numpy()
        ]
        links["weight"] = table["weight"].to_numpy()
        yield links[links["row"] >= 0]


def _write_csr(
    buckets: LinkBuckets,
    path_prefix: Path,
    n: int,
    *,
    with_anchors: bool,
    transposed: LinkBuckets | None,
) -> int:
    """Write sorted buckets as a CSR; the links with swapped ends go to `transposed`.

    The weights are deleted again where all are one. Where links have anchors,
    every link on a page is written too, parallel ones apart. Sums that the
    record type does not hold exactly are computed again from the other end.
    """
    degrees, link_counts = np.zeros(n, np.int32), np.zeros(n, np.int32)
    unneeded = {"weights"} | (set() if with_anchors else {"link_ids", "link_anchors"})
    with ExitStack() as stack:
        column = {
            name: stack.enter_context(NpyWriter(Path(f"{path_prefix}_{name}.npy"), dtype))
            for name, dtype in COLUMN_DTYPES.items()
        }
        for links in buckets.iter_sorted():
            first, weight = _merge_parallel_links(links)
            edges = links[first]
            edges["weight"] = weight
            exact = bool((edges["weight"] == weight).all())
            column["ids"].append(edges["id"])
            column["weights"].append(to_float32_if_exact(weight))
            add_row_counts(edges["row"], degrees)
            if (weight != 1).any():
                unneeded.discard("weights")
            if with_anchors:
                column["link_ids"].append(links["id"])
                column["link_anchors"].append(links["anchor"])
                add_row_counts(links["row"], link_counts)
            if transposed is not None:
                transposed.add(_swap_ends(edges if exact and not with_anchors else links))
    write_starts(degrees, f"{path_prefix}_starts.npy")
    if with_anchors:
        write_starts(link_counts, f"{path_prefix}_link_starts.npy")
    for name in unneeded:
        Path(f"{path_prefix}_{name}.npy").unlink()
    return int(degrees.sum())


def add_row_counts(rows: Ids, counts: Ids) -> None:
    """Add the number of occurrences of each row, given in ascending order, to `counts`."""
    first = int(rows[0]) if len(rows) else 0
    added = np.bincount(rows - first)
    counts[first : first + len(added)] += added


def write_starts(counts: Ids, path: str) -> None:
    """Write the offsets of rows from their numbers of entries."""
    starts = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=starts[1:])
    np.save(path, starts, allow_pickle=False)


def _write_self_links(links: LinkRecords, into: Path) -> None:
    """Write self-links to files of their own: methods ignore them, exports need them."""
    links = links[np.argsort(links["row"], kind="stable")]
    first, weight = _merge_parallel_links(links)
    np.save(into / "self_link_ids.npy", links["row"][first], allow_pickle=False)
    np.save(into / "self_link_weights.npy", to_float32_if_exact(weight), allow_pickle=False)


def _merge_parallel_links(links: LinkRecords) -> tuple[Offsets, Floats]:
    """The first position of each distinct link in sorted links, and its weight."""
    key = pack_pairs(links["row"], links["id"])
    # Sum the weights of a link within each input, then take the largest sum.
    by_input = np.flatnonzero(np.diff(key, prepend=-1) | np.diff(links["input"], prepend=-1))
    if not len(by_input):
        return by_input, np.zeros(0)
    sums = np.add.reduceat(links["weight"].astype(np.float64), by_input)
    starts = np.flatnonzero(np.diff(key[by_input], prepend=-1))
    return by_input[starts], np.maximum.reduceat(sums, starts)


def _swap_ends(links: LinkRecords) -> LinkRecords:
    swapped = links.copy()
    swapped["row"], swapped["id"] = links["id"], links["row"]
    return swapped


def write_hosts(pages: pa.Table, folder: Path) -> None:
    """Write the hosts and domains of the pages of a new snapshot beside its graph."""
    first, hosts = find_host_ranges(pages)
    number, domains = _encode_host_domains(hosts)
    columns = {"host": hosts, "pages": np.diff(first, append=len(pages)), "domain": number}
    write_arrow_file(pa.table(columns), folder / HOSTS_FILE)
    write_arrow_file(pa.table({"domain": domains}), folder / DOMAINS_FILE)


def count_hosts(counted: Flags, folder: Path) -> dict[str, int]:
    """The number of hosts and domains with a page that counts, as `write_hosts` wrote them."""
    hosts = map_arrow_file(folder / HOSTS_FILE)
    sizes, domain = hosts["pages"].to_numpy(), hosts["domain"].to_numpy()
    counts: Flags = np.logical_or.reduceat(counted, np.cumsum(sizes) - sizes)
    return {"hosts": int(counts.sum()), "domains": len(np.unique(domain[counts]))}


def find_host_ranges(pages: pa.Table) -> tuple[Offsets, pa.ChunkedArray]:
    """The first page of each host, and the hosts; the pages of a host are adjacent."""
    first, hosts = [np.zeros(0, np.int64)], list[pa.Array]()
    for start in range(0, len(pages), HOST_BLOCK_PAGES):
        previous = max(start - 1, 0)
        keys = pages["key"].slice(previous, start + HOST_BLOCK_PAGES - previous).combine_chunks()
        # A key begins with the reversed host, up to the first slash.
        host_key = pc.list_element(pc.split_pattern(keys, "/", max_splits=1), 0)
        is_first = pc.not_equal(host_key[1:], host_key[:-1]).to_numpy(zero_copy_only=False)
        first.append(start + np.flatnonzero(is_first if start else np.append(True, is_first)))
        hosts.append(hosts_of(pages["url"].chunk(0).take(pa.array(first[-1]))))
    return np.concatenate(first), pa.chunked_array(hosts, pa.large_string())


def _encode_host_domains(hosts: pa.ChunkedArray) -> EncodedGroups:
    """The domain of each host as a number, and the names."""
    names = [domains_of(block) for block in hosts.chunks]
    encoded = pa.chunked_array(names, pa.large_string()).combine_chunks().dictionary_encode()
    return encoded.indices.to_numpy(), encoded.dictionary
