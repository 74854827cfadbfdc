"""Input formats: the register of readers, and how an input finds its reader.

A reader is a function with `@input_format`, in any module of this folder. Help,
messages and documentation list what is registered here.
"""

import codecs
import hashlib
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cache, cached_property
from glob import glob
from importlib import import_module
from inspect import signature
from itertools import groupby
from pathlib import Path
from pkgutil import walk_packages
from typing import Any, BinaryIO, Literal, TypeVar, get_args

import weft.gather
from weft.core.errors import UnknownName, WeftError
from weft.gather.html import ParseOptions
from weft.gather.logs.options import LogInput, LogOptions
from weft.gather.page import EdgeBatch, GraphBatch, Page, Problems, RawPage, RequestBatch
from weft.gather.revisits import ResolvedRevisit, RevisitIndex
from weft.gather.salvage import read_head

HEAD_BYTES, MIN_CUT_HEAD_BYTES = 1 << 16, 60_000
COMMON_CRAWL = "common-crawl"
VERTICES_HINT = "give the file with its vertices: --vertices FILE, or vertices="
REVISITS_OVER_LIMIT = "revisits over the size limit"
MAX_REVISIT_RATIO, EXTRA_REVISIT_BYTES = 1000, 1 << 30

Yields = Literal["pages", "links", "requests", "inputs", "segments"]
Reader = TypeVar("Reader", bound=Callable[..., Iterator[Any]])


class Evidence(IntEnum):
    """What a format is recognised by. Formats are tried in this order, then by name."""

    SIGNATURE = 1  # the first bytes
    STRUCTURE = 2  # the first tag, key or object, the files in an archive or folder
    COLUMNS = 3  # cells with a delimiter
    WORDS = 4  # every line has the same number of words
    ANYTHING = 5  # something in the head, or nothing at all


@dataclass(frozen=True)
class InputHead:
    """What a format is recognised from: the path, and the first 64 kB of a file."""

    path: Path

    @cached_property
    def _head(self) -> tuple[bytes, bool]:
        return (b"", False) if self.path.is_dir() else read_head(self.path, HEAD_BYTES)

    @property
    def data(self) -> bytes:
        """The first bytes, decompressed; none for a folder."""
        return self._head[0]

    @property
    def is_empty_file(self) -> bool:
        """Whether it is a file of no bytes, rather than one whose first bytes are damaged."""
        return self.path.is_file() and self._head == (b"", False)

    @cached_property
    def text(self) -> bytes:
        """The head in UTF-8 with line ends as LF, without byte order mark; none if binary."""
        data = self.data
        if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            data = data.decode("utf-16", "replace").encode()
        text = data.removeprefix(codecs.BOM_UTF8).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        return b"" if b"\0" in text else text

    @property
    def complete_text(self) -> bytes:
        """The text without a last line that the end of the head has cut."""
        is_cut = len(self.data) >= MIN_CUT_HEAD_BYTES and b"\n" in self.text
        return self.text[: self.text.rfind(b"\n") + 1] if is_cut else self.text


Recogniser = bytes | Callable[[InputHead], bool]


@dataclass(frozen=True)
class InputFormat:
    """A registered format: how to recognise it, how to read it, and what that yields.

    `title` is its name in lists for people. `suffixes` are file names by which a
    folder expects this format among its pages. `read_revisits` reads the pages of
    revisits, in archives that have them. `companions` are the other files that an
    input is read from.
    """

    name: str
    title: str
    evidence: Evidence
    recognise: Recogniser
    read: Callable[..., Iterator[Any]]
    suffixes: tuple[str, ...] = ()
    read_revisits: Callable[..., Iterator[RawPage]] | None = None
    companions: Callable[[Path], Sequence[Path]] = lambda _: ()

    def recognises(self, head: InputHead) -> bool:
        """Whether an input has this format."""
        if isinstance(self.recognise, bytes):
            return head.data.startswith(self.recognise) or head.text.startswith(self.recognise)
        return self.recognise(head)

    @property
    def summary(self) -> str:
        """The first line of the reader's docstring."""
        return (self.read.__doc__ or "").partition("\n")[0]

    @cached_property
    def yields(self) -> Yields:
        """What the reader yields, by the type that it returns."""
        (item,) = get_args(signature(self.read).return_annotation)
        kinds: dict[Any, Yields] = {
            EdgeBatch: "links",
            GraphBatch: "links",
            RequestBatch: "requests",
            InputSource: "inputs",
            Path: "segments",
        }
        return kinds.get(item, "pages")

    @property
    def is_graph(self) -> bool:
        """Whether it contains links without pages."""
        return self.yields == "links"

    @property
    def is_log(self) -> bool:
        """Whether it contains requests of visitors."""
        return self.yields == "requests"

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """What the reader asks for, by the names of its parameters."""
        return tuple(signature(self.read).parameters)


_REGISTERED: dict[str, InputFormat] = {}


def input_format(  # noqa: PLR0913  all that a format declares
    name: str,
    title: str,
    *,
    recognise: Recogniser,
    evidence: Evidence = Evidence.SIGNATURE,
    suffixes: tuple[str, ...] = (),
    read_revisits: Callable[..., Iterator[RawPage]] | None = None,
    companions: Callable[[Path], Sequence[Path]] = lambda _: (),
) -> Callable[[Reader], Reader]:
    """Register a reader, and the first bytes or the function that it is recognised by.

    It is called with those of these that it has parameters for: `path`,
    `display_name`, `base_url`, `vertices`, `ranks`, `problems`; for pages also `options`
    and `revisits`, for links `input_digest`, a digest of the input's bytes, for requests
    `log`, a `LogInput`. The type it returns says what it yields: pages (`RawPage`,
    `Page`), links (`EdgeBatch`, `NumberedLinks`), requests (`RequestBatch`), further
    inputs (`InputSource`), or the paths of collections, whose segments are copied.
    """

    def register(read: Reader) -> Reader:
        if name in _REGISTERED:
            raise ValueError(f"the input format {name} is declared twice")
        _REGISTERED[name] = InputFormat(
            name, title, evidence, recognise, read, suffixes, read_revisits, companions
        )
        return read

    return register


@cache
def input_formats() -> Mapping[str, InputFormat]:
    """All formats by name, in the order in which they are tried."""
    for module in walk_packages(weft.gather.__path__, "weft.gather."):
        # What fetches reads no files, and needs libraries of the extra `crawl`.
        if not module.name.startswith("weft.gather.fetch"):
            import_module(module.name)
    ordered = sorted(_REGISTERED.values(), key=lambda known: (known.evidence, known.name))
    return {known.name: known for known in ordered}


def format_titles() -> str:
    """What can be read, for people: all titles, those of graphs last."""
    ordered = sorted(input_formats().values(), key=lambda known: known.title.lower())
    graphs = ", ".join(known.title for known in ordered if known.is_graph)
    pages = ", ".join(known.title for known in ordered if not known.is_graph)
    return f"{pages}, and edge lists ({graphs})"


@dataclass(frozen=True, slots=True)
class InputSource:
    """An input with its path, its format, and its name as the user wrote it.

    `base_url` is the URL of a folder, `vertices` the file with the host names
    of a Common Crawl graph, `ranks` that with the published ranks of these. In
    place of each of the files of such a graph there may be a folder of its parts.
    """

    path: Path
    input_format: str
    display_name: str
    base_url: str = ""
    vertices: Path | None = None
    ranks: Path | None = None

    @property
    def format(self) -> InputFormat:
        """Its format in the register."""
        return input_formats()[self.input_format]

    @property
    def is_graph(self) -> bool:
        """Whether it contains links without pages."""
        return self.format.is_graph

    @property
    def is_log(self) -> bool:
        """Whether it contains requests of visitors, without pages."""
        return self.format.is_log

    def _read(self, **more: object) -> Iterator[Any]:
        available = {name: getattr(self, name) for name in self.__slots__} | more
        return self.format.read(**{name: available[name] for name in self.format.parameters})

    def read_pages(
        self, options: ParseOptions, problems: Problems, revisits: RevisitIndex
    ) -> Iterator[RawPage | Page]:
        """Read the pages one by one; `revisits` collects the offsets of captures."""
        if self.format.yields == "pages":
            if self.format.read_revisits:
                revisits.set_current_archive(self.path)
            yield from self._read(options=options, problems=problems, revisits=revisits)
            return
        bytes_before = 0
        for source in self._read(problems=problems):
            for page in source.read_pages(options, problems, revisits):
                yield (
                    replace(page, offset=bytes_before + page.offset)
                    if isinstance(page, RawPage)
                    else page
                )
            bytes_before += source.path.stat().st_size

    def read_graph(self, problems: Problems) -> Iterator[GraphBatch]:
        """Read the nodes and links of a graph, in batches."""
        return self._read(problems=problems, input_digest=self.digest())

    def read_requests(self, problems: Problems, options: LogOptions) -> Iterator[RequestBatch]:
        """Read the requests of an access log, or the views of paths, in batches."""
        log = LogInput(self.display_name, self.base_url, self.digest(), options, problems)
        return self._read(log=log)

    def digest(self) -> str:
        """A hash of the files that a graph or log is read from; equal digests, same input."""
        sha = hashlib.sha256()
        named = filter(None, (self.path, self.vertices, self.ranks))
        companions = self.format.companions(self.path)
        for path in (*(part for name in named for part in part_files(name)), *companions):
            with path.open("rb") as file:
                sha.update(hashlib.file_digest(file, "sha256").digest())
        return sha.hexdigest()[:32]


def part_files(path: Path) -> list[Path]:
    """A file, or the parts in a folder in the order of their names; hidden files do not count."""
    if not path.is_dir():
        return [path]
    return sorted(part for part in path.iterdir() if part.is_file() and part.name[:1] != ".")


def read_revisits(
    revisits: RevisitIndex, options: ParseOptions, problems: Problems
) -> Iterator[RawPage]:
    """The pages of revisits under other URLs than their originals, once all inputs are read.

    Their total size is limited by that of the archives, so that many revisits
    of a large page do not fill the disk.
    """
    archives = {path for path, _ in revisits.archives if path.is_file()}
    bytes_left = max_revisit_bytes(sum(path.stat().st_size for path in archives))
    for (path, is_zip), resolved in groupby(revisits.resolve(problems), revisit_source):
        for page in read_resolved_revisits(path, resolved, options, problems, is_zip=is_zip):
            bytes_left -= len(page.body)
            if bytes_left < 0:
                problems.add(REVISITS_OVER_LIMIT, page.url)
            else:
                yield page


def max_revisit_bytes(archive_bytes: int) -> int:
    """The most bytes of pages that revisits may bring, for archives of a total size."""
    return MAX_REVISIT_RATIO * archive_bytes + EXTRA_REVISIT_BYTES


def revisit_source(revisit: ResolvedRevisit) -> tuple[Path, bool]:
    """What a revisit is read from: its archive, and whether that is a zip file."""
    return revisit.path, bool(revisit.members)


def read_resolved_revisits(
    path: Path,
    resolved: Iterable[ResolvedRevisit],
    options: ParseOptions,
    problems: Problems,
    *,
    is_zip: bool,
) -> Iterator[RawPage]:
    """The pages of revisits whose originals are in one archive."""
    read = input_formats()["wacz" if is_zip else "warc"].read_revisits
    return read(path, resolved, options, problems) if read else iter(())


def expand_inputs(
    pattern: str,
    input_format: str = "",
    base_url: str = "",
    vertices: Path | None = None,
    ranks: Path | None = None,
    log_format: str = "",
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
        source = recognise_input(Path(match), match, input_format, base_url, vertices, log_format)
        yield add_ranks(source, ranks)


def add_ranks(source: InputSource, ranks: Path | None) -> InputSource:
    """A Common Crawl graph with its published ranks."""
    if ranks is None:
        return source
    if source.input_format != COMMON_CRAWL:
        raise WeftError("ranks belong to a Common Crawl graph", hint=VERTICES_HINT)
    if not ranks.exists():
        raise WeftError(f"{ranks} does not exist", hint="check the name")
    return replace(source, ranks=ranks)


def recognise_input(
    path: Path,
    display_name: str = "",
    input_format: str = "",
    base_url: str = "",
    vertices: Path | None = None,
    log_format: str = "",
) -> InputSource:
    """Detect the format of an input by its content, unless `input_format` is given.

    An input with a `vertices` file is a Common Crawl graph. With a `log_format`, one that is
    not recognised is an access log.
    """
    display_name = display_name or str(path)
    input_format = input_format or (COMMON_CRAWL if vertices else "")
    otherwise = "access-log" if log_format else ""
    if input_format and input_format not in input_formats():
        raise UnknownName("input format", input_format, sorted(input_formats()))
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
        input_format = input_format or detect_format(InputHead(path)) or otherwise
    except OSError as error:
        raise WeftError(
            f"{display_name} cannot be read: {error.strerror}", hint="check its permissions"
        ) from error
    if not input_format:
        hint = f"name its format, --as or kind=: {', '.join(sorted(input_formats()))}"
        raise WeftError(f"cannot tell what {display_name} is from its content", hint=hint)
    return InputSource(path, input_format, display_name, base_url, vertices)


def detect_format(head: InputHead) -> str:
    """The name of the first format that recognises an input, or nothing."""
    return next((name for name, known in input_formats().items() if known.recognises(head)), "")


@contextmanager
def spool_to_file(stream: BinaryIO) -> Iterator[Path]:
    """Copy a stream to a temporary file, so that it can be read more than once."""
    with tempfile.NamedTemporaryFile(prefix="weft-") as copy:
        shutil.copyfileobj(stream, copy)
        copy.flush()
        yield Path(copy.name)
