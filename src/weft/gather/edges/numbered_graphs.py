"""Read graphs whose nodes are numbers: Common Crawl's two files, and Matrix Market."""

import re
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import Flags, Offsets
from weft.core.errors import WeftError
from weft.gather.edges import text_rows
from weft.gather.edges.edge_lists import (
    EdgeColumns,
    NumberPairs,
    edges_from_rows,
    read_headerless_links,
    read_headerless_rows,
)
from weft.gather.edges.edge_tables import (
    NUMBER_PATTERN,
    UNKNOWN_NAME,
    add_reverse_links,
    make_node_table,
    normalize_names,
    report_bad_rows,
    split_into_batches,
)
from weft.gather.edges.text_rows import BAD_ROWS, ParsedRows
from weft.gather.formats import COMMON_CRAWL, Evidence, input_format, part_files
from weft.gather.page import EdgeBatch, GraphBatch, NodeScores, NumberedLinks, Problems
from weft.gather.url import reverse_labels

RANK_COLUMNS = {"harmonicc_val": "harmonic", "pr_val": "pagerank"}  # of files, and of scores
RANKED_HOST = "host_rev"
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
    vertices: Path, ranks: Path | None, path: Path, input_digest: str, problems: Problems
) -> Iterator[GraphBatch]:
    """The links between hosts or domains of Common Crawl, given with `--vertices`.

    Vertices are rows `number, reversed.host` (and more), edges pairs of numbers.
    Memory is that of the names. Host names are turned round: www.example.com.
    With `--ranks`, the published ranks are kept with the collection.
    """
    rank_parts = [(part, _rank_columns(part)) for part in part_files(ranks)] if ranks else []
    numbers, names = _read_vertices(vertices, problems)
    every_node, none = np.arange(len(names)), np.zeros(0, np.int64)
    node_of = _find_nodes(numbers)
    yield NumberedLinks(input_digest, none, none, every_node, names)
    for part in part_files(path):
        for rows in read_headerless_links(part, problems):
            ends = _parse_ends(rows) if isinstance(rows, ParsedRows) else rows
            source, target = map(node_of, ends)
            good = (source >= 0) & (target >= 0)
            if not good.all():
                _report_unknown(rows, np.flatnonzero(~good), part, problems)
            yield NumberedLinks(input_digest, source[good], target[good], none, names)
    for part, columns in rank_parts:
        yield from _read_ranks(part, columns, problems)


def _read_vertices(vertices: Path, problems: Problems) -> tuple[Offsets, pa.Array]:
    """The numbers and the names of all vertices."""
    numbers, hosts = [np.empty(0, np.int64)], [pa.array([], pa.large_string())]
    for part in part_files(vertices):
        for rows in read_headerless_rows(part, problems):
            texts, names = (_to_strings(rows.table[column]) for column in ("0", "1"))
            row_numbers = _parse_integers(texts)
            names, is_bad = normalize_names(reverse_labels(names))
            good = (row_numbers >= 0) & ~is_bad
            filled = np.asarray(pc.not_equal(texts, ""))
            bad_lines = rows.line_numbers(np.flatnonzero(~good & filled)).tolist()
            report_bad_rows(problems, part, sorted([*rows.bad_lines, *bad_lines]))
            numbers.append(row_numbers[good])
            hosts.append(names.filter(pa.array(good)).cast(pa.large_string()))
    return np.concatenate(numbers), pa.concat_arrays(hosts)


def _find_nodes(numbers: Offsets) -> Callable[[Offsets], Offsets]:
    """A function from vertex numbers to their positions, -1 for no vertex.

    Published numbers count up from 0; others may be large and sparse.
    """
    count = len(numbers)
    if np.array_equal(numbers, np.arange(count)):
        return lambda wanted: np.where(wanted < count, wanted, -1)
    order = np.argsort(numbers, kind="stable")
    sorted_numbers = np.append(numbers[order], MAX_INT64)  # so that every search has a result

    def find(wanted: Offsets) -> Offsets:
        positions = np.searchsorted(sorted_numbers, wanted)
        return np.where(sorted_numbers[positions] == wanted, np.append(order, -1)[positions], -1)

    return find


def _parse_ends(rows: ParsedRows) -> tuple[Offsets, Offsets]:
    """The numbers of the first two columns; -1 for other texts."""
    encoded = (text_rows.as_dictionary_array(rows.table[column]) for column in ("0", "1"))
    source, target = (_parse_integers(own.dictionary)[own.indices.to_numpy()] for own in encoded)
    return source, target


def _report_unknown(
    rows: ParsedRows | NumberPairs, unknown: Offsets, part: Path, problems: Problems
) -> None:
    """Report links to numbers that no vertex has, and rows that are no links."""
    if not isinstance(rows, ParsedRows):
        problems.add(
            BAD_ROWS, f"{part}: {rows[0][unknown[0]]} {rows[1][unknown[0]]}", count=len(unknown)
        )
        return
    is_empty = [
        np.asarray(pc.equal(_to_strings(rows.table[column]), ""))[unknown] for column in ("0", "1")
    ]
    lines = rows.line_numbers(unknown[~(is_empty[0] & is_empty[1])]).tolist()
    report_bad_rows(problems, part, sorted([*rows.bad_lines, *lines]))


def _rank_columns(path: Path) -> list[str]:
    """The column names in the first line of a ranks file, which must have those wanted."""
    first = next(text_rows.read_blocks(path, Problems()), text_rows.TextBlock(b"", 1))
    head = first.text.partition(b"\n")[0]
    columns = head.decode(errors="replace").replace("#", "").split("\t")
    if not {*RANK_COLUMNS, RANKED_HOST} <= set(columns):
        raise WeftError(
            f"{path} has no columns {', '.join((*RANK_COLUMNS, RANKED_HOST))}",
            hint="give a ranks file of a Common Crawl graph as it was published",
        )
    return columns


def _read_ranks(path: Path, columns: list[str], problems: Problems) -> Iterator[NodeScores]:
    """The published scores of hosts, in rows that begin with a line of column names."""
    blocks = text_rows.read_blocks(path, problems)
    first = next(blocks, text_rows.TextBlock(b"", 1))
    rest = first.text.partition(b"\n")[2]
    wanted = [columns.index(name) for name in (*RANK_COLUMNS, RANKED_HOST)]
    for block in chain([text_rows.TextBlock(rest, first.first_line + 1)], blocks):
        rows = text_rows.parse_rows(block, len(columns), wanted, "\t", quoted=False)
        report_bad_rows(problems, path, rows.bad_lines)
        texts = [_to_strings(rows.table[str(column)]) for column in wanted]
        names, is_bad = normalize_names(reverse_labels(texts.pop()))
        good = ~is_bad
        for column in texts:
            good &= np.asarray(pc.match_substring_regex(column, NUMBER_PATTERN))
        report_bad_rows(problems, path, rows.line_numbers(np.flatnonzero(~good)).tolist())
        values = (column.filter(pa.array(good)).cast(pa.float64()).to_numpy() for column in texts)
        scores = dict(zip(RANK_COLUMNS.values(), values, strict=True))
        yield NodeScores(names.filter(pa.array(good)), scores)


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


def _parse_integers(texts: Any) -> Offsets:
    """The non-negative integers that texts contain; -1 for any other text."""
    is_integer = pc.match_substring_regex(texts, r"^\d{1,18}$")
    return np.asarray(pc.if_else(is_integer, texts, "-1").cast(pa.int64()))


def _to_strings(column: Any) -> Any:
    return column.cast(pa.string()).combine_chunks()


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
