"""Usage profiles by clusters and by page sets: the values, and what must always hold."""

import json
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from weft.core.arrays import Ids
from weft.graph.transitions import Sessions
from weft.usage import arhp, profiles
from weft.usage.arhp import (
    ArhpOptions,
    connectivity,
    find_arhp_profiles,
    fitness,
    partition_hypergraph,
    weigh_page_sets,
)
from weft.usage.page_sets import PageSet, find_frequent_sets
from weft.usage.profiles import find_pact_profiles, spherical_k_means
from weft.usage.transactions import TitledSessions, build_transactions

VALUES = json.loads((Path(__file__).parents[1] / "data" / "mining-values.json").read_text())
# the mean of these is the one cluster of the values: A .75, B 1, C .5, D 0, E .25
CLUSTER = [["A", "B"], ["A", "B", "C"], ["B", "C", "E"], ["A", "B"]]
TWO_GROUPS = [["a", "b", "c"], ["a", "b"], ["b", "c"], ["x", "y"], ["x", "y", "z"], ["y", "z"]]
paths_lists = st.lists(st.lists(st.sampled_from("abcdefg"), max_size=6), max_size=25)


def weights(table: Any) -> dict[str, float]:
    return dict(zip(table["page"].to_pylist(), table["weight"].to_pylist(), strict=True))


def test_pact_gives_the_profile_of_the_values() -> None:
    found = profiles(CLUSTER, clusters=1, max_share=1)
    assert weights(found.to_table()) == pytest.approx(VALUES["pact"]["normalised_profile"])
    assert found.to_table()["sessions"].to_pylist() == [4, 3, 2]
    assert found.to_table("profiles").to_pylist() == [
        {"profile": 1, "label": "B, A and C", "pages": 3, "sessions": 4, "share": 1.0}
    ]


def test_pact_separates_groups_and_divides_by_the_largest_weight() -> None:
    found = profiles(TWO_GROUPS, clusters=2, min_weight=0.6)
    by_profile = [
        {row["page"]: row["weight"] for row in found.to_table().to_pylist() if row["profile"] == k}
        for k in (1, 2)
    ]
    two_thirds = pytest.approx(2 / 3)
    assert by_profile == [
        {"b": 1.0, "a": two_thirds, "c": two_thirds},
        {"y": 1.0, "x": two_thirds, "z": two_thirds},
    ]


@given(paths_lists)
def test_pact_weights_are_positive_and_at_most_one(paths: list[list[str]]) -> None:
    table = profiles(paths, max_share=1).to_table()
    for number in set(table["profile"].to_pylist()):
        own = [row["weight"] for row in table.to_pylist() if row["profile"] == number]
        assert max(own) == pytest.approx(1)
        assert min(own) > 0
        assert own == sorted(own, reverse=True)


@given(paths_lists, st.integers(1, 6))
def test_k_means_labels_every_row_with_its_nearest_centroid(
    paths: list[list[str]], clusters: int
) -> None:
    transactions = build_transactions(Sessions.from_paths(paths), 0, 1)
    if not len(transactions):
        return
    matrix = transactions.matrix()
    labels, converged = spherical_k_means(matrix, clusters, 2, 0)
    assert converged
    rows = matrix.toarray() / np.sqrt(matrix.sum(axis=1))[:, None]
    centroids = np.array([rows[labels == k].sum(axis=0) for k in range(labels.max() + 1)])
    centroids /= np.sqrt(np.square(centroids).sum(axis=1))[:, None]
    cosines = rows @ centroids.T
    assert (cosines[np.arange(len(rows)), labels] >= cosines.max(axis=1) - 1e-9).all()
    assert len(np.unique(labels)) <= clusters


def test_the_length_of_rows_does_not_matter_to_k_means() -> None:
    rows = csr_array(np.array([[1.0, 0, 0], [1, 0.1, 0], [0, 0, 1], [0, 0.1, 1]]))
    scaled = csr_array(rows.toarray() * np.array([[5.0], [1], [0.2], [1]]))
    assert spherical_k_means(rows, 2, 3, 0)[0].tolist() == [0, 0, 1, 1]
    assert spherical_k_means(scaled, 2, 3, 0)[0].tolist() == [0, 0, 1, 1]


def test_filters_leave_out_rare_and_common_pages_and_short_sessions() -> None:
    paths = [["home", "a", "b"]] * 8 + [["home", "a", "rare"], ["home", "b"], ["home"], []]
    transactions = build_transactions(Sessions.from_paths(paths), 0.2, 0.95)
    assert len(transactions) == 8
    assert transactions.rows.ids.tolist() == [1, 2] * 8
    assert transactions.notes == (
        "1 page in under 20.0% of the sessions left out",
        "1 page in over 95.0% of the sessions left out",
        "3 sessions with fewer than two pages left out",
    )


def test_view_times_weigh_pages() -> None:
    sessions = Sessions.from_paths([["a", "b", "c"]] * 3)
    timed = replace(sessions, times=np.array([100, 110, 150, 200, 210, 250, 300, 310, 350]))
    found = profiles(TitledSessions(timed), clusters=1, weight="time", min_weight=0.2, max_share=1)
    # 10 seconds, 40 seconds, and for the last page their mean
    assert weights(found.to_table()) == pytest.approx({"b": 1.0, "c": 25 / 40, "a": 10 / 40})


def test_titles_label_profiles() -> None:
    def read_titles(pages: Ids) -> list[str]:
        return [f"Page {page}" for page in pages]

    data = TitledSessions(Sessions.from_paths(CLUSTER), read_titles)
    found = profiles(data, clusters=1, max_share=1)
    assert found.to_table("profiles")["label"].to_pylist() == ["Page 1, Page 0 and Page 2"]


def test_page_weights_of_the_arhp_values() -> None:
    values = VALUES["arhp"]
    number = {"A": 0, "B": 1, "C": 2}
    edges = {
        tuple(number[page] for page in pages.split("+")): weight
        for pages, weight in values["hyperedges"].items()
    }
    found = connectivity((0, 1, 2), edges)
    assert found == pytest.approx({number[page]: w for page, w in values["weight"].items()})
    assert fitness((0, 1, 2), edges) == 1
    assert fitness((0, 1), edges) == pytest.approx(0.8 / 1.9)


@given(paths_lists, st.integers(1, 4), st.integers(1, 4))
def test_frequent_sets_are_those_of_brute_force(
    paths: list[list[str]], min_sessions: int, max_size: int
) -> None:
    transactions = build_transactions(Sessions.from_paths(paths), 0, 1)
    rows = [set(transactions.rows.row(k).tolist()) for k in range(len(transactions))]
    pages = sorted(set().union(*rows))
    expected = {
        subset: count
        for size in range(1, max_size + 1)
        for subset in combinations(pages, size)
        if (count := sum(row.issuperset(subset) for row in rows)) >= min_sessions
    }
    assert find_frequent_sets(transactions, min_sessions, max_size).sessions == expected


def test_too_many_page_sets_raise_the_support() -> None:
    paths = [list("abcdef")] * 4 + [list("uvwxyz")]
    transactions = build_transactions(Sessions.from_paths(paths), 0, 1)
    found = find_frequent_sets(transactions, 1, 6, max_sets=70)
    assert found.min_sessions == 2
    assert len(found.sessions) == 63
    assert "2 sessions" in found.notes[0]


def test_confidence_and_interest_of_a_page_set() -> None:
    sets = {(0,): 4, (1,): 5, (2,): 8, (0, 1): 4, (0, 2): 2, (1, 2): 4, (0, 1, 2): 2}
    confidence = weigh_page_sets(sets, 10, "confidence")
    assert confidence[0, 1] == pytest.approx((4 / 4 + 4 / 5) / 2)
    assert confidence[0, 1, 2] == pytest.approx((2 / 4 + 2 / 2 + 2 / 4) / 3)
    interest = weigh_page_sets(sets, 10, "interest")
    assert interest[0, 1, 2] == pytest.approx(0.2 / (0.4 * 0.5 * 0.8))


def test_the_partition_cuts_light_bridges_only() -> None:
    triangles: dict[PageSet, float] = {
        (0, 1): 1.0,
        (1, 2): 1.0,
        (0, 2): 1.0,
        (3, 4): 1.0,
        (4, 5): 1.0,
        (3, 5): 1.0,
    }
    assert partition_hypergraph(triangles, 0.0) == [(0, 1, 2), (3, 4, 5)]
    bridged = {**triangles, (2, 3): 0.2}
    assert partition_hypergraph(bridged, 0.1) == [(0, 1, 2), (3, 4, 5)]
    assert partition_hypergraph(bridged, 0.01) == [(0, 1, 2, 3, 4, 5)]


@given(paths_lists)
def test_arhp_profiles_are_disjoint_and_weights_are_shares(paths: list[list[str]]) -> None:
    transactions = build_transactions(Sessions.from_paths(paths), 0, 1)
    found, edges, _ = find_arhp_profiles(transactions, ArhpOptions())
    pages = [page for profile in found for page in profile.pages.tolist()]
    assert len(pages) == len(set(pages))
    for profile in found:
        assert (profile.weights <= 1 + 1e-12).all()
        assert (profile.weights > 0).all()
        assert (profile.page_sessions <= profile.sessions).all()
    assert bool(found) <= bool(edges)


def test_arhp_finds_both_groups() -> None:
    found = arhp(TWO_GROUPS)
    assert found["profiles"] == 2
    assert weights(found.to_table()) == pytest.approx(
        {"b": 1.0, "a": 0.5, "c": 0.5, "y": 1.0, "x": 0.5, "z": 0.5}, abs=1e-9
    )


def test_a_run_twice_gives_the_same() -> None:
    rng = np.random.default_rng(3)
    paths = [[f"p{page}" for page in rng.zipf(1.6, 6) % 40] for _ in range(200)]
    for method in (profiles, arhp):
        assert method(paths).to_document() == method(paths).to_document()


def test_without_sessions_the_result_says_so() -> None:
    for method in (profiles, arhp):
        found = method([])
        assert found["profiles"] == 0
        assert "there are no sessions" in found.notes
        assert len(found.to_table()) == 0


def test_no_clusters_for_no_transactions() -> None:
    transactions = build_transactions(Sessions.from_paths([]))
    assert find_pact_profiles(transactions, 3, 0.5, 1, 0) == ([], ())
