"""Label spreading by its equation."""

import numpy as np

from weft.classify import LabelledPages, label_spreading
from weft.classify.label_spreading import smooth, symmetric_links
from weft.graph.webgraph import WebGraph


def test_the_limit_solves_the_equation() -> None:
    graph = WebGraph.from_links([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("d", "c")])
    links = symmetric_links(graph.outlinks)
    seeds = np.eye(4)[:, :2]
    found = smooth(links, seeds, 0.2, 1000, 1e-12)
    exact = np.linalg.solve(np.eye(4) - 0.8 * links.toarray(), 0.2 * seeds)
    np.testing.assert_allclose(found, exact, atol=1e-6)


def test_symmetric_links_by_hand() -> None:
    """A path of three pages: degrees 1, 2, 1; reciprocal links are one edge."""
    graph = WebGraph.from_links([("a", "b"), ("b", "a"), ("c", "b")])
    half = 0.5**0.5
    np.testing.assert_allclose(
        symmetric_links(graph.outlinks).toarray(),
        [[0, half, 0], [half, 0, half], [0, half, 0]],
        rtol=1e-6,
    )


def test_near_examples_win_over_words() -> None:
    pages = LabelledPages.from_lists(
        ["a", "b", "x", "y"],
        ["ball", "bank", "bank", "bank"],
        ["sport", "money", "", ""],
        links=[("x", "a")],
    )
    found = {page.page: page.class_ for page in label_spreading(pages)}
    assert found == {"x": "sport", "y": "money"}  # no example reaches y: its words decide
