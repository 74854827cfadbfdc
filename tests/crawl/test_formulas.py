"""The worked values of the specification, and what each formula must not depend on."""

import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.crawl.webs import ToyWeb, crawl, url

from weft.crawl import CrawlTopic
from weft.crawl.auto import squared_ranks
from weft.crawl.context_graph import find_layers
from weft.crawl.fish import shark_potential
from weft.crawl.focused import distil
from weft.crawl.intelligent import (
    interest_ratio,
    is_significant,
    link_ratio,
    priority,
    sibling_ratio,
)
from weft.gather.page import Link, Page

VALUES: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "data" / "mining-values.json").read_text()
)
SHARK, DISTILLER = VALUES["shark_search"], VALUES["distiller"]
INTELLIGENT = VALUES["intelligent_crawling"]
shares = st.floats(0.01, 0.99)


@pytest.mark.parametrize("link", ["link_graph_paper", "link_click_here"])
def test_shark_search_of_the_specification(link: str) -> None:
    given_values = SHARK[link]
    inherited, potential = shark_potential(
        SHARK["page_similarity"], 1.0, given_values["anchor"], given_values["context"]
    )
    assert inherited == pytest.approx(given_values["inherited"])
    assert potential == pytest.approx(given_values["potential"])


def test_shark_search_one_irrelevant_page_further() -> None:
    """An irrelevant page passes on half of what it inherited."""
    given_values = SHARK["grandchild_click_here"]
    inherited_by_page = SHARK["link_click_here"]["inherited"]
    inherited, potential = shark_potential(0.0, inherited_by_page, 0.0, given_values["context"])
    assert inherited == pytest.approx(given_values["inherited"])
    assert potential == pytest.approx(given_values["potential"])


def test_shark_search_on_pages() -> None:
    """The links of the specification, with *tree* for *web*, which is a stop word.

    The topic is {tree, graph}; the page has cosine (2 + 1) / (sqrt 2 · 3), "graph paper"
    1/2. *press* is no word of the topic; the words around it are those of the page.
    """
    text = "graph paper tree tree press bottle oak"
    links = (
        Link(url("b"), "graph paper", position=0),
        Link(url("c"), "press", position=text.index("press")),
    )
    web = ToyWeb({page: (page, []) for page in "bc"})
    web.pages[url("a")] = Page(url("a"), text=text, language="en", links=links)
    found = {step.url: step.score for step in crawl("shark", web, "a", CrawlTopic("tree graph"))}
    similarity = 3 / math.sqrt(2 * 9)
    assert found[url("b")] == pytest.approx(0.5 * 0.5 * similarity + 0.5 * (0.8 * 0.5 + 0.2))
    assert found[url("c")] == pytest.approx(0.5 * 0.5 * similarity + 0.5 * 0.2 * similarity)


def test_the_context_counts_where_the_anchor_does_not() -> None:
    assert shark_potential(0, 0, 0.5, 0.1)[1] == shark_potential(0, 0, 0.5, 0.9)[1]
    assert shark_potential(0, 0, 0.0, 0.1)[1] < shark_potential(0, 0, 0.0, 0.9)[1]


def test_a_trace_of_similarity_does_not_count() -> None:
    weak = shark_potential(1e-4, 0.8, 0.0, 0.0, min_similarity=1e-3)
    assert weak == pytest.approx((0.4, 0.2))


@given(*[st.floats(0, 1)] * 4)
def test_potential_is_between_zero_and_one(a: float, b: float, c: float, d: float) -> None:
    inherited, potential = shark_potential(a, b, c, d)
    assert 0 <= inherited <= 1 / 2
    assert 0 <= potential <= 3 / 4


PAGES = ["a", "b", "c", "x", "y"]
RELEVANCE = [0.9, 0.8, 0.1, 0.7, 0.6]
SOURCE, TARGET = np.array([0, 0, 1, 2], np.int32), np.array([3, 4, 3, 4], np.int32)


def test_distiller_of_the_specification() -> None:
    hubs, authorities = distil(RELEVANCE, SOURCE, TARGET)
    expected_hubs = [DISTILLER["hubs"].get(page, 0) for page in PAGES]
    expected_authorities = [DISTILLER["authorities"].get(page, 0) for page in PAGES]
    np.testing.assert_allclose(hubs, expected_hubs, atol=1e-10)
    np.testing.assert_allclose(authorities, expected_authorities, atol=1e-10)


def test_an_irrelevant_page_is_no_authority() -> None:
    """Page y has relevance .1 or less: what links to it alone is no hub."""
    hubs, authorities = distil([0.9, 0.8, 0.5, 0.7, 0.1], SOURCE, TARGET)
    assert authorities.tolist() == [0, 0, 0, 1, 0]
    assert hubs[2] == 0


def test_the_distiller_without_relevant_pages_or_links() -> None:
    for relevance, links in (([0.0] * 5, 4), (RELEVANCE, 0), ([], 0)):
        hubs, authorities = distil(relevance, SOURCE[:links], TARGET[:links])
        assert not hubs.any() or links == 0
        assert not authorities.any()
        assert np.isfinite(hubs).all()


@given(st.permutations(range(5)))
def test_numbering_does_not_matter_to_the_distiller(order: list[int]) -> None:
    place = np.argsort(order).astype(np.int32)
    hubs, _ = distil([RELEVANCE[k] for k in order], place[SOURCE], place[TARGET])
    np.testing.assert_allclose(hubs[place], distil(RELEVANCE, SOURCE, TARGET)[0], atol=1e-12)


def test_interest_ratios_of_the_specification() -> None:
    """Of 100 pages 5 are relevant; *gene* has 3 of 20, *sport* 1 of 100."""
    share = INTELLIGENT["P"]
    gene, sport = interest_ratio(3, 20, share), interest_ratio(1, 100, share)
    assert gene == pytest.approx(INTELLIGENT["I_gene"])
    assert sport == pytest.approx(INTELLIGENT["I_sport"])
    assert gene * sport == pytest.approx(INTELLIGENT["I_content"])
    assert interest_ratio(1, 4, share) == pytest.approx(INTELLIGENT["I_url"])
    assert interest_ratio(1, 3, share) == pytest.approx(INTELLIGENT["I_sibling"])


def test_link_ratio_of_the_specification() -> None:
    """Links from relevant pages lead to relevant ones in 9 of 15 cases, others in 44 of 1,045."""
    pairs = Counter(
        {(True, True): 9, (True, False): 6, (False, True): 44, (False, False): 1001}
    )  # 53 of 1,060 lead to relevant pages: .05
    assert link_ratio(1, 0, pairs) == pytest.approx(INTELLIGENT["I_link_sat"])
    assert link_ratio(0, 1, pairs) == pytest.approx(INTELLIGENT["I_link_not"])
    assert link_ratio(1, 1, pairs) == pytest.approx(INTELLIGENT["I_link"])
    assert link_ratio(0, 0, pairs) == 1


def test_a_page_with_very_many_relevant_parents() -> None:
    """The product of 1,000 ratios of 12 is no number; its logarithm is bounded anyway."""
    pairs = Counter({(True, True): 9, (True, False): 6, (False, True): 44, (False, False): 1001})
    assert priority((1, 1, link_ratio(1000, 0, pairs), 1)) == pytest.approx(5)
    assert priority((1, 1, link_ratio(0, 1000, pairs), 1)) == pytest.approx(-5)
    never = Counter({(True, True): 5, (True, False): 5, (False, False): 90})
    assert priority((1, 1, link_ratio(1000, 1, never), 1)) == pytest.approx(-5)


def test_priority_of_the_specification() -> None:
    names = ("I_content", "I_url", "I_link", "I_sibling")
    ratios = tuple(INTELLIGENT[name] for name in names)
    assert priority(ratios) == pytest.approx(INTELLIGENT["priority_log_equal_weights"])
    assert priority(ratios, (0, 1, 0, 0)) == pytest.approx(math.log(INTELLIGENT["I_url"]))


def test_logarithms_are_bounded() -> None:
    assert priority((0, 1e9, 1, 1)) == pytest.approx(-5 + 5)
    assert priority((0, 1, 1, 1)) == pytest.approx(-5)


@given(shares, st.integers(1, 1000), st.integers(0, 10), st.integers(0, 10))
def test_ratios_are_one_where_nothing_depends(
    share: float, count: int, relevant: int, other: int
) -> None:
    """Evidence that goes with relevance as chance would have it says nothing."""
    assert interest_ratio(share * count, count, share) == pytest.approx(1)
    assert not is_significant(share * count, count, share)
    assert sibling_ratio(share * count, count, share) == pytest.approx(1)
    pairs = Counter({(True, True): 6, (True, False): 4, (False, True): 60, (False, False): 40})
    assert link_ratio(relevant, other, pairs) == pytest.approx(1)


def test_significance_by_hand() -> None:
    """At P = 1/2 and 16 pages the standard deviation is 1/8: 12 of 16 is two away."""
    assert is_significant(12, 16, 0.5)
    assert not is_significant(11.9, 16, 0.5)
    assert is_significant(4, 16, 0.5)
    assert not is_significant(9, 9, 0.01)  # fewer than ten
    assert not is_significant(16, 16, 1.0)


def test_siblings_are_smoothed() -> None:
    """Three siblings, one relevant, at P = .05: (1 + .05) / (.15 + .05)."""
    assert sibling_ratio(1, 3, 0.05) == pytest.approx(5.25)
    assert sibling_ratio(0, 0, 0.05) == 1
    assert sibling_ratio(0, 3, 0) == 1


def test_a_word_on_the_parents_of_relevant_pages_rises_to_the_top() -> None:
    """Forty pairs of pages, of which one has *signal* and links to a relevant page.

    Without learning the children alternate. Once ten of each are known, all
    other children of pages with *signal* come before those of the others.
    """
    kinds = {k: ("signal", "gold") if k % 2 else ("noise", "iron") for k in range(80)}
    pages = {str(k): (f"{kinds[k][0]} {k}", [str(100 + k)]) for k in kinds}
    children = {str(100 + k): (f"{kinds[k][1]} {k}", "") for k in kinds}
    web = ToyWeb({"s": ("start", map(str, range(80))), **pages, **children})
    topic = CrawlTopic(relevance=lambda page: float("gold" in page.text))
    found = crawl("intelligent", web, "s", topic, rescore_every=5)
    relevance = [int(step.relevance) for step in found.steps[81:]]
    assert relevance[:10] == [0, 1] * 5
    assert relevance[30:] == sorted(relevance[30:], reverse=True)
    assert 10 <= sum(relevance[30:]) < sum(relevance) == 40
    plain = crawl("breadth-first", web, "s", topic)
    assert [int(step.relevance) for step in plain.steps[81:]] == [0, 1] * 40


def test_layers_of_a_context_graph() -> None:
    """Links d > c > b > a and d > b: d is two links away, and in no other layer."""
    backlinks = {"a": ["b"], "b": ["c", "d"], "c": ["d"], "d": ["a"]}
    layers = find_layers(["a", "a"], backlinks.__getitem__, 3, 10)
    assert layers == [["a"], ["b"], ["c", "d"], []]
    assert find_layers(["a"], backlinks.__getitem__, 2, 1) == [["a"], ["b"], ["c"]]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20, unique=True))
def test_squared_ranks_keep_the_order(values: list[float]) -> None:
    found = squared_ranks(np.array(values))
    assert np.argsort(found).tolist() == np.argsort(values).tolist()
    assert found.max() == 1
    assert found.min() == pytest.approx(1 / len(values) ** 2)
