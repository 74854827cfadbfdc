"""Contract tests: what every topic method promises."""

from itertools import permutations, product
from typing import cast

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft.topics
from weft.core.errors import BadParameter
from weft.core.register import METHODS, Method, format_citation, method_notes
from weft.graph.baseset.baseset import BaseSet
from weft.graph.baseset.expand import build_query_base_set
from weft.graph.webgraph import WebGraph
from weft.groups import Groups
from weft.workspace.workspace import Workspace

Links = list[tuple[str, str]]
KIND = [method for method in METHODS.values() if method.kind == "topics"]
NONE = np.zeros(0, np.int32)
TOYS: dict[str, Links] = {
    "three links": [("a", "x"), ("b", "x"), ("b", "y")],
    "a cycle": [("a", "b"), ("b", "c"), ("c", "a")],
    "two equal components": [("a", "x"), ("b", "y")],
    "everyone links to everyone": list(permutations("abcd", 2)),
    "two large groups": [
        (f"http://{group}{hub}.example/", f"http://{group}.org/{page}")
        for group, hub, page in product("pq", range(14), range(8))
    ],
}
EMPTY: dict[str, WebGraph] = {
    "no pages": WebGraph.from_links([]),
    "one page": WebGraph.from_arrays(["a"], NONE, NONE),
    "no links": WebGraph.from_arrays(list("abc"), NONE, NONE),
    "links to oneself": WebGraph.from_links([("a", "a"), ("b", "b")]),
}
webs = st.lists(st.sampled_from(list(permutations("abcdef", 2))), min_size=1, max_size=16)
every_method = pytest.mark.parametrize("method", KIND, ids=lambda m: m.name)
every_toy = pytest.mark.parametrize("toy", TOYS)


def run(method: Method, data: object, **options: object) -> Groups:
    """Run with small topics and few words, which the contract does not depend on."""
    small = {"min_size": 2, "threshold": 0.0, "max_features": 200}
    own = {name: value for name, value in small.items() if name in method.options}
    return cast("Groups", method(data, **own, **options))


def check(found: Groups, n: int) -> None:
    for topic in (*found.groups, *found.set_aside):
        assert topic.members.dtype == np.int32
        assert len(topic)
        assert (np.diff(topic.members) > 0).all()
        assert 0 <= topic.members.min() <= topic.members.max() < n
        for scores in (topic.authority, topic.hub):
            assert scores.shape == topic.members.shape
            assert scores.dtype == np.float64
            assert np.isfinite(scores).all()
            assert (scores >= 0).all()
        assert np.isfinite(topic.strength)
    assert all(topic.reason for topic in found.set_aside)
    assert not any(topic.reason for topic in found.groups)
    strengths = [round(topic.strength, 9) for topic in found.groups]
    assert strengths == sorted(strengths, reverse=True)


def test_there_are_methods() -> None:
    assert {"atd", "tgm", "eigen", "hits", "phits", "plsa-phits"} <= {m.name for m in KIND}


@every_method
@every_toy
def test_topics_are_made_of_pages_and_scores(method: Method, toy: str) -> None:
    graph = WebGraph.from_links(TOYS[toy])
    found = run(method, graph)
    assert found.method == method.name
    check(found, len(graph))
    table = found.to_table()
    assert set(table["page"].to_pylist()) <= set(graph.pages)


@every_method
@settings(max_examples=10)
@given(webs)
def test_topics_are_valid_on_any_web(method: Method, links: Links) -> None:
    graph = WebGraph.from_links(links)
    check(run(method, graph), len(graph))


@every_method
@pytest.mark.parametrize("case", EMPTY)
def test_graphs_without_links(method: Method, case: str) -> None:
    found = run(method, EMPTY[case])
    check(found, len(EMPTY[case]))
    assert found.trace.converged
    assert "topic" in repr(found)
    assert not any(len(topic.authorities()) + len(topic.hubs()) for topic in found)


@every_method
def test_twice_is_the_same_bytes(method: Method, demo: Workspace) -> None:
    one, two = (
        drawn(run(method, build_query_base_set(demo.collection, "jaguar"))) for _ in range(2)
    )
    assert one == two
    assert one


def drawn(found: Groups) -> list[tuple[bytes, bytes, bytes, float, str]]:
    return [
        (t.members.tobytes(), t.authority.tobytes(), t.hub.tobytes(), t.strength, t.reason)
        for t in (*found.groups, *found.set_aside)
    ]


@every_method
def test_every_topic_knows_its_sites(method: Method) -> None:
    found = run(method, TOYS["two large groups"])
    for topic in found:
        assert topic.sites
        assert topic.sites.count <= len(topic)
        assert 0 <= topic.sites.top_share <= 1
        assert isinstance(topic.sites.tightly_knit, str)


@every_method
def test_options_are_recorded(method: Method) -> None:
    found = cast("Groups", method(TOYS["three links"]))
    defaults = {name: option.default for name, option in method.options.items()}
    assert dict(found.options) == defaults
    assert found.provenance["level"] == "page"


@every_method
def test_an_unknown_option_is_refused(method: Method) -> None:
    with pytest.raises(BadParameter, match=method.name):
        run(method, TOYS["three links"], frobnication=3)


@every_method
def test_card_and_citation_exist(method: Method) -> None:
    notes = method_notes(method.kind, method.name)
    assert all(part.strip() for part in (notes.formula, notes.cost, notes.limitations))
    assert format_citation(method.cites)


@every_method
def test_it_takes_whatever_holds_links(method: Method) -> None:
    links = TOYS["two large groups"]
    graph = nx.DiGraph()
    graph.add_nodes_from(WebGraph.from_links(links).pages)
    graph.add_edges_from(links)
    assert drawn(run(method, graph)) == drawn(run(method, BaseSet.from_any(links)))


@every_method
def test_the_library_offers_it(method: Method) -> None:
    assert method.run in [getattr(weft.topics, name) for name in weft.topics.__all__]
