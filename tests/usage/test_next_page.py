"""The next page: by hand without trees, on planted behaviour with them, and on odd sessions."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.core.errors import UnknownName
from weft.graph.transitions import Sessions
from weft.usage.next_page import (
    NextPageModel,
    PredictionQuality,
    next_page,
    split_sessions,
)
from weft.usage.path_tables import MAX_CANDIDATES, PathTables
from weft.usage.predictor import Predictor

paths = st.lists(st.lists(st.sampled_from("abcde"), max_size=6), max_size=12)
links = st.lists(st.tuples(st.sampled_from("abcde"), st.sampled_from("abcde")), max_size=8)


def predict(sessions: Sessions, *path: str) -> dict[str, float]:
    """All next pages and their probabilities, by a fitted model."""
    model: Predictor = NextPageModel.fit(sessions)
    pages, probabilities = model.predict(sessions.graph.page_numbers(path), 100)
    return dict(zip(sessions.names(pages), probabilities.tolist(), strict=True))


def planted(count: int, seed: int) -> Sessions:
    """Visitors who come from one of five entries and leave the fourth page for its own target.

    Two pages that say nothing lie between, so that contexts of three pages do
    not reach back to the entry. One visitor in five goes to any target.
    """
    rng = np.random.default_rng(seed)
    sessions = []
    for _ in range(count):
        entry, first, second = rng.integers((5, 20, 20)).tolist()
        target = entry if rng.random() < 0.8 else int(rng.integers(5))
        sessions.append([f"in{entry}", f"x{first}", f"y{second}", "hub", f"out{target}"])
    links = [("hub", f"out{k}") for k in range(5)]
    return Sessions.from_paths(sessions, links)


def test_kneser_ney_by_hand() -> None:
    """After a, b: (2 - 3/4) / 3 + 3/4 * 2/3 * 1/2 = 2/3; all shorter contexts are indifferent."""
    found = predict(Sessions.from_paths(["abc", "abd", "abc"]), "a", "b")
    assert found == pytest.approx({"c": 2 / 3, "d": 1 / 3})


def test_a_link_that_nobody_followed_has_a_share() -> None:
    """Order 0 gives d 1/7, two discounts of 3/4 * 2/2 and 3/4 * 2/3 leave 3/56 of it."""
    sessions = Sessions.from_paths(["ab", "ab", "ac"], [("a", "b"), ("a", "c"), ("a", "d")])
    found = predict(sessions, "a")
    assert found["d"] == pytest.approx(3 / 56)
    assert found["b"] == pytest.approx(1.25 / 3 + 0.5 * (0.125 + 0.75 * 3 / 7))
    assert sum(found.values()) == pytest.approx(1)


def test_an_empty_path_gives_the_entries() -> None:
    assert predict(Sessions.from_paths(["ab", "ac", "ba"])) == {"a": 2 / 3, "b": 1 / 3}


def test_a_page_never_viewed_passes_visitors_on_by_its_links() -> None:
    sessions = Sessions.from_paths([["a", "b"], ["b", "a"]], [("new", "b"), ("new", "c")])
    found = predict(sessions, "new")
    assert found.keys() == {"a", "b", "c"}  # a is popular; c is only linked
    assert found["b"] > found["c"] > 0


def test_inferred_views_are_not_predicted() -> None:
    """With path completion a, b, (a), c: the way back to a is no click, the click from it is."""
    sessions = Sessions.from_paths([["a", "b", "a", "c"]] * 4)
    inferred = np.tile([False, False, True, False], 4)
    tables = PathTables.count(replace(sessions, inferred=inferred))
    after_b = tables.counts.by_order[0].row(1)
    assert after_b.tolist() == []
    assert PathTables.count(sessions).counts.by_order[0].row(1).tolist() == [0]


def test_the_most_clicked_candidates_are_kept() -> None:
    names = [f"p{k}" for k in range(MAX_CANDIDATES + 50)]
    sessions = Sessions.from_paths([["hub", names[-1]]], [("hub", name) for name in names])
    row = PathTables.count(sessions).list_candidates(sessions.graph.page_numbers(["hub"]))
    assert len(row.ids) == MAX_CANDIDATES
    assert names[-1] in sessions.names(row.ids)
    assert (np.diff(row.ids) > 0).all()


@pytest.mark.slow
def test_planted_behaviour_is_learned_beyond_the_order_of_the_counts() -> None:
    """The last click alone: a first-order model has one target in five, the plant four in five."""
    training, test = planted(1500, 1), planted(300, 2)
    names = training.names(range(len(training.graph)))
    number = {name: k for k, name in enumerate(names)}
    renumbered = [number[name] for path in test for name in test.names(path)]
    test = replace(test, graph=training.graph, pages=np.array(renumbered, np.int32))
    model = NextPageModel.fit(training)
    assert len(model.trees)
    ranks, first_order = (each[3::4] for each in model.rank_clicks(test))
    learned, plain = map(PredictionQuality.from_ranks, (ranks, first_order))
    assert learned.hit_1 > 0.75
    assert plain.hit_1 < 0.4
    sure = [model.predict(path[:4], 1)[1][0] for path in test]
    assert np.mean(sure) == pytest.approx(learned.hit_1, abs=0.06)


@pytest.mark.slow
def test_ranks_agree_with_predictions() -> None:
    sessions = planted(400, 3)
    model = NextPageModel.fit(sessions)
    ranks, _ = model.rank_clicks(sessions.take([5, 6]))
    clicks = [(path[:end], path[end]) for path in (sessions[5], sessions[6]) for end in range(1, 5)]
    for rank, (path, page) in zip(ranks, clicks, strict=True):
        pages, probabilities = model.predict(path, 100)
        own = probabilities[pages == page][0]
        tied = np.isclose(probabilities, own, rtol=1e-9)
        assert (probabilities > own)[~tied].sum() + (tied.sum() + 1) / 2 == rank


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bytes() -> None:
    first, again = (next_page(planted(400, 3), path=["in1", "x0"], seed=4) for _ in range(2))
    assert first.to_document() == again.to_document()
    assert first["trees"] > 0


def test_the_latest_sessions_are_held_out() -> None:
    sessions = Sessions.from_paths(["ab", "cd", "ef", "gh"])
    timed = replace(sessions, times=np.repeat([40, 10, 30, 20], 2).astype(np.int64))
    earlier, later = split_sessions(timed, 0.25, seed=0)
    assert [timed.names(path) for path in later] == [["a", "b"]]
    assert len(earlier) == 3


def test_the_answer_has_its_evidence() -> None:
    sessions = Sessions.from_paths(["abc", "abd", "abc", "xbd", "abc"], [("b", "c"), ("b", "e")])
    found = next_page(sessions, path=["a", "b"], hold_out=0)
    rows = {row["page"]: row for row in found.to_table().to_pylist()}
    assert [rows[page]["clicks"] for page in "cde"] == [3, 2, 0]
    assert [rows[page]["clicks after last two"] for page in "cde"] == [3, 1, 0]
    assert [rows[page]["linked"] for page in "cde"] == [True, False, True]
    assert found["next page"] == "c"
    assert found["MRR"] is None
    assert "no clicks are held out to test the model" in found.notes


@pytest.mark.slow
def test_held_out_sessions_say_how_far_to_trust_it() -> None:
    found = next_page(planted(800, 5), path=["in1"])
    assert found["held-out clicks"] == 80 * 4
    assert found["MRR"] > found["MRR of the last page alone"]
    assert 0 <= found["hit@1"] <= found["hit@5"] <= 1


@pytest.mark.parametrize("sessions", [[], [[]], [["a"]], [["a"], [], ["b"]]])
def test_next_to_no_data(sessions: list[list[str]]) -> None:
    found = next_page(Sessions.from_paths(sessions, [("a", "b")]), path=["a"])
    assert found.to_table()["probability"].to_pylist() == pytest.approx([1.0])
    assert found["trees"] == 0
    nothing = next_page(Sessions.from_paths(sessions))
    assert len(nothing.to_table()) == len({path[0] for path in sessions if path})


def test_an_unknown_page_is_named() -> None:
    with pytest.raises(UnknownName, match="nowhere"):
        next_page(["ab"], path=["nowhere"])


@pytest.mark.slow
@given(paths, links, st.lists(st.sampled_from("abcde"), max_size=6))
def test_probabilities_are_a_distribution_over_candidates(
    sessions: list[list[str]], known_links: list[tuple[str, str]], path: list[str]
) -> None:
    data = Sessions.from_paths([*sessions, list("abcde")], known_links)
    pages, probabilities = NextPageModel.fit(data).predict(data.graph.page_numbers(path), 100)
    assert len(set(pages.tolist())) == len(pages)
    assert (probabilities > 0).all()
    assert (np.diff(probabilities) <= 1e-12).all()
    assert probabilities.sum() <= 1 + 1e-9
    if path:
        allowed = {b for a, b in known_links if a == path[-1]} | set("abcde")
        assert set(data.names(pages)) <= allowed
