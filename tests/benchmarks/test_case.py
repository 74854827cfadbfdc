"""The measures of topics by hand: two sets of four pages each."""

from dataclasses import replace

import numpy as np
import pytest
from benchmarks.topics.case import Case, score, shared_information

from weft.graph.baseset.baseset import BaseSet
from weft.graph.webgraph import WebGraph
from weft.groups.group import Group

LINKS = [("a1", "a2"), ("a3", "a2"), ("a3", "a4"), ("b1", "b2"), ("b3", "b2"), ("b3", "b4")]
NAMES = ["a1", "a2", "a3", "a4", "b1", "b2", "b3", "b4"]


def case() -> Case:
    base = BaseSet.from_graph(WebGraph.from_links(LINKS))
    sets = {name: np.array([page[0] == name for page in base.pages]) for name in "ab"}
    return Case.of("toy", base, sets)


def topic(toy: Case, *pages: str) -> Group:
    """A topic of some pages, the best authority first."""
    best = dict(
        zip(toy.base.graph.page_numbers(pages).tolist(), range(len(pages), 0, -1), strict=True)
    )
    members = np.array(sorted(best), np.int32)
    scores = np.array([float(best[page]) for page in members.tolist()])
    return Group(members, scores, scores, 1.0)


def test_the_sets_themselves_are_perfect() -> None:
    toy = case()
    found = score(toy, [topic(toy, *NAMES[:4]), topic(toy, *NAMES[4:])])
    assert set(found.to_dict().values()) == {1.0}


def test_no_topic_is_worth_nothing() -> None:
    assert score(case(), []).combined == 0


def test_one_set_alone() -> None:
    toy = case()
    found = score(toy, [topic(toy, "a2", "a1")])
    assert (found.found, found.purity, found.coverage) == (0.5, 1.0, 0.25)
    # a set of four pages asks for its first four authorities; two were given
    assert found.precision == 0.25


def test_a_topic_of_both_halves_has_no_main_set() -> None:
    toy = case()
    found = score(toy, [topic(toy, "a1", "a2", "b1", "b2")])
    assert (found.found, found.coverage, found.precision) == (0, 0, 0)
    assert found.purity == 0.5


def test_topics_beyond_twice_the_sets_do_not_count() -> None:
    toy = case()
    parts = [topic(toy, "a1", name) for name in NAMES[1:4]] + [topic(toy, "a1", "a2", "a3")]
    assert score(toy, [*parts, topic(toy, *NAMES[4:])]).found == 0.5


def test_precision_takes_the_first_topic_of_a_set_and_good_authorities_alone() -> None:
    toy = case()
    good = replace(toy, right=np.array([page in ("a2", "a4") for page in toy.base.pages]))
    topics = [topic(toy, "a2", "a1", "a4"), topic(toy, "a4", "a2")]
    found = score(good, topics)
    assert found.precision == 0.25
    assert found.inside == pytest.approx(3 / 4 / 2)


def test_pages_that_nobody_knows_count_nowhere() -> None:
    toy = case()
    known = replace(toy, known=np.array([page[0] == "a" for page in toy.base.pages]))
    found = score(known, [topic(toy, "a1", "a2", "b1", "b2", "b3")])
    assert (found.found, found.purity) == (0.5, 1.0)


def test_pages_without_a_link_count_nowhere() -> None:
    toy = case()
    graph = WebGraph.from_links([link for link in LINKS if link[0] != "b1"])
    base = BaseSet.from_graph(WebGraph.from_arrays(toy.base.pages, *ends(graph, toy)))
    alone = replace(toy, base=base)
    assert score(alone, [topic(toy, "a2", "b1")]).purity == 1.0


def ends(graph: WebGraph, toy: Case) -> tuple[np.ndarray, np.ndarray]:
    table = graph.to_arrow()
    sides = (table[side].to_pylist() for side in ("source", "target"))
    source, target = (toy.base.graph.page_numbers(names) for names in sides)
    return source, target


def test_shared_information() -> None:
    one = np.array([0, 0, 1, 1], np.int32)
    assert shared_information(one, one[::-1]) == pytest.approx(1)
    assert shared_information(one, np.array([0, 1, 0, 1], np.int32)) == pytest.approx(0)
    # half of an entropy of ln 2 is known: 2 (ln 2 / 2) / (ln 2 / 2 + ln 2)
    split = np.array([0, 0, 1, 2], np.int32)
    assert shared_information(split, one) == pytest.approx(2 * 1 / (1.5 + 1))
    assert shared_information(one, np.array([0, -2, 1, -2], np.int32)) == pytest.approx(1)
    assert shared_information(np.zeros(3, np.int32), np.zeros(3, np.int32)) == 0
