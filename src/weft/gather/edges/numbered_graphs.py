"""Read graphs whose nodes are numbers: Common Crawl's two files, and Matrix Market."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import Flags, Offsets
from weft.core.errors import WeftError
from weft.gather.edges import text_rows
from weft.gather.edges.edge_lists import EdgeColumns, edges_from_rows, read_headerless_rows
from weft.gather.edges.edge_tables import (
    UNKNOWN_NAME,
    add_reverse_links,
    make_node_table,
    report_bad_rows,
    split_into_batches,
)
from weft.gather.formats import COMMON_CRAWL, Evidence, input_format
from weft.gather.page import EdgeBatch, Problems

TRUNCATED_MATRICES = "matrices with fewer entries than their header says"
OVERSIZED_MATRICES = "matrices too large for their file to list unlinked pages"
MATRIX_MARKET_HEADER = re.compile(
    r"%%MatrixMarket\s+matrix\s+coordinate\s+(pattern|real|integer)\s+(general|symmetric)\s*",
    re.IGNORECASE,
)
MATRIX_COMMENT = re.compile(rb"^%.*$", re.MULTILINE)
MATRIX_SIZE = re.compile(rb"^(\d{1,18}) (\d{1,18}) (\d{1,18})$", re.MULTILINE)
MAX_INT64 = np.iinfo(np.int64).max
BASE_PAGE_LIMIT, MAX_PAGES_PER_BYTE = 1000, 4


@input_format(
    COMMON_CRAWL,
    "Common Crawl graphs",
    evidence=Evidence.ANYTHING,
    recognise=lambda _: False,  # by its vertices, not by its content
)
def read_common_crawl(
    vertices: Path, path: Path, input_digest: str, problems: Problems
) -> Iterator[EdgeBatch]:
    """The links between hosts or domains of Common Crawl, given with `--vertices`.

    Vertices are rows `number, reversed.host` (and more), edges pairs of numbers.
    Memory is that of the names. Host names are turned round: www.example.com.
    """
    numbers, hosts = [np.empty(0, np.int64)], []
    for rows in read_headerless_rows(vertices, problems):
        texts = rows.table["0"].cast(pa.string())
        row_numbers = _parse_integers(texts)
        names = unreverse_hosts(rows.table["1"].cast(pa.string()).combine_chunks())
        good = (row_numbers >= 0) & np.asarray(pc.not_equal(names, ""))
        filled = np.asarray(pc.not_equal(texts, ""))
        bad_lines = rows.line_numbers(np.flatnonzero(~good & filled)).tolist()
        report_bad_rows(problems, vertices, sorted([*rows.bad_lines, *bad_lines]))
        names = names.filter(pa.array(good))
        yield from split_into_batches(input_digest, nodes=make_node_table(names))
        numbers.append(row_numbers[good])
        hosts.append(names.cast(pa.large_string()))
    look_up = _name_lookup(np.concatenate(numbers), pa.chunked_array(hosts, pa.large_string()))
    for rows in read_headerless_rows(path, problems):
        named = rows.map_columns(look_up, look_up)
        yield from edges_from_rows(named, EdgeColumns(0, 1), path, input_digest, problems)


@input_format("matrix-market", "Matrix Market", recognise=b"%%MatrixMarket")
def read_matrix_market(path: Path, input_digest: str, problems: Problems) -> Iterator[EdgeBatch]:
    """A sparse matrix, whose entries are links from row to column, named by their numbers.

    A row or column without entries is a page without links, unless the file is
    too short for the size that it declares.
    """
    is_pattern, is_symmetric = _read_matrix_header(path)
    columns = EdgeColumns(0, 1, None if is_pattern else 2)
    width, entry_count = len(columns.indices), 0
    size, is_isolated = None, np.zeros(0, np.bool_)
    for text, line in text_rows.read_blocks(path, problems):
        entries = text_rows.collapse_spaces(MATRIX_COMMENT.sub(b"", text))
        if size is None and (size_line := MATRIX_SIZE.search(entries)):
            size = tuple(map(int, size_line.groups()))
            is_isolated = _init_isolated_flags(max(size[:2]), path, problems)
            entries = entries[: size_line.start()] + entries[size_line.end() :]
        entry_count += entries.count(b" ") // (width - 1)
        block = text_rows.TextBlock(entries, line)
        rows = text_rows.parse_rows(block, width, range(width), " ", quoted=False)
        max_numbers = size[:2] if size else (MAX_INT64, MAX_INT64)
        rows = rows.map_columns(*map(_page_number_filter, max_numbers))
        for batch in edges_from_rows(rows, columns, path, input_digest, problems):
            links = add_reverse_links(batch.links) if is_symmetric else batch.links
            yield from split_into_batches(input_digest, links)
            for end in ("source", "target") if len(is_isolated) else ():
                linked = text_rows.as_dictionary_array(batch.links[end]).dictionary
                is_isolated[_parse_integers(linked)] = False
    numbers = pa.array(np.flatnonzero(is_isolated))
    yield from split_into_batches(input_digest, nodes=make_node_table(numbers.cast(pa.string())))
    if size and entry_count < size[2]:
        problems.add(TRUNCATED_MATRICES, f"{path}: {entry_count:,} of {size[2]:,}")


def _init_isolated_flags(page_count: int, path: Path, problems: Problems) -> Flags:
    """True for each of the numbers 1 to `page_count`; empty if the file is too short for them."""
    if page_count > BASE_PAGE_LIMIT + MAX_PAGES_PER_BYTE * path.stat().st_size:
        problems.add(OVERSIZED_MATRICES, f"{path}: {page_count:,}", damage=False)
        return np.zeros(0, np.bool_)
    flags = np.ones(page_count + 1, np.bool_)
    flags[0] = False
    return flags


def unreverse_hosts(hosts: Any) -> Any:
    """Reverse the labels of host names: com.example.www becomes www.example.com.

    Examples
    --------
    >>> unreverse_hosts(pa.array(["com.example.www", "org"])).to_pylist()
    ['www.example.com', 'org']
    """
    labels = pc.split_pattern(pc.utf8_trim_whitespace(hosts), ".")
    offsets = labels.offsets.to_numpy().astype(np.int64)
    # Label k of the host with labels [start, end) comes from position start + end - 1 - k.
    first_plus_last = np.repeat(offsets[:-1] + offsets[1:] - 1, np.diff(offsets))
    reversed_labels = labels.values.take(
        pa.array(first_plus_last - np.arange(offsets[0], offsets[-1]))
    )
    bounds = pa.array(offsets - offsets[0], pa.int32())
    return pc.binary_join(pa.ListArray.from_arrays(bounds, reversed_labels), ".")


def _parse_integers(texts: Any) -> Offsets:
    """The non-negative integers that texts contain; -1 for any other text."""
    is_integer = pc.match_substring_regex(texts, r"^\d{1,18}$")
    return np.asarray(pc.if_else(is_integer, texts, "-1").cast(pa.int64()))


def _name_lookup(numbers: Offsets, names: Any) -> Callable[[Any], Any]:
    """A function from numbers, as texts, to names; numbers may be large and sparse."""
    order = np.argsort(numbers, kind="stable")
    sorted_numbers = np.append(numbers[order], MAX_INT64)  # so that every search has a result
    order = np.append(order, 0)

    def look_up(texts: Any) -> Any:
        wanted = _parse_integers(texts)
        positions = np.searchsorted(sorted_numbers, wanted)
        rows = pa.array(order[positions], mask=sorted_numbers[positions] != wanted)
        return pa.concat_arrays(names.take(rows).cast(pa.string()).fill_null(UNKNOWN_NAME).chunks)

    return look_up


def _page_number_filter(max_number: int) -> Callable[[Any], Any]:
    """A function that keeps the numbers 1 to `max_number` and empty cells of a column."""

    def keep_valid(texts: Any) -> Any:
        is_number = pc.match_substring_regex(texts, r"^(?:[1-9]\d{0,17})?$")
        is_inside = pa.array(_parse_integers(texts) <= max_number)
        return pc.if_else(pc.and_(is_number, is_inside), texts, UNKNOWN_NAME)

    return keep_valid


def _read_matrix_header(path: Path) -> tuple[bool, bool]:
    """Whether a matrix has a pattern without values, and whether it is symmetric."""
    blocks = (block.text.strip() for block in text_rows.read_blocks(path, Problems()))
    first = next(filter(None, blocks), b"").partition(b"\n")[0].decode()
    header = MATRIX_MARKET_HEADER.fullmatch(first)
    if header is None:
        raise WeftError(
            f"{path} starts with {first[:80]!r}, not with the header of a sparse matrix",
            hint="write it as coordinate pattern, real or integer, general or symmetric",
        )
    return header[1].lower() == "pattern", header[2].lower() == "symmetric"
