"""Scores of missing links: the textbook's, networkx's, and what directions make of them."""

import json
from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.core.arrays import Floats
from weft.core.errors import BadParameter
from weft.graph.webgraph import WebGraph
from weft.rank import personalised_pagerank
from weft.similar import link_scores as scores
from weft.similar.context import WebContext
from weft.similar.link_scores import LinkDirection, LinkQuery

Links = list[tuple[str, str]]
VALUES = Path(__file__).parents[1] / "data" / "mining-values.json"
webs = st.lists(
    st.sampled_from(list(permutations("abcdef", 2))), min_size=1, max_size=25, unique=True
)
TEXTBOOK = [(1, 2), (1, 3), (2, 3), (2, 4), (3, 4), (3, 5), (4, 5)]
DIAMOND = [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"), ("c", "e")]
BY_NETWORKX: list[tuple[Callable[[LinkQuery], Floats], Any]] = [
    (scores.jaccard, nx.jaccard_coefficient),
    (scores.adamic_adar, nx.adamic_adar_index),
    (scores.resource_allocation, nx.resource_allocation_index),
    (scores.preferential_attachment, nx.preferential_attachment),
]


def undirected(edges: Any, page: str) -> LinkQuery:
    graph = WebGraph.from_links([(str(one), str(other)) for one, other in edges])
    return LinkQuery(WebContext.from_any(graph), graph.page_number(page), undirected=True)


def link_query(links: Links, page: str, direction: LinkDirection = "to") -> LinkQuery:
    graph = WebGraph.from_links(links)
    return LinkQuery(WebContext.from_any(graph), graph.page_number(page), direction)


def values_of(query: LinkQuery, found: Floats) -> dict[str, float]:
    return dict(zip(query.graph.pages, found.tolist(), strict=True))


@pytest.fixture(scope="module")
def worked() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(VALUES.read_text())["adamic_adar"]
    return found


@pytest.mark.parametrize("pair", ["1-4", "1-5", "2-5"])
def test_worked_values(worked: dict[str, Any], pair: str) -> None:
    one, other = pair.split("-")
    query = undirected(worked["graph_edges"], one)

    def value(found: Floats) -> float:
        return values_of(query, found)[other]

    assert value(scores.common_neighbours(query)) == worked["graph_cn"][pair]
    assert value(scores.adamic_adar(query)) == pytest.approx(worked["graph_aa"][pair], abs=1e-9)
    allocated = value(scores.resource_allocation(query))
    assert allocated == pytest.approx(worked["graph_ra"][pair], abs=1e-9)
    reached = value(scores.katz(query, 0.1))
    assert reached == pytest.approx(worked["katz_beta_0_1"][pair], abs=1e-9)
    assert scores.spectral_radius(query.graph) == pytest.approx(worked["spectral_radius"], abs=1e-8)


@given(webs, st.sampled_from(range(len(BY_NETWORKX))))
def test_undirected_scores_are_those_of_networkx(links: Links, which: int) -> None:
    ours, theirs = BY_NETWORKX[which]
    graph, page = nx.Graph(links), links[0][0]
    query = undirected(links, page)
    found = values_of(query, ours(query))
    for _, other, value in theirs(graph, [(page, q) for q in graph if q != page]):
        assert found[other] == pytest.approx(value)


@given(webs)
def test_undirected_scores_are_symmetric(links: Links) -> None:
    context = WebContext.from_any(links)
    n = len(context.graph)
    for score in (
        scores.common_neighbours,
        scores.adamic_adar,
        scores.resource_allocation,
        scores.jaccard,
    ):
        table = np.array([score(LinkQuery(context, k, undirected=True)) for k in range(n)])
        np.fill_diagonal(table, 0)
        np.testing.assert_allclose(table, table.T)


SCORES: list[Callable[[LinkQuery], Floats]] = [
    scores.common_neighbours,
    scores.jaccard,
    scores.adamic_adar,
    scores.resource_allocation,
    scores.preferential_attachment,
    scores.co_citation,
    scores.coupling,
    lambda query: scores.personalised_pagerank(query, 0.5),
    lambda query: scores.katz(query, 0.01),
]


@given(webs, st.sampled_from(range(len(SCORES))))
def test_a_pair_scores_the_same_from_both_ends(links: Links, which: int) -> None:
    """A link from x to y scores the same for a query of x and for one of y."""
    context, score = WebContext.from_any(links), SCORES[which]
    n = len(context.graph)
    forth = np.array([score(LinkQuery(context, k, "to")) for k in range(n)])
    back = np.array([score(LinkQuery(context, k, "from")) for k in range(n)]).T
    missing = ~np.eye(n, dtype=bool)
    for page in range(n):
        missing[page, scores.neighbours_of(context.graph.outlinks, page)] = False
    np.testing.assert_allclose(forth[missing], back[missing], atol=1e-12)


def test_directed_scores_by_hand() -> None:
    query = link_query(DIAMOND, "a")
    for score, d, e in (
        (scores.common_neighbours, 2, 1),
        (scores.jaccard, 1, 1 / 2),
        (scores.adamic_adar, 1 / np.log(2) + 1 / np.log(3), 1 / np.log(3)),
        (scores.resource_allocation, 1.5, 0.5),
        (scores.preferential_attachment, 4, 2),
    ):
        found = values_of(query, score(query))
        assert (found["d"], found["e"]) == pytest.approx((d, e)), score


def test_coupling_by_hand() -> None:
    """C shares x with a and with b, whose cosines with it are both one over the root of two."""
    query = link_query([("a", "x"), ("a", "y"), ("b", "x"), ("b", "y"), ("c", "x")], "c")
    assert values_of(query, scores.coupling(query))["y"] == pytest.approx(2**0.5)
    closer = link_query(
        [("a", "x"), ("a", "y"), ("b", "x"), ("b", "z"), ("b", "u"), ("c", "x")], "c"
    )
    near = values_of(closer, scores.coupling(closer, neighbours=1))
    assert near["y"] == pytest.approx(2**-0.5)
    assert near["z"] == 0


def test_co_citation_by_hand() -> None:
    """Both x and y are linked from a and b, two links each; c links to x too."""
    query = link_query([("a", "x"), ("a", "y"), ("b", "x"), ("b", "y"), ("c", "x")], "c")
    wanted = (1 / 2 + 1 / 2) / np.sqrt(3 * 2)
    assert values_of(query, scores.co_citation(query))["y"] == pytest.approx(wanted)


@given(webs)
def test_walks_are_personalised_pagerank(links: Links) -> None:
    graph, page = WebGraph.from_links(links), links[0][0]
    query = LinkQuery(WebContext.from_any(graph), graph.page_number(page))
    wanted = personalised_pagerank(graph, seeds=[page], damping=0.5, dangling="leak").score()
    np.testing.assert_allclose(scores.personalised_pagerank(query, 0.5), wanted, atol=1e-9)


def dense(graph: WebGraph) -> np.ndarray:
    matrix = np.zeros((len(graph), len(graph)))
    source = np.repeat(np.arange(len(graph)), np.diff(graph.outlinks.starts))
    matrix[source, graph.outlinks.ids] = 1
    return matrix


@given(webs)
def test_katz_is_its_series(links: Links) -> None:
    query = link_query(links, links[0][0])
    b = scores.choose_katz_beta(query, 0)
    matrix, wanted, power = dense(query.graph), np.zeros(len(query.graph)), 1.0
    row = np.eye(len(query.graph))[query.page]
    for _ in range(200):
        row, power = row @ matrix, power * b
        wanted += power * row
    np.testing.assert_allclose(scores.katz(query, b), wanted, atol=1e-9)


def test_katz_of_a_large_web_counts_four_links(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scores, "MAX_EXACT_PAGES", 0)
    query = link_query([("a", "b"), ("b", "c"), ("c", "d"), ("d", "e"), ("e", "f")], "a")
    found = values_of(query, scores.katz(query, 0.5))
    assert (found["e"], found["f"]) == (0.5**4, 0)


@given(webs)
def test_katz_near_zero_is_the_links(links: Links) -> None:
    query = link_query(links, links[0][0])
    found = scores.katz(query, 1e-7) / 1e-7
    np.testing.assert_allclose(found, dense(query.graph)[query.page], atol=1e-5)


@given(webs)
def test_the_radius_is_that_of_the_matrix(links: Links) -> None:
    query = link_query(links, links[0][0])
    wanted = np.abs(np.linalg.eigvals(dense(query.graph))).max()
    assert scores.spectral_radius(query.graph) == pytest.approx(wanted, abs=1e-6)


def test_katz_refuses_a_divergent_beta() -> None:
    ring = link_query([("a", "b"), ("b", "a")], "a")
    with pytest.raises(BadParameter, match="from 1 on"):
        scores.choose_katz_beta(ring, 1.0)
    assert scores.choose_katz_beta(ring, 0.9) == 0.9
    assert scores.choose_katz_beta(ring, 0) == pytest.approx(0.5)
    assert scores.choose_katz_beta(link_query([("a", "b")], "a"), 5.0) == 5.0


def one_leading_to_another(group: Links) -> Links:
    """Two copies of a group of pages, with a link from the first to the second."""
    other = [(s.upper(), t.upper()) for s, t in group]
    return [*group, *other, (group[0][0], other[0][0])]


RING: Links = [("a", "b"), ("b", "c"), ("c", "a")]
CLIQUE: Links = list(permutations("abcd", 2))


@pytest.mark.parametrize(("group", "rho"), [(RING, 1.0), (CLIQUE, 3.0)], ids=["ring", "clique"])
@pytest.mark.parametrize("further", [0, 400], ids=["small", "large"])
def test_the_radius_where_one_of_two_equals_leads_to_the_other(
    group: Links, rho: float, further: int
) -> None:
    """Paths grow in number as l * rho^l, so that power iteration nears rho by 1/l alone."""
    tail = [(f"x{k}", f"{side}{k}") for k in range(further) for side in "yz"]
    query = link_query([*one_leading_to_another(group), *tail], "a")
    assert scores.spectral_radius(query.graph) == pytest.approx(rho, rel=1e-9)
    assert scores.choose_katz_beta(query, 0) == pytest.approx(0.5 / rho, rel=1e-9)
    assert scores.choose_katz_beta(query, 0.99999 / rho) == 0.99999 / rho
    with pytest.raises(BadParameter, match=f"from {1 / rho:.6g} on"):
        scores.choose_katz_beta(query, 1.00001 / rho)


def test_katz_of_a_ring_that_leads_to_another() -> None:
    """From a to A leads one link, after any number of turns on either ring.

    With q = b^3: b from the link, 1/(1-q) for the turns on each side.
    """
    query = link_query(one_leading_to_another(RING), "a")
    b = scores.choose_katz_beta(query, 0.99)
    found = values_of(query, scores.katz(query, b))
    turns = 1 / (1 - b**3)
    wanted = {"a": turns - 1, "b": b * turns, "A": b * turns**2, "B": b**2 * turns**2}
    assert {page: found[page] for page in wanted} == pytest.approx(wanted)


def candidates(query: LinkQuery) -> set[str]:
    return {query.graph.pages[int(page)] for page in np.flatnonzero(query.unlinked_nearby_pages())}


def test_candidates_are_nearby_and_not_linked() -> None:
    chain = [("a", "b"), ("c", "b"), ("c", "d"), ("d", "e"), ("e", "f"), ("x", "a")]
    query = link_query(chain, "a")
    assert candidates(query) == {"c", "d", "x"}
    assert candidates(link_query(chain, "b", "from")) == {"d", "e", "x"}


def test_keep_largest_keeps_ties() -> None:
    values = np.array([0.0, 3.0, 1.0, 2.0, 2.0])
    assert scores.keep_largest(values, 2).tolist() == [0, 3, 0, 2, 2]
    assert scores.keep_largest(values, 0) is values
    assert scores.keep_largest(values, 4) is values


def test_walk_length_meets_the_tolerance() -> None:
    assert 0.5 ** scores.required_walk_steps(10**6, 0.5) <= scores.LARGE_WALK_TOL
    assert 0.85 ** scores.required_walk_steps(10, 0.85) <= 1e-12
