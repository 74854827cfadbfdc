"""Recommendations: the values, and pages of the window that are never recommended."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.core.errors import UnknownName
from weft.graph.transitions import Sessions
from weft.usage import recommend
from weft.usage.profiles import Profile
from weft.usage.recommend import ActiveWindow, match_profile, score_pages
from weft.usage.transactions import TitledSessions

VALUES = json.loads((Path(__file__).parents[1] / "data" / "mining-values.json").read_text())["pact"]
PROFILE = Profile(np.array([1, 0, 2], np.int32), np.array([1.0, 0.75, 0.5]), 4, np.array([4, 3, 2]))
PATHS = [["a", "b", "c"], ["a", "b", "c"], ["a", "c"], ["x", "y"], ["x", "y", "z"], ["y", "z"]]
paths_lists = st.lists(st.lists(st.sampled_from("abcdefg"), max_size=6), min_size=1, max_size=20)


def test_match_and_score_of_the_values() -> None:
    window = ActiveWindow(np.array([1], np.int32), np.ones(1))
    assert match_profile(PROFILE, window) == pytest.approx(VALUES["match"])
    for factor, key in ((1.0, "rec"), (np.log(2) + 1, "rec_with_link_distance_2")):
        found = score_pages([PROFILE], window, np.full(5, factor))
        scores = {"ABC"[each.page]: each.score for each in found}
        assert scores == pytest.approx(VALUES[key], abs=1e-9)


def test_the_best_of_several_profiles_counts() -> None:
    other = Profile(np.array([1, 2], np.int32), np.array([1.0, 1.0]), 2, np.array([2, 2]))
    window = ActiveWindow(np.array([1], np.int32), np.ones(1))
    found = score_pages([PROFILE, other], window, np.ones(5))
    assert [(each.page, each.profile) for each in found] == [(2, 1), (0, 0)]


@given(paths_lists, st.integers(1, 4), st.sampled_from(["pact", "arhp"]), st.booleans())
def test_scores_are_shares_and_the_window_is_left_out(
    paths: list[list[str]], window: int, profiles: Any, link_distance: Any
) -> None:
    path = max(paths, key=len)
    found = recommend(
        paths, path=path, profiles=profiles, window=window, threshold=0, link_distance=link_distance
    )
    rows = found.to_table().to_pylist()
    assert not {row["page"] for row in rows} & set(path[-window:])
    for row in rows:
        assert 0 < row["score"] <= 1 + 1e-12  # no links are known, so that no factor exceeds one
        assert row["score"] == pytest.approx((row["weight"] * row["match"]) ** 0.5)


def test_far_pages_gain_by_link_distance() -> None:
    links = [("a", "b"), ("b", "c"), ("a", "d")]
    data = TitledSessions(Sessions.from_paths(PATHS, links))
    plain = {row["page"]: row for row in recommend(data, path=["a"]).to_table().to_pylist()}
    far = recommend(data, path=["a"], link_distance=True).to_table().to_pylist()
    assert {row["page"]: row["distance"] for row in far} == {"b": 1, "c": 2}
    for row in far:
        factor = np.sqrt(np.log(row["distance"]) + 1)
        assert row["score"] == pytest.approx(plain[row["page"]]["score"] * factor)


@given(st.lists(st.sampled_from([0, 1, 2, 3]), min_size=1, unique=True), st.floats(0.01, 100))
def test_the_scale_of_the_window_does_not_matter(pages: list[int], scale: float) -> None:
    ids, weights = np.array(pages, np.int32), np.arange(1.0, len(pages) + 1)
    one, other = (match_profile(PROFILE, ActiveWindow(ids, weights * s)) for s in (1.0, scale))
    assert one == pytest.approx(other)
    assert 0 <= one <= 1 + 1e-12


def test_growing_weights_prefer_the_last_page() -> None:
    path = ["x", "a"]
    equal = recommend(PATHS, path=path, threshold=0).to_table().to_pylist()
    growing = recommend(PATHS, path=path, threshold=0, window_weights="growing")
    scores = {row["page"]: row["score"] for row in growing.to_table().to_pylist()}
    before = {row["page"]: row["score"] for row in equal}
    assert scores["c"] > before["c"]
    assert scores["y"] < before["y"]
    again = ActiveWindow.from_path(np.array([4, 2, 4], np.int32), "growing")
    assert dict(zip(again.pages.tolist(), again.weights.tolist(), strict=True)) == {4: 3, 2: 2}


def test_threshold_and_top_bound_the_list() -> None:
    assert len(recommend(PATHS, path=["a"], threshold=0, top=1).to_table()) == 1
    none = recommend(PATHS, path=["a"], threshold=5)
    assert len(none.to_table()) == 0
    assert none.notes[-1] == "no page scores 5 or more"


def test_an_empty_path_or_no_sessions_say_so() -> None:
    assert "no path was given" in recommend(PATHS).notes
    assert "there are no sessions" in recommend([]).notes


def test_an_unknown_page_is_an_error() -> None:
    with pytest.raises(UnknownName):
        recommend(PATHS, path=["nowhere"])
