"""Tables and arrays that are mapped into memory rather than read.

Compiled code follows the offsets and ids in them without looking, so each file
of a collection, which may come from anybody, is checked once before it is used.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from mmap import ACCESS_READ, mmap
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, Self

import numpy as np
import numpy.lib.format as npy
import numpy.typing as npt
import pyarrow as pa

from weft.core.arrays import Rows
from weft.core.errors import Malformed

PIECE = 1 << 20
OFFSETS: dict[pa.DataType, str] = {pa.string(): "<i4", pa.large_string(): "<i8"}


def write_mapped(table: pa.Table, path: Path) -> None:
    """Write a table so that it can be mapped."""
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table.combine_chunks())


def read_mapped(path: Path) -> pa.Table:
    """Map a table; nothing is read until it is looked at."""
    with pa.memory_map(str(path)) as file:
        return pa.ipc.open_file(file).read_all()


def read_checked(path: Path, schema: pa.Schema) -> pa.Table:
    """Map a table of a collection that has a schema, and check all of its values."""
    try:
        table = read_mapped(path)
        known = table.schema.equals(schema)
        if known:
            table.validate(full=True)
    except (pa.ArrowException, OSError, MemoryError) as error:
        raise Malformed(path, str(error).splitlines()[0][:100]) from error
    if not known:
        raise Malformed(path, "it has other columns")
    if any(column.null_count or column.num_chunks > 1 for column in table.columns):
        raise Malformed(path, "values are missing or in pieces")
    return table


def map_array(path: Path, *kinds: str, length: int | None = None) -> npt.NDArray[Any]:
    """Map an array of a collection that has one of some types, and perhaps a length.

    It is a plain array, whose parts are quicker to take than those of a memmap.
    """
    try:
        values = np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
    except (ValueError, TypeError, SyntaxError, EOFError, OverflowError, MemoryError) as error:
        raise Malformed(path, "it is no array") from error
    if values.ndim != 1 or values.dtype not in [np.dtype(kind) for kind in kinds]:
        raise Malformed(path, f"{values.dtype} in {values.ndim} dimensions")
    if length is not None and len(values) != length:
        raise Malformed(path, f"{len(values):,} values instead of {length:,}")
    return values


def check_ids(path: Path, ids: npt.NDArray[Any], end: int, first: int = 0) -> None:
    """Refuse ids that are not at least `first` and below `end`."""
    if len(ids) and not first <= int(ids.min()) <= int(ids.max()) < end:
        raise Malformed(path, f"ids from {ids.min()} to {ids.max()}, of {end:,}")


def check_weights(path: Path, weights: npt.NDArray[Any]) -> None:
    """Refuse weights that are not positive and finite."""
    if len(weights) and not 0 < weights.min() <= weights.max() < np.inf:
        raise Malformed(path, "weights are not positive and finite")


def check_rows(
    stem: str, rows: Rows, end: int, *, count: int | None = None, parallel: bool = False
) -> None:
    """Refuse rows whose offsets or ids lead elsewhere, or whose ids do not ascend in each.

    There are `count` rows, where that is known. With `parallel` an id may stand
    in a row more than once. `stem` is how the
    paths of the files of the rows begin.
    """
    starts, ids = rows.starts, rows.ids
    if count is not None and len(starts) != count + 1:
        raise Malformed(f"{stem}starts.npy", f"{len(starts) - 1:,} rows instead of {count:,}")
    ends = (starts[0], starts[-1]) if len(starts) else ()
    if ends != (0, len(ids)) or (starts[1:] < starts[:-1]).any():
        raise Malformed(f"{stem}starts.npy", f"offsets do not ascend from 0 to {len(ids):,}")
    check_ids(Path(f"{stem}ids.npy"), ids, end)
    for at in range(0, len(ids) - 1, PIECE):
        piece = ids[at : at + PIECE + 1]
        falls = piece[1:] < piece[:-1] if parallel else piece[1:] <= piece[:-1]
        first, last = np.searchsorted(starts, [at + 1, at + len(piece)])
        falls[starts[first:last] - at - 1] = False  # where a row begins anything may come
        if falls.any():
            raise Malformed(f"{stem}ids.npy", "ids do not ascend in their rows")
    if rows.weights is not None:
        check_weights(Path(f"{stem}weights.npy"), rows.weights)


class Scratch:
    """A table that is written to disk a piece at a time, and mapped as one.

    Its files have no names, so that none is left behind however the process
    ends. What is mapped of them stays when they are closed. No value is missing.
    """

    def __init__(self, folder: Path, schema: pa.Schema) -> None:
        self.folder, self.schema, self.rows = folder, schema, 0

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self.columns = [Column(stack, self.folder, field.type) for field in self.schema]
            self.files = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self.files.close()

    def add(self, piece: Mapping[str, Any] | pa.Table | pa.RecordBatch) -> None:
        """Append the rows of a piece that has the columns, and perhaps others."""
        table = pa.table({name: piece[name] for name in self.schema.names}, self.schema)
        for column, values in zip(self.columns, table.columns, strict=True):
            for chunk in values.chunks:
                column.add(chunk)
        self.rows += len(table)

    def table(self) -> pa.Table:
        """What was added, mapped; each column is one chunk."""
        arrays = [column.array(self.rows) for column in self.columns]
        return pa.table(arrays, schema=self.schema)

    def take(self, rows: pa.Array, columns: Sequence[str]) -> pa.Table:
        """A copy of some rows, which leaves nothing mapped."""
        return self.table().select(columns).take(rows)


class Column:
    """The values of a column in a file; of words where each ends, and in another their letters."""

    def __init__(self, stack: ExitStack, folder: Path, kind: pa.DataType) -> None:
        self.kind, self.letters = kind, 0
        self.end = OFFSETS.get(kind)
        count = 1 if self.end is None else 2
        self.files = [
            stack.enter_context(TemporaryFile(dir=folder))  # noqa: SIM115  the stack closes it
            for _ in range(count)
        ]
        if self.end is not None:
            self.files[0].write(bytes(np.dtype(self.end).itemsize))

    def add(self, values: pa.Array) -> None:
        """Append values."""
        if self.end is None:
            self.files[0].write(values.to_numpy())
        elif len(values):
            _, offsets, letters = values.buffers()
            own = slice(values.offset, values.offset + len(values) + 1)
            ends = np.frombuffer(offsets, self.end)[own]
            self.files[0].write(ends[1:] + (self.letters - ends[0]))
            self.files[1].write(memoryview(letters or b"")[ends[0] : ends[-1]])
            self.letters += int(ends[-1] - ends[0])

    def array(self, rows: int) -> pa.Array:
        """The values, mapped."""
        return pa.Array.from_buffers(self.kind, rows, [None, *map(_mapped, self.files)])


def _mapped(file: IO[bytes]) -> pa.Buffer:
    file.flush()
    return pa.py_buffer(mmap(file.fileno(), 0, access=ACCESS_READ) if file.tell() else b"")


class Growing:
    """A NumPy file of one dimension that is written a piece at a time."""

    def __init__(self, path: Path, kind: str) -> None:
        self.path, self.kind, self.length = path, np.dtype(kind), 0

    def __enter__(self) -> Self:
        self.file = self.path.open("wb")
        self._header()
        return self

    def write(self, values: npt.NDArray[Any]) -> None:
        """Append values; where they are in double precision, so are all from then on."""
        if self.kind == np.float32 and values.dtype == np.float64:
            self._widen()
        self.file.write(np.ascontiguousarray(values, self.kind).data)
        self.length += len(values)

    def _widen(self) -> None:
        """Write what is there once more, in double precision."""
        narrow = self.path.with_suffix(".narrow")
        self.__exit__()
        self.path.rename(narrow)
        values, self.kind, self.length = np.load(narrow, mmap_mode="r"), np.dtype("<f8"), 0
        self.__enter__()
        for start in range(0, len(values), PIECE):
            self.write(values[start : start + PIECE])
        narrow.unlink()

    def __exit__(self, *_: object) -> None:
        self.file.seek(0)
        self._header()
        self.file.close()

    def _header(self) -> None:
        """Write the header; NumPy leaves room in it for the length to grow."""
        shape = {"descr": npy.dtype_to_descr(self.kind), "fortran_order": False}
        npy.write_array_header_1_0(self.file, {**shape, "shape": (self.length,)})


class Sorted(Sequence[str]):
    """A sorted column to look words up in."""

    def __init__(self, column: pa.ChunkedArray) -> None:
        self.values = column.chunk(0) if column.num_chunks else pa.array([], column.type)

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, at: int) -> str:  # type: ignore[override]
        word: str = self.values[at].as_py()
        return word

    def find(self, word: str) -> int:
        """Where a word stands, -1 where it does not."""
        at = self.place(word)
        return at if at < len(self) and self[at] == word else -1

    def place(self, word: str) -> int:
        """Where a word stands or would stand, in the order of code points."""
        return bisect_left(self, word)
