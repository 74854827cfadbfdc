"""Any input: recognised by its content, read as a stream of pages or of parts of a graph."""

import hashlib
import json
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from glob import glob
from itertools import groupby
from pathlib import Path
from typing import BinaryIO

from weft.core.errors import UnknownName, WeftError
from weft.gather import edges
from weft.gather.arc import read_arc
from weft.gather.damage import opening
from weft.gather.files import addressed, page_url, read_html, read_lines
from weft.gather.html import Reading
from weft.gather.page import Edges, Page, Problems, Record
from weft.gather.revisits import Revisits
from weft.gather.sniff import MARKUP
from weft.gather.wacz import Reader, is_wacz, read_wacz, read_wacz_again
from weft.gather.warc import read_again, read_warc
from weft.gather.zipped import LOCAL

ARCHIVES = ("warc", "arc", "wacz")
PACKED = ("", ".gz", ".zst", ".lz4")
ENDING = rf"(?:{'|'.join(map(re.escape, PACKED))})$"
ARCHIVE = re.compile(rf"\.(?:(warc|arc|wacz)(?:\.wat|\.wet)?|wat|wet){ENDING}", re.IGNORECASE)
DERIVED = re.compile(rf"(?:\.warc)?\.(wat|wet){ENDING}", re.IGNORECASE)
BVGRAPH = re.compile(rb"^graphclass\s*=.*BVGraph", re.MULTILINE)
PAGES = (*ARCHIVES, "jsonl", "html", "folder", "collection")
CRAWLED = "common-crawl"
NAMES = "give the file with its vertices: --vertices FILE, or vertices="
GRAPHS = (*edges.READERS, CRAWLED)
KINDS = (*PAGES, *GRAPHS)
HEAD = 1 << 16
GROWTH, ALLOWANCE = 1000, 1 << 30


@dataclass(frozen=True, slots=True)
class Source:
    """An input that was recognised: where it lies, what it is, how its user called it.

    `base` is the address of a folder's pages, `vertices` the file that names
    the numbers of a Common Crawl graph.
    """

    path: Path
    kind: str
    label: str
    base: str = ""
    vertices: Path | None = None

    @property
    def is_graph(self) -> bool:
        """Whether it holds links without pages."""
        return self.kind in GRAPHS

    def read(
        self, reading: Reading, problems: Problems, revisits: Revisits
    ) -> Iterator[Record | Page]:
        """The pages of an input; nothing is held but the one at hand, and where captures lie."""
        if self.kind == "folder":
            yield from self._read_folder(reading, problems, revisits)
        elif self.kind == "html":
            url = page_url(self.base or "file://folder/", Path(self.path.name))
            found = read_html(self.path, url, reading, problems)
            yield from [found] if found else []
        else:
            readers: dict[str, Reader] = {
                "warc": partial(read_warc, revisits=revisits),
                "arc": read_arc,
                "wacz": partial(read_wacz, revisits=revisits),
                "jsonl": read_lines,
            }
            revisits.begin(self.path)
            yield from readers[self.kind](self.path, self.label, reading, problems)

    def _read_folder(
        self, reading: Reading, problems: Problems, revisits: Revisits
    ) -> Iterator[Record | Page]:
        before = 0
        for path, url in addressed(self.path, self.base, problems):
            for page in _read_inside(path, url, reading, problems, revisits):
                yield replace(page, at=before + page.at) if isinstance(page, Record) else page
            before += path.stat().st_size

    def read_graph(self, problems: Problems) -> Iterator[Edges]:
        """The parts of a graph without text."""
        if self.vertices is not None:
            yield from edges.read_common_crawl(self.vertices, self.path, self.digest(), problems)
        else:
            yield from edges.read_edges(self.path, self.kind, self.digest(), problems)

    def digest(self) -> str:
        """What makes two graphs the same input: the bytes of the files that they are read from."""
        paths = edges.files_of(self.path, self.kind)
        paths += [self.vertices] if self.vertices is not None else []
        sha = hashlib.sha256()
        for path in paths:
            with path.open("rb") as file:
                sha.update(hashlib.file_digest(file, "sha256").digest())
        return sha.hexdigest()[:32]


def read_revisits(revisits: Revisits, reading: Reading, problems: Problems) -> Iterator[Record]:
    """The pages that were found again, once every input has been read.

    Together they have the room that good compression would give them, so that
    many revisits of a large page do not fill the disk.
    """
    archives = {path for path, _ in revisits.archives if path.is_file()}
    room = GROWTH * sum(path.stat().st_size for path in archives) + ALLOWANCE
    for (path, zipped), found in groupby(
        revisits.found(problems), lambda one: (one.path, bool(one.members))
    ):
        reader = read_wacz_again if zipped else read_again
        for page in reader(path, found, reading, problems):
            room -= len(page.body)
            if room < 0:
                problems.tell("revisits that repeat pages without end", page.url)
            else:
                yield page


def expand(
    given: str, kind: str = "", base: str = "", vertices: Path | None = None
) -> Iterator[Source]:
    """What an input is; a pattern stands for what it matches, in that order."""
    if not given:
        raise WeftError("the name of an input is empty", hint="a folder is named as `.`")
    matches = [given]
    if not Path(given).exists() and any(sign in given for sign in "*?["):
        matches = sorted(glob(given, recursive=True))  # noqa: PTH207  patterns may be absolute
    if not matches:
        raise WeftError(f"nothing matches {given}", hint="check the pattern")
    for match in matches:
        yield recognise(Path(match), match, kind, base, vertices)


def recognise(
    path: Path, label: str = "", kind: str = "", base: str = "", vertices: Path | None = None
) -> Source:
    """Say what an input is, from what is in it; `kind` overrules.

    Where the names of a Common Crawl graph are given, it is one.
    """
    label = label or str(path)
    kind = kind or (CRAWLED if vertices else "")
    if kind and kind not in KINDS:
        raise UnknownName("kind of input", kind, KINDS)
    if (kind == CRAWLED) != (vertices is not None):
        raise WeftError("a Common Crawl graph, and no other, needs its names", hint=NAMES)
    for file in filter(None, (path, vertices)):
        if not file.exists():
            told = label if file == path else file
            raise WeftError(f"{told} does not exist", hint="check the name")
    if not path.is_dir() and not path.is_file():
        raise WeftError(
            f"{label} is neither a file nor a folder", hint="pipe it in: `weft add C -`"
        )
    try:
        found = kind or (_folder_kind(path) if path.is_dir() else _file_kind(path))
    except OSError as error:
        raise WeftError(f"{label} cannot be read: {error.strerror}", hint="check it") from error
    if not found:
        cure = f"say what it is with --as ({', '.join(KINDS)})"
        raise WeftError(f"cannot tell what {label} is from its content", hint=cure)
    return Source(path, found, label, base, vertices)


def _read_inside(
    path: Path, url: str, reading: Reading, problems: Problems, revisits: Revisits
) -> Iterator[Record | Page]:
    """The page that a file in a folder is, or those of the archive that it is called.

    One in which nothing can be recognised is read as what it is called, which tells the damage.
    """
    called = ARCHIVE.search(path.name)
    if path.suffix == ".properties" and BVGRAPH.search(opening(path, HEAD)[0]):
        problems.tell("web graphs in BVGraph format, which are not read", str(path))
        return
    if _is_derived(path):
        problems.tell("WAT and WET files of archives beside them", str(path), damage=False)
        return
    try:
        kind = _file_kind(path) or (called[1] or "").lower() if called else ""
    except OSError as error:
        problems.tell("files that cannot be read", f"{path}: {error.strerror}")
        return
    if kind in ARCHIVES:
        yield from Source(path, kind, str(path)).read(reading, problems, revisits)
    elif found := read_html(path, url, reading, problems):
        yield found


def _is_derived(path: Path) -> bool:
    """Whether a WAT or WET file lies beside the archive it was made from, or a WET beside a WAT."""
    if not (named := DERIVED.search(path.name)):
        return False
    stem, wat = path.name[: named.start()], named[1].lower() == "wat"
    fuller = [".warc"] if wat else [".warc", ".warc.wat", ".wat"]
    return any(path.with_name(stem + name + end).is_file() for name in fuller for end in PACKED)


def _folder_kind(folder: Path) -> str:
    if (folder / "collection.json").is_file():
        return "collection"
    pair = folder / "nodes", folder / "adj_list"
    return "adjacency" if all(path.is_file() for path in pair) else "folder"


def _file_kind(path: Path) -> str:
    with path.open("rb") as file:
        first = file.read(4)
    if first == LOCAL:
        return "wacz" if is_wacz(path) else ""
    if first == b"PAR1":
        return "parquet"
    head, damaged = opening(path, HEAD)
    for begins, kind in ((b"WARC/", "warc"), (b"filedesc://", "arc")):
        if head.startswith(begins):
            return kind
    if _is_json_line(head) or not (head or damaged):
        return "jsonl"
    return edges.recognise(head) or ("html" if MARKUP.search(head[:4096]) else "")


def _is_json_line(head: bytes) -> bool:
    line = head.lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")[0]
    if not line.startswith(b"{"):
        return False
    try:
        return "url" in json.loads(line)
    except (ValueError, RecursionError):
        return b'"url"' in line and len(line) >= HEAD - 8


@contextmanager
def spooled(stream: BinaryIO) -> Iterator[Path]:
    """Copy a stream to a file of our own naming, so that it can be looked at and read again."""
    with tempfile.NamedTemporaryFile(prefix="weft-") as copy:
        shutil.copyfileobj(stream, copy)
        copy.flush()
        yield Path(copy.name)
