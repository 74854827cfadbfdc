"""Principal HITS as a topic."""

from itertools import product
from typing import Any

import pytest

from weft.rank import hits as ranked
from weft.topics import hits


def test_one_topic_with_the_scores_of_hits(spec: Any) -> None:
    graph, values = spec("G3_own10")
    [topic] = hits(graph)
    assert topic.members.tolist() == [0, 1, 2, 3, 4, 5]
    assert topic.strength == pytest.approx(values["hits_multi"][0]["sigma"], abs=1e-8)
    for role in ("authority", "hub"):
        mine = [topic.score(role, page) for page in range(10)]
        assert mine == pytest.approx(values["hits_multi"][0][role], abs=1e-8)


def test_the_second_group_is_lost() -> None:
    large, small = list(product("abc", "xyz")), list(product("de", "uv"))
    [topic] = hits([*large, *small])
    assert sorted(hits([*large, *small]).base.pages[p] for p in topic.members) == list("abcxyz")


def test_a_tie_is_noted() -> None:
    [topic] = hits([("a", "x"), ("b", "y")])
    assert topic.note == "blend of 2 groups of pages that tie"
    assert len(topic) == 4


def test_only_the_best_are_members() -> None:
    links = [("a", "x"), ("a", "y"), ("a", "z"), ("b", "x"), ("b", "y"), ("c", "x")]
    found = hits(links, max_size=1)
    assert [found.base.pages[p] for p in found[0].members] == ["a", "x"]
    full = ranked(links).scores
    assert found[0].authority.max() == pytest.approx(full["authority"].max())
    assert found[0].hub.max() == pytest.approx(full["hub"].max())


def test_options_are_read() -> None:
    links = [("a", "x", 1.0), ("a", "y", 1.0), ("b", "y", 5.0)]
    assert hits(links, weighted=True)[0].strength > 5
    assert not hits(links, max_iter=1).trace.converged
    ladder = [(f"h{i}", f"a{i + k}") for i in range(30) for k in (0, 1, 3)]
    rough, fine = (hits(ladder, tol=t).trace for t in (0.1, 1e-10))
    assert rough.iterations < fine.iterations


def test_no_links_no_topic() -> None:
    assert len(hits([("a", "a")])) == 0
