"""Every shape with pictures has them, also where there is little to draw."""

from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import pytest

from weft.graph.synthetic import copying
from weft.graph.webgraph import WebGraph
from weft.run.plots import DRAWN, plots
from weft.structure import Shape, bow_tie, components, degrees, depth, faloutsos, reciprocity
from weft.structure.distances import distances

WEB = copying(3000, 5, seed=1)
PICTURES: dict[Callable[..., Shape], list[str]] = {
    bow_tie: ["bow-tie"],
    degrees: ["in-degrees", "out-degrees"],
    components: ["components"],
    distances: ["distances"],
    depth: ["depth"],
    faloutsos: [f"faloutsos {law}" for law in ("rank", "out-degree", "hop-plot", "eigenvalue")],
}
TOYS: dict[str, list[tuple[str, str]]] = {
    "nothing": [],
    "one page": [("a", "a")],
    "a link": [("a", "b")],
    "a circle": [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")],
}


def test_all_that_can_be_drawn_is_tried_here() -> None:
    assert len(DRAWN) == len(PICTURES)


@pytest.mark.parametrize("method", PICTURES)
def test_pictures_are_drawn_and_the_same_twice(method: Any) -> None:
    shape = method(WEB)
    found = plots(shape)
    assert list(found) == PICTURES[method]
    for picture in found.values():
        ElementTree.fromstring(picture)
        assert "nan" not in picture
    assert plots(shape) == found


@pytest.mark.parametrize("method", PICTURES)
@pytest.mark.parametrize("toy", TOYS)
def test_little_is_drawn_too(method: Any, toy: str) -> None:
    for picture in plots(method(WebGraph.from_links(TOYS[toy]))).values():
        ElementTree.fromstring(picture)


def test_a_degree_plot_says_what_to_think_of_the_fit() -> None:
    shape = degrees(WEB)
    picture = plots(shape)["in-degrees"]
    assert f"power law: {shape['in-degree verdict']}" in picture
    assert f"exponent {shape['in-degree exponent']:.2f}" in picture
    for law in ("log-normal", "exponential", "truncated power law"):
        assert law in picture


def test_a_distance_plot_has_average_and_diameter() -> None:
    picture = plots(distances([("a", "b"), ("b", "c"), ("c", "a")]))["distances"]
    assert "average 1.50, diameter 2<" in picture


def test_a_shape_without_pictures_has_none() -> None:
    assert plots(reciprocity(WEB)) == {}
