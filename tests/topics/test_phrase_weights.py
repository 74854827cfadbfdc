"""Phrase weights of topics, counted by hand."""

import numpy as np
import pytest

from weft.store.term_weights import TermWeights
from weft.topics.phrase_weights import (
    MIN_COVERAGE_FACTOR,
    MIN_SCORE_RATIO,
    SINGLE_SOURCE_FACTOR,
    TEXT_WEIGHT,
    PageShares,
    PhraseWeights,
    TopicLabel,
    TopicTexts,
)
from weft.topics.phrases import Phrases

TEXTS = ["big cats", "Big Cat", "big cats big cats", "cars"]


def weigh(*rows: tuple[int, int, int, int, float]) -> PhraseWeights:
    """From rows of topic, text, site, subject, weight."""
    return PhraseWeights.from_texts(
        Phrases.from_texts([(text, "en") for text in TEXTS]), TopicTexts.from_rows(rows)
    )


def weights(found: PhraseWeights) -> dict[tuple[int, str], float]:
    keys = (" ".join(key).replace("en/", "") for key in found.phrases.decode_keys(found.key))
    return dict(zip(zip(found.topic.tolist(), keys, strict=True), found.weight, strict=True))


def test_a_text_counts_once_per_phrase() -> None:
    found = weights(weigh((0, 0, 0, 0, 1.0), (0, 2, 1, 1, 0.5)))
    assert found[0, "big cat"] == found[0, "big"] == found[0, "cat"] == 1.5
    assert found[0, "cat big"] == 0.5


def test_several_sources_are_of_several_sites_and_subjects() -> None:
    for site, subject, several in ((0, 0, False), (1, 0, False), (0, 1, False), (1, 1, True)):
        found = weigh((0, 0, 0, 0, 1.0), (0, 1, site, subject, 1.0))
        assert found.has_several_sources.tolist() == [several] * len(found)
    assert not weigh((0, 0, 0, 0, 1.0), (1, 1, 1, 1, 1.0)).has_several_sources.any()


def test_the_form_is_the_one_that_weighs_most() -> None:
    [k] = [
        k
        for k, key in enumerate(weights(weigh((0, 0, 0, 0, 1.0), (0, 1, 1, 1, 2.0))))
        if key == (0, "big cat")
    ]
    assert weigh((0, 0, 0, 0, 1.0), (0, 1, 1, 1, 2.0)).most_common_form(k) == "big cat"
    assert weigh((0, 0, 0, 0, 2.0), (0, 1, 1, 1, 1.0)).most_common_form(k) == "big cats"


def test_phrases_of_other_topics_count_less() -> None:
    """A topic with half the weight for a phrase counts half."""
    found = weigh((0, 3, 0, 0, 1.0), (1, 3, 1, 1, 0.5))
    assert found.tf_idf_scores(2) == pytest.approx(
        [SINGLE_SOURCE_FACTOR * 1.0 * np.log(3 / 1.5), SINGLE_SOURCE_FACTOR * 0.5 * np.log(3 / 2)]
    )


def test_keywords_of_several_pages_add_to_the_weight() -> None:
    words = TermWeights.from_texts([""] * 4, ["cats", "cats", "big", "dog"], ["en"] * 4)
    best = [PageShares.from_scores(np.array([0, 1, 2], np.int32), np.array([2.0, 1.0, 1.0]))]
    none = [PageShares.from_scores(np.zeros(0, np.int32), np.zeros(0))]
    before, after = (
        weigh((0, 0, 0, 0, 1.0)),
        weigh((0, 0, 0, 0, 1.0)).reweigh_by_page_words(words, best, none),
    )
    gained = {key: weight - weights(before)[key] for key, weight in weights(after).items()}
    assert gained == {
        (0, "big"): 0.0,
        (0, "cat"): pytest.approx(TEXT_WEIGHT * 0.75),
        (0, "big cat"): 0.0,
    }


def test_phrases_with_low_coverage_weigh_less() -> None:
    """Of 40 pages 20 have cats, four have big, and two both."""
    texts = ["cats"] * 18 + ["big cats"] * 2 + ["big"] * 2 + ["dogs"] * 18
    words = TermWeights.from_texts([""] * 40, texts, ["en"] * 40)
    none = [PageShares.from_scores(np.zeros(0, np.int32), np.zeros(0))]
    every = [PageShares.from_scores(np.arange(40, dtype=np.int32), np.ones(40))]
    reweighed = weigh((0, 0, 0, 0, 1.0), (0, 3, 0, 0, 1.0)).reweigh_by_page_words(
        words, none, every
    )
    keys = [key for _, key in weights(reweighed)]
    assert dict(zip(keys, reweighed.coverage.tolist(), strict=True)) == pytest.approx(
        {"big": 0.1, "cat": 0.5, "big cat": 0.1, "car": 0.0}
    )
    assert weights(reweighed) == pytest.approx(
        {(0, "big"): 1.0, (0, "cat"): 1.0, (0, "big cat"): 1.0, (0, "car"): MIN_COVERAGE_FACTOR}
    )
    unknown = weigh((0, 0, 0, 0, 1.0)).reweigh_by_page_words(words, none, none)
    assert unknown.coverage.tolist() == [1.0] * 3


def test_terms_of_a_label_share_no_word() -> None:
    found = weigh((0, 0, 0, 0, 1.0), (0, 1, 1, 1, 1.0), (0, 3, 0, 0, 1.0), (0, 3, 1, 1, 0.9))
    nothing = TopicLabel((), 1.0)
    assert found.choose_labels(2, 3) == [TopicLabel(("big cat", "cars"), 1.0), nothing]
    assert found.choose_labels(2, 1) == [TopicLabel(("big cat",), 1.0), nothing]
    weak = weigh((0, 0, 0, 0, 1.0), (0, 3, 0, 0, 0.9 * 1.6 * MIN_SCORE_RATIO))
    assert weak.choose_labels(1, 3) == [TopicLabel(("big cats",), 1.0)]


def test_no_texts_no_labels() -> None:
    assert len(weigh()) == 0
    assert [label.terms for label in weigh().choose_labels(2, 3)] == [(), ()]
    assert len(weigh().reweigh_by_page_words(TermWeights.empty(0), [], [])) == 0
