"""Bounds of the spectral radius, against dense eigenvalues."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from tests.webs import Links, webs

from weft.graph.webgraph import WebGraph
from weft.rank.spectral_radius import bound_spectral_radius


def radius(web: nx.DiGraph) -> float:
    return float(max(abs(np.linalg.eigvals(nx.to_numpy_array(web)))))


@given(webs)
def test_agrees_with_dense_eigenvalues(links: Links) -> None:
    web = nx.DiGraph(links)
    components = [pages for pages in nx.strongly_connected_components(web) if len(pages) > 1]
    radii = [radius(web.subgraph(pages)) for pages in components]
    bounds = bound_spectral_radius(WebGraph.from_links(links), 1000)
    assert bounds.radius_upper_bound == pytest.approx(max(radii, default=0), abs=1e-7)
    assert len(bounds.dominant_components) == sum(r > max(radii) - 1e-6 for r in radii)


def test_weights_count() -> None:
    links = [("a", "b", 9.0), ("b", "a", 1.0), ("c", "d", 1.0), ("d", "c", 1.0)]
    plain, weighted = (
        bound_spectral_radius(WebGraph.from_links(links), 100, weighted=w) for w in (False, True)
    )
    assert (len(plain.dominant_components), plain.radius_upper_bound) == (2, 1)
    assert (len(weighted.dominant_components), weighted.radius_upper_bound) == (1, 3)
    assert np.isnan(bound_spectral_radius(WebGraph.from_links([("a", "b")]), 100).gap_lower_bound)
