"""PLSA and PHITS as a classifier: topics by words and links, and the nearest example."""

import numpy as np
import pytest

from weft.classify import Classes, LabelledPages, plsa_phits
from weft.classify.plsa_phits import count_words, nearest_by_class, start_by_name
from weft.rank.expectation_maximization import JointFactors

SPORT = ["ball goal team", "goal team ball ball", "team ball", "goal goal ball"]
MONEY = ["bank loan rate", "loan rate bank bank", "rate bank", "loan loan bank"]


def make_pages(texts: list[str], links: list[tuple[str, str]]) -> LabelledPages:
    """Pages p0 to p7: the first two of each four have a class."""
    names = [f"p{k}" for k in range(8)]
    classes = ["sport", "sport", "", "", "money", "money", "", ""]
    return LabelledPages.from_lists(names, texts, classes, links=links)


def by_page(found: Classes) -> dict[str, str]:
    return {page.page: page.class_ for page in found}


RIGHT = {"p2": "sport", "p3": "sport", "p6": "money", "p7": "money"}


def test_topics_are_found_in_words() -> None:
    found = plsa_phits(make_pages([*SPORT, *MONEY], []))
    assert by_page(found) == RIGHT
    assert found.estimate is not None
    assert found.estimate.accuracy == 1.0


def test_topics_are_found_in_links() -> None:
    """Pages of a class link to each other, and have no words."""
    groups = [["p0", "p1", "p2", "p3"], ["p4", "p5", "p6", "p7"]]
    links = [(a, b) for group in groups for a in group for b in group if a != b]
    assert by_page(plsa_phits(make_pages([""] * 8, links))) == RIGHT


def test_only_words_count_with_all_the_weight() -> None:
    crossed = [(f"p{k}", f"p{(k + 4) % 8}") for k in range(8)]
    plain = plsa_phits(make_pages([*SPORT, *MONEY], []))
    linked = plsa_phits(make_pages([*SPORT, *MONEY], crossed), words=1.0)
    np.testing.assert_allclose(linked.probabilities, plain.probabilities, atol=1e-6)


def test_numbers_of_pages_do_not_matter() -> None:
    texts, order = [*SPORT, *MONEY], [3, 1, 6, 4, 7, 0, 2, 5]
    pages = make_pages(texts, [])
    shuffled = LabelledPages.from_lists(
        [pages.pages[k] for k in order],
        [texts[k] for k in order],
        [pages.classes[k] for k in order],
    )
    assert by_page(plsa_phits(shuffled)) == by_page(plsa_phits(pages))


def test_random_factors_belong_to_names() -> None:
    factors = JointFactors(np.eye(2), np.array([[1.0, 2, 3]] * 2), np.array([[4.0, 5, 6]] * 2))
    placed = start_by_name(factors, ["c", "a", "b"])
    assert placed.target[0].tolist() == [3, 1, 2]
    assert placed.mixture[1].tolist() == [6, 4, 5]


def test_the_nearest_example_of_each_class_by_hand() -> None:
    known = np.array([[1.0, 0], [0.6, 0.8], [0, 1.0]])
    found = nearest_by_class(np.array([[0.8, 0.6]]), known, np.array([0, 0, 1], np.int32), 2)
    # cosines 0.8 and 0.96 with the first class, 0.6 with the second
    assert found[0, 0] / found[0, 1] == pytest.approx(np.exp(0.96 - 0.6))


def test_shares_of_words_sum_to_one() -> None:
    pages = make_pages([*SPORT, *MONEY], [])
    counts = count_words(pages, pages.documents(pages.training_ids))
    np.testing.assert_allclose(np.bincount(counts.row, counts.value), 1)
