"""Patterns by the specification, by hand, and by networkx."""

import json
import sys
from itertools import permutations
from pathlib import Path

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.graph.webgraph import WebGraph
from weft.structure import link_patterns

Links = list[tuple[str, str]]
VALUES = Path(__file__).parents[1] / "data" / "mining-values.json"
WORKED = [("a", "c"), ("a", "d"), ("b", "c"), ("b", "d"), ("b", "e"), ("c", "e"), ("e", "c")]
WORKED += [("f", "d")]
webs = st.lists(
    st.sampled_from(list(permutations("abcdef", 2))), min_size=1, max_size=25, unique=True
)


def test_worked_values() -> None:
    worked = json.loads(VALUES.read_text())["patterns"]
    found = link_patterns([tuple(edge) for edge in worked["edges"]])
    first = found.to_table("co-citation").to_pylist()[0]
    assert (first["page"], first["other"], first["count"]) == ("c", "d", worked["cocitation_c_d"])
    first = found.to_table("coupling").to_pylist()[0]
    assert (first["page"], first["other"], first["count"]) == ("a", "b", worked["coupling_a_b"])
    mutual = found.to_table("mutual").to_pylist()
    assert [[row["page"], row["other"]] for row in mutual] == worked["mutual"]


def test_the_worked_graph_by_hand() -> None:
    found = link_patterns(WORKED)
    assert found.facts == {
        "links": 8,
        "mutual pairs": 1,
        "reciprocity": 0.25,
        "indirect pairs": 3,
        "co-citation pairs": 3,
        "coupling pairs": 6,
    }
    paths = {(row["page"], row["other"]): row for row in found.to_table("indirect").to_pylist()}
    assert set(paths) == {("a", "e"), ("b", "c"), ("b", "e")}
    assert [row["also_direct"] for row in paths.values()] == [False, True, True]


def test_similarity_orders_the_pairs() -> None:
    first = link_patterns(WORKED, similarity="lift").to_table("coupling").to_pylist()[0]
    assert (first["page"], first["other"]) == ("a", "e")
    cosine = link_patterns(WORKED, similarity="cosine").to_table("co-citation").to_pylist()[0]
    assert cosine["similarity"] == pytest.approx(2 / 3)


def test_as_many_pairs_as_wanted() -> None:
    assert len(link_patterns(WORKED, max_pairs=2).to_table("coupling")) == 2


@given(webs)
def test_reciprocity_is_that_of_networkx(links: Links) -> None:
    assert link_patterns(links)["reciprocity"] == pytest.approx(nx.reciprocity(nx.DiGraph(links)))


@given(webs)
def test_co_citation_of_reversed_links_is_coupling(links: Links) -> None:
    found, turned = (
        link_patterns(links),
        link_patterns([(target, source) for source, target in links]),
    )
    assert found["co-citation pairs"] == turned["coupling pairs"]
    assert found["indirect pairs"] == turned["indirect pairs"]


def test_pages_with_too_many_links_are_left_out() -> None:
    links = [("list", f"p{k}") for k in range(6)]
    whole, capped = link_patterns(links), link_patterns(links, max_degree=5)
    assert (whole["co-citation pairs"], capped["co-citation pairs"]) == (15, 0)
    assert "co-citation: 1 page with too many links left out" in capped.notes[0]
    assert capped.to_table().to_pylist()[3]["left_out"] == 1
    assert "6 pages without links, or not captured" in whole.notes[-1]


def test_max_degree_is_lowered_where_paths_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    links = [("list", f"p{k}") for k in range(6)] + [("few", "p0"), ("few", "p1")]
    assert [row["max_degree"] for row in link_patterns(links).to_table().to_pylist()[2:]] == [
        1000
    ] * 3
    monkeypatch.setattr(sys.modules["weft.structure.patterns"], "MAX_PATHS", 20)
    found = link_patterns(links)
    assert found["co-citation pairs"] == 1
    assert found.to_table().to_pylist()[3]["max_degree"] == 5
    assert "(max_degree 5)" in found.notes[0]


def test_a_site_has_one_vote() -> None:
    hubs = ["http://a.org/1", "http://a.org/2"]
    links = [(hub, target) for hub in hubs for target in ("http://x.org/", "http://y.org/")]
    counts = [
        link_patterns(links, vote=vote).to_table("co-citation").to_pylist()[0]["count"]
        for vote in ("page", "site")
    ]
    assert counts == [2.0, 1.0]


def test_no_pages() -> None:
    assert link_patterns(WebGraph.from_links([])).facts["links"] == 0
