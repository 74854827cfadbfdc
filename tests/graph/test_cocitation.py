"""Co-citation and its relatives: worked values, definitions, limits."""

import json
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.core.params import SimilarityMeasure
from weft.graph.cocitation import (
    Pattern,
    RelatedPages,
    common_witnesses,
    find_related,
    neighbour_sites,
    pattern_steps,
    to_path_measure,
    top_k,
    weigh_witnesses,
)
from weft.graph.webgraph import WebGraph
from weft.kernels.cocitation import top_similar_pages

Links = list[tuple[str, str]]
VALUES = Path(__file__).parents[1] / "data" / "mining-values.json"
webs = st.lists(
    st.sampled_from(list(permutations("abcdef", 2))), min_size=1, max_size=25, unique=True
)
# both hubs link to x and y, one to z too; x and y are linked from the same pages
MEASURES: tuple[SimilarityMeasure, ...] = ("min", "max", "lift")
WEB = WebGraph.from_links([("a", "x"), ("a", "y"), ("b", "x"), ("b", "y"), ("b", "z")])


@pytest.fixture(scope="module")
def worked() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(VALUES.read_text())["patterns"]
    return found


def similarity_of(
    graph: WebGraph, pattern: Pattern, page: str, other: str, how: SimilarityMeasure = "count"
) -> float:
    found = find_related(
        weigh_witnesses(pattern_steps(graph, pattern), how), graph.page_number(page), how
    )
    at = np.flatnonzero(found.pages == graph.page_number(other))
    return float(found.similarity[at].sum())


def test_worked_values(worked: dict[str, Any]) -> None:
    graph = WebGraph.from_links([(source, target) for source, target in worked["edges"]])
    for pattern, pair, short in (
        ("co-citation", "cd", "cocitation"),
        ("coupling", "ab", "coupling"),
    ):
        for how, ending in (("count", ""), ("cosine", "_cosine"), ("jaccard", "_jaccard")):
            wanted = worked[f"{short}_{pair[0]}_{pair[1]}{ending}"]
            got = similarity_of(graph, pattern, pair[0], pair[1], how)  # type: ignore[arg-type]
            assert got == pytest.approx(wanted, abs=1e-9), (pattern, how)
    outnorm = similarity_of(graph, "co-citation", "c", "d", "out-normalised")
    assert outnorm == pytest.approx(worked["cocitation_c_d_outnorm"], abs=1e-9)
    for pair in ("ae", "bc"):
        assert similarity_of(graph, "indirect", *pair) == worked[f"indirect_{pair[0]}_{pair[1]}"]
        assert similarity_of(graph, "indirect from", *pair[::-1]) == 1


def test_shares_and_lift_by_hand() -> None:
    """One page links to both; x has two inlinks, z one."""
    values = {how: similarity_of(WEB, "co-citation", "x", "z", how) for how in MEASURES}
    assert values == {"min": 0.5, "max": 1.0, "lift": 1 * 4 / 2}


@given(webs, st.sampled_from(["cosine", "jaccard", "min", "max", "lift", "out-normalised"]))
def test_similarities_are_symmetric(links: Links, how: SimilarityMeasure) -> None:
    graph = WebGraph.from_links(links)
    for pattern in ("co-citation", "coupling"):
        for one, other in permutations(graph.pages, 2):
            similarity = similarity_of(graph, pattern, one, other, how)
            assert similarity == pytest.approx(similarity_of(graph, pattern, other, one, how))


@given(webs)
def test_cocitation_with_its_diagonal_is_positive_semidefinite(links: Links) -> None:
    graph = WebGraph.from_links(links)
    n = len(graph)
    matrix = np.diag(graph.indegrees())
    for page in range(n):
        found = find_related(
            weigh_witnesses(pattern_steps(graph, "co-citation"), "count"), page, "count"
        )
        assert page not in found.pages
        matrix[page, found.pages] = found.shared
    assert np.linalg.eigvalsh(matrix).min() > -1e-9


@given(webs, st.sampled_from(list(permutations("abcdef", 2))))
def test_a_new_page_that_links_to_both_adds_one(links: Links, pair: tuple[str, str]) -> None:
    web = [*links, *((page, "sink") for page in "abcdef")]
    before = WebGraph.from_links(web)
    after = WebGraph.from_links([*web, ("new", pair[0]), ("new", pair[1])])
    grown = similarity_of(after, "co-citation", *pair) - similarity_of(before, "co-citation", *pair)
    assert grown == 1


def test_a_page_with_too_many_links_is_no_witness() -> None:
    links = [("list", f"p{k}") for k in range(11)] + [("few", "p0"), ("few", "p1")]
    graph = WebGraph.from_links(links)
    page = graph.page_number("p0")
    capped = find_related(
        weigh_witnesses(pattern_steps(graph, "co-citation"), "count", 10), page, "count"
    )
    assert capped.skipped_witnesses == 1
    assert [graph.pages[int(k)] for k in capped.pages] == ["p1"]
    assert (
        len(
            find_related(
                weigh_witnesses(pattern_steps(graph, "co-citation"), "count"), page, "count"
            ).pages
        )
        == 10
    )


def test_witnesses_beyond_the_limit_are_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("weft.graph.cocitation.MAX_WITNESS_LINKS", 4)
    links = [("big", name) for name in "xyzu"] + [("small", "x"), ("small", "y")]
    graph = WebGraph.from_links(links)
    found: RelatedPages = find_related(
        weigh_witnesses(pattern_steps(graph, "co-citation"), "count"),
        graph.page_number("x"),
        "count",
    )
    assert found.skipped_witnesses == 1
    assert [graph.pages[int(k)] for k in found.pages] == ["y"]


def test_a_site_has_one_vote() -> None:
    """Three pages of one site and one of another link to both."""
    hubs = ["http://a.org/1", "http://a.org/2", "http://www.a.org/3", "http://b.org/"]
    links = [(hub, target) for hub in hubs for target in ("http://x.org/", "http://y.org/")]
    graph = WebGraph.from_links(links)
    page = graph.page_number("http://x.org/")
    by_pages = find_related(
        weigh_witnesses(pattern_steps(graph, "co-citation"), "count"), page, "count"
    )
    by_sites = find_related(
        weigh_witnesses(pattern_steps(graph, "co-citation", "site"), "count"), page, "count"
    )
    assert by_pages.shared.tolist() == [4.0]
    assert by_sites.shared.tolist() == [2.0]
    first, _, sites = neighbour_sites(graph.inlinks, graph)
    assert sites == 4
    assert np.diff(first.starts)[page] == 2


def test_the_witness_with_fewest_links_comes_first() -> None:
    links = [("long", name) for name in "xyzuv"] + [("short", "x"), ("short", "y")]
    graph = WebGraph.from_links(links)
    paths = weigh_witnesses(pattern_steps(graph, "co-citation"), "count")
    both = common_witnesses(paths, paths.first_step, graph.page_number("x"), graph.page_number("y"))
    assert [graph.pages[int(k)] for k in both] == ["short", "long"]


def test_top_k_with_ties_in_order() -> None:
    scores = np.array([0.0, 0.3, 0.5, 0.5 + 1e-15, 0.0, 0.1] + [0.01] * 20)
    assert top_k(scores, 3).tolist() == [2, 3, 1]
    assert top_k(np.zeros(4), 3).tolist() == []


@given(webs, st.integers(1, 3))
def test_partners_of_all_pages_are_those_of_each(links: Links, k: int) -> None:
    graph = WebGraph.from_links(links)
    paths = weigh_witnesses(pattern_steps(graph, "coupling"))
    starts, _, similarities = top_similar_pages(paths, k, to_path_measure("cosine"))
    for page in range(len(graph)):
        found = find_related(paths, page, "cosine")
        own = similarities[starts[page] : starts[page + 1]].tolist()
        assert own == pytest.approx(sorted(found.similarity, reverse=True)[:k])


def test_a_page_without_links_has_no_partners() -> None:
    web = WebGraph.from_arrays(["a", "b", "c"], [0], [1])
    for page in (0, 2):
        assert (
            len(
                find_related(
                    weigh_witnesses(pattern_steps(web, "co-citation")), page, "cosine"
                ).pages
            )
            == 0
        )
