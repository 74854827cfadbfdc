"""Methods that find similar pages."""

from itertools import permutations

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.core.errors import BadParameter, UnknownName
from weft.core.register import find_method
from weft.graph.webgraph import WebGraph
from weft.similar import (
    bibliographic_coupling,
    co_citation,
    combined_similarity,
    text_similarity,
    two_click_similarity,
)

Links = list[tuple[str, str]]
webs = st.lists(
    st.sampled_from(list(permutations("abcdef", 2))), min_size=1, max_size=25, unique=True
)
WEB = [("a", "x"), ("a", "y"), ("b", "x"), ("b", "y"), ("b", "z")]


@given(webs)
def test_combined_is_the_sum_of_both(links: Links) -> None:
    page = links[0][0]
    one, two = (
        {found.page: found.score for found in method(links, page=page)}
        for method in (co_citation, bibliographic_coupling)
    )
    both = {found.page: found.score for found in combined_similarity(links, page=page)}
    assert set(both) == set(one) | set(two)
    for other, score in both.items():
        assert score == pytest.approx(one.get(other, 0) + two.get(other, 0))


@given(webs)
def test_undirected_jaccard_is_that_of_networkx(links: Links) -> None:
    """With every link both ways co-citation is by common neighbours."""
    graph = nx.Graph(links)
    page = links[0][0]
    found = co_citation(WebGraph.from_networkx(graph), page=page, similarity="jaccard")
    wanted = {
        other: value
        for _, other, value in nx.jaccard_coefficient(
            graph, [(page, q) for q in graph if q != page]
        )
        if value
    }
    assert {one.page: one.score for one in found} == pytest.approx(wanted)


def test_indirect_counts_both_directions() -> None:
    links = [("a", "b"), ("b", "c"), ("a", "d"), ("d", "c"), ("e", "a"), ("f", "e")]
    found = {one.page: one for one in two_click_similarity(links, page="a", similarity="count")}
    assert set(found) == {"c", "f"}
    assert found["c"].contributions == {"indirect": 2.0, "indirect from": 0.0}
    assert found["f"].contributions == {"indirect": 0.0, "indirect from": 1.0}


@pytest.mark.parametrize(
    "method",
    [
        combined_similarity,
        co_citation,
        bibliographic_coupling,
        two_click_similarity,
        text_similarity,
    ],
)
def test_no_page_no_similar_pages(method) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    found = method(WEB)
    assert not len(found)
    assert found.notes == ("no page was given",)


def test_an_unknown_page_is_an_error() -> None:
    with pytest.raises(UnknownName):
        combined_similarity(WEB, page="nowhere")


def test_options_are_read() -> None:
    assert [one.page for one in combined_similarity(WEB, page="x", top=1)] == ["y"]
    assert combined_similarity(WEB, page="x", similarity="count").pages[0].score == 2
    assert not len(co_citation(WEB, page="x", max_degree=1))
    assert combined_similarity(WEB, page="x", text=True).contribution_names == (
        "co-citation",
        "coupling",
        "text",
    )
    sites = [("http://a.org/1", t) for t in ("http://x.org/", "http://y.org/")]
    sites += [("http://a.org/2", t) for t in ("http://x.org/", "http://y.org/")]
    counts = [
        co_citation(sites, page="http://x.org/", similarity="count", vote=vote).pages[0].score
        for vote in ("page", "site")
    ]
    assert counts == [2, 1]


def test_the_result_remembers_its_options() -> None:
    found = bibliographic_coupling(WEB, page="a", top=3)
    assert found.options["top"] == 3
    assert found.options["similarity"] == "cosine"
    assert found.provenance == {"level": "page"}


def test_an_unknown_similarity_is_refused() -> None:
    with pytest.raises(BadParameter):
        find_method("similar", "combined")(WEB, page="x", similarity="best")
