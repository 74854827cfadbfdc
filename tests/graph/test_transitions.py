"""Sessions and transitions: by hand, and by definition."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.core.errors import BadParameter
from weft.graph.transitions import Sessions, Transitions

paths = st.lists(st.lists(st.sampled_from("abcde"), max_size=6), max_size=8)


def counts_of(found: Transitions) -> dict[tuple[str, str], int]:
    names, weights = found.graph.pages, found.counts.weights
    assert weights is not None
    ends = zip(found.counts.row_ids(), found.counts.ids, strict=True)
    return {(names[s], names[t]): int(w) for (s, t), w in zip(ends, weights, strict=True)}


@given(paths)
def test_clicks_are_pairs_of_neighbours(lists: list[list[str]]) -> None:
    found = Sessions.from_paths(lists).transitions
    expected: dict[tuple[str, str], int] = {}
    for path in lists:
        for pair in pairwise(path):
            expected[pair] = expected.get(pair, 0) + 1
    assert counts_of(found) == expected
    assert found.entries.sum() == found.exits.sum() == sum(map(bool, lists))
    assert found.views.sum() == sum(map(len, lists)) == found.clicks + sum(map(bool, lists))


def test_going_back_is_no_click() -> None:
    """A b c, back to b and a, then d: the clicks are ab, bc and ad."""
    sessions = Sessions.from_paths([["a", "b", "c", "b", "a", "d"]])
    completed = replace(sessions, inferred=np.array([False, False, False, True, True, False]))
    assert counts_of(completed.transitions) == {("a", "b"): 1, ("b", "c"): 1, ("a", "d"): 1}
    assert completed.transitions.views.sum() == 4


def test_some_sessions_keep_their_pages() -> None:
    sessions = Sessions.from_paths([["a"], ["b", "c"], [], ["c", "a", "b"]])
    some = sessions.take(np.array([3, 1]))
    assert [some.names(path) for path in some] == [["c", "a", "b"], ["b", "c"]]
    assert some.visitors.tolist() == [3, 1]
    masked = sessions.take(np.array([True, False, True, False]))
    assert [masked.names(path) for path in masked] == [["a"], []]


def test_links_join_pages_that_nobody_viewed() -> None:
    sessions = Sessions.from_paths([["a"]], [("a", "b")])
    assert list(sessions.graph.pages) == ["a", "b"]
    assert sessions.graph.outlinks.row(0).tolist() == [1]


@pytest.mark.parametrize("data", ["abc", 7])
def test_other_things_hold_no_sessions(data: object) -> None:
    with pytest.raises(BadParameter, match="holds no sessions"):
        Transitions.from_any(data)
