"""Compare a page with all others by patterns of links and by words, and say who vouches."""

from dataclasses import dataclass
from itertools import islice
from typing import Annotated

import numpy as np
from pydantic import Field

from weft.core.arrays import Floats, Ids, Rows
from weft.core.params import Cap, HowStrong, Vote, Votes
from weft.core.wording import count
from weft.engine.strength import Paths
from weft.graph.alike import (
    CAP,
    SYMMETRIC,
    Pattern,
    Steps,
    best_of,
    steps_of,
    tied,
    weighed,
    witnesses,
)
from weft.graph.among import places
from weft.graph.webgraph import link_weights, reverse
from weft.store.stopwords import is_stop
from weft.store.telling import Words
from weft.suggest.around import Around
from weft.suggest.likeness import Likeness, Similar, Witness

Page = Annotated[str, Field(description="the page that others are to be like, by its name")]
Top = Annotated[int, Field(ge=1, le=10_000, description="how many pages to find")]
TEXT = "text"
MOST = 5
FROM_WITNESS: dict[Pattern, tuple[bool, bool]] = {
    "co-citation": (True, True),
    "coupling": (False, False),
    "indirect": (False, True),
    "indirect from": (True, False),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is asked: which page, how the pages that two share count, and how many are wanted."""

    page: Page = ""
    strength: HowStrong = "cosine"
    vote: Votes = "page"
    cap: Cap = CAP
    top: Top = 10


def liken(
    around: Around, name: str, asked: Asked, patterns: tuple[Pattern, ...], *, text: bool = False
) -> Similar:
    """The pages most like a page by some patterns, and by words if wanted, with their witnesses."""
    names = (*patterns, TEXT) if text else patterns
    if not asked.page:
        return Similar(name, "", (), names, ("no page was asked about",))
    number, notes = around.number(asked.page), list[str]()
    parts, ties = dict[str, Floats](), dict[Pattern, Paths]()
    for pattern in patterns:
        steps = _steps(around, pattern, asked.vote)
        ties[pattern] = weighed(steps, asked.strength, asked.cap)
        found = tied(ties[pattern], number, asked.strength)
        parts[pattern] = np.zeros(len(around.graph))
        parts[pattern][found.pages] = found.strength
        if found.left_out:
            notes.append(
                f"{pattern}: {count(found.left_out, asked.vote)} with too many links not asked "
                f"(cap {asked.cap:,})"
            )
    if text:
        parts[TEXT], silent = shared_words(around, number)
        notes += [f"{asked.page} says nothing that is known"] if silent else []
    score = sum(parts.values(), np.zeros(len(around.graph)))
    best = best_of(score, asked.top).astype(np.int32)
    known = zip(around.titles(best), around.kinds(best), strict=True)
    vouching = vouchers(around, ties, asked.vote, number, best)
    made = [
        Likeness(
            around.graph.pages[other],
            title,
            kind,
            float(score[other]),
            {part: float(values[other]) for part, values in parts.items()},
            *vouching[other],
            common_words(around, number, other) if text else (),
        )
        for other, (title, kind) in zip(best.tolist(), known, strict=True)
    ]
    return Similar(name, asked.page, tuple(made), names, tuple(notes))


def _steps(around: Around, pattern: Pattern, vote: Vote) -> Steps:
    return around.once(f"{pattern} by {vote}", lambda: steps_of(around.graph, pattern, vote))


Vouched = tuple[dict[str, int], tuple[Witness, ...]]


def vouchers(
    around: Around, ties: dict[Pattern, Paths], vote: Vote, page: int, found: Ids
) -> dict[int, Vouched]:
    """For each page found how many witnesses of each pattern tie it, and the first of them."""
    shared: dict[int, dict[str, int]] = {other: {} for other in found.tolist()}
    rows: list[tuple[int, Pattern, int]] = []
    for pattern, paths in ties.items():
        for other, counts in shared.items():
            both = witnesses(paths, _back(around, pattern, paths), page, other)
            counts[pattern] = len(both)
            rows += [(other, pattern, witness) for witness in both[:MOST].tolist()]
    said = _said(around, vote, page, rows)
    names = around.graph.pages if vote == "page" else around.site_names
    made: dict[int, list[Witness]] = {other: [] for other in shared}
    for (other, pattern, witness), (anchor, its) in zip(rows, said, strict=True):
        made[other].append(Witness(pattern, names[witness], anchor, its))
    return {other: (shared[other], tuple(made[other])) for other in shared}


def _back(around: Around, pattern: Pattern, paths: Paths) -> Rows:
    """The rows in which a page that is found has its witnesses."""
    if pattern in SYMMETRIC:
        return paths.first
    return around.graph.inlinks if pattern == "indirect" else around.graph.outlinks


def _said(
    around: Around, vote: Vote, page: int, rows: list[tuple[int, Pattern, int]]
) -> list[tuple[str, str]]:
    """What the two links of each tie say; those of sites are several, and say nothing here."""
    if vote == "site" or not rows:
        return [("", "")] * len(rows)
    ends = [
        (witness, end) if from_witness else (end, witness)
        for other, pattern, witness in rows
        for end, from_witness in zip((page, other), FROM_WITNESS[pattern], strict=True)
    ]
    sources, targets = np.array(ends, np.int32).T
    said = [words[0] if words else "" for words in around.said(sources, targets)]
    return list(zip(said[::2], said[1::2], strict=True))


def shared_words(around: Around, page: int) -> tuple[Floats, bool]:
    """The cosine of a page's telling words with those of every other; whether it says none."""
    words, sayers = _words_of(around), _sayers(around)
    starts = np.asarray(words.rows.starts)
    own = slice(int(starts[page]), int(starts[page + 1]))
    stems = np.asarray(words.rows.ids[own])
    at, _ = places(sayers, stems)
    many = sayers.starts[stems + 1] - sayers.starts[stems]
    weight = np.repeat(np.asarray(words.weights[own], np.float64), many)
    said = link_weights(sayers)[at] * weight
    dots = np.bincount(sayers.ids[at], said, len(starts) - 1)
    size = _lengths(around, words)
    cosine = np.zeros(len(dots))
    np.divide(dots, size * size[page], out=cosine, where=dots > 0)
    cosine[page] = 0.0
    return cosine, own.start == own.stop


def _sayers(around: Around) -> Rows:
    """For each stem the pages that say it, and how weightily."""

    def make() -> Rows:
        words = _words_of(around)
        n = max(len(words.stems), len(words.rows.starts) - 1)
        starts = np.pad(np.asarray(words.rows.starts), (0, n + 1 - len(words.rows.starts)), "edge")
        return reverse(Rows(starts, words.rows.ids, words.weights), n)

    return around.once("who says words", make)


def _words_of(around: Around) -> Words:
    return around.once("words", lambda: around.base.words)


def _lengths(around: Around, words: Words) -> Floats:
    def make() -> Floats:
        starts = np.asarray(words.rows.starts)
        squares = np.append(words.weights.astype(np.float64) ** 2, 0.0)
        sums = np.add.reduceat(squares, starts[:-1])
        return np.sqrt(np.where(starts[1:] > starts[:-1], sums, 0.0))

    return around.once("lengths of words", make)


def common_words(around: Around, page: int, other: int) -> tuple[str, ...]:
    """The words that weigh most in the likeness of two pages, as the first mostly writes them.

    Stop words are left out.
    """
    words = _words_of(around)
    starts = np.asarray(words.rows.starts)
    one, two = (slice(int(starts[k]), int(starts[k + 1])) for k in (page, other))
    both, at, its = np.intersect1d(
        words.rows.ids[one], words.rows.ids[two], assume_unique=True, return_indices=True
    )
    worth = np.asarray(words.weights[one])[at] * np.asarray(words.weights[two])[its]
    best = both[np.argsort(-worth, kind="stable")]
    said = (words.stems[int(stem)].as_py() for stem in best)
    return tuple(islice((around.written(page, stem) for stem in said if _tells(stem)), MOST))


def _tells(stem: str) -> bool:
    tongue, _, word = stem.rpartition("/")
    return not is_stop(word, tongue)
