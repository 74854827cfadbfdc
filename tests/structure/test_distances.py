"""Distances of the specification, by igraph, of graphs known by heart, and estimated."""

import json
import re
from itertools import permutations
from pathlib import Path
from random import Random
from typing import Any

import igraph
import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.real import DATA, real

from weft.core.register import find_method
from weft.graph.webgraph import WebGraph
from weft.kernels.traversal import count_pages_by_distance
from weft.structure import Shape, distances
from weft.structure.distances import (
    average_distance,
    effective_diameter,
    jackknife_error,
    neighbourhood_tables,
)

VALUES = Path(__file__).parents[1] / "data" / "mining-values.json"
Links = list[tuple[str, str]]
TWELVE = "1>2 2>3 3>1 4>1 5>4 3>6 6>7 5>8 8>7 4>9 10>6 11>12"
EXAMPLE: Links = [(one, two) for one, two in re.findall(r"(\d+)>(\d+)", TWELVE)]
webs = st.lists(st.sampled_from(list(permutations("abcdefgh", 2))), max_size=30)


@pytest.fixture(scope="module")
def values() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(VALUES.read_text())
    return found


def ring(n: int) -> WebGraph:
    return WebGraph.from_arrays(n, np.arange(n), (np.arange(n) + 1) % n)


def three_links(n: int = 600) -> WebGraph:
    """Every page with three links at random, as the specification drew them."""
    draw = Random(7)
    ends = [(page, to) for page in range(n) for to in draw.sample(range(n), 3)]
    return WebGraph.from_arrays(n, *np.array(ends, np.int32).T)


def pairs(found: Shape, table: str = "neighbourhood") -> list[float]:
    column: list[float] = found.to_table(table)["pairs"].to_pylist()
    return column


def test_the_example_of_the_specification(values: dict[str, Any]) -> None:
    wanted = values["bowtie"]
    found = distances(WebGraph.from_links([(str(a), str(b)) for a, b in wanted["edges"]]))
    assert pairs(found) == wanted["neighbourhood_function"]
    assert found["average distance"] == pytest.approx(wanted["acd_directed"], abs=1e-9)
    assert found["effective diameter"] == pytest.approx(wanted["effective_diameter_90"], abs=1e-9)
    assert found["share of connected pairs"] == pytest.approx(wanted["prob_path_exists"], abs=1e-9)
    assert found["connected pairs"] == wanted["connected_ordered_pairs"]
    assert found["diameter"] == wanted["diameter_directed"]
    both = distances(WebGraph.from_links(EXAMPLE), directed=False)
    assert both["average distance"] == pytest.approx(wanted["acd_undirected"], abs=1e-9)
    assert both["diameter"] == wanted["diameter_undirected"]
    assert both["connected pairs"] == wanted["pairs_undirected"]


def test_three_links_a_page_exactly_and_from_the_same_sample(values: dict[str, Any]) -> None:
    graph = three_links()
    wanted = values["large"]
    assert distances(graph)["average distance"] == pytest.approx(wanted["acd_exact"], abs=1e-9)
    drawn = count_pages_by_distance(
        [graph.outlinks], np.array(Random(3).sample(range(600), 60), np.int32)
    )
    sampled = drawn.total_distance.sum() / drawn.reachable.sum()
    assert sampled == pytest.approx(wanted["acd_sampled_60_sources"], abs=1e-9)


@pytest.mark.parametrize("bits", [6, 8, 10])
def test_hyperball_is_within_five_in_a_hundred(bits: int) -> None:
    exact = distances(three_links())["average distance"]
    found = distances(three_links(), algorithm="hyperball", bits=bits, seed=1)
    assert found["average distance"] == pytest.approx(exact, rel=0.05)
    assert 0 < found["error of the average distance"] < 0.05 * exact


def test_hyperball_errs_about_as_much_as_it_says() -> None:
    """Over 20 seeds the true share is nearly always within four errors, rarely within a tenth."""
    exact = distances(three_links())["share of connected pairs"]
    found = [distances(three_links(), algorithm="hyperball", seed=4 * k) for k in range(20)]
    off = [
        abs(each["share of connected pairs"] - exact)
        / each["error of the share of connected pairs"]
        for each in found
    ]
    assert sum(each < 4 for each in off) >= 18
    assert sum(each < 0.1 for each in off) <= 8


def test_a_sample_errs_about_as_much_as_it_says() -> None:
    ends = np.random.default_rng(5).pareto(1.0, (2, 6000)) * 20
    graph = WebGraph.from_arrays(2000, *(ends.astype(np.int64) % 2000))
    exact = distances(graph)
    for fact in ("average distance", "share of connected pairs", "effective diameter"):
        off = []
        for seed in range(20):
            found = distances(graph, algorithm="sampled", sources=200, seed=seed)
            off.append(abs(found[fact] - exact[fact]) / found[f"error of the {fact}"])
        assert sum(each < 3 for each in off) >= 18, fact
        assert sum(each > 0.3 for each in off) >= 6, fact


@given(webs)
def test_directed_by_igraph(links: Links) -> None:
    graph = WebGraph.from_links(links)
    oracle = igraph.Graph(len(graph), _ends(graph), directed=True)
    found = distances(graph)
    histogram = oracle.path_length_hist(directed=True)
    assert found["connected pairs"] == histogram.n
    assert pairs(found, "distances") == [size for _, _, size in histogram.bins()]
    if histogram.n:
        assert found["diameter"] == oracle.diameter()
        wanted = oracle.average_path_length(directed=True, unconn=True)
        assert found["average distance"] == pytest.approx(wanted)
    else:
        assert found["average distance"] is None


def _ends(graph: WebGraph) -> list[tuple[int, int]]:
    source = np.repeat(np.arange(len(graph)), np.diff(graph.outlinks.starts))
    return list(zip(source.tolist(), graph.outlinks.ids.tolist(), strict=True))


@given(webs)
def test_undirected_by_networkx(links: Links) -> None:
    """A pair counts both ways, which changes no average."""
    found = distances(WebGraph.from_links(links), directed=False)
    lengths = dict(nx.all_pairs_shortest_path_length(nx.Graph(links)))
    far = [d for row in lengths.values() for d in row.values() if d]
    assert found["connected pairs"] == len(far)
    assert found["average distance"] == (pytest.approx(np.mean(far)) if far else None)
    assert found["diameter"] == max(far, default=0)


@given(webs)
def test_pairs_begin_with_every_page_and_never_fall(links: Links) -> None:
    graph = WebGraph.from_links(links)
    for algorithm in ("exact", "sampled", "hyperball"):
        found = pairs(distances(graph, algorithm=algorithm, sources=4, repeats=2))
        assert found[0] == pytest.approx(len(graph))
        assert all(np.diff(found) > 0)


@pytest.mark.parametrize("n", [2, 3, 10, 301])
def test_a_ring_and_a_web_of_all_links(n: int) -> None:
    found = distances(ring(n))
    assert found["average distance"] == pytest.approx(n / 2)
    assert found["diameter"] == n - 1
    every = distances(WebGraph.from_scipy(_all_links(min(n, 40))))
    assert every["average distance"] == 1
    assert every["share of connected pairs"] == 1


def _all_links(n: int) -> Any:
    from scipy.sparse import csr_array  # noqa: PLC0415

    return csr_array(np.ones((n, n)) - np.eye(n))


def test_small_webs_are_exact_and_large_ones_sampled() -> None:
    assert distances(WebGraph.from_arrays(20_000, [0], [1]))["algorithm"] == "exact"
    assert distances(WebGraph.from_arrays(90_000, [0], [1]))["algorithm"] == "exact"
    found = distances(three_links(30_000), sources=256, max_searches=0)
    assert found["algorithm"] == "sampled"
    assert found["sources"] == 256
    assert "256 of 30,000 pages searched" in found.notes[0]


def test_the_diameter_of_a_sample_is_exact_where_pages_all_lead_to_each_other() -> None:
    graph = three_links(2000)
    found = distances(graph, algorithm="sampled", sources=10, directed=False, max_searches=5000)
    assert (found["diameter"], found["diameter is"]) == (found["diameter at most"], "exact")
    true = distances(graph, directed=False)["diameter"]
    assert found["diameter"] == true
    less = distances(graph, algorithm="sampled", sources=10, directed=False, max_searches=20)
    assert less["diameter"] <= true <= less["diameter at most"]
    assert less["diameter is"] == "a lower bound"
    one_way = distances(ring(700), algorithm="sampled", sources=10)
    assert (one_way["diameter"], one_way["diameter is"]) == (699, "exact")


def test_the_diameter_of_a_sample_is_a_lower_bound_otherwise() -> None:
    chain = WebGraph.from_arrays(700, np.arange(699), np.arange(1, 700))
    found = distances(chain, algorithm="sampled", sources=5)
    assert found["diameter"] == 699
    assert found["diameter is"] == "a lower bound"
    assert found["diameter at most"] is None
    assert "the diameter is at least 699" in found.notes
    least = distances(chain, algorithm="sampled", sources=5, max_searches=0, seed=1)
    assert least["diameter"] < 699


def test_uncaptured_pages_are_dropped() -> None:
    graph = WebGraph.from_links([("a", "b"), ("b", "a"), ("b", "x")])
    known = WebGraph(
        graph.pages, graph.outlinks, graph.inlinks, uncaptured=np.array([False, False, True])
    )
    assert distances(known)["pages"] == 2
    assert "not captured" in distances(known).notes[0]
    assert distances(known, uncaptured="keep")["average distance"] == pytest.approx(5 / 4)


def test_one_run_of_hyperball_has_no_standard_error() -> None:
    found = distances(ring(30), algorithm="hyperball", repeats=1)
    assert found["error of the average distance"] is None
    assert "a single run has no standard error" in found.notes


def test_options_through_the_register() -> None:
    found = find_method("structure", "distances")(
        WebGraph.from_links(EXAMPLE), quantile=0.5, directed=False
    )
    assert isinstance(found, Shape)
    assert found["effective diameter"] == pytest.approx(1 + 16 / 26)


@real
def test_political_blogs_as_igraph_counts_them() -> None:
    text = (DATA / "polblogs" / "polblogs.gml").read_text("utf-8")
    links = re.findall(r"source (\d+)\s+target (\d+)", text)
    ends = np.unique(np.array(links, np.int32) - 1, axis=0)
    oracle = igraph.Graph(1490, ends, directed=True).simplify()
    graph = WebGraph.from_arrays(1490, *ends.T)
    for directed in (True, False):
        found = distances(graph, directed=directed)
        wanted = oracle.average_path_length(directed=directed, unconn=True)
        assert found["average distance"] == pytest.approx(wanted)
        assert found["diameter"] == oracle.diameter(directed=directed)


RING = np.array([4.0, 8.0, 12.0, 16.0])


def test_a_ring_of_four() -> None:
    assert average_distance(RING) == 2
    assert effective_diameter(RING, 0.5) == 1
    assert effective_diameter(RING, 0.9) == pytest.approx(2.6)


def test_no_connected_pairs() -> None:
    assert average_distance(np.array([5.0])) is None
    assert effective_diameter(np.array([5.0])) == 0


def test_few_enough_pairs_within_no_click() -> None:
    assert effective_diameter(np.array([98.0, 100.0]), 0.9) == 0


def test_the_jackknife_of_a_mean_is_its_standard_error() -> None:
    values = np.array([[2.0], [4.0], [4.0], [10.0]])
    wanted = values.std(ddof=1) / 2
    assert jackknife_error(values / 3, lambda total: float(total[0])) == pytest.approx(wanted)


def test_no_error_is_known_from_one_part_or_without_a_measure() -> None:
    assert jackknife_error(np.ones((1, 3)), lambda total: float(total[0])) is None
    assert jackknife_error(np.ones((2, 1)), average_distance) is None


def test_tables_add_up() -> None:
    tables = neighbourhood_tables(RING, exact=True)
    assert tables["neighbourhood"].to_pydict() == {
        "hops": [0, 1, 2, 3],
        "pairs": [4, 8, 12, 16],
        "share": [0.25, 0.5, 0.75, 1.0],
    }
    assert tables["distances"]["pairs"].to_pylist() == [4, 4, 4]
    assert sum(tables["distances"]["share"].to_pylist()) == pytest.approx(1)
    assert neighbourhood_tables(RING / 3, exact=False)["distances"]["pairs"].to_pylist()[0] < 4
