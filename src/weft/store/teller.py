"""Write the telling words of all pages of a snapshot, in memory that grows with the stems alone."""

from contextlib import ExitStack
from pathlib import Path
from typing import Self

import numpy as np
import pyarrow as pa

from weft.core.arrays import Ids, Offsets
from weft.store.mapped import Growing, write_mapped
from weft.store.telling import Counts, Known, Rarity, in_blocks
from weft.store.words import Stemmed

MANY = 1 << 20
MOST = np.iinfo(np.uint16).max
STEM, TIMES = ".stem", ".times"
HEARD = {STEM: "<i4", TIMES: "<u2"}
TOLD = {"ids.npy": "<i4", "weights.npy": "<f2"}


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
        heard = counts.stem, np.minimum(counts.times, MOST)
        for file, values, kind in zip(self.files, heard, HEARD.values(), strict=True):
            file.write(np.ascontiguousarray(values, kind).data)
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
        rarity = Rarity.of(self.known.stems, self._pages(), int(np.count_nonzero(sizes)))
        write_mapped(pa.table({"stem": rarity.stems}), self.folder / "stems.arrow")
        np.save(self.folder / "row.npy", self.row, allow_pickle=False)
        kept = [np.zeros(1, np.int64)]
        with ExitStack() as stack:
            heard = [stack.enter_context((self.folder / name).open("rb")) for name in HEARD]
            ids, weights = (
                stack.enter_context(Growing(self.folder / name, kind))
                for name, kind in TOLD.items()
            )
            for some, own in in_blocks(sizes):
                many = own.stop - own.start
                said = zip(heard, HEARD.values(), strict=True)
                rows = rarity.rows(some, *(np.fromfile(file, kind, many) for file, kind in said))
                kept.append(np.diff(rows.starts))
                ids.write(rows.ids)
                weights.write(np.asarray(rows.weights))
        np.save(self.folder / "starts.npy", np.cumsum(np.concatenate(kept)), allow_pickle=False)
        for name in HEARD:
            (self.folder / name).unlink()

    def _pages(self) -> Offsets:
        """How many pages say each stem."""
        pages = np.zeros(len(self.known), np.int64)
        with (self.folder / STEM).open("rb") as file:
            while len(stem := np.fromfile(file, HEARD[STEM], MANY)):
                pages += np.bincount(stem, minlength=len(pages))
        return pages
