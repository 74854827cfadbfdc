"""Pages that a crawl has parsed, in a file until they are added, as tables of segments."""

import json
from collections import Counter
from collections.abc import Iterator, Set
from pathlib import Path
from tempfile import TemporaryFile
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from weft.gather.page import Page, Problems
from weft.store.segment import pages_to_tables, select_pages
from weft.workspace.parse import BATCH_BYTES, BATCH_PAGES, ParsedBatch

MAX_FILE_BYTES = 1 << 30  # other pages are parsed again when they are added
LINK_BYTES = 500  # of a link with anchor and context
PROBLEMS = "problems"  # the column that goes with the pages, as JSON


class ParsedPageFile:
    """Parsed pages by the digest of their capture, in a temporary file without a name.

    In memory they could take much more than their HTML: a page has up to 10,000 links.
    """

    def __init__(self, folder: Path) -> None:
        self.captures: set[int] = set()
        self._file = TemporaryFile(dir=folder)  # noqa: SIM115  `close` does
        self._waiting: list[tuple[Page, int, str]] = []
        self._waiting_bytes = 0

    def add(self, capture: int, page: Page, problems: Problems) -> None:
        """Keep a page, if there is room for it."""
        size = len(page.text) + LINK_BYTES * len(page.links)
        length = self._file.tell() + self._waiting_bytes + size
        if capture in self.captures or length > MAX_FILE_BYTES:
            return
        self.captures.add(capture)
        self._waiting.append((page, capture, _to_json(problems)))
        self._waiting_bytes += size
        if len(self._waiting) >= BATCH_PAGES or self._waiting_bytes >= BATCH_BYTES:
            self.flush()

    def flush(self) -> None:
        """Write what is still in memory."""
        if not self._waiting:
            return
        kept, captures, problems = zip(*self._waiting, strict=True)
        pages, links = pages_to_tables(kept, captures)
        for table in (pages.append_column(PROBLEMS, pa.array(problems, pa.string())), links):
            with pa.ipc.new_stream(self._file, table.schema) as stream:
                stream.write_table(table)
        self._waiting, self._waiting_bytes = [], 0

    def read(self, captures: Set[int]) -> Iterator[ParsedBatch]:
        """The pages of some captures, in the order in which they were parsed."""
        end = self._file.tell()
        self._file.seek(0)
        wanted = np.fromiter(captures, np.uint64, len(captures))
        while self._file.tell() < end:
            pages, links = (pa.ipc.open_stream(self._file).read_all() for _ in range(2))
            is_wanted = np.isin(pages["capture"].to_numpy(), wanted)
            pages, links = select_pages(pages, links, is_wanted)
            problems = Problems()
            for text in pages[PROBLEMS].to_pylist():
                problems.merge(_from_json(text))
            yield ParsedBatch(pages.drop_columns([PROBLEMS]), links, problems)

    def close(self) -> None:
        """Give its room on disk back."""
        self._file.close()


class ParsedPages(NamedTuple):
    """Parsed pages of an archive that is still being written.

    Nothing beyond the `end` of the last file, at `path`, is added: it may not be parsed yet.
    """

    pages: ParsedPageFile
    path: Path
    end: int


def _to_json(problems: Problems) -> str:
    if not problems.counts:
        return ""
    return json.dumps([problems.counts, problems.locations, sorted(problems.damage_reasons)])


def _from_json(text: str) -> Problems:
    if not text:
        return Problems()
    counts, locations, damage_reasons = json.loads(text)
    return Problems(Counter(counts), locations, set(damage_reasons))
