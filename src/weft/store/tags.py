"""Tags: what people and classifiers say of pages, hosts, domains, entities and patterns.

They are a log, `tags.jsonl`: a line for each batch of changes, with a checksum. It is user data, so
nothing but appending to it is ever done, and no snapshot depends on it. A line that was cut by a
crash at the end is no batch; the next writer cuts it off.
"""

import re
import time
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property, lru_cache
from operator import itemgetter
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import pyarrow as pa

from weft.core.arrays import Flags, Ids
from weft.core.csv_columns import parse_csv, read_csv_text
from weft.core.errors import BadParameter, UnknownName, WeftError
from weft.core.text import CONTROL_CHARS, is_one_line, join_with_and
from weft.gather.url import canonical_host, match_pattern, reverse_host
from weft.store.append_log import append_to_log, parse_log, read_line
from weft.store.arrow_files import SortedColumn
from weft.store.entities import Entity, PageRanges, Specificity, entity_ranges

TAGS_FILE = "tags.jsonl"
Scope = Literal["domain", "host", "entity", "pattern", "page"]
SCOPES: tuple[Scope, ...] = get_args(Scope)  # the later, the more specific
DECISION, DECISIONS = "decision", ("in", "out", "undecided")
UNDECIDED = "undecided"
REJECTED_SUFFIX = "-rejected"
FACET_NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}")
MAX_LOGS_KEPT, MAX_BATCHES_KEPT = 2, 1 << 16
MAX_VALUE_CHARS, MAX_NOTE_CHARS, MAX_TARGET_CHARS = 200, 2_000, 4_000
MAX_TIME = int(datetime(9999, 12, 31, tzinfo=UTC).timestamp())
CSV_COLUMNS = ("scope", "target", "facet", "value", "by", "time", "why")


@dataclass(frozen=True, slots=True)
class Tag:
    """A value of a facet for everything that a target covers.

    An empty value takes the tag of that target away. `time` is in Unix seconds.
    """

    scope: Scope
    target: str
    facet: str
    value: str
    by: str = ""
    why: str = ""
    time: int = 0

    @property
    def key(self) -> tuple[str, ...]:
        """What the tag says something about: a later tag with the same key replaces it.

        A rejected value is one thing, another value of the facet is another.
        """
        is_rejection = self.facet.endswith(REJECTED_SUFFIX)
        return self.scope, self.target, self.facet, self.value if is_rejection else ""

    def to_row(self) -> dict[str, Any]:
        """The fields by name, as `asdict` but many times faster."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True)
class Batch:
    """Tags that were set together, or the undoing of an earlier batch."""

    number: int
    tags: tuple[Tag, ...] = ()
    undoes: int = 0

    @cached_property
    def checksum(self) -> int:
        """A checksum of the whole batch."""
        return zlib.crc32(repr(self).encode())


@dataclass(frozen=True)
class Tags:
    """The state of the tags of a collection: the tags in force, and the batches behind them."""

    batches: tuple[Batch, ...] = ()

    @property
    def undone(self) -> set[int]:
        """The numbers of the batches that were undone."""
        return {batch.undoes for batch in self.batches if batch.undoes}

    def in_force(self) -> Mapping[tuple[str, ...], Tag]:
        """The tags by what they say something about, in the order in which they were set."""
        return self._in_force

    @cached_property
    def _in_force(self) -> Mapping[tuple[str, ...], Tag]:
        undone, found = self.undone, dict[tuple[str, ...], list[Tag]]()
        for batch in self.batches:
            if batch.number in undone:
                continue
            for tag in batch.tags:
                about = tag.scope, tag.target, tag.facet
                others = [other for other in found.pop(about, ()) if other.key != tag.key]
                if tag.value:
                    found[about] = [*others, tag]
        return {tag.key: tag for own in found.values() for tag in own}

    def facets(self) -> dict[str, list[str]]:
        """The facets in use with their values, both in alphabetical order."""
        found: dict[str, set[str]] = {}
        for tag in self.in_force().values():
            found.setdefault(tag.facet, set()).add(tag.value)
        return {facet: sorted(found[facet]) for facet in sorted(found)}

    def rejected(self, facet: str) -> dict[str, set[str]]:
        """The values of a facet that were rejected for pages, by URL: all, not only the last.

        A rejection is a tag of the facet `FACET-rejected`; an empty one takes them back.
        """
        found: dict[str, set[str]] = {}
        for tag in self.in_force().values():
            if tag.facet == facet + REJECTED_SUFFIX and tag.scope == "page":
                found.setdefault(tag.target, set()).add(tag.value)
        return found

    def digest(self) -> str:
        """A short digest of all batches, for the keys of caches."""
        checksums = np.array([batch.checksum for batch in self.batches], np.uint32)
        return f"{zlib.crc32(checksums.tobytes()):08x}-{len(self.batches)}"

    def to_table(self) -> pa.Table:
        """A row for each tag in force, in the order in which they were set."""
        rows = [
            {**tag.to_row(), "time": datetime.fromtimestamp(tag.time, UTC).isoformat()}
            for tag in self.in_force().values()
        ]
        return pa.Table.from_pylist(rows, pa.schema([(name, pa.string()) for name in CSV_COLUMNS]))


def check_tag(tag: Tag) -> Tag:
    """Refuse a tag with an unknown scope, a bad name or an overlong text."""
    if tag.scope not in SCOPES:
        raise UnknownName("scope of a tag", tag.scope, SCOPES)
    if not FACET_NAME.fullmatch(tag.facet):
        hint = "write lower-case letters, digits and hyphens, such as topic"
        raise BadParameter(f"{tag.facet!r} is no name of a facet", hint=hint)
    if tag.facet == DECISION and tag.value and tag.value not in DECISIONS:
        raise BadParameter(f"{tag.value!r} is no decision", hint=join_with_and(list(DECISIONS)))
    _check_texts(tag)
    if not 0 <= tag.time <= MAX_TIME:
        raise BadParameter(f"{tag.time!r} is no time of a tag", hint="Unix seconds")
    if not tag.target:
        raise BadParameter("a tag needs a page, host, domain, entity or pattern")
    if tag.value != tag.value.strip().strip("/"):
        raise BadParameter(f"{tag.value!r} begins or ends with a space or a slash")
    return tag


def _check_texts(tag: Tag) -> None:
    """Refuse texts that are too long, or have line breaks or control characters."""
    limits = {"value": MAX_VALUE_CHARS, "target": MAX_TARGET_CHARS, "why": MAX_NOTE_CHARS}
    for name, limit in (*limits.items(), ("by", MAX_VALUE_CHARS)):
        text = getattr(tag, name)
        is_fine = not CONTROL_CHARS.search(text) if name == "why" else is_one_line(text)
        if len(text) > limit or not is_fine:
            hint = f"at most {limit:,} characters, no line breaks, no control characters"
            raise BadParameter(f"the {name} of a tag is not valid", hint=hint)


def parse_facet_value(text: str) -> tuple[str, str]:
    """Split `FACET=VALUE`.

    Examples
    --------
    >>> parse_facet_value("topic=science/physics")
    ('topic', 'science/physics')
    """
    facet, equals, value = text.partition("=")
    if not equals or not FACET_NAME.fullmatch(facet):
        raise BadParameter(f"{text!r} is no tag", hint="write FACET=VALUE, such as decision=in")
    return facet, value.strip()


def read_tags(folder: Path) -> Tags:
    """The tags of a collection; a line that is damaged, unless it is the last, is an error."""
    path = folder / TAGS_FILE
    try:
        state = path.stat()
    except FileNotFoundError:
        return Tags()
    return _read_log(path, (state.st_dev, state.st_ino, state.st_mtime_ns, state.st_size))


@lru_cache(maxsize=MAX_LOGS_KEPT)
def _read_log(path: Path, _stamp: tuple[int, ...]) -> Tags:
    """The log as it is at a stamp; a long one is not read again at every request."""
    return _parse_log(path.read_bytes(), path)


def _parse_log(data: bytes, path: Path) -> Tags:
    return Tags(tuple(parse_log(data, path, _parse_batch)))


@lru_cache(maxsize=MAX_BATCHES_KEPT)
def _parse_batch(line: bytes, number: int) -> Batch:
    """The batch of a line; when the log grows, those before are not read again."""
    document = read_line(line)
    tags = tuple(check_tag(Tag(**row)) for row in document["tags"])
    return Batch(number, tags, int(document["undoes"]))


def append_tags(folder: Path, tags: Iterable[Tag]) -> int:
    """Set tags as one batch, on disk when this returns; the number of the batch.

    Several processes may append at the same time.
    """
    now = int(time.time())
    checked = [check_tag(replace(tag, time=tag.time or now)) for tag in tags]
    document = {"tags": [tag.to_row() for tag in checked], "undoes": 0}
    return append_to_log(folder / TAGS_FILE, lambda _log: document)


def undo_tags(folder: Path, by: str = "", number: int = 0) -> Batch:
    """Undo the last batch that is not undone, of a person or of a number; that batch."""
    _find_batch(read_tags(folder), by, number)  # before there is a file to lock
    chosen = list[Batch]()

    def undo(data: bytes) -> dict[str, Any]:
        chosen.append(_find_batch(_parse_log(data, folder / TAGS_FILE), by, number))
        return {"tags": [], "undoes": chosen[0].number}

    append_to_log(folder / TAGS_FILE, undo)
    return chosen[0]


def _find_batch(state: Tags, by: str, number: int) -> Batch:
    """The last batch that can be undone, among those that were asked for."""
    undone = state.undone
    for batch in reversed(state.batches):
        is_theirs = not by or any(tag.by == by for tag in batch.tags)
        is_asked_for = is_theirs and number in (0, batch.number)
        if batch.tags and batch.number not in undone and is_asked_for:
            return batch
    whose = f" of {by}" if by else ""
    raise WeftError(f"there is nothing{whose} to undo", hint="`weft tags list` shows all tags")


def append_merged(
    folder: Path, theirs: Iterable[Tag], *, keep_ours: bool = True
) -> tuple[int, list[tuple[Tag, Tag]]]:
    """Set the tags of others as one batch; how many are new, and pairs that differ."""
    tags = list(theirs)
    new, conflicts = merge_tags(read_tags(folder), tags, keep_ours=keep_ours)
    if not new:
        return 0, conflicts
    now = int(time.time())

    def merge(data: bytes) -> dict[str, Any]:
        nonlocal new, conflicts  # what others set meanwhile counts
        new, conflicts = merge_tags(_parse_log(data, folder / TAGS_FILE), tags, keep_ours=keep_ours)
        dated = [check_tag(replace(tag, time=tag.time or now)) for tag in new]
        return {"tags": [tag.to_row() for tag in dated], "undoes": 0}

    append_to_log(folder / TAGS_FILE, merge)
    return len(new), conflicts


def merge_tags(
    ours: Tags, theirs: Iterable[Tag], *, keep_ours: bool = True
) -> tuple[list[Tag], list[tuple[Tag, Tag]]]:
    """The tags of others that are new here, and pairs of ours and theirs that differ.

    Where they differ ours stays, or theirs is among the new ones. So it is with two
    of theirs that differ: the first one stays, or the last one counts.
    """
    known, new, conflicts = dict(ours.in_force()), list[Tag](), list[tuple[Tag, Tag]]()
    for tag in theirs:
        mine = known.get(tag.key)
        if tag.value == (mine.value if mine else ""):
            continue
        if mine:
            conflicts.append((mine, tag))
        if not (mine and keep_ours):
            new.append(tag)
            known[tag.key] = tag
    return new, conflicts


def read_tags_csv(path: Path) -> list[Tag]:
    """Tags from a CSV file with the columns of an export, or with url, facet and value."""
    return parse_tags_csv(read_csv_text(path), str(path))


def parse_tags_csv(text: str, name: str) -> list[Tag]:
    """Tags from the text of a CSV file, whose name is for messages."""
    rows = parse_csv(text, name)
    if any(not {"facet", "value"} <= row.keys() for row in rows.values()):
        hint = f"its columns are {join_with_and(list(CSV_COLUMNS))}; or url, facet and value"
        raise WeftError(f"{name} has no columns facet and value", hint=hint)
    return [_tag_from_row(row, name, line) for line, row in rows.items()]


def _tag_from_row(text: Mapping[str, str], path: str, line: int) -> Tag:
    target = text.get("target") or text.get("url", "")
    scope: Any = text.get("scope") or "page"
    try:
        return check_tag(
            Tag(
                scope,
                target,
                text["facet"],
                text["value"],
                text.get("by", ""),
                text.get("why", ""),
                _parse_time(text.get("time", "")),
            )
        )
    except WeftError as error:
        raise WeftError(f"line {line} of {path}: {error}", hint=error.hint) from error


def _parse_time(text: str) -> int:
    """Unix seconds of a time in ISO 8601, not before 1970; zero if there is none."""
    try:
        when = datetime.fromisoformat(text) if text else datetime.fromtimestamp(0, UTC)
    except ValueError:
        raise BadParameter(f"{text!r} is no time", hint="write 2026-05-31T12:00:00Z") from None
    seconds = int((when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp())
    return min(max(seconds, 0), MAX_TIME)


@dataclass(frozen=True, slots=True, eq=False)
class PageValues:
    """The value of a facet for each page, or host, domain or entity.

    It is a number into `values`, -1 for none.
    """

    facet: str
    values: tuple[str, ...]
    codes: Ids

    def have(self, value: str) -> Flags:
        """Which pages have a value or one below it, as science/physics is below science."""
        below = [k for k, known in enumerate(self.values) if f"{known}/".startswith(f"{value}/")]
        return np.isin(self.codes, below)

    def take(self, pages: Ids) -> "PageValues":
        """The values of some pages."""
        return PageValues(self.facet, self.values, self.codes[pages])

    def of(self, page: int) -> str:
        """The value of a page, empty for none."""
        code = int(self.codes[page])
        return self.values[code] if code >= 0 else ""

    def to_array(self) -> pa.Array:
        """The values as one Arrow array, null for none."""
        codes = pa.array(self.codes, pa.int32(), mask=self.codes < 0)
        return pa.array(self.values, pa.string()).take(codes)


@dataclass(frozen=True, slots=True, eq=False)
class TaggablePages:
    """What tags are spread over: the pages by number, and the entities by name."""

    urls: pa.Array
    keys: SortedColumn
    page_numbers: Callable[[Sequence[str]], Ids]
    entities: Mapping[str, Entity]


def spread_over_pages(pages: TaggablePages, tags: Iterable[Tag], facet: str) -> PageValues:
    """The value of a facet for each page: that of its own tag, or of the most specific target.

    A domain covers its hosts, a host its pages; more specific are entities, then
    patterns, then single pages. An entity covers those nested in it, unless they
    have a tag of their own. Of equally specific ones the tag set last counts.
    """
    chosen = [tag for tag in tags if tag.facet == facet]
    values = tuple(dict.fromkeys(tag.value for tag in chosen))
    number = {value: k for k, value in enumerate(values)}
    codes = np.full(len(pages.keys), -1, np.int32)
    spans = [
        (SCOPES.index(tag.scope), specificity, ranges, tag)
        for tag in chosen
        if tag.scope != "page"
        for specificity, ranges in _spans(pages, tag)
    ]
    for _, _, ranges, tag in sorted(spans, key=itemgetter(0, 1)):
        if tag.scope == "pattern":
            codes[match_pattern(pages.urls, tag.target)] = number[tag.value]
        for first, last in ranges:
            codes[first:last] = number[tag.value]
    own = [tag for tag in chosen if tag.scope == "page"]
    at = pages.page_numbers([tag.target for tag in own])
    own_codes = np.array([number[tag.value] for tag in own], np.int32)
    codes[at[at >= 0]] = own_codes[at >= 0]  # of the tags of a page the last counts
    return PageValues(facet, values, codes)


def _spans(pages: TaggablePages, tag: Tag) -> Sequence[tuple[Specificity, PageRanges]]:
    """What a tag covers, a row for each prefix of an entity."""
    if tag.scope == "entity":
        entity = pages.entities.get(tag.target)
        return entity_ranges(entity, pages.keys) if entity else ()
    return [((0, 0), () if tag.scope == "pattern" else _page_ranges(pages, tag))]


def _page_ranges(pages: TaggablePages, tag: Tag) -> PageRanges:
    """The pages that a tag of a host or domain covers, as ranges of page numbers."""
    keys = pages.keys
    name = reverse_host(target_name(tag))[:-1]
    first = f"{name}/" if tag.scope == "host" else f"{name}."  # a dot comes before a slash
    return [(keys.insertion_point(first), keys.insertion_point(f"{name}0"))]


def target_name(tag: Tag) -> str:
    """The name of the host, domain or entity that a tag is about; a host may be given by a URL."""
    return tag.target if tag.scope == "entity" else canonical_host(tag.target)


def majority_values(values: PageValues, group: Ids, group_count: int, counted: Flags) -> Ids:
    """For each group of pages the value that more than half of its counted pages have, or -1."""
    sizes = np.bincount(group[counted], minlength=group_count)
    tagged = counted & (values.codes >= 0)
    width = max(len(values.values), 1)
    pairs, counts = np.unique(
        group[tagged].astype(np.int64) * width + values.codes[tagged], return_counts=True
    )
    is_majority = 2 * counts > sizes[pairs // width]
    found = np.full(group_count, -1, np.int32)
    found[pairs[is_majority] // width] = pairs[is_majority] % width
    return found


def select_tagged(
    have_tag: Callable[[str], Flags], wanted: Sequence[str], unwanted: Sequence[str]
) -> Flags:
    """The pages with all wanted tags and without the unwanted ones.

    Several values of one facet are alternatives.
    """
    by_facet: dict[str, list[Flags]] = {}
    for tag in wanted:
        by_facet.setdefault(tag.partition("=")[0], []).append(have_tag(tag))
    kept = [np.logical_or.reduce(alternatives) for alternatives in by_facet.values()]
    kept += [~have_tag(tag) for tag in unwanted]
    found: Flags = np.logical_and.reduce(kept)
    return found
