"""Plots of every shape that has some, also where there is little to draw."""

import re
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import pytest

from weft.graph.synthetic import copying_graph
from weft.graph.webgraph import WebGraph
from weft.report.plots import PLOT_FUNCTIONS, draw_plots
from weft.structure import (
    Shape,
    bow_tie,
    connected_components,
    degree_distribution,
    depth,
    faloutsos,
    reciprocity,
)
from weft.structure.distances import distances

WEB = copying_graph(3000, 5, seed=1)
PICTURES: dict[Callable[..., Shape], list[str]] = {
    bow_tie: ["bow-tie"],
    degree_distribution: ["in-degrees", "out-degrees"],
    connected_components: ["components"],
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


def test_every_plot_function_is_tested() -> None:
    assert len(PLOT_FUNCTIONS) == len(PICTURES)


@pytest.mark.parametrize("method", PICTURES)
def test_pictures_are_drawn_and_the_same_twice(method: Any) -> None:
    shape = method(WEB)
    found = draw_plots(shape)
    assert list(found) == PICTURES[method]
    for picture in found.values():
        ElementTree.fromstring(picture)
        assert "nan" not in picture
    assert draw_plots(shape) == found


@pytest.mark.parametrize("method", PICTURES)
@pytest.mark.parametrize("toy", TOYS)
def test_toy_graphs_are_drawn(method: Any, toy: str) -> None:
    for picture in draw_plots(method(WebGraph.from_links(TOYS[toy]))).values():
        ElementTree.fromstring(picture)


def test_a_degree_plot_has_the_verdict_on_the_fit() -> None:
    shape = degree_distribution(WEB)
    picture = draw_plots(shape)["in-degrees"]
    assert f"power law: {shape['in-degree verdict']}" in picture
    assert f"exponent {shape['in-degree exponent']:.2f}" in picture
    for law in ("log-normal", "exponential", "truncated power law"):
        assert law in picture


def test_shares_are_percentages() -> None:
    for shape, picture in (
        (degree_distribution(WEB), "in-degrees"),
        (distances(WEB), "distances"),
        (depth(WEB), "depth"),
    ):
        ticks = re.findall(r'text-anchor="end"[^>]*>([^<]*)<', draw_plots(shape)[picture])
        assert ticks
        assert all(tick.endswith(" %") for tick in ticks if tick[0].isdigit()), (picture, ticks)


def test_a_distance_plot_has_average_and_diameter() -> None:
    picture = draw_plots(distances([("a", "b"), ("b", "c"), ("c", "a")]))["distances"]
    assert "average 1.50, diameter 2<" in picture


def test_a_shape_without_pictures_has_none() -> None:
    assert draw_plots(reciprocity(WEB)) == {}
