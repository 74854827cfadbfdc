"""Segments: immutable Parquet tables of URLs, pages, links and requests, numbered within each."""

import hashlib
import shutil
from collections import OrderedDict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from weft.core.arrays import (
    Flags,
    Ids,
    Offsets,
    pack_pairs,
    to_float32_if_exact,
    unpack_first_ids,
    unpack_second_ids,
)
from weft.core.errors import DamagedFile, MalformedFile
from weft.gather.page import DICTIONARY_STRING, REQUEST_SCHEMA, EdgeBatch, Link, Page
from weft.gather.url import sort_keys
from weft.store.arrow_files import check_ids, map_array
from weft.store.manifest import (
    REQUESTS_TABLE,
    CommittedFile,
    InputPart,
    Segment,
    fsync_files,
    fsync_folder,
)

MAX_PAGE_GROUP_ROWS, PAGE_GROUP_BYTES = 256, 1 << 19
VALUES_PER_CHECK, TEXTS_PER_CHECK = 1024, 1  # after which a page of values may be full
LINK_GROUP_ROWS, URL_GROUP_ROWS, REQUEST_GROUP_ROWS = 1 << 17, 1 << 17, 1 << 17
GRAPH_PAGE_GROUP_ROWS = 1 << 16  # of pages without text
MAX_CACHED_GROUPS, MAX_CACHED_FOOTERS, MAX_CACHED_BYTES = 32, 256, 96 << 20

# Incoming pages: URLs are still strings. A link refers to its page by row.
INCOMING_PAGES = pa.schema(
    {
        "url": pa.string(),
        "kind": pa.string(),
        "time": pa.int64(),
        "status": pa.int16(),
        "mime": pa.string(),
        "title": pa.string(),
        "text": pa.string(),
        "main": pa.list_(pa.int32()),
        "language": pa.string(),
        "robots": pa.string(),
        "canonical": pa.string(),
        "redirect": pa.string(),
        "reason": pa.string(),
        "original": pa.string(),
        "truncated": pa.bool_(),
        "capture": pa.uint64(),
    }
)
INCOMING_LINKS = pa.schema(
    {
        "page": pa.int32(),
        "target": DICTIONARY_STRING,
        "anchor": DICTIONARY_STRING,
        "before": pa.string(),
        "after": pa.string(),
        "rel": DICTIONARY_STRING,
        "element": DICTIONARY_STRING,
        "position": pa.int32(),
        "path": DICTIONARY_STRING,
        "weight": pa.float32(),
    }
)
PUBLISHED_SCORES = ("harmonic", "pagerank")  # of a numbered graph that came with them; NaN for none
URL_COLUMNS = ("url", "canonical", "redirect")
DICTIONARY_COLUMNS = {
    "kind",
    "mime",
    "language",
    "robots",
    "reason",
    "target",
    "anchor",
    "rel",
    "element",
    "path",
    "page",
    "status",
    "truncated",
    "weight",
    "visitor",
    "session",
    "referrer",
    "robot",
}
# Columns that hold row numbers of another table of the segment, and the smallest value (-1: none).
FOREIGN_KEYS = {
    ("pages.parquet", "url"): ("urls.parquet", 0),
    ("pages.parquet", "canonical"): ("urls.parquet", -1),
    ("pages.parquet", "redirect"): ("urls.parquet", -1),
    ("links.parquet", "page"): ("pages.parquet", 0),
    ("links.parquet", "target"): ("urls.parquet", 0),
    (REQUESTS_TABLE, "url"): ("urls.parquet", 0),
    (REQUESTS_TABLE, "referrer"): ("urls.parquet", -1),
}


def _value_type(data_type: pa.DataType) -> pa.DataType:
    return data_type.value_type if pa.types.is_dictionary(data_type) else data_type


def _column_types(schema: pa.Schema, *id_columns: str) -> dict[str, tuple[pa.DataType, ...]]:
    """The types that columns may have; `id_columns` hold row numbers instead of strings."""
    types = {field.name: (_value_type(field.type),) for field in schema}
    return types | dict.fromkeys(id_columns, (pa.int32(),))


COLUMN_TYPES = {
    "urls.parquet": {"key": (pa.string(),), "url": (pa.string(),)},
    "pages.parquet": {
        **_column_types(INCOMING_PAGES, *URL_COLUMNS, "links"),
        **dict.fromkeys(PUBLISHED_SCORES, (pa.float64(),)),
    },
    "links.parquet": {
        **_column_types(INCOMING_LINKS, "target"),
        "weight": (pa.float32(), pa.float64()),
    },
    REQUESTS_TABLE: _column_types(REQUEST_SCHEMA, "url", "referrer"),
}


def capture_digest(url: str, time: int, body: bytes) -> int:
    """A 64-bit digest of a capture: captures with the same URL, time and bytes are one."""
    digest = hashlib.sha256(body)
    digest.update(f"\n{time}\n{url}".encode("utf-8", "surrogatepass"))
    return int.from_bytes(digest.digest()[:8], "little")


def body_for_digest(page: Page) -> bytes:
    """The bytes to digest for a page that came without a body: its text and links."""
    links = "\n".join(f"{link.target} {link.anchor}" for link in page.links)
    text = f"{page.title}\n{page.text}\n{page.redirect}\n{links}"
    return text.encode("utf-8", "surrogatepass")


def pages_to_tables(pages: Sequence[Page], captures: Sequence[int]) -> tuple[pa.Table, pa.Table]:
    """Turn pages and their links into a table of pages and a table of links."""
    names = [name for name in INCOMING_PAGES.names if name != "capture"]
    columns = {name: [getattr(page, name) for page in pages] for name in names}
    columns["capture"] = list(captures)
    arrays = [_to_arrow_array(columns[field.name], field.type) for field in INCOMING_PAGES]
    page_rows = [row for row, page in enumerate(pages) for _ in page.links]
    links = [link for page in pages for link in page.links]
    return pa.table(arrays, schema=INCOMING_PAGES), _links_to_table(page_rows, links)


def select_pages(pages: pa.Table, links: pa.Table, is_kept: Flags) -> tuple[pa.Table, pa.Table]:
    """Some of the pages with their links, whose pages are numbered anew."""
    if is_kept.all():
        return pages, links
    new_row = np.cumsum(is_kept, dtype=np.int32) - 1  # of each row that stays
    links = links.filter(pa.array(is_kept[links["page"].to_numpy()]))
    links = links.set_column(0, "page", pa.array(new_row[links["page"].to_numpy()]))
    return pages.filter(pa.array(is_kept)), links


def _links_to_table(page_rows: list[int], links: Iterable[Link]) -> pa.Table:
    rows = list(zip(*links, strict=True)) or [()] * len(Link._fields)
    columns = dict(zip(Link._fields, rows, strict=True))
    arrays = [pa.array(page_rows, pa.int32())]
    for field in list(INCOMING_LINKS)[1:]:
        data_type = pa.string() if field.type == DICTIONARY_STRING else field.type
        values = _to_arrow_array(columns[field.name], data_type)
        arrays.append(values.dictionary_encode() if field.type == DICTIONARY_STRING else values)
    return pa.table(arrays, schema=INCOMING_LINKS)


def _to_arrow_array(values: Sequence[object], data_type: pa.DataType) -> pa.Array:
    """A column; lone surrogates, which cannot be stored as UTF-8, become question marks."""
    try:
        return pa.array(values, data_type)
    except UnicodeEncodeError:
        encodable = [str(value).encode("utf-8", "replace").decode("utf-8") for value in values]
        return pa.array(encodable, data_type)


def write_page_segment(
    folder: Path, name: str, pages: Sequence[pa.Table], links: Sequence[pa.Table]
) -> Segment:
    """Write incoming batches as one segment; a link's page is a row of its own batch."""
    shifts = np.cumsum([0, *(len(batch) for batch in pages)])
    shifted = [
        batch.set_column(0, "page", pc.add(batch["page"], pa.scalar(int(shift), pa.int32())))
        for batch, shift in zip(links, shifts, strict=False)
    ]
    page_table = pa.concat_tables(pages)
    link_table = pa.concat_tables(shifted).unify_dictionaries().combine_chunks()
    page_urls = [page_table[column].combine_chunks() for column in URL_COLUMNS]
    targets = link_table["target"].combine_chunks()
    urls, keys = _unique_sorted_urls([*page_urls, targets.dictionary])
    for column, values in zip(URL_COLUMNS, page_urls, strict=True):
        at = page_table.column_names.index(column)
        page_table = page_table.set_column(at, column, _positions_in(values, urls))
    at = link_table.column_names.index("target")
    ids = _positions_in(targets.dictionary, urls).take(targets.indices)
    link_table = link_table.set_column(at, "target", ids)
    counts = np.bincount(link_table["page"].to_numpy(), minlength=len(page_table))
    page_table = page_table.append_column("links", pa.array(counts.astype(np.int32)))
    return _write_segment(
        folder,
        Segment(name, len(page_table), len(link_table)),
        urls,
        keys,
        page_table,
        link_table,
    )


def write_graph_segment(folder: Path, name: str, part: int, edges: EdgeBatch) -> Segment:
    """Write a part of a graph without text: a listed page for every node name, and the links."""
    source, target = (_dictionary_encode(edges.links[side]) for side in ("source", "target"))
    node_names = edges.nodes["name"].combine_chunks()
    columns = [node_names, source.dictionary, target.dictionary]
    urls, keys = _unique_sorted_urls(columns)
    positions = [_positions_in(values, urls) for values in columns]
    # The row of each URL among the nodes, -1 for names that occur in links alone.
    node_of_url = np.full(len(urls), -1, np.int64)
    node_of_url[positions[0].to_numpy()] = np.arange(len(node_names))
    node_rows = pa.array(node_of_url, mask=node_of_url < 0)
    titles = edges.nodes["title"].combine_chunks().take(node_rows)
    scores = {
        name: pc.fill_null(edges.nodes[name].combine_chunks().take(node_rows), np.nan)
        for name in PUBLISHED_SCORES
        if name in edges.nodes.column_names
    }
    page_table = pa.table(
        {
            "url": pa.array(np.arange(len(urls), dtype=np.int32)),
            "kind": pa.repeat("listed", len(urls)),
            "title": pc.fill_null(titles.cast(pa.string()), ""),
            **scores,
        }
    )
    page, other = positions[1].take(source.indices), positions[2].take(target.indices)
    link_table = _merge_parallel_links(page.to_numpy(), other.to_numpy(), edges.links)
    segment = Segment(name, len(page_table), len(link_table), edges.input_digest, part)
    return _write_segment(folder, segment, urls, keys, page_table, link_table)


def write_request_segment(
    folder: Path, name: str, requests: pa.Table, inputs: Sequence[InputPart], salt_id: str
) -> Segment:
    """Write requests, the rows of `inputs` one after the other; there are no pages or links."""
    columns = {
        side: _without_unused_values(_dictionary_encode(requests[side]))
        for side in ("url", "referrer")
    }
    urls, keys = _unique_sorted_urls([column.dictionary for column in columns.values()])
    for side, column in columns.items():
        ids = _positions_in(column.dictionary, urls).take(column.indices)
        requests = requests.set_column(requests.column_names.index(side), side, ids)
    pages, links = (_empty_table(table) for table in ("pages.parquet", "links.parquet"))
    segment = Segment(name, 0, 0, inputs=tuple(inputs), salt_id=salt_id)
    return _write_segment(folder, segment, urls, keys, pages, links, requests)


def _empty_table(table: str) -> pa.Table:
    return pa.schema({name: types[0] for name, types in COLUMN_TYPES[table].items()}).empty_table()


def _merge_parallel_links(page: Ids, target: Ids, links: pa.Table) -> pa.Table:
    """Sort links by page and target; those with the same ends and anchor are added up.

    Repeated rows of an edge list then take no memory when the graph is built.
    """
    anchor, key = _dictionary_encode(links["anchor"]), pack_pairs(page, target)
    anchor_code = anchor.indices.to_numpy()
    has_anchors = len(anchor.dictionary) > 1
    order = np.lexsort((anchor_code, key)) if has_anchors else np.argsort(key, kind="stable")
    key, weight = key[order], links["weight"].to_numpy()[order]
    is_new = _differs_from_previous(key)
    if has_anchors:
        is_new |= _differs_from_previous(anchor_code[order])
    if not is_new.all():
        first = np.flatnonzero(is_new)
        weight = np.add.reduceat(weight, first, dtype=np.float64)
        order, key = order[first], key[first]
    return pa.table(
        {
            "page": unpack_first_ids(key).astype(np.int32),
            "target": unpack_second_ids(key).astype(np.int32),
            "anchor": anchor.take(pa.array(order)),
            "weight": to_float32_if_exact(weight),
        }
    )


def _differs_from_previous(values: Ids | Offsets) -> Flags:
    """Which values differ from the one before; the first does."""
    differs = np.ones(len(values), bool)
    np.not_equal(values[1:], values[:-1], out=differs[1:])
    return differs


def _dictionary_encode(column: pa.ChunkedArray) -> pa.DictionaryArray:
    if pa.types.is_dictionary(column.type):
        return column.unify_dictionaries().combine_chunks()
    return column.combine_chunks().dictionary_encode()


def _without_unused_values(column: pa.DictionaryArray) -> pa.DictionaryArray:
    """The same with the values that occur alone; a reader may have dropped the others."""
    codes, is_used = column.indices.to_numpy(), np.zeros(len(column.dictionary), bool)
    is_used[codes] = True
    new_codes = np.cumsum(is_used, dtype=np.int32) - 1
    values = column.dictionary.filter(pa.array(is_used))
    return pa.DictionaryArray.from_arrays(new_codes[codes], values)


def _unique_sorted_urls(columns: Sequence[pa.Array]) -> tuple[pa.Array, pa.Array]:
    """The distinct URLs sorted by key, and their keys."""
    urls = pa.chunked_array([c.cast(pa.string()) for c in columns]).unique()
    urls = urls.filter(pc.not_equal(urls, ""))
    keys = sort_keys(urls)
    order = pc.array_sort_indices(keys)
    return urls.take(order), keys.take(order)


def _positions_in(values: pa.Array, urls: pa.Array) -> pa.Array:
    """The position of each value among the URLs; -1 for none."""
    return pc.fill_null(pc.index_in(values, urls), -1)


def _rows_per_row_group(pages: pa.Table) -> int:
    """Rows per row group of the page table: fewer for longer texts, `PAGE_GROUP_BYTES` together."""
    if "text" not in pages.column_names:
        return GRAPH_PAGE_GROUP_ROWS
    mean_bytes = pages["text"].nbytes // max(len(pages), 1)
    rows: int = PAGE_GROUP_BYTES // max(mean_bytes, 1)
    return min(max(rows, 1), MAX_PAGE_GROUP_ROWS)


def _write_segment(
    folder: Path, segment: Segment, urls: pa.Array, keys: pa.Array, *more_tables: pa.Table
) -> Segment:
    """Write the tables of a segment."""
    tables = pa.table({"key": keys, "url": urls}), *more_tables
    sizes = URL_GROUP_ROWS, _rows_per_row_group(tables[1]), LINK_GROUP_ROWS, REQUEST_GROUP_ROWS
    with new_segment_folder(folder, segment.name) as temporary:
        for table_name, table, size in zip(segment.tables, tables, sizes, strict=False):
            with table_writer(temporary, table_name, table.schema) as writer:
                writer.write_table(table, size)
    return describe_segment(folder, segment)


@contextmanager
def new_segment_folder(folder: Path, name: str) -> Iterator[Path]:
    """A temporary folder that gets its name at the end: a segment is complete or absent."""
    temporary = folder / f".{name}"
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir(parents=True)
    yield temporary
    fsync_files(temporary.iterdir())
    fsync_folder(temporary)
    temporary.rename(folder / name)
    fsync_folder(folder)


def table_writer(folder: Path, table_name: str, schema: pa.Schema) -> pq.ParquetWriter:
    """A writer of a table of a segment, with the encoding that all have."""
    return pq.ParquetWriter(
        folder / table_name,
        schema,
        compression="zstd",
        compression_level=1,
        use_dictionary=[name for name in schema.names if name in DICTIONARY_COLUMNS],
        write_page_checksum=True,
        write_statistics=False,
        write_batch_size=TEXTS_PER_CHECK if "text" in schema.names else VALUES_PER_CHECK,
    )


def describe_segment(folder: Path, segment: Segment) -> Segment:
    """A finished segment with sizes and digests of its tables."""
    files = {name: CommittedFile.from_path(folder / segment.name / name) for name in segment.tables}
    return replace(segment, files=files)


@contextmanager
def _open_parquet(path: Path, dictionary_columns: Sequence[str] = ()) -> Iterator[pq.ParquetFile]:
    """Open a table with its checksums verified; damage raises `DamagedFile`."""
    with (
        _read_errors_as_damaged(path),
        _parquet_file(path, read_dictionary=list(dictionary_columns)) as file,
    ):
        yield file


# Reading ahead would hold what comes next of a local file, too.
_parquet_file = partial(pq.ParquetFile, page_checksum_verification=True, pre_buffer=False)


@contextmanager
def _read_errors_as_damaged(path: Path) -> Iterator[None]:
    """Raise `DamagedFile` for a file that cannot be read."""
    try:
        yield
    except MemoryError:
        raise
    except (OSError, pa.ArrowException, UnicodeDecodeError) as error:
        raise DamagedFile(f"{path} cannot be read ({str(error).splitlines()[0][:100]})") from error


def read_table(folder: Path, table: str, columns: Sequence[str] | None = None) -> pa.Table:
    """Read a table of a segment, or those of `columns` that it has."""
    with _open_parquet(folder / table) as file:
        present = file.schema_arrow.names
        wanted = [c for c in columns if c in present] if columns is not None else None
        rows = file.read(columns=wanted)
    _check_columns(folder, table, rows)
    return rows


def _check_columns(folder: Path, table: str, rows: pa.Table | pa.RecordBatch) -> None:
    """Refuse columns with other types, missing values, or row numbers out of range."""
    for name, column in zip(rows.schema.names, rows.columns, strict=True):
        if column.null_count or _value_type(column.type) not in COLUMN_TYPES[table].get(name, ()):
            raise MalformedFile(folder / table, f"the column {name} has missing or other values")
        with _read_errors_as_damaged(folder / table):
            column.validate(full=True)
        if (table, name) in FOREIGN_KEYS and len(column):
            other, smallest = FOREIGN_KEYS[table, name]
            ends = pc.min_max(column).as_py()
            if ends["min"] < smallest or ends["max"] >= _read_footer(folder / other).num_rows:
                raise MalformedFile(folder / table, f"{name} is a row that {other} does not have")


def check_row_counts(folder: Path, segment: Segment) -> None:
    """Refuse tables whose row counts differ from the segment's, and row groups of uneven size."""
    expected_rows = {"pages.parquet": segment.pages, "links.parquet": segment.links}
    if segment.inputs:
        expected_rows[REQUESTS_TABLE] = segment.requests
    for table, expected in expected_rows.items():
        if (rows := _read_footer(folder / table).num_rows) != expected:
            raise MalformedFile(folder / table, f"{rows:,} rows instead of {expected:,}")
    footer = _read_footer(folder / "pages.parquet")
    sizes = [footer.row_group(k).num_rows for k in range(footer.num_row_groups)]
    if any(size != sizes[0] for size in sizes[:-1]) or sizes[-1:] > sizes[:1]:
        raise MalformedFile(folder / "pages.parquet", "row groups differ in size")


def weight_dtype(folder: Path) -> np.dtype[Any]:
    """The type of the link weights of a segment, float32 or float64."""
    with _open_parquet(folder / "links.parquet") as file:
        empty = pa.array([], file.schema_arrow.field("weight").type)
    dtype: np.dtype[Any] = empty.to_numpy().dtype  # Arrow's own conversion imports pandas
    return dtype


def read_link_anchors(folder: Path) -> pa.DictionaryArray:
    """The anchor text of each link of a segment, dictionary-encoded."""
    return read_link_column(folder, "anchor")


def read_link_column(folder: Path, name: str) -> pa.DictionaryArray:
    """A string column of the links of a segment, such as `anchor`, dictionary-encoded.

    It is empty where no link has one, as in graphs of numbers.
    """
    if not has_link_column(folder, name):
        rows = np.zeros(_read_footer(folder / "links.parquet").num_rows, np.int32)
        return pa.DictionaryArray.from_arrays(rows, pa.array([""]))
    with _open_parquet(folder / "links.parquet", [name]) as file:
        column = file.read(columns=[name])[name].unify_dictionaries()
    if not len(column):
        return pa.DictionaryArray.from_arrays(pa.array([], pa.int32()), pa.array([""]))
    return column.combine_chunks()


def has_link_column(folder: Path, name: str) -> bool:
    """Whether the links of a segment have a column."""
    names: list[str] = _read_footer(folder / "links.parquet").schema.names
    return name in names


def iter_batches(
    folder: Path,
    table: str,
    columns: Sequence[str],
    batch_rows: int,
    max_bytes: int = 1 << 62,
) -> Iterator[pa.RecordBatch]:
    """Yield a table of a segment in batches of at most `batch_rows` rows.

    Where rows are large on average, they are of about `max_bytes`, at least of one row.
    """
    with _open_parquet(folder / table) as file:
        present = [c for c in columns if c in file.schema_arrow.names]
        groups = [file.metadata.row_group(k) for k in range(file.metadata.num_row_groups)]
        mean = max((group.total_byte_size // max(group.num_rows, 1) for group in groups), default=0)
        rows = min(max(max_bytes // max(mean, 1), 1), batch_rows)
        for batch in file.iter_batches(batch_size=rows, columns=present):
            _check_columns(folder, table, batch)
            yield batch


def read_page_rows(folder: Path, rows: Sequence[int], columns: Sequence[str]) -> pa.Table:
    """Read some rows of the page table, in the order asked for.

    Only their row groups are read. Where these are few they are cached, since
    pages that were looked at are often looked at again.
    """
    path, wanted = folder / "pages.parquet", np.array(rows, np.int64)
    footer = _read_footer(path)
    size = footer.row_group(0).num_rows if footer.num_row_groups else MAX_PAGE_GROUP_ROWS
    order = np.argsort(wanted, kind="stable")
    groups, counts = np.unique(wanted // size, return_counts=True)
    if 0 < len(groups) <= MAX_CACHED_GROUPS:
        parts = np.split(wanted[order] % size, np.cumsum(counts)[:-1])
        table = pa.concat_tables(
            _read_row_group(path, group, columns).take(pa.array(part))
            for group, part in zip(groups.tolist(), parts, strict=True)
        )
    else:
        with _open_parquet(path) as file:
            present = [c for c in columns if c in file.schema_arrow.names]
            group_table = file.read_row_groups(groups.tolist(), columns=present)
        first = np.searchsorted(groups, wanted[order] // size) * size
        table = group_table.take(pa.array(first + wanted[order] % size))
    # Undo the sort.
    inverse = np.empty(len(order), np.int64)
    inverse[order] = np.arange(len(order))
    return table.take(pa.array(inverse))


def read_url(folder: Path, row: int) -> str:
    """One URL of a segment; only its row group is read."""
    with _open_parquet(folder / "urls.parquet") as file:
        size = file.metadata.row_group(0).num_rows
        table = file.read_row_group(row // size, columns=["url"])
    url: str = table["url"][row % size].as_py()
    return url


def _read_row_group(path: Path, group: int, columns: Sequence[str]) -> pa.Table:
    """Read a row group, from the cache if the file has not changed since."""
    key = (*_file_identity(path), group, *columns)
    table = TABLE_CACHE.get(key)
    if table is None:
        with (
            _read_errors_as_damaged(path),
            _parquet_file(path, metadata=_read_footer(path)) as file,
        ):
            present = [c for c in columns if c in file.schema_arrow.names]
            table = file.read_row_group(group, columns=present, use_threads=False)
        _check_columns(path.parent, path.name, table)
        TABLE_CACHE.put(key, table)
    return table


def _read_footer(path: Path) -> pq.FileMetaData:
    """Read the metadata at the end of a Parquet file, cached likewise."""
    key = _file_identity(path)
    if key not in FOOTER_CACHE:
        with _read_errors_as_damaged(path), _parquet_file(path) as file:
            FOOTER_CACHE[key] = file.metadata
        if len(FOOTER_CACHE) > MAX_CACHED_FOOTERS:
            del FOOTER_CACHE[next(iter(FOOTER_CACHE))]
    return FOOTER_CACHE[key]


def _file_identity(path: Path) -> tuple[Hashable, ...]:
    with _read_errors_as_damaged(path):
        state = path.stat()
    return path, state.st_ino, state.st_mtime_ns, state.st_size


class TableCache:
    """Recently used tables, at most `max_bytes` of them."""

    def __init__(self, max_bytes: int) -> None:
        self.max_bytes, self.total_bytes = max_bytes, 0
        self.tables: OrderedDict[Hashable, pa.Table] = OrderedDict()

    def get(self, key: Hashable) -> pa.Table | None:
        """The table of a key, None where it is not cached."""
        if key in self.tables:
            self.tables.move_to_end(key)
        return self.tables.get(key)

    def put(self, key: Hashable, table: pa.Table) -> None:
        """Cache a table, and evict the least recently used ones beyond `max_bytes`."""
        self.tables[key] = table
        self.total_bytes += table.nbytes
        while self.total_bytes > self.max_bytes:
            self.total_bytes -= self.tables.popitem(last=False)[1].nbytes


FOOTER_CACHE: dict[Hashable, pq.FileMetaData] = {}
TABLE_CACHE = TableCache(MAX_CACHED_BYTES)


def read_removed_rows(folder: Path, segment: Segment) -> Ids:
    """The rows of a segment that were removed from the collection."""
    if not segment.removed:
        return np.zeros(0, np.int32)
    rows: Ids = map_array(folder / segment.removed, "<i4")
    check_ids(folder / segment.removed, rows, segment.pages)
    return rows


def read_page_segment(folder: Path, segment: Segment) -> tuple[pa.Table, pa.Table]:
    """Read a segment of pages as it came in: URLs as strings, without the removed rows."""
    urls = read_table(folder, "urls.parquet", ["url"])["url"].combine_chunks()
    pages, links = read_table(folder, "pages.parquet"), read_table(folder, "links.parquet")
    kept = np.ones(len(pages), bool)
    kept[read_removed_rows(folder, segment)] = False
    new_rows = np.cumsum(kept, dtype=np.int32) - 1
    pages = pages.drop_columns(["links"]).filter(pa.array(kept))
    for column in URL_COLUMNS:
        at = pages.column_names.index(column)
        ids = pages[column].to_numpy()
        values = pc.fill_null(urls.take(pa.array(ids, mask=ids < 0)), "")
        pages = pages.set_column(at, column, values)
    links = links.filter(pa.array(kept[links["page"].to_numpy()]))
    links = links.set_column(0, "page", pa.array(new_rows[links["page"].to_numpy()]))
    targets = pa.DictionaryArray.from_arrays(links["target"].combine_chunks(), urls)
    links = links.set_column(links.column_names.index("target"), "target", targets)
    return pages.cast(INCOMING_PAGES), links.cast(INCOMING_LINKS)


def read_graph_segment(folder: Path, segment: Segment) -> EdgeBatch:
    """Read a segment of a graph as it came in, without the removed rows."""
    urls = read_table(folder, "urls.parquet", ["url"])["url"].combine_chunks()
    pages, links = read_table(folder, "pages.parquet"), read_table(folder, "links.parquet")
    kept = np.ones(len(pages), bool)
    kept[read_removed_rows(folder, segment)] = False
    links = links.filter(pa.array(kept[links["page"].to_numpy()]))
    source = pages["url"].combine_chunks().take(links["page"].combine_chunks())
    ends = {"source": source, "target": links["target"].combine_chunks()}
    names = {side: pa.DictionaryArray.from_arrays(ids, urls) for side, ids in ends.items()}
    anchors = links["anchor"] if "anchor" in links.column_names else pa.repeat("", len(links))
    edges = pa.table({**names, "weight": links["weight"], "anchor": anchors})
    pages = pages.filter(pa.array(kept))
    node_names = urls.take(pages["url"].combine_chunks())
    nodes = pages.drop_columns(["url", "kind"]).add_column(0, "name", node_names)
    return EdgeBatch(segment.input_digest, nodes, edges)


def requested_urls(folder: Path, url_count: int) -> Ids:
    """The URLs of a segment that were requested, rather than being referrers alone."""
    seen = np.zeros(url_count, bool)
    for batch in iter_batches(folder, REQUESTS_TABLE, ["url"], REQUEST_GROUP_ROWS):
        seen[batch["url"].to_numpy()] = True
    return np.flatnonzero(seen).astype(np.int32)


def read_requests(folder: Path) -> pa.Table:
    """Read a segment of requests as it came in: URLs as strings."""
    urls = read_table(folder, "urls.parquet", ["url"])["url"].combine_chunks()
    requests = read_table(folder, REQUESTS_TABLE)
    # The empty string stands for no referrer.
    names = pa.concat_arrays([urls, pa.array([""])])
    for side in ("url", "referrer"):
        ids = requests[side].combine_chunks().to_numpy()
        column = pa.DictionaryArray.from_arrays(np.where(ids < 0, len(urls), ids), names)
        requests = requests.set_column(requests.column_names.index(side), side, column)
    return requests.cast(REQUEST_SCHEMA)
