"""Words: how each language's text is cut and stemmed for the index."""

import re
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from tantivy import Filter, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

from weft.core.arrays import Flags, Ids, Offsets

STEMMERS = {
    "ar": "arabic",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "hu": "hungarian",
    "it": "italian",
    "nl": "dutch",
    "no": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
}
UNSTEMMED = "xx"
LONGEST_WORD = 60
# Thai, Lao, Burmese, Khmer, Japanese and Chinese put no spaces between words.
UNSPACED_CHARACTERS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
UNSPACED = re.compile(f"[{UNSPACED_CHARACTERS}]+")
# What certainly is one word to the analysers: digits, and Latin and Cyrillic letters.
ONE_WORD = "^[0-9a-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0400-\u0481]+$"
# ASCII in lower case with spaces for all that is no letter or digit; other bytes as they are.
ASCII = (chr(code).lower() if chr(code).isalnum() else " " for code in range(128))
SPACED = "".join(ASCII).encode() + bytes(range(128, 256))
# More that is no word and stands beside many: Latin-1's signs by their second byte, and U+2000 on.
SIGNS = np.array([128 <= code < 192 and not chr(code).isalnum() for code in range(256)])
LATIN_1, GENERAL = 0xC2, (0xE2, 0x80)


def family(language: str) -> str:
    """Which analyser a language's text goes to; `xx` is text left unstemmed."""
    return language if language in STEMMERS else UNSTEMMED


@cache
def analyser(name: str) -> TextAnalyzer:
    """Lower case, stemmed, accents folded, without words too long to be any."""
    builder = TextAnalyzerBuilder(Tokenizer.simple())
    builder = builder.filter(Filter.remove_long(LONGEST_WORD)).filter(Filter.lowercase())
    if name in STEMMERS:
        builder = builder.filter(Filter.stemmer(STEMMERS[name]))
    return builder.filter(Filter.ascii_fold()).build()


def stems(text: str, name: str) -> list[str]:
    """The words of a text, stemmed; characters and pairs of them where words are not spaced.

    A stem bears the name of its family, lest the German stem of *forest* find
    every English *for*.

    Examples
    --------
    >>> stems("Café-Bars in 東京", "en")
    ['en/cafe', 'en/bar', 'en/in', '東', '東京', '京']
    """
    found = []
    at = 0
    for run in () if text.isascii() else UNSPACED.finditer(text):
        found += _stem_words(text[at : run.start()], name) + _pairs(run[0])
        at = run.end()
    return found + _stem_words(text[at:], name)


def _stem_words(text: str, name: str) -> list[str]:
    return [_mark(name) + stem for stem in analyser(name).analyze(text)]


def _mark(name: str) -> str:
    return "" if name == UNSTEMMED else f"{name}/"


def _pairs(run: str) -> list[str]:
    pairs = [piece for k in range(len(run)) for piece in (run[k], run[k : k + 2])]
    return pairs[:-1]


def stem_choices(text: str, names: Iterable[str]) -> list[tuple[str, ...]]:
    """What some words become in each of several families, each outcome once."""
    found = dict.fromkeys(tuple(stems(text, name)) for name in names)
    return [words for words in found if words]


def beginnings(text: str, names: Iterable[str]) -> list[tuple[tuple[str, ...], str]]:
    """Some words of which the last is the beginning of one: the stems before it, and how it begins.

    Writing without spaces has no such words: there every piece is found anyway.

    Examples
    --------
    >>> beginnings("Cats and Démoc*", ["en"])
    [(('en/cat', 'en/and'), 'en/democ')]
    """
    whole = analyser(UNSTEMMED).analyze(text)
    if not whole or UNSPACED.search(text):
        return []
    return [(tuple(stems(text, name)[:-1]), _mark(name) + whole[-1]) for name in names]


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """Texts cut where certainly no word runs on: the pieces as numbers of the distinct ones.

    Of `size` bytes, `texts` are the starts of the texts, `begins` those of the pieces.
    """

    size: int
    texts: Ids
    begins: Offsets
    numbers: pa.Array
    pieces: pa.Array

    @classmethod
    def of(cls, texts: pa.Array) -> "Cut":
        """Cut all texts at once."""
        raw, starts, begins = _pieces(texts)
        spaced = _strings(np.append(begins, len(raw)), raw).dictionary_encode()
        pieces = pc.ascii_rtrim_whitespace(spaced.dictionary).dictionary_encode()
        numbers = pieces.indices.take(spaced.indices)
        return cls(len(raw), starts, begins, numbers, pieces.dictionary)


class Vocabulary:
    """The pieces of texts of one family met so far, and the stems of each, a space after each.

    A piece is stemmed when it is met first, for most words of a page stand on
    others too.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.pieces = self.stems = pa.array([], pa.string())

    def stemmed(self, texts: pa.Array) -> "Stemmed":
        """Cut and stem all texts at once."""
        cut, before = Cut.of(texts), len(self)
        both = pa.concat_arrays([self.pieces, cut.pieces]).dictionary_encode()
        self.pieces, places = both.dictionary, both.indices.slice(before)
        fresh = _stem_pieces(self.pieces.slice(before), self.name)
        self.stems = pa.concat_arrays([self.stems, fresh])
        return Stemmed(cut, places.to_numpy(), self)

    def __len__(self) -> int:
        return len(self.pieces)


@dataclass(frozen=True, slots=True, eq=False)
class Stemmed:
    """Texts of one family, cut; `places` are those of the different pieces in the vocabulary."""

    cut: Cut
    places: Ids
    vocabulary: Vocabulary

    @classmethod
    def of(cls, texts: pa.Array, name: str) -> "Stemmed":
        """Texts by themselves."""
        return Vocabulary(name).stemmed(texts)

    @property
    def firsts(self) -> Offsets:
        """Which piece each text begins with, and last how many there are."""
        return np.searchsorted(self.cut.begins, self.cut.texts)

    def texts(self) -> list[str]:
        """The stems of each text, each followed by a space."""
        own = self.vocabulary.stems.take(pa.array(self.places))
        stemmed = own.take(self.cut.numbers)
        ends = np.frombuffer(stemmed.buffers()[1], np.int32)
        found: list[str] = _strings(ends[self.firsts], stemmed.buffers()[2]).to_pylist()
        return found


def places(texts: Sequence[str], name: str, wanted: Set[str]) -> list[list[list[int]]]:
    """Between which bytes of each text the pieces stand that have one of the wanted stems."""
    raw, starts, begins = _pieces(pa.array(texts, pa.string()))
    likely = np.flatnonzero(_likely(raw, begins, wanted))
    spaced = _strings(np.append(begins, len(raw)), raw).take(pa.array(likely))
    pieces = pc.ascii_rtrim_whitespace(spaced).dictionary_encode()
    either = "|".join(re.escape(stem) for stem in wanted)
    found = pc.match_substring_regex(_stem_pieces(pieces.dictionary, name), f"(?:^| )(?:{either}) ")
    hits = np.flatnonzero(found.take(pieces.indices).to_numpy(zero_copy_only=False))
    sizes = pc.binary_length(pieces.dictionary).take(pieces.indices).to_numpy()
    begin = begins[likely[hits]]
    spans = np.stack([begin, begin + sizes[hits]], axis=1)
    cuts = np.searchsorted(spans[:, 0], starts)
    return [
        (spans[a:b] - start).tolist()
        for start, (a, b) in zip(starts.tolist(), pairwise(cuts.tolist()), strict=False)
    ]


def _likely(raw: bytes, begins: Offsets, wanted: Set[str]) -> Flags:
    """Which pieces can have one of these stems: few others are.

    No stemmer changes how a word of plain letters begins.
    """
    first = {stem.rpartition("/")[2][:1] for stem in wanted}
    plain = [ord(char) for char in first if char.isascii() and char.isalnum()]
    data = np.frombuffer(raw, np.uint8)
    likely: Flags = np.isin(np.arange(256), plain)[data[begins]]
    if not raw.isascii():
        likely[np.searchsorted(begins, np.flatnonzero(data >= 128), side="right") - 1] = True
    return likely


def _pieces(texts: pa.Array) -> tuple[bytes, Ids, Offsets]:
    """The bytes of texts, spaced, where each text begins, and where each piece does."""
    starts = np.frombuffer(texts.buffers()[1], np.int32)[texts.offset :][: len(texts) + 1]
    data = texts.buffers()[2] or pa.py_buffer(b"")
    raw = _spaced(data[starts[0] : starts[-1]].to_pybytes().translate(SPACED))
    return raw, starts - starts[0], _begins(raw, starts[:-1] - starts[0])


def _spaced(raw: bytes) -> bytes:
    """Put spaces for signs beyond ASCII, as many as they have bytes."""
    if raw.isascii():
        return raw
    data = np.frombuffer(bytearray(raw), np.uint8)
    sign = np.flatnonzero(data == LATIN_1)
    sign = sign[SIGNS[data[sign + 1]]]
    mark = np.flatnonzero(data == GENERAL[0])
    mark = mark[data[mark + 1] == GENERAL[1]]
    for at in (sign, sign + 1, mark, mark + 1, mark + 2):
        data[at] = ord(" ")
    return data.tobytes()


def _begins(raw: bytes, pages: Ids) -> Offsets:
    """Where words begin: after a space, or at the head of a text."""
    word = np.frombuffer(raw, np.uint8) != ord(" ")
    begins = word.copy()
    begins[1:] &= ~word[:-1]
    inside = pages[pages < len(raw)]
    begins[inside] = word[inside]
    return np.flatnonzero(begins)


def _strings(starts: Ids | Offsets, raw: bytes | pa.Buffer) -> pa.Array:
    """The pieces of some bytes, each up to the start of the next."""
    buffers = [None, pa.py_buffer(starts.astype(np.int32)), pa.py_buffer(raw)]
    return pa.Array.from_buffers(pa.string(), len(starts) - 1, buffers)


def _stem_pieces(pieces: pa.Array, name: str) -> pa.Array:
    """Stem each piece; one that is no single word to the analyser becomes several, or none."""
    short = pc.less(pc.binary_length(pieces), LONGEST_WORD)
    single = pc.and_(short, pc.match_substring_regex(pieces, ONE_WORD))
    mixed = pc.invert(single)
    one = analyser(name).analyze(" ".join(pieces.filter(single).to_pylist()))
    more = [" ".join(stems(piece, name)) for piece in pieces.filter(mixed).to_pylist()]
    marked = pc.binary_join_element_wise(_mark(name), pa.array(one, pa.string()), "")
    stemmed = pc.replace_with_mask(pieces, single, marked)
    stemmed = pc.replace_with_mask(stemmed, mixed, pa.array(more, pa.string()))
    return pc.binary_join_element_wise(stemmed, "", " ")
