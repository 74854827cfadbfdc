"""Shares of classes that differ from those of the examples."""

import numpy as np
import pytest

from weft.classify import LabelledPages, auto
from weft.classify.class_shift import follow_shift, shift
from weft.classify.folds import holds_out_sites
from weft.core.arrays import Floats, Ids

HALF = np.array([0.5, 0.5])


def draw(shares: Floats, count: int, seed: int = 0) -> tuple[Ids, Floats]:
    """Classes of pages, and what a calibrated classifier says that learned of equal shares."""
    random = np.random.default_rng(seed)
    numbers = random.choice(len(shares), count, p=shares).astype(np.int32)
    likelihoods = np.exp(random.normal(1.5 * np.eye(len(shares))[numbers], 1) * 1.5)
    return numbers, likelihoods / likelihoods.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("share", [0.9, 0.2])
def test_shares_of_other_pages_are_found(share: float) -> None:
    truth = np.array([share, 1 - share])
    numbers, found = draw(truth, 20_000)
    others = follow_shift(found, HALF)
    np.testing.assert_allclose(others, truth, atol=0.03)
    better = shift(found, HALF, others).argmax(axis=1)
    assert np.mean(better == numbers) > np.mean(found.argmax(axis=1) == numbers) + 0.01


def test_shares_that_may_be_chance_stay() -> None:
    _, found = draw(np.array([0.53, 0.47]), 2000)
    assert follow_shift(found, HALF) is HALF
    assert shift(found, HALF, HALF) is found


def test_a_few_pages_do_not_change_the_shares() -> None:
    assert follow_shift(np.array([[0.99, 0.01]] * 20), HALF) is HALF


def test_shifted_probabilities_by_hand() -> None:
    """Twice as many of the first class, half as many of the second: the odds are four times."""
    found = shift(np.array([[0.5, 0.5]]), np.array([0.4, 0.6]), np.array([0.8, 0.3]))
    assert found[0, 0] / found[0, 1] == pytest.approx(4)


def test_whole_sites_are_told_from_single_pages() -> None:
    pages = [f"http://site{k % 3}.example/{k}" for k in range(12)]
    labelled = LabelledPages.from_lists(pages, ["t"] * 12, ["x", "y"] * 6)
    assert holds_out_sites(labelled, np.arange(12, dtype=np.int32) % 3)
    assert not holds_out_sites(labelled, np.arange(12, dtype=np.int32) % 4)
    alone = LabelledPages.from_lists([f"p{k}" for k in range(12)], ["t"] * 12, ["x", "y"] * 6)
    assert not holds_out_sites(alone, np.arange(12, dtype=np.int32) % 3)


def test_auto_follows_the_shares_of_the_other_pages() -> None:
    """Of the examples half are of each class, of the others a tenth; words mislead in a quarter."""
    random = np.random.default_rng(0)
    truth = ["sport" if k % 2 else "money" for k in range(100)]
    truth += ["sport" if k % 10 == 0 else "money" for k in range(2000)]
    words, other = {"sport": "goal", "money": "loan"}, {"sport": "loan", "money": "goal"}
    texts = [words[name] if random.random() < 0.75 else other[name] for name in truth]
    names = [f"p{k}" for k in range(2100)]
    pages = LabelledPages.from_lists(names, texts, [*truth[:100], *[""] * 2000])
    found = auto(pages)
    right = [found.classes[k] for k in found.answers.tolist()]
    assert np.mean(np.array(right) == np.array(truth[100:])) > 0.85
    shares = {share.class_: share.share for share in found.shares()}
    assert shares["sport"] == pytest.approx(0.1, abs=0.08)
    assert sum(found.class_counts.values()) == 2000
    best = found[0]
    row = found.labelled.unlabelled_ids.tolist().index(int(best.page[1:]))
    assert best.certainty == found.certainties[row] == found.certainties.max()
