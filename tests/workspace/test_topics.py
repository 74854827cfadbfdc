"""Topics of a collection: found, named, and with a memory of where they come from."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.subjects import TWO_SUBJECTS

import weft
from weft.core.errors import BadParameter, UnknownName
from weft.gather.page import Page
from weft.gather.url import domain
from weft.graph.baseset.expand import build_query_base_set
from weft.graph.baseset.options import BaseOptions
from weft.topics import Topics
from weft.topics.evidence import EvidenceCollector, page_snippets
from weft.workspace.topics import query_problem_note
from weft.workspace.workspace import Workspace

Keep = Callable[..., Workspace]


def bits(found: Topics) -> list[tuple[object, ...]]:
    return [
        (t.label, t.title, t.members.tobytes(), t.authority.tobytes(), t.hub.tobytes())
        for t in (*found.topics, *found.set_aside)
    ]


def test_two_topics_and_their_names(keep: Keep) -> None:
    found = keep(*TWO_SUBJECTS).topics("jaguar", "atd", min_size=5)
    assert {topic.label[0] for topic in found} == {"Engine", "Jungle"}
    assert {topic.title for topic in found} == {
        "engine links a; engine links b",
        "jungle links a; jungle links b",
    }
    first = EvidenceCollector(found).for_role(1, "authority", 1)[0]
    assert first.count == 6
    assert first.anchors[0].split()[0].capitalize() == found[0].label[0]


def test_a_result_knows_where_it_comes_from(demo: Workspace) -> None:
    base = BaseOptions(root_size=50, roots="first", exclude=("ads.example",))
    found = demo.topics("jaguar", base=base)
    memory = found.provenance
    assert (memory["query"], memory["snapshot"], memory["weft"]) == ("jaguar", 1, weft.__version__)
    assert memory["base_options"]["root_size"] == 50
    assert memory["base_options"]["roots"] == "first"
    assert memory["exclude"] == ["ads.example"]
    assert memory["base"]["root"] <= 50
    assert memory["base"]["pages"] == len(found.base) > memory["base"]["root"]
    assert memory["left_out"]
    assert found.method == "auto"
    assert "min_size" in found.options


def test_the_same_answer_each_time(demo: Workspace) -> None:
    assert bits(demo.topics("jaguar")) == bits(Workspace(demo.folder).topics("jaguar"))


def test_a_query_is_remarked_on(demo: Workspace) -> None:
    base = build_query_base_set(demo.collection, "jaguar")
    assert query_problem_note(demo.collection, base) == ""
    assert "common" in query_problem_note(
        demo.collection, build_query_base_set(demo.collection, "the and of")
    )
    assert "pages are in en (" in query_problem_note(
        demo.collection, build_query_base_set(demo.collection, "zzzz")
    )
    assert query_problem_note(demo.collection, build_query_base_set(demo.collection, "")) == ""


def test_topics_know_their_share_of_sites(demo: Workspace) -> None:
    found = demo.topics("jaguar")
    every = len({domain(page) for page in found.base.pages})
    assert [topic.facts["share of sites"] for topic in found] == [
        round(topic.facts["sites"] / every, 4) for topic in found
    ]
    assert len(found)


def test_snippets_say_the_query(demo: Workspace) -> None:
    found = demo.topics("jaguar")
    pages = [found.base.pages[root] for root in found.base.roots[:3]]
    said = page_snippets(demo.collection, found.base, pages)
    assert len(said) == 3
    assert all("jaguar" in words.lower() for words in said)
    assert page_snippets(demo.collection, found.base, []) == []


def test_the_whole_collection_and_other_levels(demo: Workspace) -> None:
    assert len(demo.topics(method="hits").base) > len(demo.topics("atari", "hits").base)
    hosts = demo.topics(method="hits", level="host")
    assert hosts.base.level == "host"
    assert hosts[0].label[0] in hosts.base.pages
    with pytest.raises(BadParameter, match="finds pages"):
        demo.topics("jaguar", level="host")


def test_what_cannot_be(demo: Workspace) -> None:
    with pytest.raises(UnknownName, match="atdd"):
        demo.topics("jaguar", "atdd")
    with pytest.raises(BadParameter, match="colour"):
        demo.topics("jaguar", colour="red")


@pytest.mark.parametrize("query", ["the of and", "xyzzyx", "ягуар", "捷豹"])
def test_odd_queries_are_answered(demo: Workspace, query: str) -> None:
    found = demo.topics(query)
    assert all(topic.name for topic in found)
    assert found.provenance["base"]["pages"] == len(found.base)


@pytest.mark.parametrize("query", ["!?", "-atari"])
def test_queries_without_words_are_refused_with_a_hint(demo: Workspace, query: str) -> None:
    with pytest.raises(BadParameter) as error:
        demo.topics(query)
    assert "add a word" in error.value.hint


def test_a_query_too_long_is_refused_in_words(demo: Workspace) -> None:
    with pytest.raises(BadParameter, match="100,000 characters"):
        demo.topics("j" * 100_000)


def test_links_without_words(tmp_path: Path) -> None:
    """An edge list has no text: topics are called after hosts."""
    edges = [f"http://{g}{k}.org/,http://{g}.com/{n}" for g in "pq" for k in range(6) for n in "xy"]
    (tmp_path / "edges.csv").write_text("\n".join(["source,target", *edges]))
    workspace = Workspace(tmp_path / "c.weft")
    workspace.add(tmp_path / "edges.csv")
    found = workspace.topics(min_size=3)
    assert {topic.label for topic in found} == {("p.com",), ("q.com",)}


def test_one_page(keep: Keep) -> None:
    found = keep(Page("http://a.org/", text="jaguar")).topics("jaguar")
    assert (len(found), len(found.base)) == (0, 1)
