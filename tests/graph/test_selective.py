"""Leaders of a root set: worked values, one vote per host."""

import numpy as np
import pytest
from tests.webs import Spec

from weft.graph.selective import leaders
from weft.graph.webgraph import WebGraph


@pytest.mark.parametrize("name", ["G1_seed002_hits7", "G2_seed002_pr5", "G3_own10"])
def test_worked_values(spec: Spec, name: str) -> None:
    graph, values = spec(name)
    wanted = values["selective_expansion"]
    found = leaders(graph, np.arange(len(graph), dtype=np.int32))
    np.testing.assert_allclose(found.hub, wanted["page_hub_from_page_to_host"], atol=1e-8)
    np.testing.assert_allclose(
        found.authority, wanted["page_authority_from_host_to_page"], atol=1e-8
    )


def test_the_order_of_roots_is_that_of_scores(spec: Spec) -> None:
    graph, values = spec("G3_own10")
    roots = np.arange(len(graph), dtype=np.int32)[::-1].copy()
    wanted = values["selective_expansion"]["page_authority_from_host_to_page"]
    np.testing.assert_allclose(leaders(graph, roots).authority, wanted[::-1], atol=1e-8)


NEPOTISM = [
    *((f"http://many.com/{k}", "http://paid.com/") for k in range(30)),
    *((f"http://fan{k}.com/", "http://loved.com/") for k in range(3)),
]


def test_one_vote_per_host() -> None:
    graph = WebGraph.from_links(NEPOTISM)
    _, authorities = leaders(graph, np.arange(len(graph), dtype=np.int32)).best(5)
    assert [graph.pages[int(k)] for k in authorities] == ["http://loved.com/"]


def test_links_may_leave_the_root_set_for_hubs_alone() -> None:
    graph = WebGraph.from_links(
        [("http://a.com/", "http://x.com/"), ("http://a.com/", "http://y.com/")]
    )
    found = leaders(graph, graph.numbers(["http://a.com/"]))
    assert found.hub.tolist() == [1.0]
    assert found.authority.tolist() == [0.0]
    hubs, authorities = found.best(3)
    assert (hubs.tolist(), authorities.tolist()) == ([0], [])


def test_no_roots_lead_nowhere() -> None:
    graph = WebGraph.from_links([("http://a.com/", "http://x.com/")])
    found = leaders(graph, np.zeros(0, np.int32))
    assert len(found.hub) == len(found.authority) == 0
