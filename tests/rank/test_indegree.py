"""In-degree by hand, by published values, and under renumbering."""

import json
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.webs import webs

from weft.core.errors import BadParameter
from weft.core.register import find_method
from weft.graph.webgraph import WebGraph
from weft.rank import indegree

VALUES = Path(__file__).parents[1] / "data" / "ranking-values.json"


def shares(links: list[tuple[str, str]], **options: object) -> dict[str, float]:
    table = find_method("rank", "indegree")(WebGraph.from_links(links), **options).to_table()
    return {row["page"]: row["share"] for row in table.to_pylist()}


def test_by_hand() -> None:
    assert shares([("a", "x"), ("b", "x"), ("b", "y")]) == {"x": 2 / 3, "y": 1 / 3, "a": 0, "b": 0}


def test_parallel_links_count_once_unless_weighted() -> None:
    links = [("a", "x"), ("a", "x"), ("b", "y")]
    assert shares(links)["x"] == pytest.approx(1 / 2)
    assert shares(links, weighted=True)["x"] == pytest.approx(2 / 3)


def test_no_links_score_zero() -> None:
    assert shares([("a", "a")]) == {"a": 0}


def test_unknown_options_are_an_error() -> None:
    with pytest.raises(BadParameter, match="indegree"):
        shares([("a", "b")], depth=3)


def test_repr_names_the_leader() -> None:
    ranking = indegree(WebGraph.from_links([("a", "x"), ("b", "x")]))
    assert repr(ranking) == "<Ranking of 3 pages by indegree, led by x>"


@given(webs, st.randoms())
def test_numbering_does_not_matter(links: list[tuple[str, str]], random: Random) -> None:
    assert shares(links) == pytest.approx(shares(random.sample(links, len(links))))


@pytest.mark.parametrize("name", ["G1_seed002_hits7", "G2_seed002_pr5", "G3_own10"])
def test_published_values(name: str) -> None:
    graph = json.loads(VALUES.read_text())[name]
    found = shares([(str(s), str(t)) for s, t in graph["edges"]])
    wanted = {str(k): v for k, v in enumerate(graph["pSALSA"], graph["base"])}
    assert {node: found.get(node, 0) for node in wanted} == pytest.approx(wanted, abs=1e-9)
