"""Snippets: the piece of a page that says most of the query."""

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import takewhile

import numpy as np

from weft.store.index import TextIndex
from weft.store.query import Query
from weft.store.words import UNSPACED, UNSPACED_CHARACTERS, family, places, stems

LENGTH = 240
LEAD = 40
MOST_MARKS = 200
TOGETHER = 50
RUN = re.compile(rf"[{UNSPACED_CHARACTERS}]+|[^\W_{UNSPACED_CHARACTERS}]+")

Mark = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of a page's text, and where in it the words of the query stand."""

    text: str = ""
    marks: tuple[Mark, ...] = ()


def wanted_stems(query: Query, index: TextIndex) -> frozenset[str]:
    """What the words of a query become in an index; of characters in pairs, the pairs alone."""
    choices = [words for term in query.terms for words in index.choices(term)]
    every = {word for words in choices for word in words}
    paired = {
        char for word in every if len(word) == 2 and UNSPACED.fullmatch(word) for char in word
    }
    return frozenset(every - paired)


def make_snippets(
    texts: Sequence[str], languages: Sequence[str], wanted: Set[str]
) -> list[Snippet]:
    """Of each text the piece that says most of the query, or how it begins if it says nothing."""
    made = [Snippet()] * len(texts)
    families = [family(language) for language in languages]
    for name in dict.fromkeys(families):
        chosen = [k for k, own in enumerate(families) if own == name]
        for some in (chosen[at : at + TOGETHER] for at in range(0, len(chosen), TOGETHER)):
            tidy = [" ".join(texts[k].split()) for k in some]
            spans = places(tidy, name, wanted) if wanted else [[] for _ in some]
            for k, text, places_in in zip(some, tidy, spans, strict=True):
                made[k] = _snippet(text, _marks(text, places_in[:MOST_MARKS], name, wanted))
    return made


def _snippet(text: str, marks: list[Mark]) -> Snippet:
    if not marks:
        return Snippet(text[:LENGTH])
    start, end = _window(text, marks)
    inside = [(a - start, b - start) for a, b in marks if a >= start and b <= end]
    return Snippet(text[start:end], tuple(inside))


def _marks(text: str, spans: list[list[int]], name: str, wanted: Set[str]) -> list[Mark]:
    """The words that are wanted among pieces of a text, by characters."""
    raw, found = text.encode(), list[Mark]()
    ascii_ = len(raw) == len(text)
    chars = None if ascii_ else np.cumsum((np.frombuffer(raw, np.uint8) & 0xC0) != 0x80) - 1
    known = dict[str, list[Mark]]()
    for begin, end in spans:
        piece, at = raw[begin:end].decode(), begin if chars is None else int(chars[begin])
        if piece not in known:
            exact = [mark for mark in _words(piece) if _has(piece[slice(*mark)], name, wanted)]
            known[piece] = exact or [(0, len(piece))]
        found += [(at + a, at + b) for a, b in known[piece]]
    return _joined(found)


def _words(piece: str) -> Iterator[Mark]:
    """Where the words of a piece stand, or its characters and pairs of them."""
    for run in RUN.finditer(piece):
        if UNSPACED.match(run[0]):
            yield from (
                (k, k + n) for k in range(*run.span()) for n in (1, 2) if k + n <= run.end()
            )
        else:
            yield run.span()


def _has(word: str, name: str, wanted: Set[str]) -> bool:
    said = [word] if UNSPACED.match(word) else stems(word, name)
    return not wanted.isdisjoint(said)


def _joined(marks: list[Mark]) -> list[Mark]:
    """Marks in their order; those that overlap, as pairs of characters do, become one."""
    joined: list[Mark] = []
    for start, end in sorted(marks):
        if joined and start < joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return joined


def _window(text: str, marks: list[Mark]) -> Mark:
    """Where most different words are marked, from space to space where there are any."""
    first, last = marks[max(range(len(marks)), key=lambda k: _variety(text, marks, k))]
    start = max(0, min(first - LEAD, len(text) - LENGTH))
    if start:
        start = text.find(" ", start, first) + 1 or start
    end = start + LENGTH
    if end < len(text):
        end = max(text.rfind(" ", last, end + 1), 0) or end
    return start, end


def _variety(text: str, marks: list[Mark], k: int) -> int:
    """How many different words are marked in the window that begins with a mark."""
    reach = marks[k][0] + LENGTH - LEAD
    inside = takewhile(lambda mark: mark[1] <= reach, marks[k : k + LENGTH])
    return len({text[a:b].lower() for a, b in inside})
