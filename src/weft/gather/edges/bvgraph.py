"""Read BVGraph: the web graphs of the WebGraph framework, with a list of URLs beside them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import Hashes, Ids, Offsets
from weft.core.errors import WeftError
from weft.core.progress import listener
from weft.gather.edges import text_rows
from weft.gather.edges.edge_tables import MAX_BATCH_ROWS, normalize_names, report_bad_rows
from weft.gather.formats import HEAD_BYTES, Evidence, InputHead, input_format
from weft.gather.page import GraphBatch, NumberedLinks, Problems

GRAPH_CLASS = re.compile(r"it\.unimi\.dsi\.(?:big\.)?webgraph\.BVGraph")
PROPERTY_SEPARATOR = re.compile(r"[ \t]*[=: \t][ \t]*")
CODED_FIELDS = {
    "OUTDEGREES": ("outdegrees", "GAMMA DELTA"),
    "REFERENCES": ("references", "UNARY GAMMA DELTA"),
    "BLOCK_COUNT": ("block_counts", "UNARY GAMMA DELTA"),
    "BLOCKS": ("blocks", "UNARY GAMMA DELTA"),
    "RESIDUALS": ("residuals", "GAMMA DELTA ZETA NIBBLE GOLOMB"),
    "OFFSETS": ("", "GAMMA DELTA"),  # in a file that is not read
}
LIMITS = {
    "nodes": (0, (1 << 31) - 1),
    "arcs": (0, (1 << 62)),
    "windowsize": (0, 1 << 12),
    "minintervallength": (0, 1 << 30),
    "zetak": (1, 31),
}
DAMAGED_GRAPHS = "truncated or damaged web graphs"
OVERSIZED_GRAPHS = "web graphs with more links than their size allows"
WRONG_COUNTS = "web graphs with another number of links than their properties say"
MISSING_NAMES = "web graphs with another number of URLs than nodes"
SHARED_NAMES = "web graph nodes that share a URL"
OVERSIZED_URL_LISTS = "URL lists that expand too much"
CHUNK_BYTES, MAX_CODE_BITS = 4 << 20, 64
MAX_BATCH_NODES, MAX_ROW_IDS = 1 << 20, 1 << 26
BASE_LINK_LIMIT, MAX_LINKS_PER_BYTE = 1 << 24, 256
BASE_URL_BYTES, MAX_URL_RATIO = 64 << 20, 100


class BVGraphProperties(NamedTuple):
    """What a properties file says of a graph; `codes` are those that are not the default."""

    nodes: int
    arcs: int
    window: int
    min_interval: int
    zeta_k: int
    codes: dict[str, str]


def _companions(path: Path) -> list[Path]:
    """The properties of a graph, and its list of URLs if it has one."""
    properties, *url_lists = map(path.with_suffix, (".properties", ".urls", ".urls.gz"))
    found = [file for file in (properties, *url_lists) if file.is_file()]
    return found[:2] if properties in found else found[:1]


def _is_bvgraph(head: InputHead) -> bool:
    properties = head.path.with_suffix(".properties")
    if head.path.suffix != ".graph" or not properties.is_file():
        return False
    return "graphclass" in _parse_properties(properties)


@input_format(
    "bvgraph", "BVGraph", evidence=Evidence.STRUCTURE, recognise=_is_bvgraph, companions=_companions
)
def read_bvgraph(path: Path, input_digest: str, problems: Problems) -> Iterator[GraphBatch]:
    """A web graph X.graph with X.properties, and X.urls or X.urls.gz with a URL a line.

    Without a list, the names of nodes are their numbers, from 0 on. Memory is
    that of the names. A graph has no marks to resume at: what comes after
    damage is lost.
    """
    properties = read_properties(path.with_suffix(".properties"))
    url_lists = _companions(path)[1:]
    names = _read_urls(url_lists[0], properties.nodes, problems) if url_lists else None
    nodes = links = 0
    max_links = BASE_LINK_LIMIT + MAX_LINKS_PER_BYTE * path.stat().st_size
    for rows in read_rows(path, properties, problems):
        nodes, links = nodes + len(rows.starts) - 1, links + len(rows.ids)
        degrees = np.diff(rows.starts)
        numbers = np.arange(rows.node, rows.node + len(degrees), dtype=np.int32)
        source = np.repeat(numbers, degrees)
        yield NumberedLinks(input_digest, source, rows.ids.copy(), numbers[degrees == 0], names)
        if links > max_links:
            problems.add(OVERSIZED_GRAPHS, str(path))
            return
    if nodes == properties.nodes and links != properties.arcs:
        problems.add(WRONG_COUNTS, f"{path}: {links:,} of {properties.arcs:,}")


class SuccessorRows(NamedTuple):
    """The successors of `node` and the nodes after it: `ids[starts[k]:starts[k + 1]]`.

    The arrays are views that the next rows overwrite.
    """

    node: int
    starts: Offsets
    ids: Ids


@dataclass(slots=True, eq=False)
class _BitWindow:
    """A part of a file as 64-bit words, from the byte `offset` on; `position` is a bit in it."""

    file: BinaryIO
    file_bytes: int
    max_bytes: int
    offset: int = 0
    position: int = 0
    words: Hashes = field(init=False)
    bits: int = field(init=False)

    def __post_init__(self) -> None:
        self._read()

    def _read(self) -> None:
        from weft.kernels.bvgraph import to_words  # noqa: PLC0415  loads the compiler

        self.file.seek(self.offset)
        data = self.file.read(self.max_bytes)
        self.bits, self.words = 8 * len(data), to_words(data)

    def contains_code(self, position: int) -> bool:
        """Whether a code at a position cannot go on after the end of this part."""
        is_last = self.offset + self.max_bytes >= self.file_bytes
        return is_last or position + MAX_CODE_BITS <= self.bits

    def move(self) -> None:
        """Begin at the position; a part that does so already gets larger."""
        words = self.position // 64
        self.offset += 8 * words
        self.position -= 64 * words
        self.max_bytes *= 1 if words else 2
        self._read()


class _RowBuffer:
    """Rows of successors: those in the window before a batch, and those of the batch."""

    def __init__(self, window: int) -> None:
        self.window = window
        self.starts = np.zeros(window + MAX_BATCH_NODES + 1, np.int64)
        self.ids = np.empty(MAX_BATCH_ROWS, np.int32)
        self.batch_start = self.end = 0

    def batch(self, next_node: int) -> SuccessorRows:
        """The rows of the batch, which end before `next_node`."""
        starts = self.starts[self.batch_start : self.end + 1]
        node = next_node - (self.end - self.batch_start)
        return SuccessorRows(node, starts, self.ids[starts[0] : starts[-1]])

    def begin_batch(self) -> None:
        """Keep only the rows in the window."""
        first = max(0, self.end - self.window)
        kept = self.starts[first : self.end + 1].copy()
        self.starts[: len(kept)] = kept - kept[0]
        self.ids[: kept[-1] - kept[0]] = self.ids[kept[0] : kept[-1]].copy()
        self.batch_start = self.end = len(kept) - 1

    def grow(self, size: int) -> None:
        """Make room for a long row."""
        ids = np.empty(size, np.int32)
        ids[: self.starts[self.end]] = self.ids[: self.starts[self.end]]
        self.ids = ids


def read_rows(
    path: Path, properties: BVGraphProperties, problems: Problems
) -> Iterator[SuccessorRows]:
    """The successors of all nodes, in batches, up to the end or to damage."""
    from weft.kernels.bvgraph import CODES, BVGraphCoding, decode_rows  # noqa: PLC0415  as above

    node, (nodes, _, window, min_interval, zeta_k, names) = 0, properties
    codes = {key: CODES[name] for key, name in names.items()}
    coding = BVGraphCoding(**codes, zeta_k=zeta_k, window=window, min_interval=min_interval)
    rows, report_progress = _RowBuffer(window), listener.get()
    with path.open("rb") as file:
        bits = _BitWindow(file, path.stat().st_size, CHUNK_BYTES)
        while node < nodes:
            decoded = decode_rows(
                bits.words, bits.bits, bits.position, coding, node, nodes,
                rows.end, rows.starts, rows.ids,
            )  # fmt: skip
            node += decoded.rows - rows.end
            rows.end, bits.position = decoded.rows, decoded.position
            is_damaged = decoded.needed > MAX_ROW_IDS or (
                decoded.failed_at >= 0 and bits.contains_code(decoded.failed_at)
            )
            if decoded.failed_at >= 0 and not is_damaged:
                bits.move()
            elif rows.end == rows.batch_start and not is_damaged:
                rows.grow(decoded.needed)
            else:
                yield rows.batch(node)
                rows.begin_batch()
                report_progress("read", bits.offset + bits.position // 8, bits.file_bytes)
            if is_damaged:
                problems.add(DAMAGED_GRAPHS, f"{path}: from node {node:,} of {nodes:,} on")
                return


def read_properties(path: Path) -> BVGraphProperties:
    """Read a properties file; what cannot be read is refused."""
    if not path.is_file():
        raise WeftError(f"{path} is missing", hint="a graph needs its properties beside it")
    texts = {"zetak": "3", "compressionflags": "", "endianness": "big", **_parse_properties(path)}
    if not GRAPH_CLASS.fullmatch(graph_class := texts.get("graphclass", "")):
        raise WeftError(
            f"{path} describes a graph of class {graph_class!r}, not a BVGraph",
            hint="store it as it.unimi.dsi.webgraph.BVGraph",
        )
    if (texts.get("version"), texts["endianness"]) != ("0", "big"):
        raise WeftError(
            f"{path} has version {texts.get('version')!r}, {texts['endianness']}-endian",
            hint="store it as version 0, big-endian, as WebGraph for Java does",
        )
    nodes, arcs, window, min_interval, zeta_k = (
        _parse_number(path, key, texts.get(key, "")) for key in LIMITS
    )
    codes = _parse_flags(path, texts["compressionflags"])
    return BVGraphProperties(nodes, arcs, window, min_interval, zeta_k, codes)


def _parse_properties(path: Path) -> dict[str, str]:
    """The keys and values of a Java properties file; comments are keys that nobody asks for."""
    with path.open(encoding="latin-1") as file:
        lines = file.read(HEAD_BYTES).splitlines()
    pairs = (PROPERTY_SEPARATOR.split(f"{line.strip()}=", maxsplit=1) for line in lines)
    return {key: value.removesuffix("=").replace("\\", "") for key, value in pairs}


def _parse_number(path: Path, key: str, text: str) -> int:
    low, high = LIMITS[key]
    if not re.fullmatch(r"[0-9]{1,19}", text) or not low <= int(text) <= high:
        raise WeftError(
            f"{path} has {key} {text[:40]!r}", hint=f"a number from {low:,} to {high:,} can be read"
        )
    return int(text)


def _parse_flags(path: Path, text: str) -> dict[str, str]:
    """The codes that are not the default, by field of `BVGraphCoding`."""
    codes = {}
    for flag in filter(None, map(str.strip, text.split("|"))):
        number, _, code = flag.rpartition("_")
        coding_field, known_codes = CODED_FIELDS.get(number, ("", ""))
        if code not in known_codes.split():
            raise WeftError(
                f"{path} has the compression flag {flag[:40]!r}, which is not supported",
                hint="store the graph with other codes",
            )
        if coding_field:
            codes[coding_field] = code
    return codes


def _read_urls(path: Path, nodes: int, problems: Problems) -> pa.Array:
    """The names of nodes: the URLs of a list, one a line, or else their numbers.

    A list of another length than the graph, and URLs that occur twice, are reported.
    """
    chunks = [pa.array([], pa.large_string())]
    count, url_bytes, max_bytes = 0, 0, BASE_URL_BYTES + MAX_URL_RATIO * path.stat().st_size
    for block in text_rows.read_blocks(path, problems):
        lines = pc.split_pattern(pa.array([block.text.decode()]), "\n").flatten()[:-1]
        surplus = pc.not_equal(pc.utf8_trim_whitespace(lines[nodes - count :]), "")
        urls, is_bad = normalize_names(lines[: nodes - count])
        report_bad_rows(problems, path, (np.flatnonzero(is_bad) + block.first_line).tolist())
        chunks.append(pc.if_else(pa.array(is_bad), None, urls).cast(pa.large_string()))
        count, url_bytes = count + len(urls) + surplus.true_count, url_bytes + chunks[-1].nbytes
        if url_bytes > max_bytes:
            problems.add(OVERSIZED_URL_LISTS, str(path))
        if count > nodes or url_bytes > max_bytes:
            break
    names = pa.concat_arrays(chunks)
    if count != nodes:
        problems.add(MISSING_NAMES, f"{path}: {count:,} for {nodes:,}")
    if repeated := len(names) - names.null_count - pc.count_distinct(names).as_py():
        problems.add(SHARED_NAMES, str(path), damage=False, count=repeated)
    digits = pa.array(np.arange(nodes, dtype=np.int32)).cast(names.type)
    missing = pa.nulls(nodes - len(names), names.type)
    return pc.coalesce(pa.concat_arrays([names, missing]), digits)
