"""The words of a selection: the same in every analysis, as keywords or as one object."""

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from weft.core.errors import BadParameter, UnknownName
from weft.core.tables import Tabular
from weft.gather.page import Link, Page
from weft.graph.baseset.baseset import BaseSet
from weft.graph.selection import Level, Selection
from weft.graph.webgraph import WebGraph
from weft.groups.groups import explain_no_groups
from weft.workspace import analyse
from weft.workspace.workspace import Workspace

Keep = Callable[..., Workspace]
PAGE = "jaguarmagazine.example"
ANALYSES: dict[str, Callable[..., Tabular]] = {
    "rank": lambda demo, **given: demo.rank("hits", **given),
    "topics": lambda demo, **given: demo.topics(method="hits", cache=False, **given),
    "communities": lambda demo, **given: demo.communities(cache=False, **given),
    "structure": lambda demo, **given: demo.structure("bow-tie", **given),
    "overview": lambda demo, **given: demo.structure(**given),
    "similar": lambda demo, **given: demo.similar(PAGE, **given),
    "suggest": lambda demo, **given: demo.suggest(PAGE, **given),
    "why": lambda demo, **given: demo.why(PAGE, **given),
    "compare": lambda demo, **given: demo.compare_methods("indegree", "hits", **given),
    "stability": lambda demo, **given: demo.stability("indegree", trials=2, **given),
}
SELECTIONS: dict[str, dict[str, Any]] = {
    "level": {"level": "host"},
    "query": {"query": "jaguar", "root_size": 30, "max_inlinks": 5, "nofollow": "keep"},
    "exclude": {"exclude": ("*.net", "seekwell.example"), "between": "domain"},
    "dates": {"since": "1999", "until": "2030-06"},
}
YEARS = {2001: 978307200, 2002: 1009843200, 2003: 1041379200}


@pytest.mark.parametrize("name", SELECTIONS)
@pytest.mark.parametrize("analysis", ANALYSES)
def test_words_are_keywords_of_every_analysis(demo: Workspace, analysis: str, name: str) -> None:
    words, analysed = SELECTIONS[name], ANALYSES[analysis]
    by_words, by_selection = analysed(demo, **words), analysed(demo, selection=Selection(**words))
    assert repr(by_words.to_table().to_pylist()) == repr(by_selection.to_table().to_pylist())
    kept, same = (getattr(found, "provenance", {}) for found in (by_words, by_selection))
    assert kept.get("selection") == same.get("selection")
    assert {word: kept["selection"][word] for word in words if kept} == (words if kept else {})


def test_words_change_those_of_a_selection(demo: Workspace) -> None:
    few = Selection(query="jaguar", root_size=5)
    changed = demo.rank("hits", few, root_size=9)
    assert list(changed.pages) == list(demo.rank("hits", query="jaguar", root_size=9).pages)
    assert changed.provenance["selection"]["query"] == "jaguar"
    assert few.root_size == 5


@pytest.mark.parametrize("what", ["edges", "pages"])
def test_the_base_set_of_a_query_is_exported(demo: Workspace, tmp_path: Path, what: Any) -> None:
    file, again = tmp_path / "some.csv", tmp_path / "again.csv"
    base = demo.load(BaseSet, query="jaguar", root_size=20)
    assert isinstance(base, BaseSet)
    rows = demo.export(file, what, query="jaguar", root_size=20)
    assert demo.export(again, what, Selection(query="jaguar", root_size=20)) == rows
    assert file.read_bytes() == again.read_bytes()
    with file.open() as text:
        read = list(csv.DictReader(text))
    if what == "edges":
        assert rows == len(read) == base.graph.link_count
        assert {row[end] for row in read for end in ("source", "target")} <= set(base.pages)
    else:
        assert [row["url"] for row in read] == list(base.pages)


@pytest.fixture
def dated(keep: Keep) -> Workspace:
    """A page of each year: one to two to three, two to one, three to a page never captured."""
    one, two, three = (f"http://{name}.org/" for name in ("one", "two", "three"))
    seen = "http://seen.org/"
    first, second, third = YEARS.values()
    return keep(
        Page(one, time=first, text="jaguar one", links=(Link(two),)),
        Page(two, time=second, text="jaguar two", links=(Link(three), Link(one))),
        Page(three, time=third, text="jaguar three", links=(Link(seen),)),
    )


def test_a_page_captured_at_another_time_counts_as_not_captured(dated: Workspace) -> None:
    """It has no links, and is there only where a page of that time links to it."""
    graph = dated.load(WebGraph, since="2002", until="2003")
    assert isinstance(graph, WebGraph)
    assert {(row["source"], row["target"]) for row in graph.to_arrow().to_pylist()} == {
        ("http://two.org/", "http://three.org/"),
        ("http://two.org/", "http://one.org/"),
    }
    assert graph.uncaptured is not None
    captured = dict(zip(graph.pages, graph.uncaptured.tolist(), strict=True))
    assert captured == {
        "http://one.org/": True,
        "http://two.org/": False,
        "http://three.org/": True,
    }
    later = dated.rank("indegree", since="2003")
    assert set(later.pages) == {"http://three.org/", "http://seen.org/"}, "nothing links to two"
    [left_out] = later.provenance["left_out"]
    assert (left_out["pages"], left_out["links"]) == (2, 0)
    assert set(dated.rank("indegree", until="2002").pages) == {"http://one.org/", "http://two.org/"}


def test_dates_of_a_query(dated: Workspace) -> None:
    base = dated.load(BaseSet, query="jaguar", since="2002", until="2003")
    assert isinstance(base, BaseSet)
    assert [base.pages[root] for root in base.roots] == ["http://two.org/"]
    assert set(base.pages) == {"http://one.org/", "http://two.org/", "http://three.org/"}
    assert base.graph.link_count == 2
    for groups in (dated.communities(until="2002"), dated.topics("jaguar", "hits", until="2002")):
        members = [groups.base.pages[page] for group in groups for page in group.members]
        assert members == ["http://one.org/"], "the others were not captured then"


def test_dates_that_cannot_be(dated: Workspace) -> None:
    with pytest.raises(BadParameter, match="'soon' is not a date"):
        dated.rank(since="soon")
    with pytest.raises(BadParameter, match="dates select pages, not hosts"):
        dated.communities(level="host", until="2003")


@pytest.mark.parametrize(
    ("verb", "given", "word"),
    [
        ("rank", {"root_sise": 5}, "root_size"),
        ("topics", {"exlude": ["a.org"]}, "exclude"),
        ("communities", {"sinse": "2001"}, "since"),
        ("structure", {"levle": "host"}, "level"),
        ("compare_methods", {"betwen": "host"}, "between"),
        ("load", {"data_type": WebGraph, "qeury": "jaguar"}, "query"),
        ("export", {"path": "x.csv", "stopist": "none"}, "stoplist"),
    ],
)
def test_an_unknown_keyword_suggests_the_right_word(
    dated: Workspace, verb: str, given: dict[str, Any], word: str
) -> None:
    with pytest.raises(BadParameter, match=f"there is no option '{list(given)[-1]}'") as caught:
        getattr(dated, verb)(**given)
    assert f"did you mean {word!r}?" in caught.value.hint


def test_a_keyword_like_no_other_is_refused(dated: Workspace, tmp_path: Path) -> None:
    for ask in (dated.rank, dated.topics, dated.communities, dated.compare_methods):
        with pytest.raises(BadParameter, match="there is no option 'colour'"):
            ask(colour="red")
    with pytest.raises(BadParameter, match="there is no option 'colour'"):
        dated.load(WebGraph, colour="red")
    with pytest.raises(BadParameter, match="there is no option 'colour'"):
        dated.known_for("one.org", colour="red")
    with pytest.raises(BadParameter, match="there is no option 'colour'"):
        dated.structure_report(colour="red")
    with pytest.raises(BadParameter, match="there is no option 'colour'"):
        dated.export(tmp_path / "x.csv", colour="red")


@pytest.mark.parametrize(
    ("verb", "given", "message"),
    [
        ("rank", {"steps": 2}, "steps would change nothing without a query"),
        ("communities", {"stoplist": "none"}, "stoplist would change nothing without a query"),
        ("structure", {"mirrors": "keep"}, "mirrors would change nothing without a query"),
        ("topics", {"root_size": 7}, "root_size would change nothing without a query"),
        ("rank", {"pages": ["one.org"], "root_size": 7}, "root_size would change nothing beside"),
        ("topics", {"level": "host", "seed": 1}, "seed would change nothing at the level of hosts"),
        ("rank", {"level": "host", "between": "host"}, "every link at the level of hosts"),
        ("communities", {"level": "domain", "query": "x"}, "a query finds pages, not domains"),
    ],
)
def test_words_without_effect_are_refused(
    dated: Workspace, verb: str, given: dict[str, Any], message: str
) -> None:
    for words in (given, {"selection": Selection().with_changes(**given)}):
        with pytest.raises(BadParameter, match=message) as caught:
            getattr(dated, verb)(**words)
        assert caught.value.hint


def test_the_whole_graph_is_ranked_without_a_base_set(
    dated: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = dated.rank("pagerank").to_table()

    def fail(*_: object, **__: object) -> BaseSet:
        raise AssertionError

    for name in ("load_base_set", "whole_base_set"):
        monkeypatch.setattr(analyse, name, fail)
    assert dated.rank("pagerank").to_table().equals(wanted)
    assert len(dated.rank("pagerank", level="host")) == 4
    with pytest.raises(AssertionError):
        dated.rank("pagerank", query="jaguar")


def test_topics_of_a_time_have_pages_of_that_time(demo: Workspace) -> None:
    since = "2004-05-26"
    topics = demo.topics(method="centroids", since=since, cache=False)
    assert list(topics.base.pages) == list(demo.rank("indegree", since=since).pages)
    assert len(topics.base) < len(demo.rank("indegree"))


@pytest.mark.parametrize("method", ["eigen", "tgm", "auto", "leiden-votes"])
def test_a_time_without_links_has_no_topics(demo: Workspace, method: str) -> None:
    assert not len(demo.topics(method=method, since="2999", cache=False))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"exclude": "seekwell.example"}, "exclude"),
        ({"between": "planet"}, "between"),
        ({"since": 2003}, "since"),
    ],
)
def test_a_selection_is_validated_too(demo: Workspace, words: dict[str, Any], message: str) -> None:
    with pytest.raises(BadParameter, match=f"selection: {message}"):
        demo.rank("indegree", Selection(**words))


def test_an_edited_stoplist_is_read_again(demo: Workspace, tmp_path: Path) -> None:
    listed = tmp_path / "stop.txt"
    listed.write_text("nowhere.example\n")

    def witnesses() -> list[str]:
        given = {"query": "jaguar", "stoplist": str(listed)}
        found = demo.similar(PAGE, "co-citation", **given)  # type: ignore[arg-type]
        return [witness.page for page in found for witness in page.witnesses]

    before = witnesses()
    host = before[0].split("/")[2]
    listed.write_text(f"{host}\n")
    assert not any(host in page for page in witnesses())


def test_subtopics_divide_their_topic(demo: Workspace) -> None:
    topics = demo.topics(cache=False)
    parts = [(topic, part) for topic in topics for part in topic.subgroups]
    assert parts
    for topic, part in parts:
        assert set(part.members.tolist()) <= set(topic.members.tolist())


def test_hosts_are_known_for_nothing(demo: Workspace) -> None:
    with pytest.raises(BadParameter, match="not hosts or domains"):
        demo.known_for(PAGE, level="host")


def test_dates_in_the_wrong_order(demo: Workspace) -> None:
    with pytest.raises(BadParameter, match="no time is from 2005 until 2003"):
        demo.rank("indegree", since="2005", until="2003")


@pytest.mark.parametrize("level", ["page", "host"])
def test_seeds_are_found_by_any_form_of_their_url(demo: Workspace, level: Level) -> None:
    full, short = "http://jaguarmagazine.example/", "jaguarmagazine.example/"
    own = full if level == "page" else short.strip("/")
    wanted = demo.rank("personalised", level=level, seeds=[own]).to_table()
    for seeds in ([short], [full]):
        assert demo.rank("personalised", level=level, seeds=seeds).to_table() == wanted
    found = demo.communities(method="flow", level=level, seeds=[own], k=3)
    again = demo.communities(method="flow", level=level, seeds=[short], k=3)
    assert [group.members.tolist() for group in again] == [g.members.tolist() for g in found]
    host = demo.rank("personalised", seeds=["www.seekwell.example"])
    assert (host.score() > 0).sum() > 1, "a host stands for all its pages"
    with pytest.raises(UnknownName):
        demo.rank("personalised", seeds=["nowhere.example/x"])


def test_a_time_without_captures_is_named(demo: Workspace) -> None:
    found = demo.topics("jaguar", until="1990")
    reason, hint = explain_no_groups(found)
    assert (reason, "since" in hint) == ("no page matches jaguar in this time", True)
    assert "time" not in explain_no_groups(demo.topics("xyzzyx"))[0]
