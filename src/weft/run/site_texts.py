"""What the pages of sites say, in terms, sentence by sentence."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field
from hashlib import blake2b

import numpy as np
import pyarrow as pa

from weft.core.arrays import Ids, Offsets, Rows, lower, stacked
from weft.core.progress import track
from weft.store.collection import Collection
from weft.store.snippet import make_snippets
from weft.store.stopwords import is_stop
from weft.store.words import Cut, Stemmed, family
from weft.structure.sites import Said

TOGETHER = 256
LONGEST_TEXT = 200_000
REPEATED, REPEATED_SHARE = 3, 0.02
SPOKEN_SHARE = 0.01
LONGEST_TERM = 40
A_TERM = re.compile(r"[^\W\d_].*[^\W\d_]")
SENTENCE_END = re.compile(r"(?<=[.!?\u3002])\s+")
TITLE_PART = re.compile(r"\s[|\u2013\u2014\u00b7\u00bb:-]+\s")


@dataclass(slots=True, eq=False)
class Reader:
    """Reads pages into terms: stems of one language, without stop words.

    All pages are stemmed as the language that most of them have, so that they
    can be compared. A line that stands on many pages of a site, as those of
    its menus do, is read on the first of them alone. `known` numbers the
    stems, `written` has the terms of every word met, and `times` how often.
    """

    collection: Collection
    language: str
    spoken: tuple[str, ...]
    known: dict[str, int] = field(default_factory=dict)
    written: dict[str, tuple[int, ...]] = field(default_factory=dict)
    times: Counter[str] = field(default_factory=Counter)
    repeated: set[int] = field(default_factory=set)
    cut_short: int = 0

    @classmethod
    def of(cls, collection: Collection, *sites: Ids) -> "Reader":
        """A reader of the languages that pages of some sites have."""
        said, spoken = Counter[str](), list[str]()
        for numbers in sites:
            column = collection.pages["language"].take(pa.array(numbers)).to_pylist()
            own = Counter(language for language in column if language)
            said += own
            spoken += [code for code in sorted(own) if own[code] >= SPOKEN_SHARE * len(numbers)]
        usual = min(said, key=lambda code: (-said[code], code)) if said else "en"
        return cls(collection, usual, tuple(dict.fromkeys([usual, *spoken])))

    def read(self, numbers: Ids) -> Said:
        """What some pages of a site say."""
        repeated, met = self._repeated(numbers), set[int]()
        self.repeated |= repeated
        counts, sentences, pages = [], [], [np.zeros(0, np.int32)]
        for at in track(range(0, len(numbers), TOGETHER), "terms", -(-len(numbers) // TOGETHER)):
            lines = self._lines(numbers[at : at + TOGETHER].tolist())
            fresh = [list(_fresh(own, repeated, met)) for own in lines]
            page, of_pages, of_sentences = self._counted(fresh)
            pages.append(page + np.int32(at))
            counts.append(of_pages)
            sentences.append(Rows(of_sentences.starts, of_sentences.ids))
        return Said(_stacked(counts), _stacked(sentences), np.concatenate(pages))

    def snippets(self, numbers: Sequence[int], wanted: Sequence[Set[str]]) -> list[str]:
        """The piece of each page that has most of the stems wanted of it; menus only if need be."""
        pieces = []
        texts = self.collection.texts(numbers, main=True)
        for text, stems in zip(texts, wanted, strict=True):
            lines = [line for line in text.split("\n") if _mark(line) not in self.repeated]
            own, whole = make_snippets(["\n".join(lines), text], [self.language] * 2, stems)
            pieces.append(own.text if own.marks else whole.text)
        return pieces

    def terms(self, text: str) -> Ids:
        """The terms of a text of one's own."""
        found: Ids = np.unique(self._counted([text.split("\n")])[1].ids)
        return found

    def forms(self) -> list[str]:
        """Each term as it is mostly written."""
        best = {number: (0, stem.rpartition("/")[2]) for stem, number in self.known.items()}
        for word, terms in self.written.items():
            if len(terms) == 1:
                best[terms[0]] = min(best[terms[0]], (-self.times[word], word))
        return [best[number][1] for number in range(len(self.known))]

    def _lines(self, numbers: Sequence[int]) -> Iterator[list[str]]:
        """The lines of each page: the parts of its title, then its main content."""
        titles = self.collection.pages["title"].take(pa.array(numbers)).to_pylist()
        for title, text in zip(titles, self.collection.texts(numbers, main=True), strict=True):
            lines = [*TITLE_PART.split(title), *text[:LONGEST_TEXT].split("\n")]
            self.cut_short += len(text) > LONGEST_TEXT
            yield [line for line in (" ".join(line.split()) for line in lines) if line]

    def _repeated(self, numbers: Ids) -> frozenset[int]:
        """The marks of lines that stand on many pages."""
        marks, cut_short = [np.zeros(0, np.uint64)], self.cut_short
        for at in range(0, len(numbers), TOGETHER):
            for lines in self._lines(numbers[at : at + TOGETHER].tolist()):
                own = {_mark(line) for line in lines}
                marks.append(np.fromiter(own, np.uint64, len(own)))
        found, pages = np.unique(np.concatenate(marks), return_counts=True)
        self.cut_short = cut_short
        return frozenset(found[pages >= max(REPEATED, REPEATED_SHARE * len(numbers))].tolist())

    def _counted(self, lines: Sequence[Sequence[str]]) -> tuple[Ids, Rows, Rows]:
        """The page of each sentence, the terms of each page, and those of each sentence."""
        split = [[part for line in own for part in SENTENCE_END.split(line)] for own in lines]
        page = np.repeat(np.arange(len(split)), [len(own) for own in split])
        cut = Cut.of(pa.array([part for own in split for part in own], pa.string()))
        pieces, piece = cut.pieces.to_pylist(), cut.numbers.to_numpy()
        self._learn(pieces, np.bincount(piece, minlength=len(pieces)))
        terms = [self.written[word] for word in pieces]
        many = np.array([len(own) for own in terms], np.int64)
        flat = np.array([term for own in terms for term in own], np.int64)
        sizes = many[piece]
        shift = np.repeat((np.cumsum(many) - many)[piece] - np.cumsum(sizes) + sizes, sizes)
        said = flat[np.arange(len(shift)) + shift]
        bounds = np.searchsorted(cut.begins, cut.texts)
        sentence = np.repeat(np.repeat(np.arange(len(page)), np.diff(bounds)), sizes)
        return (
            page.astype(np.int32),
            _rows(page[sentence], said, len(lines)),
            _rows(sentence, said, len(page)),
        )

    def _learn(self, pieces: Sequence[str], times: Offsets) -> None:
        """Count words, and take in the terms of those that are new."""
        self.times.update(dict(zip(pieces, times.tolist(), strict=True)))
        new = [word for word in pieces if word not in self.written]
        stemmed = Stemmed.of(pa.array(new, pa.string()), family(self.language)).texts()
        for word, stems in zip(new, stemmed, strict=True):
            meant = [] if self._empty(word.lower()) else stems.split()
            kept = [stem for stem in meant if self._tells(stem)]
            self.written[word] = tuple(self.known.setdefault(s, len(self.known)) for s in kept)

    def _tells(self, stem: str) -> bool:
        word = stem.rpartition("/")[2]
        return bool(len(word) <= LONGEST_TERM and A_TERM.match(word)) and not self._empty(word)

    def _empty(self, word: str) -> bool:
        return any(is_stop(word, language) for language in self.spoken)


def _fresh(lines: Sequence[str], repeated: frozenset[int], met: set[int]) -> Iterator[str]:
    """The lines of a page without those that an earlier page of the site repeats."""
    for line in lines:
        mark = _mark(line) if repeated else 0
        if mark not in met:
            yield line
        if mark in repeated:
            met.add(mark)


def _mark(line: str) -> int:
    words = " ".join(line.lower().split()).encode("utf-8", "replace")
    return int.from_bytes(blake2b(words, digest_size=8).digest())


def _rows(owner: Offsets, term: Offsets, n: int) -> Rows:
    """How often each owner says each term."""
    key, times = np.unique(stacked(owner, term), return_counts=True)
    starts = np.searchsorted(key, np.arange(n + 1) << 32)
    return Rows(starts, lower(key).astype(np.int32), times.astype(np.float32))


def _stacked(parts: Sequence[Rows]) -> Rows:
    """Rows one below the other."""
    sizes = [np.zeros(1, np.int64), *(np.diff(rows.starts) for rows in parts)]
    ids = [np.zeros(0, np.int32), *(rows.ids for rows in parts)]
    said = [np.zeros(0, np.float32), *(r.weights for r in parts if r.weights is not None)]
    weights = np.concatenate(said) if len(said) > len(parts) else None
    return Rows(np.cumsum(np.concatenate(sizes)), np.concatenate(ids), weights)
