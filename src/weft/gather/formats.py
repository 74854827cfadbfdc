"""Detect the format of an input by its content, and read it as pages or as edges."""

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
from weft.gather.arc import read_arc
from weft.gather.edges.readers import (
    GRAPH_READERS,
    detect_graph_format,
    graph_files,
    read_common_crawl,
    read_edges,
)
from weft.gather.files import file_url, files_with_urls, read_html_file, read_jsonl
from weft.gather.html import ParseOptions
from weft.gather.http import HTML_MARKUP
from weft.gather.page import EdgeBatch, Page, Problems, RawPage
from weft.gather.revisits import RevisitIndex
from weft.gather.salvage import read_head
from weft.gather.wacz import (
    ZIP_LOCAL_SIGNATURE,
    ArchiveReader,
    is_wacz,
    read_wacz,
    read_wacz_revisits,
)
from weft.gather.warc import read_warc, read_warc_revisits

ARCHIVE_FORMATS = ("warc", "arc", "wacz")
COMPRESSION_SUFFIXES = ("", ".gz", ".zst", ".lz4")
COMPRESSION_SUFFIX_PATTERN = rf"(?:{'|'.join(map(re.escape, COMPRESSION_SUFFIXES))})$"
ARCHIVE_FILE_NAME = re.compile(
    rf"\.(?:(warc|arc|wacz)(?:\.wat|\.wet)?|wat|wet){COMPRESSION_SUFFIX_PATTERN}", re.IGNORECASE
)
WAT_WET_FILE_NAME = re.compile(
    rf"(?:\.warc)?\.(wat|wet){COMPRESSION_SUFFIX_PATTERN}", re.IGNORECASE
)
BVGRAPH_PROPERTIES = re.compile(rb"^graphclass\s*=.*BVGraph", re.MULTILINE)
PAGE_FORMATS = (*ARCHIVE_FORMATS, "jsonl", "html", "folder", "collection")
COMMON_CRAWL = "common-crawl"
VERTICES_HINT = "give the file with its vertices: --vertices FILE, or vertices="
GRAPH_FORMATS = (*GRAPH_READERS, COMMON_CRAWL)
INPUT_FORMATS = (*PAGE_FORMATS, *GRAPH_FORMATS)
HEAD_BYTES = 1 << 16
MAX_REVISIT_RATIO, EXTRA_REVISIT_BYTES = 1000, 1 << 30


@dataclass(frozen=True, slots=True)
class InputSource:
    """An input with its path, its format, and its name as the user wrote it.

    `base_url` is the URL of a folder, `vertices` the file with the host names
    of a Common Crawl graph.
    """

    path: Path
    input_format: str
    display_name: str
    base_url: str = ""
    vertices: Path | None = None

    @property
    def is_graph(self) -> bool:
        """Whether it contains links without pages."""
        return self.input_format in GRAPH_FORMATS

    def read_pages(
        self, options: ParseOptions, problems: Problems, revisits: RevisitIndex
    ) -> Iterator[RawPage | Page]:
        """Read the pages one by one; `revisits` collects the offsets of captures."""
        if self.input_format == "folder":
            yield from self._read_folder(options, problems, revisits)
        elif self.input_format == "html":
            url = file_url(self.base_url or "file://folder/", Path(self.path.name))
            page = read_html_file(self.path, url, options, problems)
            yield from [page] if page else []
        else:
            readers: dict[str, ArchiveReader] = {
                "warc": partial(read_warc, revisits=revisits),
                "arc": read_arc,
                "wacz": partial(read_wacz, revisits=revisits),
                "jsonl": read_jsonl,
            }
            revisits.set_current_archive(self.path)
            yield from readers[self.input_format](self.path, self.display_name, options, problems)

    def _read_folder(
        self, options: ParseOptions, problems: Problems, revisits: RevisitIndex
    ) -> Iterator[RawPage | Page]:
        bytes_before = 0
        for path, url in files_with_urls(self.path, self.base_url, problems):
            for page in _read_folder_file(path, url, options, problems, revisits):
                yield (
                    replace(page, offset=bytes_before + page.offset)
                    if isinstance(page, RawPage)
                    else page
                )
            bytes_before += path.stat().st_size

    def read_graph(self, problems: Problems) -> Iterator[EdgeBatch]:
        """Read the nodes and links of a graph, in batches."""
        if self.vertices is not None:
            yield from read_common_crawl(self.vertices, self.path, self.digest(), problems)
        else:
            yield from read_edges(self.path, self.input_format, self.digest(), problems)

    def digest(self) -> str:
        """A hash of the files that a graph is read from; equal digests mean the same input."""
        paths = graph_files(self.path, self.input_format)
        paths += [self.vertices] if self.vertices is not None else []
        sha = hashlib.sha256()
        for path in paths:
            with path.open("rb") as file:
                sha.update(hashlib.file_digest(file, "sha256").digest())
        return sha.hexdigest()[:32]


def read_revisits(
    revisits: RevisitIndex, options: ParseOptions, problems: Problems
) -> Iterator[RawPage]:
    """The pages of revisits under other URLs than their originals, once all inputs are read.

    Their total size is limited by that of the archives, so that many revisits
    of a large page do not fill the disk.
    """
    archives = {path for path, _ in revisits.archives if path.is_file()}
    archive_bytes = sum(path.stat().st_size for path in archives)
    bytes_left = MAX_REVISIT_RATIO * archive_bytes + EXTRA_REVISIT_BYTES
    for (path, is_zip), resolved in groupby(
        revisits.resolve(problems), lambda revisit: (revisit.path, bool(revisit.members))
    ):
        reader = read_wacz_revisits if is_zip else read_warc_revisits
        for page in reader(path, resolved, options, problems):
            bytes_left -= len(page.body)
            if bytes_left < 0:
                problems.add("revisits over the size limit", page.url)
            else:
                yield page


def expand_inputs(
    pattern: str, input_format: str = "", base_url: str = "", vertices: Path | None = None
) -> Iterator[InputSource]:
    """The input sources that a path or a glob pattern names, sorted by name."""
    if not pattern:
        raise WeftError("the name of an input is empty", hint="write `.` for the current folder")
    matches = [pattern]
    if not Path(pattern).exists() and any(sign in pattern for sign in "*?["):
        matches = sorted(glob(pattern, recursive=True))  # noqa: PTH207  patterns may be absolute
    if not matches:
        raise WeftError(f"nothing matches {pattern}", hint="check the pattern")
    for match in matches:
        yield recognise_input(Path(match), match, input_format, base_url, vertices)


def recognise_input(
    path: Path,
    display_name: str = "",
    input_format: str = "",
    base_url: str = "",
    vertices: Path | None = None,
) -> InputSource:
    """Detect the format of an input by its content, unless `input_format` is given.

    An input with a `vertices` file is a Common Crawl graph.
    """
    display_name = display_name or str(path)
    input_format = input_format or (COMMON_CRAWL if vertices else "")
    if input_format and input_format not in INPUT_FORMATS:
        raise UnknownName("input format", input_format, INPUT_FORMATS)
    if (input_format == COMMON_CRAWL) != (vertices is not None):
        raise WeftError(
            "a Common Crawl graph needs its vertices file, and only that", hint=VERTICES_HINT
        )
    for file in filter(None, (path, vertices)):
        if not file.exists():
            name = display_name if file == path else file
            raise WeftError(f"{name} does not exist", hint="check the name")
    if not path.is_dir() and not path.is_file():
        raise WeftError(
            f"{display_name} is neither a file nor a folder", hint="pipe it in: `weft add C -`"
        )
    try:
        detect = _detect_folder_format if path.is_dir() else _detect_file_format
        input_format = input_format or detect(path)
    except OSError as error:
        raise WeftError(
            f"{display_name} cannot be read: {error.strerror}", hint="check its permissions"
        ) from error
    if not input_format:
        hint = f"name its format with --as ({', '.join(INPUT_FORMATS)})"
        raise WeftError(f"cannot tell what {display_name} is from its content", hint=hint)
    return InputSource(path, input_format, display_name, base_url, vertices)


def _read_folder_file(
    path: Path, url: str, options: ParseOptions, problems: Problems, revisits: RevisitIndex
) -> Iterator[RawPage | Page]:
    """Read a file of a folder: a page, or the pages of an archive.

    A file with the name of an archive but unrecognised content is read as the
    format of its name, so that its damage is reported.
    """
    archive_name = ARCHIVE_FILE_NAME.search(path.name)
    if path.suffix == ".properties" and BVGRAPH_PROPERTIES.search(read_head(path, HEAD_BYTES)[0]):
        problems.add("web graphs in BVGraph format, which are not read", str(path))
        return
    if _has_fuller_archive(path):
        problems.add("WAT and WET files of archives beside them", str(path), damage=False)
        return
    try:
        input_format = ""
        if archive_name:
            input_format = _detect_file_format(path) or (archive_name[1] or "").lower()
    except OSError as error:
        problems.add("files that cannot be read", f"{path}: {error.strerror}")
        return
    if input_format in ARCHIVE_FORMATS:
        source = InputSource(path, input_format, str(path))
        yield from source.read_pages(options, problems, revisits)
    elif page := read_html_file(path, url, options, problems):
        yield page


def _has_fuller_archive(path: Path) -> bool:
    """Whether a WAT or WET file lies beside its WARC file, or a WET file beside its WAT file."""
    if not (match := WAT_WET_FILE_NAME.search(path.name)):
        return False
    stem, is_wat = path.name[: match.start()], match[1].lower() == "wat"
    fuller_suffixes = [".warc"] if is_wat else [".warc", ".warc.wat", ".wat"]
    return any(
        path.with_name(stem + suffix + compression).is_file()
        for suffix in fuller_suffixes
        for compression in COMPRESSION_SUFFIXES
    )


def _detect_folder_format(folder: Path) -> str:
    if (folder / "collection.json").is_file():
        return "collection"
    lar_files = folder / "nodes", folder / "adj_list"
    return "adjacency" if all(path.is_file() for path in lar_files) else "folder"


def _detect_file_format(path: Path) -> str:
    with path.open("rb") as file:
        first = file.read(4)
    if first == ZIP_LOCAL_SIGNATURE:
        return "wacz" if is_wacz(path) else ""
    if first == b"PAR1":
        return "parquet"
    head, damaged = read_head(path, HEAD_BYTES)
    for signature, archive_format in ((b"WARC/", "warc"), (b"filedesc://", "arc")):
        if head.startswith(signature):
            return archive_format
    if _starts_with_json_page(head) or not (head or damaged):
        return "jsonl"
    return detect_graph_format(head) or ("html" if HTML_MARKUP.search(head[:4096]) else "")


def _starts_with_json_page(head: bytes) -> bool:
    line = head.lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")[0]
    if not line.startswith(b"{"):
        return False
    try:
        return "url" in json.loads(line)
    except (ValueError, RecursionError):
        return b'"url"' in line and len(line) >= HEAD_BYTES - 8


@contextmanager
def spool_to_file(stream: BinaryIO) -> Iterator[Path]:
    """Copy a stream to a temporary file, so that it can be read more than once."""
    with tempfile.NamedTemporaryFile(prefix="weft-") as copy:
        shutil.copyfileobj(stream, copy)
        copy.flush()
        yield Path(copy.name)
