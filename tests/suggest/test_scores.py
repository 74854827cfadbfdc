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
from weft.rank import personalised
from weft.suggest import scores
from weft.suggest.around import Around
from weft.suggest.scores import Question, Way

Links = list[tuple[str, str]]
VALUES = Path(__file__).parents[1] / "data" / "mining-values.json"
webs = st.lists(
    st.sampled_from(list(permutations("abcdef", 2))), min_size=1, max_size=25, unique=True
)
TEXTBOOK = [(1, 2), (1, 3), (2, 3), (2, 4), (3, 4), (3, 5), (4, 5)]
DIAMOND = [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"), ("c", "e")]
BY_NETWORKX: list[tuple[Callable[[Question], Floats], Any]] = [
    (scores.jaccard, nx.jaccard_coefficient),
    (scores.adamic_adar, nx.adamic_adar_index),
    (scores.resource_allocation, nx.resource_allocation_index),
    (scores.preferential, nx.preferential_attachment),
]


def undirected(edges: Any, page: str) -> Question:
    graph = WebGraph.from_links([(str(one), str(other)) for one, other in edges])
    return Question(Around.of(graph), graph.number(page), undirected=True)


def asked(links: Links, page: str, way: Way = "to") -> Question:
    graph = WebGraph.from_links(links)
    return Question(Around.of(graph), graph.number(page), way)


def values_of(question: Question, found: Floats) -> dict[str, float]:
    return dict(zip(question.graph.pages, found.tolist(), strict=True))


@pytest.fixture(scope="module")
def worked() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(VALUES.read_text())["adamic_adar"]
    return found


@pytest.mark.parametrize("pair", ["1-4", "1-5", "2-5"])
def test_worked_values(worked: dict[str, Any], pair: str) -> None:
    one, other = pair.split("-")
    question = undirected(worked["graph_edges"], one)

    def value(found: Floats) -> float:
        return values_of(question, found)[other]

    assert value(scores.common(question)) == worked["graph_cn"][pair]
    assert value(scores.adamic_adar(question)) == pytest.approx(worked["graph_aa"][pair], abs=1e-9)
    allocated = value(scores.resource_allocation(question))
    assert allocated == pytest.approx(worked["graph_ra"][pair], abs=1e-9)
    reached = value(scores.katz(question, 0.1))
    assert reached == pytest.approx(worked["katz_beta_0_1"][pair], abs=1e-9)
    assert scores.radius(question) == pytest.approx(worked["spectral_radius"], abs=1e-8)


@given(webs, st.sampled_from(range(len(BY_NETWORKX))))
def test_undirected_scores_are_those_of_networkx(links: Links, which: int) -> None:
    ours, theirs = BY_NETWORKX[which]
    graph, page = nx.Graph(links), links[0][0]
    question = undirected(links, page)
    found = values_of(question, ours(question))
    for _, other, value in theirs(graph, [(page, q) for q in graph if q != page]):
        assert found[other] == pytest.approx(value)


@given(webs)
def test_undirected_scores_are_symmetric(links: Links) -> None:
    around = Around.of(links)
    n = len(around.graph)
    for score in (scores.common, scores.adamic_adar, scores.resource_allocation, scores.jaccard):
        table = np.array([score(Question(around, k, undirected=True)) for k in range(n)])
        np.fill_diagonal(table, 0)
        np.testing.assert_allclose(table, table.T)


SCORES: list[Callable[[Question], Floats]] = [
    scores.common,
    scores.jaccard,
    scores.adamic_adar,
    scores.resource_allocation,
    scores.preferential,
    scores.co_citation,
    scores.coupling,
    lambda question: scores.walk(question, 0.5),
    lambda question: scores.katz(question, 0.01),
]


@given(webs, st.sampled_from(range(len(SCORES))))
def test_a_pair_scores_the_same_from_both_ends(links: Links, which: int) -> None:
    """Where x should link to y, and from where y should be linked, are one question."""
    around, score = Around.of(links), SCORES[which]
    n = len(around.graph)
    forth = np.array([score(Question(around, k, "to")) for k in range(n)])
    back = np.array([score(Question(around, k, "from")) for k in range(n)]).T
    missing = ~np.eye(n, dtype=bool)
    for page in range(n):
        missing[page, scores.row(around.graph.outlinks, page)] = False
    np.testing.assert_allclose(forth[missing], back[missing], atol=1e-12)


def test_directed_scores_by_hand() -> None:
    question = asked(DIAMOND, "a")
    for score, d, e in (
        (scores.common, 2, 1),
        (scores.jaccard, 1, 1 / 2),
        (scores.adamic_adar, 1 / np.log(2) + 1 / np.log(3), 1 / np.log(3)),
        (scores.resource_allocation, 1.5, 0.5),
        (scores.preferential, 4, 2),
    ):
        found = values_of(question, score(question))
        assert (found["d"], found["e"]) == pytest.approx((d, e)), score


def test_coupling_by_hand() -> None:
    """C shares x with a and with b, whose cosines with it are both one over the root of two."""
    question = asked([("a", "x"), ("a", "y"), ("b", "x"), ("b", "y"), ("c", "x")], "c")
    assert values_of(question, scores.coupling(question))["y"] == pytest.approx(2**0.5)
    closer = asked([("a", "x"), ("a", "y"), ("b", "x"), ("b", "z"), ("b", "u"), ("c", "x")], "c")
    near = values_of(closer, scores.coupling(closer, nearest=1))
    assert near["y"] == pytest.approx(2**-0.5)
    assert near["z"] == 0


def test_co_citation_by_hand() -> None:
    """Both x and y are linked from a and b, two links each; c links to x too."""
    question = asked([("a", "x"), ("a", "y"), ("b", "x"), ("b", "y"), ("c", "x")], "c")
    wanted = (1 / 2 + 1 / 2) / np.sqrt(3 * 2)
    assert values_of(question, scores.co_citation(question))["y"] == pytest.approx(wanted)


@given(webs)
def test_walks_are_personalised_pagerank(links: Links) -> None:
    graph, page = WebGraph.from_links(links), links[0][0]
    question = Question(Around.of(graph), graph.number(page))
    wanted = personalised(graph, seeds=[page], follow=0.5, dangling="leak").score()
    np.testing.assert_allclose(scores.walk(question, 0.5), wanted, atol=1e-9)


def dense(graph: WebGraph) -> np.ndarray:
    matrix = np.zeros((len(graph), len(graph)))
    source = np.repeat(np.arange(len(graph)), np.diff(graph.outlinks.starts))
    matrix[source, graph.outlinks.ids] = 1
    return matrix


@given(webs)
def test_katz_is_its_series(links: Links) -> None:
    question = asked(links, links[0][0])
    b = scores.katz_b(question, 0)
    matrix, wanted, power = dense(question.graph), np.zeros(len(question.graph)), 1.0
    row = np.eye(len(question.graph))[question.page]
    for _ in range(200):
        row, power = row @ matrix, power * b
        wanted += power * row
    np.testing.assert_allclose(scores.katz(question, b), wanted, atol=1e-9)


def test_katz_of_a_large_web_counts_four_clicks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scores, "SMALL", 0)
    question = asked([("a", "b"), ("b", "c"), ("c", "d"), ("d", "e"), ("e", "f")], "a")
    found = values_of(question, scores.katz(question, 0.5))
    assert (found["e"], found["f"]) == (0.5**4, 0)


@given(webs)
def test_katz_near_zero_is_the_links(links: Links) -> None:
    question = asked(links, links[0][0])
    found = scores.katz(question, 1e-7) / 1e-7
    np.testing.assert_allclose(found, dense(question.graph)[question.page], atol=1e-5)


@given(webs)
def test_the_radius_is_that_of_the_matrix(links: Links) -> None:
    question = asked(links, links[0][0])
    wanted = np.abs(np.linalg.eigvals(dense(question.graph))).max()
    assert scores.radius(question) == pytest.approx(wanted, abs=1e-6)


def test_katz_refuses_what_has_no_end() -> None:
    ring = asked([("a", "b"), ("b", "a")], "a")
    with pytest.raises(BadParameter, match="from 1 on"):
        scores.katz_b(ring, 1.0)
    assert scores.katz_b(ring, 0.9) == 0.9
    assert scores.katz_b(ring, 0) == pytest.approx(0.5)
    assert scores.katz_b(asked([("a", "b")], "a"), 5.0) == 5.0


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
    question = asked([*one_leading_to_another(group), *tail], "a")
    assert scores.radius(question) == pytest.approx(rho, rel=1e-9)
    assert scores.katz_b(question, 0) == pytest.approx(0.5 / rho, rel=1e-9)
    assert scores.katz_b(question, 0.99999 / rho) == 0.99999 / rho
    with pytest.raises(BadParameter, match=f"from {1 / rho:.6g} on"):
        scores.katz_b(question, 1.00001 / rho)


def test_katz_of_a_ring_that_leads_to_another() -> None:
    """From a to A leads one click, after any number of turns on either ring.

    With q = b^3: b from the link, 1/(1-q) for the turns on each side.
    """
    question = asked(one_leading_to_another(RING), "a")
    b = scores.katz_b(question, 0.99)
    found = values_of(question, scores.katz(question, b))
    turns = 1 / (1 - b**3)
    wanted = {"a": turns - 1, "b": b * turns, "A": b * turns**2, "B": b**2 * turns**2}
    assert {page: found[page] for page in wanted} == pytest.approx(wanted)


def opened(question: Question) -> set[str]:
    return {question.graph.pages[int(page)] for page in np.flatnonzero(question.open())}


def test_open_are_pages_near_that_are_not_linked() -> None:
    chain = [("a", "b"), ("c", "b"), ("c", "d"), ("d", "e"), ("e", "f"), ("x", "a")]
    question = asked(chain, "a")
    assert opened(question) == {"c", "d", "x"}
    assert opened(asked(chain, "b", "from")) == {"d", "e", "x"}


def test_foremost_keeps_ties() -> None:
    values = np.array([0.0, 3.0, 1.0, 2.0, 2.0])
    assert scores.foremost(values, 2).tolist() == [0, 3, 0, 2, 2]
    assert scores.foremost(values, 0) is values
    assert scores.foremost(values, 4) is values


def test_a_walk_ends_when_little_is_left() -> None:
    assert 0.5 ** scores.walk_rounds(10**6, 0.5) <= scores.LEFT
    assert 0.85 ** scores.walk_rounds(10, 0.85) <= 1e-12
