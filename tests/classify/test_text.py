"""Text classifiers by hand, and under what must not change them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.classify.text import (
    Documents,
    Estimate,
    fit_linear,
    fit_naive_bayes,
    hold_out,
    learn_naive_bayes,
    text_of_page,
)
from weft.core.errors import BadParameter, UnknownName

TEXTS = ["ball goal", "goal team", "bank loan", "loan rate"]
CLASSES = ["sport", "sport", "money", "money"]
WORDS = ("ball", "goal", "team", "bank", "loan", "rate", "the")
fits = pytest.mark.parametrize("fit", [fit_naive_bayes, fit_linear])
texts = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)


def test_naive_bayes_by_hand() -> None:
    """Six words; `goal` is 2 of 4 in sport and 0 of 4 in money; Laplace adds one to each.

    P(goal|sport) = 3/10, P(goal|money) = 1/10, equal priors: 3/4 and 1/4.
    """
    model = fit_naive_bayes(TEXTS, CLASSES, smoothing=1)
    assert model.classes == ("money", "sport")
    np.testing.assert_allclose(model.probabilities(["goal"]), [[1 / 4, 3 / 4]])
    np.testing.assert_allclose(model.probabilities(["goal goal"]), [[1 / 10, 9 / 10]])
    # P(ball|sport) = 2/10, P(bank|sport) = 1/10 and the reverse in money: they cancel
    np.testing.assert_allclose(model.probabilities(["ball bank"]), [[1 / 2, 1 / 2]])


def test_a_long_text_counts_as_its_first_words_by_share() -> None:
    model = fit_naive_bayes(TEXTS, CLASSES, smoothing=1, max_words=2)
    np.testing.assert_allclose(model.probabilities(["goal " * 1000]), [[1 / 10, 9 / 10]])


def test_two_texts_make_a_symmetric_linear_model() -> None:
    """One word each: the probabilities mirror each other, and a text with both is even."""
    model = fit_linear(["ball", "bank"], ["sport", "money"])
    money, sport, both = model.probabilities(["bank", "ball", "ball bank"])
    assert money[0] == pytest.approx(sport[1], abs=1e-3)
    assert money[0] > 0.8
    assert both == pytest.approx([0.5, 0.5], abs=1e-3)


@fits
def test_a_text_without_known_words_has_the_prior(fit: type) -> None:
    model = fit(["a b", "a c", "d e"], ["x", "x", "y"])
    np.testing.assert_allclose(
        model.probabilities(["", "unheard of", "!"]), [[2 / 3, 1 / 3]] * 3, atol=1e-12
    )


@fits
def test_pages_are_not_certain_because_they_are_long(fit: type) -> None:
    model = fit(TEXTS, CLASSES)
    text = "goal loan ball bank " * 10 + "goal "  # a little more sport than money
    [once], [often] = model.probabilities([text]), model.probabilities([text * 100])
    np.testing.assert_allclose(once, often, atol=0.02)
    assert 0.5 < once[1] < 0.9


@fits
@given(st.lists(texts, min_size=1, max_size=5))
def test_probabilities_are_distributions(fit: type, asked: list[str]) -> None:
    found = fit(TEXTS, CLASSES).probabilities(asked)
    assert found.shape == (len(asked), 2)
    assert found.min() >= 0
    np.testing.assert_allclose(found.sum(axis=1), 1)


@fits
@given(st.lists(texts, min_size=1, max_size=5), st.permutations(range(4)))
def test_the_order_of_texts_does_not_matter(fit: type, asked: list[str], order: list[int]) -> None:
    shuffled = fit([TEXTS[k] for k in order], [CLASSES[k] for k in order])
    known = fit(TEXTS, CLASSES).probabilities(asked)
    np.testing.assert_allclose(shuffled.probabilities(asked), known, atol=5e-3)
    backwards = shuffled.probabilities(asked[::-1])
    np.testing.assert_allclose(backwards[::-1], shuffled.probabilities(asked))


@fits
@given(st.lists(texts, min_size=1, max_size=5))
def test_words_that_no_example_has_change_nothing(fit: type, asked: list[str]) -> None:
    model = fit(TEXTS, CLASSES)
    noisy = [f"zebra {text} quagga" for text in asked]
    np.testing.assert_allclose(model.probabilities(noisy), model.probabilities(asked))


@given(texts)
def test_a_word_as_common_in_every_class_changes_nothing(asked: str) -> None:
    """With as many words in each class, one more in every text has the same likelihood in both."""
    model = fit_naive_bayes([f"{text} and" for text in TEXTS], CLASSES, max_words=100)
    known = model.probabilities([asked])
    np.testing.assert_allclose(model.probabilities([f"{asked} and and"]), known)


@fits
def test_names_of_classes_do_not_matter(fit: type) -> None:
    swapped = fit(TEXTS, ["a" if name == "sport" else "b" for name in CLASSES])
    known = fit(TEXTS, CLASSES).probabilities(["goal of the bank", "rate"])
    np.testing.assert_allclose(
        swapped.probabilities(["goal of the bank", "rate"])[:, ::-1], known, atol=5e-3
    )


@fits
def test_a_fit_twice_gives_the_same_bits(fit: type) -> None:
    asked = ["goal bank", "the team"]
    first, second = (fit(TEXTS, CLASSES).probabilities(asked) for _ in range(2))
    assert first.tobytes() == second.tobytes()


@fits
def test_keywords_and_reasons_are_words_of_the_texts(fit: type) -> None:
    model = fit(
        ["Running goals", "goals running", "Banking loans", "loans banking"], CLASSES, ["en"] * 4
    )
    assert sorted(model.keywords("sport")) == ["goals", "running"]
    assert model.keywords("money", 1)[0] in {"banking", "loans"}
    assert model.reasons(["the goal banked run goal goal", "unheard"], ["en", "en"]) == [
        ["goals", "running"],
        [],
    ]
    with pytest.raises(UnknownName, match="'sports'") as refused:
        model.keywords("sports")
    assert "did you mean 'sport'" in refused.value.hint


def test_texts_are_stemmed_by_their_language() -> None:
    """The English stemmer takes *goals* for *goal*; without a language nothing is stemmed."""
    stemmed = fit_naive_bayes(TEXTS, CLASSES, ["en"] * 4)
    assert stemmed.probabilities(["goals"], ["en"])[0, 1] > 0.9
    plain = fit_naive_bayes(TEXTS, CLASSES)
    assert plain.probabilities(["goals"])[0, 1] == 0.5


def test_an_unknown_language_is_taken_for_the_main_one() -> None:
    documents = Documents.from_texts(["goals", "goals", "Ziele"], ["en", "la", "de"])
    assert [stems.strip() for stems in documents.stems] == ["en/goal", "en/goal", "de/ziel"]
    model = fit_naive_bayes(TEXTS, CLASSES, ["en", "", "en", ""])
    np.testing.assert_allclose(
        model.probabilities(["goals"]), model.probabilities(["goal"], ["en"])
    )


def test_a_title_counts_three_times() -> None:
    assert text_of_page("Goal", "a ball").split() == ["Goal", "Goal", "Goal", "a", "ball"]


@fits
@pytest.mark.parametrize(
    ("texts", "classes", "message"),
    [
        (["a", "b"], ["x", "x"], "there is only the class 'x' to learn"),
        ([], [], "there is no class to learn"),
        (["a"], ["x", "y"], "there are 1 text but 2 classes"),
        (["", "..."], ["x", "y"], "no text to learn from has a word"),
    ],
)
def test_bad_examples_are_refused(
    fit: type, texts: list[str], classes: list[str], message: str
) -> None:
    with pytest.raises(BadParameter) as refused:
        fit(texts, classes)
    assert str(refused.value) == message
    assert refused.value.hint


def test_languages_must_match_the_texts() -> None:
    with pytest.raises(BadParameter, match="2 texts but 1 language"):
        Documents.from_texts(["a", "b"], ["en"])


def estimate(documents: Documents, classes: list[str]) -> Estimate:
    found = hold_out(documents, classes, learn_naive_bayes)
    assert found is not None
    return found.estimate


def test_cross_validation_by_hand() -> None:
    """Two folds: all right where each half shows the words of the other."""
    texts = ["ball goal", "goal ball", "bank loan", "loan bank"]
    documents = Documents.from_texts(texts)
    assert estimate(documents, CLASSES) == Estimate(1.0, 1.0, 2)
    # each half names the words of the other half's wrong class: always wrong
    crossed = Documents.from_texts(["ball", "bank", "bank", "ball"])
    assert estimate(crossed, CLASSES) == Estimate(0.0, 0.0, 2)


def test_a_class_of_one_text_is_never_found() -> None:
    texts = ["ball goal", "goal ball", "bank loan", "loan bank", "forest"]
    documents = Documents.from_texts(texts)
    found = estimate(documents, [*CLASSES, "nature"])
    assert found.accuracy == pytest.approx(4 / 5)
    # the forest is taken for one of the others, which then has precision 2/3 and recall 1
    assert found.macro_f1 == pytest.approx((1 + 4 / 5 + 0) / 3)


def test_too_few_texts_have_no_estimate() -> None:
    documents = Documents.from_texts(["a", "b", "c"])
    assert hold_out(documents, ["x", "x", "y"], learn_naive_bayes) is None


def test_probabilities_are_of_the_bayes_rule() -> None:
    """Unequal priors: 2/3 · 1/3 against 1/3 · 1/3 with one word that both share equally."""
    model = fit_naive_bayes(["a b", "a c", "a d"], ["x", "x", "y"], smoothing=1)
    # x: a 2+1 of 4+4, y: a 1+1 of 2+4
    x, y = 2 / 3 * 3 / 8, 1 / 3 * 2 / 6
    np.testing.assert_allclose(model.probabilities(["a"]), [[x / (x + y), y / (x + y)]])
    assert math.isclose(model.prior.sum(), 1)
