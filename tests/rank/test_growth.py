"""Growth of groups of pages, against dense algebra."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from tests.webs import Links, webs

from weft.graph.webgraph import WebGraph
from weft.rank.growth import grow


def radius(web: nx.DiGraph) -> float:
    return float(max(abs(np.linalg.eigvals(nx.to_numpy_array(web)))))


@given(webs)
def test_growth_is_the_spectral_radius(links: Links) -> None:
    web = nx.DiGraph(links)
    groups = [group for group in nx.strongly_connected_components(web) if len(group) > 1]
    radii = [radius(web.subgraph(group)) for group in groups]
    growth = grow(WebGraph.from_links(links), 1000)
    assert growth.most == pytest.approx(max(radii, default=0), abs=1e-7)
    assert len(growth.leaders) == sum(found > max(radii) - 1e-6 for found in radii)


def test_weights_multiply_growth() -> None:
    links = [("a", "b", 9.0), ("b", "a", 1.0), ("c", "d", 1.0), ("d", "c", 1.0)]
    plain, weighted = (grow(WebGraph.from_links(links), 100, weighted=w) for w in (False, True))
    assert (len(plain.leaders), plain.most) == (2, 1)
    assert (len(weighted.leaders), weighted.most) == (1, 3)
    assert np.isnan(grow(WebGraph.from_links([("a", "b")]), 100).gap)
