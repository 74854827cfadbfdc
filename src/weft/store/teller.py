"""Write the telling words of all pages of a snapshot, in memory that grows with the stems alone."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any, Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from weft.core.arrays import Ids
from weft.store.mapped import write_mapped
from weft.store.telling import Counts, Known, Rarity
from weft.store.words import Stemmed

MANY = 1 << 20
MOST = np.iinfo(np.uint16).max
HEARD = {".stem": "<i4", ".times": "<u2"}
TOLD = {".ids": "<i4", ".weights": "<f2"}


class Teller:
    """Hears what pages say, and writes what tells them apart when all have been heard.

    Until then it keeps what it hears in files.
    """

    def __init__(self, folder: Path, pages: int) -> None:
        self.folder, self.known = folder, Known()
        self.row, self.sizes = np.full(pages, -1, np.int32), [np.zeros(0, np.int64)]
        self.heard = 0

    def __enter__(self) -> Self:
        self.folder.mkdir(parents=True)
        self.files = [(self.folder / name).open("wb") for name in HEARD]
        return self

    def hear(self, pages: Ids, said: Stemmed) -> None:
        """Take in what some pages say: their titles come first, then their bodies."""
        counts = Counts.of(np.arange(len(pages), dtype=np.int32), said, self.known)
        _append(self.files, (counts.stem, np.minimum(counts.times, MOST)), HEARD)
        self.sizes.append(np.bincount(counts.page, minlength=len(pages)))
        self.row[pages] = np.arange(self.heard, self.heard + len(pages))
        self.heard += len(pages)

    def __exit__(self, failed: type[BaseException] | None, *_: object) -> None:
        for file in self.files:
            file.close()
        if failed is None:
            self._write()

    def _write(self) -> None:
        sizes = np.concatenate(self.sizes)
        stem, times = (_mapped(self.folder / name, kind) for name, kind in HEARD.items())
        pages = np.zeros(len(self.known), np.int64)
        for at in range(0, len(stem), MANY):
            pages += np.bincount(stem[at : at + MANY], minlength=len(pages))
        rarity = Rarity.of(self.known.stems, pages, int(np.count_nonzero(sizes)))
        write_mapped(pa.table({"stem": rarity.stems}), self.folder / "stems.arrow")
        np.save(self.folder / "row.npy", self.row, allow_pickle=False)
        kept = [np.zeros(1, np.int64)]
        with ExitStack() as stack:
            files = [stack.enter_context((self.folder / name).open("wb")) for name in TOLD]
            for rows in rarity.blocks(sizes, stem, times):
                kept.append(np.diff(rows.starts))
                _append(files, (rows.ids, np.asarray(rows.weights)), TOLD)
        np.save(self.folder / "starts.npy", np.cumsum(np.concatenate(kept)), allow_pickle=False)
        for name, kind in TOLD.items():
            values = _mapped(self.folder / name, kind)
            np.save(self.folder / f"{name[1:]}.npy", values, allow_pickle=False)
        for name in (*HEARD, *TOLD):
            (self.folder / name).unlink()


def _append(
    files: Sequence[IO[bytes]], columns: Sequence[npt.NDArray[Any]], kinds: Mapping[str, str]
) -> None:
    for file, values, kind in zip(files, columns, kinds.values(), strict=True):
        file.write(np.ascontiguousarray(values, kind).tobytes())


def _mapped(path: Path, kind: str) -> npt.NDArray[Any]:
    return np.memmap(path, kind, "r") if path.stat().st_size else np.zeros(0, kind)
