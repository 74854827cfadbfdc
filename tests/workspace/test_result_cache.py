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

from weft.communities import AgoraCommunities, Communities
from weft.core.register import Method, find_method
from weft.gather.page import Page
from weft.graph.baseset.options import DEFAULT_PER_DOMAIN, BaseOptions
from weft.store.results import RESULTS_FOLDER, load_result
from weft.topics import MicroHub, Topics
from weft.workspace import communities as grouping
from weft.workspace import result_cache as remember
from weft.workspace import topics as discover
from weft.workspace.analyse import Selection
from weft.workspace.workspace import Workspace

Keep = Callable[..., Workspace]


@pytest.fixture
def two(keep: Keep) -> Workspace:
    return keep(*TWO_SUBJECTS)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Grows each time that topics or communities are really looked for."""
    calls: list[str] = []

    def found(kind: str, name: str) -> Method:
        method = find_method(kind, name)

        @wraps(method.run)
        def run(data: object, **options: object) -> Any:
            calls.append(name)
            return method.run(data, **options)

        return replace(method, run=run)

    monkeypatch.setattr(discover, "find_method", found)
    monkeypatch.setattr(grouping, "find_method", found)
    return calls


def to_bits(value: Any) -> Any:
    """All that topics hold, to the bit."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.tobytes()
    if isinstance(value, Topics):
        return [to_bits(getattr(value, f.name)) for f in fields(value) if f.name != "base"]
    if hasattr(value, "__dataclass_fields__"):
        return [to_bits(getattr(value, f.name)) for f in fields(value)]
    if isinstance(value, list | tuple):
        return type(value)(map(to_bits, value))
    if isinstance(value, dict):
        return {name: to_bits(part) for name, part in value.items()}
    return repr(value)


def test_a_second_time_they_are_recalled(two: Workspace, asked: list[str]) -> None:
    first = two.topics("jaguar", "atd", min_size=5)
    again = two.topics("jaguar", "atd", min_size=5)
    other = Workspace(two.folder).topics("jaguar", "atd", min_size=5)
    assert to_bits(first) == to_bits(again) == to_bits(other)
    assert len(first) == 2
    assert asked == ["atd"]
    assert first.base.page_numbers.tolist() == other.base.page_numbers.tolist()
    assert other.explain("cars.com/0").evidence


@pytest.mark.parametrize(
    "other",
    [
        {"query": "engine"},
        {"method": "tgm"},
        {"min_size": 6},
        {"base": BaseOptions(root_size=7)},
        {"level": "host", "query": ""},
    ],
    ids=lambda other: next(iter(other)),
)
def test_another_question_is_answered_anew(
    two: Workspace, asked: list[str], other: dict[str, Any]
) -> None:
    default: dict[str, Any] = {"query": "jaguar", "method": "atd", "min_size": 5}
    two.topics(**default)
    two.topics(
        **({k: v for k, v in default.items() if "method" not in other or k == "query"} | other)
    )
    assert len(asked) == 2


def test_another_snapshot_or_version_is_answered_anew(
    two: Workspace, asked: list[str], keep: Keep, monkeypatch: pytest.MonkeyPatch
) -> None:
    two.topics("jaguar", "atd", min_size=5)
    monkeypatch.setattr(remember, "_code_fingerprint", lambda: "changed")
    two.topics("jaguar", "atd", min_size=5)
    assert len(asked) == 2
    keep(Page("http://new.org/", text="jaguar"))
    assert not list((two.folder / RESULTS_FOLDER).iterdir()), "a commit forgets what was"
    two.refresh().topics("jaguar", "atd", min_size=5)
    assert len(asked) == 3


def test_a_stop_list_that_was_edited_counts_as_another(
    two: Workspace, asked: list[str], tmp_path: Path
) -> None:
    listed = tmp_path / "stop.txt"
    base = BaseOptions(stoplist=str(listed))
    for words in ("nobody.org", "nobody.org", "cars1.org"):
        listed.write_text(words)
        two.topics("jaguar", "atd", min_size=5, base=base)
    assert len(asked) == 2


def test_without_the_cache_nothing_is_kept_or_recalled(two: Workspace, asked: list[str]) -> None:
    two.topics("jaguar", cache=False)
    assert not (two.folder / RESULTS_FOLDER).exists()
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
    true = two.topics("jaguar", "atd", min_size=5)
    found = load_result(two.folder, _question(two))
    assert found is not None
    arrays, note = list(found.arrays), found.document
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
        assert note != found.document
    elif wrong == "deep":
        for _ in range(10_000):
            note = {"list": [note]}
    else:
        note = {"dict": {**note["dict"], "fields": {"dict": {"topics": 3}}}}
    monkeypatch.setattr(
        remember, "load_result", lambda *_: found._replace(document=note, arrays=arrays)
    )
    assert to_bits(two.topics("jaguar", "atd", min_size=5))[1] == to_bits(true)[1]
    assert len(asked) == 2


def _question(two: Workspace) -> dict[str, Any]:
    view = Selection("page", "jaguar")
    base = BaseOptions().with_default_per_domain(DEFAULT_PER_DOMAIN)
    return discover.topics_cache_key(two.collection, view, base, "atd", {"min_size": 5})


def test_facts_of_every_kind(two: Workspace) -> None:
    found = two.topics("jaguar", "atd", min_size=5)
    hub = MicroHub("p", "body", 0.5, 1, ("t",), ("a",), "<b>")
    facts = {"hubs": (hub,), "list": [1, None, True], "number": np.float64(0.1), "s": {"x": "y"}}
    topic = replace(found[0], facts=facts)
    odd = replace(found, topics=(topic,))
    remember.cache_groups(two.collection, {"odd": 1}, odd)
    again = remember.load_cached_groups(two.collection, {"odd": 1}, found.base)
    assert again is not None
    assert again[0].facts == facts
    strange = replace(found, topics=(replace(topic, facts={"what": object()}),))
    remember.cache_groups(two.collection, {"odd": 2}, strange)
    assert remember.load_cached_groups(two.collection, {"odd": 2}, found.base) is None


def group_bits(found: Communities) -> list[tuple[object, ...]]:
    return [
        (
            *[c.members.tobytes(), c.authority.tobytes(), c.hub.tobytes()],
            *[pages.tobytes() for pages in c.evidence.values()],
            *(
                c.internal_links,
                c.outgoing_links,
                c.incoming_links,
                c.strength,
                c.label,
                c.title,
                dict(c.facts),
            ),
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
    assert group_bits(one) == group_bits(again)
    assert (one.facts, one.notes, one.options) == (again.facts, again.notes, again.options)
    assert one.provenance["time"] == again.provenance["time"]
    if isinstance(one, AgoraCommunities) and isinstance(again, AgoraCommunities):
        assert one.bridge_pages == again.bridge_pages


def test_other_communities_are_found_anew(two: Workspace, asked: list[str]) -> None:
    two.communities()
    two.communities(resolution=0.5)
    two.communities("jaguar")
    two.communities(level="host")
    two.communities(exclude=("cars.com",))
    two.communities(cache=False)
    assert len(asked) == 6


def test_damaged_communities_are_found_anew(
    two: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = two.communities()
    question = grouping.communities_cache_key(two.collection, Selection(), "modularity", {})
    assert remember.load_cached_groups(two.collection, question, found.base) is not None
    smaller = two.communities("engine").base
    assert remember.load_cached_groups(two.collection, question, smaller) is None
    members = found[0].members
    members.setflags(write=True)
    members[0] = np.int32(members[-1])
    remember.cache_groups(two.collection, question, found)
    assert remember.load_cached_groups(two.collection, question, found.base) is None
    monkeypatch.setattr(remember, "MAX_CACHED_GROUPS", 1)
    remember.cache_groups(two.collection, {"other": 1}, found)
    assert remember.load_cached_groups(two.collection, {"other": 1}, found.base) is None
