"""Topics and communities remembered: the same to the bit, and only while all is as it was."""

import json
import shutil
from collections.abc import Callable
from dataclasses import fields, replace
from functools import wraps
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.subjects import TWO_SUBJECTS

from weft.core.register import Method
from weft.gather.page import Page
from weft.graph.baseset.baseset import BaseSet
from weft.graph.baseset.expand import build_query_base_set
from weft.graph.selection import Selection
from weft.groups import Groups, MicroHub
from weft.store.writer import RESULTS_FOLDER
from weft.workspace import result_cache as remember
from weft.workspace import workspace as opened
from weft.workspace.analyse import find_registered
from weft.workspace.result_cache import CachedResult, load_result
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
        method = find_registered(kind, name)

        @wraps(method.run)
        def run(data: object, **options: object) -> Any:
            calls.append(name)
            return method.run(data, **options)

        return replace(method, run=run)

    monkeypatch.setattr(opened, "find_registered", found)
    return calls


def to_bits(value: Any) -> Any:
    """All that topics hold, to the bit."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.tobytes()
    if isinstance(value, Groups):
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


def test_finding_nothing_is_recalled_too(two: Workspace, asked: list[str]) -> None:
    first, again = (two.topics("zyzzyva", "atd") for _ in range(2))
    assert not len(first)
    assert to_bits(first) == to_bits(again)
    assert asked == ["atd"]


@pytest.mark.parametrize(
    "other",
    [
        {"query": "engine"},
        {"method": "tgm"},
        {"min_size": 6},
        {"selection": Selection(root_size=7)},
        {"root_size": 7},
        {"since": "1999"},
        {"uncaptured": "keep"},
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
    base = Selection(stoplist=str(listed))
    for words in ("nobody.org", "nobody.org", "cars1.org"):
        listed.write_text(words)
        two.topics("jaguar", "atd", base, min_size=5)
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
        note = json.loads(json.dumps(note).replace('"Engine"', "7"))
        assert note != found.document
    elif wrong == "deep":
        for _ in range(10_000):
            note = {"list": [note]}
    else:
        note = {"dict": {**note["dict"], "fields": {"dict": {"groups": 3}}}}
    monkeypatch.setattr(
        remember, "load_result", lambda *_: found._replace(document=note, arrays=arrays)
    )
    assert to_bits(two.topics("jaguar", "atd", min_size=5))[1] == to_bits(true)[1]
    assert len(asked) == 2


def _question(two: Workspace) -> dict[str, Any]:
    return groups_key(two, "topics", "atd", Selection(query="jaguar").for_topics(), min_size=5)


def groups_key(
    workspace: Workspace, kind: str, method: str, selection: Selection, **options: Any
) -> dict[str, Any]:
    """What the cached groups of a complete selection depend on."""
    complete = find_registered(kind, method).validate_options(options)
    request = {"kind": kind, "method": method, "uncaptured": "drop", "options": complete}
    return remember.cache_key(workspace.collection, selection, request)


def test_facts_of_every_kind(two: Workspace) -> None:
    found = two.topics("jaguar", "atd", min_size=5)
    hub = MicroHub("p", "body", 0.5, 1, ("t",), ("a",), "<b>")
    facts = {"hubs": (hub,), "list": [1, None, True], "number": np.float64(0.1), "s": {"x": "y"}}
    topic = replace(found[0], facts=facts)
    odd = replace(found, groups=(topic,))
    remember.cache_groups(two.collection, {"odd": 1}, odd)
    again = remember.load_cached_groups(two.collection, {"odd": 1}, found.base)
    assert again is not None
    assert again[0].facts == facts
    strange = replace(found, groups=(replace(topic, facts={"what": object()}),))
    remember.cache_groups(two.collection, {"odd": 2}, strange)
    assert remember.load_cached_groups(two.collection, {"odd": 2}, found.base) is None


def group_bits(found: Groups) -> list[tuple[object, ...]]:
    return [
        (
            *[c.members.tobytes(), c.authority.tobytes(), c.hub.tobytes()],
            *[pages.tobytes() for pages in c.evidence.values()],
            *(
                c.links,
                c.sites,
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
    assert one.bridge_pages == again.bridge_pages


def test_other_communities_are_found_anew(two: Workspace, asked: list[str]) -> None:
    two.communities()
    two.communities(resolution=0.5)
    two.communities("jaguar")
    two.communities(level="host")
    two.communities(exclude=("cars.com",))
    two.communities(uncaptured="keep")
    two.communities(cache=False)
    assert len(asked) == 7


def test_damaged_communities_are_found_anew(
    two: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = two.communities()
    question = groups_key(two, "communities", "modularity", Selection().for_rankings())
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


@pytest.fixture
def web(demo: Workspace, tmp_path: Path) -> Workspace:
    """The demo web without results: a collection with mirrors, portals and uncaptured pages."""
    nothing = shutil.ignore_patterns(RESULTS_FOLDER)
    return Workspace(shutil.copytree(demo.folder, tmp_path / "web.weft", ignore=nothing))


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Grows each time that the base set of a query is really expanded."""
    calls: list[str] = []

    @wraps(build_query_base_set)
    def build(collection: Any, selection: Selection) -> BaseSet:
        calls.append(selection.query)
        return build_query_base_set(collection, selection=selection)

    monkeypatch.setattr(remember, "build_query_base_set", build)
    return calls


JAGUAR = Selection(query="jaguar", root_size=50, exclude=("*.net",)).for_topics()
BY_PAGE = ("page_numbers", "origin", "rank", "via", "text_score")


def load_jaguar(workspace: Workspace, selection: Selection = JAGUAR) -> BaseSet:
    return remember.load_base_set(workspace.collection, selection, cache=True)


def base_set_bits(base: BaseSet) -> dict[str, Any]:
    """All that a base set holds and reads, to the bit."""
    graph = base.graph
    rows = {"outlinks": graph.outlinks, "inlinks": graph.inlinks}
    return {
        **{name: to_bits(getattr(base, name)) for name in BY_PAGE},
        **{
            f"{part} of {name}": to_bits(np.asarray(getattr(links, part)))
            for name, links in rows.items()
            for part in ("starts", "ids", "weights")
        },
        "uncaptured": np.asarray(graph.uncaptured).tolist(),
        "pages": list(base.pages),
        "titles": list(base.titles),
        "anchors": base.anchors.to_pylist(),
        "host titles": [list(base.host_titles(page)) for page in range(len(base))],
        "terms": to_bits(base.term_weights.matrix.ids),
        "dropped": base.dropped,
        "absent": dict(base.absent),
        "search": (base.query, base.search_total, base.level),
    }


def test_a_base_set_is_expanded_once(web: Workspace, built: list[str]) -> None:
    found = [web.topics("jaguar", method) for method in ("hits", "atd", "hits")]
    again = Workspace(web.folder).topics("jaguar", "eigen")
    assert built == ["jaguar"]
    assert len({topics.base.page_numbers.tobytes() for topics in (*found, again)}) == 1
    web.topics("jaguar", "hits", cache=False)
    assert built == ["jaguar"] * 2
    load_jaguar(web)
    web.topics("atari", "hits")
    assert built == ["jaguar", "jaguar", "jaguar", "atari"]


def test_a_restored_base_set_is_the_one_that_was_built(
    web: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    true = build_query_base_set(web.collection, selection=JAGUAR)
    assert len(true.absent) > 1
    assert sum(dropped.pages for dropped in true.dropped) > 1
    assert sum(dropped.links for dropped in true.dropped) > 1
    assert np.any(true.graph.uncaptured)
    first = load_jaguar(web)

    def fail(*_: object, **__: object) -> BaseSet:
        raise AssertionError

    monkeypatch.setattr(remember, "build_query_base_set", fail)
    again = load_jaguar(Workspace(web.folder))
    assert base_set_bits(again) == base_set_bits(first) == base_set_bits(true)
    with pytest.raises(AssertionError):
        load_jaguar(web, replace(JAGUAR, root_size=49))


def spoil(arrays: list[np.ndarray[Any, Any]], document: dict[str, Any], wrong: str) -> None:
    """Damage a stored base set in one way."""
    numbers, origin, _, via, score, starts, ids, *_ = arrays
    spoilt: dict[str, tuple[int, np.ndarray[Any, Any]]] = {
        "pages out of range": (0, numbers + np.int32(100_000)),
        "pages out of order": (0, numbers[::-1]),
        "pages that repeat": (0, np.minimum(numbers, numbers[-2])),
        "unknown origins": (1, origin + 9),
        "origins too short": (1, origin[:-1]),
        "ranks below zero": (2, np.full_like(origin, -1)),
        "reached from nowhere": (3, np.full_like(via, len(via))),
        "scores of another type": (4, score.astype(np.float32)),
        "scores not finite": (4, np.full_like(score, np.nan)),
        "starts of another type": (5, starts.astype(np.int32)),
        "starts too short": (5, starts[:-1]),
        "starts beyond the links": (5, starts + 1),
        "links out of range": (6, np.full_like(ids, len(numbers))),
        "links below zero": (6, np.full_like(ids, -1)),
        "links of another type": (6, ids.astype(np.float64)),
        "links too short": (6, ids[:-1]),
    }
    if wrong in spoilt:
        at, values = spoilt[wrong]
        arrays[at] = values
    elif wrong == "too few arrays":
        del arrays[6:]
    elif wrong == "no absent pages":
        del document["absent"]
    elif wrong == "absent pages without reasons":
        document["absent"] = [["http://a.org/"]]
    elif wrong == "dropped pages of another form":
        document["dropped"] = [{"why": "mirrors"}]
    else:
        document["search_total"] = "many"


@pytest.mark.parametrize(
    "wrong",
    [
        "pages out of range",
        "pages out of order",
        "pages that repeat",
        "unknown origins",
        "origins too short",
        "ranks below zero",
        "reached from nowhere",
        "scores of another type",
        "scores not finite",
        "starts of another type",
        "starts too short",
        "starts beyond the links",
        "links out of range",
        "links below zero",
        "links of another type",
        "links too short",
        "too few arrays",
        "no absent pages",
        "absent pages without reasons",
        "dropped pages of another form",
        "no total",
    ],
)
def test_a_damaged_base_set_is_built_anew(
    web: Workspace, built: list[str], monkeypatch: pytest.MonkeyPatch, wrong: str
) -> None:
    true = base_set_bits(load_jaguar(web))

    def load_spoilt(*request: Any) -> CachedResult:
        found = load_result(*request)
        assert found is not None
        arrays, document = list(found.arrays), dict(found.document)
        spoil(arrays, document, wrong)
        return CachedResult(document, arrays)

    with monkeypatch.context() as patch:
        patch.setattr(remember, "load_result", load_spoilt)
        assert base_set_bits(load_jaguar(web)) == true
    assert base_set_bits(load_jaguar(web)) == true
    assert built == ["jaguar", "jaguar"], "once to begin with, and once instead of the damaged one"
