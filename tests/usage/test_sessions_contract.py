"""The contract of every usage method that takes sessions or transitions, on toy sessions."""

import json
from dataclasses import replace
from typing import cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.core.errors import BadParameter
from weft.core.register import METHODS, Method, method_notes
from weft.graph.transitions import Sessions, Transitions
from weft.usage import Usage

Paths = list[list[str]]
USAGE = [
    method
    for method in METHODS.values()
    if method.kind == "usage" and method.input_type in (Sessions, Transitions)
]
TIMES = 1_700_000_000
TOYS: dict[str, Paths] = {
    "no sessions": [],
    "an empty session": [[]],
    "one page": [["a"]],
    "reloads": [["a", "a", "a"], ["a"]],
    "there and back": [["a", "b", "a", "b", "a"], ["b", "a"]],
    "three sessions": [["a", "b", "c"], ["a", "b", "d"], ["d", "a"]],
    "equal sessions": [["a", "b", "c"]] * 5,
    "many entries": [[page] for page in "abcdef"],
}
paths = st.lists(st.lists(st.sampled_from("abcdef"), max_size=8), max_size=8)
every_method = pytest.mark.parametrize("method", USAGE, ids=lambda m: m.name)


def run(method: Method, data: object, **options: object) -> Usage:
    return cast("Usage", method(data, **options))


def check(found: Usage, method: Method) -> None:
    assert found.method == method.name
    assert found.tables
    assert "\n" not in repr(found)
    assert all(isinstance(note, str) for note in found.notes)
    for table in found.tables.values():
        for column in table.columns:
            if column.type == "double":
                values = np.array([value for value in column.to_pylist() if value is not None])
                assert np.isfinite(values).all()
    json.dumps(found.to_document(), allow_nan=False)


def test_there_are_methods() -> None:
    named = {method.name for method in USAGE}
    assert {"sessions", "paths", "markov", "sarukkai", "one", "lrs", "pagerate"} <= named


@every_method
@pytest.mark.parametrize("toy", TOYS)
def test_runs_on_toys(method: Method, toy: str) -> None:
    check(run(method, TOYS[toy]), method)


@every_method
@settings(max_examples=20)
@given(paths)
def test_runs_on_any_sessions(method: Method, sessions: Paths) -> None:
    check(run(method, sessions), method)


@every_method
def test_views_with_times_and_inferred_ones(method: Method) -> None:
    sessions = Sessions.from_paths(
        [["a", "b", "a", "c"], ["b", "c"], ["c"]], links=[("a", "b"), ("a", "c"), ("c", "x")]
    )
    times = TIMES + 60 * np.arange(len(sessions.pages))
    inferred = np.array([False, False, True, False, False, False, False])
    check(run(method, replace(sessions, times=times, inferred=inferred)), method)


@every_method
def test_nothing_but_links(method: Method) -> None:
    """A web whose pages nobody has viewed."""
    check(run(method, Sessions.from_paths([], links=[("a", "b"), ("b", "a")])), method)


@every_method
@pytest.mark.parametrize("toy", TOYS)
def test_runs_are_reproducible(method: Method, toy: str) -> None:
    first, second = (run(method, TOYS[toy]) for _ in range(2))
    assert first.to_document() == second.to_document()


@every_method
def test_options_are_recorded(method: Method) -> None:
    found = run(method, TOYS["three sessions"])
    assert dict(found.options) == {name: o.default for name, o in method.options.items()}


@every_method
def test_unknown_options_are_an_error(method: Method) -> None:
    with pytest.raises(BadParameter, match=method.name):
        run(method, TOYS["three sessions"], frobnication=3)


@every_method
def test_what_holds_no_sessions_is_refused(method: Method) -> None:
    with pytest.raises(BadParameter, match="no sessions"):
        run(method, 5)


@every_method
def test_the_card_is_complete(method: Method) -> None:
    assert len(method.summary) <= 60
    assert "usage" in method.dimensions.data
    notes = method_notes(method.kind, method.name)
    assert all(text.strip() for text in (notes.formula, notes.cost, notes.limitations))
