"""Methods that find pages like another."""

from itertools import permutations

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.core.errors import BadParameter, UnknownName
from weft.core.methods import find
from weft.graph.webgraph import WebGraph
from weft.suggest import co_citation, combined, coupling, indirect, text

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
        for method in (co_citation, coupling)
    )
    both = {found.page: found.score for found in combined(links, page=page)}
    assert set(both) == set(one) | set(two)
    for other, score in both.items():
        assert score == pytest.approx(one.get(other, 0) + two.get(other, 0))


@given(webs)
def test_jaccard_of_ties_is_that_of_networkx(links: Links) -> None:
    """With every link both ways co-citation is by common neighbours."""
    graph = nx.Graph(links)
    page = links[0][0]
    found = co_citation(WebGraph.from_networkx(graph), page=page, strength="jaccard")
    wanted = {
        other: value
        for _, other, value in nx.jaccard_coefficient(
            graph, [(page, q) for q in graph if q != page]
        )
        if value
    }
    assert {one.page: one.score for one in found} == pytest.approx(wanted)


def test_indirect_goes_both_ways() -> None:
    links = [("a", "b"), ("b", "c"), ("a", "d"), ("d", "c"), ("e", "a"), ("f", "e")]
    found = {one.page: one for one in indirect(links, page="a", strength="count")}
    assert set(found) == {"c", "f"}
    assert found["c"].parts == {"indirect": 2.0, "indirect from": 0.0}
    assert found["f"].parts == {"indirect": 0.0, "indirect from": 1.0}


@pytest.mark.parametrize("method", [combined, co_citation, coupling, indirect, text])
def test_of_no_page_nothing_is_asked(method) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    found = method(WEB)
    assert not len(found)
    assert found.notes == ("no page was asked about",)


def test_an_unknown_page_is_an_error() -> None:
    with pytest.raises(UnknownName):
        combined(WEB, page="nowhere")


def test_options_are_read() -> None:
    assert [one.page for one in combined(WEB, page="x", top=1)] == ["y"]
    assert combined(WEB, page="x", strength="count").found[0].score == 2
    assert not len(co_citation(WEB, page="x", cap=1))
    assert combined(WEB, page="x", text=True).parts == ("co-citation", "coupling", "text")
    sites = [("http://a.org/1", t) for t in ("http://x.org/", "http://y.org/")]
    sites += [("http://a.org/2", t) for t in ("http://x.org/", "http://y.org/")]
    counts = [
        co_citation(sites, page="http://x.org/", strength="count", vote=vote).found[0].score
        for vote in ("page", "site")
    ]
    assert counts == [2, 1]


def test_the_result_remembers_its_options() -> None:
    found = coupling(WEB, page="a", top=3)
    assert found.options["top"] == 3
    assert found.options["strength"] == "cosine"
    assert found.provenance == {"level": "page"}


def test_a_wrong_strength_is_refused() -> None:
    with pytest.raises(BadParameter):
        find("similar", "combined")(WEB, page="x", strength="best")
