"""Similar pages and missing links by what visitors did."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.core.arrays import CSR
from weft.graph.baseset.baseset import BaseSet
from weft.graph.transitions import Sessions
from weft.similar import WebContext, co_citation, rank_fusion, usage_similarity
from weft.similar.context import PageUsage, restrict_usage
from weft.similar.link_scores import LinkQuery, two_step_traffic
from weft.similar.usage_similarity import click_cosine, session_cosine

LINKS = [("a", "b"), ("b", "c"), ("a", "d"), ("d", "e"), ("e", "a"), ("c", "a")]
PATHS = [["a", "b", "c"], ["a", "b", "c"], ["a", "d"], ["a", "b", "e"]]
paths_lists = st.lists(st.lists(st.sampled_from("abcde"), max_size=6), max_size=12)


def context_of(paths: list[list[str]]) -> WebContext:
    sessions = Sessions.from_paths(paths, LINKS)
    usage = restrict_usage(
        sessions, sessions.transitions.counts, np.arange(len(sessions.graph), dtype=np.int32)
    )
    return WebContext(BaseSet.from_graph(sessions.graph), read_usage=lambda: usage)


def test_pages_of_the_same_sessions_and_from_the_same_pages() -> None:
    found = usage_similarity(context_of(PATHS), page="c")
    by_name = {each.page: each for each in found}
    # b is in both sessions of c, and in one more; e is followed from b as c is
    assert by_name["b"].contributions["same sessions"] == pytest.approx(2 / np.sqrt(2 * 3))
    assert by_name["e"].contributions == {"same sessions": 0, "followed from": pytest.approx(1)}
    assert by_name["e"].witness_counts == {"same sessions": 0, "followed from": 1}
    witness = by_name["e"].witnesses[0]
    assert (witness.pattern, witness.page) == ("followed from", "b")


@given(paths_lists)
def test_cosines_are_those_of_the_definition(paths: list[list[str]]) -> None:
    context = context_of(paths)
    views = np.array([[page in path for page in context.graph.pages] for path in paths], float)
    views = views.reshape(-1, len(context.graph))
    rows = Sessions.from_paths(paths, LINKS).transitions.counts
    clicks = np.zeros((len(context.graph),) * 2)
    clicks[rows.row_ids(), rows.ids] = rows.weights if len(rows.ids) else 0
    np.fill_diagonal(clicks, 0)
    for matrix, found in (
        (views, session_cosine(context, 0)[1]),
        (clicks, click_cosine(context, 0)),
    ):
        norms = np.sqrt(np.square(matrix).sum(axis=0))
        expected = np.divide(
            matrix[:, 0] @ matrix, norms * norms[0], where=norms * norms[0] > 0, out=norms * 0
        )
        expected[0] = 0
        np.testing.assert_allclose(found, expected, atol=1e-12)


def test_two_step_traffic_is_the_square_of_the_shares() -> None:
    context = context_of(PATHS)
    number = {page: at for at, page in enumerate(context.graph.pages)}
    to = two_step_traffic(LinkQuery(context, number["a"], "to"))
    assert to[number["c"]] == pytest.approx(3 / 4 * 2 / 3)
    assert to[number["e"]] == pytest.approx(3 / 4 * 1 / 3)
    back = two_step_traffic(LinkQuery(context, number["c"], "from"))
    assert back[number["a"]] == pytest.approx(to[number["c"]])


def test_readers_are_a_reason_for_a_link() -> None:
    found = rank_fusion(context_of(PATHS), page="a")
    to = {each.page: each for each in found.to}
    assert to["c"].scores["usage"] == pytest.approx(0.5)
    assert to["c"].reason.startswith("50.0% of its readers go there in two clicks, by way of b")
    assert [w.page for w in to["c"].witnesses if w.pattern == "readers"] == ["b"]
    back = {each.page: each for each in rank_fusion(context_of(PATHS), page="c").from_}
    assert back["a"].reason.startswith("50.0% of its readers come here in two clicks, by way of b")


def test_without_usage_data_nothing_changes() -> None:
    plain = WebContext(context_of(PATHS).base)
    found = rank_fusion(plain, page="a")
    assert "usage" not in found.to_table().column_names
    assert all("readers" not in each.reason for each in found)
    assert usage_similarity(plain, page="a").notes == ("nothing is known about visitors",)
    assert co_citation(plain, page="b").to_document() == (
        co_citation(context_of(PATHS), page="b").to_document()
    )


def test_usage_is_restricted_to_the_pages_of_a_context() -> None:
    sessions = Sessions.from_paths(PATHS)
    chosen = sessions.graph.page_numbers(["b", "a"])
    usage = restrict_usage(sessions, sessions.transitions.counts, chosen)
    assert [usage.sessions.row(k).tolist() for k in range(4)] == [[0, 1], [0, 1], [1], [0, 1]]
    assert usage.clicks.row(1).tolist() == [0]
    assert isinstance(usage, PageUsage)


def test_a_session_of_very_many_pages_is_left_out() -> None:
    sessions = Sessions.from_paths([[f"p{k}" for k in range(300)], ["p0", "p1"]])
    everything = np.arange(300, dtype=np.int32)
    usage = restrict_usage(sessions, CSR(np.zeros(301, int), np.zeros(0, np.int32)), everything)
    assert np.diff(usage.sessions.starts).tolist() == [0, 2]
