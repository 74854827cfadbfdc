"""Lost links are judged rightly, and found sooner than by popularity."""

import numpy as np
import pytest
from benchmarks.suggest import BASELINES, Held, Worth, measure, same_folder, worth
from hypothesis import given
from hypothesis import strategies as st
from tests.real import DATA, real

from weft.graph.webgraph import WebGraph
from weft.similar.context import WebContext
from weft.similar.link_scores import LinkQuery
from weft.workspace.workspace import Workspace


def test_the_first_place_is_worth_most() -> None:
    values = np.array([0.9, 0.8, 0.1, 0.0])
    assert worth(values, np.array([True, False, False, False])) == Worth(0.1, 1.0, 1.0)
    assert worth(values, np.array([False, False, False, True])) == Worth(0.1, 1 / 4, 0.0)
    assert worth(values, np.array([False, True, True, False])) == Worth(0.2, 1 / 2, 0.5)


@given(st.integers(1, 40))
def test_ties_count_as_chance_has_it(n: int) -> None:
    lost = np.zeros(n + 1, bool)
    lost[0] = True
    found = worth(np.ones(n + 1), lost)
    assert found.auc == 0.5
    assert found.precision == pytest.approx(min(10 / (n + 1), 1) / 10)


def test_no_lost_link_near_is_worth_nothing() -> None:
    assert worth(np.ones(3), np.zeros(3, bool)) == Worth(0, 0, 0)


def test_links_held_out_are_gone() -> None:
    rng = np.random.default_rng(0)
    graph = WebGraph.from_arrays(50, *rng.integers(0, 50, (2, 600)))
    held = Held.of("random", graph)
    left = held.web.graph
    assert left.link_count + len(held.source) == graph.link_count
    for question, lost in held.questions("to", 5):
        assert len(lost)
        assert not set(lost) & set(question.linked_pages)


def test_pages_of_a_folder() -> None:
    graph = WebGraph.from_links([("http://a/x/1", "http://a/x/2"), ("http://a/x/2", "http://a/y/")])
    assert same_folder(LinkQuery(WebContext.from_any(graph), 0)).tolist() == [1, 1, 0]


@real
def test_political_blogs_find_their_lost_links(tmp_path_factory: pytest.TempPathFactory) -> None:
    workspace = Workspace(tmp_path_factory.mktemp("real") / "blogs.weft")
    workspace.add(DATA / "polblogs" / "polblogs.gml")
    found = measure(Held.of("blogs", workspace.graph()), "to", 40)["methods"]
    for rule in BASELINES:
        for name in ("precision", "reciprocal", "auc"):
            assert found["fused"][name] > found[rule][name], (rule, name)
