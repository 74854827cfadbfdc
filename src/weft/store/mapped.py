"""Tables that are mapped into memory rather than read."""

from bisect import bisect_left
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa


def write_mapped(table: pa.Table, path: Path) -> None:
    """Write a table so that it can be mapped."""
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table.combine_chunks())


def read_mapped(path: Path) -> pa.Table:
    """Map a table; nothing is read until it is looked at."""
    with pa.memory_map(str(path)) as file:
        return pa.ipc.open_file(file).read_all()


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
