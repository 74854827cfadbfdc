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
from weft.structure import patterns

Links = list[tuple[str, str]]
VALUES = Path(__file__).parents[1] / "data" / "mining-values.json"
WORKED = [("a", "c"), ("a", "d"), ("b", "c"), ("b", "d"), ("b", "e"), ("c", "e"), ("e", "c")]
WORKED += [("f", "d")]
webs = st.lists(
    st.sampled_from(list(permutations("abcdef", 2))), min_size=1, max_size=25, unique=True
)


def test_worked_values() -> None:
    worked = json.loads(VALUES.read_text())["patterns"]
    found = patterns([tuple(edge) for edge in worked["edges"]])
    first = found.to_table("co-citation").to_pylist()[0]
    assert (first["page"], first["other"], first["count"]) == ("c", "d", worked["cocitation_c_d"])
    first = found.to_table("coupling").to_pylist()[0]
    assert (first["page"], first["other"], first["count"]) == ("a", "b", worked["coupling_a_b"])
    mutual = found.to_table("mutual").to_pylist()
    assert [[row["page"], row["other"]] for row in mutual] == worked["mutual"]


def test_the_worked_graph_by_hand() -> None:
    found = patterns(WORKED)
    assert found.facts == {
        "links": 8,
        "mutual pairs": 1,
        "reciprocity": 0.25,
        "indirect pairs": 3,
        "co-citation pairs": 3,
        "coupling pairs": 6,
    }
    ways = {(row["page"], row["other"]): row for row in found.to_table("indirect").to_pylist()}
    assert set(ways) == {("a", "e"), ("b", "c"), ("b", "e")}
    assert [row["also_direct"] for row in ways.values()] == [False, True, True]


def test_strengths_order_the_pairs() -> None:
    first = patterns(WORKED, strength="lift").to_table("coupling").to_pylist()[0]
    assert (first["page"], first["other"]) == ("a", "e")
    cosine = patterns(WORKED, strength="cosine").to_table("co-citation").to_pylist()[0]
    assert cosine["strength"] == pytest.approx(2 / 3)


def test_as_many_pairs_as_wanted() -> None:
    assert len(patterns(WORKED, top=2).to_table("coupling")) == 2


@given(webs)
def test_reciprocity_is_that_of_networkx(links: Links) -> None:
    assert patterns(links)["reciprocity"] == pytest.approx(nx.reciprocity(nx.DiGraph(links)))


@given(webs)
def test_turned_round_cocitation_is_coupling(links: Links) -> None:
    found, turned = patterns(links), patterns([(target, source) for source, target in links])
    assert found["co-citation pairs"] == turned["coupling pairs"]
    assert found["indirect pairs"] == turned["indirect pairs"]


def test_what_is_left_out_is_told() -> None:
    links = [("list", f"p{k}") for k in range(6)]
    whole, capped = patterns(links), patterns(links, cap=5)
    assert (whole["co-citation pairs"], capped["co-citation pairs"]) == (15, 0)
    assert "co-citation: 1 page with too many links left out" in capped.notes[0]
    assert capped.to_table().to_pylist()[3]["left_out"] == 1
    assert "6 pages, which can be co-cited but not coupled" in whole.notes[-1]


def test_a_lower_cap_where_ties_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    links = [("list", f"p{k}") for k in range(6)] + [("few", "p0"), ("few", "p1")]
    assert [row["cap"] for row in patterns(links).to_table().to_pylist()[2:]] == [1000] * 3
    monkeypatch.setattr(sys.modules["weft.structure.patterns"], "MOST", 20)
    found = patterns(links)
    assert found["co-citation pairs"] == 1
    assert found.to_table().to_pylist()[3]["cap"] == 5
    assert "(cap 5)" in found.notes[0]


def test_a_site_has_one_vote() -> None:
    hubs = ["http://a.org/1", "http://a.org/2"]
    links = [(hub, target) for hub in hubs for target in ("http://x.org/", "http://y.org/")]
    counts = [
        patterns(links, vote=vote).to_table("co-citation").to_pylist()[0]["count"]
        for vote in ("page", "site")
    ]
    assert counts == [2.0, 1.0]


def test_no_pages() -> None:
    assert patterns(WebGraph.from_links([])).facts["links"] == 0
