"""Affinity: one vote per owner and target, and keywords that join pages."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest

from weft.graph.baseset.baseset import BaseSet
from weft.graph.levels import voter_ids
from weft.graph.webgraph import WebGraph
from weft.topics.affinity import (
    DEFAULT_WORD_WEIGHT,
    KEYWORDS_PER_PAGE,
    VotingLinks,
    build_page_affinity,
    keyword_affinity,
)


def base_of(
    pages: Sequence[str], links: Sequence[tuple[int, int]], texts: Sequence[str] = ()
) -> BaseSet:
    ends = np.array(links, np.int32).reshape(-1, 2).T
    graph = WebGraph.from_arrays([f"http://{page}" for page in pages], *ends)
    return BaseSet.from_graph(graph, read_texts=lambda: list(texts))


def test_pages_of_one_domain_share_a_vote() -> None:
    base = base_of(
        ["a.com/1", "www.a.com/2", "b.org/", "x.net/", "y.net/"], [(0, 3), (1, 3), (2, 3), (0, 4)]
    )
    links = VotingLinks.from_base_set(base, voter_ids(base.graph))
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


def test_words_on_all_or_few_pages_are_no_keywords() -> None:
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
    starts, word, _ = keyword_affinity(base)
    stems = base.term_weights.stems.to_pylist()
    assert Counter(stems[w] for w in word.tolist()) == {"cat": 3, "car": 3}
    assert np.diff(starts).tolist() == [1, 1, 1, 1, 1, 1, 0]
    assert not len(keyword_affinity(base, 0)[1])


def test_twelve_words_count_as_two_links() -> None:
    words = [f"word{chr(97 + k)}" for k in range(KEYWORDS_PER_PAGE + 4)]
    texts = [" ".join(words)] * 3 + ["other thing"] * 3
    starts, _, weight = keyword_affinity(base_of([f"{k}.com" for k in range(6)], [], texts))
    total = np.add.reduceat(weight, starts[:-1])
    assert total[:3] == pytest.approx([DEFAULT_WORD_WEIGHT] * 3)
    assert total[3:] == pytest.approx([DEFAULT_WORD_WEIGHT * 2 / KEYWORDS_PER_PAGE] * 3)


def test_a_link_is_an_edge_of_weight_one() -> None:
    base = base_of(["a.com/1", "a.com/2", "b.org/", "c.org/"], [(0, 2), (1, 2), (2, 0)])
    affinity = build_page_affinity(base)
    assert affinity.starts.tolist() == [0, 1, 2, 4, 4]
    assert affinity.ids.tolist() == [2, 2, 0, 1]
    assert affinity.weights is not None
    assert affinity.weights.tolist() == [2.0, 1.0, 2.0, 1.0]
