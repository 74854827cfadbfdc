"""Factors as topics: blocks of links are found, words help, options are read."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from weft.graph.baseset.baseset import BaseSet
from weft.graph.webgraph import WebGraph
from weft.groups import Groups
from weft.rank import phits as rank_phits
from weft.topics import phits, plsa_phits
from weft.topics.factors import dominant_factor

BLOCKS = [*product("abc", "xyz"), *product("de", "uv")]


def groups(found: Groups) -> list[str]:
    return ["".join(sorted(found.base.pages[p] for p in topic.members)) for topic in found]


def test_blocks_of_links_are_topics() -> None:
    found = phits(BLOCKS, factors=2)
    assert groups(found) == ["abcxyz", "deuv"]
    assert [topic.strength for topic in found] == pytest.approx([9 / 13, 4 / 13], abs=1e-6)
    assert found[1].authority[found[1].authority > 0] == pytest.approx([0.5, 0.5], abs=1e-6)
    assert "random starts" in found[0].note


def test_one_factor_is_in_degree() -> None:
    found = phits([("a", "x"), ("b", "x"), ("b", "y")], factors=1)
    assert groups(found) == ["abxy"]
    scores = {found.base.pages[p]: found[0].score("authority", p) for p in found[0].members}
    assert scores == pytest.approx({"a": 0, "b": 0, "x": 2 / 3, "y": 1 / 3})
    assert "note" not in found[0].facts


def test_scores_are_those_of_the_characteristic_pages() -> None:
    """In its dominant factor a page has the score of the ranking."""
    links = [*BLOCKS, ("c", "u"), ("d", "z")]
    found, ranking = phits(links, factors=2), rank_phits(links, factors=2)
    for page, score in enumerate(ranking.scores["authority"].tolist()):
        best = max(topic.score("authority", page) for topic in found)
        assert best == pytest.approx(score, rel=1e-6, abs=1e-12)


def test_a_page_is_a_hub_of_one_topic_and_an_authority_of_another() -> None:
    links = [*BLOCKS, ("x", "u"), ("x", "v")]
    found = phits(links, factors=2)
    assert [len(found.group_numbers("x")), len(found.group_numbers("y"))] == [2, 1]


def test_an_empty_factor_is_no_topic() -> None:
    found = phits([("a", "x")], factors=3)
    assert len(found) == 1


def test_words_separate_pages_with_the_same_links() -> None:
    """Two pairs of pages with the same links, but different words."""
    links = [(s, t) for s in "abcd" for t in ("x", "y")]
    texts = {"a": "cat paw", "b": "cat paw", "c": "car wheel", "d": "car wheel", "x": "", "y": ""}
    graph = WebGraph.from_links(links)
    base = BaseSet.from_graph(graph, read_texts=lambda: [texts[page] for page in graph.pages])
    found = plsa_phits(base, factors=2, max_df=1.0)
    hubs = sorted("".join(sorted(base.pages[p] for p in topic.hubs())) for topic in found)
    assert hubs == ["ab", "cd"]
    terms = sorted(sorted(topic.facts["terms"][:2]) for topic in found)
    assert terms == [["car", "wheel"], ["cat", "paw"]]


def test_hubs_point_to_authorities_of_their_topic() -> None:
    found = plsa_phits(BLOCKS, factors=2, seed=1)
    assert sorted(groups(found)) == ["abcxyz", "deuv"]
    for topic in found:
        pages = {found.base.pages[p] for p in topic.hubs()}
        assert pages in ({"a", "b", "c"}, {"d", "e"})


def test_pages_without_links_have_words_only() -> None:
    graph = WebGraph.from_arrays(["a", "b"], np.zeros(0, np.int32), np.zeros(0, np.int32))
    base = BaseSet.from_graph(graph, read_texts=lambda: ["cat paw", "cat paw"])
    found = plsa_phits(base, factors=1, max_df=1.0)
    assert groups(found) == ["ab"]
    assert len(found[0].authorities()) == len(found[0].hubs()) == 0


@pytest.mark.parametrize("method", [phits, plsa_phits])
def test_no_links_no_topics(method: Any) -> None:
    assert len(method([("a", "a")])) == 0
    assert len(method([])) == 0


@pytest.mark.parametrize(
    "options",
    [
        {"factors": 2},
        {"restarts": 1},
        {"tempering": 0.8},
        {"seed": 9},
        {"max_iter": 2},
        {"tol": 0.1},
    ],
    ids=str,
)
def test_options_are_read(options: dict[str, Any]) -> None:
    links = [*BLOCKS, ("c", "u"), ("d", "z"), ("x", "u"), ("a", "b"), ("e", "y"), ("u", "z")]
    plain: dict[str, Any] = {"factors": 3, "restarts": 2}
    one, two = phits(links, **plain), phits(links, **{**plain, **options})
    assert drawn(one) != drawn(two)


def drawn(found: Groups) -> list[Any]:
    return [(t.members.tolist(), t.authority.tolist(), t.note) for t in found]


def test_weights_count_when_asked() -> None:
    links = [("a", "x", 3.0), ("a", "y", 1.0)]
    assert phits(links, factors=1, weighted=True)[0].authority.max() == pytest.approx(0.75)


def test_dominant_factor_is_the_first_on_ties_and_none_without_weight() -> None:
    belongs = np.array([[0.5, 0.0, 0.1], [0.5, 0.0, 0.3]])
    assert dominant_factor(belongs).tolist() == [0, -1, 1]
