"""Comparing rankings: measures of agreement, places and disagreements."""

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.webs import Spec

from weft.core.errors import BadParameter
from weft.engine import CLOSED_FORM
from weft.graph.webgraph import WebGraph
from weft.rank import Ranking, compare, hits, indegree, pagerank

LETTERS = "abcdefghijkl"
scores = st.lists(st.integers(0, 5), min_size=2, max_size=12)


def ranking(method: str, pages: str, *values: float, name: str = "score") -> Ranking:
    return Ranking(method, list(pages), {name: np.array(values)}, CLOSED_FORM)


@pytest.mark.parametrize("name", ["G1_seed002_hits7", "G2_seed002_pr5", "G3_own10"])
def test_published_comparison_of_hits_and_pagerank(name: str, spec: Spec) -> None:
    """Converged so far that pages outside the dominant component are zero to 12 digits."""
    graph, values = spec(name)
    wanted = values["compare_hits_vs_pagerank"]
    compared = compare([hits(graph, tol=1e-13), pagerank(graph)], top=5)
    [row] = compared.to_table().to_pylist()
    for ours, theirs in {
        "tau_b": "tau_b",
        "weak_distance": "weak_rank_distance",
        "strict_distance": "strict_rank_distance",
        "overlap": "overlap_at5",
        "jaccard": "jaccard_at5",
        "geometric": "d1_geometric_L1normalised",
    }.items():
        assert row[ours] == pytest.approx(wanted[theirs], abs=1e-8), ours
    assert row["rbo"] == pytest.approx(wanted["rbo_p0p9"]["ext"], abs=1e-8)
    assert row["rbo_min"] == pytest.approx(wanted["rbo_p0p9"]["min"], abs=1e-8)
    assert compared.tau_matrix()["pagerank"].to_pylist() == pytest.approx(
        [wanted["tau_b"], 1], abs=1e-8
    )


def test_a_tie_at_the_cutoff_is_flagged() -> None:
    one, other = ranking("one", "abc", 3, 2, 2), ranking("other", "abc", 3, 2, 1)
    assert [compare([one, other], top=k).agreements[0].overlap.cut_tie for k in (1, 2, 3)] == [
        False, True, False,
    ]  # fmt: skip


def test_rounding_errors_break_no_ties() -> None:
    one, other = (
        ranking("one", "abc", 0.3, 0.1, 0.1),
        ranking("other", "abc", 0.3, 0.1, 0.1 + 1e-16),
    )
    assert compare([one, other]).agreements[0].pair_counts.tau_b == 1


def test_only_common_pages_are_compared() -> None:
    one, other = ranking("one", "abcd", 4, 3, 2, 1), ranking("other", "xdba", 9, 1, 2, 3)
    found = compare([one, other])
    assert list(found.pages) == ["a", "b", "d"]
    assert found.left_out == {"one": 1, "other": 1}
    assert found.agreements[0].pair_counts.tau_b == 1


def test_the_largest_disagreement_comes_first() -> None:
    """From place 1 to place 4 the log2 ratio is 2; from 3 to 1 it is about 1.6."""
    one, other = ranking("one", "abcd", 4, 3, 2, 1), ranking("other", "abcd", 1, 3, 4, 2)
    rows = compare([one, other]).disagreements(2).to_pylist()
    assert rows[0] == {"page": "a", "log2_ratio": 2.0, "one": 1, "other": 4}
    assert rows[1]["page"] == "c"


def test_ties_share_the_best_place() -> None:
    """The middle of 2 and 3 is 2.5, which counts against 1; the place shown is 2."""
    one, other = ranking("one", "abc", 3, 1, 1), ranking("other", "abc", 1, 2, 3)
    found = compare([one, other])
    assert (found.ranks["one"].tolist(), found.tie_sizes["one"].tolist()) == ([1, 2, 2], [1, 2, 2])
    rows = {row.pop("page"): row for row in found.disagreements().to_pylist()}
    assert rows["c"] == {"log2_ratio": pytest.approx(np.log2(2.5)), "one": 2, "other": 1}


def test_rankings_by_one_method_are_numbered() -> None:
    links = WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y")])
    found = compare([pagerank(links), pagerank(links, damping=0.5), indegree(links)])
    assert list(found.ranks) == ["pagerank", "pagerank 2", "indegree"]
    assert repr(found).startswith("<Comparison of 3 rankings on 4 pages; lowest agreement ")


def test_rankings_of_ties_have_no_lowest_agreement() -> None:
    ring = [("a", "b"), ("b", "a")]
    found = compare([indegree(ring), pagerank(ring)])
    assert repr(found) == "<Comparison of indegree, pagerank on 2 pages>"


def test_a_named_score_is_compared() -> None:
    links = WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y")])
    found = compare([hits(links), indegree(links)], by="hub")
    assert found.ranks["hits"][0] == 2


def test_degenerate_rankings() -> None:
    found = compare([ranking("one", "ab", 1, 1), ranking("other", "ab", 1, 2)])
    assert np.isnan(found.agreements[0].pair_counts.tau_b)
    assert compare([ranking("one", ""), ranking("other", "")]).disagreements().num_rows == 0
    with pytest.raises(BadParameter):
        compare([])


@given(scores, st.randoms())
def test_ranks_do_not_depend_on_page_order(values: list[int], random: Any) -> None:
    shuffled = random.sample(range(len(values)), len(values))
    found, again = (
        compare([ranking("one", LETTERS[: len(values)], *(values[k] for k in order))])
        for order in (range(len(values)), shuffled)
    )
    ranks, tie_sizes = found.ranks["one"], found.tie_sizes["one"]
    assert (ranks + (tie_sizes - 1) / 2).sum() == sum(range(1, len(values) + 1))
    assert again.ranks["one"].tolist() == ranks[shuffled].tolist()
    assert again.tie_sizes["one"].tolist() == tie_sizes[shuffled].tolist()


@given(st.lists(st.sampled_from(list(permutations("abcdef", 2))), min_size=1, max_size=30))
def test_a_ranking_agrees_with_itself(links: list[tuple[str, str]]) -> None:
    """In all measures; tau-b needs two different scores."""
    one = indegree(WebGraph.from_links(links))
    row = compare([one, one]).to_table().to_pylist()[0]
    assert row["tau_b"] == 1 or np.ptp(one.scores["share"]) == 0
    assert (row["strict_distance"], row["overlap"], row["geometric"]) == (0, 1, 0)
    assert row["rbo"] == pytest.approx(1)
