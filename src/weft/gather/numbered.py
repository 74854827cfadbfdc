"""Readers of graphs whose pages are numbers: Common Crawl's two files and Matrix Market."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import Flags, Offsets
from weft.core.errors import WeftError
from weft.gather import cells
from weft.gather.edgelists import Columns, linked, read_pairs
from weft.gather.linktable import UNKNOWN, both_ways, named, parts, tell_rows
from weft.gather.page import Edges, Problems

SHORT = "matrices with fewer entries than they announce"
SPARSE = "matrices with too few entries for pages without links"
MARKET = re.compile(
    r"%%MatrixMarket\s+matrix\s+coordinate\s+(pattern|real|integer)\s+(general|symmetric)\s*",
    re.IGNORECASE,
)
COMMENT = re.compile(rb"^%.*$", re.MULTILINE)
SIZE = re.compile(rb"^(\d{1,18}) (\d{1,18}) (\d{1,18})$", re.MULTILINE)
ENDLESS = np.iinfo(np.int64).max
FEW, A_BYTE = 1000, 4


def read_common_crawl(
    vertices: Path, edges: Path, origin: str, problems: Problems
) -> Iterator[Edges]:
    """Links between hosts or domains from Common Crawl's two files.

    Vertices are `number, reversed.host` (and more), edges pairs of numbers. The
    memory is that of the names; hosts come out the way people write them.
    """
    numbers, hosts = [np.empty(0, np.int64)], []
    for grid in read_pairs(vertices, problems):
        found = _integers(grid.table["0"].cast(pa.string()))
        names = unreversed(grid.table["1"].cast(pa.string()).combine_chunks())
        good = (found >= 0) & np.asarray(pc.not_equal(names, ""))
        filled = np.asarray(pc.not_equal(grid.table["0"].cast(pa.string()), ""))
        bad = grid.lines(np.flatnonzero(~good & filled))
        tell_rows(problems, vertices, sorted([*grid.breaks, *bad.tolist()]))
        names = names.filter(pa.array(good))
        yield from parts(origin, nodes=named(names))
        numbers.append(found[good])
        hosts.append(names.cast(pa.large_string()))
    find = _finder(np.concatenate(numbers), pa.chunked_array(hosts, pa.large_string()))
    for grid in read_pairs(edges, problems):
        yield from linked(grid.renamed(find, find), Columns(0, 1), edges, origin, problems)


def read_matrix_market(path: Path, origin: str, problems: Problems) -> Iterator[Edges]:
    """Links from row to column of a sparse matrix, which are named by their numbers.

    A row or column without entries is a page without links, unless the file is
    too short for as many as it announces.
    """
    pattern, symmetric = _market(path)
    columns = Columns(0, 1, None if pattern else 2)
    width, seen = len(columns.wanted), 0
    size, linkless = None, np.zeros(0, np.bool_)
    for text, line in cells.blocks(path, problems):
        rows = cells.spaced(COMMENT.sub(b"", text))
        if size is None and (found := SIZE.search(rows)):
            size = tuple(map(int, found.groups()))
            linkless = _announced(max(size[:2]), path, problems)
            rows = rows[: found.start()] + rows[found.end() :]
        seen += rows.count(b" ") // (width - 1)
        grid = cells.grid(cells.Block(rows, line), width, range(width), " ", quoted=False)
        grid = grid.renamed(*map(_counted, size[:2] if size else (ENDLESS, ENDLESS)))
        for part in linked(grid, columns, path, origin, problems):
            yield from parts(origin, both_ways(part.links) if symmetric else part.links)
            for end in ("source", "target") if len(linkless) else ():
                linkless[_integers(cells.whole(part.links[end]).dictionary)] = False
    numbers = pa.array(np.flatnonzero(linkless))
    yield from parts(origin, nodes=named(numbers.cast(pa.string())))
    if size and seen < size[2]:
        problems.tell(SHORT, f"{path}: {seen:,} of {size[2]:,}")


def _announced(n: int, path: Path, problems: Problems) -> Flags:
    """A flag for each of the numbers up to `n`; none where the file is too short for that many."""
    if n > FEW + A_BYTE * path.stat().st_size:
        problems.tell(SPARSE, f"{path}: {n:,}", damage=False)
        return np.zeros(0, np.bool_)
    flags = np.ones(n + 1, np.bool_)
    flags[0] = False
    return flags


def unreversed(hosts: Any) -> Any:
    """Turn host names round: com.example.www becomes www.example.com.

    Examples
    --------
    >>> unreversed(pa.array(["com.example.www", "org"])).to_pylist()
    ['www.example.com', 'org']
    """
    labels = pc.split_pattern(pc.utf8_trim_whitespace(hosts), ".")
    ends = labels.offsets.to_numpy().astype(np.int64)
    counts = np.diff(ends)
    turned = np.repeat(ends[:-1] + ends[1:] - 1, counts) - np.arange(ends[0], ends[-1])
    flat = labels.values.take(pa.array(turned))
    return pc.binary_join(pa.ListArray.from_arrays(pa.array(ends - ends[0], pa.int32()), flat), ".")


def _integers(texts: Any) -> Offsets:
    """The numbers that texts stand for; minus one where they are none."""
    plain = pc.match_substring_regex(texts, r"^\d{1,18}$")
    return np.asarray(pc.if_else(plain, texts, "-1").cast(pa.int64()))


def _finder(numbers: Offsets, names: Any) -> Callable[[Any], Any]:
    """How to find the names of numbers; the memory is that of both, however large the numbers."""
    order = np.argsort(numbers, kind="stable")
    ranked = np.append(numbers[order], np.iinfo(np.int64).max)
    order = np.append(order, 0)

    def find(texts: Any) -> Any:
        wanted = _integers(texts)
        place = np.searchsorted(ranked, wanted)
        rows = pa.array(order[place], mask=ranked[place] != wanted)
        return pa.concat_arrays(names.take(rows).cast(pa.string()).fill_null(UNKNOWN).chunks)

    return find


def _counted(most: int) -> Callable[[Any], Any]:
    """How to keep the texts that count from one to `most`; a cell left empty stays so."""

    def counted(texts: Any) -> Any:
        plain = pc.match_substring_regex(texts, r"^(?:[1-9]\d{0,17})?$")
        return pc.if_else(pc.and_(plain, pa.array(_integers(texts) <= most)), texts, UNKNOWN)

    return counted


def _market(path: Path) -> tuple[bool, bool]:
    """Whether a matrix file has no values, and whether it gives one half of a symmetric matrix."""
    first = next(cells.lines(path, Problems()), (1, ""))[1]
    kind = MARKET.fullmatch(first)
    if kind is None:
        raise WeftError(
            f"{path} starts with {first[:80]!r}, which is no matrix of links",
            hint="write it as coordinate pattern, real or integer, general or symmetric",
        )
    return kind[1].lower() == "pattern", kind[2].lower() == "symmetric"
