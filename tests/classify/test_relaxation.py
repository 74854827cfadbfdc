"""Relaxation labelling: the published example, its limits, and symmetry of classes."""

import numpy as np
import pytest

from weft.classify import LabelledPages, naive_bayes, relaxation
from weft.classify.relaxation import find_bridges, link_class_model, relax
from weft.graph.webgraph import WebGraph

# p and q link to each other, and r, known to be of class 0, links to p
GRAPH = WebGraph.from_links([("p", "q"), ("q", "p"), ("r", "p")])
TEXT = np.array([[0.4, 0.6], [0.7, 0.3], [0.5, 0.5]])
FIXED = np.array([[0, 0], [0, 0], [1.0, 0]])
OUT, BACK = np.array([[0.8, 0.2], [0.3, 0.7]]), np.array([[0.75, 0.25], [0.2, 0.8]])
KNOWN = np.array([2], np.int32)


def run(text: np.ndarray, out: np.ndarray, back: np.ndarray, iterations: int) -> np.ndarray:
    models = [(GRAPH.outlinks, out), (GRAPH.inlinks, back)]
    return relax(text, models, KNOWN, FIXED, 1e-12, iterations)[0]


@pytest.mark.parametrize(
    ("iterations", "p", "q"),
    [
        (1, 0.8535242291, 0.6043956044),
        (2, 0.7948925190, 0.9159163744),
        (50, 0.9489445544, 0.9462336039),
    ],
)
def test_published_example(iterations: int, p: float, q: float) -> None:
    found = run(TEXT, OUT, BACK, iterations)
    np.testing.assert_allclose(found[:, 0], [p, q, 1], atol=1e-9)


def test_uniform_link_classes_leave_the_text() -> None:
    even = np.full((2, 2), 0.5)
    np.testing.assert_allclose(run(TEXT, even, even, 50)[:2], TEXT[:2])


def test_known_neighbours_need_one_step() -> None:
    models = [(GRAPH.outlinks, OUT), (GRAPH.inlinks, BACK)]
    known = np.array([1, 2], np.int32)
    fixed = np.array([[0, 0], [0, 1.0], [1.0, 0]])
    found, iterations = relax(TEXT, models, known, fixed, 1e-12, 50)
    assert iterations == 2  # the second finds no change
    # 0.4 and 0.6, times p -> q of class 1, q -> p of class 1, r -> p of class 0
    odds = 0.4 / 0.6 * (0.2 / 0.7) * (0.25 / 0.8) * (0.75 / 0.2)
    assert found[0, 0] / found[0, 1] == pytest.approx(odds)


def test_permuted_classes_permute_the_result() -> None:
    swapped = relax(
        TEXT[:, ::-1].copy(),
        [(GRAPH.outlinks, OUT[::-1, ::-1]), (GRAPH.inlinks, BACK[::-1, ::-1])],
        KNOWN,
        FIXED[:, ::-1].copy(),
        1e-12,
        7,
    )[0]
    np.testing.assert_allclose(swapped[:, ::-1], run(TEXT, OUT, BACK, 7))


def test_no_links_are_naive_bayes() -> None:
    rows = [("a", "ball goal", "sport"), ("b", "bank", "money"), ("x", "goal", "")]
    np.testing.assert_allclose(
        relaxation(rows).probabilities, naive_bayes(rows).probabilities, atol=1e-12
    )


def test_link_classes_are_counted_by_hand() -> None:
    """Of pages of class 0, one link to class 0 and one to class 1; add-one smoothed."""
    graph = WebGraph.from_links([("a", "b"), ("a", "c"), ("x", "a")])
    fixed = np.array([[1.0, 0], [1, 0], [0, 1], [0, 0]])
    model = link_class_model(graph.outlinks, fixed)
    np.testing.assert_allclose(model, [[2 / 4, 2 / 4], [1 / 2, 1 / 2]])


def test_bridges_join_pages_that_are_linked_from_one_page() -> None:
    graph = WebGraph.from_links([("hub", "a"), ("hub", "b"), ("other", "c")])
    bridges = find_bridges(graph.outlinks)
    names = list(graph.pages)
    linked = {page: [names[k] for k in bridges.row(i)] for i, page in enumerate(names)}
    assert linked == {"hub": [], "a": ["b"], "b": ["a"], "other": [], "c": []}


def test_cocitation_brings_the_class_of_siblings() -> None:
    pages = LabelledPages.from_lists(
        ["a", "b", "c", "d", "h", "i", "x"],
        ["ball", "ball", "bank", "bank", "", "", ""],
        ["sport", "sport", "money", "money", "", "", ""],
        links=[("h", "a"), ("h", "b"), ("h", "x"), ("i", "c"), ("i", "d")],
    )
    plain, bridged = (
        {page.page: page for page in relaxation(pages, cocitation=option)}
        for option in (False, True)
    )
    assert bridged["x"].class_ == "sport"
    assert bridged["x"].certainty > plain["x"].certainty
