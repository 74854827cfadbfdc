"""Segments: immutable tables of pages and links, whose URLs are numbered inside the segment."""

import shutil
from collections import OrderedDict
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from weft.core.arrays import Flags, Ids, Offsets, lower, narrowed, stacked, upper
from weft.core.errors import Damaged, Malformed
from weft.gather.page import Edges
from weft.gather.url import sort_key
from weft.store.manifest import TABLES, File, Segment, sync_files, sync_folder
from weft.store.mapped import check_ids, map_array
from weft.store.schema import INCOMING_LINKS, INCOMING_PAGES, URL_COLUMNS

FEWEST_ROWS, MOST_ROWS, A_GROUP = 32, 256, 1 << 19
LINK_ROWS, URL_ROWS = 1 << 17, 1 << 17
REPEATED = {"kind", "mime", "language", "robots", "reason", "target", "anchor", "rel", "element"}
REPEATED |= {"path", "page", "status", "truncated", "weight"}
# Numbers inside a segment: the table whose rows they are, and the smallest that there is.
NUMBERS = {
    ("pages.parquet", "url"): ("urls.parquet", 0),
    ("pages.parquet", "canonical"): ("urls.parquet", -1),
    ("pages.parquet", "redirect"): ("urls.parquet", -1),
    ("links.parquet", "page"): ("pages.parquet", 0),
    ("links.parquet", "target"): ("urls.parquet", 0),
}


def _values(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _types(schema: pa.Schema, *numbers: str) -> dict[str, tuple[pa.DataType, ...]]:
    """The types that columns may have, where some are numbers instead of names."""
    own = {field.name: (_values(field.type),) for field in schema}
    return own | dict.fromkeys(numbers, (pa.int32(),))


TYPES = {
    "urls.parquet": {"key": (pa.string(),), "url": (pa.string(),)},
    "pages.parquet": _types(INCOMING_PAGES, *URL_COLUMNS, "links"),
    "links.parquet": {
        **_types(INCOMING_LINKS, "target"),
        "weight": (pa.float32(), pa.float64()),
    },
}


def write_pages(
    folder: Path, segment: str, pages: Sequence[pa.Table], links: Sequence[pa.Table]
) -> Segment:
    """Write incoming batches as one segment; a link's page is counted within its batch."""
    shifts = np.cumsum([0, *(len(batch) for batch in pages)])
    moved = [
        batch.set_column(0, "page", pc.add(batch["page"], pa.scalar(int(shift), pa.int32())))
        for batch, shift in zip(links, shifts, strict=False)
    ]
    page_table = pa.concat_tables(pages)
    link_table = pa.concat_tables(moved).unify_dictionaries().combine_chunks()
    named = [page_table[column].combine_chunks() for column in URL_COLUMNS]
    targets = link_table["target"].combine_chunks()
    urls, keys = _sorted_urls([*named, targets.dictionary])
    for column, values in zip(URL_COLUMNS, named, strict=True):
        at = page_table.column_names.index(column)
        page_table = page_table.set_column(at, column, _positions(values, urls))
    at = link_table.column_names.index("target")
    ids = _positions(targets.dictionary, urls).take(targets.indices)
    link_table = link_table.set_column(at, "target", ids)
    counts = np.bincount(link_table["page"].to_numpy(), minlength=len(page_table))
    page_table = page_table.append_column("links", pa.array(counts.astype(np.int32)))
    return _write(
        folder,
        Segment(segment, len(page_table), len(link_table)),
        urls,
        keys,
        page_table,
        link_table,
    )


def write_graph(folder: Path, segment: str, part: int, edges: Edges) -> Segment:
    """Write a part of a graph without text: a listed page for every name as given, and links."""
    source, target = (_encoded(edges.links[side]) for side in ("source", "target"))
    given = edges.nodes["name"].combine_chunks()
    columns = [given, source.dictionary, target.dictionary]
    urls, keys = _sorted_urls(columns)
    places = [_positions(values, urls) for values in columns]
    named = np.full(len(urls), -1, np.int64)
    named[places[0].to_numpy()] = np.arange(len(given))
    titles = edges.nodes["title"].combine_chunks().take(pa.array(named, mask=named < 0))
    everything = pa.array(np.arange(len(urls), dtype=np.int32))
    page_table = pa.table(
        {
            "url": everything,
            "kind": pa.repeat("listed", len(urls)),
            "title": pc.fill_null(titles.cast(pa.string()), ""),
        }
    )
    page, other = places[1].take(source.indices), places[2].take(target.indices)
    link_table = _added_up(page.to_numpy(), other.to_numpy(), edges.links)
    made = Segment(segment, len(page_table), len(link_table), edges.origin, part)
    return _write(folder, made, urls, keys, page_table, link_table)


def _added_up(page: Ids, target: Ids, links: pa.Table) -> pa.Table:
    """The links by page and target; rows of the same ends and anchor are one, of all their weight.

    So what a list says over and over takes no memory when the graph is built.
    """
    anchor, key = _encoded(links["anchor"]), stacked(page, target)
    said = anchor.indices.to_numpy()
    several = len(anchor.dictionary) > 1
    order = np.lexsort((said, key)) if several else np.argsort(key, kind="stable")
    key, weight = key[order], links["weight"].to_numpy()[order]
    fresh = _is_fresh(key) | _is_fresh(said[order]) if several else _is_fresh(key)
    if not fresh.all():
        first = np.flatnonzero(fresh)
        weight = np.add.reduceat(weight, first, dtype=np.float64)
        order, key = order[first], key[first]
    ends = {"page": upper(key).astype(np.int32), "target": lower(key).astype(np.int32)}
    rest = {"anchor": anchor.take(pa.array(order)), "weight": narrowed(weight)}
    return pa.table({**ends, **rest})


def _is_fresh(values: Ids | Offsets) -> Flags:
    """Which values differ from the one before."""
    fresh = np.ones(len(values), bool)
    np.not_equal(values[1:], values[:-1], out=fresh[1:])
    return fresh


def _encoded(column: pa.ChunkedArray) -> pa.DictionaryArray:
    if pa.types.is_dictionary(column.type):
        return column.unify_dictionaries().combine_chunks()
    return column.combine_chunks().dictionary_encode()


def _sorted_urls(columns: Sequence[pa.Array]) -> tuple[pa.Array, pa.Array]:
    """Every URL once, in the order of its key, with the key."""
    urls = pa.chunked_array([c.cast(pa.string()) for c in columns]).unique()
    urls = urls.filter(pc.not_equal(urls, ""))
    keys = _keys(urls)
    order = pc.array_sort_indices(keys)
    return urls.take(order), keys.take(order)


def _keys(urls: pa.Array) -> pa.Array:
    """The sort key of every URL; names that cannot hold a host get theirs all at once."""
    simple = pc.match_substring_regex(urls, r"^[^./:\x01]+$")
    sign = pc.if_else(pc.match_substring_regex(urls, r"^[0-9]+$"), "", "!")
    keys = pc.binary_join_element_wise(sign, urls, "/ ", urls, "")
    if pc.all(simple).as_py():
        return keys
    others = urls.filter(pc.invert(simple))
    own = pa.array([sort_key(url) for url in others.to_pylist()], pa.string())
    return pc.replace_with_mask(keys, pc.invert(simple), own)


def _positions(values: pa.Array, urls: pa.Array) -> pa.Array:
    """Where each value stands among the URLs; -1 for none."""
    return pc.fill_null(pc.index_in(values, urls), -1)


def _rows_in_a_group(pages: pa.Table) -> int:
    """How many pages are read together: the fewer, the longer they are."""
    long = pages["text"].nbytes // max(len(pages), 1) if "text" in pages.column_names else 0
    return min(max(A_GROUP // max(long, 1), FEWEST_ROWS), MOST_ROWS)


def _write(
    folder: Path, segment: Segment, urls: pa.Array, keys: pa.Array, pages: pa.Table, links: pa.Table
) -> Segment:
    """Write the tables beside the others, then give the segment its name: it is whole or absent."""
    fresh = folder / f".{segment.name}"
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    rows = pa.table({"key": keys, "url": urls}), pages, links
    sizes = URL_ROWS, _rows_in_a_group(pages), LINK_ROWS
    for table_name, table, size in zip(TABLES, rows, sizes, strict=True):
        pq.write_table(
            table,
            fresh / table_name,
            compression="zstd",
            compression_level=1,
            use_dictionary=[name for name in table.column_names if name in REPEATED],
            row_group_size=size,
            write_page_checksum=True,
            write_statistics=False,
        )
    sync_files(fresh / table_name for table_name in TABLES)
    sync_folder(fresh)
    fresh.rename(folder / segment.name)
    sync_folder(folder)
    files = {t: File.of(folder / segment.name / t) for t in TABLES}
    return replace(segment, files=files)


@contextmanager
def _opened(path: Path, encoded: Sequence[str] = ()) -> Iterator[pq.ParquetFile]:
    """A table for reading, whose checksums are verified; damage is told as such."""
    with _readable(path), _parquet(path, read_dictionary=list(encoded)) as file:
        yield file


_parquet = partial(pq.ParquetFile, page_checksum_verification=True)


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Tell of a file that cannot be read as of damage."""
    try:
        yield
    except MemoryError:
        raise
    except (OSError, pa.ArrowException, UnicodeDecodeError) as error:
        raise Damaged(f"{path} cannot be read ({str(error).splitlines()[0][:100]})") from error


def read(folder: Path, table: str, columns: Sequence[str] | None = None) -> pa.Table:
    """A table of a segment, or those of the columns that it has."""
    with _opened(folder / table) as file:
        present = file.schema_arrow.names
        wanted = [c for c in columns if c in present] if columns is not None else None
        found = file.read(columns=wanted)
    _check(folder, table, found)
    return found


def _check(folder: Path, table: str, rows: pa.Table | pa.RecordBatch) -> None:
    """Refuse columns of other types, with values missing, or with numbers of no row."""
    for name, column in zip(rows.schema.names, rows.columns, strict=True):
        if column.null_count or _values(column.type) not in TYPES[table].get(name, ()):
            raise Malformed(folder / table, f"the column {name} has other values")
        with _readable(folder / table):
            column.validate(full=True)
        if (table, name) in NUMBERS and len(column):
            other, first = NUMBERS[table, name]
            ends = pc.min_max(column).as_py()
            if ends["min"] < first or ends["max"] >= _footer(folder / other).num_rows:
                raise Malformed(folder / table, f"{name} is a row that {other} does not have")


def check_sizes(folder: Path, segment: Segment) -> None:
    """Refuse tables that have other numbers of rows than the segment, or pages in uneven groups."""
    for table, rows in (("pages.parquet", segment.pages), ("links.parquet", segment.links)):
        if (found := _footer(folder / table).num_rows) != rows:
            raise Malformed(folder / table, f"{found:,} rows instead of {rows:,}")
    footer = _footer(folder / "pages.parquet")
    sizes = [footer.row_group(k).num_rows for k in range(footer.num_row_groups)]
    if any(size != sizes[0] for size in sizes[:-1]) or sizes[-1:] > sizes[:1]:
        raise Malformed(folder / "pages.parquet", "groups of rows differ in size")


def weight_kind(folder: Path) -> np.dtype[Any]:
    """How precise the weights of a segment's links are."""
    with _opened(folder / "links.parquet") as file:
        kind: np.dtype[Any] = np.dtype(file.schema_arrow.field("weight").type.to_pandas_dtype())
    return kind


def anchors(folder: Path) -> pa.DictionaryArray:
    """The anchor of every link of a segment, as a place among the segment's anchors."""
    return encoded(folder, "anchor")


def encoded(folder: Path, name: str) -> pa.DictionaryArray:
    """What every link of a segment says, such as its anchor, as a place among all that is said."""
    with _opened(folder / "links.parquet", [name]) as file:
        column = file.read(columns=[name])[name].unify_dictionaries()
    if not len(column):
        return pa.DictionaryArray.from_arrays(pa.array([], pa.int32()), pa.array([""]))
    return column.combine_chunks()


def batches(
    folder: Path, table: str, columns: Sequence[str], size: int
) -> Iterator[pa.RecordBatch]:
    """A table of a segment a piece at a time."""
    with _opened(folder / table) as file:
        present = [c for c in columns if c in file.schema_arrow.names]
        for batch in file.iter_batches(batch_size=size, columns=present):
            _check(folder, table, batch)
            yield batch


def page_rows(folder: Path, rows: Sequence[int], columns: Sequence[str]) -> pa.Table:
    """Some rows of the table of pages, read by their row groups alone.

    Where these are few they are kept for a while: who looks at pages often
    looks at them again.
    """
    path, wanted = folder / "pages.parquet", np.array(rows, np.int64)
    footer = _footer(path)
    size = footer.row_group(0).num_rows if footer.num_row_groups else MOST_ROWS
    order = np.argsort(wanted, kind="stable")
    groups, many = np.unique(wanted // size, return_counts=True)
    if 0 < len(groups) <= FEW:
        parts = np.split(wanted[order] % size, np.cumsum(many)[:-1])
        table = pa.concat_tables(
            _group(path, group, columns).take(pa.array(part))
            for group, part in zip(groups.tolist(), parts, strict=True)
        )
    else:
        with _opened(path) as file:
            present = [c for c in columns if c in file.schema_arrow.names]
            whole = file.read_row_groups(groups.tolist(), columns=present)
        first = np.searchsorted(groups, wanted[order] // size) * size
        table = whole.take(pa.array(first + wanted[order] % size))
    back = np.empty(len(order), np.int64)
    back[order] = np.arange(len(order))
    return table.take(pa.array(back))


def _group(path: Path, group: int, columns: Sequence[str]) -> pa.Table:
    """A row group, from memory if the file is still the one that it was read from."""
    key = (*_state(path), group, *columns)
    table = KEPT.get(key)
    if table is None:
        with _readable(path), _parquet(path, metadata=_footer(path)) as file:
            present = [c for c in columns if c in file.schema_arrow.names]
            table = file.read_row_group(group, columns=present, use_threads=False)
        _check(path.parent, path.name, table)
        KEPT.put(key, table)
    return table


def _footer(path: Path) -> pq.FileMetaData:
    """What the end of a file says of it, from memory likewise."""
    key = _state(path)
    if key not in FOOTERS:
        with _readable(path), _parquet(path) as file:
            FOOTERS[key] = file.metadata
        if len(FOOTERS) > MOST_FOOTERS:
            del FOOTERS[next(iter(FOOTERS))]
    return FOOTERS[key]


def _state(path: Path) -> tuple[Hashable, ...]:
    with _readable(path):
        state = path.stat()
    return path, state.st_ino, state.st_mtime_ns, state.st_size


class Kept:
    """Tables read lately, up to so many bytes."""

    def __init__(self, most: int) -> None:
        self.most, self.size = most, 0
        self.tables: OrderedDict[Hashable, pa.Table] = OrderedDict()

    def get(self, key: Hashable) -> pa.Table | None:
        """A table that was kept, if it still is."""
        if key in self.tables:
            self.tables.move_to_end(key)
        return self.tables.get(key)

    def put(self, key: Hashable, table: pa.Table) -> None:
        """Keep a table, and let go of those that were not asked for longest."""
        self.tables[key] = table
        self.size += table.nbytes
        while self.size > self.most:
            self.size -= self.tables.popitem(last=False)[1].nbytes


FEW, MOST_FOOTERS = 32, 256
FOOTERS: dict[Hashable, pq.FileMetaData] = {}
KEPT = Kept(96 << 20)


def removed_rows(folder: Path, segment: Segment) -> Ids:
    """The rows of a segment that were taken out of the collection."""
    if not segment.removed:
        return np.zeros(0, np.int32)
    rows: Ids = map_array(folder / segment.removed, "<i4")
    check_ids(folder / segment.removed, rows, segment.pages)
    return rows


def incoming(folder: Path, segment: Segment) -> tuple[pa.Table, pa.Table]:
    """A segment of pages as it came in: its URLs as words again, without the rows taken out."""
    urls = read(folder, "urls.parquet", ["url"])["url"].combine_chunks()
    pages, links = read(folder, "pages.parquet"), read(folder, "links.parquet")
    kept = np.ones(len(pages), bool)
    kept[removed_rows(folder, segment)] = False
    owners = links["page"].to_numpy()
    moved = np.cumsum(kept, dtype=np.int32) - 1
    pages = pages.drop_columns(["links"]).filter(pa.array(kept))
    for column in URL_COLUMNS:
        at = pages.column_names.index(column)
        places = pages[column].to_numpy()
        words = pc.fill_null(urls.take(pa.array(places, mask=places < 0)), "")
        pages = pages.set_column(at, column, words)
    links = links.filter(pa.array(kept[owners]))
    links = links.set_column(0, "page", pa.array(moved[links["page"].to_numpy()]))
    targets = pa.DictionaryArray.from_arrays(links["target"].combine_chunks(), urls)
    links = links.set_column(links.column_names.index("target"), "target", targets)
    return pages.cast(INCOMING_PAGES), links.cast(INCOMING_LINKS)


def incoming_graph(folder: Path, segment: Segment) -> Edges:
    """A segment of a graph as it came in, without the rows taken out."""
    urls = read(folder, "urls.parquet", ["url"])["url"].combine_chunks()
    pages, links = read(folder, "pages.parquet"), read(folder, "links.parquet")
    kept = np.ones(len(pages), bool)
    kept[removed_rows(folder, segment)] = False
    links = links.filter(pa.array(kept[links["page"].to_numpy()]))
    source = pages["url"].combine_chunks().take(links["page"].combine_chunks())
    ends = {"source": source, "target": links["target"].combine_chunks()}
    words = {side: pa.DictionaryArray.from_arrays(ids, urls) for side, ids in ends.items()}
    pages = pages.filter(pa.array(kept))
    nodes = pa.table({"name": urls.take(pages["url"].combine_chunks()), "title": pages["title"]})
    rest = {"weight": links["weight"], "anchor": links["anchor"]}
    return Edges(segment.origin, nodes, pa.table({**words, **rest}))
