"""Average clicks of the paper's figure, by definition, and between a few pages."""

import json
from itertools import permutations
from math import inf, log
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from weft.core.errors import BadParameter, UnknownName
from weft.graph.webgraph import WebGraph
from weft.structure import average_clicks

VALUES = Path(__file__).parents[1] / "data" / "mining-values.json"
Links = list[tuple[str, str]]
FIGURE: Links = [
    *[("A", to) for to in "BEx"],
    *[("B", to) for to in ("C", *"123456")],
    *[("E", to) for to in "Dy"],
]
DIRECTORY: Links = [
    ("S", "directory"),
    ("S", "m"),
    ("m", "m2"),
    ("m2", "T"),
    ("directory", "T"),
    *[("directory", f"entry {k}") for k in range(342)],
]
webs = st.lists(st.sampled_from(list(permutations("abcdef", 2))), min_size=1, max_size=24)


def path_row(links: Links, source: str, target: str, **options: Any) -> dict[str, Any]:
    found = average_clicks(WebGraph.from_links(links), source=source, targets=[target], **options)
    row: dict[str, Any] = found.to_table().to_pylist()[0]
    return row


def between(links: Links, **options: Any) -> dict[tuple[str, str], float]:
    graph = WebGraph.from_links(links)
    pages = sorted(graph.pages)
    table = average_clicks(graph, pages=pages, **options).to_table("average clicks").to_pylist()
    return {(row["from"], to): row[to] for row in table for to in pages}


@pytest.fixture(scope="module")
def values() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(VALUES.read_text())["average_clicks"]
    return found


def test_the_figure_of_the_paper(values: dict[str, Any]) -> None:
    to_c, to_d = path_row(FIGURE, "A", "C"), path_row(FIGURE, "A", "D")
    assert to_c["average clicks"] == pytest.approx(values["A_to_C"], abs=1e-9)
    assert to_d["average clicks"] == pytest.approx(values["A_to_D"], abs=1e-9)
    assert to_c["path"] == values["path_AC"]
    assert to_d["path"] == values["path_AD"]
    damped = path_row(FIGURE, "A", "C", damping=0.85)["average clicks"]
    assert damped == pytest.approx(values["A_to_C_alpha_085"], abs=1e-9)
    chance = values["random_surfer_prob_A_to_C"]
    assert 7 ** -to_c["average clicks"] == pytest.approx(chance, abs=1e-9)


def test_small_pages_are_nearer_than_a_directory(values: dict[str, Any]) -> None:
    found = path_row(DIRECTORY, "S", "T")
    assert found["average clicks"] == pytest.approx(values["S_to_T"], abs=1e-9)
    assert found["path"] == values["S_to_T_path"]
    assert (found["clicks"], found["plain clicks"]) == (3, 2)


@pytest.mark.parametrize("links", [1, 2, 3, 7])
def test_the_length_of_a_link(links: int, values: dict[str, Any]) -> None:
    star = [("a", f"{k}") for k in range(links)]
    found = average_clicks(WebGraph.from_links(star), source="a")
    assert found["length of these links"] == pytest.approx(values[f"link_len_{links}"], abs=1e-9)
    assert found["links of the source"] == links


def test_links_without_length_lead_on() -> None:
    """Each page of a chain has one link, so that its end is no further than its beginning."""
    chain = [(f"{k}", f"{k + 1}") for k in range(9)]
    found = path_row(chain, "0", "9")
    assert found["average clicks"] == 0
    assert found["clicks"] == 9
    assert path_row(chain, "9", "0")["average clicks"] == inf


@given(webs)
def test_distances_by_scipy_with_stored_zeros(links: Links) -> None:
    graph = WebGraph.from_links(links)
    degrees = np.diff(graph.outlinks.starts)
    length = np.repeat(np.log(np.maximum(degrees, 1)) / log(7), degrees)
    n = len(graph)
    matrix = csr_array((length, graph.outlinks.ids, graph.outlinks.starts), shape=(n, n))
    found, wanted = between(links), dijkstra(matrix)
    for (one, two), distance in found.items():
        assert distance == pytest.approx(
            wanted[graph.page_number(one), graph.page_number(two)], abs=1e-12
        )


@given(webs, st.floats(0.1, 1))
def test_triangle_inequality(links: Links, damping: float) -> None:
    found = between(links, damping=damping)
    pages = sorted({page for pair in found for page in pair})
    assert all(found[page, page] == 0 for page in pages)
    assert min(found.values()) >= 0
    for one, two, three in permutations(pages, 3):
        assert found[one, three] <= found[one, two] + found[two, three] + 1e-12


def test_it_is_not_symmetric() -> None:
    found = between([("a", "b"), ("a", "c"), ("b", "a")])
    assert found["a", "b"] == pytest.approx(log(2, 7))
    assert found["b", "a"] == 0


@given(webs)
def test_plain_clicks_stand_beside(links: Links) -> None:
    graph = WebGraph.from_links(links)
    pages = sorted(graph.pages)
    table = average_clicks(graph, pages=pages).to_table("plain clicks").to_pylist()
    wanted = dict(nx.all_pairs_shortest_path_length(nx.DiGraph(links)))
    for row in table:
        for page in pages:
            assert row[page] == wanted[row["from"]].get(page)


def test_without_targets_the_nearest_come_first_and_the_rest_is_told() -> None:
    found = average_clicks(WebGraph.from_links(FIGURE), source="A", max_rows=4)
    assert found.to_table()["page"].to_pylist() == ["B", "E", "x", "D"]
    assert found.notes == ("the nearest 4 of 12 pages reached are listed",)
    assert found["reached"] == 12


def test_no_further_than_asked() -> None:
    found = average_clicks(WebGraph.from_links(FIGURE), source="A", within=1.0)
    assert found["reached"] == 5


def test_the_base_is_a_matter_of_scale() -> None:
    assert path_row(FIGURE, "A", "C", base=21.0)["average clicks"] == pytest.approx(1)


def test_links_that_the_graph_does_not_know_of() -> None:
    given_ = path_row(FIGURE, "A", "D", outdegrees=["A=49"])
    assert given_["average clicks"] == pytest.approx(2 + log(2, 7))
    with pytest.raises(BadParameter, match="PAGE=NUMBER"):
        path_row(FIGURE, "A", "D", outdegrees=["A"])
    with pytest.raises(UnknownName):
        path_row(FIGURE, "A", "D", outdegrees=["nobody=3"])


def test_a_page_that_is_not_there() -> None:
    with pytest.raises(UnknownName, match="nobody"):
        path_row(FIGURE, "A", "nobody")


def test_pages_are_told_apart_from_headings_and_counted_once() -> None:
    found = average_clicks(WebGraph.from_links([("from", "to")]), pages=["from", "to", "from"])
    assert found.to_table().column_names == ["from", "from", "to"]
    assert found["connected pairs"] == 1


def test_no_source_no_paths() -> None:
    found = average_clicks(WebGraph.from_links(FIGURE))
    assert len(found.to_table()) == 0
    assert found.notes == ("no page to start from was given",)
