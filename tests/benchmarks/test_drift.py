"""What is hidden from a method, and how its first authorities are judged."""

import numpy as np
import pytest
from benchmarks.topics.drift import Drift, half_of, hidden_half, judge, judge_pages, neutral
from benchmarks.topics.sets import LinkSet

from weft.gather.url import domain, host, site
from weft.graph.baseset.baseset import LINKED_FROM, LINKS_TO, ROOT

PAGES = [
    "http://www.cheese.com/",
    "http://www.cheese.com/brie",
    "http://me.geocities.com/x",
    "http://www.geocities.com/Area51/",
    "http://www.cs.cmu.edu/~tom/",
    "http://www.cs.cmu.edu/~ann/",
]


def web() -> LinkSet:
    source, target = np.array([2, 3, 4, 5, 5, 3], np.int32), np.array([0, 0, 0, 0, 1, 1], np.int32)
    origin = np.array([ROOT, LINKED_FROM, LINKS_TO, LINKS_TO, LINKS_TO, LINKS_TO], np.int32)
    titles = ["Cheese", "Brie", "", "Links", "Tom", "Ann"]
    return LinkSet(
        "cheese", PAGES, titles, origin, source, target, {"cheese": np.ones(len(PAGES), bool)}
    )


@pytest.mark.parametrize("owner", [host, domain, site])
def test_neutral_addresses_keep_owners(owner: object) -> None:
    assert callable(owner)
    true = [owner(page) for page in PAGES]
    masked = [owner(page) for page in neutral(PAGES)]
    for a in range(len(PAGES)):
        for b in range(len(PAGES)):
            assert (true[a] == true[b]) == (masked[a] == masked[b])


def test_hidden_pages_say_nothing() -> None:
    hidden = np.array([True, False, False, True, True, False])
    half = half_of(web(), hidden)
    base = half.base
    for page in np.flatnonzero(hidden).tolist():
        assert base.texts[page] == base.titles[page] == ""
        assert base.origin[page] == LINKED_FROM
        assert base.rank[page] == base.text_score[page] == 0
        assert "cheese" not in base.pages[page]
    assert base.pages[1] == PAGES[1]
    assert base.texts[1].startswith("Brie")
    assert base.graph.link_count == 6
    assert half.on_topic.tolist() == [True, True, False, False, False, False]


def test_half_of_the_pages_are_hidden_by_the_seed() -> None:
    assert hidden_half(9, 0).sum() == 4
    assert (hidden_half(100, 1) == hidden_half(100, 1)).all()
    assert (hidden_half(100, 1) != hidden_half(100, 2)).any()


def test_support_is_a_share_of_what_the_most_linked_have() -> None:
    half = half_of(web(), np.array([True, True, True, False, False, False]))
    # the two hidden pages on topic are linked from five pages of four sites
    assert judge_pages(half, np.array([1], np.int32)) == Drift(1, 0.5)
    assert judge(half, np.array([0, 1, 2, 9, 9, 9.0])) == Drift(2, 1.0)
    assert judge_pages(half, np.zeros(0, np.int32)) == Drift(0, 0.0)
