"""The ground truth of a demo web: the role and sense of each URL."""

import gzip
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

PageRole = Literal[
    "authority",
    "hub",
    "content",
    "navigation",
    "portal",
    "company",
    "advertiser",
    "background",
    "mirror",
    "duplicate",
    "redirect",
    "uncaptured",
]


class PageTruth(NamedTuple):
    """The truth about one URL; a tuple, because there are millions of them.

    `second_sense` is set for a hub that mixes two senses. `mirror_of` is the
    original of a mirror or duplicate, or the target of a redirect. The role
    *uncaptured* is an authority that is linked, not captured.
    """

    url: str
    role: PageRole
    sense: str = ""
    site: str = ""
    says_jaguar: bool = False
    mirror_of: str = ""
    second_sense: str = ""


@dataclass(frozen=True, slots=True)
class DemoTruth:
    """The truth about every page of a demo web, and about its uncaptured authorities."""

    pages: tuple[PageTruth, ...]

    def rows(self) -> Iterator[PageTruth]:
        """The truth of each page, in page order."""
        return iter(self.pages)

    def write_gzip_jsonl(self, path: Path) -> None:
        """Write gzipped JSON lines, the same bytes each time."""
        with path.open("wb") as file, gzip.GzipFile("", "wb", 6, file, mtime=0) as packed:
            for line in _json_lines(self.pages):
                packed.write(line)

    @classmethod
    def read_gzip_jsonl(cls, path: Path) -> "DemoTruth":
        """Read what `to_json` wrote."""
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            return cls(tuple(PageTruth(**json.loads(line)) for line in lines))

    def __len__(self) -> int:
        return len(self.pages)

    def __repr__(self) -> str:
        senses = {page.sense for page in self.pages if page.sense}
        return f"<DemoTruth of {len(self):,} pages in {len(senses)} senses>"


def _json_lines(pages: Iterable[PageTruth]) -> Iterator[bytes]:
    for page in pages:
        yield json.dumps(page._asdict(), ensure_ascii=False).encode() + b"\n"
