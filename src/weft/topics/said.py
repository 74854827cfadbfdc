"""What is said of topics: their phrases, each with how strongly it is said, and by how many."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import log
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import Flags, Floats, Ids, Offsets
from weft.graph.among import places
from weft.store.telling import Words
from weft.topics.phrases import BITS, LONGEST, Key, Phrases

WORTH = np.array([0.0, 1.0, 1.6, 1.9])
ENOUGH = 0.25
ONCE = 0.5
TEXT = 0.2
FAIR, RARE = 0.1, 0.2


class Shares(NamedTuple):
    """Pages with their shares of something."""

    pages: Ids
    shares: Floats

    @classmethod
    def of(cls, pages: Ids, scores: Floats) -> "Shares":
        """Pages with their shares of all their scores."""
        return cls(pages, scores / max(scores.sum(), 1e-300))

    def pairs(self) -> Iterator[tuple[int, float]]:
        """One after the other."""
        return zip(self.pages.tolist(), self.shares.tolist(), strict=True)


class Label(NamedTuple):
    """What a topic is called, and the share of its pages that have the words of a term at most."""

    terms: tuple[str, ...]
    carried: float


class Hearing(NamedTuple):
    """Texts that are heard of topics, side by side; topic by topic, in the order of hearing.

    `text` is a place among texts, `site` whose it is and `about` what it speaks
    of, as numbers.
    """

    topic: Ids
    text: Ids
    site: Ids
    about: Ids
    weight: Floats

    @classmethod
    def of(cls, rows: Sequence[tuple[int, int, int, int, float]]) -> "Hearing":
        """One row for each text."""
        topic, text, site, about, weight = zip(*rows, strict=True) if rows else [()] * 5
        ids = (np.array(column, np.int32) for column in (topic, text, site, about))
        return cls(next(ids), next(ids), next(ids), next(ids), np.array(weight, float))


@dataclass(frozen=True, slots=True, eq=False)
class Said:
    """The phrases of topics, by key and then by topic: how strongly each is said.

    `several` are said by more than one site and of more than one page: one
    site does not count twice, nor do mirrors of one page. A phrase of a topic
    is said in `uses[starts[k] : starts[k + 1]]`, which are places in
    `phrases`, each with the weight of its text. `carried` is the share of the
    pages of its topic that have its words, one where that is not known.
    """

    phrases: Phrases
    topic: Ids
    key: Offsets
    weight: Floats
    several: Flags
    starts: Offsets
    uses: Offsets
    weights: Floats
    carried: Floats

    @classmethod
    def of(cls, phrases: Phrases, hearing: Hearing) -> "Said":
        """What texts say of topics; a text says a phrase once."""
        first = np.searchsorted(phrases.text, np.arange(len(phrases.telling) + 1))
        many = np.diff(first)[hearing.text]
        uses = np.arange(many.sum()) + np.repeat(first[hearing.text] - np.cumsum(many) + many, many)
        order = np.argsort(phrases.key[uses], kind="stable")
        uses, heard = uses[order], np.repeat(np.arange(len(many)), many)[order]
        key = phrases.key[uses]
        fresh = _changes(key, heard)
        key, uses, heard = key[fresh], uses[fresh], heard[fresh]
        starts = np.flatnonzero(_changes(key, hearing.topic[heard]))
        cell = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(key)))
        weights, chief = hearing.weight[heard], heard[starts][cell]
        return cls(
            phrases,
            hearing.topic[heard[starts]],
            key[starts],
            np.bincount(cell, weights, len(starts)).astype(float),
            np.logical_and(
                *(
                    np.bincount(cell[side[heard] != side[chief]], minlength=len(starts)) > 0
                    for side in (hearing.site, hearing.about)
                )
            ),
            np.append(starts, len(key)),
            uses,
            weights,
            np.ones(len(starts)),
        )

    def echoed(self, words: Words, best: Sequence[Shares], some: Sequence[Shares]) -> "Said":
        """The same, where phrases weigh more whose words are telling in texts.

        `best` are the best pages of each topic, `some` any of them. A word that
        is telling in the texts of several of the best adds a part of what it
        does in titles. A phrase weighs less that is carried by few: whose words
        less than a tenth of the other pages have.
        """
        known = dict[str, int]()
        heads = [stem.partition("-")[0] for stem in self.phrases.stems]
        place = [0, *(known.setdefault(head, len(known) + 1) for head in heads)]
        told = _told(words, list(known), [*best, *some])
        shares, several = told.shares[:, place], told.pages[:, place] > 1
        added = TEXT * self._least(np.where(several, shares, 0.0)[: len(best)])
        saying = shares[len(best) :].max(axis=1, initial=0)[self.topic] > 0
        carried = np.where(saying, self._least(shares[len(best) :]), 1.0)
        weight = (self.weight + added) * np.clip(carried / FAIR, RARE, 1.0)
        return replace(self, weight=weight, carried=carried)

    def _least(self, shares: Floats) -> Floats:
        """The smallest share in its topic that a stem of each phrase has."""
        least = np.full(len(self), np.inf)
        for k in range(LONGEST):
            stem = self.key >> BITS * k & (1 << BITS) - 1
            least = np.where(stem > 0, np.minimum(least, shares[self.topic, stem]), least)
        return least

    def labels(self, topics: int, terms: int) -> list["Label"]:
        """What each of so many topics says most that others do not, up to so many terms."""
        score, best = self.score(topics), np.zeros(topics)
        np.maximum.at(best, self.topic, score)
        likely = np.flatnonzero(score >= ENOUGH * best[self.topic])
        keys = self.phrases.keys(self.key[likely])
        found: list[list[tuple[float, Key, int]]] = [[] for _ in range(topics)]
        for topic, *each in zip(
            self.topic[likely].tolist(),
            (-score[likely]).tolist(),
            keys,
            likely.tolist(),
            strict=True,
        ):
            found[topic].append(tuple(each))
        return [self._chosen(sorted(own), terms) for own in found]

    def _chosen(self, likely: Sequence[tuple[float, Key, int]], terms: int) -> "Label":
        """The first that have no word in common."""
        chosen, taken = list[int](), set[str]()
        for _, key, k in likely:
            if len(chosen) < terms and taken.isdisjoint(key):
                chosen.append(k)
                taken.update(key)
        most = max(self.carried[chosen].tolist(), default=1.0)
        return Label(tuple(map(self.form, chosen)), most)

    def score(self, topics: int) -> Floats:
        """How strongly a topic says a phrase, times how few topics say it."""
        length = 1 + sum((self.key >> BITS * k > 0).astype(np.int8) for k in range(1, LONGEST))
        rarity = np.full(len(self.key), log(topics + 1))
        group = np.cumsum(_changes(self.key)) - 1
        many = np.bincount(group)[group] if len(group) else group
        shared = np.flatnonzero(many > 1)
        first = np.searchsorted(group, group[shared])
        whose = np.repeat(np.arange(len(shared)), many[shared])
        turn = np.arange(len(whose)) - np.searchsorted(whose, whose)
        other, own = self.weight[first[whose] + turn], self.weight[shared[whose]]
        saying = np.bincount(whose, np.minimum(other / own, 1.0), len(shared))
        rarity[shared] = [log(each) for each in ((topics + 1) / saying).tolist()]
        support = np.where(self.several, 1.0, ONCE)
        scores: Floats = support * WORTH[length] * self.weight * rarity
        return scores

    def form(self, k: int) -> str:
        """How a phrase of a topic is mostly written."""
        said, forms = slice(self.starts[k], self.starts[k + 1]), defaultdict[str, float](float)
        written = self.phrases.forms(self.uses[said])
        for form, weight in zip(written, self.weights[said].tolist(), strict=True):
            forms[form] += weight
        return min(forms, key=lambda form: (-forms[form], form))

    def __len__(self) -> int:
        return len(self.key)

    def __repr__(self) -> str:
        return f"<Said: {len(self):,} phrases of topics>"


def _changes(*columns: npt.NDArray[np.integer]) -> Flags:
    """Whether a row differs from the one before."""
    new = np.ones(len(columns[0]), bool)
    new[1:] = np.logical_or.reduce([column[1:] != column[:-1] for column in columns])
    return new


class Told(NamedTuple):
    """What pages of topics tell: by topic and stem their shares, and how many they are."""

    shares: Floats
    pages: Offsets


def _told(words: Words, stems: Sequence[str], topics: Sequence[Shares]) -> Told:
    """Which stems, numbered from one, are telling on pages of topics; zero is for no stem."""
    pages = np.concatenate([np.zeros(0, np.int32), *(each.pages for each in topics)])
    shares = np.concatenate([np.zeros(0), *(each.shares for each in topics)])
    topic = np.repeat(np.arange(len(topics)), [len(each.pages) for each in topics])
    at, _ = places(words.rows, pages)
    many = words.rows.starts[pages + 1] - words.rows.starts[pages]
    stem = _numbered(words, np.asarray(words.rows.ids[at]), stems)
    known, size = np.flatnonzero(stem), (len(topics), len(stems) + 1)
    cell = np.repeat(topic * size[1], many)[known] + stem[known]
    weight, cells = np.repeat(shares, many)[known], size[0] * size[1]
    return Told(
        np.bincount(cell, weight, cells).astype(float).reshape(size),
        np.bincount(cell, minlength=cells).reshape(size),
    )


def _numbered(words: Words, ids: Ids, stems: Sequence[str]) -> Offsets:
    """For each of some words its place among stems, from one, and zero if it is none."""
    used = np.zeros(len(words.stems), bool)
    used[ids] = True
    known = pa.array(stems, words.stems.type)
    found = pc.fill_null(pc.index_in(words.stems.filter(pa.array(used)), known), -1)
    number = np.zeros(len(used), np.int64)
    number[used] = found.to_numpy() + 1
    return number[ids]
