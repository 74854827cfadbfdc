"""Keyword propagation: which words count, what links pass on, and the topics."""

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pytest

from weft.graph.baseset.baseset import ANCHOR_SCHEMA, BaseSet
from weft.graph.webgraph import WebGraph
from weft.groups import Groups
from weft.topics import keyword_propagation
from weft.topics.keyword_propagation import (
    PageKeywords,
    extract_keywords,
    group_by_leading_word,
    is_keyword_candidate,
    propagate_keywords,
    tokenize_pages_and_anchors,
    words_around_links,
)

CATS = ["cat cat cat paw", "cat cat cat fur", "cat cat cat tail"]
CARS = ["car car car car wheel", "car car car car wheel", "car car car car road"]


def base_of(
    texts: Sequence[str],
    links: Sequence[tuple[int, int]] = (),
    anchors: Sequence[str] = (),
    titles: Sequence[str] = (),
    query: str = "",
) -> BaseSet:
    ends = np.array(links, np.int32).reshape(-1, 2).T
    graph = WebGraph.from_arrays([f"http://{k}.example/" for k in range(len(texts))], *ends)
    table = {
        "source": ends[0],
        "target": ends[1],
        "anchor": list(anchors) or [""] * len(links),
        "before": [""] * len(links),
        "after": [""] * len(links),
    }
    return BaseSet.from_graph(
        graph,
        query=query,
        read_texts=lambda: list(texts),
        read_anchors=lambda: pa.table(table, ANCHOR_SCHEMA),
        read_titles=lambda: list(titles),
    )


def weights(base: BaseSet, found: PageKeywords) -> dict[tuple[int, str], float]:
    _, vocabulary = tokenize_pages_and_anchors(base)
    cells = zip(found.page.tolist(), found.word.tolist(), found.weight.tolist(), strict=True)
    return {(page, vocabulary[word]): weight for page, word, weight in cells}


def own(base: BaseSet) -> PageKeywords:
    return extract_keywords(*tokenize_pages_and_anchors(base), base)


def pages(found: Groups) -> list[list[int]]:
    return [topic.members.tolist() for topic in found]


def test_rare_words_weigh_more() -> None:
    base = base_of(["lion tiger", "lion", "bear"])
    found = weights(base, own(base))
    assert found[0, "tiger"] == 1
    assert found[0, "lion"] == pytest.approx(np.log(3 / 2) / np.log(3))
    assert found[2, "bear"] == 1


def test_a_title_doubles_its_words() -> None:
    """The word of the title is there twice, once in the title, and counts twice: fourfold."""
    base = base_of(["lion tiger", "bear"], titles=["lion", ""])
    found = weights(base, own(base))
    assert found == pytest.approx({(0, "lion"): 1.0, (0, "tiger"): 0.25, (1, "bear"): 1.0})


def test_no_stop_words_numbers_or_words_of_the_query() -> None:
    vocabulary = ["the", "jaguar", "jaguars", "jam", "1961", "x", "car"]
    base = base_of([""], query="jaguar")
    assert [
        w for w, ok in zip(vocabulary, is_keyword_candidate(base, vocabulary), strict=True) if ok
    ] == [
        "jam",
        "car",
    ]


def test_a_link_passes_on_less_of_words_that_are_not_around_it() -> None:
    base = base_of(["lion tiger", "bear", ""], [(0, 2), (1, 2)], ["a Lion", ""])
    tokenized, _ = tokenize_pages_and_anchors(base)
    found = weights(base, propagate_keywords(base, own(base), words_around_links(tokenized, base)))
    assert found == pytest.approx({(2, "lion"): 0.5, (2, "tiger"): 0.15, (2, "bear"): 0.15})


def test_the_best_of_each_page_are_kept() -> None:
    page, word = np.array([0, 0, 0, 1], np.int32), np.array([3, 5, 7, 5], np.int32)
    best = PageKeywords(page, word, np.array([1.0, 2.0, 2.0, 0.1])).top_per_page(1)
    assert (best.page.tolist(), best.word.tolist()) == ([0, 1], [5, 5])


def test_pages_go_to_the_weightier_word() -> None:
    page, word = np.array([0, 1, 1, 2, 2], np.int32), np.array([1, 1, 2, 2, 4], np.int32)
    total = PageKeywords(page, word, np.array([1.0, 1.0, 0.8, 1.0, 0.1]))
    found = [
        (word, pages.tolist())
        for word, _, pages in group_by_leading_word(total, 3, max_topics=5, min_size=1)
    ]
    assert found == [(1, [0, 1]), (2, [2])]
    assert len(group_by_leading_word(total, 3, max_topics=1, min_size=1)) == 1
    assert len(group_by_leading_word(total, 3, max_topics=5, min_size=2)) == 1


def test_two_subjects_are_two_topics() -> None:
    found = keyword_propagation(base_of([*CATS, *CARS]), min_size=2)
    assert pages(found) == [[3, 4, 5], [0, 1, 2]]
    assert [topic.facts["word"] for topic in found] == ["car", "cat"]
    assert {"wheel", "road"} <= set(found[0].facts["terms"])


def test_a_page_without_words_gets_those_of_its_inlinks() -> None:
    links = [(0, 6), (1, 6), (2, 6)]
    base = base_of([*CATS, *CARS, ""], links, ["cat"] * 3)
    assert pages(keyword_propagation(base, min_size=2))[0] == [0, 1, 2, 6]
    for options in ({"hops": 0}, {"decay": 0.0, "max_keywords": 1}):
        alone = keyword_propagation(base, min_size=2, **cast("Any", options))
        assert not any(topic.score("authority", 6) for topic in alone)


def test_hubs_link_to_pages_of_the_topic() -> None:
    base = base_of([*CATS, *CARS], [(0, 1), (0, 2), (3, 1)])
    [_, cats] = keyword_propagation(base, min_size=2, hops=0)
    assert cats.hubs().tolist() == [0]
    assert cats.score("hub", 0) == pytest.approx(
        cats.score("authority", 1) + cats.score("authority", 2)
    )


def test_a_second_hop_reaches_further() -> None:
    links = [(0, 3), (1, 3), (2, 3), (3, 4)]
    base = base_of([*CATS, "", "", *CARS], links)
    one, two = (keyword_propagation(base, min_size=2, hops=hops) for hops in (1, 2))
    assert [any(4 in group for group in pages(found)) for found in (one, two)] == [False, True]


def test_min_size_and_max_topics() -> None:
    base = base_of([*CATS, *CARS])
    assert len(keyword_propagation(base)) == 0
    assert len(keyword_propagation(base, min_size=2, max_topics=1)) == 1
