"""Maximal forward references and large reference sequences."""

import json
from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.graph.transitions import Sessions
from weft.usage import forward_paths
from weft.usage.forward_references import (
    MAX_REFERENCE_LENGTH,
    ForwardReferences,
    forward_path,
)

Paths = list[list[str]]
VALUES = json.loads((Path(__file__).parents[1] / "data" / "mining-values.json").read_text())
CHEN = VALUES["maximal_forward_references"]
paths = st.lists(st.lists(st.sampled_from("abcdef"), max_size=12), max_size=6)


def cut(sessions_of: object) -> list[str]:
    sessions = Sessions.from_any(sessions_of)
    found = ForwardReferences.from_sessions(sessions)
    return ["".join(sessions.names(found[k])) for k in range(len(found))]


def cut_by_definition(path: list[str]) -> list[str]:
    forward, found, moving = list[str](), list[str](), False
    for page in path:
        if page in forward:
            if moving:
                found.append("".join(forward))
            forward, moving = forward[: forward.index(page) + 1], False
        else:
            forward.append(page)
            moving = True
    return [*found, "".join(forward)] if moving else found


def test_the_example_of_chen_park_and_yu() -> None:
    assert cut([CHEN["path"]]) == CHEN["mfrs"]


@pytest.mark.parametrize(
    ("path", "wanted"), [("a", ["a"]), ("aa", ["a"]), ("abc", ["abc"]), ("aba", ["ab"]), ("", [])]
)
def test_reloads_and_forward_paths(path: str, wanted: list[str]) -> None:
    assert cut([path]) == wanted


@given(paths)
def test_references_by_definition(sessions_of: Paths) -> None:
    assert cut(sessions_of) == [ref for path in sessions_of for ref in cut_by_definition(path)]


@given(st.lists(st.sampled_from("abcdef"), max_size=20))
def test_references_of_a_session_branch(path: list[str]) -> None:
    """All begin at the first page, and no page is twice in one."""
    found = cut([path])
    assert {reference[0] for reference in found} == set(path[:1])
    assert all(len(set(reference)) == len(reference) for reference in found)


def test_the_same_way_again_is_a_reference_again() -> None:
    assert cut(["ababc"]) == ["ab", "abc"]


@given(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=20))
def test_the_current_forward_path_ends_at_the_last_page(path: list[str]) -> None:
    pages = [ord(page) for page in path]
    current = forward_path(pages)
    assert current[-1] == pages[-1]
    assert current[0] == pages[0]
    last = cut_by_definition([*path, "new"])[-1]
    assert last == "".join(map(chr, current)) + "new"


@given(paths, st.integers(1, 4), st.integers(2, 5))
def test_sequences_by_definition(sessions_of: Paths, support: int, max_length: int) -> None:
    containing: defaultdict[str, list[int]] = defaultdict(list)
    for session, path in enumerate(sessions_of):
        for reference in cut_by_definition(path):
            for n in range(1, max_length + 1):
                for k in range(len(reference) - n + 1):
                    containing[reference[k : k + n]].append(session)
    large = {run for run, where in containing.items() if len(where) >= support}
    wanted = {
        run: (len(containing[run]), len(set(containing[run])))
        for run in large
        if len(run) > 1 and not any(run != other and run in other for other in large)
    }
    table = forward_paths(sessions_of, min_support=support, max_length=max_length).to_table()
    rows = table.to_pylist()
    found = {"".join(row["path"]): (row["support"], row["sessions"]) for row in rows}
    assert found == wanted
    assert [row["support"] for row in rows] == sorted((s for s, _ in wanted.values()), reverse=True)


def test_many_sequences_are_cut_short() -> None:
    found = forward_paths(["ab", "ab", "cd", "cd", "cd"], max_rows=1)
    assert found.to_table()["path"].to_pylist() == [["c", "d"]]
    assert found["sequences"] == 2
    assert "1 sequence not listed" in found.notes


def test_single_pages_on_request() -> None:
    rows = forward_paths(["ab", "ac"], min_length=1).to_table().to_pylist()
    assert [(row["path"], row["support"]) for row in rows] == [(["a"], 2)]


def test_long_references_are_cut() -> None:
    path = [f"p{k}" for k in range(MAX_REFERENCE_LENGTH + 50)]
    found = forward_paths([path, path])
    assert found["longest"] == MAX_REFERENCE_LENGTH
    assert any("2 references cut" in note for note in found.notes)
    assert any("more than 10 pages" in note for note in found.notes)
