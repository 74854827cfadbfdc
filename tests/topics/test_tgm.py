"""TGM: worked values, equal topics, and what is set aside."""

from itertools import permutations, product
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.graph.webgraph import WebGraph
from weft.groups import Group, Groups
from weft.topics import tgm

TWINS = [(s, t) for hubs, pages in (("ab", "xy"), ("cd", "uv")) for s in hubs for t in pages]


def everything(found: Groups) -> dict[str, Group]:
    return {topic.facts["pair"]: topic for topic in (*found.groups, *found.set_aside)}


@pytest.mark.parametrize("name", ["G1_seed002_hits7", "G2_seed002_pr5", "G3_own10"])
def test_worked_values(spec: Any, name: str) -> None:
    graph, values = spec(name)
    by_pair = everything(tgm(graph, vectors=4, max_size=3, threshold=0, max_overlap=1))
    for number, wanted in enumerate(values["hits_multi"], start=1):
        for sign, end in (("+", "pos"), ("-", "neg")):
            key = "1" if number == 1 and end == "pos" else f"{number}{sign}"
            if not wanted[f"TGM_k3_{end}"]:
                assert key not in by_pair
                continue
            topic = by_pair[key]
            assert topic.strength == pytest.approx(wanted[f"TGM_k3_{end}"], abs=1e-8)
            assert topic.authorities().tolist() == wanted[f"top3_auth_{end}"]
            assert topic.hubs().tolist() == wanted[f"top3_hub_{end}"]


def test_the_bound_is_reached_by_equal_entries() -> None:
    hubs, pages = (f"h{k:02}" for k in range(20)), [f"p{k:02}" for k in range(20)]
    [topic] = tgm(list(product(hubs, pages)))
    assert topic.facts["tgm"] == pytest.approx(2 * 20**0.5)
    assert topic.facts["tgm share"] == pytest.approx(1)
    assert len(topic) == 40


def test_better_topics_come_first() -> None:
    """A star has the larger singular value, a square shares its weight among more pages."""
    star = [("s", f"t{k}") for k in range(5)]
    square = [("a", "x"), ("a", "y"), ("b", "x"), ("b", "y")]
    found = tgm([*star, *square], max_size=2, threshold=0)
    assert [topic.facts["pair"] for topic in found] == ["2+", "1"]
    assert found[0].strength == pytest.approx(4 * 0.5**0.5)
    assert found[1].strength == pytest.approx(1 + 2 * 0.2**0.5)


def test_ends_below_the_threshold_are_set_aside() -> None:
    links = [("a", "x"), ("b", "x"), ("b", "y"), ("c", "z")]
    found = tgm(links, threshold=2.5)
    assert [topic.facts["pair"] for topic in found] == ["1"]
    assert [topic.reason for topic in found.set_aside] == [
        "goodness 2.00 is below 2.5",
        "goodness 1.38 is below 2.5",
        "goodness 1.38 is below 2.5",
    ]


def test_overlap_with_a_better_topic_is_set_aside() -> None:
    links = [("a", "x"), ("b", "x"), ("b", "y")]
    found = tgm(links, threshold=0)
    assert len(found) == 1
    assert [topic.reason for topic in found.set_aside] == ["100% of its pages are in topic 1"] * 2


def test_less_than_max_overlap_is_a_topic_of_its_own(spec: Any) -> None:
    """Of the communities of G4 the larger also leads the first pair."""
    graph, _ = spec("G4_two_communities")
    found = tgm(graph, vectors=2, max_size=3, threshold=0, max_overlap=0.8)
    assert [topic.facts["pair"] for topic in found] == ["1", "2+"]
    assert found[1].members.tolist() == [5, 6, 7, 8]
    assert found.set_aside[0].members.tolist() == [0, 1, 3, 4]
    every = tgm(graph, vectors=2, max_size=3, threshold=0, max_overlap=0)
    assert [topic.facts["pair"] for topic in every] == ["1", "2+", "2-"]
    assert not every.set_aside
    wide = tgm(graph, vectors=2, max_size=3, threshold=0, max_overlap=0.2)
    assert [topic.facts["pair"] for topic in wide] == ["1"]


def copies(links: list[tuple[str, str]], count: int) -> list[tuple[str, str]]:
    return [(f"{s}{k}", f"{t}{k}") for k in range(count) for s, t in links]


def named(found: Groups) -> list[tuple[float, list[str], list[str]]]:
    """Every topic by its goodness and the names of its authorities and hubs, in order."""
    base = found.base
    rows = [
        (
            round(t.strength, 6),
            sorted(base.page_names(t.authorities())),
            sorted(base.page_names(t.hubs())),
        )
        for t in found
    ]
    return sorted(rows)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_equal_topics_are_all_found(count: int) -> None:
    """Cliques of four hubs and four pages: each vector has four entries of one half."""
    clique = list(product("abcd", "wxyz"))
    found = tgm(copies(clique, count), threshold=4.0, max_size=20)
    assert [topic.strength for topic in found] == pytest.approx([4.0] * count)
    assert named(found) == [
        (4.0, [f"{page}{k}" for page in "wxyz"], [f"{hub}{k}" for hub in "abcd"])
        for k in range(count)
    ]
    assert not found.set_aside


def test_more_equal_topics_than_are_looked_for() -> None:
    """Forty stars of sixteen pages: as many as vectors were asked for are found."""
    star = [("h", f"p{k:02}") for k in range(16)]
    found = tgm(copies(star, 40), vectors=10)
    assert [topic.strength for topic in found] == pytest.approx([5.0] * 10)
    assert {len(topic) for topic in found} == {17}
    assert "too many ties" in found[0].facts["missing"]


def test_copies_have_the_ends_of_the_original() -> None:
    """The second pair of the original has two ends; two copies have that value twice."""
    web = [
        ("a", "x"),
        ("b", "x"),
        ("b", "y"),
        ("c", "y"),
        ("c", "z"),
        ("d", "z"),
        ("d", "x"),
        ("e", "x"),
    ]
    one, two = (tgm(copies(web, count), threshold=0, max_overlap=1) for count in (1, 2))
    strengths = [
        sorted(round(topic.strength, 6) for topic in everything(each).values())
        for each in (one, two)
    ]
    assert strengths[1] == sorted(strengths[0] * 2)


@given(st.permutations(range(12)), st.randoms())
def test_names_and_order_do_not_matter_to_equal_topics(turn: list[int], random: Random) -> None:
    """Two equal cliques and a third, renamed, their links in any order."""
    links = [*copies(list(product("ab", "xy")), 2), *copies(list(product("cd", "uv")), 1)]
    names = sorted({name for link in links for name in link})
    renamed = {name: f"p{turn[k]:02}" for k, name in enumerate(names)}
    again = tgm(
        [(renamed[s], renamed[t]) for s, t in random.sample(links, len(links))], threshold=0
    )
    wanted = sorted(
        (value, sorted(map(renamed.__getitem__, pages)), sorted(map(renamed.__getitem__, hubs)))
        for value, pages, hubs in named(tgm(links, threshold=0))
    )
    assert named(again) == wanted
    assert len(again) == 3


def test_equal_values_inside_one_component_have_no_ends() -> None:
    """Of the links from each of four pages to the others the last three values are one."""
    found = tgm(list(permutations("abcd", 2)), threshold=0)
    assert [topic.facts["pair"] for topic in found] == ["1"]
    assert [topic.reason for topic in found.set_aside] == [
        "pairs 2-4 tie: only their span is unique"
    ]


@pytest.mark.parametrize("hubs", [3, 4, 6, 8])
def test_equal_topics_that_a_chain_joins(hubs: int) -> None:
    """Two cliques of twenty: their values are equal to rounding, their pages are not."""
    twins = [(f"{t}h{i:02}", f"{t}a{j:02}") for t in "xy" for i in range(20) for j in range(20)]
    ends = ["xa00", *(f"m{k}" for k in range(hubs - 1)), "ya00"]
    chain = [(f"b{k}", page) for k in range(hubs) for page in (ends[k], ends[k + 1])]
    found = tgm([*twins, *chain])
    for name, topic in zip("xy", list(found)[:2], strict=True):
        assert topic.strength == pytest.approx(2 * 20**0.5, abs=1e-3)
        assert {found.base.graph.pages[page][0] for page in topic.members} == {name}


def test_equal_topics_that_one_faint_link_joins() -> None:
    twins = [
        (f"{t}h{i:02}", f"{t}a{j:02}", 1.0) for t in "xy" for i in range(20) for j in range(20)
    ]
    found = tgm([*twins, ("xh00", "ya00", 1e-9)], weighted=True)
    starts = [{found.base.graph.pages[page][0] for page in topic.members} for topic in found]
    assert starts == [{"x"}, {"y"}]


def test_vectors_and_weights_are_read() -> None:
    links = [*TWINS[:4], ("c", "u", 9.0)]
    assert len(tgm(links, threshold=0)) == 2
    assert len(tgm(links, threshold=0, vectors=1)) == 1
    heavy = tgm(links, threshold=0, vectors=1, weighted=True)[0]
    assert heavy.facts["singular value"] == pytest.approx(9)


def test_no_links_no_topics() -> None:
    none = np.zeros(0, np.int32)
    found = tgm(WebGraph.from_arrays(["a", "b"], none, none))
    assert (len(found), found.set_aside) == (0, ())
