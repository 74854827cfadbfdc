"""Ties: one vote for each owner, words that tell pages apart."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest

from weft.graph.baseset import BaseSet
from weft.graph.owners import voters
from weft.graph.webgraph import WebGraph
from weft.topics.ties import A_PAGE, WORDS, Links, telling, tied


def base_of(
    pages: Sequence[str], links: Sequence[tuple[int, int]], texts: Sequence[str] = ()
) -> BaseSet:
    ends = np.array(links, np.int32).reshape(-1, 2).T
    graph = WebGraph.from_arrays([f"http://{page}" for page in pages], *ends)
    return BaseSet.whole(graph, read_texts=lambda: list(texts))


def test_pages_of_one_domain_share_a_vote() -> None:
    base = base_of(
        ["a.com/1", "www.a.com/2", "b.org/", "x.net/", "y.net/"], [(0, 3), (1, 3), (2, 3), (0, 4)]
    )
    links = Links.of(base, voters(base.graph))
    votes = {
        (base.pages[s], base.pages[t]): v
        for s, t, v in zip(links.source, links.target, links.vote, strict=True)
    }
    assert votes == {
        ("http://a.com/1", "http://x.net/"): 0.5,
        ("http://www.a.com/2", "http://x.net/"): 0.5,
        ("http://b.org/", "http://x.net/"): 1.0,
        ("http://a.com/1", "http://y.net/"): 1.0,
    }


def test_words_that_all_or_few_say_tie_no_page() -> None:
    texts = [
        "cat jaguar lone",
        "cat jaguar",
        "cat jaguar",
        "car jaguar",
        "car jaguar",
        "car jaguar pair",
        "pair jaguar",
    ]
    base = base_of([f"{k}.com" for k in range(7)], [], texts)
    begins, word, _ = telling(base)
    said = base.words.stems.to_pylist()
    assert Counter(said[w] for w in word.tolist()) == {"cat": 3, "car": 3}
    assert np.diff(begins).tolist() == [1, 1, 1, 1, 1, 1, 0]
    assert not len(telling(base, 0)[1])


def test_twelve_words_count_as_two_links() -> None:
    words = [f"word{chr(97 + k)}" for k in range(A_PAGE + 4)]
    texts = [" ".join(words)] * 3 + ["other thing"] * 3
    begins, _, weight = telling(base_of([f"{k}.com" for k in range(6)], [], texts))
    total = np.add.reduceat(weight, begins[:-1])
    assert total[:3] == pytest.approx([WORDS] * 3)
    assert total[3:] == pytest.approx([WORDS * 2 / A_PAGE] * 3)


def test_a_link_ties_by_one_whoever_makes_it() -> None:
    base = base_of(["a.com/1", "a.com/2", "b.org/", "c.org/"], [(0, 2), (1, 2), (2, 0)])
    ties = tied(base)
    assert ties.starts.tolist() == [0, 1, 2, 4, 4]
    assert ties.ids.tolist() == [2, 2, 0, 1]
    assert ties.weights is not None
    assert ties.weights.tolist() == [2.0, 1.0, 2.0, 1.0]
