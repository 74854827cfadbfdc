"""`Collection`: one committed snapshot, its pages, texts and search."""

import fcntl
import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import Flags, Ids
from weft.core.errors import BadParameter, DamagedFile, MalformedFile, UnknownName
from weft.core.html import TITLE_SOURCES, titled_table
from weft.core.json import JsonObject
from weft.core.memoize import memoize_latest
from weft.core.tables import MAX_PREVIEW_ROWS, Tabular
from weft.core.text import pluralise
from weft.gather.url import (
    UrlPolicy,
    candidate_urls,
    canonical_page_name,
    host,
    sort_key,
    sort_keys,
)
from weft.store import segment as segments
from weft.store.arrow_files import SortedColumn, check_ids, map_checked_table, positions_of_keys
from weft.store.entities import ENTITIES_FOLDER, read_entities
from weft.store.group_edits import GROUP_EDITS_FILE
from weft.store.index import TextIndex, open_index
from weft.store.manifest import CommittedFile, Manifest, Segment, refuse_symlinks
from weft.store.numbering import ALIAS_SCHEMA, PAGE_KIND_NAMES, PAGE_SCHEMA
from weft.store.search import (
    ANY_TIME,
    Query,
    ScoredPages,
    TimeRange,
    match_query,
    parse_query,
    run_query,
)
from weft.store.snippet import Snippet, make_snippets, query_stems
from weft.store.tags import (
    TAGS_FILE,
    PageValues,
    TaggablePages,
    Tags,
    parse_facet_value,
    read_tags,
    select_tagged,
    spread_over_pages,
)
from weft.store.term_weights import StoredTermWeights, TermWeights

MAX_SEARCH_RESULTS = 10_000
SEARCH_HINT = "find the page with `weft search`"
MAX_OPEN_ATTEMPTS = 3
MAX_TIMESTAMP = 253_402_300_800


class ReaderLock:
    """A shared lock on a snapshot folder: no writer deletes it while the lock exists."""

    def __init__(self, folder: Path) -> None:
        self.handle = -1
        try:
            self.handle = os.open(folder, os.O_RDONLY)
            fcntl.flock(self.handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except (FileNotFoundError, BlockingIOError):
            raise DamagedFile(f"{folder} is missing") from None

    def __del__(self) -> None:
        if self.handle >= 0:
            os.close(self.handle)


@dataclass(frozen=True, slots=True, eq=False)
class SearchResults(Tabular):
    """The best of the `total` pages that a search found.

    `page_numbers` are their numbers in the collection, `kinds` their kinds,
    `snippets` their snippets with the marks of the words.
    """

    query: str
    total: int
    page_numbers: tuple[int, ...]
    table: pa.Table
    kinds: tuple[str, ...]
    snippets: tuple[Snippet, ...] = ()
    offset: int = 0

    def to_document(self) -> JsonObject:
        """The one JSON of search results, with the marks of the words as `highlights`."""
        marks = [snippet.marks for snippet in self.snippets] or [()] * len(self)
        columns = zip(self.table.to_pylist(), self.kinds, marks, strict=True)
        return {
            "query": self.query,
            "total": self.total,
            "offset": self.offset,
            "rows": [
                {
                    "url": row["url"],
                    "title": row["title"],
                    "kind": kind,
                    "place": place,
                    "score": row["score"],
                    "language": row["language"],
                    "time": row["time"] or 0,
                    "snippet": row.get("snippet", ""),
                    "highlights": highlights,
                }
                for place, (row, kind, highlights) in enumerate(columns, start=self.offset + 1)
            ],
        }

    def to_table(self) -> pa.Table:
        """One row per page, best first: score, url, title, language, time, snippet."""
        return self.table

    def __len__(self) -> int:
        return len(self.page_numbers)

    def __repr__(self) -> str:
        lead = f", led by {self.table['url'][0]}" if len(self) else ""
        return f"<SearchResults: {pluralise(self.total, 'page')} for {self.query!r}{lead}>"

    def _repr_html_(self) -> str:
        shown = self.table.slice(0, MAX_PREVIEW_ROWS).to_pydict()
        rows = zip(shown["url"], shown["score"], strict=True)
        titles = dict(zip(shown["url"], shown["title"], strict=True))
        return titled_table(repr(self).strip("<>"), ["page", "score"], rows, titles=titles)


@dataclass(frozen=True, eq=False)
class Collection:
    """Pages, texts and links at one commit; later commits do not change it.

    Tags are those of now, or if `tag_batches` is given, of the first batches.
    """

    folder: Path
    manifest: Manifest
    tag_batches: int | None = None
    _checked: set[Path] = field(init=False, default_factory=set, repr=False)

    @classmethod
    def open(cls, folder: Path) -> "Collection":
        """Open the last commit; try again where a writer replaces it meanwhile."""
        for attempt in range(1, MAX_OPEN_ATTEMPTS + 1):
            manifest = Manifest.read(folder)
            collection = cls(folder, manifest)
            try:
                collection._open_snapshot()
            except DamagedFile:
                if attempt == MAX_OPEN_ATTEMPTS or Manifest.read(folder) == manifest:
                    raise
            else:
                break
        return collection

    def _open_snapshot(self) -> None:
        """Lock the snapshot, check the size of every committed file, and map the pages."""
        refuse_symlinks(self.folder)
        _ = self._reader_lock
        for path, file in self.committed_files().items():
            file.check(self.folder / path, max_rehash_bytes=0)
        _ = self.pages
        TITLE_SOURCES[str(self.folder)].add(self)

    @cached_property
    def _reader_lock(self) -> ReaderLock:
        """The shared lock on the snapshot, held as long as the collection."""
        return ReaderLock(self.folder / self.manifest.snapshot_folder)

    def committed_files(self) -> dict[str, CommittedFile]:
        """Every committed file by its path below the folder."""
        files = dict(self.manifest.files)
        for segment in self.manifest.segments:
            prefix = f"segments/{segment.name}"
            files |= {f"{prefix}/{name}": file for name, file in segment.files.items()}
        return files

    def checked_snapshot_path(self, name: str) -> Path:
        """A file or folder of the snapshot; its files are checked on first use."""
        wanted = f"{self.manifest.snapshot_folder}/{name}"
        whole = self.folder / wanted
        if whole not in self._checked:
            for path, file in self.manifest.files.items():
                if path == wanted or path.startswith(f"{wanted}/"):
                    file.check(self.folder / path)
            self._checked.add(whole)
        return whole

    def checked_segment_folder(self, segment: Segment, *tables: str) -> Path:
        """The folder of a segment; its tables, or those given, are checked on first use."""
        folder = self.folder / "segments" / segment.name
        for table in tables or segment.files:
            if folder / table not in self._checked:
                segment.files[table].check(folder / table)
                self._checked.add(folder / table)
        if folder not in self._checked:
            segments.check_row_counts(folder, segment)
            self._checked.add(folder)
        return folder

    @cached_property
    def pages(self) -> pa.Table:
        """Every page by its number: url, title, language, time, kind, captures."""
        table = map_checked_table(self.checked_snapshot_path("pages.arrow"), PAGE_SCHEMA)
        self._check_pages(table)
        return table

    def _check_pages(self, pages: pa.Table) -> None:
        """Refuse pages whose kind, time, segment or row is out of range."""
        path = self.checked_snapshot_path("pages.arrow")
        kind, time, segment, row = (
            pages[name].to_numpy() for name in ("kind", "time", "segment", "row")
        )
        check_ids(path, kind, len(PAGE_KIND_NAMES))
        check_ids(path, time, MAX_TIMESTAMP)
        check_ids(path, segment, len(self.manifest.segments), -1)
        sizes = np.array([*(part.pages for part in self.manifest.segments), 0])
        if ((row < -1) | (row >= sizes[segment]) & (segment >= 0)).any():
            raise MalformedFile(path, "a page is in a row that its segment does not have")

    @cached_property
    def aliases(self) -> pa.Table:
        """URLs that are aliases of a page, with the page number and the reason."""
        path = self.checked_snapshot_path("aliases.arrow")
        table = map_checked_table(path, ALIAS_SCHEMA)
        check_ids(path, table["page"].to_numpy(), len(self))
        return table

    @property
    def digest(self) -> str:
        """The SHA-256 of the digests of all segment files: the same for the same contents."""
        total = hashlib.sha256()
        for segment in self.manifest.segments:
            for name, file in sorted(segment.files.items()):
                total.update(f"{name} {file.sha256}\n".encode())
        return total.hexdigest()

    def __len__(self) -> int:
        return len(self.pages)

    @property
    def url_policy(self) -> UrlPolicy:
        """The URL rules of this collection."""
        return UrlPolicy(**self.manifest.policy)

    def page_number(self, url: str) -> int:
        """The number of a page by its URL, as in `find_page`; -1 where there is none."""
        keys, alias_keys = SortedColumn(self.pages["key"]), SortedColumn(self.aliases["key"])
        for variant in self._url_variants(url):
            key = sort_key(variant)
            number = keys.find(key)
            if number < 0 and (at := alias_keys.find(key)) >= 0:
                number = self.aliases["page"][at].as_py()
            if number >= 0:
                return number
        return -1

    def page_numbers(self, urls: Sequence[str]) -> Ids:
        """The number of each page by its URL, as `page_number`, of very many at once."""
        found = self.page_numbers_of_keys(
            sort_keys(pa.array([url.strip() for url in urls], pa.string()))
        )
        rest = np.flatnonzero(found < 0)
        variants = [self._url_variants(urls[k])[1:] for k in rest.tolist()]
        owners = np.repeat(rest, [len(own) for own in variants])
        names = pa.array([name for own in variants for name in own], pa.string())
        numbers = self.page_numbers_of_keys(sort_keys(names))
        at = np.flatnonzero(numbers >= 0)[::-1]  # of several the first variant counts
        found[owners[at]] = numbers[at]
        return found

    def page_numbers_of_keys(self, keys: pa.Array) -> Ids:
        """The page of each sort key, under its own URL or an alias; -1 where there is none."""
        numbers = positions_of_keys(self.pages["key"], keys)
        aliases = positions_of_keys(self.aliases["key"], keys)
        pages = np.append(self.aliases["page"].to_numpy(), np.int32(-1))
        return np.where(numbers >= 0, numbers, pages[aliases]).astype(np.int32)

    def page_kinds(self, page_numbers: Sequence[int] | Ids) -> pa.Array:
        """The kinds of pages, such as *captured* and *uncaptured*."""
        codes = self.pages["kind"].take(pa.array(page_numbers, pa.int64()))
        return PAGE_KIND_NAMES.take(codes.combine_chunks())

    def page_refs(self, page_numbers: Sequence[int] | Ids) -> list[dict[str, str]]:
        """URL, title and kind of pages."""
        rows = self.pages.select(["url", "title"]).take(pa.array(page_numbers, pa.int64()))
        columns = {"url": rows["url"], "title": rows["title"]}
        refs: list[dict[str, str]] = pa.table(
            {**columns, "kind": self.page_kinds(page_numbers)}
        ).to_pylist()
        return refs

    def titles_of(self, names: Sequence[str]) -> list[str]:
        """The titles of pages by their URLs, empty where there is none."""
        titles = self.pages["title"]
        numbers = [self.page_number(name) for name in names]
        return [titles[number].as_py() if number >= 0 else "" for number in numbers]

    def find_page(self, url: str) -> int:
        """The number of a page by its URL; scheme and `www.` may be left out."""
        if (number := self.page_number(url)) >= 0:
            return number
        keys = SortedColumn(self.pages["key"])
        at = keys.insertion_point(sort_key(next(iter(self._url_variants(url)))))
        nearby = range(max(0, at - 20), min(len(keys), at + 20))
        candidates = [self.pages["url"][i].as_py() for i in nearby]
        suggestion = self._suggest_url(url, keys)
        cure = f"did you mean {suggestion!r}?" if suggestion else SEARCH_HINT
        raise UnknownName("page", url, candidates, hint=cure)

    def _suggest_url(self, url: str, keys: SortedColumn) -> str:
        """A page on the host of a URL that is next to it in page order; empty for none."""
        for variant in self._url_variants(url):
            at = keys.insertion_point(sort_key(variant))
            for neighbour in self.pages["url"].slice(max(at - 1, 0), 2).to_pylist()[::-1]:
                if host(neighbour) == host(variant):
                    return str(neighbour)
        return ""

    def stored_url(self, url: str) -> str:
        """The URL of a page as the collection has it; scheme and `www.` may be left out."""
        resolved: str = self.pages["url"][self.find_page(url)].as_py()
        return resolved

    def _url_variants(self, url: str) -> list[str]:
        """The names a page may have: as given, and with scheme and `www.` added.

        Pages have canonical URLs, graphs without text the names of their input.
        """
        given = url.strip()
        full = candidate_urls(given)
        canonical = [canonical_page_name(candidate, self.url_policy) for candidate in full]
        return [given, *canonical, *full]

    def texts(self, page_numbers: Sequence[int], *, main_content: bool = False) -> list[str]:
        """The texts of some pages, in their order, or their main content where it is known.

        A page that was not captured, such as one of an edge list, has an empty text.
        """
        rows = self.pages.select(["segment", "row"]).take(pa.array(page_numbers, pa.int64()))
        segment, row = (rows[name].to_numpy() for name in ("segment", "row"))
        texts = [""] * len(page_numbers)
        for s in np.unique(segment):
            if s < 0 or self.manifest.segments[s].input_digest:
                continue
            at = np.flatnonzero(segment == s)
            folder = self.checked_segment_folder(self.manifest.segments[s], "pages.parquet")
            table = segments.read_page_rows(folder, row[at].tolist(), ["text", "main"])
            own_texts = table["text"].to_pylist()
            spans = table["main"].to_pylist() if main_content else [()] * len(own_texts)
            for k, text, span in zip(at.tolist(), own_texts, spans, strict=True):
                texts[k] = extract_main_content(text, span or ())
        return texts

    def term_weights(self, page_numbers: Ids) -> TermWeights:
        """The TF-IDF weights of the stems of some pages, in their order; none without text."""
        return self._stored_term_weights.take(page_numbers)

    @cached_property
    def _stored_term_weights(self) -> StoredTermWeights:
        return StoredTermWeights.open(self.checked_snapshot_path("term_weights"), len(self))

    @property
    def tags(self) -> Tags:
        """The tags as they are now, or were after the first batches."""
        found = read_tags(self.folder)
        return found if self.tag_batches is None else Tags(found.batches[: self.tag_batches])

    def tag_values(self, facet: str) -> PageValues:
        """The values of a facet for all pages, from the tags as they are now."""
        state, rules = self.tags, read_entities(self.folder)
        return _spread_tags(self, facet, f"{state.digest()} {rules.version}")

    def have_tag(self, tag: str) -> Flags:
        """Which pages have a tag such as `decision=in`; a facet that nobody used is an error."""
        facet, value = parse_facet_value(tag)
        known = self.tags.facets()
        if facet not in known:
            raise UnknownName("facet", facet, known, hint="`weft tags list` shows all tags")
        return self.tag_values(facet).have(value)

    @cached_property
    def text_index(self) -> TextIndex:
        """The full-text index, opened on first use."""
        return open_index(self.checked_snapshot_path("index"), len(self))

    def search(
        self,
        query: str,
        k: int = 10,
        *,
        skip: int = 0,
        time_range: TimeRange = ANY_TIME,
        pages: Flags | None = None,
        with_snippets: bool = True,
    ) -> SearchResults:
        """Search by BM25 over title, text, URL and the anchor texts of inlinks.

        Returns the k best pages after the first `skip`, of some `pages` if they are given.
        """
        if k < 1 or not 1 <= skip + k <= MAX_SEARCH_RESULTS:
            raise BadParameter(f"a search gives 1 to {MAX_SEARCH_RESULTS:,} pages, not {skip + k}")
        parsed = parse_query(query)
        scored = run_query(
            self.text_index,
            parsed,
            SortedColumn(self.pages["key"]),
            skip + k,
            time_range,
            _both(self._tagged_pages(parsed), pages),
        )
        scored = ScoredPages(scored.page_numbers[skip:], scored.scores[skip:], scored.total)
        snippets = self._make_snippets(parsed, scored) if with_snippets else ()
        table = _build_results_table(scored, self.pages, snippets)
        kinds = tuple(self.page_kinds(scored.page_numbers).to_pylist())
        return SearchResults(query, scored.total, scored.page_numbers, table, kinds, snippets, skip)

    def match(self, query: str, time_range: TimeRange = ANY_TIME) -> Ids:
        """The numbers of all pages that a search finds, ascending."""
        parsed = parse_query(query)
        found = match_query(self.text_index, parsed, SortedColumn(self.pages["key"]), time_range)
        tagged = self._tagged_pages(parsed)
        return found if tagged is None else found[tagged[found]]

    def matching_pages(self, query: str) -> Flags:
        """Which pages a search finds: all of them, however many."""
        is_found = np.zeros(len(self), bool)
        is_found[self.match(query)] = True
        return is_found

    def _tagged_pages(self, parsed: Query) -> Flags | None:
        """The pages with the tags of a query; None where it has none."""
        if not (parsed.tags or parsed.excluded_tags):
            return None
        return select_tagged(self.have_tag, parsed.tags, parsed.excluded_tags)

    def _make_snippets(self, parsed: Query, scored: ScoredPages) -> tuple[Snippet, ...]:
        """Snippets of the main content, or of the full text where the words are not in it."""
        numbers = pa.array(scored.page_numbers, pa.int64())
        languages = self.pages["language"].take(numbers).to_pylist()
        stems = query_stems(parsed, self.text_index)
        texts = self.texts(scored.page_numbers, main_content=True)
        snippets = make_snippets(texts, languages, stems)
        unmarked = [k for k, snippet in enumerate(snippets) if not snippet.marks]
        if unmarked:
            texts = self.texts([scored.page_numbers[k] for k in unmarked])
            others = make_snippets(texts, [languages[k] for k in unmarked], stems)
            for k, snippet in zip(unmarked, others, strict=True):
                snippets[k] = snippet if snippet.marks else snippets[k]
        return tuple(snippets)


def _both(first: Flags | None, other: Flags | None) -> Flags | None:
    """The pages of two masks, either of which may be missing."""
    if first is None or other is None:
        return first if other is None else other
    return first & other


def extract_main_content(text: str, spans: Sequence[int]) -> str:
    """The parts of a text between pairs of offsets, or all of it where there are none."""
    if not spans:
        return text
    return "\n".join(text[a:b] for a, b in zip(spans[::2], spans[1::2], strict=False))


@memoize_latest
def _spread_tags(collection: Collection, facet: str, _version: str) -> PageValues:
    keys = SortedColumn(collection.pages["key"])
    pages = TaggablePages(
        collection.pages["url"].combine_chunks(),
        keys,
        collection.page_numbers,
        {entity.name: entity for entity in read_entities(collection.folder).entities},
    )
    return spread_over_pages(pages, collection.tags.in_force().values(), facet)


def _build_results_table(
    scored: ScoredPages, pages: pa.Table, snippets: Sequence[Snippet]
) -> pa.Table:
    """The table of a search: score, url, title, language, time and snippet, best first.

    The time is null where it is not known.
    """
    rows = pages.select(["url", "title", "language", "time"]).take(
        pa.array(scored.page_numbers, pa.int64())
    )
    dated = pc.if_else(pc.greater(rows["time"], 0), rows["time"], None)
    rows = rows.set_column(rows.column_names.index("time"), "time", dated)
    table = rows.add_column(0, "score", pa.array(scored.scores, pa.float64()))
    if snippets:
        table = table.append_column("snippet", pa.array([s.text for s in snippets], pa.string()))
    return table


def read_curation_stamp(folder: Path) -> tuple[int, ...]:
    """A stamp that changes with every tag and every change of entities or topics; cheap to read."""
    stamp = list[int]()
    for name in (TAGS_FILE, ENTITIES_FOLDER, GROUP_EDITS_FILE):
        try:
            state = os.stat(folder / name)  # noqa: PTH116  faster, and called at every request
            stamp += [state.st_ino, state.st_mtime_ns, state.st_size]
        except OSError:
            stamp.append(0)
    return tuple(stamp)


def read_live_columns(collection: Collection, columns: Sequence[str]) -> dict[str, pa.Array]:
    """Columns of the live capture of every page; null for pages without one, or without a value."""
    kinds = {name: segments.COLUMN_TYPES["pages.parquet"][name][0] for name in columns}
    pages = collection.pages
    segment, row = pages["segment"].to_numpy(), pages["row"].to_numpy()
    place, chunks, start = np.full(len(pages), -1, np.int64), [], 0
    for number, part in enumerate(collection.manifest.segments):
        own = np.flatnonzero(segment == number)
        if part.input_digest or not len(own):
            continue
        folder = collection.checked_segment_folder(part, "pages.parquet")
        table = segments.read_table(folder, "pages.parquet", columns).take(pa.array(row[own]))
        chunks.append(table.cast(pa.schema(kinds)))
        place[own] = start + np.arange(len(own))
        start += len(own)
    stored = pa.concat_tables([pa.schema(kinds).empty_table(), *chunks]).combine_chunks()
    taken = stored.take(pa.array(place, mask=place < 0))
    return {name: taken[name].combine_chunks() for name in columns}
