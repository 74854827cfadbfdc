"""Tokens: words split, stemmed and folded as in the index, and stop words by language."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from itertools import chain, pairwise

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
MAX_WORD_CHARS = 60
# Thai, Lao, Burmese, Khmer, Japanese and Chinese put no spaces between words.
UNSPACED_CHARACTERS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
UNSPACED_RUN = re.compile(f"[{UNSPACED_CHARACTERS}]+")
NGRAM_BLOCK_CHARS = 1 << 14
# Surely a single token to every analyser: digits, and Latin and Cyrillic letters.
SINGLE_WORD = "^[0-9a-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0400-\u0481]+$"
# ASCII in lower case, with spaces for what is neither letter nor digit; other bytes unchanged.
ASCII_TRANSLATION = (chr(code).lower() if chr(code).isalnum() else " " for code in range(128))
BYTE_TRANSLATION = "".join(ASCII_TRANSLATION).encode() + bytes(range(128, 256))
# Common non-word characters beyond ASCII: Latin-1 signs by their second byte, and U+2000 to U+203F.
LATIN_1_SIGNS = np.array([128 <= code < 192 and not chr(code).isalnum() for code in range(256)])
LATIN_1_LEAD_BYTE, PUNCTUATION_LEAD_BYTES = 0xC2, (0xE2, 0x80)
STOP_WORD_LANGUAGES = {"da", "de", "en", "es", "fi", "fr", "hu", "it", "nl", "no", "pt", "ru", "sv"}
WEB_LIST = "web"


def stemmer_code(language: str) -> str:
    """The code of the stemmer for a language; `xx` where there is none."""
    return language if language in STEMMERS else UNSTEMMED


@cache
def build_analyser(stemmer: str) -> TextAnalyzer:
    """Build the analyser of a stemmer: drop long words, lower case, stem, fold accents."""
    builder = TextAnalyzerBuilder(Tokenizer.simple())
    builder = builder.filter(Filter.remove_long(MAX_WORD_CHARS)).filter(Filter.lowercase())
    if stemmer in STEMMERS:
        builder = builder.filter(Filter.stemmer(STEMMERS[stemmer]))
    return builder.filter(Filter.ascii_fold()).build()


def stem_text(text: str, stemmer: str) -> list[str]:
    """The stems of a text; characters and bigrams for scripts without spaces.

    A stem begins with the code of its stemmer, so that the German stem of
    *forest* does not match the English *for*.

    Examples
    --------
    >>> stem_text("Café-Bars in 東京", "en")
    ['en/cafe', 'en/bar', 'en/in', '東', '東京', '京']
    """
    return list(chain.from_iterable(_iter_stems(text, stemmer)))


def _iter_stems(text: str, stemmer: str) -> Iterator[list[str]]:
    """The stems of a text; of a long run of characters a part at a time, since they are many."""
    at = 0
    for run in () if text.isascii() else UNSPACED_RUN.finditer(text):
        yield _stem_words(text[at : run.start()], stemmer)
        yield from _iter_character_ngrams(run[0])
        at = run.end()
    yield _stem_words(text[at:], stemmer)


def stem_each(words: Sequence[str], stemmer: str) -> list[list[str]]:
    """The stems of each of several words, most of which go through the analyser at once.

    Examples
    --------
    >>> stem_each(["cats", "東京", "x"], "en")
    [['en/cat'], ['東', '東京', '京'], ['en/x']]
    """
    simple = [
        word for word in words if word.isascii() and word.isalnum() and len(word) < MAX_WORD_CHARS
    ]
    stems = dict(zip(simple, _stem_words(" ".join(simple), stemmer), strict=True))
    return [[stems[word]] if word in stems else stem_text(word, stemmer) for word in words]


def _stem_words(text: str, stemmer: str) -> list[str]:
    return [_stemmer_tag(stemmer) + stem for stem in build_analyser(stemmer).analyze(text)]


def _stemmer_tag(stemmer: str) -> str:
    return "" if stemmer == UNSTEMMED else f"{stemmer}/"


def _iter_character_ngrams(run: str) -> Iterator[list[str]]:
    for start in range(0, len(run), NGRAM_BLOCK_CHARS):
        end = min(start + NGRAM_BLOCK_CHARS, len(run))
        ngrams = [ngram for k in range(start, end) for ngram in (run[k], run[k : k + 2])]
        # the last bigram of all is a single character
        yield ngrams if end < len(run) else ngrams[:-1]


def stem_with_each_stemmer(text: str, stemmers: Iterable[str]) -> list[tuple[str, ...]]:
    """The distinct stem sequences that several stemmers make of a text."""
    variants = dict.fromkeys(tuple(stem_text(text, stemmer)) for stemmer in stemmers)
    return [variant for variant in variants if variant]


def stem_before_prefix(text: str, stemmers: Iterable[str]) -> list[tuple[tuple[str, ...], str]]:
    """For each stemmer the stems of all words but the last, and the last as a prefix.

    Scripts without spaces have no prefixes: every part of a word is indexed there.

    Examples
    --------
    >>> stem_before_prefix("Cats and Démoc*", ["en"])
    [(('en/cat', 'en/and'), 'en/democ')]
    """
    words = build_analyser(UNSTEMMED).analyze(text)
    if not words or UNSPACED_RUN.search(text):
        return []
    return [
        (tuple(stem_text(text, stemmer)[:-1]), _stemmer_tag(stemmer) + words[-1])
        for stemmer in stemmers
    ]


@dataclass(frozen=True, slots=True, eq=False)
class SplitTexts:
    """Texts split at spaces and signs into pieces, each of one or more tokens.

    `text_starts` and `piece_starts` are offsets into the bytes of all texts;
    `piece_ids` are positions in the distinct `pieces`.
    """

    text_starts: Ids
    piece_starts: Offsets
    piece_ids: pa.Array
    pieces: pa.Array

    @classmethod
    def from_texts(cls, texts: pa.Array) -> "SplitTexts":
        """Split all texts at once."""
        raw, text_starts, piece_starts = _split_pieces(texts)
        # Twice encoded: first with the spaces that follow a piece, then without.
        spaced = _strings_from_offsets(np.append(piece_starts, len(raw)), raw).dictionary_encode()
        pieces = pc.ascii_rtrim_whitespace(spaced.dictionary).dictionary_encode()
        piece_ids = pieces.indices.take(spaced.indices)
        return cls(text_starts, piece_starts, piece_ids, pieces.dictionary)


class Vocabulary:
    """The distinct pieces of texts so far, and the stems of each, each followed by a space.

    Every piece is stemmed once, since most words of a page occur on others too.
    """

    def __init__(self, stemmer: str) -> None:
        self.stemmer = stemmer
        self.pieces = self.stems = pa.array([], pa.string())

    def stem_texts(self, texts: pa.Array) -> "StemmedTexts":
        """Split and stem all texts at once."""
        split, size = SplitTexts.from_texts(texts), len(self)
        # Known pieces come first and keep their ids; new ones are numbered after them.
        both = pa.concat_arrays([self.pieces, split.pieces]).dictionary_encode()
        self.pieces, ids = both.dictionary, both.indices.slice(size)
        new_stems = _stem_pieces(self.pieces.slice(size), self.stemmer)
        self.stems = pa.concat_arrays([self.stems, new_stems])
        return StemmedTexts(split, ids.to_numpy(), self)

    @property
    def nbytes(self) -> int:
        """The bytes that pieces and stems take."""
        return int(self.pieces.nbytes + self.stems.nbytes)

    def __len__(self) -> int:
        return len(self.pieces)


@dataclass(frozen=True, slots=True, eq=False)
class StemmedTexts:
    """Split texts of one stemmer; `vocabulary_ids` are the ids of their distinct pieces."""

    split: SplitTexts
    vocabulary_ids: Ids
    vocabulary: Vocabulary

    @classmethod
    def from_texts(cls, texts: pa.Array, stemmer: str) -> "StemmedTexts":
        """Split and stem texts with a vocabulary of their own."""
        return Vocabulary(stemmer).stem_texts(texts)

    @property
    def first_pieces(self) -> Offsets:
        """The first piece of each text, and at the end the number of pieces."""
        return np.searchsorted(self.split.piece_starts, self.split.text_starts)

    def to_strings(self) -> list[str]:
        """The stems of each text, each followed by a space."""
        piece_stems = self.vocabulary.stems.take(pa.array(self.vocabulary_ids))
        stems = piece_stems.take(self.split.piece_ids)
        # The stems of a text are adjacent bytes: cut them where the texts begin.
        offsets = np.frombuffer(stems.buffers()[1], np.int32)[self.first_pieces]
        strings: list[str] = _strings_from_offsets(offsets, stems.buffers()[2]).to_pylist()
        return strings


def find_stem_spans(
    texts: Sequence[str], stemmer: str, wanted_stems: Set[str]
) -> list[list[list[int]]]:
    """For each text the byte spans of the pieces that have one of the wanted stems."""
    raw, text_starts, piece_starts = _split_pieces(pa.array(texts, pa.string()))
    candidates = np.flatnonzero(_candidate_pieces(raw, piece_starts, wanted_stems))
    spaced = _strings_from_offsets(np.append(piece_starts, len(raw)), raw)
    pieces = pc.ascii_rtrim_whitespace(spaced.take(pa.array(candidates))).dictionary_encode()
    any_stem = "|".join(re.escape(stem) for stem in wanted_stems)
    stems = _stem_pieces(pieces.dictionary, stemmer)
    matches = pc.match_substring_regex(stems, f"(?:^| )(?:{any_stem}) ")
    hits = np.flatnonzero(matches.take(pieces.indices).to_numpy(zero_copy_only=False))
    sizes = pc.binary_length(pieces.dictionary).take(pieces.indices).to_numpy()
    starts = piece_starts[candidates[hits]]
    spans = np.stack([starts, starts + sizes[hits]], axis=1)
    bounds = np.searchsorted(spans[:, 0], text_starts)
    return [
        (spans[first:last] - start).tolist()
        for start, (first, last) in zip(
            text_starts.tolist(), pairwise(bounds.tolist()), strict=False
        )
    ]


def _candidate_pieces(raw: bytes, piece_starts: Offsets, wanted_stems: Set[str]) -> Flags:
    """Which pieces can have a wanted stem: same first letter, or a byte beyond ASCII.

    No stemmer changes the first letter of an ASCII word.
    """
    first = {stem.rpartition("/")[2][:1] for stem in wanted_stems}
    first_bytes = [ord(char) for char in first if char.isascii() and char.isalnum()]
    data = np.frombuffer(raw, np.uint8)
    candidate: Flags = np.isin(np.arange(256), first_bytes)[data[piece_starts]]
    if not raw.isascii():
        non_ascii = np.flatnonzero(data >= 128)
        candidate[np.searchsorted(piece_starts, non_ascii, side="right") - 1] = True
    return candidate


def _split_pieces(texts: pa.Array) -> tuple[bytes, Ids, Offsets]:
    """The normalised bytes of all texts, the starts of the texts, and those of the pieces."""
    starts = np.frombuffer(texts.buffers()[1], np.int32)[texts.offset :][: len(texts) + 1]
    data = texts.buffers()[2] or pa.py_buffer(b"")
    raw = _blank_non_ascii_signs(
        data[starts[0] : starts[-1]].to_pybytes().translate(BYTE_TRANSLATION)
    )
    return raw, starts - starts[0], _word_starts(raw, starts[:-1] - starts[0])


def _blank_non_ascii_signs(raw: bytes) -> bytes:
    """Replace the bytes of common signs beyond ASCII by spaces."""
    if raw.isascii():
        return raw
    data = np.frombuffer(bytearray(raw), np.uint8)
    sign = np.flatnonzero(data == LATIN_1_LEAD_BYTE)
    sign = sign[LATIN_1_SIGNS[data[sign + 1]]]
    mark = np.flatnonzero(data == PUNCTUATION_LEAD_BYTES[0])
    mark = mark[data[mark + 1] == PUNCTUATION_LEAD_BYTES[1]]
    for at in (sign, sign + 1, mark, mark + 1, mark + 2):
        data[at] = ord(" ")
    return data.tobytes()


def _word_starts(raw: bytes, text_starts: Ids) -> Offsets:
    """The first bytes of words: those after a space or at the start of a text."""
    is_word = np.frombuffer(raw, np.uint8) != ord(" ")
    is_start = is_word.copy()
    is_start[1:] &= ~is_word[:-1]
    inside = text_starts[text_starts < len(raw)]
    is_start[inside] = is_word[inside]
    return np.flatnonzero(is_start)


def _strings_from_offsets(starts: Ids | Offsets, raw: bytes | pa.Buffer) -> pa.Array:
    """View bytes as strings, each up to the start of the next."""
    buffers = [None, pa.py_buffer(starts.astype(np.int32)), pa.py_buffer(raw)]
    return pa.Array.from_buffers(pa.string(), len(starts) - 1, buffers)


def _stem_pieces(pieces: pa.Array, stemmer: str) -> pa.Array:
    """The stems of each piece, each followed by a space; a piece may have several or none.

    Pieces that are surely single words are stemmed in one call.
    """
    short = pc.less(pc.binary_length(pieces), MAX_WORD_CHARS)
    single = pc.and_(short, pc.match_substring_regex(pieces, SINGLE_WORD))
    other = pc.invert(single)
    words = build_analyser(stemmer).analyze(" ".join(pieces.filter(single).to_pylist()))
    word_stems = pc.binary_join_element_wise(
        _stemmer_tag(stemmer), pa.array(words, pa.string()), ""
    )
    other_stems = [_join_stems(piece, stemmer) for piece in pieces.filter(other).to_pylist()]
    stems = pc.replace_with_mask(pieces, single, word_stems)
    stems = pc.replace_with_mask(stems, other, pa.array(other_stems, pa.string()))
    return pc.binary_join_element_wise(stems, "", " ")


def _join_stems(piece: str, stemmer: str) -> str:
    return " ".join(" ".join(stems) for stems in _iter_stems(piece, stemmer) if stems)


@lru_cache(1 << 16)
def is_stop_word(word: str, language: str) -> bool:
    """Whether a lower-case word is a stop word of a language, or of the web in any language.

    Examples
    --------
    >>> is_stop_word("die", "de"), is_stop_word("die", "en"), is_stop_word("homepage", "fr")
    (True, False, True)
    """
    lists = _read_stop_words()
    if word in lists[WEB_LIST] or word in lists.get(language, ()):
        return True
    return language in STOP_WORD_LANGUAGES and not _stop_word_filter(language).analyze(word)


def find_stop_words(words: Sequence[str], language: str, *, of_the_web: bool = True) -> set[str]:
    """Those of several lower-case words that are stop words, as `is_stop_word` has them.

    Without `of_the_web`, words such as *home* are none.

    Examples
    --------
    >>> find_stop_words(["the", "home", "cat"], "en", of_the_web=False)
    {'the'}
    """
    lists = _read_stop_words()
    listed = lists.get(language, frozenset()) | (lists[WEB_LIST] if of_the_web else frozenset())
    found = {word for word in words if word in listed}
    if language in STOP_WORD_LANGUAGES:
        found |= set(words) - set(_stop_word_filter(language).analyze(" ".join(words)))
    return found


@cache
def _read_stop_words() -> dict[str, frozenset[str]]:
    lists = tomllib.loads((files("weft.store") / "stopwords.toml").read_text("utf-8"))
    return {code: frozenset(words.split()) for code, words in lists.items()}


@cache
def _stop_word_filter(language: str) -> TextAnalyzer:
    """An analyser that drops tantivy's stop words of a language."""
    builder = TextAnalyzerBuilder(Tokenizer.whitespace())
    return builder.filter(Filter.stopword(STEMMERS[language])).build()
