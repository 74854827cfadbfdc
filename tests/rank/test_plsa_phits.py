"""The joint model: words and links that agree, disagree, or are missing."""

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.rank.parts import check_parts

from weft.graph.baseset import BaseSet
from weft.graph.expand import expand
from weft.graph.webgraph import WebGraph
from weft.rank import Ranking, plsa_phits
from weft.rank.plsa_phits import word_cells
from weft.run.workspace import Workspace

Links = list[tuple[str, str]]
TWO = [(s, t) for hubs, pages in (("abc", "xyz"), ("de", "uv")) for s in hubs for t in pages]
webs = st.lists(st.sampled_from(list(permutations("abcdef", 2))), min_size=1, max_size=20)


def named(ranking: Ranking, score: str) -> dict[str, float]:
    found = zip(ranking.pages, ranking.scores[score].tolist(), strict=True)
    return {page: value for page, value in found if value > 1e-6}


def written(links: Links, texts: dict[str, str]) -> BaseSet:
    graph = WebGraph.from_links(links)
    return BaseSet.whole(graph, read_texts=lambda: [texts.get(page, "") for page in graph.pages])


CATS, CARS = "wild cat cat paw", "fast car car wheel"
SPLIT = dict.fromkeys("abx", CATS) | dict.fromkeys("cdy", CARS)
MIXED = [("a", "x"), ("b", "x"), ("c", "y"), ("d", "y")]


def test_words_and_links_agree_on_topics() -> None:
    ranking = plsa_phits(written(MIXED, SPLIT), factors=2, restarts=3)
    topics = {frozenset(topic[:2]) for topic in ranking.details["terms"]}
    assert {frozenset(topic[:1]) for topic in ranking.details["terms"]} == {
        frozenset(["cat"]),
        frozenset(["car"]),
    }
    assert len(topics) == 2
    for k, topic in enumerate(ranking.details["terms"], start=1):
        leader, members = ("x", "abx") if topic[0] == "cat" else ("y", "cdy")
        assert named(ranking, f"authority {k}") == pytest.approx({leader: 1}, abs=1e-3)
        assert set(members) <= {p for p, v in named(ranking, f"member {k}").items() if v > 0.99}


def test_words_decide_where_links_do_not() -> None:
    """All link to both, so that links alone cannot tell the pages apart."""
    links = [(page, target) for page in "abcd" for target in "xy"]
    by_words = plsa_phits(written(links, SPLIT), factors=2, words=0.9, restarts=3)
    a, c = by_words.scores["member 1"][[0, list(by_words.pages).index("c")]]
    assert abs(a - c) > 0.9
    by_links = plsa_phits(written(links, SPLIT), factors=2, words=0.0)
    told = by_links.scores["member 1"]
    assert abs(told[0] - told[list(by_links.pages).index("c")]) < 0.9


def test_without_texts_links_decide_alone() -> None:
    ranking = plsa_phits(BaseSet.of(TWO), factors=2, restarts=5)
    leaders = [set(named(ranking, f"authority {k}")) for k in (1, 2)]
    assert sorted(map(sorted, leaders)) == [["u", "v"], ["x", "y", "z"]]


def test_local_optima_are_told() -> None:
    alone, several = (plsa_phits(BaseSet.of(TWO), factors=2, restarts=k) for k in (1, 3))
    assert alone.certainty.note.endswith("found from one start; others may lead elsewhere")
    assert several.certainty.note.endswith(" of 3 starts came to")
    assert plsa_phits(BaseSet.of(TWO), factors=1).certainty.note == ""


def test_which_words_count() -> None:
    base = written(
        [("a", "b"), ("c", "d")], {"a": "of one two", "b": "of one", "c": "of", "d": "of"}
    )
    assert word_cells(base, 2, 0.5, 10)[1] == ["one"]
    assert word_cells(base, 1, 0.5, 10)[1] == ["one", "two"]
    assert word_cells(base, 1, 1.0, 10)[1] == ["of", "one", "two"]
    assert word_cells(base, 1, 1.0, 1)[1] == ["of"]
    assert list(plsa_phits(base, vocabulary=0).details["terms"][0]) == []
    assert plsa_phits(base, least=1, common=1.0).details["terms"][0]


def test_shares_of_words_sum_to_one() -> None:
    cells, _ = word_cells(written(MIXED, SPLIT), 1, 1.0, 100)
    np.testing.assert_allclose(np.bincount(cells.row, cells.value), 1)


@settings(max_examples=15)
@given(webs, st.floats(0, 1), st.sampled_from(["", "one two", "two"]))
def test_joint_parts_add_up(links: Links, words: float, text: str) -> None:
    texts = {links[0][0]: text, links[0][1]: "one"}
    options: dict[str, Any] = {"least": 1, "common": 1.0, "limit": 10, "words": words}
    check_parts(plsa_phits(written(links, texts), factors=2, **options))


def test_on_a_collection(demo: Workspace) -> None:
    ranking = plsa_phits(expand(demo.collection, "jaguar", root=50), vocabulary=500)
    assert len({topic[0] for topic in ranking.details["terms"]}) > 1
    assert ranking.scores["authority"].max() > 0
