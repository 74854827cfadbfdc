"""Weights of the phrases of topics, and labels chosen by TF-IDF."""

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
from weft.graph.views import link_positions
from weft.store.term_weights import TermWeights
from weft.topics.phrases import MAX_PHRASE_WORDS, STEM_BITS, Phrases, StemKey

LENGTH_WEIGHTS = np.array([0.0, 1.0, 1.6, 1.9])
MIN_SCORE_RATIO = 0.25
SINGLE_SOURCE_FACTOR = 0.5
TEXT_WEIGHT = 0.2
FULL_COVERAGE, MIN_COVERAGE_FACTOR = 0.1, 0.2


class PageShares(NamedTuple):
    """Pages with shares that sum to one."""

    pages: Ids
    shares: Floats

    @classmethod
    def from_scores(cls, pages: Ids, scores: Floats) -> "PageShares":
        """Pages with the share of each in the sum of the scores."""
        return cls(pages, scores / max(scores.sum(), 1e-300))

    def pairs(self) -> Iterator[tuple[int, float]]:
        """Iterate over pairs of page and share."""
        return zip(self.pages.tolist(), self.shares.tolist(), strict=True)


class TopicLabel(NamedTuple):
    """The terms of a label, and the largest coverage of one of them."""

    terms: tuple[str, ...]
    coverage: float


class TopicTexts(NamedTuple):
    """The texts of topics as parallel arrays, sorted by topic.

    `text` is the number of a text, `site` that of the site it is from,
    `subject` that of the page or title it is about.
    """

    topic: Ids
    text: Ids
    site: Ids
    subject: Ids
    weight: Floats

    @classmethod
    def from_rows(cls, rows: Sequence[tuple[int, int, int, int, float]]) -> "TopicTexts":
        """From one row per text: topic, text, site, subject, weight."""
        topic, text, site, subject, weight = zip(*rows, strict=True) if rows else [()] * 5
        ids = (np.array(column, np.int32) for column in (topic, text, site, subject))
        return cls(next(ids), next(ids), next(ids), next(ids), np.array(weight, float))


@dataclass(frozen=True, slots=True, eq=False)
class PhraseWeights:
    """The phrases of topics with their weights, sorted by key, then topic.

    `has_several_sources` means that texts from several sites, about several
    subjects, have the phrase: neither one site nor mirrors of one page count
    twice. The occurrences of phrase k are
    `occurrences[starts[k] : starts[k + 1]]`, positions in `phrases`, with the
    weights of their texts. `coverage` is the share of the topic's pages that
    have its words; one if unknown.
    """

    phrases: Phrases
    topic: Ids
    key: Offsets
    weight: Floats
    has_several_sources: Flags
    starts: Offsets
    occurrences: Offsets
    occurrence_weights: Floats
    coverage: Floats

    @classmethod
    def from_texts(cls, phrases: Phrases, topic_texts: TopicTexts) -> "PhraseWeights":
        """Sum the weights of the texts with each phrase; a text counts once per phrase."""
        first = np.searchsorted(phrases.text_ids, np.arange(len(phrases.has_phrase) + 1))
        counts = np.diff(first)[topic_texts.text]
        occurrences = np.arange(counts.sum()) + np.repeat(
            first[topic_texts.text] - np.cumsum(counts) + counts, counts
        )
        order = np.argsort(phrases.key[occurrences], kind="stable")
        occurrences, row = occurrences[order], np.repeat(np.arange(len(counts)), counts)[order]
        key = phrases.key[occurrences]
        is_first = _differs_from_previous_row(key, row)
        key, occurrences, row = key[is_first], occurrences[is_first], row[is_first]
        starts = np.flatnonzero(_differs_from_previous_row(key, topic_texts.topic[row]))
        cell = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(key)))
        weights, first_row = topic_texts.weight[row], row[starts][cell]
        return cls(
            phrases,
            topic_texts.topic[row[starts]],
            key[starts],
            np.bincount(cell, weights, len(starts)).astype(float),
            np.logical_and(
                *(
                    np.bincount(cell[ids[row] != ids[first_row]], minlength=len(starts)) > 0
                    for ids in (topic_texts.site, topic_texts.subject)
                )
            ),
            np.append(starts, len(key)),
            occurrences,
            weights,
            np.ones(len(starts)),
        )

    def reweigh_by_page_words(
        self,
        term_weights: TermWeights,
        top_pages: Sequence[PageShares],
        sample_pages: Sequence[PageShares],
    ) -> "PhraseWeights":
        """Reweigh phrases by the words of pages.

        A phrase whose words are keywords of several top pages of its topic
        gains 0.2 of the share of these pages. A phrase with a coverage below a
        tenth of the sample pages loses weight.
        """
        numbers = dict[str, int]()
        heads = [stem.partition("-")[0] for stem in self.phrases.stems]
        columns = [0, *(numbers.setdefault(head, len(numbers) + 1) for head in heads)]
        stem_coverage = _stem_coverage(term_weights, list(numbers), [*top_pages, *sample_pages])
        shares, is_on_several = (
            stem_coverage.shares[:, columns],
            stem_coverage.page_counts[:, columns] > 1,
        )
        gain = TEXT_WEIGHT * self._min_over_stems(
            np.where(is_on_several, shares, 0.0)[: len(top_pages)]
        )
        has_keywords = shares[len(top_pages) :].max(axis=1, initial=0)[self.topic] > 0
        coverage = np.where(has_keywords, self._min_over_stems(shares[len(top_pages) :]), 1.0)
        weight = (self.weight + gain) * np.clip(coverage / FULL_COVERAGE, MIN_COVERAGE_FACTOR, 1.0)
        return replace(self, weight=weight, coverage=coverage)

    def _min_over_stems(self, shares: Floats) -> Floats:
        """The smallest share, in its topic, over the stems of each phrase."""
        minimum = np.full(len(self), np.inf)
        for k in range(MAX_PHRASE_WORDS):
            stem = self.key >> STEM_BITS * k & (1 << STEM_BITS) - 1
            minimum = np.where(stem > 0, np.minimum(minimum, shares[self.topic, stem]), minimum)
        return minimum

    def choose_labels(self, topic_count: int, max_terms: int) -> list["TopicLabel"]:
        """Choose the label of each topic: the phrases of highest TF-IDF score."""
        score, best = self.tf_idf_scores(topic_count), np.zeros(topic_count)
        np.maximum.at(best, self.topic, score)
        candidates = np.flatnonzero(score >= MIN_SCORE_RATIO * best[self.topic])
        keys = self.phrases.decode_keys(self.key[candidates])
        by_topic: list[list[tuple[float, StemKey, int]]] = [[] for _ in range(topic_count)]
        for topic, *candidate in zip(
            self.topic[candidates].tolist(),
            (-score[candidates]).tolist(),
            keys,
            candidates.tolist(),
            strict=True,
        ):
            by_topic[topic].append(tuple(candidate))
        return [self._choose_disjoint_terms(sorted(own), max_terms) for own in by_topic]

    def _choose_disjoint_terms(
        self, candidates: Sequence[tuple[float, StemKey, int]], max_terms: int
    ) -> "TopicLabel":
        """Take the first candidates that share no stem."""
        chosen, used_stems = list[int](), set[str]()
        for _, key, k in candidates:
            if len(chosen) < max_terms and used_stems.isdisjoint(key):
                chosen.append(k)
                used_stems.update(key)
        coverage = max(self.coverage[chosen].tolist(), default=1.0)
        return TopicLabel(tuple(map(self.most_common_form, chosen)), coverage)

    def tf_idf_scores(self, topic_count: int) -> Floats:
        """The score of each phrase: its weight times its inverse topic frequency.

        A topic with a smaller weight for the same phrase counts in proportion.
        Longer phrases gain; phrases from a single source lose half.
        """
        length = 1 + sum(
            (self.key >> STEM_BITS * k > 0).astype(np.int8) for k in range(1, MAX_PHRASE_WORDS)
        )
        idf = np.full(len(self.key), log(topic_count + 1))
        group = np.cumsum(_differs_from_previous_row(self.key)) - 1
        topic_counts = np.bincount(group)[group] if len(group) else group
        shared = np.flatnonzero(topic_counts > 1)
        first = np.searchsorted(group, group[shared])
        pair_of = np.repeat(np.arange(len(shared)), topic_counts[shared])
        offset = np.arange(len(pair_of)) - np.searchsorted(pair_of, pair_of)
        other, own = self.weight[first[pair_of] + offset], self.weight[shared[pair_of]]
        topic_frequency = np.bincount(pair_of, np.minimum(other / own, 1.0), len(shared))
        idf[shared] = [log(ratio) for ratio in ((topic_count + 1) / topic_frequency).tolist()]
        support = np.where(self.has_several_sources, 1.0, SINGLE_SOURCE_FACTOR)
        scores: Floats = support * LENGTH_WEIGHTS[length] * self.weight * idf
        return scores

    def most_common_form(self, phrase: int) -> str:
        """The written form of a phrase with the largest weight."""
        rows, weight_of_form = (
            slice(self.starts[phrase], self.starts[phrase + 1]),
            defaultdict[str, float](float),
        )
        written = self.phrases.written_forms(self.occurrences[rows])
        for form, weight in zip(written, self.occurrence_weights[rows].tolist(), strict=True):
            weight_of_form[form] += weight
        return min(weight_of_form, key=lambda form: (-weight_of_form[form], form))

    def __len__(self) -> int:
        return len(self.key)

    def __repr__(self) -> str:
        return f"<PhraseWeights: {len(self):,} phrases of topics>"


def _differs_from_previous_row(*columns: npt.NDArray[np.integer]) -> Flags:
    """Whether each row differs from the one before."""
    new = np.ones(len(columns[0]), bool)
    new[1:] = np.logical_or.reduce([column[1:] != column[:-1] for column in columns])
    return new


class StemCoverage(NamedTuple):
    """By topic and stem: the share of pages with the stem as a keyword, and their number."""

    shares: Floats
    page_counts: Offsets


def _stem_coverage(
    term_weights: TermWeights, stems: Sequence[str], page_shares: Sequence[PageShares]
) -> StemCoverage:
    """Sum the shares of pages that have each stem as a keyword, by topic.

    Columns are stems, numbered from one; column zero is empty.
    """
    pages = np.concatenate([np.zeros(0, np.int32), *(top.pages for top in page_shares)])
    shares = np.concatenate([np.zeros(0), *(top.shares for top in page_shares)])
    topic = np.repeat(np.arange(len(page_shares)), [len(top.pages) for top in page_shares])
    at, _ = link_positions(term_weights.matrix, pages)
    term_counts = term_weights.matrix.starts[pages + 1] - term_weights.matrix.starts[pages]
    stem = _stem_numbers(term_weights, np.asarray(term_weights.matrix.ids[at]), stems)
    kept, size = np.flatnonzero(stem), (len(page_shares), len(stems) + 1)
    cell = np.repeat(topic * size[1], term_counts)[kept] + stem[kept]
    weight, cells = np.repeat(shares, term_counts)[kept], size[0] * size[1]
    return StemCoverage(
        np.bincount(cell, weight, cells).astype(float).reshape(size),
        np.bincount(cell, minlength=cells).reshape(size),
    )


def _stem_numbers(term_weights: TermWeights, term_ids: Ids, stems: Sequence[str]) -> Offsets:
    """The position of each term among stems, from one; zero if it is none of them."""
    is_used = np.zeros(len(term_weights.stems), bool)
    is_used[term_ids] = True
    values = pa.array(stems, term_weights.stems.type)
    positions = pc.fill_null(pc.index_in(term_weights.stems.filter(pa.array(is_used)), values), -1)
    number = np.zeros(len(is_used), np.int64)
    number[is_used] = positions.to_numpy() + 1
    return number[term_ids]
