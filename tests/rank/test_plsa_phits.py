"""PLSA-PHITS: words and links that agree, disagree, or are missing."""

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.rank.contributions import check_contributions

from weft.graph.baseset.baseset import BaseSet
from weft.graph.baseset.expand import build_query_base_set
from weft.graph.webgraph import WebGraph
from weft.rank import Ranking, plsa_phits
from weft.rank.plsa_phits import build_term_matrix
from weft.workspace.workspace import Workspace

Links = list[tuple[str, str]]
TWO = [(s, t) for hubs, pages in (("abc", "xyz"), ("de", "uv")) for s in hubs for t in pages]
webs = st.lists(st.sampled_from(list(permutations("abcdef", 2))), min_size=1, max_size=20)


def positive_scores(ranking: Ranking, score: str) -> dict[str, float]:
    pairs = zip(ranking.pages, ranking.scores[score].tolist(), strict=True)
    return {page: value for page, value in pairs if value > 1e-6}


def base_with_texts(links: Links, texts: dict[str, str]) -> BaseSet:
    graph = WebGraph.from_links(links)
    return BaseSet.from_graph(
        graph, read_texts=lambda: [texts.get(page, "") for page in graph.pages]
    )


CATS, CARS = "wild cat cat paw", "fast car car wheel"
SPLIT = dict.fromkeys("abx", CATS) | dict.fromkeys("cdy", CARS)
MIXED = [("a", "x"), ("b", "x"), ("c", "y"), ("d", "y")]


def test_words_and_links_agree_on_topics() -> None:
    ranking = plsa_phits(base_with_texts(MIXED, SPLIT), factors=2, restarts=3)
    topics = {frozenset(topic[:2]) for topic in ranking.details["terms"]}
    assert {frozenset(topic[:1]) for topic in ranking.details["terms"]} == {
        frozenset(["cat"]),
        frozenset(["car"]),
    }
    assert len(topics) == 2
    for k, topic in enumerate(ranking.details["terms"], start=1):
        leader, members = ("x", "abx") if topic[0] == "cat" else ("y", "cdy")
        assert positive_scores(ranking, f"authority {k}") == pytest.approx({leader: 1}, abs=1e-3)
        assert set(members) <= {
            p for p, v in positive_scores(ranking, f"member {k}").items() if v > 0.99
        }


def test_words_separate_pages_with_equal_links() -> None:
    """All link to both targets, so that links alone cannot separate the pages."""
    links = [(page, target) for page in "abcd" for target in "xy"]
    by_words = plsa_phits(base_with_texts(links, SPLIT), factors=2, words=0.9, restarts=3)
    a, c = by_words.scores["member 1"][[0, list(by_words.pages).index("c")]]
    assert abs(a - c) > 0.9
    by_links = plsa_phits(base_with_texts(links, SPLIT), factors=2, words=0.0)
    members = by_links.scores["member 1"]
    assert abs(members[0] - members[list(by_links.pages).index("c")]) < 0.9


def test_without_texts_only_links_count() -> None:
    ranking = plsa_phits(BaseSet.from_any(TWO), factors=2, restarts=5)
    leaders = [set(positive_scores(ranking, f"authority {k}")) for k in (1, 2)]
    assert sorted(map(sorted, leaders)) == [["u", "v"], ["x", "y", "z"]]


def test_local_optima_are_noted() -> None:
    single, several = (plsa_phits(BaseSet.from_any(TWO), factors=2, restarts=k) for k in (1, 3))
    assert single.certainty.note == "local optimum from one random start; another may differ"
    assert several.certainty.note.endswith(" of 3 random starts")
    assert plsa_phits(BaseSet.from_any(TWO), factors=1).certainty.note == ""


def test_vocabulary_limits() -> None:
    base = base_with_texts(
        [("a", "b"), ("c", "d")], {"a": "of one two", "b": "of one", "c": "of", "d": "of"}
    )
    assert build_term_matrix(base, 2, 0.5, 10)[1] == ["one"]
    assert build_term_matrix(base, 1, 0.5, 10)[1] == ["one", "two"]
    assert build_term_matrix(base, 1, 1.0, 10)[1] == ["of", "one", "two"]
    assert build_term_matrix(base, 1, 1.0, 1)[1] == ["of"]
    assert list(plsa_phits(base, max_features=0).details["terms"][0]) == []
    assert plsa_phits(base, min_df=1, max_df=1.0).details["terms"][0]


def test_term_frequencies_sum_to_one() -> None:
    matrix, _ = build_term_matrix(base_with_texts(MIXED, SPLIT), 1, 1.0, 100)
    np.testing.assert_allclose(np.bincount(matrix.row, matrix.value), 1)


@settings(max_examples=15)
@given(webs, st.floats(0, 1), st.sampled_from(["", "one two", "two"]))
def test_contributions_add_up(links: Links, words: float, text: str) -> None:
    texts = {links[0][0]: text, links[0][1]: "one"}
    options: dict[str, Any] = {"min_df": 1, "max_df": 1.0, "max_iter": 10, "words": words}
    check_contributions(plsa_phits(base_with_texts(links, texts), factors=2, **options))


def test_on_a_collection(demo: Workspace) -> None:
    base = build_query_base_set(demo.collection, "jaguar", root_size=50)
    ranking = plsa_phits(base, max_features=500)
    assert len({topic[0] for topic in ranking.details["terms"]}) > 1
    assert ranking.scores["authority"].max() > 0
