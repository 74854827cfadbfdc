"""Communities that were found before: the same to the bit, and never those of something else."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from weft.communities import Agora, Communities
from weft.core.methods import find
from weft.gather.page import Page
from weft.run import grouping, kept_groups
from weft.run.analyse import View
from weft.run.workspace import Workspace

Keep = Callable[..., Workspace]


@pytest.fixture
def two(keep: Keep, two_subjects: list[Page]) -> Workspace:
    return keep(*two_subjects)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Grows each time that communities are really looked for."""
    calls: list[str] = []

    def found(kind: str, name: str) -> Callable[..., Any]:
        method = find(kind, name)

        def run(*data: object, **options: object) -> Any:
            calls.append(name)
            return method(*data, **options)

        return run

    monkeypatch.setattr(grouping, "find", found)
    return calls


def told(found: Communities) -> list[tuple[object, ...]]:
    return [
        (
            *[c.members.tobytes(), c.authority.tobytes(), c.hub.tobytes()],
            *[pages.tobytes() for pages in c.evidence.values()],
            *(c.inside, c.leaving, c.arriving, c.strength, c.label, c.title, dict(c.facts)),
        )
        for c in found
    ]


@pytest.mark.parametrize("method", ["modularity", "hits", "friends", "agora"])
def test_what_is_recalled_is_the_same(two: Workspace, asked: list[str], method: str) -> None:
    one, again = two.communities(method=method), two.communities(method=method)
    assert asked == [method]
    assert type(one) is type(again)
    assert told(one) == told(again)
    assert (one.facts, one.notes, one.options) == (again.facts, again.notes, again.options)
    assert one.provenance["time"] == again.provenance["time"]
    if isinstance(one, Agora) and isinstance(again, Agora):
        assert one.between == again.between


def test_other_questions_are_asked_anew(two: Workspace, asked: list[str]) -> None:
    two.communities()
    two.communities(resolution=0.5)
    two.communities("jaguar")
    two.communities(level="host")
    two.communities(without=("cars.com",))
    two.communities(cache=False)
    assert len(asked) == 6


def test_a_damaged_answer_is_none(two: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    found = two.communities()
    question = kept_groups.question(two.collection, View(), "modularity", {})
    assert kept_groups.recalled(two.collection, question, found.base) is not None
    smaller = two.communities("engine").base
    assert kept_groups.recalled(two.collection, question, smaller) is None
    members = found[0].members
    members.setflags(write=True)
    members[0] = np.int32(members[-1])
    kept_groups.remember(two.collection, question, found)
    assert kept_groups.recalled(two.collection, question, found.base) is None
    monkeypatch.setattr(kept_groups, "MOST", 1)
    kept_groups.remember(two.collection, {"other": 1}, found)
    assert kept_groups.recalled(two.collection, {"other": 1}, found.base) is None
