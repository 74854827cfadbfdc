"""Memory-mapped Arrow tables and NumPy arrays: writing, mapping, checking.

Compiled code follows the offsets and ids in them without bounds checks, so each
file of a collection, which may come from anyone, is checked once before use.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from itertools import pairwise
from mmap import ACCESS_READ, mmap
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, Self

import numpy as np
import numpy.lib.format as npy
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import CSR, GOLDEN_GAMMA, Hashes, Ids, Offsets
from weft.core.errors import MalformedFile

CHUNK_VALUES = 1 << 20
OFFSET_DTYPES: dict[pa.DataType, str] = {pa.string(): "<i4", pa.large_string(): "<i8"}
RANGE_BYTES, SAMPLES_PER_RANGE = 1 << 23, 64
NAMES_PER_BLOCK = 1 << 11
INVERSE_GOLDEN = np.uint64(pow(int(GOLDEN_GAMMA), -1, 1 << 64))


def write_arrow_file(table: pa.Table, path: Path) -> None:
    """Write a table as an Arrow IPC file, one chunk per column."""
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table.combine_chunks())


def map_arrow_file(path: Path) -> pa.Table:
    """Map an Arrow IPC file; values are read when they are used."""
    with pa.memory_map(str(path)) as file:
        return pa.ipc.open_file(file).read_all()


def map_checked_table(path: Path, schema: pa.Schema) -> pa.Table:
    """Map a table of a collection, and check its schema and all values."""
    try:
        table = map_arrow_file(path)
        has_schema = table.schema.equals(schema)
        if has_schema:
            table.validate(full=True)
    except (pa.ArrowException, OSError, MemoryError) as error:
        raise MalformedFile(path, str(error).splitlines()[0][:100]) from error
    if not has_schema:
        raise MalformedFile(path, "it has other columns")
    if any(column.null_count or column.num_chunks > 1 for column in table.columns):
        raise MalformedFile(path, "values are missing or in several chunks")
    return table


def map_array(path: Path, *dtypes: str, length: int | None = None) -> npt.NDArray[Any]:
    """Map an array of a collection, and check its type and, where given, its length.

    The result is a plain ndarray, which is faster to slice than a memmap.
    """
    try:
        values = np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
    except (ValueError, TypeError, SyntaxError, EOFError, OverflowError, MemoryError) as error:
        raise MalformedFile(path, "it is not an array") from error
    if values.ndim != 1 or values.dtype not in [np.dtype(name) for name in dtypes]:
        raise MalformedFile(path, f"{values.dtype} in {values.ndim} dimensions")
    if length is not None and len(values) != length:
        raise MalformedFile(path, f"{len(values):,} values instead of {length:,}")
    return values


def map_csr(path_prefix: str) -> CSR:
    """Map a CSR matrix of a collection: offsets, ids and, where they are stored, weights."""
    starts = map_array(Path(f"{path_prefix}starts.npy"), "<i8")
    ids = map_array(Path(f"{path_prefix}ids.npy"), "<i4")
    path = Path(f"{path_prefix}weights.npy")
    weights = map_array(path, "<f4", "<f8", length=len(ids)) if path.exists() else None
    return CSR(starts, ids, weights)


def check_ids(path: Path, ids: npt.NDArray[Any], end: int, first: int = 0) -> None:
    """Refuse ids outside `first <= id < end`."""
    if len(ids) and not first <= int(ids.min()) <= int(ids.max()) < end:
        raise MalformedFile(path, f"ids from {ids.min()} to {ids.max()}, of {end:,}")


def check_weights(path: Path, weights: npt.NDArray[Any]) -> None:
    """Refuse weights that are not positive and finite."""
    if len(weights) and not 0 < weights.min() <= weights.max() < np.inf:
        raise MalformedFile(path, "weights are not positive and finite")


def check_csr(
    path_prefix: str,
    rows: CSR,
    end: int,
    *,
    row_count: int | None = None,
    allow_parallel: bool = False,
) -> None:
    """Refuse a CSR matrix with offsets or ids out of range, or unsorted ids in a row.

    It must have `row_count` rows, where given. With `allow_parallel` an id may
    occur in a row more than once. `path_prefix` begins the paths of its files.
    """
    starts, ids = rows.starts, rows.ids
    if row_count is not None and len(starts) != row_count + 1:
        raise MalformedFile(
            f"{path_prefix}starts.npy", f"{len(starts) - 1:,} rows instead of {row_count:,}"
        )
    ends = (starts[0], starts[-1]) if len(starts) else ()
    if ends != (0, len(ids)) or (starts[1:] < starts[:-1]).any():
        raise MalformedFile(
            f"{path_prefix}starts.npy", f"offsets do not ascend from 0 to {len(ids):,}"
        )
    check_ids(Path(f"{path_prefix}ids.npy"), ids, end)
    for at in range(0, len(ids) - 1, CHUNK_VALUES):
        chunk = ids[at : at + CHUNK_VALUES + 1]
        descends = chunk[1:] < chunk[:-1] if allow_parallel else chunk[1:] <= chunk[:-1]
        first, last = np.searchsorted(starts, [at + 1, at + len(chunk)])
        descends[starts[first:last] - at - 1] = False  # a new row may begin with any id
        if descends.any():
            raise MalformedFile(f"{path_prefix}ids.npy", "ids do not ascend in their rows")
    if rows.weights is not None:
        check_weights(Path(f"{path_prefix}weights.npy"), rows.weights)


class ScratchTable:
    """A temporary table on disk that is appended to in parts, and mapped as one.

    Its files are unnamed, so that none is left behind however the process ends.
    Mapped columns outlive the table. There are no nulls.
    """

    def __init__(self, folder: Path, schema: pa.Schema) -> None:
        self.folder, self.schema, self.row_count = folder, schema, 0

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self.columns = [ScratchColumn(stack, self.folder, field.type) for field in self.schema]
            self.files = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self.files.close()

    def append(self, rows: Mapping[str, Any] | pa.Table | pa.RecordBatch) -> None:
        """Append rows that have the columns of the schema; other columns are ignored."""
        table = pa.table({name: rows[name] for name in self.schema.names}, self.schema)
        for column, values in zip(self.columns, table.columns, strict=True):
            for chunk in values.chunks:
                column.append(chunk)
        self.row_count += len(table)

    def to_table(self) -> pa.Table:
        """The rows so far, mapped; each column is one chunk."""
        arrays = [column.to_array(self.row_count) for column in self.columns]
        return pa.table(arrays, schema=self.schema)

    def take(self, rows: pa.Array, columns: Sequence[str]) -> pa.Table:
        """Copy some rows into memory."""
        return self.to_table().select(columns).take(rows)


class ScratchColumn:
    """A column in a file of values; a string column in a file of offsets and one of bytes."""

    def __init__(self, stack: ExitStack, folder: Path, data_type: pa.DataType) -> None:
        self.data_type, self.text_bytes = data_type, 0
        self.offset_dtype = OFFSET_DTYPES.get(data_type)
        file_count = 1 if self.offset_dtype is None else 2
        self.files = [
            stack.enter_context(TemporaryFile(dir=folder))  # noqa: SIM115  the stack closes it
            for _ in range(file_count)
        ]
        if self.offset_dtype is not None:
            self.files[0].write(bytes(np.dtype(self.offset_dtype).itemsize))

    def append(self, values: pa.Array) -> None:
        """Append values."""
        if self.offset_dtype is None:
            self.files[0].write(values.to_numpy())
        elif len(values):
            _, offset_buffer, text = values.buffers()
            own = slice(values.offset, values.offset + len(values) + 1)
            offsets = np.frombuffer(offset_buffer, self.offset_dtype)[own]
            # Offsets go on from the bytes so far.
            self.files[0].write(offsets[1:] + (self.text_bytes - offsets[0]))
            self.files[1].write(memoryview(text or b"")[offsets[0] : offsets[-1]])
            self.text_bytes += int(offsets[-1] - offsets[0])

    def to_array(self, row_count: int) -> pa.Array:
        """The values, mapped."""
        return pa.Array.from_buffers(self.data_type, row_count, [None, *map(_map_file, self.files)])


def merge_distinct_rows(
    sorted_lists: ScratchTable, starts: Offsets, merged: ScratchTable
) -> list[Ids]:
    """Append each distinct row to `merged`, sorted; return the new positions of each list's rows.

    The lists are stored one after the other, from `starts` on, each sorted by
    its first column, the key. Of rows with equal keys the first is taken. The
    keys are merged range by range, each range in memory at once.
    """
    key = sorted_lists.schema.names[0]
    positions = np.empty(sorted_lists.row_count, np.int32)
    for begin, end in pairwise(_range_bounds(sorted_lists.to_table()[key].chunk(0), starts)):
        rows = np.concatenate([np.zeros(0, int), *map(np.arange, begin, end)])
        keys = sorted_lists.take(pa.array(rows), [key])[key].combine_chunks().dictionary_encode()
        order = pc.array_sort_indices(keys.dictionary).to_numpy()
        rank = np.empty(len(order), np.int32)
        rank[order] = np.arange(merged.row_count, merged.row_count + len(order), dtype=np.int32)
        codes = keys.indices.to_numpy()
        positions[rows] = rank[codes]
        # Codes count up as keys appear: a code above all before it is the first of its key.
        first = np.flatnonzero(np.diff(np.maximum.accumulate(codes), prepend=-1))
        merged.append(sorted_lists.take(pa.array(rows[first[order]]), sorted_lists.schema.names))
    with ScratchTable(merged.folder, pa.schema({"position": pa.int32()})) as scratch:
        scratch.append({"position": positions})
        mapped = scratch.to_table()["position"].chunk(0).to_numpy()
    return [mapped[start:end] for start, end in pairwise(starts)]


def _range_bounds(keys: pa.Array, starts: Offsets) -> Offsets:
    """Where ranges of keys begin and end in each list: row r is the start of range r.

    The bounds are quantiles of keys sampled at equal distances in bytes, so that
    each range holds about `RANGE_BYTES` of keys.
    """
    byte_offsets = np.frombuffer(keys.buffers()[1], np.int64)
    step = RANGE_BYTES // SAMPLES_PER_RANGE
    sample_bytes = np.arange(step, byte_offsets[-1], step)
    sampled = np.searchsorted(byte_offsets, sample_bytes, side="right") - 1
    bounds = sorted(keys.take(pa.array(sampled)).to_pylist())[SAMPLES_PER_RANGE::SAMPLES_PER_RANGE]
    cuts = np.empty((len(bounds) + 2, len(starts) - 1), np.int64)
    cuts[0], cuts[-1] = starts[:-1], starts[1:]
    for k, (start, end) in enumerate(pairwise(starts)):
        own_keys = keys.slice(start, end - start)
        cuts[1:-1, k] = search_sorted(own_keys, pa.array(bounds, keys.type))
    cuts[1:-1] += starts[:-1]
    return cuts


def search_sorted(known: pa.Array, keys: pa.Array) -> Offsets:
    """Where each key would be inserted before equal ones, by bisection for all keys at once.

    As `pyarrow.compute.search_sorted`, which only the newest Arrow has; a millisecond slower
    for a few keys, and faster for very many.
    """
    low = np.zeros(len(keys), np.int64)
    high = np.full(len(keys), len(known), np.int64)
    for _ in range(len(known).bit_length()):
        middle = (low + high) // 2
        looked_at = known.take(pa.array(np.minimum(middle, len(known) - 1)))
        is_less = pc.less(looked_at, keys).to_numpy(zero_copy_only=False)
        is_open = low < high
        low = np.where(is_open & is_less, middle + 1, low)
        high = np.where(is_open & ~is_less, middle, high)
    return low


def _map_file(file: IO[bytes]) -> pa.Buffer:
    file.flush()
    return pa.py_buffer(mmap(file.fileno(), 0, access=ACCESS_READ) if file.tell() else b"")


def string_buffers(names: pa.Array) -> tuple[Offsets, npt.NDArray[np.uint8]]:
    """The byte offsets of names, and the UTF-8 bytes of all of them."""
    texts = names.cast(pa.large_string())
    _, offsets, text = texts.buffers()
    own = slice(texts.offset, texts.offset + len(texts) + 1)
    return np.frombuffer(offsets or bytes(8), np.int64)[own], np.frombuffer(text or b"", np.uint8)


class NpyWriter:
    """Writes a one-dimensional `.npy` file in parts."""

    def __init__(self, path: Path, dtype: str) -> None:
        self.path, self.dtype, self.length = path, np.dtype(dtype), 0

    def __enter__(self) -> Self:
        self.file = self.path.open("wb")
        self._write_header()
        return self

    def append(self, values: npt.NDArray[Any]) -> None:
        """Append values; the first float64 values turn a float32 file into float64."""
        if self.dtype == np.float32 and values.dtype == np.float64:
            self._widen_to_double()
        self.file.write(np.ascontiguousarray(values, self.dtype).data)
        self.length += len(values)

    def _widen_to_double(self) -> None:
        """Write the file again in double precision."""
        single = self.path.with_suffix(".float32")
        self.__exit__()
        self.path.rename(single)
        values, self.dtype, self.length = np.load(single, mmap_mode="r"), np.dtype("<f8"), 0
        self.__enter__()
        for start in range(0, len(values), CHUNK_VALUES):
            self.append(values[start : start + CHUNK_VALUES])
        single.unlink()

    def __exit__(self, *_: object) -> None:
        self.file.seek(0)
        self._write_header()
        self.file.close()

    def _write_header(self) -> None:
        """Write the header, which is padded so that the length can grow."""
        header = {"descr": npy.dtype_to_descr(self.dtype), "fortran_order": False}
        npy.write_array_header_1_0(self.file, {**header, "shape": (self.length,)})


def positions_of_keys(known: pa.ChunkedArray, keys: pa.Array) -> Ids:
    """The position of each key among known ones, which ascend; -1 for none."""
    if not len(known):
        return np.full(len(keys), -1, np.int32)
    keys, known = keys.cast(known.type), known.combine_chunks()
    positions = np.minimum(search_sorted(known, keys), len(known) - 1)
    is_found = pc.equal(known.take(pa.array(positions)), keys).to_numpy(zero_copy_only=False)
    return np.where(is_found, positions, -1).astype(np.int32)


class SortedColumn(Sequence[str]):
    """A sorted string column with binary search."""

    def __init__(self, column: pa.ChunkedArray) -> None:
        self.values = column.chunk(0) if column.num_chunks else pa.array([], column.type)

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, at: int) -> str:  # type: ignore[override]
        value: str = self.values[at].as_py()
        return value

    def find(self, value: str) -> int:
        """The position of a value, -1 for none."""
        at = self.insertion_point(value)
        return at if at < len(self) and self[at] == value else -1

    def insertion_point(self, value: str) -> int:
        """The first position whose value is not below this one, in code point order."""
        return bisect_left(self, value)


def hash_names(names: pa.Array) -> Hashes:
    """The polynomial hash of each name: sum of (byte + 1) · g^position, modulo 2^64."""
    texts = names.cast(pa.large_string())
    blocks = [texts.slice(at, NAMES_PER_BLOCK) for at in range(0, len(texts), NAMES_PER_BLOCK)]
    return np.concatenate([np.zeros(0, np.uint64), *map(_hash_block, blocks)])


def _hash_block(texts: pa.Array) -> Hashes:
    """Hash the names of a block through prefix sums over all of their bytes.

    The prefix sums count powers of g from the start of the block; a power of
    the inverse of g shifts each difference back to the start of its name.
    """
    starts, buffer = string_buffers(texts)
    text = buffer[starts[0] : starts[-1]].astype(np.uint64)
    starts = starts - starts[0]
    sums = np.zeros(len(text) + 1, np.uint64)
    np.cumsum((text + np.uint64(1)) * _powers(GOLDEN_GAMMA, len(text)), out=sums[1:])
    shift = _powers(INVERSE_GOLDEN, len(sums))[starts[:-1]]
    hashes: Hashes = (sums[starts[1:]] - sums[starts[:-1]]) * shift
    return hashes


def _powers(base: np.uint64, n: int) -> Hashes:
    """The powers base^0 to base^(n-1), modulo 2^64."""
    powers = np.full(n, base, np.uint64)
    powers[:1] = 1
    return np.multiply.accumulate(powers, dtype=np.uint64)
