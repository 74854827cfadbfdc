"""A collection as readers see it: one committed snapshot of a folder."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar, cast

import numpy as np
import pyarrow as pa

from weft.core.arrays import Ids
from weft.core.errors import BadParameter, Damaged, Malformed, UnknownName
from weft.core.tabular import Tabular, first_rows
from weft.core.wording import count
from weft.gather.url import Policy, host, name, sort_key, spellings
from weft.store import segment as segments
from weft.store.index import TextIndex, open_index
from weft.store.lock import Hold
from weft.store.manifest import File, Manifest, Segment, refuse_links
from weft.store.mapped import Sorted, check_ids, read_checked
from weft.store.numbering import ALIASES, KINDS, PAGES
from weft.store.query import Query, parse
from weft.store.search import ALWAYS, Found, Span, found_table, run_query
from weft.store.snippet import Snippet, make_snippets, wanted_stems
from weft.store.telling import Told, Words

MOST = 10_000
T = TypeVar("T")
SEARCH = "`weft search` finds pages by their words"
ATTEMPTS = 3
YEAR_10000 = 253_402_300_800


@dataclass(frozen=True, slots=True, eq=False)
class Hits(Tabular):
    """What a search found: `total` pages, of which these are the best.

    `numbers` are those of the pages in the collection, `marked` their snippets
    with the places of the words.
    """

    query: str
    total: int
    numbers: tuple[int, ...]
    table: pa.Table
    marked: tuple[Snippet, ...] = ()

    def to_table(self) -> pa.Table:
        """One row per page, best first: score, url, title, language, time, snippet."""
        return self.table

    def __len__(self) -> int:
        return len(self.numbers)

    def __repr__(self) -> str:
        lead = f", led by {self.table['url'][0]}" if len(self) else ""
        return f"<Hits: {count(self.total, 'page')} for {self.query!r}{lead}>"

    def _repr_html_(self) -> str:
        return first_rows(self, self.table.select(["score", "url", "title"]))


@dataclass(frozen=True, slots=True, eq=False)
class Collection:
    """Pages, their words and their links at one commit; writers never disturb it."""

    folder: Path
    manifest: Manifest
    _open: dict[str, object] = field(default_factory=dict, repr=False)

    @classmethod
    def open(cls, folder: Path) -> "Collection":
        """Open the last commit; should a writer replace it meanwhile, the one after."""
        for attempt in range(1, ATTEMPTS + 1):
            manifest = Manifest.read(folder)
            collection = cls(folder, manifest)
            try:
                collection._look()
            except Damaged:
                if attempt == ATTEMPTS or Manifest.read(folder) == manifest:
                    raise
            else:
                break
        return collection

    def _look(self) -> None:
        """Hold the snapshot, see that every committed file has its size, and map the pages."""
        refuse_links(self.folder)
        self._open["hold"] = Hold(self.folder / self.manifest.folder)
        for path, file in self.files().items():
            file.check(self.folder / path, small=0)
        _ = self.pages

    def files(self, *, segments_too: bool = True) -> dict[str, File]:
        """Every committed file by its path below the folder."""
        found = dict(self.manifest.files)
        if segments_too:
            for part in self.manifest.segments:
                found |= {f"segments/{part.name}/{name}": f for name, f in part.files.items()}
        return found

    def path(self, name: str) -> Path:
        """A file or folder of the snapshot, its bytes checked before they are first used."""
        whole = f"{self.manifest.folder}/{name}"
        if f"checked {whole}" not in self._open:
            for path, file in self.manifest.files.items():
                if path == whole or path.startswith(f"{whole}/"):
                    file.check(self.folder / path)
            self._open[f"checked {whole}"] = True
        return self.folder / whole

    def segment_folder(self, part: Segment, *tables: str) -> Path:
        """Where a segment lies, its tables, or those named, checked before they are first used."""
        at = self.folder / "segments" / part.name
        for table in tables or part.files:
            if (checked := f"checked {part.name}/{table}") not in self._open:
                part.files[table].check(at / table)
                self._open[checked] = True
        self.once(f"sizes {part.name}", lambda: segments.check_sizes(at, part))
        return at

    @property
    def pages(self) -> pa.Table:
        """Every page by its number: url, title, language, time, kind, captures."""
        if "pages.arrow" not in self._open:
            table = read_checked(self.path("pages.arrow"), PAGES)
            self._check_pages(table)
            self._open["pages.arrow"] = table
        return cast("pa.Table", self._open["pages.arrow"])

    def _check_pages(self, pages: pa.Table) -> None:
        """Refuse pages of kinds, times or places in segments that there are not."""
        path, parts = self.path("pages.arrow"), self.manifest.segments
        kind, time, home, row = (
            pages[name].to_numpy() for name in ("kind", "time", "segment", "row")
        )
        check_ids(path, kind, len(KINDS))
        check_ids(path, time, YEAR_10000)
        check_ids(path, home, len(parts), -1)
        sizes = np.array([*(part.pages for part in parts), 0])
        if ((row < -1) | (row >= sizes[home]) & (home >= 0)).any():
            raise Malformed(path, "a page is in no row of its segment")

    @property
    def aliases(self) -> pa.Table:
        """URLs that another page stands for, and why."""
        if "aliases.arrow" not in self._open:
            path = self.path("aliases.arrow")
            table = read_checked(path, ALIASES)
            check_ids(path, table["page"].to_numpy(), len(self))
            self._open["aliases.arrow"] = table
        return cast("pa.Table", self._open["aliases.arrow"])

    def once(self, name: str, make: Callable[[], T]) -> T:
        """What follows from the snapshot alone, made when it is first asked for, and kept."""
        if name not in self._open:
            self._open[name] = make()
        return cast("T", self._open[name])

    def __len__(self) -> int:
        return len(self.pages)

    @property
    def policy(self) -> Policy:
        """The URL rules of this collection."""
        return Policy(**self.manifest.policy)

    def number(self, url: str) -> int:
        """The number of a page by its URL, as `find` gives it; -1 where there is none."""
        keys, folded = Sorted(self.pages["key"]), Sorted(self.aliases["key"])
        for form in self._spellings(url):
            key = sort_key(form)
            number = keys.find(key)
            if number < 0 and (at := folded.find(key)) >= 0:
                number = self.aliases["page"][at].as_py()
            if number >= 0:
                return number
        return -1

    def find(self, url: str) -> int:
        """The number of a page by its URL; scheme and `www.` may be left out."""
        if (number := self.number(url)) >= 0:
            return number
        keys = Sorted(self.pages["key"])
        near = keys.place(sort_key(next(iter(self._spellings(url)))))
        around = range(max(0, near - 20), min(len(keys), near + 20))
        known = [self.pages["url"][i].as_py() for i in around]
        beside = self._beside(url, keys)
        cure = f"did you mean {beside!r}?" if beside else SEARCH
        raise UnknownName("page", url, known, hint=cure)

    def _beside(self, url: str, keys: Sorted) -> str:
        """A page of the host that a URL names, near where that would stand; or nothing."""
        for form in self._spellings(url):
            at = keys.place(sort_key(form))
            for near in self.pages["url"].slice(max(at - 1, 0), 2).to_pylist()[::-1]:
                if host(near) == host(form):
                    return str(near)
        return ""

    def url(self, given: str) -> str:
        """The URL of a page as the collection has it; scheme and `www.` may be left out."""
        found: str = self.pages["url"][self.find(given)].as_py()
        return found

    def _spellings(self, url: str) -> list[str]:
        """The names a page may have: as given, and with what people leave out.

        In canonical form, as pages have them, and as they are, as graphs without text do.
        """
        given = url.strip()
        full = spellings(given)
        return [given, *(name(form, self.policy) for form in full), *full]

    def texts(self, numbers: Sequence[int], *, main: bool = False) -> list[str]:
        """The text of some pages, in their order, or its main content where that was found.

        It is empty for pages that were never fetched, such as those of an edge list.
        """
        found = self.pages.select(["segment", "row"]).take(pa.array(numbers, pa.int64()))
        where = np.stack([column.to_numpy() for column in found.columns], axis=1)
        words = [""] * len(numbers)
        for s in np.unique(where[:, 0]):
            if s < 0 or self.manifest.segments[s].origin:
                continue
            at = np.flatnonzero(where[:, 0] == s)
            part = self.manifest.segments[s]
            folder = self.segment_folder(part, "pages.parquet")
            table = segments.page_rows(folder, where[at, 1].tolist(), ["text", "main"])
            texts = table["text"].to_pylist()
            spans = table["main"].to_pylist() if main else [()] * len(texts)
            for place, text, span in zip(at.tolist(), texts, spans, strict=True):
                words[place] = _main_content(text, span or ())
        return words

    def words(self, numbers: Ids) -> Words:
        """The telling words of some pages, in their order; none of pages that were never read."""
        return self.once("words", lambda: Told.open(self.path("words"), len(self))).of(numbers)

    @property
    def text_index(self) -> TextIndex:
        """The full-text index, opened once."""
        if "index" not in self._open:
            self._open["index"] = open_index(self.path("index"), len(self))
        return self._open["index"]  # type: ignore[return-value]

    def search(
        self,
        query: str,
        k: int = 10,
        *,
        skip: int = 0,
        span: Span = ALWAYS,
        with_snippets: bool = True,
    ) -> Hits:
        """Find pages by their words: BM25 over title, text, URL and anchors of links to them.

        The first `skip` of them are left out.
        """
        if k < 1 or not 1 <= skip + k <= MOST:
            raise BadParameter(f"a search gives 1 to {MOST:,} pages, not {skip + k}")
        parsed = parse(query)
        found = run_query(self.text_index, parsed, Sorted(self.pages["key"]), skip + k, span)
        found = Found(found.numbers[skip:], found.scores[skip:], found.total)
        marked = self._snippets(parsed, found) if with_snippets else ()
        return Hits(
            query, found.total, found.numbers, found_table(found, self.pages, marked), marked
        )

    def _snippets(self, parsed: Query, found: Found) -> tuple[Snippet, ...]:
        """Pieces of the main content, or of the whole text where the words stand elsewhere."""
        spoken = self.pages["language"].take(pa.array(found.numbers, pa.int64())).to_pylist()
        wanted = wanted_stems(parsed, self.text_index)
        texts = self.texts(found.numbers, main=True)
        made = make_snippets(texts, spoken, wanted)
        rest = [k for k, snippet in enumerate(made) if not snippet.marks]
        if rest:
            texts = self.texts([found.numbers[k] for k in rest])
            again = make_snippets(texts, [spoken[k] for k in rest], wanted)
            for k, snippet in zip(rest, again, strict=True):
                made[k] = snippet if snippet.marks else made[k]
        return tuple(made)


def _main_content(text: str, spans: Sequence[int]) -> str:
    """The parts of a text between pairs of places, or all of it where there are none."""
    if not spans:
        return text
    return "\n".join(text[a:b] for a, b in zip(spans[::2], spans[1::2], strict=False))
