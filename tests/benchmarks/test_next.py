"""Predictions of clicks are judged rightly."""

import numpy as np
from benchmarks.next import Game, Ranked, calibration, follow_back_clicks, predict_all

from weft.graph.transitions import Sessions


def test_back_clicks_are_resolved() -> None:
    assert follow_back_clicks(["a", "b", "<", "c", "d", "<", "<", "e"]) == ["a", "e"]
    assert follow_back_clicks(["a", "<", "b"]) == ["a", "b"]


def test_every_click_is_ranked() -> None:
    sessions = Sessions.from_paths(["abc", "ab", "cb"], [("a", "c"), ("a", "b"), ("b", "d")])
    everywhere, _ = predict_all(Ranked.by_clicks(sessions, linked=False), sessions)
    assert everywhere.tolist() == [1, 2, 1, 1]  # b was clicked three times, c once
    linked, _ = predict_all(Ranked.by_clicks(sessions, linked=True), sessions)
    assert linked.tolist() == [1, np.inf, 1, np.inf]


def test_games_are_known_by_their_ends() -> None:
    training = Sessions.from_paths(["abc", "ad"])
    test = Sessions.from_paths(["abc", "ac", "ba"])
    assert Game("toy", training, test).replayed().tolist() == [True, True, True, False]


def test_calibration_orders_by_probability() -> None:
    sure = np.array([0.9, 0.1, 0.8, 0.2])
    right = np.array([True, False, True, True])
    np.testing.assert_allclose(calibration(sure, right, 2), [[0.15, 0.5], [0.85, 1.0]])
    assert calibration(np.full(2, np.nan), np.ones(2, bool)) == []
