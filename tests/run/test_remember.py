"""Topics and communities remembered: the same to the bit, and only while all is as it was."""

import json
from collections.abc import Callable
from dataclasses import fields, replace
from functools import wraps
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.subjects import TWO_SUBJECTS

from weft.communities import Agora, Communities
from weft.core.methods import Method, find
from weft.gather.page import Page
from weft.graph.options import PER_DOMAIN, BaseOptions
from weft.run import discover, grouping, remember
from weft.run.analyse import View
from weft.run.workspace import Workspace
from weft.store.results import FOLDER, recall
from weft.topics import MicroHub, Topics

Keep = Callable[..., Workspace]


@pytest.fixture
def two(keep: Keep) -> Workspace:
    return keep(*TWO_SUBJECTS)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Grows each time that topics or communities are really looked for."""
    calls: list[str] = []

    def found(kind: str, name: str) -> Method:
        method = find(kind, name)

        @wraps(method.run)
        def run(data: object, **options: object) -> Any:
            calls.append(name)
            return method.run(data, **options)

        return replace(method, run=run)

    monkeypatch.setattr(discover, "find", found)
    monkeypatch.setattr(grouping, "find", found)
    return calls


def told(value: Any) -> Any:
    """All that topics hold, to the bit."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.tobytes()
    if isinstance(value, Topics):
        return [told(getattr(value, f.name)) for f in fields(value) if f.name != "base"]
    if hasattr(value, "__dataclass_fields__"):
        return [told(getattr(value, f.name)) for f in fields(value)]
    if isinstance(value, list | tuple):
        return type(value)(map(told, value))
    if isinstance(value, dict):
        return {name: told(part) for name, part in value.items()}
    return repr(value)


def test_a_second_time_they_are_recalled(two: Workspace, asked: list[str]) -> None:
    first = two.topics("jaguar", "atd", least=5)
    again = two.topics("jaguar", "atd", least=5)
    other = Workspace(two.folder).topics("jaguar", "atd", least=5)
    assert told(first) == told(again) == told(other)
    assert len(first) == 2
    assert asked == ["atd"]
    assert first.base.numbers.tolist() == other.base.numbers.tolist()
    assert other.explain("cars.com/0").found


@pytest.mark.parametrize(
    "other",
    [
        {"query": "engine"},
        {"method": "tgm"},
        {"least": 6},
        {"base": BaseOptions(root=7)},
        {"level": "host", "query": ""},
    ],
    ids=lambda other: next(iter(other)),
)
def test_another_question_is_answered_anew(
    two: Workspace, asked: list[str], other: dict[str, Any]
) -> None:
    usual: dict[str, Any] = {"query": "jaguar", "method": "atd", "least": 5}
    two.topics(**usual)
    two.topics(
        **({k: v for k, v in usual.items() if "method" not in other or k == "query"} | other)
    )
    assert len(asked) == 2


def test_another_snapshot_or_version_is_answered_anew(
    two: Workspace, asked: list[str], keep: Keep, monkeypatch: pytest.MonkeyPatch
) -> None:
    two.topics("jaguar", "atd", least=5)
    monkeypatch.setattr(remember, "_code", lambda: "changed")
    two.topics("jaguar", "atd", least=5)
    assert len(asked) == 2
    keep(Page("http://new.org/", text="jaguar"))
    assert not list((two.folder / FOLDER).iterdir()), "a commit forgets what was"
    two.refresh().topics("jaguar", "atd", least=5)
    assert len(asked) == 3


def test_a_stop_list_that_was_edited_counts_as_another(
    two: Workspace, asked: list[str], tmp_path: Path
) -> None:
    listed = tmp_path / "stop.txt"
    base = BaseOptions(stoplist=str(listed))
    for words in ("nobody.org", "nobody.org", "cars1.org"):
        listed.write_text(words)
        two.topics("jaguar", "atd", least=5, base=base)
    assert len(asked) == 2


def test_without_the_cache_nothing_is_kept_or_recalled(two: Workspace, asked: list[str]) -> None:
    two.topics("jaguar", cache=False)
    assert not (two.folder / FOLDER).exists()
    two.topics("jaguar")
    two.topics("jaguar", cache=False)
    assert len(asked) == 3


def test_a_moved_collection_says_where_it_is(two: Workspace, tmp_path: Path) -> None:
    two.topics("jaguar")
    moved = two.folder.rename(tmp_path / "moved.weft")
    assert Workspace(moved).topics("jaguar").provenance["collection"] == str(moved)


@pytest.mark.parametrize("wrong", ["members", "order", "length", "kind", "part", "deep", "label"])
def test_what_cannot_be_is_found_anew(
    two: Workspace, asked: list[str], monkeypatch: pytest.MonkeyPatch, wrong: str
) -> None:
    true = two.topics("jaguar", "atd", least=5)
    found = recall(two.folder, _question(two))
    assert found is not None
    arrays, note = list(found.arrays), found.note
    if wrong == "members":
        arrays[0] = arrays[0] + np.int32(10_000)
    elif wrong == "order":
        arrays[0] = arrays[0][::-1]
    elif wrong == "length":
        arrays[1] = arrays[1][:-1]
    elif wrong == "kind":
        arrays[1] = arrays[1].astype("S1")
    elif wrong == "label":
        note = json.loads(json.dumps(note).replace('"engine"', "7"))
        assert note != found.note
    elif wrong == "deep":
        for _ in range(10_000):
            note = {"list": [note]}
    else:
        note = {"dict": {**note["dict"], "parts": {"dict": {"topics": 3}}}}
    monkeypatch.setattr(remember, "recall", lambda *_: found._replace(note=note, arrays=arrays))
    assert told(two.topics("jaguar", "atd", least=5))[1] == told(true)[1]
    assert len(asked) == 2


def _question(two: Workspace) -> dict[str, Any]:
    view = View("page", "jaguar")
    base = BaseOptions().capped(PER_DOMAIN)
    return discover.question(two.collection, view, base, "atd", {"least": 5})


def test_facts_of_every_kind(two: Workspace) -> None:
    found = two.topics("jaguar", "atd", least=5)
    hub = MicroHub("p", "body", 0.5, 1, ("t",), ("a",), "<b>")
    facts = {"hubs": (hub,), "list": [1, None, True], "number": np.float64(0.1), "s": {"x": "y"}}
    topic = replace(found[0], facts=facts)
    odd = replace(found, topics=(topic,))
    remember.remember(two.collection, {"odd": 1}, odd)
    again = remember.recalled(two.collection, {"odd": 1}, found.base)
    assert again is not None
    assert again[0].facts == facts
    strange = replace(found, topics=(replace(topic, facts={"what": object()}),))
    remember.remember(two.collection, {"odd": 2}, strange)
    assert remember.recalled(two.collection, {"odd": 2}, found.base) is None


def told_groups(found: Communities) -> list[tuple[object, ...]]:
    return [
        (
            *[c.members.tobytes(), c.authority.tobytes(), c.hub.tobytes()],
            *[pages.tobytes() for pages in c.evidence.values()],
            *(c.inside, c.leaving, c.arriving, c.strength, c.label, c.title, dict(c.facts)),
        )
        for c in found
    ]


@pytest.mark.parametrize("method", ["modularity", "hits", "friends", "agora"])
def test_communities_are_the_same_when_recalled(
    two: Workspace, asked: list[str], method: str
) -> None:
    one, again = two.communities(method=method), two.communities(method=method)
    assert asked == [method]
    assert type(one) is type(again)
    assert told_groups(one) == told_groups(again)
    assert (one.facts, one.notes, one.options) == (again.facts, again.notes, again.options)
    assert one.provenance["time"] == again.provenance["time"]
    if isinstance(one, Agora) and isinstance(again, Agora):
        assert one.between == again.between


def test_other_communities_are_found_anew(two: Workspace, asked: list[str]) -> None:
    two.communities()
    two.communities(resolution=0.5)
    two.communities("jaguar")
    two.communities(level="host")
    two.communities(without=("cars.com",))
    two.communities(cache=False)
    assert len(asked) == 6


def test_damaged_communities_are_found_anew(
    two: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = two.communities()
    question = grouping.question(two.collection, View(), "modularity", {})
    assert remember.recalled(two.collection, question, found.base) is not None
    smaller = two.communities("engine").base
    assert remember.recalled(two.collection, question, smaller) is None
    members = found[0].members
    members.setflags(write=True)
    members[0] = np.int32(members[-1])
    remember.remember(two.collection, question, found)
    assert remember.recalled(two.collection, question, found.base) is None
    monkeypatch.setattr(remember, "MOST", 1)
    remember.remember(two.collection, {"other": 1}, found)
    assert remember.recalled(two.collection, {"other": 1}, found.base) is None
