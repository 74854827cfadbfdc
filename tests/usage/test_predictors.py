"""Predictors of the next page: worked values, closed forms, and what all of them promise."""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.core.errors import BadParameter, UnknownName
from weft.graph.transitions import Sessions
from weft.usage import Predictor, lrs, markov, one, sarukkai
from weft.usage.context_tree import ContextTree
from weft.usage.lrs import RepeatModel, longest_repeating_runs
from weft.usage.markov import MarkovModel, Smoothing
from weft.usage.one import CompressedModel
from weft.usage.sarukkai import HistoryModel

Paths = list[list[str]]
VALUES = json.loads((Path(__file__).parents[1] / "data" / "mining-values.json").read_text())
MARKOV, LRS = VALUES["markov"], VALUES["lrs"]
EXAMPLE = MARKOV["sessions"]
MODELS: dict[str, Callable[[Sessions], Predictor]] = {
    "markov": MarkovModel.fit,
    "longest": lambda sessions: MarkovModel.fit(sessions, order=3, smoothing="longest"),
    "without boundaries": lambda sessions: MarkovModel.fit(sessions, boundaries=False),
    "sarukkai": HistoryModel.fit,
    "one": CompressedModel.fit,
    "lrs": RepeatModel.fit,
}
paths = st.lists(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=9), max_size=9)
every_model = pytest.mark.parametrize("model", MODELS)


def predict(model: Predictor, sessions: Sessions, path: str, top: int = 99) -> dict[str, float]:
    pages, probabilities = model.predict(sessions.graph.page_numbers(path), top)
    return dict(zip(sessions.names(pages), probabilities.tolist(), strict=True))


def nonzero(row: list[float]) -> dict[str, float]:
    return {page: p for page, p in zip(MARKOV["states"], row, strict=True) if p}


@pytest.mark.parametrize("state", range(4))
def test_first_order_values(state: int) -> None:
    sessions = Sessions.from_paths(EXAMPLE)
    model = MarkovModel.fit(sessions, order=1, smoothing="none", boundaries=False)
    found = predict(model, sessions, MARKOV["states"][state])
    assert found == pytest.approx(nonzero(MARKOV["first_order"][state]), abs=1e-10)


@pytest.mark.parametrize("context", MARKOV["second_order"])
@pytest.mark.parametrize("smoothing", ["none", "longest"])
def test_second_order_values(context: str, smoothing: Smoothing) -> None:
    sessions = Sessions.from_paths(EXAMPLE)
    model = MarkovModel.fit(sessions, order=2, smoothing=smoothing, boundaries=False)
    assert predict(model, sessions, context) == pytest.approx(MARKOV["second_order"][context])


def test_the_ends_of_sessions_are_states() -> None:
    """After ABCD all leave; five of six sessions begin at A, one of six at B."""
    sessions = Sessions.from_paths(EXAMPLE)
    model = MarkovModel.fit(sessions, order=1, smoothing="none")
    assert predict(model, sessions, "") == pytest.approx({"A": 5 / 6, "B": 1 / 6})
    assert predict(model, sessions, "D") == {}
    assert model.leave_probability(sessions.graph.page_numbers("D")) == 1
    assert predict(model, sessions, "C") == pytest.approx({"D": 2 / 5, "A": 1 / 5})
    assert model.leave_probability(sessions.graph.page_numbers("C")) == pytest.approx(2 / 5)


def test_witten_bell_by_hand() -> None:
    """After b: c twice, d once, so N = 3 and d = 2. Order 0 has 9 views and 3 ends."""
    sessions = Sessions.from_paths(["abc", "abd", "abc"])
    model = MarkovModel.fit(sessions, order=1)
    rest = 2 / 5
    wanted = {
        "c": 3 / 5 * 2 / 3 + rest * 2 / 12,
        "d": 3 / 5 * 1 / 3 + rest * 1 / 12,
        "a": rest * 3 / 12,
        "b": rest * 3 / 12,
    }
    assert predict(model, sessions, "b") == pytest.approx(wanted)
    leaving = model.leave_probability(sessions.graph.page_numbers("b"))
    assert leaving == pytest.approx(rest * 3 / 12)


def test_order_zero_keeps_to_links() -> None:
    """Page b was never left; of the pages it links to, c has both views."""
    sessions = Sessions.from_paths(["ab", "c", "c"], links=[("b", "c"), ("b", "x")])
    model = MarkovModel.fit(sessions, order=1, boundaries=False)
    assert predict(model, sessions, "b") == pytest.approx({"c": 1})
    assert set(predict(model, sessions, "x")) == {"a", "b", "c"}


def test_rare_contexts_are_ignored() -> None:
    sessions = Sessions.from_paths(["abc", "xbd", "xbd"])
    model = MarkovModel.fit(sessions, order=2, smoothing="longest", min_count=2, boundaries=False)
    assert predict(model, sessions, "ab") == pytest.approx({"d": 2 / 3, "c": 1 / 3})
    assert predict(model, sessions, "xb") == {"d": 1}


def test_sarukkai_values() -> None:
    sessions = Sessions.from_paths(EXAMPLE)
    model = HistoryModel.fit(sessions, [0.7, 0.3])
    found = predict(model, sessions, "AB")
    assert found == pytest.approx(nonzero(MARKOV["sarukkai_hist_AB"]), abs=1e-12)
    assert found == pytest.approx(nonzero(MARKOV["sarukkai_normalised"]), abs=1e-12)


@given(paths, st.lists(st.sampled_from("abcdef"), min_size=1, max_size=5))
def test_sarukkai_is_the_sum_of_matrix_powers(sessions_of: Paths, path: list[str]) -> None:
    sessions = Sessions.from_paths([*sessions_of, list("abcdef")])
    n, weights = len(sessions.graph), [0.6, 0.3, 0.1]
    clicks = np.zeros((n, n))
    for session in sessions:
        np.add.at(clicks, (session[:-1], session[1:]), 1)
    chain = clicks / np.maximum(clicks.sum(axis=1, keepdims=True), 1)
    history = sessions.graph.page_numbers(path)
    wanted = sum(
        weight * np.linalg.matrix_power(chain, m)[history[-m]]
        for m, weight in enumerate(weights, start=1)
        if m <= len(path)
    )
    total = float(np.sum(wanted))
    found = predict(HistoryModel.fit(sessions, weights), sessions, "".join(path))
    for page, name in enumerate(sessions.graph.pages):
        share = float(np.asarray(wanted)[page]) / total if total else 0.0
        assert found.get(name, 0.0) == pytest.approx(share, abs=1e-12)


def test_a_tour_has_no_loops() -> None:
    found = sarukkai(EXAMPLE, path=["A"], tour=9)
    assert found.to_table("tour")["page"].to_pylist() == ["B", "C", "D"]
    assert "tour" not in sarukkai(EXAMPLE, path=["A"]).tables


def test_pages_of_the_path_are_skipped_if_asked() -> None:
    everything = sarukkai(EXAMPLE, path=["A", "B"], skip_seen=False)
    assert everything.to_table()["page"].to_pylist() == ["C", "D", "A"]
    assert sarukkai(EXAMPLE, path=["A", "B"]).to_table()["page"].to_pylist() == ["C", "D"]
    assert sarukkai(EXAMPLE, path=["A", "B"], top=1).to_table()["page"].to_pylist() == ["C"]


def test_longest_repeating_subsequences() -> None:
    sessions = Sessions.from_paths(LRS["paths"])
    rows = longest_repeating_runs(sessions, LRS["threshold"], 10).to_table(sessions, 99).to_pylist()
    assert {"".join(row["path"]): row["count"] for row in rows} == LRS["lrs"]


@given(paths, st.integers(1, 3), st.integers(2, 6))
def test_lrs_by_definition(sessions_of: Paths, threshold: int, max_length: int) -> None:
    counts: Counter[str] = Counter()
    texts = ["".join(path) for path in sessions_of]
    for text in texts:
        lengths = range(2, min(max_length, len(text)) + 1)
        counts.update(text[k : k + n] for n in lengths for k in range(len(text) - n + 1))
    repeats = {run for run, count in counts.items() if count > threshold}
    wanted = {
        text[k : k + n]: counts[text[k : k + n]]
        for text in texts
        for n in range(2, max_length + 1)
        for k in range(len(text) - n + 1)
        if text[k : k + n] in repeats
        and not (k + n < len(text) and text[k : k + n + 1] in repeats)
        and not (k and text[k - 1 : k + n] in repeats)
    }
    sessions = Sessions.from_paths(sessions_of)
    rows = longest_repeating_runs(sessions, threshold, max_length).to_table(sessions, 999)
    assert {"".join(row["path"]): row["count"] for row in rows.to_pylist()} == wanted


@given(paths, st.integers(1, 3))
def test_the_lrs_model_has_all_parts_of_all_lrs(sessions_of: Paths, threshold: int) -> None:
    """Its contexts with their followers are the parts of the subsequences, of two pages or more."""
    sessions = Sessions.from_paths(sessions_of)
    tree = RepeatModel.fit(sessions, threshold=threshold, order=8).contexts
    table = longest_repeating_runs(sessions, threshold, 9).to_table(sessions, 999)
    runs = table["path"].to_pylist()
    parts = {
        tuple(run[k:end]) for run in runs for end in range(len(run) + 1) for k in range(end - 1)
    }
    assert tree.size == len(parts)
    for part in parts:
        nodes = tree.match(sessions.graph.page_numbers(part[:-1]))
        assert len(nodes) == len(part)
        followers = sessions.names(tree.followers.row(nodes[-1]))
        assert part[-1] in followers


def test_the_lrs_model_is_smaller_and_says_what_it_covers() -> None:
    found = lrs(LRS["paths"], path=["B"])
    assert found["size"] == 5, "after A: B; after B and AB: C; after C and BC: D"
    assert found["size"] < found["size of all paths"]
    assert found["coverage"] == pytest.approx(8 / 10), "AB 3, BC 3, CD 2 of ten clicks"
    assert lrs(LRS["paths"], path=["B"], one_hop=True)["size"] == 3
    assert len(lrs(LRS["paths"], path=["E"]).to_table()) == 0
    assert "the model knows no click after this path" in lrs(LRS["paths"], path=["E"]).notes


@pytest.mark.parametrize("boundaries", [True, False])
@given(sessions_of=paths, order=st.integers(1, 4))
def test_contexts_are_counted_by_definition(
    *, sessions_of: Paths, order: int, boundaries: bool
) -> None:
    sessions = Sessions.from_paths(sessions_of)
    counts: Counter[tuple[str, str]] = Counter()
    for path in sessions_of:
        marked = "^" + "".join(path) + "$" if boundaries else "".join(path)
        for at in range(boundaries, len(marked)):
            for depth in range(min(order, at) + 1):
                counts[marked[at - depth : at], marked[at]] += 1
    tree = ContextTree.fit(sessions, order, boundaries=boundaries)
    number = {name: k for k, name in enumerate([*sessions.graph.pages])} | {
        "$": len(sessions.graph)
    }
    found = 0
    for (context, follower), count in counts.items():
        inner = [number[page] for page in context if page != "^"]
        nodes = tree.match(inner)
        if boundaries and not context.startswith("^"):
            nodes = ContextTree.match(without_start(tree), inner)
        assert len(nodes) > len(context)
        pages, totals = tree.row(nodes[len(context)])
        assert dict(zip(pages.tolist(), totals.tolist(), strict=True))[number[follower]] == count
        found += 1
    assert len(tree.followers.ids) == found


def without_start(tree: ContextTree) -> ContextTree:
    """The same tree for paths from the middle of a session."""
    return replace(tree, boundaries=False)


@every_model
@given(
    sessions_of=paths, path=st.lists(st.sampled_from("abcdef"), max_size=6), top=st.integers(1, 7)
)
def test_predictions_are_probabilities(
    model: str, sessions_of: Paths, path: list[str], top: int
) -> None:
    sessions = Sessions.from_paths(sessions_of, links=[("a", "b"), ("c", "d"), ("e", "f")])
    fitted, ids = MODELS[model](sessions), sessions.graph.page_numbers(path)
    pages, probabilities = fitted.predict(ids, 99)
    assert len(set(pages.tolist())) == len(pages)
    assert (probabilities > 0).all()
    assert np.array_equal(np.lexsort((pages, -np.round(probabilities, 12))), np.arange(len(pages)))
    leaving = fitted.leave_probability(ids) if isinstance(fitted, MarkovModel) else 0.0
    if len(pages) or leaving:
        assert probabilities.sum() + leaving == pytest.approx(1, abs=1e-12)
    few, their = fitted.predict(ids, top)
    assert few.tolist() == pages[:top].tolist()
    assert their == pytest.approx(probabilities[:top], abs=1e-12)


@pytest.mark.parametrize("model", [name for name in MODELS if name != "one"])
@given(sessions_of=paths, random=st.randoms())
def test_numbering_does_not_matter(model: str, sessions_of: Paths, random: Random) -> None:
    """Except for compression, which merges the first pages of those with equal errors."""
    shuffled = random.sample(sessions_of, len(sessions_of))
    both = []
    for data in (sessions_of, shuffled):
        sessions = Sessions.from_paths(data, links=[("a", "b"), ("e", "f")])
        fitted = MODELS[model](sessions)
        both.append([predict(fitted, sessions, path) for path in ("", "a", "ab", "fa")])
    for first, second in zip(*both, strict=True):
        assert first == pytest.approx(second, abs=1e-12)


@pytest.mark.parametrize("method", [markov, sarukkai, one, lrs])
def test_the_result_says_what_it_rests_on(method: Any) -> None:
    found = method(EXAMPLE, path=["A"])
    first = found.to_table().to_pylist()[0]
    assert (first["page"], first["clicks"], first["views"]) == ("B", 4, 5)
    assert found["next page"] == "B"
    assert found["size"] > 0
    assert method(EXAMPLE)["next page"] == ("A")


@pytest.mark.parametrize("method", [markov, sarukkai, one, lrs])
def test_unknown_and_unseen_pages(method: Any) -> None:
    with pytest.raises(UnknownName, match="'Z'"):
        method(EXAMPLE, path=["Z"])
    sessions = Sessions.from_paths(["ab"], links=[("a", "x")])
    assert "1 page of the path never viewed: x" in method(sessions, path=["x"]).notes
    assert "there are no sessions" in method([]).notes


def test_weights_of_nothing_are_refused() -> None:
    with pytest.raises(BadParameter, match="add up to zero"):
        sarukkai(EXAMPLE, history_weights=[0.0, 0.0])


def test_inferred_views_are_contexts_but_no_clicks() -> None:
    """The visitor went a b, back to a, and on to c."""
    sessions = Sessions.from_paths(["abac"])
    inferred = np.array([False, False, True, False])
    completed = replace(sessions, inferred=inferred)
    model = MarkovModel.fit(completed, order=1, smoothing="none", boundaries=False)
    assert predict(model, completed, "a") == pytest.approx({"b": 0.5, "c": 0.5})
    assert predict(model, completed, "b") == {}
