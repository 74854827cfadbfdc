"""Snippets: the part of a page's text with most words of the query, and their marks."""

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import takewhile

import numpy as np

from weft.store.index import TextIndex
from weft.store.search import Query
from weft.store.tokens import (
    UNSPACED_CHARACTERS,
    UNSPACED_RUN,
    find_stem_spans,
    stem_text,
    stemmer_code,
)

MAX_SNIPPET_CHARS = 240
LEAD_CHARS = 40
MAX_MARKS = 200
TEXTS_PER_BATCH = 50
WORD_RUN = re.compile(rf"[{UNSPACED_CHARACTERS}]+|[^\W_{UNSPACED_CHARACTERS}]+")

CharSpan = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Snippet:
    """A part of a page's text, and the character spans of the query's words in it."""

    text: str = ""
    marks: tuple[CharSpan, ...] = ()


def query_stems(query: Query, index: TextIndex) -> frozenset[str]:
    """The stems of the terms of a query; single characters that are in a bigram are left out."""
    variants = [variant for term in query.terms for variant in index.stem_and_expand_prefix(term)]
    stems = {stem for variant in variants for stem in variant}
    in_bigrams = {
        char for stem in stems if len(stem) == 2 and UNSPACED_RUN.fullmatch(stem) for char in stem
    }
    return frozenset(stems - in_bigrams)


def make_snippets(
    texts: Sequence[str], languages: Sequence[str], stems_to_mark: Set[str]
) -> list[Snippet]:
    """The snippet of each text; a text without the words gives its beginning."""
    snippets = [Snippet()] * len(texts)
    stemmers = [stemmer_code(language) for language in languages]
    for stemmer in dict.fromkeys(stemmers):
        own = [k for k, code in enumerate(stemmers) if code == stemmer]
        for at in range(0, len(own), TEXTS_PER_BATCH):
            batch = own[at : at + TEXTS_PER_BATCH]
            lines = [" ".join(texts[k].split()) for k in batch]
            byte_spans: list[list[list[int]]] = [[] for _ in batch]
            if stems_to_mark:
                byte_spans = find_stem_spans(lines, stemmer, stems_to_mark)
            for k, text, spans in zip(batch, lines, byte_spans, strict=True):
                marks = _find_marks(text, spans[:MAX_MARKS], stemmer, stems_to_mark)
                snippets[k] = _cut_snippet(text, marks)
    return snippets


def _cut_snippet(text: str, marks: list[CharSpan]) -> Snippet:
    if not marks:
        return Snippet(text[:MAX_SNIPPET_CHARS])
    start, end = _best_window(text, marks)
    inside = [(a - start, b - start) for a, b in marks if a >= start and b <= end]
    return Snippet(text[start:end], tuple(inside))


def _find_marks(
    text: str, spans: list[list[int]], stemmer: str, stems_to_mark: Set[str]
) -> list[CharSpan]:
    """The character spans of the words to mark, from byte spans of pieces of a text."""
    raw, marks = text.encode(), list[CharSpan]()
    # The character of each byte: UTF-8 continuation bytes are 10xxxxxx.
    is_ascii = len(raw) == len(text)
    chars = None if is_ascii else np.cumsum((np.frombuffer(raw, np.uint8) & 0xC0) != 0x80) - 1
    marks_in_piece = dict[str, list[CharSpan]]()
    for start, end in spans:
        piece, at = raw[start:end].decode(), start if chars is None else int(chars[start])
        if piece not in marks_in_piece:
            words = [
                span
                for span in _word_spans(piece)
                if _has_wanted_stem(piece[slice(*span)], stemmer, stems_to_mark)
            ]
            marks_in_piece[piece] = words or [(0, len(piece))]
        marks += [(at + a, at + b) for a, b in marks_in_piece[piece]]
    return _merge_overlapping_marks(marks)


def _word_spans(piece: str) -> Iterator[CharSpan]:
    """The spans of the words of a piece, or of its characters and bigrams without spaces."""
    for run in WORD_RUN.finditer(piece):
        if UNSPACED_RUN.match(run[0]):
            yield from (
                (k, k + n) for k in range(*run.span()) for n in (1, 2) if k + n <= run.end()
            )
        else:
            yield run.span()


def _has_wanted_stem(word: str, stemmer: str, stems_to_mark: Set[str]) -> bool:
    stems = [word] if UNSPACED_RUN.match(word) else stem_text(word, stemmer)
    return not stems_to_mark.isdisjoint(stems)


def _merge_overlapping_marks(marks: list[CharSpan]) -> list[CharSpan]:
    """Sort marks, and merge those that overlap, as bigrams do."""
    merged: list[CharSpan] = []
    for start, end in sorted(marks):
        if merged and start < merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


def _best_window(text: str, marks: list[CharSpan]) -> CharSpan:
    """The window with most distinct marked words, cut at spaces where there are any."""
    first, last = marks[max(range(len(marks)), key=lambda k: _count_distinct_words(text, marks, k))]
    start = max(0, min(first - LEAD_CHARS, len(text) - MAX_SNIPPET_CHARS))
    if start:
        start = text.find(" ", start, first) + 1 or start
    end = start + MAX_SNIPPET_CHARS
    if end < len(text):
        end = max(text.rfind(" ", last, end + 1), 0) or end
    return start, end


def _count_distinct_words(text: str, marks: list[CharSpan], first_mark: int) -> int:
    """The number of distinct words marked in the window that begins at a mark."""
    window_end = marks[first_mark][0] + MAX_SNIPPET_CHARS - LEAD_CHARS
    inside = takewhile(
        lambda mark: mark[1] <= window_end, marks[first_mark : first_mark + MAX_SNIPPET_CHARS]
    )
    return len({text[a:b].lower() for a, b in inside})
